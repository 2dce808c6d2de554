"""Print, HTML, summary and tables for papers of tests and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.comparison import Comparison
from ..analysis.evaluation import IN_THE_LARGE, TestResult
from ..analysis.groups import MEASURES, TestByGroup
from ..core.statistics.intervals import Estimate
from ..ground.checks import hint_for_value
from ..ground.errors import OptionError, brief, first_of, shown, visible
from ..ground.options import SAME, fixed, significant
from ..ground.text import list_short
from ..values import NUMBERS, PAIRS

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from .sheets import PaperTable


WIDEST = 20  # letters of a class above a column
DECISIONS = (0.1, 0.2, 0.3, 0.5)  # thresholds of the net benefit in a summary
PRINTED = ["sensitivity", "specificity", "ppv", "npv", "f1", "prevalence", "auc"]  # by class
NAMES = {
    "accuracy": "Accuracy", "balanced_accuracy": "Balanced accuracy", "kappa": "kappa",
    "auc": "AUC", "brier": "Brier score", "log_loss": "Log loss", "loss": "Mean loss",
    "loss_no_information": "No-information loss",
    "decision_loss": "Mean loss of minimum-expected-loss decisions", **MEASURES, "f1": "F1",
    "prevalence": "prevalence", "detection_prevalence": "detection prevalence",
}  # fmt: skip


def written(estimate: Estimate) -> str:
    """A number with its interval."""
    ends = (
        f" ({fixed(estimate.low, 3)} to {fixed(estimate.high, 3)})"
        if estimate.low == estimate.low
        else ""
    )
    return f"{fixed(estimate.value, 3)}{ends}" if estimate.value == estimate.value else "not known"


def counted(test: TestResult) -> str:
    """How many rows are misclassified: each row counts once, which the error of weighted rows does not."""
    return (
        f"{test.wrong} of {test.n} rows misclassified{' (not weighted)' if test._weighted else ''}"
    )


def error_of(test: TestResult) -> str:
    """The error with its interval."""
    return (
        f"{test._error_name} {fixed(test.error)} (95 % CI {fixed(test.low)} to {fixed(test.high)})"
    )


def lines(test: TestResult) -> list[str]:
    """The first lines of print."""
    excluded = (
        f"; {test.left_out} rows excluded without a class or a prediction" if test.left_out else ""
    )
    parts = {name: f"{NAMES[name]} {written(e)}" for name, e in test._estimates.items()}
    parts |= {name: f"{NAMES[name]} {significant(mean)}" for name, (mean, _) in test._means.items()}
    kinds = (
        ("loss", "loss_no_information", "decision_loss"),
        ("balanced_accuracy", "kappa"),
        ("auc", "brier", "log_loss"),
    )
    loss, *others = ("; ".join(parts[name] for name in names if name in parts) for names in kinds)
    p_value = "< 0.001" if test.p_value < 0.001 else significant(test.p_value, 3)
    clusters = (
        ""
        if test.clusters is None
        else f"Intervals and test are cluster-robust for {test.clusters} groups of rows"
    )
    out = [
        *warned(test),
        loss,
        f"{error_of(test)}, {counted(test)}{excluded}",
        f"No-information error {fixed(test.no_information)} ({test.against})",
        f"p-value {p_value} ({test.p_value_method})",
        clusters,
        f"Decision: {test.decided}" if test.decided else "",
        *others,
        *undecided(test),
    ]
    if test.judged.prevalence is not None:
        named = [
            f"{visible(str(c))} {fixed(p, 3)}"
            for c, p in zip(test.classes, test.judged.prevalence, strict=True)
        ]
        out.append(
            f"The probabilities are for the prevalence of the calibration rows: {first_of(named)}"
        )
    return [line for line in out if line]


def undecided(test: TestResult) -> list[str]:
    """A note that error and sensitivities ignore the losses; for two classes with the threshold
    that decides by them.
    """
    if test.losses is None or test.decided:
        return []
    two = len(test.classes) == 2
    names = "sensitivity and specificity" if two else "sensitivities and specificities"
    line = f"Error, {names} are for predict(new), which does not use the loss"
    if len(test.classes) > 2 or "decision_loss" not in test._means:
        return [line]
    threshold = test.losses[0, 1] / test.losses.sum()  # rows: true classes; the diagonal is 0
    return [
        f"{line}; use threshold={{{shown(test.classes[1])}: {threshold:.4g}}} for decisions by loss"
    ]


def warned(test: TestResult) -> list[str]:
    """Warning if always predicting one class is as good: in the loss, or in the error with a
    balanced accuracy of chance.
    """
    if test.losses is None:
        chance = 1 / np.count_nonzero(test._counts.weight.sum(axis=1))
        informed = not test.wrong or bool(test._estimates["balanced_accuracy"].low > chance)
        measure, error, none, baseline, decided = (
            "error",
            test.error,
            test.no_information,
            test.against,
            np.inf,
        )
    else:
        loss, informed = {name: mean for name, (mean, _) in test._means.items()}, False
        baseline, decided = f"always {shown(test.cheapest)}", loss.get("decision_loss", np.inf)
        measure, error, none = "mean loss", loss["loss"], loss["loss_no_information"]
    if informed or error < none - SAME:
        return []
    cure = f"; predict(new, loss=) has {measure} {fixed(decided)}" if decided < none else ""
    return [
        f"Warning: {measure} {fixed(error)} is not below the no-information {measure} {fixed(none)} ({baseline}){cure}"
    ]


def by_class(test: TestResult) -> pd.DataFrame:
    """The measures of each class in print; of two classes those of the second, as the first mirrors them."""
    table, both = test.tidy().set_index("class"), len(test.classes) == 2
    out = table[
        [name for name in PRINTED if name in table and not (both and name == "auc")]
    ].set_axis(test.confusion.index)
    return out.iloc[-1 if both else 0 :].rename_axis(index=None, columns="by class")


def confusion(test: TestResult) -> pd.DataFrame:
    """The confusion table in print: long names are complete in the rows and shortened in the columns."""
    columns = test.confusion.columns
    if max(len(str(level)) for level in columns) <= WIDEST:
        return test.confusion
    return test.confusion.set_axis(pd.Index(list_short(columns, WIDEST), name=columns.name), axis=1)


def said(test: TestResult) -> tuple[str, list[Any]]:
    """`print(test)`."""
    return "\n".join(lines(test)), [
        (confusion(test), {}),
        (by_class(test), {"float_format": partial(fixed, usual=3), "na_rep": ""}),
    ]


def summary(test: TestResult) -> Summary:
    """Summary of a test: all statistics with their intervals, overall and per class, and notes."""
    # statsmodels takes 0.4 s that most tests do without
    from .sheets import Sheet, SheetSummary, sheet_of

    classes = [str(level) for level in test.classes]
    counts = [[f"{v:g}" for v in row] for row in test.confusion.to_numpy()]
    what = "Weight of rows" if test._weighted else "Rows"
    names = {**NAMES, "balanced_accuracy": "balanced accuracy"}
    by_class = estimates_of(test).rename(columns=names)
    half = (by_class.shape[1] + 1) // 2
    tables = {
        "By class, each versus the others (95 % CI)": by_class.iloc[:, :half],
        "By class (95 % CI), continued": by_class.iloc[:, half:],
        **tables_of_probabilities(test),
    }
    across = f"{what} by true class (down) and predicted class (across)"
    sheets = [
        Sheet(statistics_of(test), "Test on new rows (95 % CI)", aligns="ll"),
        Sheet(counts, across, classes, classes),
        *(sheet_of(table, title) for title, table in tables.items()),
    ]
    return SheetSummary(sheets, notes(test))


def statistics_of(test: TestResult) -> list[list[str]]:
    """The statistics of all rows, each with its name."""
    error = f"{fixed(test.error)} ({fixed(test.low)} to {fixed(test.high)}), {counted(test)}"
    rows = [
        *(line.split(": ", 1) for line in warned(test)),
        [test._error_name, error],
        ["No-information error", f"{fixed(test.no_information)} ({test.against})"],
        ["p-value", f"{significant(test.p_value, 3)} ({test.p_value_method})"],
    ]
    if test.clusters is not None:
        rows += [["Groups of rows", f"{test.clusters}; intervals and test are cluster-robust"]]
    if test.decided:
        rows += [["Decision", test.decided]]
    for name, estimate in test._estimates.items():
        rows += [[NAMES[name][0].upper() + NAMES[name][1:], written(estimate)]]
    for name, (mean, se) in test._means.items():
        error = f" (SE {significant(se, 2)})" if se == se else ""
        rows += [[NAMES[name], f"{significant(mean)}{error}"]]
    return rows


def tables_of_probabilities(test: TestResult) -> dict[str, pd.DataFrame]:
    """Calibration by class and, for two classes, net benefits, by title; none without them."""
    if test.judged.probabilities is None or (test._counts.weight.sum(axis=1) > 0).sum() < 2:
        return {}
    line = test.calibration_line().set_index("class").dropna()
    cells = {name: _estimates(line, name, f"{name}_") for name in ("intercept", "slope")}
    tables = (
        {"Calibration by class (95 % CI)": pd.DataFrame(cells, line.index)} if len(line) else {}
    )
    if len(test.classes) > 2:
        return tables
    by_loss = [] if test.losses is None else [test.losses[0, 1] / test.losses.sum()]
    curve = test.decision_curve(test.classes[1], sorted({*DECISIONS, *by_loss}))
    columns = {
        "net benefit": _estimates(curve, "net_benefit"),
        "of all": curve["net_benefit_all"],
        "lift": curve["lift"],
    }
    table = pd.DataFrame(columns).set_axis(curve["threshold"].map("{:.3g}".format))
    return {**tables, f"Predicting {test.classes[1]} above a threshold (95 % CI)": table}


def estimates_of(test: TestResult) -> pd.DataFrame:
    """The measures of `TestResult.tidy` that have intervals, as text: a row for each class."""
    table = test.tidy()
    names = [c.removesuffix("_low") for c in table if c.endswith("_low")]
    cells = {name: _estimates(table, name, f"{name}_") for name in names}
    return pd.DataFrame(cells, [str(level) for level in test.classes])


def notes(test: TestResult) -> list[str]:
    """Notes for the reader."""
    out = [
        "Intervals: Wilson for proportions; F1 by transforming a Wilson interval; balanced "
        "accuracy by Newcombe's square-and-add "
        "of Wilson intervals; kappa by the delta method (Fleiss, Cohen and Everitt 1969) on Wilson's scale"
        + (
            "; AUC by Wilson's with DeLong's variance, for several classes each versus the rest."
            if "auc" in test._estimates
            else "."
        )
    ]
    out += [f"{line}." for line in undecided(test)]
    classes, weight = pd.Index(map(str, test.classes)), test._counts.weight
    absent, never = (", ".join(classes[weight.sum(axis=axis) == 0]) for axis in (1, 0))
    if absent:
        out.append(
            f"No row is of class {absent}: its sensitivity is unknown, and means over classes "
            "exclude it."
        )
    if never:
        out.append(f"No row is predicted as {never}.")
    if "log_loss" in test._means and test._means["log_loss"][0] == np.inf:
        none = (test._probabilities[np.arange(test.n), test.judged.y] == 0) & (test.judged.w > 0)
        out.append(
            f"The log loss is infinite: {int(none.sum())} of {test.n} rows have probability 0 for their class."
        )
    if test.judged.probabilities is not None and test.judged.p_values is None:
        out.append(
            "The probabilities are the method's own and not calibrated: fit.calibrate().test(new) "
            "tests calibrated ones."
        )
    if "auc" in test._estimates:
        areas = [area.estimate for area in (*test._areas[0], test._areas[1])]
        if any(e.low != e.low and e.value == e.value for e in areas):
            out.append(
                "An AUC has no interval if its variance is 0, as with equal probabilities for all "
                "rows, or if a class has one row or group."
            )
    return out


# by print of groups
SHOWN = [
    "n",
    "error",
    "low",
    "high",
    "balanced_accuracy",
    "kappa",
    "auc",
    "brier",
    "log_loss",
    "loss",
]


def measures_of(result: TestByGroup, every: bool = False) -> list[str]:
    """The measures that are known for the groups; with `every` also the measures that need a named class."""
    known = MEASURES if result.of is not None or every else ["error"]
    return [
        m for m in known if m != IN_THE_LARGE or result.overall.judged.probabilities is not None
    ]


def by_group(result: TestByGroup, measures: list[str], of: Any = None) -> pd.DataFrame:
    """Measures with their intervals, as text: a row for each group, and one for all rows."""
    tests = {str(label): t for label, t in result.groups.items()} | {"all rows": result.overall}
    codes = {m: result._class_code(m, of) for m in measures}
    cells = [[written(t._estimate(m, c)) for m, c in codes.items()] for t in tests.values()]
    return pd.DataFrame(cells, pd.Index(tests, name=result.by), measures)


def groups_said(result: TestByGroup) -> tuple[str, list[Any]]:
    """`print` of a test by groups."""
    overall, measures = result.overall, measures_of(result)
    head = f"{error_of(overall)}; by {visible(str(result.by))}"
    notes = {
        f"{result.left_out} rows in no group": result.left_out,
        f"{overall.left_out} rows excluded without a class or a prediction": overall.left_out,
        f"no rows of {', '.join(map(shown, result.without_rows))}": result.without_rows,
    }
    table = result.glance().set_index("group")
    tables = [(table[[name for name in SHOWN if name in table]].rename_axis(None), NUMBERS)]
    words = [
        "; ".join([head, *(note for note, found in notes.items() if found)]),
        *([f"Decision: {overall.decided}"] if overall.decided else []),
    ]
    if len(measures) > 1:
        of_class = by_group(result, measures[1:]).rename(columns=NAMES)
        tables.append(
            (of_class.rename_axis(index=None, columns=f"of {visible(str(result.of))}"), {})
        )
        words.append(
            f"Tables: errors by group; estimates for class {shown(result.of)} (95 % CI); tests of "
            "the errors, pair by pair"
        )
    return "\n".join(words), [*tables, (result.comparisons, PAIRS)]


def summary_of_groups(result: TestByGroup) -> Summary:
    """Summary of a test by groups: all measures with their intervals, and their differences with Holm's correction."""
    from .sheets import Sheet, SheetSummary, sheet_of  # see `summary`

    measures, overall = measures_of(result), result.overall
    of_all = [["Decision", overall.decided]] if overall.decided else []
    of_all += [["Class of the measures", str(result.of)]] if len(measures) > 1 else []
    parts = [Sheet([["Rows", str(overall.n)], *of_all], f"Test by {result.by}", aligns="ll")]
    counts = pd.DataFrame(
        {"rows": [str(t.n) for t in (*result.groups.values(), overall)]},
        [*map(str, result.groups), "all rows"],
    )
    for names in filter(None, (measures[:3], measures[3:])):
        estimates = by_group(result, names).rename(columns=NAMES)
        parts.append(sheet_of(counts.join(estimates), "Estimates (95 % CI)"))
    parts += [sheet_of(differences(result, m), f"Differences of {NAMES[m]}") for m in measures]
    return SheetSummary(parts, [DIFFERENCES, *notes_of_groups(result), *notes(overall)])


