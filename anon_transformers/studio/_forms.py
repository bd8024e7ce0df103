"""Forms that are made from what is registered: plugins need not write a page.

The fields of an anonymizer, a privacy model or a metric are the parameters of its
class: kind and choices from the annotations, limits and help from the docstring. What a
form says is read back into plain values, as a release file states them, and only where
it says something else than what holds anyway.
"""

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import yaml

from anon_transformers.exceptions import (
    ConfigurationError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.gx._threshold import BOUNDS
from anon_transformers.parameters import is_number, is_whole
from anon_transformers.release._stated_method import ROLE_PARAMETERS
from anon_transformers.release._strict import parse_yaml

Kind = Literal["choice", "flag", "whole", "number", "text", "yaml"]

GOAL = ("k", "models")
"""Parameters of anonymizers that the thresholds of a file are the source of."""
NEVER_STATED = (
    "random_state",
    "verbose",
    "keep_links",
    "keep_memberships",
    "keep_mapping",
    "relabel",
)
"""Parameters that a release refuses, or that are of no use to it."""
KINDS: Mapping[Any, Kind] = {bool: "flag", int: "whole", float: "number", str: "text"}
"""Kinds of fields by the type of their values."""

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_LIMITS = (
    re.compile(rf"At least {_NUMBER}"),
    re.compile(
        rf"(?:From|Above) {_NUMBER}(?: (?:to|and (?:at most|below)) {_NUMBER})?"
    ),
)
_ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?: ?:(.*))?$")
_SENTENCE = re.compile(r"(?<=\.)\s+(?=[\"'A-Z])")
_WORDS = re.compile(r"^\{(.*?)\}")


@dataclass(frozen=True)
class Field:
    """One input of a form, for one parameter.

    Attributes
    ----------
    name, label : str
        The parameter, and what the form calls it.
    kind : {"choice", "flag", "whole", "number", "text", "yaml"}
        What its values are; "yaml" is for lists, mappings and what has no other kind.
    default : object
        What holds if nothing is stated, as a file would state it.
    choices : tuple of str
        Of a choice; an empty text stands for null.
    least, most : number or None
        Limits, as far as they are known.
    help, more : str
        The first sentence of what it means, and the others.
    required : bool
        Whether it has no default.
    """

    name: str
    label: str
    kind: Kind
    default: Any = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    help: str = ""
    more: str = ""
    required: bool = False

    def shown(self, value: Any) -> Any:
        """A value as the input holds it: a text, or whether a flag is set."""
        if self.kind == "flag":
            return value is True
        if value is None:
            return ""
        if isinstance(value, str) and self.kind != "yaml":
            return value
        if is_number(value):
            return repr(value) if math.isfinite(value) else str(value)
        text = yaml.safe_dump(
            value, default_flow_style=True, allow_unicode=True, width=math.inf
        )
        return text.strip().removesuffix("...").strip()

    def value_of(self, params: Mapping[str, Any]) -> Any:
        """What the input holds, given the parameters that a file states."""
        return self.shown(params.get(self.name, self.default))

    def read(self, given: Any) -> Any:
        """What an input says, as a plain value; an empty one is the default.

        Raises
        ------
        ParameterError
            If it is no value of this kind.
        """
        text = given.strip() if isinstance(given, str) else ""
        if self.kind == "flag":
            return bool(text)
        if self.kind == "choice":
            return self._read_choice(text, stated=isinstance(given, str))
        if not text:
            return self.default
        if self.kind == "text":
            return text
        if self.kind == "yaml":
            return self._read_yaml(text)
        number = _number(text)
        whole = self.kind == "whole"
        if number is None or (whole and not is_whole(number)):
            noun = "a whole number" if whole else "a number"
            raise ParameterError(f"{self.name} must be {noun}, got {text!r}.")
        return number

    def _read_choice(self, text: str, *, stated: bool) -> str | None:
        if not stated:
            return self.default
        if text not in self.choices:
            if not text:
                return self.default
            raise ParameterError(unknown_choice(self.name, text, self.choices))
        return text or None

    def _read_yaml(self, text: str) -> Any:
        try:
            found = parse_yaml(f"value: {text}")
        except ConfigurationError as error:
            raise ParameterError(f"{self.name}: {error}") from None
        if set(found) != {"value"}:
            raise ParameterError(
                f"{self.name} must be one value, as in a release file: 5, [a, b] or "
                "{age: 5}."
            )
        return found["value"]


