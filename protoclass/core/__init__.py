"""The numbers: arrays in, small frozen dataclasses out. No frames, no names of columns, no plots."""
