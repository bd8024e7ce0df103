"""Roles: every column has one, and a wrong declaration is told what is right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.roles import Roles

COLUMNS = ["name", "age", "sex", "job", "note"]


def test_what_is_not_declared_is_a_quasi_identifier():
    roles = Roles.resolve(COLUMNS, sensitive=["job"], identifiers=["name"])
    assert roles.quasi_identifiers == ("age", "sex", "note")
    assert roles.insensitive == ()


def test_with_quasi_identifiers_the_rest_is_insensitive():
    roles = Roles.resolve(COLUMNS, ["sex", "age"], ["job"], ["name"])
    assert roles.quasi_identifiers == ("sex", "age")
    assert roles.insensitive == ("note",)


def test_the_subject_is_dropped_like_an_identifier():
    roles = Roles.resolve(COLUMNS, identifiers=["note"], subject="name")
    assert roles.identifiers == ("note", "name")
    assert roles.subject == "name"
    assert "name" not in roles.quasi_identifiers


def test_the_subject_may_be_declared_as_identifier_too():
    roles = Roles.resolve(COLUMNS, identifiers=["name"], subject="name")
    assert roles.identifiers == ("name",)


@given(st.data())
def test_every_column_gets_exactly_one_role(data):
    columns = data.draw(st.lists(st.integers(0, 20), min_size=1, unique=True))
    drawn = data.draw(st.permutations(columns))
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, len(columns))] * 2)))
    if first == 0:
        return
    roles = Roles.resolve(columns, drawn[:first], drawn[first:second])
    given_roles = (
        *roles.identifiers,
        *roles.quasi_identifiers,
        *roles.sensitive,
        *roles.insensitive,
    )
    assert sorted(given_roles) == sorted(columns)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"quasi_identifiers": ["agee"]}, r"quasi_identifiers: .*'agee'.*mean 'age'"),
        ({"sensitive": ["jobs"]}, r"sensitive: .*'jobs'.*mean 'job'.*Choices: 'age'"),
        ({"identifiers": ["nme"]}, r"identifiers: unknown column 'nme'"),
        ({"subject": "nme"}, r"subject: unknown column 'nme'.*mean 'name'"),
        ({"quasi_identifiers": "age"}, r"quasi_identifiers must be a list.*'age'"),
        ({"sensitive": 5}, r"sensitive must be a list of columns, got 5"),
        ({"quasi_identifiers": ["age", "age"]}, r"quasi_identifiers .* twice: age"),
        ({"quasi_identifiers": []}, r"quasi_identifiers is empty"),
        ({"sensitive": COLUMNS}, r"quasi_identifiers is empty"),
        (
            {"quasi_identifiers": ["age"], "sensitive": ["age"]},
            r"'age' is declared as quasi_identifiers and as sensitive",
        ),
        (
            {"quasi_identifiers": ["age"], "subject": "age"},
            r"'age' is declared as subject and as quasi_identifiers",
        ),
    ],
)
def test_a_wrong_declaration_names_key_and_choices(options, said):
    with pytest.raises(ParameterError, match=said):
        Roles.resolve(COLUMNS, **options)


def test_a_column_twice_in_the_table_is_refused():
    with pytest.raises(DataError, match="column twice: age"):
        Roles.resolve(["age", "sex", "age"], ["age"])
    # Nobody named it: it may be a cell of a file without a header.
    with pytest.raises(DataError, match=r"of one name \(columns 1 and 3\)"):
        Roles.resolve(["age", "sex", "age"])


def test_quasi_identifiers_may_lack_where_others_do_their_work():
    roles = Roles.resolve(["a", "b"], [], ["a", "b"], need_quasi_identifiers=False)
    assert roles.quasi_identifiers == ()
    assert roles.sensitive == ("a", "b")
    with pytest.raises(ParameterError, match="quasi_identifiers is empty"):
        Roles.resolve(["a", "b"], [], ["a", "b"])


def test_a_column_may_be_known_and_wanted_where_that_is_said():
    roles = Roles.resolve(
        COLUMNS, ["age", "job"], ["job"], ["name"], sensitive_may_be_known=True
    )
    assert roles.quasi_identifiers == ("age", "job")
    assert roles.sensitive == ("job",)
    assert roles.insensitive == ("sex", "note")


def test_no_other_role_may_be_shared():
    with pytest.raises(ParameterError, match="'name' is declared as identifiers"):
        Roles.resolve(COLUMNS, ["age"], ["name"], ["name"], sensitive_may_be_known=True)
