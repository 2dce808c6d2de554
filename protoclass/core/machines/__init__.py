"""Set covering machines."""
