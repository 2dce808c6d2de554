"""What can be said of a fit beyond its predictions."""
