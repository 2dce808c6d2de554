"""The numbers and words of every picture and table, without matplotlib."""
