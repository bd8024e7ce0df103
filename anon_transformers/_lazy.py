"""Names that are imported when they are first used (PEP 562)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` for a package ``__init__``.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    homes : mapping of str to str
        Public name to the module that defines it.

    Returns
    -------
    tuple
        ``(__getattr__, __dir__)``.
    """

    def getattr_(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    def dir_() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return getattr_, dir_
