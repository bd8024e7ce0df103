"""How a contract check is run, and what it says when it fails."""

import pickle
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from functools import partial
from inspect import isfunction
from typing import Any

from anon_transformers.exceptions import (
    ExtraSuppressionWarning,
    PluginError,
    RepeatedIdentifierWarning,
    SpellingWarning,
)
from anon_transformers.registry import Catalog

Check = tuple[str, Callable[[], None]]


def require(holds: Any, sentence: str, found: str) -> None:
    """Raise unless ``holds``: first the sentence that is broken, then what was found.

    Examples
    --------
    >>> require(1 + 1 == 3, "Sums are right.", "1 + 1 is 2")
    Traceback (most recent call last):
    AssertionError: Sums are right. Found: 1 + 1 is 2.
    """
    if not holds:
        raise AssertionError(f"{sentence} Found: {found}.")


def instances_of(subject: Any, *, or_default: bool = False) -> list[Any]:
    """Those a class names itself, or else its default; an instance stands for itself.

    Without ``or_default`` a class must name some.
    """
    if not isinstance(subject, type):
        return [subject]
    if or_default and not hasattr(subject, "test_instances"):
        return [subject()]
    sentence = "test_instances() names the configurations that the checks run on."
    maker = getattr(subject, "test_instances", None)
    require(maker is not None, sentence, f"{subject.__name__} has no such class method")
    instances = list(maker())  # type: ignore[misc]
    require(instances, sentence, "an empty list")
    strange = [i for i in instances if not isinstance(i, subject)]
    require(not strange, sentence, f"{len(strange)} objects of another class")
    return instances


def bind(
    subject: Any, instances: Sequence[Any], checks: Callable[[Any], Iterable[Callable]]
) -> Iterator[Check]:
    """Name each check; where a class stands for several, say for which instance."""
    for instance in instances:
        prefix = f"{_one_line(instance)}-" if isinstance(subject, type) else ""
        for check in checks(instance):
            yield prefix + check.__name__, partial(_run, check, instance)


def _run(check: Callable[[Any], None], instance: Any) -> None:
    """Run a check; the examples are small, spell values variously, repeat persons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtraSuppressionWarning)
        warnings.simplefilter("ignore", SpellingWarning)
        warnings.simplefilter("ignore", RepeatedIdentifierWarning)
        check(instance)


def run(subject: Any, checks: Iterable[Check], *, verbose: bool = False) -> None:
    """Run every check, and report all that failed at once.

    With ``verbose`` the error stream says which check runs, and how it ended; and the
    report names every check that failed.
    """
    failures: list[tuple[str, str]] = []
    first: Exception | None = None
    listed = list(checks)
    for at, (name, check) in enumerate(listed, 1):
        started = time.perf_counter()
        if verbose:
            print(f"[{at}/{len(listed)}] {name} ", end="", file=sys.stderr, flush=True)
        failure = None
        try:
            check()
        except AssertionError as error:
            failure, first = str(error), first or error
        except Exception as error:  # whatever a stranger's class raises
            failure = f"raised {type(error).__name__}: {error}"
            first = first or error
        if failure is not None:
            failures.append((name, failure))
        if verbose:
            ended = "passed" if failure is None else "FAILED"
            seconds = time.perf_counter() - started
            print(f"{ended} in {seconds:.1f} s", file=sys.stderr, flush=True)
    if failures:
        told = "\n".join(f"- {cause}" for cause in folded(failures, verbose=verbose))
        raise AssertionError(
            f"{_one_line(subject)} fails {len(failures)} of {len(listed)} contract "
            f"checks:\n{told}"
        ) from first


def folded(failures: Iterable[tuple[str, str]], *, verbose: bool = False) -> list[str]:
    """Failures by what they say: first the cause, then in which checks it was met.

    Examples
    --------
    >>> failed = [("check_a", "No rows."), ("check_b", "No rows."), ("check_c", "Odd.")]
    >>> folded(failed)
    ['No rows. (in 2 checks, the first: check_a)', 'Odd. (in check_c)']
    >>> folded(failed, verbose=True)
    ['No rows. (in 2 checks: check_a, check_b)', 'Odd. (in check_c)']
    """
    by_cause: dict[str, list[str]] = {}
    for name, cause in failures:
        by_cause.setdefault(cause, []).append(name)
    return [f"{cause} (in {_where(met, verbose)})" for cause, met in by_cause.items()]


def _where(names: Sequence[str], verbose: bool) -> str:
    if len(names) == 1:
        return names[0]
    if verbose:
        return f"{len(names)} checks: {', '.join(names)}"
    return f"{len(names)} checks, the first: {names[0]}"


def require_legal_name(kind: str, item: Any) -> None:
    """Ask the registry whether it would take the object under its own name.

    ``kind`` is the word that the registry has for it.
    """
    sentence = "Names in configurations are lower case with hyphens."
    try:
        Catalog(kind).add(item.name, type(item), owner=type(item).__name__)
    except PluginError as error:
        raise AssertionError(f"{sentence} Found: {error}") from None


def _one_line(subject: Any) -> str:
    if isinstance(subject, type) or isfunction(subject):
        return subject.__name__
    return " ".join(repr(subject).split())


def check_is_frozen_value(item: Any) -> None:
    """Equal parameters make equal, hashable, unchangeable objects."""
    sentence = "A privacy model, metric or attack is a frozen dataclass."
    require(is_dataclass(item), sentence, f"{type(item).__name__} is no dataclass")
    require(_is_frozen(item), sentence, f"{type(item).__name__} can be changed")
    sentence = "Equal parameters make equal, hashable objects that survive a pickle."
    twin = replace(item)
    require(twin == item, sentence, "an equal copy that is another")
    try:
        same = hash(twin) == hash(item)
    except TypeError as error:
        raise AssertionError(f"{sentence} Found: {error}.") from error
    require(same, sentence, "two hashes")
    require(
        pickle.loads(pickle.dumps(item)) == item, sentence, "another after a pickle"
    )


def _is_frozen(item: Any) -> bool:
    """Try to change a copy, so that the caller's object stays as it is."""
    name = next((field.name for field in fields(item)), "name")
    changed = copy(item)
    try:
        setattr(changed, name, getattr(item, name))
    except FrozenInstanceError:
        return True
    return False
