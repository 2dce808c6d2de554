"""Fits as text and data frames: print, summary, tidy, glance."""
