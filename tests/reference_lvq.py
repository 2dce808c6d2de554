"""Learning vector quantization straight from the books, in loops: slow, and nothing shared.

Kohonen, Self-Organizing Maps (1995), chapter 6; Sato and Yamada, Generalized Learning Vector Quantization (1996).
"""

import math

import numpy as np


def squared(a, b):
    return sum((float(u) - float(v)) ** 2 for u, v in zip(a, b, strict=True))


def by_distance(x, codes, which):
    """Code vectors, the nearest first; of equally near ones the first."""
    return sorted(which, key=lambda j: (squared(x, codes[j]), j))


def farthest(X):
    """Ten times the distance of the farthest row from the rows' mean, beyond which nothing is pushed."""
    mean = [sum(column) / len(X) for column in X.T]
    return mean, 10 * max(math.sqrt(squared(x, mean)) for x in X)


def move(codes, k, rate, x, mean, limit):
    new = [c + rate * (v - c) for c, v in zip(codes[k], x, strict=True)]
    if rate < 0 and math.sqrt(squared(new, mean)) > limit:
        return
    codes[k] = new


def learn(X, y, codes, label, rows, variant, alpha, window=0.3, damping=0.1, steepness=0.0):
    codes = [[float(v) for v in c] for c in codes]
    mean, limit = farthest(X)
    every, own_rate = range(len(codes)), [alpha] * len(codes)
    scale = mean_of_both(X, y, codes, label) if variant == "glvq" else None
    for t, i in enumerate(rows):
        x, its = X[i], y[i]
        a = alpha * (1 - t / len(rows))
        if variant in ("lvq1", "olvq1"):
            c = by_distance(x, codes, every)[0]
            s = 1 if label[c] == its else -1
            if variant == "olvq1":  # alpha_c(t) from alpha_c(t - 1), never above where it began
                own_rate[c] = min(alpha, own_rate[c] / (1 + s * own_rate[c]))
                a = own_rate[c]
            move(codes, c, s * a, x, mean, limit)
        elif variant == "glvq":
            p = by_distance(x, codes, [j for j in every if label[j] == its])[0]
            m = by_distance(x, codes, [j for j in every if label[j] != its])[0]
            d1, d2 = squared(x, codes[p]), squared(x, codes[m])
            if d1 + d2 == 0:
                continue
            slope = derivative((d1 - d2) / (d1 + d2), steepness)
            move(codes, p, min(1, a * scale * slope * d2 / (d1 + d2) ** 2), x, mean, limit)
            move(codes, m, -min(1, a * scale * slope * d1 / (d1 + d2) ** 2), x, mean, limit)
        else:
            near = by_distance(x, codes, every)[:2]
            right = [j for j in near if label[j] == its]
            wrong = [j for j in near if label[j] != its]
            if len(right) == 1:
                d = [math.sqrt(squared(x, codes[j])) for j in near]
                if min(d) > (1 - window) / (1 + window) * max(d):
                    move(codes, right[0], a, x, mean, limit)
                    move(codes, wrong[0], -a, x, mean, limit)
            elif len(right) == 2 and variant == "lvq3":
                for j in right:
                    move(codes, j, damping * a, x, mean, limit)
    return np.array(codes)


def mean_of_both(X, y, codes, label):
    """Mean of d1 + d2 over the rows: the unit of the rate."""
    total = 0.0
    for x, its in zip(X, y, strict=True):
        d = [squared(x, c) for c in codes]
        total += min(v for v, k in zip(d, label, strict=True) if k == its)
        total += min(v for v, k in zip(d, label, strict=True) if k != its)
    return total / len(X)


def cost(mu, steepness):
    """f(mu), with slope 1 at 0."""
    return mu if steepness == 0 else 4 / steepness / (1 + math.exp(-steepness * mu))


def derivative(mu, steepness, step=1e-5):
    """f'(mu), by differences that are right to about 1e-11."""
    ahead, back = cost(mu + step, steepness), cost(mu - step, steepness)
    more, less = cost(mu + 2 * step, steepness), cost(mu - 2 * step, steepness)
    return (8 * (ahead - back) - (more - less)) / (12 * step)


def agrees(X, y, w, i, neighbours, classes):
    """Whether the other rows nearest to row i, all that are tied with the last of them included, vote for its class."""
    others = [j for j in range(len(X)) if j != i]
    d = {j: math.sqrt(squared(X[i], X[j])) for j in others}
    last = sorted(d.values())[min(neighbours, len(others)) - 1]
    votes = [sum(w[j] for j in others if d[j] <= last and y[j] == c) for c in range(classes)]
    return votes.index(max(votes)) == y[i]
