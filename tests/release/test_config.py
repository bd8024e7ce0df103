"""A release file: what is refused, with which words, and that nothing was written."""

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
)
from anon_transformers.release import load, read_config

# ---------------------------------------------------------------- keys


def bend(content, path, old, new):
    """The content with one key renamed, at any depth."""
    place = content
    for step in path:
        place = place[step]
    place[new] = place.pop(old)
    return content


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        pytest.param((), "source", "sorce", id="top-source"),
        pytest.param((), "thresholds", "treshholds", id="top-thresholds"),
        pytest.param((), "workspace", "worksapce", id="top-workspace"),
        pytest.param(("source",), "path", "pth", id="source"),
        pytest.param(("roles",), "quasi_identifiers", "quasi_identifier", id="roles"),
        pytest.param(("roles",), "insensitive", "insensitiv", id="roles-2"),
        pytest.param(("anonymizer",), "name", "nmae", id="anonymizer"),
        pytest.param(("thresholds", 0), "model", "modle", id="threshold-model"),
        pytest.param(("thresholds", 0), "k", "kk", id="threshold-parameter"),
        pytest.param(("thresholds", 1), "metric", "metirc", id="threshold-metric"),
        pytest.param(("thresholds", 1), "max", "maxx", id="threshold-bound"),
        pytest.param(("target",), "path", "paht", id="target"),
    ],
)
def test_a_misspelled_key_is_told_with_the_nearest(release, path, old, new):
    release.content = bend(release.content, path, old, new)
    release.write()
    message = release.refusal()
    assert f"{new!r}" in message
    if len(old) > 1:  # one letter resembles nothing; the choices are listed
        assert f"did you mean {old!r}?" in message
    assert f"{old!r}" in message.split("Choices:")[1]


@pytest.mark.parametrize("key", ["separater", "colums", "encodin"])
def test_a_misspelled_option_of_the_source_is_told_with_the_nearest(release, key):
    release.write(source={"path": "people.csv", key: ";"})
    message = release.refusal()
    assert message.startswith("source: unknown parameter")
    assert "did you mean" in message


def test_a_misspelled_parameter_of_the_anonymizer_is_told_with_the_nearest(release):
    release.write(anonymizer=release.mondrian(suppression_limt=0.1))
    assert "did you mean 'suppression_limit'?" in release.refusal()


def test_a_misspelled_hierarchy_column_is_told_with_the_nearest(release):
    release.write(hierarchies={"zpi": "zip.csv"})
    said = release.refusal()
    assert "'zip'" in said
    assert "One of the two is misspelled" in said


@pytest.mark.parametrize(
    "key", ["source", "roles", "anonymizer", "thresholds", "target"]
)
def test_a_missing_key_is_named(release, key):
    release.write(**{key: None})
    assert f"{key}: Field required" in release.refusal()


def test_a_column_named_twice_under_one_role_is_told(release):
    roles = {**release.content["roles"], "quasi_identifiers": ["age", "zip", "age"]}
    release.write(roles=roles)
    message = release.refusal()
    assert "column 'age' is named twice under quasi_identifiers" in message
    roles |= {"quasi_identifiers": ["age"], "sensitive": ["zip", "zip"]}
    release.write(roles=roles)
    assert "column 'zip' is named twice under sensitive" in release.refusal()


def test_a_misspelled_quasi_identifier_is_an_unknown_column(release):
    roles = {**release.content["roles"], "quasi_identifiers": ["age", "zipp"]}
    release.write(roles=roles)
    message = release.refusal(DataError)
    assert "roles: unknown column 'zipp'; column 3 of the header is nearly" in message
    assert "1 column has no declared role (column 3). You see the header" in message
    # None of those that have a role can be meant.
    assert "'job'" not in message
    assert "'zip'" not in message
    # Right columns: the anonymizer's own fault is reported.
    release.write(roles={**roles, "quasi_identifiers": ["age", "zip", "name"],
                         "identifiers": []})  # fmt: skip
    assert "column 'name' has none" in release.refusal()
    release.source.unlink()
    assert "source.path: " in release.refusal(DataError)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"roles": {"quasi_identifiers": "age"}},
            "roles.quasi_identifiers: must be a list, such as [age]",
        ),
        ({"roles": {"sensitive": 7}}, "roles.sensitive: must be a list, such as [7]"),
        ({"roles": {"sensitive": {"a": 1}}}, "roles.sensitive: must be a list"),
        ({"roles": {"sensitive": [7]}}, "roles.sensitive.0: must be a text"),
        ({"roles": {"small_group": "few"}}, "small_group: must be a whole number"),
        ({"roles": {"rows_are_persons": "so"}}, "persons: must be true or false"),
        ({"roles": [7]}, "roles: must be keys with values"),
        ({"thresholds": [{"model": "k-anonymity"}]}, "needs the parameter 'k'."),
        (
            {"thresholds": [{"model": "recursive-cl-diversity"}]},
            "needs the parameters 'c' and 'l'.",
        ),
    ],
)
def test_errors_are_in_the_words_of_the_file(release, changes, sentence):
    release.write(**changes)
    message = release.refusal()
    assert sentence in message
    for word in ("tuple", "dictionary", "instance", "argument", "Input"):
        assert word not in message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("source: {path: a.csv}\nsource: {path: b.csv}\n", 2),
        ("thresholds:\n- model: k-anonymity\n  k: 5\n  k: 1\n", 4),
        ("roles:\n  sensitive: [a]\n  identifiers: [b]\n  sensitive: []\n", 4),
    ],
)
def test_a_key_that_stands_twice_is_refused(release, text, line):
    release.write_text(text)
    message = release.refusal()
    assert f"line {line}: the key" in message
    assert "is given twice" in message


