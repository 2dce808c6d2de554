"""All tables and figures of the papers, each by a process of its own: python benchmarks/papers/run.py (or make papers)

Writes what each script finds beside it, and RESULTS.md: which item of which paper is reproduced by which script and how
close, and then all reports. With --only NAME ... just these scripts run, and RESULTS.md is put together again.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from common import HEAD, HERE, PAPERS, table

SCRIPTS = sorted(p.stem for p in HERE.glob("*_*.py"))


def items(body: str) -> list[tuple[str, str]]:
    """(item, how close) of a written report: the rows of its first table."""
    lines = iter(body.splitlines())
    for line in lines:
        if line == f"| {HEAD[0]} | {HEAD[1]} |":
            break
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
    return [(item, told) for item, told in rows if item != "---"]


def written_on(body: str) -> str:
    """When a written report was made."""
    made = re.search(r"^`python benchmarks/papers/.*`, (\d{4}-\d\d-\d\d.*?), \d+ s on ", body, re.MULTILINE)
    if made is None:
        raise ValueError(f"the report {body.splitlines()[0]!r} does not say which command made it, and when")
    return made[1]


def collected() -> str:
    """RESULTS.md, from the reports that are written."""
    contents, reports = [], []
    for script in SCRIPTS:
        path = HERE / f"{script}.md"
        if not path.exists():
            continue
        body = path.read_text()
        title = body.splitlines()[0].removeprefix("# ")
        command = f"[`python benchmarks/papers/{script}.py`](#{anchor(title)})"
        contents += [(item, command, told, written_on(body)) for item, told in items(body)]
        reports.append(re.sub(r"^#", "##", body, flags=re.MULTILINE))
    papers = "\n".join(f"* {short}: {name}." for short, name in PAPERS.items())
    return "\n".join([
        "# The papers, reproduced\n",
        "Written by `make papers` (`python benchmarks/papers/run.py`); one table or figure by `python benchmarks/papers/NAME.py`.",
        "Sets that are not fetched from OpenML are read from the folder that the environment variable PROTOCLASS_DATA names; where",
        "one is missing the command says what to download. Differences are ours minus the paper's. How close an item is, is said first by",
        "the paper's own rule; what another choice gives stands second, and says so.\n",
        papers, "",
        table(("item", "command", "how close", "run on"), sorted(contents)), "",
        "\n".join(reports),
    ])  # fmt: skip


def anchor(title: str) -> str:
    """Where a heading of markdown is found."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "--only", nargs="*", choices=SCRIPTS, help="run these scripts; without a name none", default=SCRIPTS
    )
    failed = []
    for script in parser.parse_args().only:
        print(f"== {script}", flush=True)
        if subprocess.run([sys.executable, str(Path(HERE) / f"{script}.py"), "--write"]).returncode:
            failed.append(script)
    (HERE / "RESULTS.md").write_text(collected())
    if failed:
        raise SystemExit(f"failed, so that RESULTS.md has what they wrote before: {', '.join(failed)}")


if __name__ == "__main__":
    main()
