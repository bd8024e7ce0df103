"""What strangers' code says is not repeated: it may quote a cell."""

import logging
import re
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    AnonymizationError,
    DataError,
    DuplicatesWarning,
    GateError,
    InfeasibleError,
    NotEvaluable,
    ParameterError,
    ReleaseError,
    check_choice,
)
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import DistinctLDiversity
from anon_transformers.registry import registry
from anon_transformers.release import (
    anonymize,
    check_release,
    load,
    publish,
    run_release,
    validate,
)

pytestmark = pytest.mark.gx
NAME_MARK, JOB_MARK = "NAMEMARK", "JOBMARK"


def text_of(error):
    """Everything that any logger could print of an error."""
    chain, seen = error, []
    while chain is not None:
        seen += [*traceback.format_exception(chain), repr(chain)]
        chain = chain.__cause__ or chain.__context__
    return "\n".join(seen)


class Gossip(Exception):
    """An error of a stranger that quotes a cell."""


@pytest.mark.parametrize(
    "error",
    [
        Gossip(f"cannot convert {NAME_MARK}3"),
        ValueError(f"bad value {NAME_MARK}3"),
        KeyError(f"{NAME_MARK}3"),
        TypeError(f"unexpected argument {NAME_MARK}3"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_strangers_words_do_not_surface(release, monkeypatch, caplog, capfd, error):
    def gossip(self, X, y=None):
        raise error

    run = load(release.file)
    monkeypatch.setattr(MondrianAnonymizer, "fit_transform", gossip)
    with caplog.at_level(logging.DEBUG), pytest.raises(ReleaseError) as caught:
        anonymize(run)
    assert f"anonymize failed with {type(error).__name__}" in str(caught.value)
    for text in (text_of(caught.value), caplog.text, *capfd.readouterr()):
        assert NAME_MARK not in text
    kept = Path(run) / "anonymize.error"
    assert str(kept) in str(caught.value)
    assert NAME_MARK in kept.read_text()  # for the owner of the private folder
    monkeypatch.undo()
    assert publish(validate(anonymize(run)))
    assert not kept.exists()


@pytest.mark.parametrize(
    "error", [Gossip(NAME_MARK), TypeError(f"bad argument {NAME_MARK}")]
)
def test_a_readers_words_do_not_surface(release, registered, error):
    def gossip(path):
        raise error

    registered("readers", "gossip", gossip)
    release.write(source={"kind": "gossip", "path": "people.csv"})
    with pytest.raises(ReleaseError, match="load failed with") as caught:
        load(release.file)
    assert NAME_MARK not in text_of(caught.value)
    assert "call the reader, writer or method by itself" in str(caught.value)
    assert release.nothing_written()


class GossipOfANetwork(OSError):
    """As those of requests: an error of the system without its number."""


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            FileNotFoundError(2, "gone", f"/x/{NAME_MARK}3"),
            FileNotFoundError,
            "No such",
        ),
        (GossipOfANetwork(f"404 for ?name={NAME_MARK}3"), OSError, "GossipOfANetwork"),
        (OSError(f"{NAME_MARK}3", "odd number"), OSError, "failed with OSError"),
        (ConnectionError(f"lost at {NAME_MARK}3"), OSError, "ConnectionError"),
    ],
)
@pytest.mark.parametrize("where", ["fit_transform", "suppressed_mask_", "report_"])
def test_a_strangers_trouble_with_files_is_told_by_type(
    release, registered, caplog, capfd, error, kind, message, where
):
    class Gossiping(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            table = super().fit_transform(X)
            if where == "fit_transform":
                raise error
            vars(self)["gossips"] = True
            return table

        def __getattribute__(self, name):
            if name == where and "gossips" in object.__getattribute__(self, "__dict__"):
                raise error
            return super().__getattribute__(name)

    registered("anonymizers", "gossiping", Gossiping)
    drop = {"suppression": "drop", "suppression_limit": 0.5}
    release.write(anonymizer=release.mondrian(name="gossiping", **drop))
    run = load(release.file)
    with caplog.at_level(logging.DEBUG), pytest.raises(kind, match=message) as caught:
        anonymize(run)
    assert not isinstance(caught.value, AnonymizationError)  # a scheduler tries again
    for text in (text_of(caught.value), caplog.text, *capfd.readouterr()):
        assert NAME_MARK not in text
    assert NAME_MARK in (Path(run) / "anonymize.error").read_text()


def test_trouble_of_strangers_readers_and_writers_is_told_by_type(release, registered):
    def read(path):
        raise ConnectionError(f"lost at {NAME_MARK}3")

    def write(frame, path):
        raise PermissionError(13, "no", f"/{frame['job'][0]}")

    registered("readers", "far", read)
    registered("writers", "far", write)
    release.write(source={"kind": "far", "path": "people.csv"})
    with pytest.raises(OSError, match=r"load failed with ConnectionError\.") as caught:
        load(release.file)
    assert NAME_MARK not in text_of(caught.value)
    release.write(
        source={"path": "people.csv"}, target={"path": "out", "format": "far"}
    )
    with pytest.raises(PermissionError, match="Permission denied: anony") as caught:
        anonymize(load(release.file))
    assert JOB_MARK not in text_of(caught.value)


def test_our_own_trouble_with_files_keeps_its_words(release):
    run = Path(load(release.file))
    (run / ".candidate.draft").write_text("")
    with pytest.raises(FileExistsError, match=r"\.candidate\.draft"):
        anonymize(str(run))


def test_details_that_cannot_be_kept_are_not_told_instead(release, monkeypatch):
    def gossip(self, X, y=None):
        raise Gossip(f"cannot convert {NAME_MARK}3")

    run = load(release.file)
    (Path(run) / "anonymize.error").mkdir()
    monkeypatch.setattr(MondrianAnonymizer, "fit_transform", gossip)
    with pytest.raises(ReleaseError, match="could not be kept") as caught:
        anonymize(run)
    assert NAME_MARK not in text_of(caught.value)


@pytest.mark.filterwarnings("default")
def test_warnings_of_strangers_are_counted(release, registered, caplog, recwarn):
    class Warning_(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            warnings.warn(f"could not place {X['name'][3]!r}", stacklevel=1)
            warnings.warn(f"{X['name'][4]!r} neither", RuntimeWarning, stacklevel=1)
            # A class of ours, and a line of ours, do not make it our warning.
            warnings.warn(f"{X['name'][5]!r}", DuplicatesWarning, stacklevel=1)
            warnings.warn(f"{X['name'][6]!r}", DuplicatesWarning, stacklevel=2)
            return super().fit_transform(X)

    registered("anonymizers", "warning", Warning_)
    release.write(anonymizer=release.mondrian(name="warning"))
    anonymize(load(release.file))
    assert not list(recwarn)
    assert "anonymize: 4 warnings of other code are not shown" in caplog.text
    assert NAME_MARK not in caplog.text


def chained(X):
    try:
        int(X["name"].iloc[3])
    except ValueError as error:
        raise DataError("column 'name' holds no numbers.") from error


def quoting(X):
    raise DataError(f"cannot read {X['name'].iloc[3]!r}")


def wrapped(X):
    try:
        quoting(X)
    except DataError:
        check_choice("mode", "odd", ("strict",))


def noted(X):
    try:
        check_choice("mode", "odd", ("strict",))
    except ParameterError as error:
        error.add_note(f"while in {X['name'].iloc[3]!r}")
        raise


@pytest.mark.parametrize("gossip", [chained, quoting, wrapped, noted])
def test_strangers_do_not_speak_by_our_errors(release, registered, gossip, caplog):
    class Gossiping(MondrianAnonymizer):
        def fit_transform(self, X, y=None):
            gossip(X)

    registered("anonymizers", "gossiping", Gossiping)
    release.write(anonymizer=release.mondrian(name="gossiping"))
    run = load(release.file)
    with pytest.raises(AnonymizationError) as caught:
        anonymize(run)
    assert NAME_MARK not in text_of(caught.value)
    assert NAME_MARK not in caplog.text
    if gossip is not noted:  # where the words are ours
        assert re.match(r"anonymize failed with \w+\.", str(caught.value))


def test_what_our_code_says_through_a_stranger_passes(release, registered):
    class Passing(MondrianAnonymizer):
        def fit_transform(self, X, y=None):
            return super().fit_transform(X.head(2))

    registered("anonymizers", "passing", Passing)
    release.write(anonymizer=release.mondrian(name="passing"))
    with pytest.raises(InfeasibleError, match="needs at least as many") as caught:
        anonymize(load(release.file))
    assert caught.value.__context__ is None


def test_a_strangers_model_is_told_by_type(release, registered):
    @dataclass(frozen=True)
    class Mine(DistinctLDiversity):
        name: ClassVar[str] = "mine"

        def satisfied(self, evidence):
            raise NotEvaluable(f"odd value {JOB_MARK}")

    registered("privacy_models", "mine", Mine)
    thresholds = [{"model": "k-anonymity", "k": 3}, {"model": "mine", "l": 2}]
    release.write(thresholds=thresholds, anonymizer=release.mondrian(k=3, models=[]))
    with pytest.raises(GateError, match=r"mine: .*NotEvaluable") as caught:
        run_release(release.file)
    assert JOB_MARK not in text_of(caught.value)
    for file in release.work.rglob("verdict.json"):
        assert JOB_MARK not in file.read_text()


@pytest.mark.parametrize("calls", [1, 2])
def test_a_strangers_hierarchy_is_told_by_type(release, registered, calls):
    """Whether it is asked by an anonymizer, or by the gate."""
    asked = []

    class Quoting(registry().hierarchy_builders["masking"]):
        def build(self, values):
            asked.append(values)
            if len(asked) >= calls:
                raise DataError(f"cannot place {NAME_MARK}")
            return super().build(values)

    registered("hierarchy_builders", "quoting", Quoting)
    release.write(
        hierarchies={
            "zip": {"kind": "quoting", "length": 3},
            "age": {"kind": "intervals", "widths": [10]},
        },
        anonymizer={"name": "full-domain"},
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    with pytest.raises(AnonymizationError, match="DataError") as caught:
        run_release(release.file)
    assert NAME_MARK not in text_of(caught.value)


def test_a_column_that_no_file_can_hold_leaves_nothing(release, registered):
    def odd(path):
        frame = pd.read_csv(path, dtype=str)
        return frame.assign(note=[complex(number % 2) for number in range(len(frame))])

    registered("readers", "odd", odd)
    release.write(source={"kind": "odd", "path": "people.csv"})
    with pytest.raises(ReleaseError, match="load failed with"):
        load(release.file)
    assert release.runs() == []
    assert not list(release.home.rglob("input*"))


@pytest.mark.parametrize("where", ["_check_parameters", "_check_release"])
def test_what_a_plugin_says_of_its_parameters_is_shown(release, registered, where):
    """No table has been handed to it, whose cells it could quote."""

    class Banded(MondrianAnonymizer):
        def __getattribute__(self, name):
            if name == where:
                raise ParameterError("width must be above 0, got -1.")
            return super().__getattribute__(name)

    registered("anonymizers", "banded", Banded)
    release.write(anonymizer=release.mondrian(name="banded"))
    for use in (check_release, load):
        with pytest.raises(AnonymizationError) as caught:
            use(release.file)
        said = "anonymizer banded: width must be above 0, got -1."
        assert str(caught.value).endswith(said)
    assert not (release.folder / "out").exists()
