"""The keys of a release file: what they are called, take, default to and mean.

Everything comes from the models that read the file and from their docstrings. The
documentation makes its tables of it, and ``anon check --keys`` prints them.
"""

import inspect
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anon_transformers.exceptions import ConfigurationError, unknown_choice
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release import _config
from anon_transformers.release._durations import duration_in_words

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
    ("ReleaseConfig", "on_refusal"): "``refuse``",
}
"""What reading the file fills in, where the model itself requires a key."""

REQUIRED = "**required**"
THE_FILE = "file"
"""The section of the keys that stand at the top."""


class Key(NamedTuple):
    """One key, in the markup of docstrings.

    Attributes
    ----------
    name, type, default, meaning : str
        What it is called, takes, is where it is not given, and means.
    """

    name: str
    type: str
    default: str
    meaning: str

    def plain(self) -> "Key":
        """The same as a terminal shows it."""
        marks = re.compile(r"``|\*\*")
        return Key(*(marks.sub("", text).strip() for text in self))

    def short(self) -> "Key":
        """The same with the first sentence of its meaning."""
        return self._replace(meaning=re.split(r"(?<=\.) +(?=[A-Z])", self.meaning)[0])


@dataclass(frozen=True)
class Section:
    """A part of the file that has keys of its own.

    Attributes
    ----------
    path : str
        Where it stands, such as ``target.retention``.
    about : str
        Which of several it is: of each column, of each entry of a list, of a reader.
    summary : str
        What it is, in one line.
    keys : tuple of Key
        Its keys.
    """

    path: str
    about: str
    summary: str
    keys: tuple[Key, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "section": self.path,
            "about": self.about,
            "summary": self.summary,
            "keys": [key.plain()._asdict() for key in self.keys],
        }


THRESHOLD_KEYS = (
    Key("``model``", "text", "", "Registered name of a privacy model, as k-anonymity."),
    Key("``metric``", "text", "", "Registered name of a metric, in place of a model."),
    Key("``min``", "number", "", "Least value of a metric; it needs one bound."),
    Key("``max``", "number", "", "Largest value of a metric; it needs one bound."),
    Key("``sensitive``", "text", "", "The one sensitive column that a model judges; "
        "without it, all of them."),
    Key("``id``", "text", "name of model or metric", "Its name in reports, suites and "
        "triggers, where a model or metric occurs twice."),
    Key("others", "", "", "Parameters of the model or metric, as ``k: 5``."),
)  # fmt: skip
"""What a line of ``thresholds`` holds; it is read by no model of pydantic."""


def in_words(annotation: Any) -> str:
    """A type as people write it in YAML.

    Examples
    --------
    >>> in_words(tuple[str, ...]), in_words(bool | None)
    ('list of texts', 'true or false')
    """
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
    return " of ".join([head if head.endswith("s") else f"{head}s", *rest])


def default_in_words(field: FieldInfo) -> str:
    """What holds where the key is not given."""
    if field.is_required():
        return REQUIRED
    default = field.get_default(call_default_factory=True)
    if default is None or default in ("", (), {}):
        return ""
    if isinstance(default, timedelta):
        return duration_in_words(default)
    return f"``{str(default).lower() if isinstance(default, bool) else default}``"


def meanings(docstring: str | None, section: str) -> dict[str, str]:
    """Description by name, from a section of a docstring; names may share one.

    Examples
    --------
    >>> sorted(meanings(Section.__doc__, "Attributes"))
    ['about', 'keys', 'path', 'summary']
    """
    lines = inspect.cleandoc(docstring or "").splitlines()
    found: dict[str, list[str]] = {}
    names: list[str] = []
    inside = False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"} and len(below) == len(line):
            inside = line == section
            names = []
        elif not inside or not line or set(line) == {"-"}:
            continue
        elif line.startswith(" "):
            for name in names:
                found[name].append(line.strip())
        else:
            names = line.split(" : ")[0].split(", ")
            found |= {name: [] for name in names}
    return {name: " ".join(said) for name, said in found.items()}


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
        if p.name in known and p.name not in {"path", "exact", "folder"}
    ]


def _option_default(default: Any) -> str:
    if default in (None, (), inspect.Parameter.empty):
        return ""
    return f"``{default}``"


def sections() -> list[Section]:
    """Every part of a release file, in the order in which it is read."""
    summary = "The keys at the top of the file."
    top = Section(THE_FILE, "", summary, tuple(keys_of(_config.ReleaseConfig)))
    return [top, *_below(_config.ReleaseConfig, "")]


def _below(model: type[BaseModel], path: str) -> Iterator[Section]:
    """The parts of a part."""
    for name, field in model.model_fields.items():
        if not field.repr:
            continue
        place, stated = f"{path}{name}", _stated(model, name)
        if _inner(stated, Threshold):
            summary = "What the release must reach."
            yield Section(place, "each entry", summary, THRESHOLD_KEYS)
        for one in _inner(stated, BaseModel):
            summary = (inspect.getdoc(one) or "").partition("\n")[0]
            yield Section(place, _which(stated), summary, tuple(keys_of(one)))
            if place == "source":
                yield from _readers()
            yield from _below(one, f"{place}.")


def _inner(annotation: Any, wanted: type) -> list[Any]:
    """Classes of a kind that an annotation holds."""
    if inspect.isclass(annotation) and issubclass(annotation, wanted):
        return [annotation]
    parts = typing.get_args(annotation)
    return [one for part in parts for one in _inner(part, wanted)]


def _which(annotation: Any) -> str:
    """Of what there are several, where there are."""
    origins = {typing.get_origin(annotation)}
    origins |= {typing.get_origin(part) for part in typing.get_args(annotation)}
    if dict in origins:
        return "each column"
    return "each entry" if tuple in origins else ""


def _readers() -> Iterator[Section]:
    """Options of readers, which stand beside the path."""
    from anon_transformers.registry import registry

    for kind, reader in registry().readers.items():
        options = tuple(options_of(reader))
        if options:
            summary = f"Options of the reader {kind}, beside its path."
            yield Section("source", f"kind: {kind}", summary, options)


def find_sections(name: str | None = None) -> list[Section]:
    """The sections at a place of the file and below it; all without a name.

    Parameters
    ----------
    name : str, optional
        Such as ``target``, or ``target.retention``.

    Raises
    ------
    ConfigurationError
        If the file has no such section.

    Examples
    --------
    >>> [section.path for section in find_sections("expect")]
    ['expect', 'expect.rows']
    """
    known = sections()
    if name is None:
        return known
    found = [s for s in known if s.path == name or s.path.startswith(f"{name}.")]
    if not found:
        legal = {section.path for section in known}
        raise ConfigurationError(f"--keys: {unknown_choice('section', name, legal)}")
    return found
