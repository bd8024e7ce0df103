"""Identifiers that are published as pseudonyms: whose they are, and what they link."""

import hashlib
import hmac
import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import GateError
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._pseudonyms import (
    VARIABLE,
    linked_classes,
    make_pseudonyms,
)
from tests.release.conftest import NAME_MARK, people

pytestmark = pytest.mark.gx
SECRET = "5e" * 32


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def by_the_book(cell, column, version, secret=SECRET):
    """RFC 5869 and RFC 2104, written out: one block of HKDF, and HMAC."""
    extracted = hmac.new(bytes(32), secret.encode(), hashlib.sha256).digest()
    info = ["anon-transformers", "pseudonym", column, "people", version]
    block = json.dumps(info).encode() + b"\x01"
    key = hmac.new(extracted, block, hashlib.sha256).digest()
    return hmac.new(key, cell.encode(), hashlib.sha256).hexdigest()[:32]


def with_pseudonyms(release, **changes):
    release.write(pseudonyms={"columns": ["name"]}, **changes)
    return release


def test_a_pseudonym_is_that_of_the_row(release):
    version = run_release(with_pseudonyms(release).file)
    table = read_published(version, labels="text")
    named = {by_the_book(row[0], "name", release.versions()[0]): row
             for row in people()[1:]}  # fmt: skip
    assert set(table["name"]) == set(named)
    for row in table.itertuples():
        assert (row.job, row.note) == tuple(named[row.name][3:])
    manifest = release.manifest()
    assert manifest["roles"]["pseudonyms"] == ["name"]
    for content in release.public_bytes().values():
        assert NAME_MARK.encode() not in content
        assert SECRET.encode() not in content
    private = [p for p in release.work.rglob("*") if p.is_file()]
    assert private
    assert not any(SECRET.encode() in path.read_bytes() for path in private)


def test_two_versions_have_no_pseudonym_in_common(release):
    with_pseudonyms(release)
    one, other = (
        read_published(run_release(release.file), labels="text") for _ in range(2)
    )
    assert set(one["name"]).isdisjoint(other["name"])


def lacking(release, n_rows):
    rows = people()
    for row in rows[1 : n_rows + 1]:
        row[0] = ""
    release.write_rows(rows)
    return with_pseudonyms(release)


def test_a_missing_identifier_has_none(release):
    table = read_published(run_release(lacking(release, 40).file), labels="text")
    assert table["name"].isna().all()


def test_few_rows_without_a_pseudonym_are_singled_out(release):
    with pytest.raises(GateError, match=r"level is 1; .* where pseudonyms link"):
        run_release(lacking(release, 3).file)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, f"the environment has no {VARIABLE}"),
        ("qj" * 15, f"{VARIABLE} has 30 bytes, and needs at least 32"),
    ],
)
def test_without_a_secret_nothing_starts(release, monkeypatch, given, words):
    if given is None:
        monkeypatch.delenv(VARIABLE)
    else:
        monkeypatch.setenv(VARIABLE, given)
    said = with_pseudonyms(release).refusal()
    assert words in said
    assert given is None or given not in said


def test_another_secret_at_the_gate_is_refused(release, monkeypatch):
    run = anonymize(load(with_pseudonyms(release).file))
    monkeypatch.setenv(VARIABLE, "6f" * 32)
    with pytest.raises(GateError, match="column 'name' has other pseudonyms in 40"):
        validate(run)


@pytest.mark.parametrize("column", ["age", "nme"])
def test_only_identifiers_have_pseudonyms(release, column):
    said = release.write(pseudonyms={"columns": [column]}) and release.refusal()
    assert "pseudonyms.columns" in said
    assert "name" in said


def test_a_swap_has_no_rows_that_a_pseudonym_could_stand_for(release):
    release.write(
        anonymizer={"name": "group-swap", "grouping": "individual-ranking"},
        thresholds=[{"model": "probabilistic-k-anonymity", "k": 3}],
    )
    assert "pseudonyms: group-swap" in with_pseudonyms(release).refusal()


