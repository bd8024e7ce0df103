"""Files at addresses: ``s3://…`` and ``gs://…`` by fsspec, ``file://…`` as a path.

Who may read them, their libraries learn from the environment; what they say of a fault
may quote keys, so that messages name its kind alone.
"""

import glob
import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    UnreachableError,
)

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMES = ("file", "s3", "gs")
"""What addresses of files may begin with."""
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2"}


def is_address(given: Any) -> bool:
    """Whether it is an address, such as ``s3://bucket/x``, and no path of a file."""
    return isinstance(given, str) and _ADDRESS.match(given) is not None


def refuse_unopened(address: str) -> None:
    """Refuse an address that nothing here opens, or one with a secret in it.

    Examples
    --------
    >>> refuse_unopened("s3://bucket/people.csv")
    >>> refuse_unopened("ftp://host/people.csv")
    Traceback (most recent call last):
    ...
    ValueError: nothing here opens ftp:// addresses; choices: file://, s3://, gs://.
    """
    found = _ADDRESS.match(address)
    scheme = found["scheme"].lower() if found else ""
    if scheme not in SCHEMES:
        choices = ", ".join(f"{known}://" for known in SCHEMES)
        raise ValueError(
            f"nothing here opens {scheme}:// addresses; choices: {choices}."
        )
    place = urlsplit(address)
    if "@" in place.netloc or place.query:
        raise ValueError(
            "an address holds no user, key or query; who may read it is taken from the "
            "environment."
        )
    if scheme == "file" and (place.netloc not in {"", "localhost"} or not place.path):
        raise ValueError("an address of a file is file:///folder/name.")


def as_path(given: str) -> str:
    """The path that a ``file://`` address stands for; anything else as it is.

    Examples
    --------
    >>> as_path("file:///srv/the%20people.csv"), as_path("s3://bucket/x.csv")
    ('/srv/the people.csv', 's3://bucket/x.csv')
    """
    if is_address(given) and given.lower().startswith("file:"):
        return unquote(urlsplit(given).path)
    return given


def open_address(address: str) -> "pa.NativeFile":
    """The bytes of a file at an address, uncompressed; one read, one state of it."""
    import pyarrow as pa

    with said_of_store(address):
        stream = pa.BufferReader(file_system(address).cat_file(address))
    how = _COMPRESSED.get(PurePosixPath(address).suffix)
    return stream if how is None else pa.CompressedInputStream(stream, how)


def state_of_address(address: str) -> str:
    """By what a store tells one write of an object from another."""
    with said_of_store(address):
        system = file_system(address)
        system.invalidate_cache()
        return str(system.ukey(address))


def addresses_like(pattern: str) -> list[str]:
    """The files that fit a pattern, or lie in a folder, in the order of their names."""
    with said_of_store(pattern):
        system = file_system(pattern)
        scheme = pattern.partition("://")[0]
        if glob.has_magic(pattern):
            found = system.glob(pattern)
        else:
            found = system.find(pattern)
        files = sorted(name for name in found if system.isfile(name))
    return [name if is_address(name) else f"{scheme}://{name}" for name in files]


def file_system(address: str, key: str = "source.path") -> Any:
    """What fsspec opens an address with; ``key`` is that of the file which names it."""
    scheme = address.partition("://")[0].lower()
    try:
        return importlib.import_module("fsspec").filesystem(scheme)
    except ImportError:
        library = {"s3": "s3fs", "gs": "gcsfs"}[scheme]
    raise ConfigurationError(
        f"{key}: {scheme}:// needs the extra fsspec, and the module {library!r}."
    )


@contextmanager
def said_of_store(address: str) -> Iterator[None]:
    """Say what cannot be done; what a library says may quote keys."""
    try:
        yield
    except ConfigurationError:
        raise
    except Exception as error:
        kind = type(error).__name__
        there = not isinstance(error, FileNotFoundError | PermissionError | ValueError)
    else:
        return
    if there:
        raise UnreachableError(f"{address}: cannot be reached ({kind}).")
    raise DataError(
        f"{address}: cannot be read ({kind}); is it there, and open to you?"
    )
