"""Alternatives to the prototypes of USPS: costs, verdicts, substitutes, processor time: python benchmarks/alternatives.py

USPS comes from `fetch_data`. The time is that of the processor, of all threads, as the limit `time_limit=` counts the clock and a
busy machine would change what is settled.
"""

from __future__ import annotations

import argparse
import time

import protoclass as pc


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--eps", type=float, nargs="+", default=[8.06])
    parser.add_argument("--within", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=600.0)
    options = parser.parse_args()
    data = pc.fetch_data("usps")
    train = data[data.split == "train"].drop(columns="split").copy()
    for eps in options.eps:
        for solver in ("exact", "greedy"):
            fit = pc.fit(
                "digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=eps, solver=solver, progress=False
            )
            start = time.process_time()
            result = fit.alternatives(within=options.within, time_limit=options.seconds, progress=False)
            seconds, open_ = time.process_time() - start, int(result.table["open"].sum())
            words = ", ".join(f"{name} {value:g}" for name, value in result.glance().iloc[0].items())
            print(f"eps {eps}, {solver}: {seconds:.1f} s; {words}; {len(result.substitutes)} substitutes, {open_} open", flush=True)


if __name__ == "__main__":
    main()
