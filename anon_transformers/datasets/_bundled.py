"""Data that come with the library: where they lie, and the Adult table."""

from pathlib import Path
from typing import TYPE_CHECKING

from anon_transformers.exceptions import ConfigurationError, unknown_choice

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.hierarchies import Hierarchy

DATA = Path(__file__).parent / "data"


def bundled_path(name: str) -> Path:
    """Find a file or folder that comes with the library.

    Parameters
    ----------
    name : str
        Path below the bundled data, with forward slashes.

    Returns
    -------
    pathlib.Path
        Where it lies in the installed package.

    Raises
    ------
    ConfigurationError
        If there is no such file or folder, or the name leads out of the data.

    See Also
    --------
    anon_transformers.datasets.load_adult : The Adult table as a data frame.

    Examples
    --------
    >>> from anon_transformers.datasets import bundled_path
    >>> bundled_path("adult/adult.csv.gz").name
    'adult.csv.gz'
    >>> bundled_path("adult/hierarchies").is_dir()
    True
    """
    # The names on offer are compared as text, so nothing can climb out of the folder.
    bundled = {path.relative_to(DATA).as_posix(): path for path in DATA.rglob("*")}
    if name not in bundled:
        raise ConfigurationError(unknown_choice("bundled data", name, bundled))
    return bundled[name]


COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def load_adult() -> "pd.DataFrame":
    """Load the Adult census table.

    These are the complete rows of the training part, in their original order. In
    the literature all columns but ``occupation``, which is the sensitive one, are
    quasi-identifiers.

    Returns
    -------
    pandas.DataFrame of shape (30162, 9)
        ``age`` holds whole numbers, every other column text.

    See Also
    --------
    load_adult_hierarchies : One generalization hierarchy per column.

    References
    ----------
    B. Becker and R. Kohavi, "Adult", UCI Machine Learning Repository, 1996.
    License CC BY 4.0.

    Examples
    --------
    >>> from anon_transformers.datasets import load_adult
    >>> adult = load_adult()
    >>> adult.shape
    (30162, 9)
    >>> adult[["sex", "age", "occupation"]].head(3)
          sex  age         occupation
    0    Male   39       Adm-clerical
    1    Male   50    Exec-managerial
    2    Male   38  Handlers-cleaners
    """
    import pandas as pd  # a release file that names bundled data needs none

    return pd.read_csv(
        bundled_path("adult/adult.csv.gz"),
        dtype={name: "int64" if name == "age" else "str" for name in COLUMNS},
        keep_default_na=False,
    )


def load_adult_hierarchies() -> "dict[str, Hierarchy]":
    """Load the hierarchies that ARX publishes with the Adult table.

    Returns
    -------
    dict of str to Hierarchy
        One for each column of :func:`load_adult`, in the order of its columns.

    See Also
    --------
    load_adult : The table they belong to.

    Notes
    -----
    They stand as published. Mind the ``age`` hierarchy, which goes from 1 to 100: its
    groups are shifted by one against their labels, so that a person of 20 is published
    as ``15-19`` and then ``0-19``. ``Intervals(widths=(5, 10, 20))`` is right.

    Examples
    --------
    >>> from anon_transformers.datasets import load_adult_hierarchies
    >>> hierarchies = load_adult_hierarchies()
    >>> {name: hierarchy.n_levels for name, hierarchy in hierarchies.items()}
    {'sex': 2, 'age': 5, 'race': 2, 'marital-status': 3, 'education': 4,
     'native-country': 3, 'workclass': 3, 'occupation': 3, 'salary-class': 2}
    """
    from anon_transformers.hierarchies import Hierarchy

    return {
        name: Hierarchy.read_csv(bundled_path(f"adult/hierarchies/{name}.csv"))
        for name in COLUMNS
    }
