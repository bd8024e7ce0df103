"""Where a file lies that a command was given."""

import re
from pathlib import Path

from anon_transformers.exceptions import ConfigurationError, DataError

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""An address as a path has it, which keeps one of two slashes."""


def located(path: Path) -> Path:
    """The file that is meant; what begins with ``bundled:`` is the library's.

    Raises
    ------
    ConfigurationError
        If it is an address, such as ``s3://bucket/x.csv``.
    """
    from anon_transformers.release._config import BUNDLED

    if str(path).startswith(BUNDLED):
        from anon_transformers.datasets import bundled_path

        return bundled_path(path.as_posix().removeprefix(BUNDLED))
    address = _ADDRESS.match(path.as_posix())
    if address is not None and not path.exists():
        scheme = address[1]
        hint = " Write the path without file://." if scheme == "file" else ""
        raise ConfigurationError(f"nothing here opens {scheme}:// addresses.{hint}")
    return path


def existing_file(path: Path) -> Path:
    """The file that is meant, if it is there."""
    file = located(path)
    if file.is_dir():
        raise DataError(f"{path} is a folder; name a file.")
    if not file.is_file():
        raise DataError(f"{path} does not exist.")
    return file