def differences(result: TestByGroup, measure: str, of: Any = None) -> pd.DataFrame:
    """`TestByGroup.differences`, as text."""
    out = result.differences(measure, of)
    p = out[["p", "p_holm"]].map(lambda v: "" if v != v else significant(v, 3))
    out = out.assign(difference=_estimates(out, "difference"), p=p["p"], p_holm=p["p_holm"])
    out = out.rename(columns={"p_holm": "p (Holm)"}).set_axis(out["a"] + " - " + out["b"])
    return out[["difference", "test", "p", "p (Holm)"]]


DIFFERENCES = (
    "Differences: Newcombe's square-and-add intervals; p (Holm) adjusts for the pairs "
    "of a measure, not for several measures."
)


def notes_of_groups(result: TestByGroup) -> list[str]:
    """The definition of calibration in the large."""
    known = result.overall.judged.probabilities is not None and result.of is not None
    return [
        "Calibration in the large: observed proportion of the class minus its mean probability; 0 if calibrated."
    ] * known


ABBREVIATED = ("ppv", "npv", "auc", "f1")


def heading(name: str) -> str:
    """A measure or score as the head of a column.

    Examples
    --------
    >>> heading("ppv"), heading("log_loss"), heading("calibration_in_the_large")
    ('PPV', 'Log loss', 'Calibration in the large')
    """
    return name.upper() if name in ABBREVIATED else name.replace("_", " ").capitalize()


