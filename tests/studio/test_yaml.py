"""Edits of a release file leave alone what they are not about."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.release._strict import parse_yaml
from anon_transformers.studio._yaml import dump, edited

FILE = """\
# Monthly release of the ward.
source:
  path: "data/{period:%Y-%m}.csv"   # from the export job
  missing: ["?", ""]
roles:
  quasi_identifiers: [age, sex, zip]  # agreed
  # not published
  dropped:
    - phone
    - mail   # of relatives, too
thresholds:
  # the board asked for it
  - {model: k-anonymity, k: 5}
  - model: distinct-l-diversity   # l
    l: 2
target: {path: out}
"""


def lines_after(change):
    """The lines that an edit adds and removes."""
    content = copy.deepcopy(parse_yaml(FILE))
    change(content)
    made = edited(FILE, content)
    assert parse_yaml(made) == content
    before, after = FILE.splitlines(), made.splitlines()
    return (
        [line for line in after if line not in before],
        [line for line in before if line not in after],
    )


def test_a_number_is_changed_in_its_line():
    added, removed = lines_after(lambda c: c["thresholds"][0].update(k=7))
    assert added == ["  - {model: k-anonymity, k: 7}"]
    assert removed == ["  - {model: k-anonymity, k: 5}"]


def test_a_threshold_that_goes_takes_its_own_comment_only():
    added, removed = lines_after(lambda c: c["thresholds"].pop(0))
    assert added == []
    assert removed == ["  - {model: k-anonymity, k: 5}"]


def test_an_item_that_goes_leaves_the_comments_of_others():
    added, removed = lines_after(lambda c: c["roles"]["dropped"].remove("phone"))
    assert added == []
    assert removed == ["    - phone"]


def test_a_new_key_stands_where_it_belongs():
    def change(content):
        rest = {key: content.pop(key) for key in ("thresholds", "target")}
        content["anonymizer"] = {"name": "mondrian"}
        content.update(rest)

    content = copy.deepcopy(parse_yaml(FILE))
    change(content)
    assert list(parse_yaml(edited(FILE, content))) == list(content)


@pytest.mark.parametrize(
    "text", ["no", "on", "1_000", "12:30", "~", "0x1f", "2026-10-01"]
)
def test_a_text_stays_a_text(text):
    """The two readers of YAML differ on what is a text."""
    content = {**parse_yaml(FILE), "name": text}
    assert parse_yaml(edited(FILE, content)) == content


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
contents = st.dictionaries(st.sampled_from("abcdef"), values, max_size=5)


@given(before=contents, after=contents)
def test_the_file_says_what_was_asked_for(before, after):
    assert parse_yaml(edited(dump(before), after)) == after
