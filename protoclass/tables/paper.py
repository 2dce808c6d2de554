"""Tables for a paper of fits, tests and comparisons: estimates with intervals, as text, HTML and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.comparison import Comparison
from ..analysis.evaluation import Test
from ..analysis.groups import TestByGroup
from ..core.statistics.intervals import Estimate
from ..estimation.fitted import Fitted
from ..ground.checks import hint_for_value, whole_number
from ..ground.errors import OptionError, brief, shown
from ..ground.options import fixed, significant
from .evaluation import by_group, estimates_of, lines, measures_of, notes, notes_of_groups, written
from .printing import described, validated

if TYPE_CHECKING:
    from .sheets import PaperTable

MOST_COLUMNS = 8  # columns of prototypes that fit on a page
ABBREVIATED = ("ppv", "npv", "auc", "f1")


def heading(name: str) -> str:
    """A measure or score as the head of a column.

    Examples
    --------
    >>> heading("ppv"), heading("log_loss"), heading("calibration_in_the_large")
    ('PPV', 'Log loss', 'Calibration in the large')
    """
    return name.upper() if name in ABBREVIATED else name.replace("_", " ").capitalize()


def paper_table(frame: pd.DataFrame, title: str, notes: Sequence[str]) -> PaperTable:
    from .sheets import PaperTable  # statsmodels takes 0.4 s that most fits do without

    return PaperTable(frame, title, notes)


def choose_columns(argument: str, given: Any, known: Sequence[str], usual: Sequence[str]) -> list[str]:
    """The names that a user gave, or the usual ones; raises for one that is not known."""
    if given is None:
        return list(usual)
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not len(names) or any(name not in known for name in names):
        hint = hint_for_value(argument, given, tuple(known))
        raise OptionError(f"{argument} must be a list of some of {', '.join(map(shown, known))}, not {brief(given)}{hint and ': '}{hint}")
    return list(names)


def of_test(test: Test, measures: Any = None) -> PaperTable:
    """Table of the test for a paper: measures of each class, as estimate (low to high).

    Parameters
    ----------
    measures : list of str, optional
        Columns of `tidy` that have intervals. Default: sensitivity, specificity, predictive values and, if there are probabilities, the
        AUC.

    Returns
    -------
    PaperTable
        Table that prints itself, with the overall statistics below it. `as_latex(caption, label)` is a LaTeX table with booktabs,
        `as_html()` an HTML table, and `frame` the DataFrame of its texts, also for great_tables.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
    >>> found.as_table(["sensitivity"]).frame.iloc[1].to_dict()
    {'Rows': '36', 'Sensitivity': '0.861 (0.713 to 0.939)'}
    """
    table = estimates_of(test)
    usual = [name for name in ("sensitivity", "specificity", "ppv", "npv", "auc") if name in table]
    table = table[choose_columns("measures", measures, list(table), usual)].rename(columns=heading)
    table.insert(0, "Weight" if test.weighted else "Rows", [f"{n:g}" for n in test.confusion.sum(axis=1)])
    return paper_table(table.rename_axis("Class"), "Test on new rows: estimates (95 % CI)", [*lines(test), *notes(test)])


def of_groups(result: TestByGroup, measures: Any = None, of: Any = None) -> PaperTable:
    """Table of the groups for a paper: measures of each group and of all rows, as estimate (low to high).

    With two groups it also has their difference.

    Parameters
    ----------
    measures : list of str, optional
        Measures of `differences`. Default: all available.
    of : class, optional
        Class of the measures. Default: the attribute `of`.

    Returns
    -------
    PaperTable
        The table, as from `Test.as_table`.
    """
    names = choose_columns("measures", measures, measures_of(result, every=True), measures_of(result, every=of is not None))
    table = by_group(result, names, of)
    table.insert(0, "rows", [str(t.n) for t in (*result.groups.values(), result.overall)])
    if len(result.groups) == 2:
        pairs = {m: result.differences(m, of).iloc[0] for m in names}
        table.loc["difference"] = {m: written(Estimate(*pair[["difference", "low", "high"]])) for m, pair in pairs.items()}
        table.loc["p"] = {m: significant(pair["p"], 3) if pair["p"] == pair["p"] else "" for m, pair in pairs.items()}
    table, of = table.fillna("").rename(columns=heading), result.of if of is None else of
    said = [f"Class {shown(of)}."] if of is not None and names != ["error"] else []
    said += [f"Decision: {result.overall.decided}."] if result.overall.decided else []
    title = f"Test by {result.by}: estimates (95 % CI)"
    said += ["Difference: the first group minus the second; each measure is tested separately."] if len(result.groups) == 2 else []
    return paper_table(table, title, [*said, *notes_of_groups(result), *notes(result.overall)])


def of_comparison(result: Comparison, reference: str | None = None) -> PaperTable:
    """Table of the comparison for a paper: error and scores of each method, and difference from a reference method.

    Parameters
    ----------
    reference : str, optional
        Reference method. Default: the first one.

    Returns
    -------
    PaperTable
        The table, as from `Test.as_table`. Errors and differences of errors are estimate (low to high), scores mean (standard error).

    Examples
    --------
    >>> import protoclass as pc
    >>> c = pc.compare("species ~ .", pc.load_data("iris"), [pc.KNN(k=1), pc.KNN(k=15)], test_size=0.4)
    >>> c.as_table().frame.iloc[1].to_dict()
    {'Error': '0.033 (0.009 to 0.114)', 'Prototypes': '90', 'Difference': '0.017 (-0.038 to 0.071)', 'p (Holm)': '1'}
    """
    first = choose_columns("reference", reference, result.methods, result.methods[:1])[0]
    table, tests = result.table, result.tests
    out = pd.DataFrame({"Error": _estimates(table, "error")}, table.index)
    for score in (name for name in ("loss", "brier", "log_loss", "auc") if name in table):
        pairs = zip(table[score], table[f"{score}_se"], strict=True)
        out[heading(score)] = ["" if v != v else f"{fixed(v, 3)}{f' ({fixed(se, 3)})' if se == se else ''}" for v, se in pairs]
    if table["prototypes"].notna().any():
        out["Prototypes"] = ["" if n != n else significant(n) for n in table["prototypes"].astype(float)]
    said = [f"{result.how[0].upper()}{result.how[1:]}.", "Errors with 95 % CI; scores with standard errors."]
    if len(out) > 1:
        pairs = tests[(tests["a"] == first) | (tests["b"] == first)]
        flip = np.where(pairs["a"] == first, -1.0, 1.0)
        ends = np.sort(pairs[["low", "high"]].to_numpy() * flip[:, None], axis=1)
        other = pd.DataFrame({"error": pairs["difference"] * flip + 0.0, "low": ends[:, 0], "high": ends[:, 1]})
        other = other.set_axis(np.where(pairs["a"] == first, pairs["b"], pairs["a"]))
        p = pd.Series([significant(v, 3) for v in pairs["p_holm"]], other.index)
        out["Difference"] = pd.Series(_estimates(other, "error"), other.index).reindex(out.index).fillna("reference")
        out["p (Holm)"] = p.reindex(out.index).fillna("")
        how = f"p by {', '.join(dict.fromkeys(pairs['test']))}, with Holm's correction for all pairs"
        said.append(f"Difference: error minus the error of {first} (95 % CI); {how}.")
    return paper_table(out.rename_axis("Method"), "Comparison of methods", said)


def _estimates(table: pd.DataFrame, name: str) -> list[str]:
    return [written(Estimate(*row)) for row in table[[name, "low", "high"]].to_numpy(float)]


def of_fit(fit: Fitted, n: int | None = None, columns: Any = None) -> PaperTable:
    """Table of the prototypes for a paper: their class, the columns of the method, and their values.

    Parameters
    ----------
    n : int, optional
        Number of prototypes, in the order of selection. Default: all.
    columns : list of str, optional
        Columns of `prototypes`. Default: the first eight, without `true_class` if each prototype represents its own class.

    Returns
    -------
    PaperTable
        The table, as from `Test.as_table`.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.as_table(n=1, columns=["class", "newly_covered", "petal_width"]).frame.to_dict("index")
    {'7': {'class': 'setosa', 'newly_covered': '39', 'petal_width': '0.2'}}
    """
    found = fit.prototypes
    same = "true_class" in found and (found["true_class"].astype(object) == found["class"].astype(object)).all()
    usual = [name for name in found if not (same and name == "true_class")]
    names = choose_columns("columns", columns, list(found), usual[:MOST_COLUMNS])
    if n is not None:
        whole_number("n", n, 1)
    table = found[names].iloc[:n]
    said = [f"{fit.model.title}; {described(fit)}."]
    known = fit.curve is not None and fit.selection.point is not None
    said += [f"{name}: {words}." for name, words in validated(fit).items()] if known else []
    said += [f"The first {len(table)} of {len(found)} prototypes."] if len(table) < len(found) else []
    left = [str(name) for name in usual if name not in names]
    said += [f"Not shown: {', '.join(left)}."] if left else []
    return paper_table(table.rename_axis("Prototype"), f"Prototypes of {fit.frame.formula.response}", said)
