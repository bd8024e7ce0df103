"""``airflow: {map: …}``: what one release file is made into several releases by.

Nothing here looks at the file system, so that a scheduler can read it quickly.
"""

import glob
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import model_validator

from anon_transformers.exceptions import ConfigurationError, ParameterError, shortened
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._period import TOKEN, Template, grain_of
from anon_transformers.release._strict import Strict
from anon_transformers.release._tighten import COMMON_WORDS, tighten

if TYPE_CHECKING:
    from anon_transformers.release._config import ReleaseConfig

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class StatedMapping(Strict):
    """One release per table of a folder, or per set of tightened thresholds.

    Attributes
    ----------
    tables : str or None
        A pattern for names of files, such as ``tables/*.csv``, from the folder of the
        release file; it may hold a period that ``target.path`` holds, too.
    thresholds : tuple of dict
        Sets of numbers that tighten thresholds of the file, such as
        ``{k_anonymity_k: 10}``.
    """

    tables: str | None = None
    thresholds: tuple[dict[str, Any], ...] = ()

    @model_validator(mode="after")
    def _one_way(self) -> "StatedMapping":
        if (self.tables is None) == (not self.thresholds):
            raise ValueError(
                "state one of {tables: 'tables/*.csv'} and {thresholds: "
                "[{k_anonymity_k: 10}]}."
            )
        return self

    @model_validator(mode="after")
    def _a_pattern(self) -> "StatedMapping":
        if self.tables is None:
            return self
        if _ADDRESS.match(self.tables):
            raise ValueError("tables: name files of a folder, and no address.")
        try:
            Template(self.tables).check()
        except ParameterError as error:
            raise ValueError(f"tables: {error}") from None
        if not glob.has_magic(TOKEN.sub("", self.tables)):
            shown = shortened(self.tables.rstrip("/"))
            raise ValueError(f"tables: write a pattern, such as {shown}/*.csv.")
        return self

    @property
    def swept(self) -> set[str]:
        """Thresholds that items tighten."""
        return {key for asked in self.thresholds for key in asked}

    def refuse_misfits(self, config: "ReleaseConfig") -> None:
        """Refuse what does not go together with the rest of the file."""
        try:
            if self.tables is not None:
                self._refuse_other_source(config)
                self._refuse_other_periods(self.tables, config)
            else:
                item_names(config.thresholds, self.thresholds)
        except ConfigurationError as error:
            raise ValueError(f"airflow.map.{error}") from None

    def _refuse_other_source(self, config: "ReleaseConfig") -> None:
        if config.source.path is not None:
            raise ConfigurationError(
                "tables: names the tables, and source.path does so, too; leave "
                "source.path out and state their kind, as in source: {kind: csv}."
            )

    def _refuse_other_periods(self, tables: str, config: "ReleaseConfig") -> None:
        template = Template(tables)
        if not template.holds_period:
            return
        target = Template(config.target.path)
        if not target.holds_period or grain_of([template, target]) != config.grain:
            raise ConfigurationError(
                "tables: holds a period; write the same period into target.path, as "
                "in published/{period:%Y-%m}, so that each has a folder of its own."
            )


def item_names(
    thresholds: tuple[Threshold, ...],
    sweep: Sequence[Mapping[str, Any]],
    ways: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, tuple[Threshold, ...]]:
    """The thresholds of each item of a sweep, by the name that its numbers give it.

    Parameters
    ----------
    thresholds : tuple of Threshold
        What the file states.
    sweep : sequence of mappings
        Numbers that tighten them.
    ways : mapping, optional
        Which way asks for more, as models declare it. Without it the common words are
        judged, and other parameters are left for later.

    Raises
    ------
    ConfigurationError
        For an unknown key, a number that asks for less, and two items of one name.

    Examples
    --------
    >>> asked = (Threshold.read({"model": "k-anonymity", "k": 5}),)
    >>> list(item_names(asked, [{"k_anonymity_k": 5}, {"k_anonymity_k": 10}]))
    ['k_anonymity_k-5', 'k_anonymity_k-10']
    """
    params = {t.key(param): param for t in thresholds for param in t.numbers()}
    found: dict[str, tuple[Threshold, ...]] = {}
    before: list[dict[str, Any]] = []
    for number, asked in enumerate(sweep):
        key = f"thresholds.{number}"
        if not asked:
            raise ConfigurationError(f"{key}: name at least one threshold.")
        judged = {
            name: value
            for name, value in asked.items()
            if ways is not None or params.get(name, "k") in COMMON_WORDS
        }
        try:
            tightened = tighten(thresholds, judged, ways)
        except ConfigurationError as error:
            raise ConfigurationError(f"{key}: {error}") from None
        numbers = {t.key(p): n for t in tightened for p, n in t.numbers().items()}
        shown = {name: numbers[name] if name in judged else asked[name]
                 for name in params if name in asked}  # fmt: skip
        name = safe_name("_".join(f"{k}-{value}" for k, value in shown.items()))
        if name in found or shown in before:  # 5.0 is 5
            raise ConfigurationError(f"{key}: {name} is stated twice.")
        before.append(shown)
        found[name] = tightened
    return found


def safe_name(given: str) -> str:
    """A name as a part of the name of a file, without ``--``; empty if nothing is left.

    Examples
    --------
    >>> safe_name("St. Gallen -- (2026)")
    'St._Gallen_-_2026'
    """
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", given)
    return re.sub(r"-{2,}", "-", plain).strip("_.-")
