"""Saved fits in which one number is changed: `python tests/verifier/mutants.py 1000` says how many the verifier rejects.

The sums are put right afterwards, as a forger does. A number is one of an array or of the JSON. It is made a little or
much larger or smaller, or another class, or another row. A change of what claims are recomputed from is accepted only for a reason. With a
third argument `plain`, after the seed, the sums are left as they were, and every change must be rejected.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import protoclass as pc

sys.path.insert(0, str(Path(__file__).parents[1]))
from saving.damage import at, places, put_together, take_apart

from verifier.battery import FITS, SLIM

# Fields that claims are recomputed from: of these a change is rejected, unless no claim becomes another by it
DATA = ("Frame.columns", "Frame.response", "Frame.weights", "Dissimilarity.rows", "Dissimilarity.candidates")
METRIC = ("TrainedMinkowski.spread", "TrainedMinkowski.factor", "TrainedGower.ranges", "TrainedGower.weights")
RULE = ("Points.", "Objective.", "Certificate.objective", "Certificate.bound", "Certificate.prices", "Greedy.classes", "Greedy.fallback",
        "Greedy.report.radius eps", "Greedy.report.cost lambda", "Nearest.classes", "Nearest.fallback")  # fmt: skip
WITHOUT_CONSEQUENCE = {
    "Certificate.prices": "the changed prices are feasible too, and prove the same bound after rounding to possible objectives",
    "Certificate.bound": "claimed by branch and bound, which the verifier lists as stated",
    "Points.at": "a ball around another row that covers the same rows: each claim is true of it too",
}


def numbers(content: dict, arrays: dict[str, bytes]) -> Iterator[tuple[str, object, int]]:
    """Each number of a file: what it is of, where it stands, and its place there (-1 in JSON)."""
    seen, claimed = set(), used_by(content, content["root"])
    for k, (kind, fields) in enumerate(content["objects"]):
        kind = kind if k in claimed else f"rules of a calibration: {kind}"
        for name, value in fields.items():
            for label, path in inside(value, f"{kind}.{name}", ("objects", k, 1, name)):
                found = at(content, path)
                if path[-1] == "array":
                    entry = f"arrays/{found}.npy"
                    a = np.load(io.BytesIO(arrays[entry]))
                    if a.dtype.kind in "biuf" and entry not in seen:
                        seen.add(entry)
                        yield from ((label, entry, i) for i in range(a.size))
                elif path[-1] != "object":
                    yield label, path, -1


def used_by(content: dict, k: int) -> set[int]:
    """The objects that the k-th is made of, but for the rules of a calibration."""
    kind, fields = content["objects"][k]
    found = [path for name, one in fields.items() if (kind, name) != ("Calibration", "rules") for path in places(one, (name,))]
    return {k}.union(*(used_by(content, at(fields, path)) for path in found if path[-1] == "object"))


def inside(value: object, label: str, path: tuple) -> Iterator[tuple[str, tuple]]:
    """Where numbers stand inside a piece of JSON, with the names that lead there."""
    if type(value) in (int, float):
        yield label, path
    elif isinstance(value, dict) and set(value) == {"mapping"}:
        for i, (name, one) in enumerate(value["mapping"]):
            yield from inside(one, f"{label}.{name}", (*path, "mapping", i, 1))
    elif isinstance(value, dict) and set(value) == {"table"}:
        for i, one in enumerate(value["table"][2]):
            yield from inside(one, f"{label}.columns", (*path, "table", 2, i))
        yield from inside(value["table"][0], f"{label}.rows", (*path, "table", 0))
    elif isinstance(value, (list, dict)):
        for key, one in list(enumerate(value) if isinstance(value, list) else value.items()):
            yield from inside(one, label, (*path, key))


def range_of(content: dict, place: tuple) -> list | None:
    if "range" not in place:
        return None
    ends = at(content, place[: place.index("range") + 1])
    return list(range(*ends)) if ends[2] else []


def other(old: float, whole: bool, draw: np.random.Generator) -> float:
    if whole:
        return int(old) + int(draw.choice([-1, 1, 2]))
    return float([old * 1.01 + 0.01, old - 0.5, old * 10 + 1, -old - 1][draw.integers(4)])


def mutants(data: bytes, count: int, draw: np.random.Generator, seal: bool = True) -> Iterator[tuple[str, str, bytes]]:
    """Changed files: what was changed, from what to what, and the file. Kinds of numbers are drawn first, then one of them."""
    _, content, arrays = take_apart(data)
    kinds: dict[str, list] = {}
    for label, place, i in numbers(content, arrays):
        kinds.setdefault(label, []).append((place, i))
    labels = sorted(kinds)
    for _ in range(count):
        label = labels[draw.integers(len(labels))]
        place, i = kinds[label][draw.integers(len(kinds[label]))]
        head, content, arrays = take_apart(data)
        if i < 0:
            old = at(content, place)
            new = other(old, type(old) is int, draw)
            before = range_of(content, place)
            at(content, place[:-1])[place[-1]] = new
            if before is not None and before == range_of(content, place):
                continue  # the same labels
        else:
            a = np.load(io.BytesIO(arrays[place]))
            flat = a.reshape(-1).copy()
            old = flat[i]
            new = not old if a.dtype.kind == "b" else other(old, a.dtype.kind in "iu", draw)
            flat[i] = new
            out = io.BytesIO()
            np.save(out, flat.reshape(a.shape))
            arrays[place] = out.getvalue()
        yield label, f"{old} -> {new} at {place} {i}", put_together((head, content, arrays), seal)


def why_accepted(label: str, held: set[str]) -> str | None:
    if "dissimilarity" not in held and label.startswith(METRIC):
        return "the metric is as stated"
    recomputed = (*DATA, *METRIC, *(RULE if "objective" in held else ())) if held else ()
    if not label.startswith(recomputed):
        return "as stated"
    return next((reason for name, reason in WITHOUT_CONSEQUENCE.items() if label.startswith(name)), None)


def run(names: list[str], count: int, seed: int = 0, seal: bool = True) -> tuple[Counter, list[str]]:
    """How many changes were rejected, or accepted for a reason, and those that were accepted without; `seal` puts the sums right."""
    counts: Counter = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for k, name in enumerate(names):
            path, draw = Path(folder) / "fit.proto", np.random.default_rng([seed, k])
            fit, table, *more = (FITS | SLIM)[name]()
            data = fit.save(path, overwrite=True).path.read_bytes()
            before = pc.verify(path, table, *more)
            assert not before.false, before
            held = {c.about for c in before.claims if c.holds}
            for label, change, changed in mutants(data, count // len(names) + (k < count % len(names)), draw, seal):
                path.write_bytes(changed)
                after = pc.verify(path, table, *more)
                if after.false or held - {c.about for c in after.claims if c.holds}:
                    counts["rejected"] += 1
                elif seal and why_accepted(label, held):
                    counts[f"accepted: {why_accepted(label, held)}"] += 1
                else:
                    counts["accepted without a reason"] += 1
                    faults.append(f"{name}: {label}: {change}")
    return counts, faults


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    counts, faults = run([*FITS, *SLIM], count, int(sys.argv[2]) if len(sys.argv) > 2 else 0, "plain" not in sys.argv)
    for what, n in counts.most_common():
        print(f"{n:6} {what}")
    print(*faults, sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
