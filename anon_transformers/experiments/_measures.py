"""Further numbers of the runs of a comparison, by metrics of anybody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from anon_transformers.base._base import FrameAnonymizer
from anon_transformers.evidence import SUPPRESSED, distribution
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.gx._judging import (
    PrivateEvidence,
    Scope,
    discreetly,
    private_evidence,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import Metric, measure

Metrics = Sequence[str | Metric] | Mapping[str, str | Metric]


@dataclass
class Measures:
    """Metrics by the names of their columns, and why some could not be taken."""

    metrics: Mapping[str, Metric]
    _taken: set[str] = field(default_factory=set)
    _reasons: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, metrics: Metrics | None) -> "Measures":
        """Make metrics that are named; refuses one that stands twice."""
        from anon_transformers.registry import registry

        given = metrics or {}
        if isinstance(given, str):
            raise ParameterError(f"metrics must be a list, got the string {given!r}.")
        if not isinstance(given, Mapping):
            names = [m if isinstance(m, str) else m.name for m in given]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ParameterError(
                    f"metrics: {', '.join(twice)} stands twice; give a dict with names."
                )
            given = dict(zip(names, given, strict=True))
        catalog = registry().metrics
        made = {
            name: catalog.build(metric, {}) if isinstance(metric, str) else metric
            for name, metric in given.items()
        }
        for name, metric in made.items():
            if metric.evidence == "graph":
                raise ParameterError(f"metrics: {name} measures graphs, and no tables.")
        return cls(made)

    def take(
        self, anonymizer: FrameAnonymizer, frame: pd.DataFrame, output: pd.DataFrame
    ) -> dict[str, float]:
        """Every number that a run has, by name."""
        found = {}
        table, private = _published(anonymizer, frame, output)
        scope = _scope(anonymizer)
        with private_evidence(private):
            for name, metric in self.metrics.items():
                try:
                    found[name] = _number(metric, anonymizer, scope, table)
                except NotEvaluable as error:
                    self._reasons.setdefault(name, str(error))
                else:
                    self._taken.add(name)
        return found

    def refuse_never_taken(self) -> None:
        """Raise if a metric could not be taken of any run, with the first reason."""
        for name, reason in self._reasons.items():
            if name not in self._taken:
                raise NotEvaluable(f"metrics, {name}: {reason}")


@discreetly
def _number(
    metric: Metric, anonymizer: FrameAnonymizer, scope: Scope, table: pd.DataFrame
) -> float:
    if metric.evidence == "report":
        return measure(metric, anonymizer.report_)
    return measure(metric, scope.evidence(metric.evidence, table))


def by_place(anonymizer: FrameAnonymizer, output: pd.DataFrame) -> pd.DataFrame:
    """A published table whose index has the place of each row in the raw one."""
    places = np.arange(len(output))
    if getattr(anonymizer, "suppression", None) == "drop":
        places = np.flatnonzero(~np.asarray(anonymizer.suppressed_mask_))
    return output.set_axis(places)


def _scope(anonymizer: FrameAnonymizer) -> Scope:
    roles = anonymizer.roles_
    # A swap may be asked for without quasi-identifiers: what moves is known to others.
    known = roles.quasi_identifiers or roles.sensitive
    return Scope(
        known,
        [name for name in roles.sensitive if name not in known],
        roles.subject,
        getattr(anonymizer, "suppression_label", SUPPRESSED),
    )


def _published(
    anonymizer: FrameAnonymizer, frame: pd.DataFrame, output: pd.DataFrame
) -> tuple[pd.DataFrame, PrivateEvidence]:
    """The table as a gate would see it, and what only its maker knows of it."""
    rows = by_place(anonymizer, output).index.to_numpy()
    source = frame.iloc[rows].reset_index(drop=True)
    roles, table = anonymizer.roles_, output.reset_index(drop=True)
    persons = None
    if roles.subject is not None:
        persons, table = frame[roles.subject], table.copy(deep=False)
        table[roles.subject] = source[roles.subject]
    degrees = getattr(anonymizer, "degrees_", None)
    given = getattr(anonymizer, "hierarchies", None) or {}
    return table, PrivateEvidence(
        references={
            name: distribution(frame[name], persons, together=True)
            for name in roles.sensitive
        },
        hierarchies={n: h for n, h in given.items() if isinstance(h, Hierarchy)},
        original=source,
        groups=getattr(anonymizer, "labels_", None) if _swaps(anonymizer) else None,
        sources=getattr(anonymizer, "permutations_", None),
        swapped=_swaps(anonymizer),
        degrees=None if degrees is None else degrees[rows],
    )


def _swaps(anonymizer: FrameAnonymizer) -> bool:
    return anonymizer.kind == "linked"
