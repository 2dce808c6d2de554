"""The PVM straight from the paper, in loops: slow, and nothing shared with the package."""

import numpy as np


def greedy(D, y, eps, lambda_, w, rows, candidates, classes):
    """Section 3.2: (candidate, class) in the order chosen. `rows` and `candidates` say which take part."""
    chosen = []
    covered = {c: set() for c in range(classes)}
    while True:
        best, step = 0.0, None
        for c in range(classes):
            for j in range(D.shape[1]):
                if not candidates[j]:
                    continue
                ball = [i for i in range(D.shape[0]) if rows[i] and D[i, j] < eps]
                new = sum(w[i] for i in ball if y[i] == c and i not in covered[c])
                other = sum(w[i] for i in ball if y[i] != c)
                if new - other - lambda_ > best:
                    best, step = new - other - lambda_, (j, c)
        if step is None:
            return chosen
        chosen.append(step)
        covered[step[1]] |= {i for i in range(D.shape[0]) if D[i, step[0]] < eps}


def classify(distances, classes_of, heaviest):
    """Equation 1; of prototypes equally near, that of the first class."""
    best, found = np.inf, heaviest
    for c in sorted(set(classes_of)):
        for j, d in enumerate(distances):
            if classes_of[j] == c and d < best:
                best, found = d, c
    return found


def cover(distances, classes_of, eps):
    """The one class whose balls hold the row, else -1."""
    held = {c for d, c in zip(distances, classes_of, strict=True) if d < eps}
    return held.pop() if len(held) == 1 else -1


def objective(D, y, eps, lambda_, w, chosen):
    """The objective of the integer program (3)."""
    xi = sum(w[i] for i in range(len(y)) if not any(D[i, j] < eps and c == y[i] for j, c in chosen))
    eta = sum(w[i] for i in range(len(y)) for j, c in chosen if D[i, j] < eps and c != y[i])
    return xi + eta + lambda_ * len(chosen)
