"""Fits as text and data frames: print, summary, tidy, glance."""

METHODS = {
    "Test": {"summary": "evaluation:summary", "_said": "evaluation:said"},
}  # what prints a value of each class, see `protoclass.values.Above`
