"""Text and tables in, Frames out: formulas, schemas, data sets."""
