"""Fits as text and data frames: print, summary, tidy, glance."""

METHODS = {
    "Test": {"summary": "evaluation:summary", "__repr__": "evaluation:text", "_repr_html_": "evaluation:html_text"},
}  # what prints a value of each class, see `protoclass.values.Above`
