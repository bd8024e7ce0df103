"""Paths in a release file: files that are read, and places that are written."""

from glob import has_magic
from typing import Annotated

from pydantic import AfterValidator

from anon_transformers.release._period import Template
from anon_transformers.release._remote_files import (
    as_path,
    is_address,
    refuse_unopened,
)

BUNDLED = "bundled:"
"""Paths that start with this lie in the library's own data."""


def a_file(given: str | None) -> str | None:
    """Refuse an address: as a path, it would be a folder of that name."""
    if is_address(given):
        scheme = str(given).split("://")[0]
        hint = " Write the path without file://." if scheme == "file" else ""
        raise ValueError(f"nothing here opens {scheme}:// addresses.{hint}")
    return given


def a_place(given: str) -> str:
    """Refuse what cannot be written to: addresses, and the library's own data."""
    if given.startswith(BUNDLED):
        raise ValueError(f"{BUNDLED} is the library's own data, and stays as it is.")
    a_file(given)
    return given


def a_template(given: str) -> str:
    """Refuse placeholders and variables that could not be filled in."""
    Template(given).check()
    return given


def a_store(given: str) -> str:
    """Refuse what is no address of objects, or names several."""
    refuse_unopened(given)
    if as_path(given) != given:
        raise ValueError("is no address of a store; state a folder as path.")
    bucket, *names = given.partition("://")[2].split("/")
    if not bucket or {".", ".."} & {bucket, *names}:
        raise ValueError("name a bucket and a place in it, without '.' and '..'.")
    if has_magic(given):
        raise ValueError("names several places; leave *, ? and [ out.")
    return a_template(given)


FilePath = Annotated[str, AfterValidator(a_file)]
PlacePath = Annotated[str, AfterValidator(a_place), AfterValidator(a_template)]
StoreAddress = Annotated[str, AfterValidator(a_store)]
