"""Public names of a package that are imported when they are first used (PEP 562)."""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` for a package ``__init__``.

    The names and their homes are the imports that the ``__init__`` shows to type
    checkers, under ``if TYPE_CHECKING:``, so that they are written down once.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    file : str
        Its ``__file__``.

    Returns
    -------
    tuple
        ``(__getattr__, __dir__)``.

    Examples
    --------
    >>> import anon_transformers
    >>> getattr_, dir_ = lazy_names("anon_transformers", anon_transformers.__file__)
    >>> "KAnonymity" in dir_(), getattr_("KAnonymity").__name__
    (True, 'KAnonymity')
    """

    @cache
    def homes() -> dict[str, str]:
        return read_homes(Path(file).read_text(encoding="utf-8"))

    def getattr_(name: str) -> Any:
        # Python itself asks for names such as __path__, which are never exported.
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes()[name]), name)

    def dir_() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return getattr_, dir_


def read_homes(source: str) -> dict[str, str]:
    """Public name to the module that defines it, of the source of an ``__init__``."""
    return {
        alias.name: str(node.module)
        for block in ast.parse(source).body
        if isinstance(block, ast.If)
        and getattr(block.test, "id", None) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
