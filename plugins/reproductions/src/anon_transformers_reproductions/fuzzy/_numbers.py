"""Printed and recomputed numbers of the six codings, beside ours."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from anon_transformers.experiments import NOT_RUN, coding_summary

DIGITS = {"t": 4}
"""Digits that the source prints of a mean; two of all others."""
SIX_DIGITS = 2e-6
"""What was recomputed is kept to six digits."""
DASH = "-"
LIKE = {"global-recode": "global-recode, lowest dropped"}
"""Under which name the method of a printed table was recomputed."""

Finding = dict[str, Any]


def table_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[Finding]:
    """One finding a row of the annex."""
    done = _by_run(runs, "source")
    again = recomputed_rows(reported)
    for table in reported["tables"]:
        of_table = table["coding"], table["method"]
        for i, j, *printed in table["rows"]:
            pair, columns = (i, j), table["columns"]
            run = done.get((*of_table, pair))
            ours = None if run is None else [run[name] for name in columns]
            same_rows = again[table["coding"], LIKE.get(of_table[1], of_table[1]), pair]
            other = [_as_source(same_rows, name) for name in columns]
            equal = None if ours is None else _same(ours, printed, columns)
            explained = None
            if ours is not None:
                explained = _explained(reported, table, pair, ours, other)
            yield {
                "where": table["where"],
                "data_set": _names(reported, pair),
                "method": f"{table['coding']} {table['method']}",
                "k": None,
                "measure": ", ".join(columns),
                "published": _shown(printed, columns),
                "recomputed": _shown(other, columns),
                "ours": None if ours is None else _shown(ours, columns),
                **_verdict(reported, equal, explained),
            }


def summary_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[Finding]:
    """One finding a row of the tables in the text, which sum the annex up."""
    source = runs[runs["convention"] == "source"]
    for table in reported["summaries"]:
        for row in table["rows"]:
            ours = _summed(table, row["criterion"], source, len(_pairs(reported)))
            columns = [row["criterion"]] * len(row["published"])
            equal, explained = None, None
            if ours is not None:
                equal = _same(ours, row["published"], columns)
                if _same(ours, row["recomputed"], columns):
                    explained = row.get("reason")
            yield {
                "where": table["where"],
                "data_set": f"{table['coding']} coding",
                "method": ", ".join(table["methods"]),
                "k": None,
                "measure": f"{row['criterion']}, {table['what']}",
                "published": _shown(row["published"], columns),
                "recomputed": _shown(row["recomputed"], columns),
                "ours": None if ours is None else _shown(ours, columns),
                **_verdict(reported, equal, explained),
            }


def definition_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[Finding]:
    """One finding a coding and pair: all criteria by their definitions."""
    done = _by_run(runs, "definition")
    elsewhere = _by_run(runs, "another start")
    names = [name for name in reported["recomputed_columns"] if "source" not in name]
    for run, again in recomputed_rows(reported).items():
        # Crisp codings have no degrees to add up.
        columns = [name for name in names if again[name] is not None]
        expected = [again[name] for name in columns]
        found = done.get(run)
        ours = None if found is None else [found[name] for name in columns]
        equal = None if ours is None else _near(ours, expected)
        explained = None
        if run in elsewhere:
            other = [elsewhere[run][name] for name in columns]
            explained = "another end" if _near(other, expected) else None
        coding, method, pair = run
        yield {
            "where": "definitions",
            "data_set": _names(reported, pair),
            "method": f"{coding} {method}",
            "k": None,
            "measure": "all criteria",
            "published": None,
            "recomputed": _shown(expected, columns, 6),
            "ours": None if ours is None else _shown(ours, columns, 6),
            **_verdict(reported, equal, explained),
        }


def comparison_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[Finding]:
    """One finding a criterion: which method is best by the definitions."""
    best = runs[runs["convention"] == "definition"]
    other = _with_other_ends(runs)
    n_pairs = len(_pairs(reported))
    for table in reported["comparison"]:
        for criterion, wins, means in table["rows"]:
            for what, expected in (("wins", wins), ("mean", means)):
                digits = 0 if what == "wins" else 4 if "t " in criterion else 2
                asked = {"coding": table["coding"], "methods": table["methods"]}
                ours = _best_by(asked, criterion, best, n_pairs, what)
                equal, explained = None, None
                if ours is not None:
                    equal = _to_digits(ours, expected, digits)
                    alike = _best_by(asked, criterion, other, n_pairs, what)
                    if alike is not None and _to_digits(alike, expected, digits):
                        explained = "better ends"
                yield {
                    "where": "definitions",
                    "data_set": f"{table['coding']} coding",
                    "method": ", ".join(table["methods"]),
                    "k": None,
                    "measure": f"{criterion}, {what}",
                    "published": None,
                    "recomputed": _rounded(expected, digits),
                    "ours": None if ours is None else _rounded(ours, digits),
                    **_verdict(reported, equal, explained),
                }


def printed_rows(reported: Mapping[str, Any]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """What the annex prints, by coding, method and pair."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for table in reported["tables"]:
        for i, j, *numbers in table["rows"]:
            row = found.setdefault((table["coding"], table["method"], (i, j)), {})
            row |= dict(zip(table["columns"], numbers, strict=True))
    return found


