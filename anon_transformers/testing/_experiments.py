"""The contract of experiments."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from anon_transformers.registry import first_line
from anon_transformers.testing._contract import Check, bind, require, run

FINDINGS = ("title", "numbers", "runs", "summary")


@dataclass
class ExperimentTrial:
    """An experiment that is run once for all checks."""

    experiment: type
    reported: list[tuple[Any, ...]] = field(default_factory=list)
    found: Any = None

    def findings(self) -> Any:
        """What it finds, as ``anon reproduce`` asks for it."""
        if self.found is None:
            self.found = self.experiment().run(self._report)
        return self.found

    def _report(self, done: int, total: int, name: str) -> None:
        self.reported.append((done, total, name))


def experiment_checks(experiment: type) -> Iterator[Check]:
    """Yield the contract checks of an experiment, by name.

    Parameters
    ----------
    experiment : class
        As in :func:`check_experiment`.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    yield from bind(None, [ExperimentTrial(experiment)], lambda _: CHECKS)


def check_experiment(experiment: type, *, verbose: bool = False) -> None:
    """Check an experiment against the contract.

    It is run once, with its options as they are by default.

    Parameters
    ----------
    experiment : class
        As it is registered.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.
    """
    run(experiment, experiment_checks(experiment), verbose=verbose)


def check_summary(trial: ExperimentTrial) -> None:
    """What ``anon list`` shows of it."""
    summary = first_line(trial.experiment)
    require(
        summary.endswith("."),
        "The first line of an experiment's docstring is a sentence.",
        repr(summary),
    )


def check_options_are_named(trial: ExperimentTrial) -> None:
    """``anon reproduce NAME`` takes them, and runs without any."""
    parameters = inspect.signature(trial.experiment).parameters.values()
    loose = [p.name for p in parameters if p.kind in {p.VAR_POSITIONAL, p.VAR_KEYWORD}]
    sentence = "The constructor names its options, and each has a default."
    require(not loose, sentence, f"*{loose}")
    needed = [p.name for p in parameters if p.default is p.empty]
    require(not needed, sentence, f"{needed} without one")


def check_findings(trial: ExperimentTrial) -> None:
    """What was published, what is found, and why they differ."""
    found = trial.findings()
    lacking = [name for name in FINDINGS if not hasattr(found, name)]
    require(
        not lacking,
        "run() returns the Findings of anon_transformers.experiments.",
        f"a {type(found).__name__} without {lacking}",
    )
    require(len(found.numbers), "Findings hold a number.", "none")
    require(isinstance(found.summary(), str), "summary() is a line.", "no text")


def check_progress_counts_up(trial: ExperimentTrial) -> None:
    """A bar that runs back, or past its end, tells nothing."""
    trial.findings()
    wrong = [(done, of) for done, of, _ in trial.reported if not 0 <= done <= of]
    require(
        not wrong,
        "progress(done, total, name) is called with at most total runs done.",
        f"{wrong[:1]}",
    )


CHECKS: tuple[Callable[[ExperimentTrial], None], ...] = (
    check_summary,
    check_options_are_named,
    check_findings,
    check_progress_counts_up,
)
