"""Where the data that come with the library lie."""

from pathlib import Path

from anon_transformers.exceptions import ConfigurationError, unknown_choice

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