def method_fields(cls: Any, stated: Mapping[str, Any] = {}) -> tuple[Field, ...]:
    """The fields of an anonymizer.

    Roles, hierarchies, k and models stand elsewhere in a release file, and randomness
    stands nowhere.

    Parameters
    ----------
    cls : class
        Of the anonymizer.
    stated : mapping
        Parameters that the file states: they may decide what others are by default.

    Examples
    --------
    >>> from anon_transformers.partitioning import MondrianAnonymizer
    >>> mode, *others = method_fields(MondrianAnonymizer)
    >>> mode.kind, mode.choices, mode.default
    ('choice', ('strict', 'relaxed'), 'strict')
    >>> [field.default for field in others if field.name == "boxes"]
    ['cuts']
    """
    left_out = {*ROLE_PARAMETERS, *GOAL, *NEVER_STATED}

    def released(field: Field) -> Field:
        # What holds if this one is not stated, and the others are.
        others = {key: given for key, given in stated.items() if key != field.name}
        defaults = cls.release_defaults(others)
        return replace(field, default=plain(defaults.get(field.name, field.default)))

    return tuple(released(f) for f in fields_of(cls) if f.name not in left_out)


def threshold_fields(
    kind: str, name: str, cls: Any, sensitive: Sequence[str] = ()
) -> tuple[Field, ...]:
    """The fields of a threshold: parameters, bounds of a metric, and its id.

    Parameters
    ----------
    kind : {"model", "metric"}
        What it names.
    name : str
        Its registered name.
    cls : class
        Of the model or metric.
    sensitive : sequence of str
        The sensitive columns of the file, of which a model may judge one.

    Examples
    --------
    >>> from anon_transformers.privacy import TCloseness
    >>> t, *others = threshold_fields("model", "t-closeness", TCloseness, ["pay"])
    >>> t.kind, t.least, t.most, t.required
    ('number', 0, 1, True)
    >>> read_form([t], {"t": "0.2"})
    {'t': 0.2}
    """
    found = [
        replace(field, kind="choice", choices=("", *map(str, sensitive)))
        if field.name == "sensitive"
        else field
        for field in fields_of(cls)
    ]
    if kind == "metric":
        better = getattr(cls, "better", "lower")
        ends = {"min": "smallest", "max": "largest"}
        # First the bound that keeps what is bad out.
        order = BOUNDS if better == "higher" else tuple(reversed(BOUNDS))
        bounds = [
            Field(end, end, "number", help=f"The {ends[end]} value that passes.")
            for end in order
        ]
        found = [*bounds, *found]
    if kind == "attack":
        share = "The largest share of rows, or of persons, that may be exposed."
        file = "A file with rows of the same population that are not in the source."
        needed = [Field("max", "max", "number", required=True, help=share)]
        if "control" in cls.needs:
            needed.append(Field("control", "control", "text", required=True, help=file))
        found = [*needed, *found]
    about = "Its name in reports; needed where one occurs twice."
    return (*found, Field("id", "id", "text", default=name, help=about))


def fields_of(cls: Any) -> list[Field]:
    """One field per parameter of a class."""
    hints, texts = _hints(cls), parameter_texts(inspect.getdoc(cls) or "")
    takes = inspect.signature(cls).parameters.values()
    return [
        _field(p, hints.get(p.name, p.annotation), *texts.get(p.name, ("", "")))
        for p in takes
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]


def read_form(
    fields: Iterable[Field], form: Mapping[str, Any], prefix: str = ""
) -> dict[str, Any]:
    """What a form states beside the defaults, as a release file writes it.

    Parameters
    ----------
    fields : iterable of Field
        All that the form has.
    form : mapping of str to str
        What was sent.
    prefix : str
        What the names of the inputs begin with.

    Raises
    ------
    ParameterError
        If an input holds no value of its kind.

    Examples
    --------
    >>> fields = [Field("k", "k", "whole", required=True), Field("c", "c", "number", 4)]
    >>> read_form(fields, {"k": "5", "c": "4"})
    {'k': 5}
    """
    read = ((field, field.read(form.get(f"{prefix}{field.name}"))) for field in fields)
    return {
        field.name: value for field, value in read if not _same(value, field.default)
    }


