"""Rows on the workers of a Dask cluster: one implementation of `core.parts.Parts`, which is unknown to other modules."""

from .workers import ClusterParts, client_of, is_dask

__all__ = ["ClusterParts", "client_of", "is_dask"]
