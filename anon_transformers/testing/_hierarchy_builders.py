"""The contract of hierarchy builders."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anon_transformers.hierarchies import Hierarchy, HierarchyBuilder
from anon_transformers.testing._contract import (
    Check,
    bind,
    check_is_frozen_value,
    instances_of,
    require,
    run,
)

FEWEST = 4
"""Values that the checks need: with fewer, two halves say little."""


@dataclass(frozen=True)
class BuilderTrial:
    """A builder, and values that it builds a hierarchy of."""

    builder: Any
    values: tuple[str, ...]

    def rows(self, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Each value with its generalizations, the root last."""
        return {row[0]: row[1:] for row in self.builder.build(list(values)).rows}


def hierarchy_builder_checks(builder: Any, values: Sequence[str]) -> Iterator[Check]:
    """Yield the contract checks of a hierarchy builder, by name.

    Parameters
    ----------
    builder, values
        As in :func:`check_hierarchy_builder`.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    texts = tuple(dict.fromkeys(values))
    require(
        len(texts) >= FEWEST and all(isinstance(text, str) for text in texts),
        f"The checks need {FEWEST} distinct values, as texts.",
        f"{len(texts)} values",
    )
    trials = [
        BuilderTrial(one, texts) for one in instances_of(builder, or_default=True)
    ]
    yield from bind(builder, trials, lambda _: CHECKS)


def check_hierarchy_builder(
    builder: Any, values: Sequence[str], *, verbose: bool = False
) -> None:
    """Check a hierarchy builder against the contract.

    Parameters
    ----------
    builder : hierarchy builder instance or class
        A class is checked on its ``test_instances()``, or else on its default.
    values : sequence of str
        Four or more values that it is meant for, as texts.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers.hierarchies import Intervals
    >>> from anon_transformers.testing import check_hierarchy_builder
    >>> check_hierarchy_builder(Intervals(widths=(5, 10)), ["17", "34", "35", "90"])
    """
    run(builder, hierarchy_builder_checks(builder, values), verbose=verbose)


def check_builder_is_frozen_value(trial: BuilderTrial) -> None:
    """Equal parameters make equal, hashable, unchangeable objects."""
    kind = type(trial.builder)
    require(
        isinstance(trial.builder, HierarchyBuilder),
        "A hierarchy builder is a subclass of HierarchyBuilder.",
        kind.__name__,
    )
    check_is_frozen_value(trial.builder)


def check_every_value_has_levels(trial: BuilderTrial) -> None:
    """A hierarchy that holds each value, and ends in one root."""
    sentence = "build() makes a Hierarchy that has a row for every value."
    made = trial.builder.build(list(trial.values))
    require(isinstance(made, Hierarchy), sentence, f"a {type(made).__name__}")
    held = {row[0] for row in made.rows}
    lacking = [value for value in trial.values if value not in held]
    require(not lacking, sentence, f"none of {lacking[:1]}")
    roots = {row[-1] for row in made.rows}
    require(len(roots) == 1, "The last level has one label.", f"{sorted(roots)}")


def check_order_of_values_does_not_matter(trial: BuilderTrial) -> None:
    """The order of the source must not show in labels."""
    one, other = trial.rows(trial.values), trial.rows(trial.values[::-1])
    different = [value for value in one if one[value] != other[value]]
    require(
        not different,
        "The order of the values does not matter.",
        f"other labels of {different[:1]}",
    )


def check_no_values_give_the_root(trial: BuilderTrial) -> None:
    """A column may be empty."""
    levels = trial.builder.build([]).rows
    require(
        len(levels) == 1,
        "A column without any value gets the root alone.",
        f"{len(levels)} rows",
    )


def check_labels_do_not_tell_of_other_values(trial: BuilderTrial) -> None:
    """A label made of all values shows who was suppressed, unless it is said."""
    if trial.builder.extremes:
        return
    whole = trial.rows(trial.values)
    for part in (trial.values[::2], trial.values[1::2], trial.values[:-1]):
        some = trial.rows(part)
        different = [value for value in some if some[value] != whole[value]]
        require(
            not different,
            "Labels of a value do not depend on the others; where they do, the "
            "property extremes says so, in a sentence.",
            f"{different[:1]} with other labels among {len(part)} values",
        )


CHECKS: tuple[Callable[[BuilderTrial], None], ...] = (
    check_builder_is_frozen_value,
    check_every_value_has_levels,
    check_order_of_values_does_not_matter,
    check_no_values_give_the_root,
    check_labels_do_not_tell_of_other_values,
)
