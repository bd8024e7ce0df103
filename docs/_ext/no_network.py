"""Warns of built pages that would fetch something from elsewhere when they are read."""

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
FETCHED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"'](?:https?:)?//"
    r"|<link\b[^>]*\bhref=[\"'](?:https?:)?//"
    r"|(?:@import|url\()\s*[\"']?(?:https?:)?//"
)


def look(app: Sphinx, failure: Exception | None) -> None:
    """Go through every page and style sheet."""
    if failure is not None or app.builder.format != "html":
        return
    for kind in ("*.html", "*.css"):
        for file in sorted(Path(app.outdir).rglob(kind)):
            found = FETCHED.search(file.read_text(errors="ignore"))
            if found:
                LOG.warning("%s fetches %s…", file, found.group()[:120])


def setup(app: Sphinx) -> dict[str, bool]:
    """Look when everything is written."""
    app.connect("build-finished", look)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