@pytest.mark.parametrize(
    "content",
    [
        "source: [unclosed",
        "\tsource: x",
        "a: b: c",
        "- a\n- b",
        "just a text",
        "",
        "a: 2024-13-45",  # the reader lets a plain ValueError out
        "? [a, b]\n: c",  # a key that cannot be hashed
        "a: !!python/object:os.system {}",
        "a: &x [*x]\nb: *y",
        "[" * 1500,
        "a: \x00",
    ],
)
def test_unreadable_yaml_is_a_configuration_error(release, content):
    release.write_text(content)
    assert str(release.file) in release.refusal()


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{new}: &{new} {{<<: [{', '.join([f'*{old}'] * 9)}]}}\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(LAUGHS, "aliases", id="a billion laughs"),
        pytest.param(MERGES, "aliases", id="a billion merges"),
        pytest.param("a: &a [*a]\n", "aliases", id="itself"),
        pytest.param("a: &a {b: [1, *a]}\n", "aliases", id="itself below"),
        pytest.param("# " + "x" * 2_000_000, "1 MB", id="too large"),
        pytest.param("a: " + "[1, " * 200_000 + "]" * 200_000, "1 MB", id="deep"),
    ],
)
def test_a_file_that_would_grow_is_refused(release, content, message):
    release.write_text(content)
    assert message in release.refusal()


LONG = "k" * 30_000


@pytest.mark.parametrize(
    "bent",
    [
        {LONG: 1},
        {"source": {"path": "people.csv", LONG: 1}},
        {"source": {"path": "people.csv", "columns": {LONG: "text"}}},
        {"source": {"path": "people.csv", "columns": {"age": LONG}}},
        {"roles": {LONG: ["age"]}},
        {"roles": {"quasi_identifiers": LONG}},
        {"roles": {"quasi_identifiers": [LONG, LONG]}},
        {"roles": {"quasi_identifiers": ["age", LONG]}},
        {"hierarchies": {LONG: {"kind": "masking"}}},
        {"hierarchies": {"age": {"kind": LONG}}},
        {"anonymizer": {"name": LONG}},
        {"anonymizer": {"name": "mondrian", LONG: 1}},
        {"thresholds": [{"model": LONG, "k": 3}]},
        {"thresholds": [{"model": "k-anonymity", LONG: 3}]},
        {"thresholds": [{"id": LONG, "model": "k-anonymity", "k": 3}] * 2},
        {"target": {"path": "out", "format": LONG}},
        {"name": LONG + "/"},
    ],
)
def test_long_keys_are_not_repeated_whole(release, bent):
    release.write(**bent)
    with pytest.raises(AnonymizationError) as caught:
        load(release.file)
    assert len(str(caught.value)) < 10_000


def test_a_long_key_that_stands_twice_is_not_repeated_whole(release):
    release.file.write_text(f"? {LONG}\n: 1\n? {LONG}\n: 2\n")
    with pytest.raises(AnonymizationError, match="is given twice") as caught:
        load(release.file)
    assert len(str(caught.value)) < 10_000


def test_aliases_in_measure_are_read(release):
    text = release.file.read_text().replace("[age, zip]", "&known [age, zip]")
    text = text.replace("- age\n", "- &age age\n")
    assert "&age" in text
    release.write_text(text)
    assert load(release.file)


def test_no_more_of_a_file_is_read_than_it_may_hold(release):
    with release.file.open("w") as file:
        file.truncate(10**11)  # takes no room on the disk
    assert "1 MB" in release.refusal()


def test_a_file_that_is_no_text_or_not_there(release):
    release.file.write_bytes(b"\xff\xfe\x00\x01")
    assert "cannot be read" in release.refusal()
    release.file.unlink()
    assert "does not exist" in release.refusal()


def test_the_folder_of_the_file_cannot_be_stated(release):
    release.write(folder="/")
    assert "folder" in release.refusal()


