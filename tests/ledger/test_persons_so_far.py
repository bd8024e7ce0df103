"""Who is published in kept cells, by what all releases have shown of them."""

import pytest

from anon_transformers.ledger import PublishedClasses
from anon_transformers.ledger._persons_so_far import PersonsSoFar

PERSONS = list("abcdefgh")


def so_far(kind, *months):
    """Two cells of which the first holds all; a string per month has their values."""
    found = PersonsSoFar({"ill": kind})
    for values in months:
        cells = [0] * len(PERSONS)
        found.add(PublishedClasses(PERSONS, cells, {"ill": list(values)}), stays=True)
    return found


def shown(found, cells, values):
    decided = found.decide(PERSONS, cells, {"ill": list(values)}, k=3, l={"ill": 2})
    pairs = zip(PERSONS, decided.published, strict=True)
    return "".join(person for person, is_in in pairs if is_in)


@pytest.mark.parametrize(
    ("months", "expected"),
    [
        pytest.param(["xyxyxyxy"], "abcdefgh", id="two-values-then"),
        # What is left of the first table would tell that f, g and h had z.
        pytest.param(["xyxyxzzz"], "", id="one-value-then"),
        pytest.param(["xyxyxzzz", "xyxyxzyz"], "", id="one-value-long-ago"),
    ],
)
def test_who_moves_had_several_changing_values_in_every_release(months, expected):
    moved = [0] * 5 + [1] * 3
    assert shown(so_far("changing", *months), moved, "xyxyxuvw") == expected
    # Who stays together may have had anything.
    assert shown(so_far("changing", *months), [0] * 8, "xyxyxuvw") == "abcdefgh"
