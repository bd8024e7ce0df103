"""Directives that make the reference of release files from what reads them.

``.. release-keys:: Source`` lists the keys of a model that reads a section, as
``anon_transformers.release._keys`` finds them, and ``anon check --keys`` prints them.
``.. reader-options:: csv`` lists the options of a registered reader in the same way.
"""

from pydantic import BaseModel
from sphinx.application import Sphinx
from tables import TableDirective

from anon_transformers.registry import registry
from anon_transformers.release import _config
from anon_transformers.release._keys import (
    THRESHOLD_KEYS,
    Key,
    keys_of,
    options_of,
)


def table(keys: list[Key]) -> list[str]:
    """The keys as a table in reStructuredText; without types where none is known."""
    typed = any(key.type for key in keys)
    widths = "18 16 12 54" if typed else "18 12 70"
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for key in [Key("key", "type", "default", "meaning"), *keys]:
        cells = [key.name, *([key.type] if typed else []), key.default, key.meaning]
        lines += [f"   * - {cells[0]}", *(f"     - {cell}" for cell in cells[1:])]
    return [*lines, ""]


def section(name: str) -> type[BaseModel]:
    """The class of a section of the file, in whichever module it is."""
    found: list[type[BaseModel]] = [_config.Strict]
    for cls in found:
        found += cls.__subclasses__()
    return next(cls for cls in found if cls.__name__ == name)


class ReleaseKeys(TableDirective):
    """``.. release-keys:: MODEL``."""

    def lines(self) -> list[str]:
        """The keys of a model."""
        self.env.note_dependency(_config.__file__)
        if self.arguments[0] == "Threshold":
            return table(list(THRESHOLD_KEYS))
        return table(keys_of(section(self.arguments[0])))


class ReaderOptions(TableDirective):
    """``.. reader-options:: KIND``."""

    def lines(self) -> list[str]:
        """The options of a reader."""
        return table(options_of(registry().readers[self.arguments[0]]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directives."""
    app.add_directive("release-keys", ReleaseKeys)
    app.add_directive("reader-options", ReaderOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
