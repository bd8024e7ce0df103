"""A directive that lists what is registered: ``.. registered-names:: anonymizers``.

With ``:distribution:`` only the names of one distribution.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from api_pages import home_of
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from tables import TableDirective

from anon_transformers.registry import registry


def lines_of(catalog: str, distribution: str | None) -> list[str]:
    """A table of names, summaries and classes in reStructuredText."""
    names = getattr(registry(), catalog)
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 26 48 26", ""]
    lines += ["   * - name", "     - what it does", "     - in Python"]
    for name in names:
        if distribution in (None, names.owner(name)):
            lines += [f"   * - ``{name}``", f"     - {names.summary(name)}"]
            lines += [f"     - {_link(names[name])}".rstrip()]
    return [*lines, ""]


def _link(item: Any) -> str:
    """A reference to a class, where the API reference describes it."""
    if not isinstance(item, type):
        return ""
    return f":py:class:`~{home_of(item.__module__, item.__name__)}.{item.__name__}`"


class RegisteredNames(TableDirective):
    """``.. registered-names:: CATALOG``."""

    option_spec: ClassVar[Mapping[str, Callable[[str], Any]]] = {
        "distribution": directives.unchanged
    }

    def lines(self) -> list[str]:
        """The names of a catalog."""
        return lines_of(self.arguments[0], self.options.get("distribution"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directive."""
    app.add_directive("registered-names", RegisteredNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
