"""Measure what a person waits for in Studio: start, first page, a run, a large table.

Run it with ``.venv/bin/python benchmarks/studio.py [--rows 1000000]``. Studio runs as
``anon studio`` starts it, with a folder of its own, and is asked over loopback. Counted
is the processor time of the server and its worker, as the system keeps it, and the
time that passed. ``warm`` means that the same was asked before in the same process.
"""

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import psutil
from _measures import machine
from _results import keep, number

from anon_transformers.datasets import load_adult
from anon_transformers.release._statistics import MOST_ROWS

ANON = str(Path(sys.executable).with_name("anon"))
OFTEN = 0.05
"""Seconds between two looks at a job."""
AIMS = {"first page": 1.0, "Mondrian with statistics, warm": 5.0}
"""Seconds of processor time that a step should not exceed."""


class Studio:
    """A running Studio, and the seconds of its processes."""

    def __init__(self, home):
        self.began = time.perf_counter()
        self.server = subprocess.Popen(
            [ANON, "studio", "--no-browser"],
            env={**os.environ, "ANON_STUDIO_HOME": str(home)},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.process = psutil.Process(self.server.pid)
        self.url = self.server.stdout.readline().strip()
        self.address = self.url.partition("/?")[0]
        self.client = httpx.Client(
            base_url=self.address,
            headers={"origin": self.address, "sec-fetch-site": "same-origin"},
            follow_redirects=True,
            timeout=600,
            trust_env=False,
        )

    def seconds(self):
        """Processor time of the server and of its worker, so far."""
        total = 0.0
        for one in (self.process, *self.process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                used = one.cpu_times()
                total += used.user + used.system
        return total

    def get(self, path):
        """The text of a page."""
        answer = self.client.get(path)
        answer.raise_for_status()
        return answer

    def post(self, path, data):
        """What follows a form: the page, after the job that it starts."""
        return self.wait(self.client.post(path, data=data))

    def wait(self, answer):
        """The page that a job leads to, once it is over."""
        answer.raise_for_status()
        while answer.url.path.startswith("/jobs/"):
            time.sleep(OFTEN)
            answer = self.get(answer.url.path)
        return answer

    def end(self):
        """End it as Ctrl-C does."""
        self.client.close()
        self.server.send_signal(signal.SIGINT)
        self.server.wait(60)


class Clock:
    """Measures steps, one after another."""

    def __init__(self, studio):
        self.studio, self.cases = studio, []

    def step(self, name, action):
        """Do something, and note what it took."""
        before, began = self.studio.seconds(), time.perf_counter()
        found = action()
        self.note(name, self.studio.seconds() - before, time.perf_counter() - began)
        return found

    def note(self, name, processor, passed):
        """Keep the numbers of a step."""
        case = {"step": name, "processor_seconds": processor, "passed_seconds": passed}
        self.cases.append({**case, "aim": AIMS.get(name)})


def project_of(answer):
    """The address of the project that a page is about."""
    return re.match(r"/p/[^/]+", answer.url.path)[0]


def say(answer, words):
    """Stop where a page does not say what it should."""
    if words not in answer.text:
        shown = re.findall(r'<p class="notice[^>]*>(.*?)</p>', answer.text, re.S)
        raise SystemExit(f"{answer.url.path} does not say {words!r}: {shown}")
    return answer


def run_with_statistics(studio, project):
    """Protect the table, and take the statistics of it."""
    say(studio.post(f"{project}/protect/run", {}), 'id="result"')
    say(studio.post(f"{project}/statistics/measure", {}), "Classes and risk")


def measure_adult(home):
    """Start, and what is done with the bundled census."""
    studio = Studio(home)
    try:
        clock = Clock(studio)
        passed = time.perf_counter() - studio.began
        clock.note("start, until the address is printed", studio.seconds(), passed)
        # With the token, which the cookie takes the place of.
        clock.step("first page", lambda: studio.get(studio.url))
        opened = clock.step(
            "open Adult, with its first page",
            lambda: studio.post("/projects/adult", {}),
        )
        project = project_of(opened)
        clock.step(
            "Mondrian with statistics, first time",
            lambda: run_with_statistics(studio, project),
        )
        # Another k, so that nothing of the first run is taken again.
        form = {"kind": "model", "name": "k-anonymity", "at": "0", "p-k": "10"}
        studio.post(f"{project}/protect/threshold", form)
        clock.step(
            "Mondrian with statistics, warm",
            lambda: run_with_statistics(studio, project),
        )
        for page in ("data", "protect", "statistics", "release"):
            studio.wait(studio.get(f"{project}/{page}/"))
            clock.step(
                f"page {page}", lambda page=page: studio.get(f"{project}/{page}/")
            )
        return clock.cases
    finally:
        studio.end()


def measure_large(home, table, rows):
    """What is done with a large table of one's own."""
    studio = Studio(home)
    try:
        clock = Clock(studio)
        studio.get(studio.url)
        opened = clock.step(
            "open and read it: columns, roles, rows",
            lambda: studio.post("/projects/open", {"path": str(table)}),
        )
        say(opened, 'id="rows"')
        project = project_of(opened)
        clock.step("page data", lambda: studio.get(f"{project}/data/"))
        clock.step(
            "page data, its last rows",
            lambda: say(studio.get(f"{project}/data/?page=999999999"), 'rel="prev"'),
        )
        preview = "?separator=comma&encoding=utf-8&missing="
        clock.step(
            "another way to read it, previewed",
            lambda: say(studio.get(f"{project}/data/{preview}"), "read so"),
        )
        clock.step(
            "take all proposals", lambda: studio.post(f"{project}/data/propose", {})
        )
        studio.post(f"{project}/protect/method", {"name": "mondrian"})
        studio.post(f"{project}/protect/preset", {"preset": "k5"})
        clock.step(
            "Mondrian with statistics",
            lambda: run_with_statistics(studio, project),
        )
        # A page whose pictures are of a sample must say so.
        said = "drawn at random" if rows > MOST_ROWS else "Classes and risk"
        clock.step(
            "page statistics",
            lambda: say(studio.get(f"{project}/statistics/"), said),
        )
        return clock.cases
    finally:
        studio.end()


def cells(case):
    """One step as the cells of a line."""
    return {
        "step": case["step"],
        "processor, s": number(case["processor_seconds"]),
        "passed, s": number(case["passed_seconds"]),
        "aim, s of processor": number(case["aim"], 0),
    }


def main():
    """Measure both, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        adult = measure_adult(Path(folder) / "adult")
        table = Path(folder) / "people.csv"
        frame = load_adult().sample(rows, replace=True, random_state=0)
        frame.to_csv(table, index=False)
        large = measure_large(Path(folder) / "large", table, rows)
    measured = {"machine": machine(), "rows": rows, "adult": adult, "large": large}
    sections = {
        "Adult, 30,162 rows": [cells(case) for case in adult],
        f"A CSV file of {rows:,} rows": [cells(case) for case in large],
    }
    print(keep("studio", measured, sections))


if __name__ == "__main__":
    main()
