"""Numeric kernels of the metrics."""
