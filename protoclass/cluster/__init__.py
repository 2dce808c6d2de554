"""Rows on the workers of a Dask cluster: one implementation of `core.parts.Parts`, and nothing else knows of it."""

from .workers import ClusterParts, client_of, is_dask

__all__ = ["ClusterParts", "client_of", "is_dask"]
