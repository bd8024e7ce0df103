"""The docstring of a registered class, as a page shows it.

Docstrings follow numpydoc. What is read of reStructuredText is what ours and most
others use: paragraphs, lists, code, names of things, references. Anything else is shown
as it is written.
"""

import inspect
import re
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

_RULE = re.compile(r"-{3,}\s*\Z")
_BULLET = re.compile(r"[*-] ")
_CITED = re.compile(r"\.\. \[(\w+)\] ")
_INLINE = re.compile(
    r"``(?P<code>.+?)``"
    r"|:(?:\w+:)?\w+:`~?(?P<role>[^`]+)`"
    r"|`(?P<name>[^`]+)`"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|\[(?P<cited>\w+)\]_"
    r"|(?<!\w)(?P<base>[^\W\d_])_(?:\{(?P<sum>[^{}]+)\}|(?P<index>\w)(?!\w))",
    re.DOTALL,
)


@dataclass(frozen=True)
class Described:
    """A parameter: its name, what it may be, and what it does."""

    name: str
    type: str
    text: Markup


@dataclass(frozen=True)
class Documentation:
    """What a class says of itself.

    Attributes
    ----------
    summary : Markup
        Its first line.
    text : Markup
        The paragraphs below it: the definition.
    parameters : tuple of Described
    notes : Markup
    references : tuple of Markup
    """

    summary: Markup
    text: Markup
    parameters: tuple[Described, ...]
    notes: Markup
    references: tuple[Markup, ...]

    def first_words(self, parameter: str) -> str:
        """The first paragraph about a parameter, as plain text; '' without any."""
        for one in self.parameters:
            if parameter in one.name.split(", "):
                return one.text.partition("</p>")[0].striptags()
        return ""


def documentation_of(item: Any) -> Documentation:
    """Read the docstring of a class.

    Examples
    --------
    >>> class Hide:
    ...     '''Hide ``k`` rows.
    ...
    ...     All <of> them.
    ...
    ...     References
    ...     ----------
    ...     .. [1] A. Nobody, "On hiding",
    ...        1999.
    ...     '''
    >>> said = documentation_of(Hide)
    >>> print(said.summary, said.text)
    Hide <code>k</code> rows. <p>All &lt;of&gt; them.</p>
    >>> print(*said.references)
    A. Nobody, &#34;On hiding&#34;, 1999.
    """
    sections = _sections(inspect.getdoc(item) or "")
    summary, _, rest = "\n".join(sections.get("", [])).strip().partition("\n\n")
    return Documentation(
        summary=inline(summary),
        text=_blocks(rest.splitlines()),
        parameters=_described(sections.get("Parameters", [])),
        notes=_blocks(sections.get("Notes", [])),
        references=_references(sections.get("References", [])),
    )


def inline(text: str) -> Markup:
    """One paragraph, with its code and names marked; everything else is escaped."""
    text = " ".join(text.split())
    parts, at = [], 0
    for found in _INLINE.finditer(text):
        parts.append(escape(text[at : found.start()]))
        parts.append(_marked(found))
        at = found.end()
    return Markup("").join([*parts, escape(text[at:])])


def _marked(found: re.Match[str]) -> Markup:
    kind, said = found.lastgroup, found[found.lastgroup or 0]
    if kind in ("sum", "index"):
        return Markup("{}<sub>{}</sub>").format(found["base"], said)
    if kind == "cited":
        return escape(f"[{said}]")
    if kind == "strong":
        return Markup("<strong>{}</strong>").format(said)
    if kind == "role":
        said = (
            said.rpartition(".")[2] if found[0].partition("`")[2][:1] == "~" else said
        )
    return Markup("<code>{}</code>").format(said)


def _sections(text: str) -> dict[str, list[str]]:
    """Lines by the title above them; those before any title under ''."""
    found: dict[str, list[str]] = {"": []}
    lines, title = text.splitlines(), ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line.strip() and _RULE.match(below) and line == line.strip():
            title = line
            found[title] = []
        elif not _RULE.match(line):
            found[title].append(line)
    return found


def _blocks(lines: list[str]) -> Markup:
    """Paragraphs and lists."""
    made = []
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if not block.strip():
            continue
        if _BULLET.match(block.lstrip()):
            items = re.split(r"\n(?=[*-] )", inspect.cleandoc(block))
            listed = [Markup("<li>{}</li>").format(inline(i[2:])) for i in items]
            made.append(Markup("<ul>{}</ul>").format(Markup("").join(listed)))
        else:
            made.append(Markup("<p>{}</p>").format(inline(block)))
    return Markup("\n").join(made)


def _described(lines: list[str]) -> tuple[Described, ...]:
    found: list[tuple[str, str, list[str]]] = []
    for line in lines:
        if line and not line[0].isspace():
            name, _, kind = line.partition(" : ")
            found.append((name.strip(), kind.strip(), []))
        elif found:
            found[-1][2].append(line)
    return tuple(
        Described(
            name,
            kind.replace("``", ""),
            _blocks(inspect.cleandoc("\n".join(text)).splitlines()),
        )
        for name, kind, text in found
    )


def _references(lines: list[str]) -> tuple[Markup, ...]:
    text = "\n".join(lines)
    starts = [*_CITED.finditer(text)]
    ends = [*(found.start() for found in starts[1:]), len(text)]
    return tuple(
        inline(text[found.end() : end])
        for found, end in zip(starts, ends, strict=False)
    )