def choose_columns(
    argument: str, given: Any, known: Sequence[str], usual: Sequence[str]
) -> list[str]:
    """The names that a user gave, or the usual ones; raises for one that is not known."""
    if given is None:
        return list(usual)
    names = [given] if isinstance(given, str) else given
    if (
        not isinstance(names, Sequence)
        or not len(names)
        or any(name not in known for name in names)
    ):
        hint = hint_for_value(argument, given, tuple(known))
        raise OptionError(
            f"{argument} must be a list of some of {', '.join(map(shown, known))}, not "
            f"{brief(given)}{hint and ': '}{hint}"
        )
    return list(names)


def of_test(test: TestResult, measures: Any = None) -> PaperTable:
    """Table of the test for a paper: measures of each class, as estimate (low to high).

    Parameters
    ----------
    measures : list of str, optional
        Columns of `tidy` that have intervals. Default: sensitivity, specificity, predictive values
        and, if there are probabilities, the AUC.

    Returns
    -------
    PaperTable
        Table that prints itself, with the overall statistics below it. `as_latex(caption, label)`
        is a LaTeX table with booktabs, `as_html()` an HTML table, and `frame` the DataFrame of its
        texts, also for great_tables.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
    >>> found.as_table(["sensitivity"]).frame.iloc[1].to_dict()
    {'Rows': '36', 'Sensitivity': '0.861 (0.713 to 0.939)'}
    """
    from .sheets import PaperTable  # see `summary`

    table = estimates_of(test)
    usual = [name for name in ("sensitivity", "specificity", "ppv", "npv", "auc") if name in table]
    table = table[choose_columns("measures", measures, list(table), usual)].rename(columns=heading)
    table.insert(
        0, "Weight" if test._weighted else "Rows", [f"{n:g}" for n in test.confusion.sum(axis=1)]
    )
    return PaperTable(
        table.rename_axis("Class"),
        "Test on new rows: estimates (95 % CI)",
        [*lines(test), *notes(test)],
    )


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
        The table, as from `TestResult.as_table`.
    """
    from .sheets import PaperTable  # see `summary`

    names = choose_columns(
        "measures",
        measures,
        measures_of(result, every=True),
        measures_of(result, every=of is not None),
    )
    table = by_group(result, names, of)
    table.insert(0, "rows", [str(t.n) for t in (*result.groups.values(), result.overall)])
    if len(result.groups) == 2:
        for row in ("difference", "p"):
            table.loc[row] = {m: differences(result, m, of)[row].iloc[0] for m in names}
    table, of = table.fillna("").rename(columns=heading), result.of if of is None else of
    remarks = [f"Class {shown(of)}."] if of is not None and names != ["error"] else []
    remarks += [f"Decision: {result.overall.decided}."] if result.overall.decided else []
    title = f"Test by {result.by}: estimates (95 % CI)"
    remarks += (
        ["Difference: the first group minus the second; each measure is tested separately."]
        if len(result.groups) == 2
        else []
    )
    return PaperTable(table, title, [*remarks, *notes_of_groups(result), *notes(result.overall)])


def of_comparison(result: Comparison, reference: str | None = None) -> PaperTable:
    """Table of the comparison for a paper: error and scores of each method, and difference from a reference method.

    Parameters
    ----------
    reference : str, optional
        Reference method. Default: the first one.

    Returns
    -------
    PaperTable
        The table, as from `TestResult.as_table`. Errors and differences of errors are estimate (low
        to high), scores mean (standard error).

    Examples
    --------
    >>> import protoclass as pc
    >>> c = pc.compare("species ~ .", pc.load_data("iris"), [pc.KNN(k=1), pc.KNN(k=15)], test_size=0.4)
    >>> c.as_table().frame.iloc[1].to_dict()
    {'Error': '0.033 (0.009 to 0.114)', 'Prototypes': '90', 'Difference': '0.017 (-0.038 to 0.071)', 'p (Holm)': '1'}
    """
    from .sheets import PaperTable  # see `summary`

    first = choose_columns(
        "reference", reference, result.methods, [result.reference or result.methods[0]]
    )[0]
    table = result.table
    out = pd.DataFrame({"Error": _estimates(table, "error")}, table.index)
    for score in (name for name in ("loss", "brier", "log_loss", "auc") if name in table):
        pairs = zip(table[score], table[f"{score}_se"], strict=True)
        out[heading(score)] = [
            "" if v != v else f"{fixed(v, 3)}{f' ({fixed(se, 3)})' if se == se else ''}"
            for v, se in pairs
        ]
    if table["prototypes"].notna().any():
        out["Prototypes"] = [
            "" if n != n else significant(n) for n in table["prototypes"].astype(float)
        ]
    remarks = [
        f"{result.how[0].upper()}{result.how[1:]}.",
        "Errors with 95 % CI; scores with standard errors.",
    ]
    if len(out) > 1:
        pairs = result.tests[(result.tests[["a", "b"]] == first).any(axis=1)]
        out = out.join(differences_from(pairs, first))
        out = out.fillna({"Difference": "reference", "p (Holm)": ""})
        how = ", ".join(dict.fromkeys(pairs["test"]))
        remarks.append(
            f"Difference: error minus the error of {first} (95 % CI); p by {how}, with Holm's "
            "correction for all pairs."
        )
    return PaperTable(out.rename_axis("Method"), "Comparison of methods", remarks)


def differences_from(pairs: pd.DataFrame, first: str) -> pd.DataFrame:
    """Error of each other method minus that of the first, and its p-value, as text."""
    rows = {}
    for a, b, difference, low, high, p in pairs[
        ["a", "b", "difference", "low", "high", "p_holm"]
    ].itertuples(index=False):
        estimate = Estimate(difference, low, high)
        if a == first:
            estimate = Estimate(0.0 - difference, -high, -low)
        rows[b if a == first else a] = written(estimate), significant(p, 3)
    return pd.DataFrame.from_dict(rows, orient="index", columns=["Difference", "p (Holm)"])


def _estimates(table: pd.DataFrame, name: str, prefix: str = "") -> list[str]:
    """A column with its interval, whose ends are the columns `low` and `high` after a prefix, as text."""
    return [
        written(Estimate(*row))
        for row in table[[name, f"{prefix}low", f"{prefix}high"]].to_numpy(float)
    ]
