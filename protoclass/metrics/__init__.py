"""Dissimilarities between rows of frames."""
