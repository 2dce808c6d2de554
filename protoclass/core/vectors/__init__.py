"""Prototypes that are learned in coordinates or by swaps."""