def recomputed_rows(
    reported: Mapping[str, Any],
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """What others recomputed, by coding, method and pair."""
    columns = reported["recomputed_columns"]
    return {
        (part["coding"], part["method"], (i, j)): dict(
            zip(columns, numbers, strict=True)
        )
        for part in reported["recomputed"]
        for i, j, *numbers in part["rows"]
    }


def _pairs(reported: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(i, j) for i, j, *_ in reported["tables"][0]["rows"]]


def _names(reported: Mapping[str, Any], pair: Sequence[int]) -> str:
    return ", ".join(reported["attributes"][number - 1] for number in pair)


def _by_run(
    runs: pd.DataFrame, convention: str
) -> dict[tuple[Any, ...], dict[str, Any]]:
    chosen = runs[runs["convention"] == convention]
    plain: list[Any] = (
        chosen.astype(object).where(chosen.notna(), None).to_dict("records")
    )
    return {(row["coding"], row["method"], row["pair"]): row for row in plain}


def _as_source(again: Mapping[str, Any], name: str) -> Any:
    """A recomputed number under the source's conventions; None where it has a dash."""
    q = again["q_mean"]
    if name == "q_mean":
        return max(q, 1)
    if name[0] not in "lt":
        return again[name]
    if (again["k"] if q is None else q) <= 1:
        return None
    return again[f"source {name}" if name[0] == "t" else name]


def _explained(
    reported: Mapping[str, Any],
    table: Mapping[str, Any],
    pair: tuple[int, int],
    ours: Sequence[Any],
    recomputed: Sequence[Any],
) -> str | None:
    """Which reason is known for a row that is not as printed.

    It explains one row, what was recomputed unless it says another, and no other.
    """
    for reason in reported["explained"]:
        if reason["where"] == table["where"] and list(pair) in reason["pairs"]:
            right = reason.get("ours", recomputed)
            return reason["reason"] if _same(ours, right, table["columns"]) else None
    return None


def _verdict(
    reported: Mapping[str, Any], equal: bool | None, explained: str | None
) -> Finding:
    if equal is None:
        return {"equal": None, "reason": NOT_RUN}
    unexplained = equal or explained is None
    return {
        "equal": equal,
        "reason": "" if unexplained else reported["reasons"][explained],
    }


def _summed(
    table: Mapping[str, Any], criterion: str, source: pd.DataFrame, n_pairs: int
) -> list[Any] | None:
    """Sum our runs up as one table of the source does; None if some were not made."""
    part = source[source["coding"] == table["coding"]]
    if table["what"] == "pair":
        part = part[part["pair"] == (1, 2)].set_index("method")
        return [_plain(part.loc[name, criterion]) for name in table["methods"]]
    if part["pair"].nunique() < n_pairs:
        return None
    if table["what"] == "at least":
        wide = part.pivot(index="pair", columns="method", values=criterion)
        one, other = (wide[name] for name in table["methods"])
        return [int((one >= other).sum()), int((other >= one).sum())]
    left_out = [tuple(pair) for pair in table.get("left_out", ())]
    part = part[~part["pair"].isin(left_out)]
    columns = ["wins"] if table["what"] == "wins" else ["mean", "distance"]
    summed = coding_summary(part, [criterion], complete=False).set_index("method")
    # A method without the criterion has no line of its own.
    summed = summed.reindex(table["methods"])
    return [_plain(x) for row in summed[columns].to_numpy(object) for x in row]


def _best_by(
    table: Mapping[str, Any],
    criterion: str,
    runs: pd.DataFrame,
    n_pairs: int,
    what: str,
) -> list[Any] | None:
    part = runs[runs["coding"] == table["coding"]]
    part = part[part["method"].isin(table["methods"])]
    if part["pair"].nunique() < n_pairs:
        return None
    summed = coding_summary(part, [criterion]).set_index("method")
    return [_plain(x) for x in summed.loc[table["methods"], what]]


def _with_other_ends(runs: pd.DataFrame) -> pd.DataFrame:
    """Definitions, with k-means where it ends in what others recomputed."""
    both = runs[runs["convention"].isin(["definition", "another start"])]
    return both.drop_duplicates(["coding", "method", "pair"], keep="last")


def _plain(value: Any) -> Any:
    return None if pd.isna(value) else value


def _same(ours: Sequence[Any], expected: Sequence[Any], columns: Sequence[str]) -> bool:
    """Whether numbers are the printed ones, to their last digit."""
    return all(
        _within(one, other, DIGITS.get(column[0], 2))
        for one, other, column in zip(ours, expected, columns, strict=True)
    )


def _within(ours: Any, expected: Any, digits: int) -> bool:
    if ours is None or expected is None:
        return ours is expected
    return abs(ours - expected) <= 0.5 * 10.0**-digits * (1 + 1e-6)


def _near(ours: Sequence[Any], expected: Sequence[Any]) -> bool:
    return all(
        one is not None and abs(one - other) <= SIX_DIGITS
        for one, other in zip(ours, expected, strict=True)
    )


def _to_digits(ours: Sequence[Any], expected: Sequence[Any], digits: int) -> bool:
    pairs = zip(ours, expected, strict=True)
    return all(_within(one, other, digits) for one, other in pairs)


def _shown(numbers: Sequence[Any], columns: Sequence[str], digits: int = 4) -> str:
    return ", ".join(
        _number(number, digits if " " in column and column[0] in "tcs" else 2)
        for number, column in zip(numbers, columns, strict=True)
    )


def _number(number: Any, digits: int) -> str:
    if number is None:
        return DASH
    if float(number).is_integer() and number != 0:
        return str(int(number))
    return "0" if number == 0 else f"{number:.{digits}f}"


def _rounded(numbers: Sequence[Any], digits: int) -> str:
    return ", ".join(f"{number:.{digits}f}" for number in numbers)
