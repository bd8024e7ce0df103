"""Count the files and functions that one release walks through.

Run it with ``.venv/bin/python benchmarks/release_walk.py [releases/adult.yaml]``. The
release runs in this process, as ``anon release`` runs it, with a workspace and a target
of its own. Counted are functions of the library that are called at least once, and the
files that they stand in; importing a module is no call. Compiled kernels are not seen.
"""

import argparse
import inspect
import os
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import yaml

import anon_transformers

HOME = Path(anon_transformers.__file__).parent
STEPS = ("release", "gx")
"""Packages that are counted by themselves, too: the steps and the gate."""


class Walk:
    """Counts the calls of every function of the library."""

    def __init__(self) -> None:
        self.calls: Counter[CodeType] = Counter()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of an event of the interpreter."""
        if event == "call":
            self.calls[frame.f_code] += 1

    def functions(self, *packages: str) -> dict[tuple[str, str], int]:
        """Calls by file and qualified name, in all packages or in these."""
        found: dict[tuple[str, str], int] = {}
        # A copy: a thread that still runs is counted, too.
        for code, n_calls in dict(self.calls).items():
            path = Path(code.co_filename)
            if not path.is_relative_to(HOME) or not is_function(code, path):
                continue
            place = path.relative_to(HOME)
            if not packages or place.parts[0] in packages:
                found[str(place), code.co_qualname] = n_calls
        return found


def is_function(code: CodeType, path: Path) -> bool:
    """Whether it has a name of its own: no module, class body or comprehension."""
    named = code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<")
    return bool(named) and path.suffix == ".py"  # a page that is filled in is compiled


def elsewhere(release: Path, folder: Path) -> Path:
    """A copy of a release file that writes into ``folder`` alone."""
    stated = yaml.safe_load(release.read_text(encoding="utf-8"))
    stated["workspace"] = str(folder / "private")
    stated["target"]["path"] = str(folder / "public")
    for key in ("path", "edges", "nodes"):
        given = stated["source"].get(key)
        if given is not None and not given.startswith("bundled:"):
            stated["source"][key] = str((release.parent / given).resolve())
    if "suite" in stated:
        stated["suite"] = str((release.parent / stated["suite"]).resolve())
    copy = folder / release.name
    copy.write_text(yaml.safe_dump(stated), encoding="utf-8")
    return copy


def walk_through(release: Path) -> Walk:
    """Run a release as the command does, and count."""
    walk = Walk()
    os.environ["COLUMNS"] = "200"
    with tempfile.TemporaryDirectory() as folder:
        copy = elsewhere(release, Path(folder))
        from anon_transformers.cli import main

        sys.argv = ["anon", "release", str(copy), "--json"]
        threading.setprofile(walk)
        sys.setprofile(walk)
        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return walk


def main() -> None:
    """Print the counts, and with ``--list`` every function."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release", nargs="?", default="releases/adult.yaml", type=Path)
    parser.add_argument("--list", action="store_true", help="name every function")
    given = parser.parse_args()
    stdout = sys.stdout
    with Path(os.devnull).open("w", encoding="utf-8") as sink:
        sys.stdout = sink
        try:
            walk = walk_through(given.release)
        finally:
            sys.stdout = stdout
    for title, packages in (("whole library", ()), ("release and gx", STEPS)):
        found = walk.functions(*packages)
        n_files = len({file for file, _ in found})
        print(
            f"{title:15} files {n_files:4}  functions {len(found):5}"
            f"  calls {sum(found.values()):8,}"
        )
    if given.list:
        for (file, name), n_calls in sorted(walk.functions().items()):
            print(f"{n_calls:8,}  {file}  {name}")


if __name__ == "__main__":
    main()
