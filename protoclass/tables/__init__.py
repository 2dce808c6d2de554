"""Fits as text and data frames: print, summary, tidy, glance."""

METHODS = {
    "Result": {"summary": "protoclass.tables.sheets:summary"},
    "Validation": {"summary": "protoclass.tables.sheets:summary"},
    "Comparison": {"as_table": "protoclass.tables.evaluation:of_comparison"},
    "TestResult": {
        "summary": "protoclass.tables.evaluation:summary",
        "_said": "protoclass.tables.evaluation:said",
        "as_table": "protoclass.tables.evaluation:of_test",
    },
    "TestByGroup": {
        "summary": "protoclass.tables.evaluation:summary_of_groups",
        "_said": "protoclass.tables.evaluation:groups_said",
        "as_table": "protoclass.tables.evaluation:of_groups",
    },
}
