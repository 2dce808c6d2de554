"""From a call to a Fit: folds, held-out predictions, selection."""
