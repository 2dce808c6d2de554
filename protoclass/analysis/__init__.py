"""Analyses of a fit beyond its predictions."""
