"""Contracts: what every method and every metric promises, checked on small data.

A method or metric of one's own is checked as the built-in ones are: `check_model(MyModel)`,
`check_metric(MyMetric())`.
"""

from .contract import ContractError
from .metrics import check_metric
from .models import check_model

__all__ = ["ContractError", "check_metric", "check_model"]
