"""Set covers: the prototype vector machine."""
