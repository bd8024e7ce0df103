"""Ten invented persons, their friends, and the town they live in."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

NAME = "name"
SENSITIVE = "illness"
PAY = "pay"
TWO_NUMBERS = ("age", "height")
"""Two columns of numbers: a plane that can be drawn."""
WITH_CODES = ("age", "postcode")
"""A number and a code, each with a hierarchy."""

_COLUMNS = (NAME, "age", "height", "postcode", SENSITIVE, PAY)
_PERSONS = (
    ("Ada", 23, 164, "4021", "flu", 2100),
    ("Ben", 26, 181, "4023", "flu", 2600),
    ("Cleo", 28, 170, "4027", "flu", 2300),
    ("Dan", 34, 176, "4055", "asthma", 3100),
    ("Eva", 37, 168, "4058", "flu", 2800),
    ("Finn", 39, 190, "4059", "gastritis", 4000),
    ("Gia", 43, 159, "4102", "ulcer", 3300),
    ("Hugo", 48, 172, "4106", "flu", 5200),
    ("Ida", 52, 166, "4131", "asthma", 3600),
    ("Jan", 57, 178, "4139", "diabetes", 4700),
)
_NEIGHBORS = (
    ("Kim", 21, 171, "4022"),
    ("Leo", 36, 183, "4056"),
    ("Mia", 31, 162, "4051"),
    ("Nils", 33, 179, "4054"),
    ("Olga", 41, 165, "4101"),
    ("Paul", 44, 187, "4107"),
    ("Quin", 47, 174, "4104"),
    ("Rosa", 51, 160, "4135"),
    ("Sven", 55, 185, "4137"),
    ("Tara", 59, 169, "4133"),
)
"""Others of the same town: with the ten they are the population."""
_FRIENDS = (
    ("Ada", "Ben"), ("Ada", "Cleo"), ("Ada", "Dan"), ("Ada", "Eva"), ("Ada", "Finn"),
    ("Ben", "Cleo"), ("Dan", "Eva"), ("Finn", "Gia"), ("Gia", "Hugo"), ("Gia", "Ida"),
    ("Hugo", "Jan"), ("Ida", "Jan"),
)  # fmt: skip


def persons() -> "pd.DataFrame":
    """The table of ten rows."""
    import pandas as pd

    return pd.DataFrame(_PERSONS, columns=pd.Index(_COLUMNS))


def drawn_alike(rows: int) -> "pd.DataFrame":
    """A larger table: name, age, height and pay, near those of the ten."""
    import numpy as np

    rng = np.random.default_rng(rows)  # a page looks the same each time
    known = persons()[[NAME, *TWO_NUMBERS, PAY]]
    drawn = known.sample(rows, replace=True, random_state=rng, ignore_index=True)
    drawn[NAME] = [f"person {number}" for number in range(rows)]
    for name in (*TWO_NUMBERS, PAY):
        drawn[name] += rng.integers(-4, 5, rows)
    return drawn


def population() -> "pd.DataFrame":
    """Everybody of the town: name, age, height, postcode."""
    import pandas as pd

    known = list(_COLUMNS[:4])
    others = pd.DataFrame(_NEIGHBORS, columns=pd.Index(known))
    return pd.concat([persons()[known], others], ignore_index=True)


def friendships() -> "pd.DataFrame":
    """Who is a friend of whom, as a table of edges."""
    import pandas as pd

    return pd.DataFrame(_FRIENDS, columns=pd.Index(["person", "friend"]))


def builders() -> dict[str, Any]:
    """How age and postcode are made less exact."""
    from anon_transformers.hierarchies import Intervals, Masking

    return {"age": Intervals(widths=[10, 20, 40]), "postcode": Masking()}
