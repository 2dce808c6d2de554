"""The computations: they take arrays and return small frozen dataclasses. They know no frames, column names or plots."""
