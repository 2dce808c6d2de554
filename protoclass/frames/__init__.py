"""Formulas, schemas, frames and data sets."""
