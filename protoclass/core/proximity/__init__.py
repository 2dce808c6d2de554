"""Hyperplanes and maps of proximities."""
