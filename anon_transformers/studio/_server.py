"""Start Studio: one socket on loopback, one address with its token, one process."""

import logging
import os
import secrets
import socket
import threading
import traceback
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 32
SOON = 1.5
"""Seconds after which pages are warmed: the first one is shown by then."""
log = logging.getLogger(__name__)


class Quiet:
    """Logs of an error its type and its place; its words may quote a cell.

    Parameters
    ----------
    app : ASGI application
        What answers requests; after an error it has answered, too.
    """

    def __init__(self, app: "ASGIApp"):
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        try:
            await self.app(scope, receive, send)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            at = " < ".join(f"{one.name}:{one.lineno}" for one in reversed(frames[-3:]))
            log.error("%s in %s", type(error).__name__, at)


def home_folder() -> Path:
    """Where Studio keeps uploads and its list of projects.

    ``ANON_STUDIO_HOME``, or ``anon-transformers/studio`` in the user's folder for data.
    """
    stated = os.environ.get("ANON_STUDIO_HOME")
    if stated:
        return Path(stated)
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "anon-transformers" / "studio"


def serve(
    port: int = 0,
    *,
    browser: bool = True,
    home: Path | None = None,
    announce: Callable[[str], None] = print,
) -> None:
    """Answer requests until Ctrl-C.

    Parameters
    ----------
    port : int, default=0
        Where to listen; 0 takes a free one.
    browser : bool, default=True
        Whether to open the address in the browser.
    home : Path, optional
        Studio's own folder; see :func:`home_folder`.
    announce : callable, default=print
        Told the address, once the socket is there.
    """
    import uvicorn

    from anon_transformers.studio._app import make_app
    from anon_transformers.studio._project import private_folder, write_privately

    folder = private_folder((home or home_folder()).absolute())
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with listening:
        listening.bind((LOOPBACK, port))
        listening.listen()  # whoever comes before uvicorn is ready waits
        own_port = listening.getsockname()[1]
        token = secrets.token_urlsafe(TOKEN_BYTES)
        app = Quiet(make_app(folder, token, own_port))
        url = f"http://{LOOPBACK}:{own_port}/?token={token}"
        announce(url)
        door = folder / f"open-{own_port}.html"
        if browser:
            # Others on this machine see the arguments of a process, so that the browser
            # is told a file that only its owner reads, and not the token.
            write_privately(door, _door(url))
            webbrowser.open(door.as_uri())
        config = uvicorn.Config(
            app,
            # Lines of requests hold names of projects and of columns.
            access_log=False,
            log_level="error",
            timeout_graceful_shutdown=1,
            ws="none",
            server_header=False,
        )
        warm = threading.Timer(SOON, warm_pages)
        warm.daemon = True
        warm.start()
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            warm.cancel()
            door.unlink(missing_ok=True)


def warm_pages() -> None:
    """Import what the first lesson and the first form need, while nobody waits.

    One lesson of each kind is computed, so that kernels which most of them use are
    loaded or compiled, too. What fails here fails again on its page, which says so.
    """
    from anon_transformers.registry import registry
    from anon_transformers.studio._learn.methods import method_lesson
    from anon_transformers.studio._learn.models import model_lesson

    found = registry()
    works: list[Callable[[], object]] = [
        lambda: model_lesson("k-anonymity", lambda knob: None),
        lambda: method_lesson("mondrian", lambda knob: None),
        *(partial(found.anonymizers.__getitem__, name) for name in found.anonymizers),
    ]
    for work in works:
        try:
            work()
        except Exception as error:  # a plugin's, too
            log.debug("pages are not warm: %s", type(error).__name__)


def _door(url: str) -> str:
    """A page that leads to the address with its token."""
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Studio</title>"
        f'<meta http-equiv="refresh" content="0; url={url}">'
        f'<p><a href="{url}">Open Studio</a></p></html>'
    )
