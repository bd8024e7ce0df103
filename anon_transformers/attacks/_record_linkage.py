"""Record linkage: a register is joined with the release by probability, with splink."""

import importlib
import logging
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._linkage import linked_columns
from anon_transformers.attacks._places import PairedColumn, pair
from anon_transformers.exceptions import NotEvaluable, ParameterError, unknown_choice
from anon_transformers.parameters import real

EXTRA = "splink"
MOST_PAIRS = 4_000_000
"""Pairs of a record and a person that are compared."""
SIMILAR = 0.9
"""Jaro-Winkler similarity from which on two texts may be one, misspelled."""
DIGITS = 9
"""Match weights that agree so far are equal."""


@dataclass(frozen=True)
class RecordLinkage(Attack):
    """Find records that a probabilistic linkage gives to one person of a register.

    The intruder has an external table whose columns may be misspelled or out of date,
    and compares every person with every record by the model of Fellegi and Sunter, as
    splink estimates it from the two tables alone. In each column a record agrees with a
    person exactly, covers the person's value, is a similar text, or disagrees; each
    adds to the weight of the pair or takes from it. A link is made where a record is
    the one best of a person, the person is the one best of the record, and the
    probability of the pair is large enough. Those records are exposed.

    Parameters
    ----------
    on : column, sequence of columns or mapping of column to column, optional
        Columns to link on; a mapping names their counterparts in the external table.
        Default: the quasi-identifiers that the external table has too.
    probability : float, default=0.9
        Probability from which on the intruder believes in a link.
    key : column, optional
        Tells in the original and in the external table which rows are one person's; no
        intruder knows it. Row i of the original is that of row i of the release. With
        it, links that are wrong expose nobody.

    Notes
    -----
    ``details`` has the pairs that were compared, the links, and with ``key`` those that
    are true and the persons of the register who are in the release. A suppressed or
    missing cell says nothing for or against a pair. Texts are similar from a
    Jaro-Winkler similarity of 0.9 on, which a slip in a short name does not reach: such
    a person may stay unlinked, whom a patient intruder would find. Records of a class
    that are alike in all columns are equally good, and none of them is linked. Needs
    the extra ``splink``.

    See Also
    --------
    LinkageAttack : The same by values that fit exactly, without a probability.

    References
    ----------
    .. [1] I. P. Fellegi and A. B. Sunter, "A theory for record linkage", Journal of the
       American Statistical Association 64, 1969.
    .. [2] R. Linacre et al., "Splink: free software for probabilistic record linkage at
       scale", International Journal of Population Data Science 7 (3), 2022.
    """

    on: Hashable | Sequence[Hashable] | Mapping[Any, Hashable] | None = None
    probability: float = 0.9
    key: Hashable | None = None
    name: ClassVar[str] = "record-linkage"
    needs: ClassVar[tuple[str, ...]] = ("release", "external")
    meaning: ClassVar[str] = (
        "Of all named persons this one fits the record best, and probably is the one: "
        "the rest of the record is known to be that person's."
    )
    remedy: ClassVar[str] = (
        "Make quasi-identifiers of what others know, even roughly, and ask for "
        "k-anonymity."
    )

    def __post_init__(self) -> None:
        real("probability", self.probability, 0, 1)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        splink = _splink(self.name)
        external = attack_input.external
        assert external is not None
        on = linked_columns(self.name, self.on, attack_input, external)
        n_pairs = attack_input.rows * len(external)
        if not len(external):
            raise NotEvaluable(f"{self.name}: the external table is empty.")
        if n_pairs > MOST_PAIRS:
            raise NotEvaluable(
                f"{self.name}: {n_pairs:,} pairs are more than {MOST_PAIRS:,}; take a "
                "sample of the external table."
            )
        person_of_row = self._truth(attack_input, external)
        compared = [
            _Compared.of(attack_input, external, name, other)
            for name, other in on.items()
        ]
        links = best_links(
            _scores(splink, compared, (attack_input.rows, len(external))),
            self.probability,
        )
        true = links
        details: dict[str, Any] = {
            "columns_linked": [str(name) for name in on],
            "persons": len(external),
            "links": len(links),
        }
        if person_of_row is not None:
            codes, of_persons = person_of_row
            right = codes[links["row"]] == of_persons[links["person"]]
            true = links[right & (codes[links["row"]] >= 0)]
            details["true_links"] = len(true)
            details["persons_in_release"] = int(np.isin(of_persons, codes).sum())
        exposed = np.zeros(attack_input.rows, dtype=bool)
        exposed[true["row"]] = True
        return AttackResult(
            exposed,
            "pairs",
            n_pairs,
            len(true),
            details,
            lambda: _joined(attack_input.release, external, true),
        )

    def _truth(
        self, attack_input: AttackInput, external: pd.DataFrame
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """A number for the person of each record, and of each row of the register."""
        if self.key is None:
            return None
        original = attack_input.original
        if original is None:
            raise NotEvaluable(f"{self.name}: key needs the original.")
        if len(original) != attack_input.rows:
            raise NotEvaluable(
                f"{self.name}: the original has {len(original)} rows and the release "
                f"{attack_input.rows}; which belong together is not known."
            )
        for table in (original, external):
            if self.key not in table.columns:
                raise ParameterError(
                    f"key: {unknown_choice('column', self.key, table.columns)}"
                )
        texts = [
            identify(table[self.key]).texts_of_codes()[identify(table[self.key]).codes]
            for table in (original, external)
        ]
        codes, _ = pd.factorize(np.concatenate(texts))
        return codes[: len(original)], codes[len(original) :]


def _splink(attack: str) -> Any:
    """The library, or how to get it."""
    try:
        return importlib.import_module("splink")
    except ImportError:
        raise NotEvaluable(
            f"{attack} needs splink: pip install 'anon-transformers[{EXTRA}]'."
        ) from None


@dataclass(frozen=True)
class _Compared:
    """One column of both tables, as splink compares it.

    Attributes
    ----------
    codes : pair of int arrays
        Code of each row.
    texts : pair of object arrays
        Text of each code; None where nothing is known.
    covered : list of int lists
        For each code of the release, the codes of the external table that it covers.
    """

    codes: tuple[np.ndarray, np.ndarray]
    texts: tuple[np.ndarray, np.ndarray]
    covered: list[list[int]]

    @classmethod
    def of(
        cls,
        attack_input: AttackInput,
        external: pd.DataFrame,
        name: Hashable,
        other: Hashable,
    ) -> "_Compared":
        label = attack_input.suppression_label
        one, two = identify(attack_input.release[name]), identify(external[other])
        tree = attack_input.hierarchy(name)
        if tree is not None and not _has_all(tree, two):
            tree = None  # what is misspelled is in no hierarchy; labels are read alone
        places = pair(one, two, tree, label)
        texts = [side.astype(object).copy() for side in places.texts]
        texts[0][texts[0] == label] = None
        fits = _fits(places)
        covered = [np.flatnonzero(line).tolist() for line in fits]
        return cls((one.codes, two.codes), (texts[0], texts[1]), covered)

    def columns(self, number: int, side: int) -> dict[str, Any]:
        """Columns of one table, in lists."""
        codes, texts = self.codes[side], self.texts[side]
        of_row = self.covered if side == 0 else [[] for _ in texts]
        return {
            f"text_{number}": [texts[code] for code in codes],
            f"code_{number}": [int(code) if side else -1 for code in codes],
            f"covers_{number}": [of_row[code] for code in codes],
        }


def _has_all(tree: Any, column: Any) -> bool:
    return set(column.texts()) <= set(tree.leaves)


def _fits(places: PairedColumn) -> np.ndarray:
    """Which codes of two sides have a value in common."""
    left, right = places.left, places.right
    if places.table is not None:
        return places.table[np.ix_(left[:, 0], right[:, 0])] >= 0
    low = np.maximum(left[:, None, 0], right[None, :, 0])
    high = np.minimum(left[:, None, 1], right[None, :, 1])
    return low <= high


def _scores(
    splink: Any, compared: Sequence[_Compared], sizes: tuple[int, int]
) -> pd.DataFrame:
    """Weight and probability of every pair of a record and a person.

    What splink raises may quote a cell, and is not repeated.
    """
    import pyarrow as pa

    logger, level = logging.getLogger("splink"), logging.getLogger("splink").level
    try:
        database = splink.DuckDBAPI()
        tables = []
        for side, size in enumerate(sizes):
            ids = np.arange(size) + side * sizes[0]
            columns: dict[str, Any] = {"unique_id": pa.array(ids)}
            for number, column in enumerate(compared):
                given = column.columns(number, side)
                for name, cells in given.items():
                    columns[name] = pa.array(cells, _arrow_type(pa, name))
            tables.append(database.register(pa.table(columns)))
        linker = splink.Linker(
            tables, _settings(splink, len(compared), sizes), log_level=logging.ERROR
        )
        linker.training.estimate_u_using_random_sampling(max_pairs=MOST_PAIRS + 1)
        linker.training.estimate_parameters_using_expectation_maximisation(
            "1=1", fix_probability_two_random_records_match=True
        )
        found = linker.inference.predict().as_pandas_dataframe()
    except Exception as error:
        fault = type(error).__name__
    else:
        ids = np.sort(found[["unique_id_l", "unique_id_r"]].to_numpy(), axis=1)
        return pd.DataFrame(
            {
                "row": ids[:, 0],
                "person": ids[:, 1] - sizes[0],
                "weight": found["match_weight"].to_numpy().round(DIGITS),
                "probability": found["match_probability"].to_numpy(),
            }
        )
    finally:
        logger.setLevel(level)
    raise NotEvaluable(f"record-linkage: splink stopped with {fault}.")


def _arrow_type(pa: Any, name: str) -> Any:
    kinds = {"text": pa.string(), "code": pa.int64(), "covers": pa.list_(pa.int64())}
    return kinds[name.split("_", maxsplit=1)[0]]


def _settings(splink: Any, n_columns: int, sizes: tuple[int, int]) -> Any:
    return splink.SettingsCreator(
        link_type="link_only",
        comparisons=[_comparison(number) for number in range(n_columns)],
        blocking_rules_to_generate_predictions=["1=1"],
        # Each person of the smaller table has one record in the other.
        probability_two_random_records_match=1 / (max(sizes) + 1),
        retain_matching_columns=False,
    )


def _comparison(number: int) -> dict[str, Any]:
    """How one column may agree, the best first."""
    text, code, covers = (f"{key}_{number}" for key in ("text", "code", "covers"))
    levels = {
        "exact": f"{text}_l = {text}_r",
        "covered": (
            f"list_contains({covers}_l, {code}_r) or "
            f"list_contains({covers}_r, {code}_l)"
        ),
        "similar": f"jaro_winkler_similarity({text}_l, {text}_r) >= {SIMILAR}",
        "other": "ELSE",
    }
    return {
        "output_column_name": f"column_{number}",
        "comparison_levels": [
            {
                "sql_condition": f"{text}_l is null or {text}_r is null",
                "label_for_charts": "unknown",
                "is_null_level": True,
            },
            *(
                {"sql_condition": condition, "label_for_charts": label}
                for label, condition in levels.items()
            ),
        ],
    }


def best_links(scores: pd.DataFrame, probability: float) -> pd.DataFrame:
    """Pairs that are each other's one best, and probable.

    Examples
    --------
    >>> scores = pd.DataFrame({"row": [0, 0, 1, 1], "person": [0, 1, 0, 1]})
    >>> scores["weight"], scores["probability"] = [5.0, 1.0, 1.0, 1.0], 0.95
    >>> best_links(scores, 0.9)[["row", "person"]].values.tolist()
    [[0, 0]]
    """
    best = scores
    for side in ("row", "person"):
        top = scores["weight"] == scores.groupby(side)["weight"].transform("max")
        alone = scores[side].map(scores[top].groupby(side).size()) == 1
        best = best[(top & alone).reindex(best.index)]
    return best[best["probability"] >= probability]


def _joined(
    release: pd.DataFrame, external: pd.DataFrame, links: pd.DataFrame
) -> pd.DataFrame:
    """Exposed records with the persons they are linked to."""
    links = links.sort_values("row")
    persons = external.iloc[links["person"]].set_axis(release.index[links["row"]])
    records = release.iloc[links["row"]]
    return pd.concat([records, persons.add_prefix("external: ")], axis=1)
