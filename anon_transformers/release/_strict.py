"""Configuration that is read strictly: no unknown key, no key twice."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from anon_transformers.exceptions import ConfigurationError, unknown_choice


class Strict(BaseModel):
    """A part of the configuration; an unknown key is told with its nearest."""

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


def misspelt(given: Iterable[Any], legal: Iterable[str]) -> str | None:
    """What to say of a key that looks like one that is wanted and not there."""
    given, legal = list(given), list(legal)
    wanted = [key for key in legal if key not in given]
    for key in given:
        if key not in legal and get_close_matches(str(key), wanted, n=1):
            return unknown_choice("key", key, legal)
    return None


class _Loader(yaml.SafeLoader):
    """YAML without the silent last-one-wins for a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigurationError(f"line {line}: a key must be a plain text.")
            key = self.construct_object(key_node, deep=deep)
            if key in seen:
                raise ConfigurationError(f"line {line}: the key {key!r} stands twice.")
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def parse_yaml(text: str) -> dict[str, Any]:
    """Read a mapping from YAML, or say where it cannot be read."""
    try:
        content = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ConfigurationError(f"line {line}: {error.problem}.") from None
    except yaml.YAMLError as error:
        raise ConfigurationError(f"not readable as YAML: {error}.") from None
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
        place = ".".join(str(part) for part in fault["loc"]) or "top level"
        said = fault["msg"].removeprefix("Value error, ")
        lines.append(f"{place}: {said}")
    return "\n".join(lines)
