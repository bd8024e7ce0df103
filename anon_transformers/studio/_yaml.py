"""Release files as text: new ones, and edits that leave a person's comments alone."""

from collections.abc import Mapping
from difflib import SequenceMatcher
from io import StringIO
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.util import load_yaml_guess_indent

from anon_transformers.release._strict import parse_yaml

WIDTH = 88


def dump(content: Mapping[str, Any]) -> str:
    """A release file as YAML, keys in the order that they have."""

    def text(*, ascii_only: bool) -> str:
        return yaml.safe_dump(
            dict(content), sort_keys=False, allow_unicode=not ascii_only, width=WIDTH
        )

    readable = text(ascii_only=False)
    # Some signs that are not printed are read as ends of lines, unless escaped.
    return readable if parse_yaml(readable) == content else text(ascii_only=True)


def edited(text: str, content: Mapping[str, Any]) -> str:
    r"""The text with other content: what is not changed stays as somebody wrote it.

    Parameters
    ----------
    text : str
        A release file.
    content : mapping
        What it is to say.

    Examples
    --------
    >>> print(edited("k: 5  # agreed in May\nl: 2", {"k": 7, "t": 0.2}), end="")
    k: 7  # agreed in May
    t: 0.2
    """
    try:
        made = _edited(text, content)
    except (YAMLError, ValueError, TypeError, AttributeError):
        return dump(content)  # the two readers differ in corners of the language
    return made if parse_yaml(made) == content else dump(content)


def _edited(text: str, content: Mapping[str, Any]) -> str:
    _, _, offset = load_yaml_guess_indent(text)
    offset = offset or 0
    editor, out = YAML(), StringIO()
    editor.width, editor.preserve_quotes = WIDTH, True
    editor.indent(mapping=2, sequence=2 + offset, offset=offset)
    found = editor.load(text)
    _become(found, content)
    editor.dump(found, out)
    return out.getvalue()


def _become(found: Any, wanted: Any) -> Any:
    """Let a value say something else; what of it stays keeps its comments."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in [key for key in found if key not in wanted]:
            del found[key]
        for place, (key, value) in enumerate(wanted.items()):
            if key in found:
                found[key] = _become(found[key], value)
            else:
                found.insert(place, key, value)  # type: ignore[attr-defined]
        return found
    if isinstance(found, list) and isinstance(wanted, list):
        return _become_list(found, wanted)
    return found if found == wanted and type(found) is not bool else wanted


def _become_list(found: Any, wanted: list[Any]) -> Any:
    """The same of a list, whose items are known by what they say first."""
    heads = [_head(item) for item in found], [_head(item) for item in wanted]
    steps = SequenceMatcher(None, *heads, autojunk=False).get_opcodes()
    # From the end, so that places before it stay what they are.
    for what, start, stop, first, last in reversed(steps):
        if what == "equal":
            for old, new in zip(range(start, stop), range(first, last), strict=True):
                found[old] = _become(found[old], wanted[new])
            continue
        for place in reversed(range(start, stop)):
            del found[place]
        for item in reversed(wanted[first:last]):
            found.insert(start, item)
    return found


def _head(item: Any) -> str:
    """What tells an item of a list from others: a threshold is known by its model."""
    return repr([*item.items()][:1]) if isinstance(item, dict) else repr(item)
