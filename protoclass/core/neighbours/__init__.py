"""Nearest prototypes and neighbours."""
