"""Data Docs that are read without a network.

Great Expectations writes pages that load styles, fonts and scripts from the Internet,
and whose index is a table that a script fills. Here every page carries its own style,
the index is plain HTML, and no script is left.
"""

import ast
import html
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from anon_transformers.exceptions import ConfigurationError

MARK = '<style id="anon-transformers-offline">'
_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.S | re.I)
_REMOTE_LINK = re.compile(
    r"<link\b[^>]*\bhref\s*=\s*[\"'](?:https?:)?//[^>]*>", re.S | re.I
)
_REMOTE_IMAGE = re.compile(
    r"<(?:img|iframe|embed|source|video|audio)\b[^>]*\bsrc\s*=\s*"
    r"[\"'](?:https?:)?//[^>]*>",
    re.S | re.I,
)
_ALT = re.compile(r"\balt\s*=\s*\"([^\"]*)\"", re.I)
_REMOTE_URL = re.compile(
    r"@import\s+[^;]*//[^;]*;|url\(\s*[\"']?(?:https?:)?//[^)]*\)", re.I
)
_INDEX = re.compile(
    r"\$\('#(?P<id>[\w-]+)'\)\.bootstrapTable\(\s*Object\.assign\(\s*\{\s*"
    r"columns:\s*(?P<columns>\[.*?\]),\s*\n\s*data:\s*(?P<data>\[.*?\]),\s*\n",
    re.S,
)


def build_data_docs(
    context: Any, site_names: Sequence[str] | None = None
) -> dict[str, str]:
    """Build Data Docs that need no network.

    Call it where you would call ``context.build_data_docs()``, and after checkpoints
    whose actions update Data Docs: they write pages of the other kind.

    Parameters
    ----------
    context : data context
        Of Great Expectations.
    site_names : sequence of str, default=None
        Which sites; None: all.

    Returns
    -------
    dict of str to str
        Address of the index page by name of the site.

    Raises
    ------
    ConfigurationError
        If a site is not written to a folder of this machine, before any is built.
    """
    names = None if site_names is None else list(site_names)
    planned = context.build_data_docs(site_names=names, dry_run=True)
    for site, address in planned.items():
        _folder(site, address)
    built = context.build_data_docs(site_names=names)
    for site, address in built.items():
        make_offline(_folder(site, address))
    return built


def make_offline(folder: Path) -> int:
    """Rewrite every page below a folder; the number of pages that were changed.

    Pages that were rewritten before are left alone.
    """
    changed = 0
    for page in sorted(folder.rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        if MARK not in text:
            page.write_text(offline_page(text), encoding="utf-8")
            changed += 1
    return changed


def offline_page(text: str) -> str:
    """One page of Data Docs without anything that is loaded or run.

    Examples
    --------
    >>> page = '<head><link rel="stylesheet" href="https://cdn.example/a.css"></head>'
    >>> "cdn.example" in offline_page(page)
    False
    """
    for found in _INDEX.finditer(text):
        text = _filled(text, found)
    text = _SCRIPT.sub("", text)
    text = _REMOTE_LINK.sub("", text)
    text = _REMOTE_IMAGE.sub(_named, text)
    text = _REMOTE_URL.sub("", text)
    style = (files("anon_transformers.gx") / "static" / "data_docs.css").read_text(
        encoding="utf-8"
    )
    return text.replace("</head>", f"{MARK}\n{style}</style>\n</head>", 1)


def _folder(site: str, address: str) -> Path:
    parsed = urlparse(str(address))
    if parsed.scheme not in {"", "file"} or not parsed.path:
        raise ConfigurationError(
            f"site {site!r}: its pages are not written to a folder of this machine; "
            "choose sites that are with site_names."
        )
    return Path(unquote(parsed.path)).parent


def _named(image: re.Match[str]) -> str:
    alt = _ALT.search(image[0])
    return f"<span>{alt[1]}</span>" if alt else ""


def _filled(text: str, found: re.Match[str]) -> str:
    """The page with the rows of one table, which a script would fill, in its place."""
    columns = ast.literal_eval(found["columns"])
    rows = ast.literal_eval(found["data"])
    header = "".join(f"<th>{html.escape(column['title'])}</th>" for column in columns)
    body = "".join(
        "<tr>"
        + "".join(_cell(row, column["field"], columns) for column in columns)
        + "</tr>\n"
        for row in rows
    )
    filled = f"<thead><tr>{header}<th></th></tr></thead>\n<tbody>{body}</tbody>"
    empty = re.compile(rf"(<table\b[^>]*\bid=\"{re.escape(found['id'])}\"[^>]*>)\s*")
    return empty.sub(lambda opened: opened[1] + filled, text, count=1)


def _cell(row: dict[str, Any], field: str, columns: list[dict[str, Any]]) -> str:
    """One cell, which is HTML already; behind the last one the link of the row."""
    cell = f"<td>{row.get(field, '')}</td>"
    link = row.get("_table_row_link_path")
    if link and field == columns[-1]["field"]:
        cell += f'<td><a href="{html.escape(str(link))}">open</a></td>'
    return cell
