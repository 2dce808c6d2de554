"""Small methods with one fault each."""

import planted_elsewhere
import planted_predictions
import planted_side_effects
from planting import PLANTED

__all__ = ["PLANTED", "planted_elsewhere", "planted_predictions", "planted_side_effects"]
