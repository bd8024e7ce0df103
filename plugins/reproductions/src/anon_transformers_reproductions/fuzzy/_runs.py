"""Runs of the six codings on one pair of attributes: as printed, and as defined."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import Memberships
from anon_transformers.experiments import coding_criteria
from anon_transformers.privacy import FuzzyTCloseness
from anon_transformers.registry import registry
from anon_transformers_reproductions.fuzzy._source import (
    SETS,
    CodedRows,
    coded_by,
    crossed,
    local_optima,
    misaligned,
    numberings,
    recoded,
    truncated_distances,
)

CLASS = "class"
COUNTED = ("k", "measure_risk", "l")
PRINTED = 0.5e-4 * (1 + 1e-6)
"""Half of the last digit that the source prints of a t."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Coder:
    """Codes pairs of attributes and judges them.

    Parameters
    ----------
    table : pandas.DataFrame
        Census.
    sensitive : sequence of str
        Columns that l and t are asked of.
    random : ndarray of shape (3, 2)
        Random numbers of the fuzzy start.
    n_starts, seed : int
        Starts of k-means, and where they come from.
    """

    table: pd.DataFrame
    sensitive: Sequence[str]
    random: np.ndarray
    n_starts: int
    seed: int
    _single: dict[str, list[CodedRows]] = field(default_factory=dict, repr=False)

    @cached_property
    def supports(self) -> dict[str, np.ndarray]:
        """All values of each sensitive column."""
        return {name: np.unique(self.table[name]) for name in self.sensitive}

    def runs(
        self, pair: Sequence[str], printed: Mapping[str, Row], again: Mapping[str, Row]
    ) -> Iterator[Row]:
        """Judge all codings of a pair.

        Parameters
        ----------
        pair : two attributes
        printed, again : mapping of coding to row
            Of k-means: what the source printed, and what others recomputed.

        Yields
        ------
        dict
            coding, method, convention and the criteria. The convention is "source"
            (as printed), "definition", or "another start": k-means where it ends in
            what others recomputed, if that is not its best end.
        """
        for coding in ("independent", "joint"):
            yield from self._k_means(coding, pair, printed[coding], again[coding])
        yield from self._recode(pair)
        for coding, method, start in (
            ("independent", "fuzzy-c-means", self.random[:, 0]),
            ("joint", "gustafson-kessel", self.random),
            ("joint", "fuzzy-c-means", self.random),
        ):
            coded = self._code(method, pair, coding=coding, init=start)
            about = {"coding": coding, "method": method}
            yield {**about, "convention": "source", **self._judge(coded, "source")}
            yield {**about, "convention": "definition", **self._define(coded)}

    def _points(self, names: Sequence[str]) -> np.ndarray:
        return np.ascontiguousarray(self.table[list(names)], dtype=np.float64)

    def _code(self, method: str, pair: Sequence[str], **options: Any) -> CodedRows:
        """Code a pair with a recoder of the library that promises nothing."""
        make = registry().anonymizers[method]
        recoder = make(list(pair), n_sets=SETS, k=1, keep_memberships=True, **options)
        return coded_by(recoder, self.table[list(pair)])

    def _optima(self, names: Sequence[str]) -> list[CodedRows]:
        if len(names) > 1:
            return local_optima(self._points(names), self.n_starts, self.seed)
        if names[0] not in self._single:
            found = local_optima(self._points(names), self.n_starts, self.seed)
            self._single[names[0]] = found
        return self._single[names[0]]

    def _frame(self, coded: CodedRows) -> pd.DataFrame:
        frame = self.table.loc[coded.kept, list(self.sensitive)]
        return frame.assign(**{CLASS: coded.labels[coded.kept]})

    def _judge(self, coded: CodedRows, convention: str) -> Row:
        return coding_criteria(
            self._frame(coded),
            [CLASS],
            self.sensitive,
            coded.degrees,
            convention,
            empty="keep",
            whole=self.table,
        )

    def _define(self, coded: CodedRows) -> Row:
        """Judge by the definitions; beside t, that of classes and with summed degrees.

        ``class t`` is the distance of the farthest class and not of a row's mixture,
        ``sigma t`` counts the rows of a class by the sum of their degrees. All are the
        same for crisp classes.
        """
        right = self._judge(coded, "definition")
        for name in self.sensitive:
            right[f"class t {name}"] = right[f"sigma t {name}"] = right[f"t {name}"]
        if coded.degrees is None:
            return right
        members = Memberships.from_frame(
            coded.degrees, self._frame(coded), self.sensitive
        )
        model = FuzzyTCloseness(t=1, distance="ordered")
        by_sums = replace(model, cardinality="sigma")
        for name in self.sensitive:
            if right[f"t {name}"] is not None:
                farthest = model.set_distances(members, name).max()
                right[f"class t {name}"] = float(farthest)
            summed = replace(by_sums, sensitive=name)
            right[f"sigma t {name}"] = summed.level(members)
        return right

    def _k_means(
        self, coding: str, pair: Sequence[str], printed: Row, again: Row
    ) -> Iterator[Row]:
        about = {"coding": coding, "method": "k-means"}
        independent = coding == "independent"
        if independent:
            one, other = (self._optima([name]) for name in pair)
            ends = [crossed(a, b) for a in one for b in other]
        else:
            ends = self._optima(pair)
        rows = (
            row
            for end in _with_k(ends, printed["k"])
            for row in self._as_printed(end, independent)
        )
        nearest = min(rows, key=lambda row: difference(row, printed))
        yield {**about, "convention": "source", **nearest}
        best = self._define(ends[0])
        yield {**about, "convention": "definition", **best}
        if difference(best, again) > (0, PRINTED):
            others = (self._define(end) for end in _with_k(ends, again["k"]))
            nearest = min(others, key=lambda row: difference(row, again))
            yield {**about, "convention": "another start", **nearest}

    def _as_printed(self, end: CodedRows, independent: bool) -> Iterator[Row]:
        """Criteria of one end of k-means, with all numbers that its classes may have.

        Which of them t is taken over depends on their numbers if some are empty.
        """
        found = self._judge(end, "source")
        if found["k"] == 1:
            yield found
            return
        some_empty = independent and found["classes"] < SETS**2
        for labels in numberings(end, crossed=some_empty):
            yield found | {
                f"t {name}": float(truncated_distances(labels, values, support).min())
                for name, values, support in self._values()
            }

    def _values(self) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        for name in self.sensitive:
            yield name, self.table[name].to_numpy(), self.supports[name]

    def _recode(self, pair: Sequence[str]) -> Iterator[Row]:
        about = {"coding": "independent"}
        names = {True: "global-recode", False: "global-recode, lowest dropped"}
        for lowest, method in names.items():
            columns = self._points(pair).T
            coded = crossed(*(recoded(column, lowest=lowest) for column in columns))
            right = self._define(coded)
            yield {**about, "method": method, "convention": "definition", **right}
            if not lowest:
                wrong = self._misjudge(coded)
                source = {"method": names[True], "convention": "source"}
                yield {**about, **source, **wrong}

    def _misjudge(self, coded: CodedRows) -> Row:
        """Judge as the source did: beside the sensitive values of other rows."""
        frame = pd.DataFrame({CLASS: coded.labels[coded.kept]})
        distances = {}
        for name, values, support in self._values():
            labels, beside = misaligned(coded, values)
            frame[name] = beside
            distances[name] = truncated_distances(labels, beside, support).min()
        found = coding_criteria(frame, [CLASS], self.sensitive, None, "source")
        if found["k"] > 1:
            found |= {f"t {name}": float(t) for name, t in distances.items()}
        return found


def _with_k(ends: Sequence[CodedRows], k: int) -> list[CodedRows]:
    """Ends of k-means whose smallest class has k rows; if there is none, the best."""
    return [end for end in ends if end.k == k] or list(ends[:1])


def difference(row: Row, expected: Row) -> tuple[int, float]:
    """How many counts differ, and by how much the t that differs most."""
    counts = [name for name in expected if name.split(" ")[0] in COUNTED]
    wrong = sum(row[name] != expected[name] for name in counts)
    apart = [
        abs(row[name] - t)
        for name, t in expected.items()
        if name.startswith("t ") and t is not None and row[name] is not None
    ]
    return wrong, max(apart, default=0.0)
