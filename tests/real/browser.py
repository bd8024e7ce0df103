"""Studio as a person starts it, and a browser that notes what should not happen."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from tests.real.grid import BROWSER, FLAGS

if TYPE_CHECKING:  # not there in an environment that only `make test` was run in
    from playwright.sync_api import Browser, Page

ANON = str(Path(sys.executable).with_name("anon"))
PATIENCE = 180_000
"""Milliseconds that a job may take on a busy machine."""
WIDE, NARROW = 1280, 400
HEIGHT = 900

FACTS = """() => {
  const named = (one) =>
    (one.labels && [...one.labels].some((label) => label.textContent.trim()))
    || one.getAttribute("aria-label") || one.getAttribute("aria-labelledby");
  const inputs = [...document.querySelectorAll(
    "input:not([type=hidden]), select, textarea")];
  const buttons = [...document.querySelectorAll("button, a[href], summary")];
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return {
    heading: [...document.querySelectorAll("h1")].map((one) => one.textContent.trim()),
    unlabelled: inputs.filter((one) => !named(one)).map((one) => one.outerHTML),
    nameless: buttons.filter((one) => !one.textContent.trim()
      && !one.getAttribute("aria-label")).map((one) => one.outerHTML),
    twice: ids.filter((one, at) => ids.indexOf(one) !== at),
    headless: [...document.querySelectorAll("th:not([scope])")].map((o) => o.outerHTML),
    untold: [...document.querySelectorAll("figure")].filter((one) =>
      !one.querySelector("figcaption table")).map((one) => one.innerText),
    scripts: [...document.scripts].map((one) => one.getAttribute("src")),
  };
}"""
WIDER = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [`${document.documentElement.scrollWidth} of ${wide}`,
    ...[...document.querySelectorAll("main *, header *, nav *")].filter((one) =>
      one.getBoundingClientRect().right > wide && !one.closest(".wide, pre"))
      .slice(0, 5).map((one) => one.outerHTML.slice(0, 200))];
}"""


class Server:
    """A process of ``anon studio``: its address, its folder, what it printed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [ANON, "studio", "--no-browser", "--port", "0"],
            env={**_environment(), "ANON_STUDIO_HOME": str(home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=(\S{30,})", self.url)
        assert found, self._complaint()
        self.address, self.token = found.groups()

    def _complaint(self) -> str:
        self.process.kill()
        return f"{self.url!r}: {self.process.communicate()[1]}"

    @property
    def files(self) -> list[Path]:
        """Release files of all projects, the newest first."""
        found = self.home.glob("*/releases/*.yaml")
        return sorted(found, key=lambda file: file.stat().st_mtime, reverse=True)

    def end(self) -> tuple[str, str, list[int]]:
        """End it as Ctrl-C does.

        Returns
        -------
        tuple of str, str and list of int
            What else it printed, its errors, and processes of its own that are left.
        """
        own = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGINT)
        try:
            out, errors = self.process.communicate(timeout=60)
        finally:
            self.process.kill()
        _, left = psutil.wait_procs(own, timeout=30)
        for one in left:
            one.kill()
        return out, errors, [one.pid for one in left]


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


@contextmanager
def running_studio(home: Path) -> Iterator[Server]:
    """Start Studio and see it end quietly, with its worker."""
    server = Server(home)
    try:
        yield server
    finally:
        out, errors, left = server.end()
    said = f"it printed {out!r} and {errors!r}, and left {left}"
    assert (out, errors, left) == ("", "", []), said


@contextmanager
def running_browser() -> Iterator["Browser"]:
    """Debian's Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A person at Studio's pages.

    Attributes
    ----------
    page : Page
        Of Playwright.
    faults : list of str
        Errors in the console, dialogs, requests that would leave the machine.
    """

    page: "Page"
    server: Server
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", self._watch)
        self.page.goto(self.server.url)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"console: {message.text} {message.location}")

    def _dismiss(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _watch(self, request: Any) -> None:
        if not request.url.startswith(f"{self.server.address}/"):
            self.faults.append(f"request: {request.url}")

    def upload(self, name: str, content: bytes) -> None:
        """Choose a table on the first page, send it, and see its columns."""
        self.send(name, content)
        self.page.get_by_role("heading", name="Data", exact=True).wait_for()

    def send(self, name: str, content: bytes) -> None:
        """Choose a file on the first page, and send it."""
        self.page.goto(f"{self.server.address}/projects/")
        sent = {"name": name, "mimeType": "text/csv", "buffer": content}
        self.page.get_by_label("CSV or Parquet file").set_input_files(files=[sent])
        self.press("Upload")

    def go(self, title: str) -> None:
        """Choose a page in the menu."""
        menu = self.page.get_by_role("navigation", name="Pages")
        menu.get_by_role("link", name=title, exact=True).click()
        menu.locator("[aria-current=page]", has_text=title).wait_for()

    def press(self, label: str) -> None:
        """Press a button of the page."""
        self.page.get_by_role("button", name=label, exact=True).first.click()

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until a text stands on the page."""
        self.page.get_by_text(text).first.wait_for()

    def notices(self, kind: str = "error") -> str:
        """What the page says of an error, or of success."""
        shown = self.page.locator(f".notice.{kind}")
        shown.first.wait_for()
        return "\n".join(shown.all_inner_texts())

    def facts(self) -> dict[str, Any]:
        """What a page should have, and what it should not."""
        found = self.page.evaluate(FACTS)
        self.page.set_viewport_size({"width": NARROW, "height": HEIGHT})
        found["wider"] = self.page.evaluate(WIDER)
        self.page.set_viewport_size({"width": WIDE, "height": HEIGHT})
        return found


@contextmanager
def visiting(browser: "Browser", server: Server, **options: Any) -> Iterator[Visit]:
    """Open Studio in a browser that nobody used before."""
    size: Any = {"width": WIDE, "height": HEIGHT}
    context = browser.new_context(viewport=size, **options)
    try:
        yield Visit(context.new_page(), server)
    finally:
        context.close()