@pytest.mark.parametrize("name", ["../up", "", ".hidden", "a/b", "a b", "staff", 7])
def test_another_name_than_that_of_the_file_is_refused(release, name):
    release.write(name=name)
    refusal = release.refusal()
    assert "name: " in refusal
    assert "is not the name of the file" in refusal


def test_the_name_of_the_file_may_be_stated(release):
    release.write(name="people")
    assert read_config(release.file).name == "people"


@pytest.mark.parametrize("stem", [".hidden", "a b", "-x", "ä", "x" * 201, "a\n"])
def test_the_name_of_a_file_must_be_that_of_a_release(release, stem):
    release.file = release.file.rename(release.folder / f"{stem}.yaml")
    refusal = release.refusal()
    assert "the name of the file" in refusal
    assert "letters, digits" in refusal


# ---------------------------------------------------------------- roles


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"sensitive": ["job", "age"]}, "'age' is declared as quasi_identifiers"),
        ({"identifiers": ["name", "job"]}, "'job' is declared as sensitive"),
        ({"insensitive": ["note", "note"]}, "'note' is named twice under insensitive"),
        ({"quasi_identifiers": []}, "quasi_identifiers"),
        ({"quasi_identifiers": "age"}, "quasi_identifiers"),
        ({"subject": "age"}, "subject 'age' has another role"),
        ({"accept_unique": ["age"]}, "accept_unique: unknown column 'age'"),
    ],
)
def test_roles_that_contradict_themselves(release, roles, message):
    release.write(roles={**release.content["roles"], **roles})
    assert message in release.refusal()


def test_an_undeclared_column_of_the_source_is_an_error(release):
    roles = {**release.content["roles"], "insensitive": []}
    release.write(roles=roles)
    message = release.refusal(DataError)
    assert "1 column has no declared role (column 5)" in message
    assert "note" not in message


def test_a_declared_column_that_the_source_lacks_is_an_error(release):
    roles = {**release.content["roles"], "insensitive": ["note", "nte"]}
    release.write(roles=roles)
    message = release.refusal(DataError)
    assert "'nte'; did you mean 'note'? It is declared already." in message


@pytest.mark.parametrize(
    ("n_unique", "refused"), [(2, False), (3, True), (40, True), (0, False)]
)
def test_an_insensitive_column_above_five_percent_of_unique_values(
    release, n_unique, refused
):
    lines = release.source.read_text().splitlines()
    rows = [line.split(",") for line in lines]
    for number, row in enumerate(rows[1:]):
        row[4] = f"UNIQUE{number}" if number < n_unique else "same"
    release.write_rows(rows)
    if not refused:
        assert load(release.file)
        return
    message = release.refusal(DataError)
    assert "insensitive column 'note'" in message
    assert f"{n_unique / 40:.0%} of the rows" in message
    assert "UNIQUE" not in message
    release.write(roles={**release.content["roles"], "accept_unique": ["note"]})
    assert load(release.file)


def test_a_threshold_on_an_undeclared_sensitive_column(
    release, registered, sensitive_model
):
    registered("privacy_models", "some-values", sensitive_model)
    asked = {"model": "some-values", "l": 1, "sensitive": "jbo"}
    release.write(thresholds=[*release.content["thresholds"], asked])
    assert "'jbo'; did you mean 'job'?" in release.refusal()


@pytest.fixture
def sensitive_model(distinct_values):
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class SomeValues(distinct_values):
        sensitive: str | None = None

    return SomeValues


@pytest.mark.parametrize(
    "line",
    [
        "schedule: *hunter2",
        "schedule: !hunter2 x",
        "airflow: {on_failure: https://hooks.example/hunter2}",
    ],
)
def test_what_may_be_a_password_is_not_quoted(release, line):
    """A DAG shows to all of Airflow's users why its file cannot be used."""
    release.write_text(f"{release.file.read_text()}{line}\n")
    with pytest.raises(ConfigurationError) as caught:
        read_config(release.file)
    assert "hunter2" not in str(caught.value)
    assert "quotes" in str(caught.value) or "must be a list" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"roles": {"sensitive": ["job"]}}, "roles.quasi_identifiers: name at least"),
        (
            {"hierarchies": {"job2": {"path": "a"}}},
            "hierarchies: unknown column 'job2'",
        ),
        (
            {"hierarchies": {"agee": {"path": "a"}}},
            "hierarchies: unknown column 'agee'; roles have 'age'. One of the two is "
            "misspelled: correct the one that the header of the source does not have.",
        ),
        ({"workspace": "w-{period:%Y}"}, "workspace: all periods of a release"),
        ({"sorce": {}}, "top level: unknown key 'sorce'"),
    ],
)
def test_a_fault_is_named_by_its_key_alone(release, changes, said):
    release.write(**changes)
    message = release.refusal()
    assert message.startswith(f"{release.file}:\n{said}")