# ---------------------------------------------------------------- rows of one person


def visits(same_class):
    """Each person twice: in one class both times, or in two."""
    rows = [["name", "age", "zip", "job", "note"]]
    for person in range(12):
        for visit in range(2):
            age = 20 if same_class else 20 + 20 * ((person + visit * person) % 2)
            job = f"JOBMARK-{'abc'[(person + visit) % 3]}"
            rows.append([f"{NAME_MARK}{person}", str(age), "007", job, "y"])
    return rows


def with_visits(release, same_class):
    release.write_rows(visits(same_class))
    roles = {**release.content["roles"], "subject": "name", "identifiers": []}
    thresholds = [{"model": "k-anonymity", "k": 6}]
    return with_pseudonyms(release, roles=roles, thresholds=thresholds)


def test_linked_rows_in_one_class_are_published(release):
    table = read_published(
        run_release(with_visits(release, same_class=True).file), labels="text"
    )
    assert table["name"].value_counts().tolist() == [2] * 12


def test_linked_rows_that_single_persons_out_are_refused(release):
    rows = visits(same_class=False)
    # One person of both classes; the others stay in one.
    for at, row in enumerate(rows[1:]):
        row[1] = "20" if at < 12 else "40"
    rows[1][1] = "40"
    with_visits(release, same_class=True).write_rows(rows)
    with pytest.raises(GateError) as caught:
        run_release(release.file)
    said = str(caught.value)
    assert "pseudonyms link the rows of a person" in said
    assert NAME_MARK not in said
    release.write(pseudonyms=None)
    assert run_release(release.file)


def test_a_run_may_be_taken_up_again(release):
    run = anonymize(load(with_pseudonyms(release).file))
    assert anonymize(run) == run
    version = publish(validate(run))
    assert len(read_published(version)) == 40


# ---------------------------------------------------------------- the kernel


def seen_by_an_intruder(classes, columns):
    """By the book: rows told apart by their class and by what is linked to them."""
    seen = [(int(one),) for one in classes]
    for _ in range(len(seen) + 1):
        seen = [
            (
                seen[row],
                *(
                    tuple(sorted(Counter(
                        repr(seen[other])
                        for other in range(len(seen))
                        if column[other] == column[row] and column[row] is not None
                    ).items()))
                    for column in columns
                ),
            )
            for row in range(len(seen))
        ]  # fmt: skip
        numbers = {one: at for at, one in enumerate(sorted(set(seen), key=repr))}
        seen = [(numbers[one],) for one in seen]
    return seen


ROWS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from(["x", "y", "z", None]),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("n_columns", [1, 2])
@given(rows=ROWS)
def test_classes_are_those_that_an_intruder_sees(n_columns, rows):
    classes = np.array([row[0] for row in rows])
    columns = [[row[at] for row in rows] for at in range(1, 1 + n_columns)]
    found = linked_classes(classes, [pd.Series(c, dtype=object) for c in columns])
    if all(len(set(c)) == len(c) and None not in c for c in columns):
        assert found is None
        return
    wanted = seen_by_an_intruder(classes, columns)
    pairs = set(zip(found.tolist(), wanted, strict=True))
    assert len(pairs) == len(set(found.tolist())) == len(set(wanted))


def test_pseudonyms_of_another_column_or_release_are_others():
    cells = pd.Series(["Ada", "Bob"], name="name")
    secret = bytes.fromhex(SECRET)
    made = [
        *make_pseudonyms(cells, secret, "people", "1"),
        *make_pseudonyms(cells.rename("other"), secret, "people", "1"),
        *make_pseudonyms(cells, secret, "others", "1"),
        *make_pseudonyms(cells, secret, "people", "2"),
        *make_pseudonyms(cells, bytes(32), "people", "1"),
    ]
    assert len(set(made)) == 10
