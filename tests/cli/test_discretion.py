"""Commands name the columns that were typed only: a first line may be a person."""

import pytest

PERSON = ("10/12/1953", "Zebedee-the-secret", "Migraine", "1234567", "z@ex.org")
QUESTION = "has it no header, or another separator?"


@pytest.fixture
def headless(tmp_path):
    """A file without a header: its first line is a person."""
    path = tmp_path / "headless.csv"
    rows = [",".join(PERSON)]
    rows += [
        f"{1 + n % 28}/{1 + n % 12}/19{40 + n % 50},p{n},Flu,{20 + n % 9},m{n}@ex.org"
        for n in range(60)
    ]
    path.write_text("\n".join(rows))
    return path


@pytest.fixture
def headed(headless, tmp_path):
    path = tmp_path / "headed.csv"
    path.write_text("born,name,ill,age,mail\n" + headless.read_text())
    return path


def discreet(run):
    """What a command said, which is nothing of the person."""
    said = run.output + run.stderr
    assert "unexpected" not in said
    for value in PERSON:
        assert value not in said
    return " ".join(said.split())


FEW = ["--permutations", 0]
TYPED = {
    "risk": ["risk", "{file}", "-q", "age", "-s", "ill"],
    "validate": ["validate", "{file}", "-q", "age", "-k", 2],
    "validate, subject": ["validate", "{file}", "-q", "age", "--subject", "me",
                          "-k", 2],
    "attack": ["attack", "{file}", "-q", "age", "-s", "ill"],
    "compare": ["compare", "{file}", "-q", "age"],
    "frontier": ["frontier", "{file}", "-q", "age"],
    "compare-codings": ["compare-codings", "{file}", "-q", "age", "-q", "pay"],
    "anonymize": ["anonymize", "{file}", "-", "-q", "age", "-s", "ill"],
    "quality": ["quality", "{file}", "{file}", "-q", "age", *FEW],
    "hierarchy": ["hierarchy", "suggest", "{file}", "--column", "age"],
}  # fmt: skip


@pytest.mark.parametrize("call", TYPED.values(), ids=TYPED)
def test_a_file_without_a_header(anon, headless, call):
    run = anon(*(headless if a == "{file}" else a for a in call))
    assert run.exit_code == 2
    message = discreet(run)
    assert "unknown column" in message
    assert "(columns 1, 2, 3, 4 and 5)" in message
    assert QUESTION in message


def test_a_name_that_was_typed_wrong_is_told_with_the_column_it_is_near(anon, headed):
    run = anon("risk", headed, "-q", "age", "-q", "nmae")
    assert run.exit_code == 2
    message = discreet(run)
    assert "unknown column 'nmae'; column 2 of the header is nearly" in message
    assert "(columns 1, 2, 3 and 5)" in message
    assert QUESTION not in message


ORIGINALS = {
    "risk": ["risk", "{file}", "-q", "age", "--original", "{other}"],
    "risk, population": ["risk", "{file}", "-q", "age", "--population", "{other}"],
    "risk, weights": ["risk", "{file}", "-q", "age", "--weights", "wht"],
    "risk, queries": ["risk", "{file}", "-q", "age", "--query", "pay"],
    "validate": ["validate", "{file}", "-q", "age", "-s", "ill", "-t",
                 "t-closeness,t=1", "--original", "{other}"],
    "quality": ["quality", "{file}", "{other}", "-q", "age", *FEW],
    "hierarchy": ["frontier", "{file}", "-q", "age", "--hierarchy", "town={other}"],
}  # fmt: skip


@pytest.mark.parametrize("call", ORIGINALS.values(), ids=ORIGINALS)
def test_a_further_file_without_one(anon, headed, headless, call):
    places = {"{file}": headed, "{other}": headless}
    run = anon(*(places.get(a, a) for a in call))
    assert run.exit_code == 2
    discreet(run)


@pytest.mark.parametrize("option", ["--original", "--external", "--other"])
def test_an_attack_with_one(anon, headed, headless, option):
    run = anon("attack", headed, "-q", "age", "-s", "ill", option, headless)
    discreet(run)
    named = ["-a", "linkage,on=agee", "-a", "record-intruder,key=nmae"]
    run = anon("attack", headed, "-q", "age", option, headless, *named)
    assert run.exit_code != 0
    assert "mail" not in discreet(run)


NOTHING_NAMED = {
    "compare": ["compare", "{file}"],
    "compare-codings": ["compare-codings", "{file}"],
    "frontier": ["frontier", "{file}"],
    "quality": ["quality", "{file}", "{file}", *FEW],
    "quality, json": ["quality", "{file}", "{file}", "--json", *FEW],
    "compare, json": ["compare", "{file}", "--json"],
    "edges": ["validate", "{file}", "-t", "k-degree,k=2"],
}


@pytest.mark.parametrize("call", NOTHING_NAMED.values(), ids=NOTHING_NAMED)
def test_columns_that_nobody_named_go_by_where_they_stand(anon, headless, call):
    discreet(anon(*(headless if a == "{file}" else a for a in call)))


def test_undeclared_columns_go_by_where_they_stand(anon, tmp_path):
    path = tmp_path / "people.csv"
    rows = [f"{n % 5},v{n // 2}" for n in range(40)]
    path.write_text("age,Migraine\n" + "\n".join(rows))
    run = anon("compare", path, "-q", "age", "-m", "mondrian")
    assert run.exit_code == 0, run.output
    assert "Migraine" not in run.output + run.stderr


REPEATED = {
    "risk": ["risk", "{file}", "-q", "age"],
    "validate": ["validate", "{file}", "-q", "age", "-k", 2],
    "attack": ["attack", "{file}", "-q", "age"],
    "compare": ["compare", "{file}", "-q", "age"],
    "frontier": ["frontier", "{file}"],
    "compare-codings": ["compare-codings", "{file}"],
    "anonymize": ["anonymize", "{file}", "-", "-q", "age"],
    "quality": ["quality", "{file}", "{file}", *FEW],
}


@pytest.mark.parametrize("call", REPEATED.values(), ids=REPEATED)
def test_repeated_columns_go_by_where_they_stand(anon, tmp_path, call):
    path = tmp_path / "headless.csv"
    path.write_text("34,Migraine,z@ex.org,Migraine\n35,Flu,y@ex.org,Flu\n")
    run = anon(*(path if a == "{file}" else a for a in call))
    assert run.exit_code == 2
    assert "columns of one name (columns 2 and 4)" in discreet(run)


def test_a_repeated_column_that_was_named_is_named(anon, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,age\n1,2\n")
    run = anon("risk", path, "-q", "age")
    assert run.exit_code == 2
    assert "column twice: age" in run.stderr
