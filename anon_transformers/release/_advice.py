"""What to do about a release that is refused: how far off it is, and what would pass.

This is for whoever runs the release. It holds counts and names of columns, never a
cell, but its counts are of rows that are not published: it goes to a terminal and to no
target, manifest or report.
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from anon_transformers.base import BaseAnonymizer
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import ParameterError
from anon_transformers.gx._threshold import Threshold
from anon_transformers.gx.gate import Check
from anon_transformers.metrics import domain_share_loss
from anon_transformers.parameters import is_number
from anon_transformers.release._anonymizer import make_anonymizer
from anon_transformers.release._build import check_threshold
from anon_transformers.release._composition import KEEP_CELLS, refused_together
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._forms import INPUT, Form, form_of
from anon_transformers.release._gaps import Gap, gaps_of, source_input
from anon_transformers.release._log import looked_at_by
from anon_transformers.release._on_refusal import REFUSE
from anon_transformers.release._resolve import GIVEN_PERIOD, resolve
from anon_transformers.release._settings import Proposal, kept_cells, proposals
from anon_transformers.release._stated_engine import in_memory
from anon_transformers.release._steps import discreet, refuse_what_is_missing
from anon_transformers.release._table import TableForm
from anon_transformers.release._tighten import tighten
from anon_transformers.release._trials import Trials, Try, private_trials

SECONDS = 120.0
"""Time for all settings, unless a caller gives another."""
EVERY = 1.0
"""Seconds after which a try says again how far it is."""

OF_OTHERS = (
    "No limit, method or looser threshold was tried: the thresholds hold, and what the "
    "refusal is about is the persons of this table and of earlier ones. The refusal "
    "says what helps."
)

OnProgress = Callable[[float, str], None]
"""Called with the share of the time limit that is used, and what is tried now."""


@dataclass(frozen=True)
class Setting:
    """A setting that passes: it was tried, and a release with it is published.

    Attributes
    ----------
    kind : {"suppression", "method", "coarser", "drop", "threshold", "recoding"}
        What it changes: how many rows may be suppressed, how the table is generalized,
        the step, level or hierarchy of a column, which quasi-identifiers are published,
        what is promised, whether cells stay.
    words : str
        The change in words.
    change : mapping
        The keys of the release file that it changes, whole.
    loosens : bool
        It promises less than the file does.
    loss : float or None
        The loss that the release would state.
    loss_with_dropped : float or None
        The same if columns that are not published count as lost.
    suppressed_rows, suppressed_share : int, float or None
        Rows that are suppressed or dropped, and their share of all.
    suppressed_persons : int or None
        Persons who have one of these rows, where a subject is declared.
    reached : mapping of str to number
        What each threshold reaches.
    """

    kind: str
    words: str
    change: Mapping[str, Any]
    loosens: bool
    loss: float | None
    loss_with_dropped: float | None
    suppressed_rows: int | None
    suppressed_share: float | None
    suppressed_persons: int | None
    reached: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Tried:
    """A setting that was tried, and what became of it.

    Attributes
    ----------
    kind, words : str
        The setting.
    passed : bool
        It passes.
    reason : str
        Why it does not.
    """

    kind: str
    words: str
    passed: bool
    reason: str = ""


@dataclass(frozen=True)
class Advice:
    """How far a release is off, what causes it, and settings that pass.

    Attributes
    ----------
    release : str
        Name of the release.
    passes : bool
        The file passes as it is stated.
    refusal : tuple of str
        Why it does not, one reason each.
    rows : int
        Rows of the source.
    persons : int or None
        Persons of the source, where a subject is declared.
    gaps : tuple of Gap
        How far it is from each threshold.
    settings : tuple of Setting
        What passes, in the order in which it was tried; at most one of a kind.
    tried : tuple of Tried
        Everything that was tried.
    not_tried : tuple of str
        What was not, and why.
    why_untried : str
        Why settings were not tried that no time would make pass; empty if all were.
    seconds, limit : float
        The time that it took by the clock, and the processor's time for settings.
    """

    release: str
    passes: bool
    refusal: tuple[str, ...]
    rows: int
    persons: int | None
    gaps: tuple[Gap, ...] = ()
    settings: tuple[Setting, ...] = ()
    tried: tuple[Tried, ...] = ()
    not_tried: tuple[str, ...] = ()
    why_untried: str = ""
    seconds: float = 0.0
    limit: float = SECONDS

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def advise(
    config_path: str | os.PathLike[str],
    *,
    parameters: Mapping[str, int | float] | None = None,
    period: GIVEN_PERIOD | None = None,
    seconds: float = SECONDS,
    on_progress: OnProgress | None = None,
) -> Advice:
    """Say how far a release is off, what causes it, and which settings pass.

    The source is read as it is now. Every setting is made by the release's own method
    and judged by its own gate, in a private folder that is removed in the end; nothing
    is published. A ladder of the file (``on_refusal``) is not tried.

    Parameters
    ----------
    config_path : path
        The release file.
    parameters : mapping, optional
        Thresholds that the run tightens, such as ``{"k_anonymity_k": 10}``.
    period : str, date, datetime or Period, optional
        What the run is about, if the file has periods.
    seconds : float, default=120
        Time of the processor for all settings, shared among their kinds. One try of
        each kind is always finished; a further one ends when the time for its kind is
        over, as soon as its method says how far it is.
    on_progress : callable, optional
        Called with the share of the time that is used, what is tried now, and how far a
        long try is.

    Returns
    -------
    Advice
        Counts and names of columns, never a cell. The counts are of rows that are not
        published: it is for whoever runs the release, and for nobody else.

    Raises
    ------
    ConfigurationError, DataError
        If the file, or its source, cannot be used whatever the setting.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> folder = Path(tempfile.mkdtemp())
    >>> people = pd.DataFrame({"age": [21, 22, 23] * 4 + [61] * 2, "job": [*"ab"] * 7})
    >>> people.to_csv(folder / "people.csv", index=False)
    >>> file = folder / "people.yaml"
    >>> _ = file.write_text('''
    ... source: {path: people.csv}
    ... roles: {quasi_identifiers: [age], sensitive: [job]}
    ... hierarchies: {age: {kind: intervals, widths: [20]}}
    ... anonymizer: {name: full-domain, suppression: drop}
    ... thresholds: [{model: k-anonymity, k: 3}]
    ... target: {path: out}
    ... ''')
    >>> advice = advise(file)
    >>> advice.passes, advice.gaps[0].rows_to_go
    (False, 2)
    >>> [setting.words for setting in advice.settings]
    ['anonymizer: suppression_limit: 0.15', 'thresholds, k-anonymity: k: 2 (asked: 3)']
    """
    if not is_number(seconds) or not seconds > 0:
        raise ParameterError(f"seconds must be a number above 0, got {seconds!r}.")

    def advise(location: Any) -> Advice:
        return _Advisor(location, parameters, period, seconds, on_progress).advice()

    # What a stranger's reader or method says stays out of messages, as in a step.
    return cast(Any, discreet)(advise)(config_path)


class _TimeOver(BaseException):
    """Ends a try; no code of a method takes it for an error of its own."""


class _Advisor:
    """What is known while settings are tried."""

    def __init__(
        self,
        config_path: Any,
        parameters: Mapping[str, int | float] | None,
        period: GIVEN_PERIOD | None,
        seconds: float,
        on_progress: OnProgress | None,
    ):
        self.started, self.limit = time.monotonic(), seconds
        self.worked = time.process_time()
        self.announce = on_progress or (lambda share, what: None)
        stated = resolve(read_config(config_path), period, file=config_path)
        stated = in_memory(stated)
        refuse_what_is_missing(stated)
        ways = {t.id: check_threshold(t) for t in stated.thresholds}
        self.thresholds = tighten(stated.thresholds, parameters, ways)
        keys = {
            "on_refusal": REFUSE,
            "thresholds": [t.to_dict() for t in self.thresholds],
        }
        self.config = stated.with_keys(keys)
        self.form = form_of(self.config)
        self.tables = self.form.read()
        self.tried: list[Tried] = []

    @property
    def used(self) -> float:
        """Share of the time that is used; what others do on the machine is not."""
        return (time.process_time() - self.worked) / self.limit

    def advice(self) -> Advice:
        """Try the file as it is, then other settings."""
        source, subject = self.tables[INPUT], self.config.roles.subject
        advice = Advice(
            self.config.title,
            True,
            (),
            len(source),
            None if subject is None else int(source[subject].nunique()),
            limit=self.limit,
        )
        with private_trials(self.config, self.tables) as trials:
            with self.watched("the file as it is stated"):
                first = trials.attempt(self.config, self.thresholds)
            if not first.passed:
                gaps = tuple(self.gaps(first))
                together = refused_together(reasons_of(first))
                settings, not_tried = self.settings(trials, first, gaps, together)
                advice = replace(
                    advice,
                    passes=False,
                    refusal=reasons_of(first),
                    gaps=gaps,
                    settings=settings,
                    tried=tuple(self.tried),
                    not_tried=not_tried,
                    why_untried=OF_OTHERS if together else "",
                )
        return replace(advice, seconds=time.monotonic() - self.started)

    def gaps(self, first: Try) -> Iterator[Gap]:
        """How far the candidate is off, or the source where there is none."""
        checks = {c.id: c for c in (first.result.checks if first.result else ())}
        found: dict[str, Gap] = {}
        of = "source" if first.candidate is None else "candidate"
        if isinstance(self.form, TableForm) and not self.form.swaps:
            judged, losses = source_input(self.form, self.tables[INPUT]), None
            if first.candidate is not None:
                judged = self.form.evidence(first.candidate)
                losses = first.column_losses
            label = label_of(self.form, self.thresholds)
            gaps = gaps_of(judged, self.thresholds, label, of=of, column_losses=losses)
            found = {gap.id: gap for gap in gaps}
        for threshold in self.thresholds:
            gap = found.get(threshold.id) or Gap(
                threshold.id, threshold.kind, threshold.name,
                dict(threshold.params), of,
            )  # fmt: skip
            yield as_judged(gap, checks.get(threshold.id))

    def settings(
        self, trials: Trials, first: Try, gaps: tuple[Gap, ...], together: bool
    ) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
        """One setting of each kind that passes, as far as the time allows."""
        found: list[Setting] = []
        not_tried: list[str] = []
        order = columns_by_gain(self.config, gaps, self.tables[INPUT])
        made = first.candidate is not None
        if together:
            judged = first.result is not None and KEEP_CELLS in first.reason
            kinds = kept_cells(self.config, self.thresholds) if judged else {}
        else:
            kinds = proposals(
                self.config, self.thresholds, gaps, order,
                made=made, levels=levels_of(first),
            )  # fmt: skip
        for number, (kind, ways) in enumerate(kinds.items(), 1):
            setting = None
            for turn, way in enumerate(ways):
                # Each kind has its share of the time, and what those before it left.
                if turn and self.used >= number / len(kinds):
                    left = f"{kind}: {way.words}, and what comes after it"
                    not_tried.append(f"{left} (the time for it is over)")
                    break
                try:
                    one = self.attempt(
                        trials, way, number / len(kinds) if turn else None
                    )
                except _TimeOver:
                    not_tried.append(
                        f"{kind}: {way.words}, of which a part was done, and what "
                        "comes after it (the time for it is over)"
                    )
                    break
                # A closer search between what passes and what does not goes on.
                setting = self.setting(way, one) if one.passed else setting
                if not way.answer(one.passed):
                    break
            if setting is not None:
                found.append(setting)
        return tuple(found), tuple(not_tried)

    def attempt(self, trials: Trials, way: Proposal, until: float | None = None) -> Try:
        """Try one setting; ``until`` this share of the time is used, if it is given."""
        with self.watched(way.words, until):
            one = trials.attempt(way.config, way.thresholds)
        self.tried.append(Tried(way.kind, way.words, one.passed, one.reason))
        return one

    @contextmanager
    def watched(self, words: str, until: float | None = None) -> Iterator[None]:
        """Say now and then how far a try is; end it once this time is used."""
        self.announce(min(self.used, 1.0), words)
        told = time.monotonic()

        def look(at: str) -> None:
            nonlocal told
            if until is not None and self.used >= until:
                raise _TimeOver
            if time.monotonic() - told >= EVERY:
                told = time.monotonic()
                self.announce(min(self.used, 1.0), f"{words}: {at}")

        with looked_at_by(look):
            yield

    def setting(self, way: Proposal, one: Try) -> Setting:
        """What passed, and what it costs."""
        n_rows, gone = len(self.tables[INPUT]), one.suppressed_rows
        losses = list((one.column_losses or {}).values())
        n_dropped = len(way.dropped)
        with_dropped = None
        if n_dropped and losses:
            with_dropped = domain_share_loss([*losses, *[1.0] * n_dropped])
        checks = one.result.checks if one.result else ()
        return Setting(
            way.kind,
            way.words,
            way.change,
            way.loosens,
            one.loss,
            with_dropped,
            gone,
            None if gone is None else gone / n_rows,
            one.suppressed_persons,
            {check.id: check.observed for check in checks},
        )


def label_of(form: Form, thresholds: tuple[Threshold, ...]) -> str:
    """The label of a suppressed cell."""
    method: BaseAnonymizer = make_anonymizer(form.config, thresholds)
    return getattr(method, "suppression_label", SUPPRESSED)


def as_judged(gap: Gap, check: Check | None) -> Gap:
    """What the gate itself found goes before what was computed beside it."""
    if check is None or check.observed is None:
        return gap
    found = replace(gap, holds=check.passed, reached=check.observed)
    if gap.reached is None or math.isclose(gap.reached, check.observed, abs_tol=1e-9):
        return found
    # What columns gain is of another number than the one that was judged.
    return replace(found, off=None, columns=())


def reasons_of(first: Try) -> tuple[str, ...]:
    """Why the file as it is stated does not pass."""
    return first.result.reasons if first.result else (first.reason,)


def levels_of(first: Try) -> Mapping[str, int] | None:
    """Levels of a candidate that has one for each column, in all its rows."""
    report = first.candidate.noted["report"] if first.candidate else {}
    found = report.get("details", {})  # graphs report otherwise
    # Local recoding has several passes, each with levels of its own.
    return found.get("levels") if found.get("passes") == 1 else None


def columns_by_gain(
    config: ReleaseConfig, gaps: tuple[Gap, ...], source: Any
) -> list[str]:
    """Quasi-identifiers, first what gains most when it is left out.

    By the thresholds that do not hold, in their order; where no column gains anything
    by itself, by how many values a column has.
    """
    gains: dict[str, list[float]] = {c: [] for c in config.roles.quasi_identifiers}
    for gap in gaps:
        for effect in gap.columns:
            gains[effect.column].append(-float(effect.gain))
    values = {name: -int(source[name].nunique()) for name in gains if name in source}
    return sorted(gains, key=lambda name: (gains[name], values.get(name, 0)))
