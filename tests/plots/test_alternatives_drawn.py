"""The picture of alternatives, mark by mark against its frames."""

from dataclasses import replace

import numpy as np
import pytest
from looks import find_faults
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import protoclass as pc
from protoclass.plots import analyses as drawing
from protoclass.plots.style import colour, mark
from protoclass.views.analyses import list_alternatives


def axes():
    return Figure(layout="constrained").subplots()


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0, solver="exact")


def list_marks(ax):
    """Marks of Axes, as (x, y, form, colour, whether they are full)."""
    return {
        (round(float(x), 6), round(float(y), 6), line.get_marker(), to_hex(line.get_color()), line.get_markerfacecolor() != "none")
        for line in ax.lines
        if line.get_linestyle() == "None"
        for x, y in zip(*line.get_data(), strict=True)
    }


def expect(fit, own, pairs, swapped=False):
    """The same of frames of `list_alternatives`."""
    out = set()
    for table, name, full in ((own, "cost_without", True), (pairs, "cost", False)):
        for row in table.itertuples():
            k = list(fit.classes).index(row[table.columns.get_loc("class") + 1])
            place = round(float(getattr(row, name)), 6), round(float(row.order), 6)
            out.add((*(place[::-1] if swapped else place), mark(k), to_hex(colour(k)), full))
    return out


def test_marks_are_the_costs_of_its_frames_and_the_dotted_line_is_the_limit(fit):
    result = fit.alternatives(within=0.1)
    own, pairs = list_alternatives(result)
    assert own["cost_without"].tolist() == result.table["cost_without"].tolist()
    assert pairs["cost"].tolist() == [cost for some in result.table["substitutes"] for cost in some.values()]
    assert len(pairs) == len(result.substitutes) > 3
    ax = fit.plot("alternatives", ax=axes(), within=0.1)
    assert list_marks(ax) == expect(fit, own, pairs)
    (limit,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert set(limit.get_xdata()) == {0.1 * result.optimum.most}
    assert [text.get_text() for text in ax.get_yticklabels()] == own["name"].tolist()
    assert own["name"].iloc[0] == f"{result.table.index[0]}, {result.table['verdict'].iloc[0]}"
    assert "10 % above the optimum" in ax.get_xlabel()
    assert find_faults(ax.figure) == []


def test_costs_that_are_not_settled_have_a_line_between_their_bounds(fit):
    result = fit.alternatives(within=0.1)
    table = result.table.copy()
    table["at_least"] = table["cost_without"] - np.where(np.arange(len(table)) == 1, 0.75, 0.0)
    ax = drawing.alternatives(replace(result, table=table), axes())
    (bounds,) = [part.get_segments() for part in ax.collections]
    np.testing.assert_allclose(bounds, [[(table["at_least"].iloc[1], 2), (table["cost_without"].iloc[1], 2)]])


def test_of_many_prototypes_the_order_runs_to_the_right(fit, monkeypatch):
    monkeypatch.setattr(drawing, "NAMED", 3)
    own, pairs = list_alternatives(fit.alternatives(within=0.1))
    ax = fit.plot("alternatives", ax=axes(), within=0.1)
    assert list_marks(ax) == expect(fit, own, pairs, swapped=True)
    assert ax.get_xlabel().startswith("prototype, in the order selected")
