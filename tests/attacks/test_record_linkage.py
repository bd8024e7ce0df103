"""Record linkage with splink: true links, classes that hide, and the missing extra."""

import importlib
import random

import numpy as np
import pandas as pd
import pytest

from anon_transformers.attacks import RecordLinkage
from anon_transformers.exceptions import NotEvaluable, ParameterError

FIRST = [
    "anna", "bernd", "carla", "david", "emma", "felix", "greta", "hans", "ines",
    "jonas",
]  # fmt: skip
LAST = [
    "meier", "schulz", "weber", "koch", "bauer", "wolf", "neumann", "krause", "lehmann",
    "huber",
]  # fmt: skip
NAMES = ["first", "last", "age", "zip"]


@pytest.fixture(scope="module")
def splink():
    return pytest.importorskip("splink")


def typed_wrong(text, draw):
    at = draw.randrange(1, len(text) - 1)
    return text[:at] + draw.choice("xyz") + text[at + 1 :]


@pytest.fixture(scope="module")
def people():
    """Sixty persons, no two of them alike."""
    draw = random.Random(3)
    rows = {}
    while len(rows) < 60:
        row = draw.choice(FIRST), draw.choice(LAST), draw.randint(20, 70)
        rows[(*row, draw.choice("abcdef"))] = len(rows)
    table = pd.DataFrame(list(rows), columns=NAMES)
    return table.assign(id=range(60))


@pytest.fixture(scope="module")
def register(people):
    """The same persons in another order, three in ten with a slip in their name."""
    draw = random.Random(4)
    table = people.sample(frac=1, random_state=1).reset_index(drop=True)
    slips = [
        typed_wrong(text, draw) if draw.random() < 0.3 else text
        for text in table["last"]
    ]
    return table.assign(last=slips)


def decades(ages):
    return [f"[{age // 10 * 10}, {age // 10 * 10 + 9}]" for age in ages]


def mutual_matches(release, register):
    """An intruder of our own: agreements are counted, and nothing is estimated.

    Of a name that is no other than by one letter, the slip is seen through.
    """
    ages = [cell.strip("[]").split(", ") for cell in release["age"]]
    score = np.zeros((len(release), len(register)))
    for i, (first, last, code) in enumerate(
        release[["first", "last", "zip"]].itertuples(index=False)
    ):
        low, high = map(int, ages[i])
        for j, person in enumerate(register.itertuples(index=False)):
            slips = sum(a != b for a, b in zip(last, person.last, strict=False))
            near = len(last) == len(person.last) and slips <= 1
            agree = [first == person.first, near, low <= person.age <= high]
            score[i, j] = sum([*agree, code == person.zip])
    found = set()
    for i in range(len(release)):
        j = int(score[i].argmax())
        alone = (score[i] == score[i, j]).sum() == (score[:, j] == score[i, j]).sum()
        if alone and (score[i] == score[i, j]).sum() == 1 and score[i, j] == 4:
            found.add((i, int(register["id"].iloc[j])))
    return found


def test_misspelled_names_and_ranges_are_linked_rightly(splink, people, register):
    release = people[NAMES].assign(age=decades(people["age"]))
    report = RecordLinkage(key="id").run(
        release,
        quasi_identifiers=NAMES,
        external=register,
        original=people,
        show_values=True,
    )
    shown = report.exposed_records
    linked = set(zip(shown.index, shown["external: id"], strict=True))
    assert report.details["true_links"] == report.exposed == len(linked)
    assert all(row == person for row, person in linked)
    ours = {pair for pair in mutual_matches(release, register) if pair[0] == pair[1]}
    known_as = register.set_index("id")["last"]
    slipped = {p for p in ours if known_as[p[1]] != people["last"][p[0]]}
    # Of short names a slip is no similar text; who is written rightly is always found.
    assert ours - slipped <= linked
    assert linked & slipped and len(ours - slipped) > 30


def test_links_that_are_wrong_expose_nobody(splink, people, register):
    """Were the names of all rows those of the next person, no link would be true."""
    release = people[NAMES].assign(age=decades(people["age"]))
    turned = people.assign(id=np.roll(people["id"], 1))
    report = RecordLinkage(key="id").run(
        release, quasi_identifiers=NAMES, external=register, original=turned
    )
    assert report.details["links"] > 40
    assert report.exposed == report.details["true_links"] == 0


def test_rows_of_a_class_are_alike_and_none_is_linked(splink, people, register):
    release = pd.DataFrame({"age": decades(people["age"]), "zip": "*"})
    assert release.groupby("age").size().min() >= 2
    report = RecordLinkage(probability=0.0).run(
        release, quasi_identifiers=["age", "zip"], external=register
    )
    assert report.exposed == 0


def test_without_the_library_the_extra_is_named(monkeypatch, people, register):
    def refuse(name, *_):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(NotEvaluable, match=r"pip install 'anon-transformers\[splink\]"):
        RecordLinkage().run(people, quasi_identifiers=NAMES, external=register)


def test_what_cannot_be_linked_is_refused(splink, people, register):
    roles = {"quasi_identifiers": NAMES, "external": register}
    with pytest.raises(NotEvaluable, match="key needs the original"):
        RecordLinkage(key="id").run(people[NAMES], **roles)
    with pytest.raises(ParameterError, match="key: unknown column 'who'"):
        RecordLinkage(key="who").run(people[NAMES], original=people, **roles)
    with pytest.raises(NotEvaluable, match="which belong together is not known"):
        RecordLinkage(key="id").run(people[NAMES], original=people[:9], **roles)
    with pytest.raises(ParameterError, match="probability"):
        RecordLinkage(probability=1.1)
