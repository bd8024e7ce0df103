"""Directives that make the reference of release files from what reads them.

``.. release-keys:: Source`` lists the keys of a model in
``anon_transformers.release._config``: type and default as pydantic knows them, the
meaning from the model's docstring. ``.. reader-options:: csv`` lists the options of a
registered reader in the same way.
"""

import inspect
import types
import typing
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from numpydoc.docscrape import NumpyDocString
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from sphinx.application import Sphinx
from tables import TableDirective

from anon_transformers.gx import Threshold
from anon_transformers.registry import registry
from anon_transformers.release import _config

WORDS = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Threshold: "threshold",
    timedelta: "duration",
    datetime: "date or moment",
}

FILLED_IN = {
    ("ReleaseConfig", "name"): "name of the file",
    ("ReleaseConfig", "airflow"): " ",
    ("ReleaseConfig", "expect"): " ",
}
"""What reading the file fills in, where the model itself requires a key."""


class Key(NamedTuple):
    """One line of the reference."""

    name: str
    type: str
    default: str
    meaning: str


def in_words(annotation: Any) -> str:
    """A type as people write it in YAML: ``tuple[str, ...]`` is a list of texts."""
    if annotation in WORDS:
        return WORDS[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return in_words(inner[0])
    if origin in {typing.Union, types.UnionType}:
        parts = [in_words(part) for part in inner if part is not type(None)]
        return " or ".join(dict.fromkeys(parts))
    if origin is typing.Literal:
        return " or ".join(f"``{word}``" for word in inner)
    if origin in {tuple, list}:
        parts = in_words(inner[0]).split(" or ")
        return "list of " + " or ".join(_plural(part) for part in parts)
    if origin is dict:
        return "keys with values"
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return "keys with values"
    raise LookupError(f"no word for {annotation!r}")


def _plural(word: str) -> str:
    head, *rest = word.split(" of ", 1)
    return " of ".join([f"{head}s", *rest])


def default_in_words(field: FieldInfo) -> str:
    """What holds where the key is not given."""
    if field.is_required():
        return "**required**"
    default = field.get_default(call_default_factory=True)
    if default is None or default in ("", (), {}):
        return ""
    return f"``{str(default).lower() if isinstance(default, bool) else default}``"


def meanings(docstring: str | None, section: str) -> dict[str, str]:
    """Description by name, from a numpydoc section; names may share one."""
    entries = NumpyDocString(inspect.cleandoc(docstring or ""))[section]
    return {
        name: " ".join(line.strip() for line in entry.desc)
        for entry in entries
        for name in entry.name.split(", ")
    }


def keys_of(model: type[BaseModel]) -> list[Key]:
    """The keys of a model; an undocumented one is an error."""
    known = meanings(model.__doc__, "Attributes")
    # ``folder`` is a field, but no key of the file: it is not shown in messages either.
    fields = {name: f for name, f in model.model_fields.items() if f.repr}
    lacking = [name for name in fields if name not in known]
    if lacking:
        raise LookupError(f"{model.__name__} does not document {', '.join(lacking)}.")
    return [
        Key(
            f"``{name}``",
            in_words(_stated(model, name)),
            FILLED_IN.get((model.__name__, name)) or default_in_words(field),
            known[name],
        )
        for name, field in fields.items()
    ]


def _stated(model: type[BaseModel], name: str) -> Any:
    """The annotation as written: pydantic takes Annotated apart."""
    return typing.get_type_hints(model, vars(_config))[name]


def options_of(reader: Any) -> list[Key]:
    """The options of a reader that a release file may give beside the path."""
    known = meanings(reader.__doc__, "Parameters")
    taken = inspect.signature(reader).parameters.values()
    return [
        Key(f"``{p.name}``", "", _option_default(p.default), known[p.name])
        for p in taken
        if p.name in known and p.name not in {"path", "exact"}
    ]


def _option_default(default: Any) -> str:
    if default in (None, (), inspect.Parameter.empty):
        return ""
    return f"``{default}``"


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
