"""Configuration that is read strictly: no unknown key, no key twice, no surprise."""

import re
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from anon_transformers.exceptions import ConfigurationError, shortened, unknown_choice

LARGEST_FILE = 1_000_000
"""Bytes of a release file; people write a few thousand."""
MOST_NODES = 100_000
"""Texts, lists and mappings of a release file, with each alias written out."""

_NAMED = re.compile(r"\b(alias|anchor|tag) '.*'")
LONGEST_FAULT = 4_000
"""Characters that are said of one fault; choices may be many."""

_KEY_PATH = re.compile(r"[a-z_]+(\.\w+)*(, [^:]+| and [a-z_.]+)?: ")
"""How a sentence begins that names its key itself."""

LIST = "must be a list"
MAPPING = "must be keys with values, {key: value}"
KINDS = {
    "tuple": LIST,
    "list": LIST,
    "dict": MAPPING,
    "model": MAPPING,
    "string": "must be a text",
    "int": "must be a whole number",
    "float": "must be a number",
    "bool": "must be true or false",
}
"""What a fault wants, by the first word of its type."""
OF_KIND = {"type", "parsing", "from_float"}
"""The rest of its type, where something of another kind was given."""


class Strict(BaseModel):
    """A part of the configuration; an unknown key is refused with the nearest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, given: Any) -> Any:
        if isinstance(given, dict) and cls.model_config.get("extra") == "forbid":
            shown = [key for key, field in cls.model_fields.items() if field.repr]
            for key in given:
                if key not in cls.model_fields:
                    raise ValueError(unknown_choice("key", key, shown))
        return given


class _Loader(yaml.SafeLoader):
    """YAML without the silent last-one-wins for a key that is given twice.

    Aliases of aliases can stand for more than any memory holds: they are counted as if
    they were written out, before anything is made of them.
    """

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        if node is not None and _written_out(node, {}) > MOST_NODES:
            raise ConfigurationError(
                f"with its aliases written out the file has more than {MOST_NODES:,} "
                "entries."
            )
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigurationError(f"line {line}: a key must be a plain text.")
            key = self.construct_object(key_node, deep=deep)
            if key in seen:
                named = repr(shortened(key)) if isinstance(key, str) else key
                raise ConfigurationError(
                    f"line {line}: the key {named} is given twice."
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def _written_out(node: yaml.Node, counted: dict[int, float]) -> float:
    """Entries below a node, with each alias written out; one of itself has no end."""
    if id(node) in counted:
        return counted[id(node)]
    counted[id(node)] = float("inf")  # until it is counted: met again, it holds itself
    below: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        below = [part for pair in node.value for part in pair]
    elif isinstance(node, yaml.SequenceNode):
        below = node.value
    counted[id(node)] = 1 + sum(_written_out(part, counted) for part in below)
    return counted[id(node)]


def parse_yaml(text: str) -> dict[str, Any]:
    """Read a mapping from YAML, or say where it cannot be read."""
    try:
        content = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        # A text that begins with * or ! and has no quotes may be a password.
        problem = _NAMED.sub(r"\1 (texts with * & ! in front need quotes)",
                             shortened(error.problem))  # fmt: skip
        raise ConfigurationError(f"line {line}: {problem}.") from None
    except yaml.YAMLError as error:
        fault = shortened(error)
        raise ConfigurationError(f"not readable as YAML: {fault}.") from None
    except ConfigurationError:
        raise
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        # The reader lets these out for dates and numbers that do not exist.
        raise ConfigurationError(
            f"not readable as YAML ({type(error).__name__})."
        ) from None
    if not isinstance(content, dict):
        raise ConfigurationError("expected keys with values at the top level.")
    return content


def explain(error: ValidationError) -> str:
    """Every fault with the key it is at, one a line."""
    lines = []
    for fault in error.errors(include_url=False, include_context=False):
        place = ".".join(map(shortened, fault["loc"]))
        said = _in_words(fault["type"], fault["input"])
        said = said or fault["msg"].removeprefix("Value error, ")
        if not place and not _KEY_PATH.match(said):
            place = "top level"
        said = shortened(said, LONGEST_FAULT)
        lines.append(f"{place}: {said}" if place else said)
    return "\n".join(lines)


def _in_words(kind: str, given: Any) -> str | None:
    """What should stand there, in the words of the file; None: in its own words.

    Examples
    --------
    >>> _in_words("tuple_type", "age")
    'must be a list, such as [age]'
    """
    word, _, fault = kind.partition("_")
    wanted = KINDS.get(word) if fault in OF_KIND else None
    if wanted == LIST:
        # Whoever is told by an address often has a token in it.
        plain = isinstance(given, str | int | float) and "://" not in str(given)
        return f"{wanted}, such as [{shortened(given) if plain else 'a, b'}]"
    return wanted
