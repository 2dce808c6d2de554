"""Fits as text and data frames: print, summary, tidy, glance."""

METHODS = {
    "Test": {"summary": "protoclass.tables.evaluation:summary", "_said": "protoclass.tables.evaluation:said"},
    "TestByGroup": {"summary": "protoclass.tables.evaluation:summary_of_groups", "_said": "protoclass.tables.evaluation:groups_said"},
}  # what prints a value of each class, see `protoclass.values.Above`
