"""Who may ask for a page: this machine, with the token, from our own pages.

Pages hold personal data, and every website that a browser has open may send requests
to loopback. So the address must be one of ours (a name that resolves to loopback is
not enough), the cookie must be the one that the printed address gave, and whatever
changes something must come from a page of ours.
"""

import secrets
from html import escape
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""What a page may load: what this process serves, and nothing else."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # Not 'no-referrer': browsers would send "Origin: null" with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
READING = frozenset({"GET", "HEAD"})
ENTERED = (None, "none", "same-origin")
"""What browsers say of an address that a person typed, or that we gave."""
TOKEN = "token"
LARGEST_UPLOAD = 2 << 30
"""Bytes of a request; a table that is larger is opened by its path."""


class Guard:
    """Lets a request through to the pages, or refuses it in one plain sentence.

    Parameters
    ----------
    app : ASGI application
        The pages.
    token : str
        What the printed address carries; valid while the process lives.
    port : int
        Where the process listens.
    largest : int
        Bytes of a request that are read at most.
    """

    def __init__(
        self, app: ASGIApp, token: str, port: int, largest: int = LARGEST_UPLOAD
    ):
        self.app, self.largest = app, largest
        self._token, self._cookie = token, f"anon-studio-{port}"
        self._hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets
            return
        request = Request(scope)
        refusal = self._refusal(request)
        send = _with_headers(send)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, _limited(receive, self.largest), send)

    def _refusal(self, request: Request) -> Response | None:
        host = _only(request, "host")
        if host not in self._hosts:
            return _refuse("this address is not one of Studio's", 421)
        given = request.query_params.get(TOKEN)
        if given is not None and request.method == "GET":
            return self._enter(request, given)
        if not self._has_cookie(request):
            return _refuse(
                "open the address that 'anon studio' printed: it carries a token"
            )
        if request.method not in READING and not _is_from_us(request, host):
            return _refuse("only Studio's own pages may change something")
        if _is_part_of_others(request):
            return _refuse("only Studio's own pages may load parts of it")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.largest:
            return _refuse(
                f"a request may have {self.largest >> 20:,} MB at most; open a larger "
                "table by its path",
                413,
            )
        return None

    def _enter(self, request: Request, given: str) -> Response:
        """Turn the token of an address into a cookie, and show it no longer."""
        if not _equal(given, self._token):
            return _refuse("the token is of another process; use the newest address")
        # From a file or another site the browser would go on without the cookie, which
        # is strict: there a page of ours goes on.
        to = local_path(request.url.path)
        site = _only(request, "sec-fetch-site")
        answer = RedirectResponse(to, 303) if site in ENTERED else _page_to(to)
        answer.set_cookie(
            self._cookie, self._token, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _has_cookie(self, request: HTTPConnection) -> bool:
        return _equal(request.cookies.get(self._cookie, ""), self._token)


def _is_from_us(request: Request, host: str) -> bool:
    """Whether a page of this very address sent it; without a word of that, it did not.

    Both headers are set by the browser, and no page can change them.
    """
    site, origin = _only(request, "sec-fetch-site"), _only(request, "origin")
    if site is None and origin is None:
        return False
    return site in (None, "same-origin") and origin in (None, f"http://{host}")


def _is_part_of_others(request: Request) -> bool:
    """Whether a page of another port or site loads this as its picture, script or data.

    It could not read the answer; but pages may begin to read a table when asked for,
    and how long an answer takes says something, too.
    """
    site, mode = _only(request, "sec-fetch-site"), _only(request, "sec-fetch-mode")
    return site not in ENTERED and mode != "navigate"


def _only(request: Request, header: str) -> str | None:
    """A header that is given once; '' if it is given several times."""
    found = request.headers.getlist(header)
    if not found:
        return None
    return found[0] if len(found) == 1 else ""


def local_path(path: str) -> str:
    """A path as an address of ours; one that begins with ``//`` would name a host.

    Examples
    --------
    >>> local_path("//example.org/x"), local_path("/data/")
    ('/example.org/x', '/data/')
    """
    return "/" + path.lstrip("/\\")


def _page_to(path: str) -> Response:
    """A page that goes on by itself."""
    to = escape(quote(path, safe="/"))
    return HTMLResponse(
        "<!doctype html><html lang='en'><title>Studio</title>"
        '<meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={to}">'
        f'<p><a href="{to}">To Studio</a></p></html>'
    )


def _equal(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())


def _refuse(reason: str, status: int = 403) -> Response:
    return PlainTextResponse(f"Refused: {reason}.\n", status)


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                # A response may state a policy of its own: a report that is a whole
                # document shows itself, in a sandbox.
                if name != "content-security-policy" or name not in given:
                    given[name] = value
        await send(message)

    return sender


def _limited(receive: Receive, largest: int) -> Receive:
    """Stop reading a body that is longer than it may be, whatever it says of itself."""
    read = 0

    async def receiver() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if read > largest else message

    return receiver