def plain(value: Any) -> Any:
    """A value as YAML has it: lists for tuples, and nothing that is of a class.

    Examples
    --------
    >>> plain({"a": (1, 2)}), plain(range)
    ({'a': [1, 2]}, None)
    """
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one) for one in value]
    return value if isinstance(value, (str, int, float, bool)) else None


def parameter_texts(doc: str) -> dict[str, tuple[str, str]]:
    """Type and text of each parameter in a docstring of numpydoc's form.

    Examples
    --------
    >>> doc = '''Do.
    ...
    ... Parameters
    ... ----------
    ... a, b : int, default=1
    ...     Two of them.
    ...
    ... Notes
    ... -----
    ... c : int
    ... '''
    >>> parameter_texts(doc)
    {'a': ('int, default=1', 'Two of them.'), 'b': ('int, default=1', 'Two of them.')}
    """
    _, found, rest = doc.partition("Parameters\n----------\n")
    section = re.split(r"\n\n\w[\w ]*\n-{3,}", rest if found else "")[0]
    texts: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in section.splitlines():
        entry = _ENTRY.match(line)
        if entry:
            names = entry[1].split(", ")
            texts |= {name: ((entry[2] or "").strip(), "") for name in names}
        elif line.strip():
            for name in names:
                stated, text = texts[name]
                texts[name] = stated, f"{text} {line.strip()}".strip()
    return texts


def _hints(cls: Any) -> dict[str, Any]:
    """Annotations; those that a plugin's names do not resolve are left out."""
    try:
        return typing.get_type_hints(cls.__init__)
    except (NameError, TypeError, AttributeError):
        return {}


def _field(p: inspect.Parameter, hint: Any, stated: str, text: str) -> Field:
    default = None if p.default is p.empty else plain(p.default)
    kind, choices = _kind_of(hint, default)
    written = _WORDS.match(stated)
    if kind == "text" and written:  # an annotation of str, and words in the docstring
        words = re.findall(r'"([^"]+)"', written[1])
        kind, choices = "choice", (*([""] if default is None else []), *words)
    text = re.sub(r":\w+:`~?(?:\w+\.)*(\w+)`|`+", r"\1", text)
    first, *others = _SENTENCE.split(text, maxsplit=1)
    least, most = _limits(text)
    return Field(
        p.name,
        p.name.replace("_", " "),
        kind,
        default,
        choices,
        least,
        most,
        first,
        others[0] if others else "",
        p.default is p.empty,
    )


def _kind_of(hint: Any, default: Any) -> tuple[Kind, tuple[str, ...]]:
    """Kind of a field, and its choices, from an annotation or else from its default."""
    if hint is inspect.Parameter.empty or isinstance(hint, str):
        return KINDS.get(type(default), "yaml"), ()
    parts = (
        typing.get_args(hint)
        if typing.get_origin(hint) in {typing.Union, types.UnionType}
        else (hint,)
    )
    optional = type(None) in parts
    # A file states no function.
    parts = tuple(p for p in parts if p is not type(None) and not _is_callable(p))
    if len(parts) == 1 and typing.get_origin(parts[0]) is Literal:
        words = typing.get_args(parts[0])
        if all(isinstance(word, str) for word in words):
            return "choice", (*([""] if optional else []), *words)
    if len(parts) == 1:
        return KINDS.get(parts[0], "yaml"), ()
    return ("number" if set(parts) == {int, float} else "yaml"), ()


def _is_callable(hint: Any) -> bool:
    return typing.get_origin(hint) is Callable


def _limits(text: str) -> tuple[float | None, float | None]:
    """Limits that a text begins with: at least 1; from 0 to 1; above 0."""
    for pattern in _LIMITS:
        found = pattern.match(text)
        if found:
            ends = [None if end is None else _number(end) for end in found.groups()]
            return (ends[0], ends[1] if len(ends) > 1 else None)
    return None, None


def _number(text: str) -> int | float | None:
    """A number as it is written: 1 is whole, 1.0 is not."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _same(value: Any, default: Any) -> bool:
    """Whether two values are one in a file; 1 and true are not."""
    return value == default and isinstance(value, bool) == isinstance(default, bool)
