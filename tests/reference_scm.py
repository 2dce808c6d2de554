"""The set covering machine straight from Marchand and Shawe-Taylor (2001), in loops: slow, and nothing shared."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Step:
    """A feature by where it fires, that is, says the class of N; once chosen, with |Q_h|, |R_h| and V_h (section 4).

    `on` is the 0 or 1 on which a Boolean feature fires, `fired` the training rows on which the feature does.
    """

    line: int
    sort: str
    at: int
    cut: float | None
    on: int | None
    fired: frozenset = frozenset()
    q: int | None = None
    r: int | None = None
    value: Fraction | None = None


def sides(y, kind):
    """The sets P and N of section 4, as row numbers: for a conjunction the positive and the negative examples."""
    positive = {i for i in range(len(y)) if y[i]}
    negative = {i for i in range(len(y)) if not y[i]}
    return {"conjunction": (positive, negative), "disjunction": (negative, positive)}[kind]


def fires(step, d=None, x=None, b=None):
    """Whether a feature fires on one row: `d` to all n centres, `x` the stump columns, `b` the Boolean columns.

    Section 3: outside a ball about a P-example, or inside the hole about an N-example.
    """
    if step.sort == "ball":
        return bool(d[step.at] > step.cut)
    if step.sort == "hole":
        return bool(d[step.at] < step.cut)
    if step.sort == "low":
        return bool(x[step.at] <= step.cut)
    if step.sort == "high":
        return bool(x[step.at] > step.cut)
    return bool(b[step.at] == step.on)


def candidates(y, kind, D=None, X=None, B=None, negate=False):
    """The initial set of features, section 3 (balls) and section 1 (Boolean attributes), with stumps besides.

    Lines are numbered through: the n centres if `D` is given; low and high of each column of `X` (also of a
    constant one, which has no cuts); the literal of each column of `B` and, if `negate`, its negation.
    """
    P, _ = sides(y, kind)
    lines = []  # (sort, at, cuts, on)
    for j in range(0 if D is None else len(y)):
        radii = {float(D[i, j]) for i in P}
        lines.append(("ball", j, radii, None) if j in P else ("hole", j, radii | {math.inf}, None))
    for a in range(0 if X is None else X.shape[1]):
        values = sorted({float(v) for v in X[:, a]})
        middles = [values[i] / 2 + values[i + 1] / 2 for i in range(len(values) - 1)]
        lines += [("low", a, middles, None), ("high", a, middles, None)]
    says_n = 0 if kind == "conjunction" else 1  # what h(x) = x_a must be to say the class of N
    for a in range(0 if B is None else B.shape[1]):
        cuts = [None] if len(set(B[:, a].tolist())) > 1 else []  # a constant attribute tells nothing
        lines.append(("literal", a, cuts, says_n))
        if negate:
            lines.append(("negation", a, cuts, 1 - says_n))
    found = [Step(i, sort, at, cut, on) for i, (sort, at, cuts, on) in enumerate(lines) for cut in cuts]
    return [replace(h, fired=fired_rows(h, len(y), D, X, B)) for h in found]


def fired_rows(step, n, D=None, X=None, B=None):
    """The rows of 0..n-1 on which a feature fires."""
    given = [[None if array is None else array[i] for array in (D, X, B)] for i in range(n)]
    return frozenset(i for i in range(n) if fires(step, *given[i]))


def machine(y, kind, penalty, stop=None, D=None, X=None, B=None, negate=False):
    """The steps of the greedy, section 4; with penalty inf the Valiant and Haussler steps of section 2.

    Of equal values the smaller |R_h| goes first, then the lower line, then the cut that fires most widely.
    """
    P, N = sides(y, kind)
    features = candidates(y, kind, D, X, B, negate)
    if penalty == math.inf:
        features = [h for h in features if not h.fired & P]
        p = Fraction(0)  # R_h is empty for every feature left
    else:
        p = Fraction(penalty).limit_denominator(10**6)
    steps = []
    while stop is None or len(steps) < stop:
        best, chosen = None, None
        for h in features:
            q, r = len(h.fired & N), len(h.fired & P)
            value = q - p * r  # a Fraction
            width = {"ball": -1, "high": -1, "hole": 1, "low": 1}.get(h.sort, 0) * (h.cut or 0)
            rank = (value, -r, -h.line, width)
            if value > 0 and (best is None or rank > best):
                best, chosen = rank, replace(h, q=q, r=r, value=value)
        if chosen is None:
            break
        steps.append(chosen)
        N = N - chosen.fired
        P = P - chosen.fired
    return steps


def predict(steps, kind, D=None, X=None, B=None):
    """The output f(x) of section 2 for rows: the class of N if any feature fires, else the class of P."""
    rows = len(next(array for array in (D, X, B) if array is not None))
    fired = set().union(*(fired_rows(step, rows, D, X, B) for step in steps))
    return np.array([(i in fired) == (kind == "disjunction") for i in range(rows)], dtype=bool)


def bound(m, R, R_plus, k, delta):
    """Both right-hand sides of Theorem 5.2 (section 5), uncapped; (1.0, 1.0) where m <= 2R + k."""
    if m <= 2 * R + k:
        return 1.0, 1.0
    # The last term shares delta out among the sizes m x m x d''. An empty compression set has one size of S': d'' counts as 1.
    union = math.log(m**2 * max(2 * R, 1) / delta)
    binomials = math.comb(m, 2 * R), math.comb(2 * R, R_plus), math.comb(m - 2 * R, k)
    first = -math.expm1(-(sum(math.log(c) for c in binomials) + union) / (m - 2 * R - k))
    terms = (2 * R, m), (R_plus, 2 * R), (k, m - 2 * R)
    second = (sum(a * math.log(math.e * of / a) for a, of in terms if a > 0) + union) / (m - 2 * R - k)
    return first, second


def rebuild(S2, S1, D, y, kind):
    """The reconstruction function in the proof of Theorem 5.2: (centre, sort, radius), by row number.

    Parameters
    ----------
    S2 : rows of the compression set S'', the centres and the P-examples that define the radii.
    S1 : rows of its subset S', the centres that are P-examples.

    Returns the machine's own radii if it is consistent with P. A hole without P-examples in S'' has radius inf.
    """
    P, N = sides(y, kind)
    features = []
    for j in sorted(S2):
        if j in N:
            features.append((j, "hole", min((float(D[i, j]) for i in S2 if i in P), default=math.inf)))
        if j in S1:
            features.append((j, "ball", max(float(D[i, j]) for i in S2 if i in P)))
    return features
