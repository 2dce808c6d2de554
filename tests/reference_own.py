"""The PVM with balls of several radii, in loops straight from the definition: slow, and nothing shared with the package."""

import numpy as np

LEVELS = 24


def radii_of(eps):
    return [eps * (k / LEVELS) for k in range(1, LEVELS + 1)]


def greedy(D, y, eps, lambda_, w, rows, candidates, classes):
    """(candidate, radius, class) in the order chosen: the largest gain; of equal ones the first class, the first candidate, and the
    largest radius. `rows` and `candidates` say which take part."""
    chosen, covered = [], {c: set() for c in range(classes)}
    balls = {
        (j, r): [i for i in range(len(y)) if rows[i] and D[i, j] < r]
        for j in range(D.shape[1])
        if candidates[j]
        for r in radii_of(eps)
    }
    while True:
        best, step = 0.0, None
        for c in range(classes):
            for j in range(D.shape[1]):
                for r in reversed(radii_of(eps)) if candidates[j] else ():
                    new = sum(w[i] for i in balls[j, r] if y[i] == c and i not in covered[c])
                    other = sum(w[i] for i in balls[j, r] if y[i] != c)
                    if new - other - lambda_ > best:
                        best, step = new - other - lambda_, (j, r, c)
        if step is None:
            return chosen
        chosen.append(step)
        covered[step[2]] |= set(balls[step[:2]])


def objective(D, y, lambda_, w, chosen):
    """The objective of the integer program (3), ball by ball."""
    xi = sum(w[i] for i in range(len(y)) if not any(D[i, j] < r and c == y[i] for j, r, c in chosen))
    eta = sum(w[i] for i in range(len(y)) for j, r, c in chosen if D[i, j] < r and c != y[i])
    return xi + eta + lambda_ * len(chosen)


def least_objective(D, y, eps, lambda_, w):
    """The least objective over all subsets of balls, class by class; of balls with the same rows one is looked at."""
    total = 0.0
    for c in np.unique(y):
        own, balls = y == c, set()
        for j in range(D.shape[1]):
            for r in radii_of(eps):
                inside = D[:, j] < r
                balls.add((tuple(inside[own]), float(lambda_ + w[~own] @ inside[~own])))
        covers = {
            tuple([False] * int(own.sum())): 0.0
        }  # the least cost of the subsets so far, by the rows that they cover
        for inside, cost in balls:
            for rows, paid in list(covers.items()):
                union = tuple(np.logical_or(rows, inside).tolist())
                covers[union] = min(covers.get(union, np.inf), paid + cost)
        total += min(paid + w[own][~np.array(rows, bool)].sum() for rows, paid in covers.items())
    return total


def classify(distances, radii, classes_of, heaviest):
    """The class of the least d / r; of equal ones the first class."""
    share = [d / r for d, r in zip(distances, radii, strict=True)]
    return min(zip(share, classes_of, strict=True), default=(0.0, heaviest))[1]


def cover(distances, radii, classes_of):
    """The one class whose balls hold the row, else -1."""
    held = {c for d, r, c in zip(distances, radii, classes_of, strict=True) if d < r}
    return held.pop() if len(held) == 1 else -1
