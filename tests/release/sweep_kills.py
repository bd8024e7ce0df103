"""Kill a release with SIGKILL at one point after another, and look at what is left.

Run as a script, in a process of its own: it forks, and a fork is only safe where no
test runner has started threads. Prints one line of JSON.
"""

import csv
import gc
import json
import os
import shutil
import signal
import sys
import traceback
from hashlib import sha256
from pathlib import Path

FILES = {"data.csv", "manifest.json", "validation.json", "validation.html"}
FINISHED = {"published", "removed", "quarantined", "abandoned"}
CELLS = "cells.json"
THEIRS = "thesis.txt"
"""Every file of this name is somebody else's, and must stay as it is."""
CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.symlink", "os.chmod"}
STEPS = ("load", "anonymize", "validate", "publish")
WRITERS = tuple(
    f"/anon_transformers/release/_{name}.py"
    for name in (*STEPS, "run", "report", "kept_cells")
)


# ---------------------------------------------------------------- the victim


def die_at(target, places, notes):
    """Kill this process before the file-system change number ``target``."""
    seen = 0

    def hook(event, args):
        nonlocal seen
        if not changes_files(event, args, places):
            return
        if seen == target:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1
        notes["seen"] = seen

    sys.addaudithook(hook)


def changes_files(event, args, places):
    if event == "open":
        path, _, flags = args
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        return bool(writes) and lies_in(path, -1, places)
    if event == "sqlite3.connect":  # before each transaction of the ledger
        return lies_in(args[0], -1, places)
    if event not in CHANGES:
        return False
    folder = args[-1] if isinstance(args[-1], int) else -1
    return any(lies_in(path, folder, places) for path in args[:2])


def lies_in(path, folder, places):
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    path = Path(os.fsdecode(path))
    if folder >= 0:
        path = Path(f"/proc/self/fd/{folder}").readlink() / path
    return str(path).startswith(places)


def die_at_line(target, notes):
    """Kill this process before line number ``target`` of the modules that write."""
    seen = 0

    def trace(frame, event, arg):
        nonlocal seen
        if not frame.f_code.co_filename.endswith(WRITERS):
            return None
        if event == "line":
            if seen == target:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1
            notes["seen"] = seen
        return trace

    sys.settrace(trace)


def in_child(work):
    """Run in a forked process; its exit code, or minus the signal that ended it."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# ---------------------------------------------------------------- the judge


def check_reader(target, old):
    """A reader sees nothing before the first release, later always a whole one."""
    current = target / "current"
    if not current.exists():
        assert old is None, "the old release is gone"
        assert not current.is_symlink(), "current points nowhere"
        return "nothing"
    found = read_files(current)
    assert set(found) == FILES, sorted(found)
    manifest = json.loads(found["manifest.json"])
    (data,) = [held for name, held in found.items() if name.startswith("data.")]
    assert manifest["sha256"] == sha256(data).hexdigest()
    assert json.loads(found["validation.json"])["passed"] is True
    assert found["validation.html"].rstrip().endswith(b"</html>")
    assert manifest["version"] == current.resolve().name
    if old is not None and manifest["version"] == old["version"]:
        assert found == old["files"], "the old release changed"
        return "old"
    return "new"


def read_files(folder):
    """Bytes of the files that are not somebody else's, by name."""
    paths = [path for path in folder.iterdir() if path.name != THEIRS]
    return {path.name: path.read_bytes() for path in paths}


def own_names(folder):
    """What lies in a folder, without links and what holds somebody else's file only."""
    return {
        path.name
        for path in folder.iterdir()
        if path.name != THEIRS and set(list_names(path)) != {THEIRS}
    }


def list_names(path):
    return [p.name for p in path.iterdir()] if path.is_dir() else []


def check_clean(home, target):
    """Nothing half done is left, and the journal agrees with what there is."""
    assert own_names(target) == {".lock", "current", "versions"}
    versions = own_names(target / "versions")
    assert len(versions) == 1, versions
    for version in versions:
        assert set(read_files(target / "versions" / version)) == FILES
    left = {".lock", "journal.jsonl", "runs", "signing.key"}
    if keeps_cells(home):
        left |= {CELLS, "ties.key"}
    assert own_names(home) - {"quarantine", "reports"} == left
    assert not own_names(home / "runs")
    for private in ("input*", "labels*", "references*"):
        assert not list(home.rglob(private)), "private data are left"
    stories = {}
    for line in (home / "journal.jsonl").read_bytes().splitlines():
        if line.startswith(b'{"at"'):
            event = json.loads(line)
            stories.setdefault(event["run"], []).append(event["event"])
    for run, story in stories.items():
        assert story[0] == "loading", (run, story)
        assert story[-1] in FINISHED, (run, story)
        assert story.count("published") <= 1, (run, story)
    published = [run for run, story in stories.items() if story[-1] == "published"]
    assert versions == set(published), (versions, stories)
    assert (target / "current").resolve().name in versions
    ever = {run for run, story in stories.items() if "published" in story}
    states = check_ledger(home)
    assert {run for run, state in states.items() if state == "published"} == ever
    assert "reserved" not in states.values(), states
    check_cells(home, target, ever)
    return stories


def keeps_cells(home):
    """Whether the release keeps its cells, and so needs to know its persons."""
    return "reuse" in (home.parents[1] / "people.yaml").read_text()


def check_cells(home, target, ever):
    """Where cells are kept, each is of a published version and covers what is shown."""
    if not keeps_cells(home):
        return
    noted = json.loads((home / CELLS).read_text())
    kept = {tuple(cell["labels"]) for cell in noted["cells"]}
    assert len(kept) == len(noted["cells"]), "a cell is kept twice"
    used = {cell["version"] for cell in noted["cells"]} & ever
    assert used, "no cell is of a published version"
    lines = (target / "current" / "data.csv").read_text().splitlines()
    rows = list(csv.DictReader(lines))
    shown = {tuple(row[name] for name in noted["columns"]) for row in rows}
    of_published = {
        tuple(cell["labels"]) for cell in noted["cells"] if cell["version"] in ever
    }
    assert shown <= of_published, "a row is published in a cell that is not kept"


def check_ledger(home):
    """The ledger is whole; what it says of each run."""
    from anon_transformers.ledger import Ledger

    place = home.parent / ".ledger"
    if not (place / "ledger.sqlite").exists():
        return {}
    ledger = Ledger(place / "ledger.sqlite", (place / "signing.key").read_bytes())
    assert ledger.verify().faults == ()
    every = ledger.publications(states=["reserved", "published", "given-up"])
    return {found.publication.version: found.state for found in every}


def check_ledger_after_a_kill(home, target):
    """What readers see is recorded, and what is published was confirmed to nobody else.

    A confirmed publication is one in the journal, too.
    """
    states = check_ledger(home)
    if (target / "current").exists():
        seen = (target / "current").resolve().name
        assert states.get(seen) in {"reserved", "published"}, (seen, states)
    told = {run for run, state in states.items() if state == "published"}
    journal = home / "journal.jsonl"
    lines = journal.read_text(errors="replace") if journal.exists() else ""
    for run in told:
        noted = [line for line in lines.splitlines() if f'"run": "{run}"' in line]
        assert any('"event": "published"' in line for line in noted), run


# ---------------------------------------------------------------- the layouts


def lay_out_foreign(folder):
    """A house that somebody else lives in: links, strays, folders with a dot in front.

    ``versions`` is a link to a folder that holds more than versions.
    """
    home, target = folder / "work" / "people", folder / "out"
    for place in (
        target,
        folder / "disk" / ".snapshot",
        folder / "disk" / "photos",
        folder / "elsewhere",
        home,
        home / "runs",
        home / "runs" / ".git",
        home / "runs" / "thesis",
        home / "quarantine" / "plague",
    ):
        place.mkdir(parents=True, exist_ok=True)
        (place / THEIRS).write_text("mine")
    (target / "versions").symlink_to("../disk")
    (home / "runs" / "link").symlink_to("../../../elsewhere")


def disturb(folder):
    """What happens to a house in use: odd lines, a stray file, a clock stepped back."""
    (folder / "out" / "current" / THEIRS).write_text("mine")
    version = (folder / "out" / "current").resolve()
    for path in (version, *version.iterdir()):
        os.utime(path, (4 * 10**9, 4 * 10**9))
    with (folder / "work" / "people" / "journal.jsonl").open("ab") as journal:
        journal.write(b'[1, 2]\n\xff\xfe\n{"event": "published"}\n{"run": "x", "ev')


def find_theirs(folder):
    """Every file of somebody else: where it is, and what it says."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob(THEIRS))
    }


# ---------------------------------------------------------------- the sweep


class Sweep:
    """One folder, set back to the same state before each kill."""

    def __init__(self, folder, *, replace, by_line=False, foreign=False):
        self.folder = Path(folder)
        self.template, self.play = self.folder / "template", self.folder / "play"
        self.target, self.home = self.play / "out", self.play / "work" / "people"
        self.file = self.play / "people.yaml"
        self.by_line = by_line
        self.old = None
        if foreign:
            lay_out_foreign(self.template)
        self.reset()
        assert in_child(self.run) == 0
        check_clean(self.home, self.target)
        if replace:
            assert in_child(self.run) == 0  # so that an older version is removed, too
            if foreign:
                disturb(self.play)
            shutil.rmtree(self.template)
            shutil.copytree(self.play, self.template, symlinks=True)
            current = self.target / "current"
            self.old = {
                "version": current.resolve().name,
                "files": read_files(current),
            }
        self.theirs = find_theirs(self.template)
        assert bool(self.theirs) == foreign

    def run(self, on_step=None):
        from anon_transformers.release import run_release

        run_release(self.file, on_step=on_step)

    def warm(self):
        """Run once in this process, of which each kill is a fork."""
        self.run()

    def reset(self):
        shutil.rmtree(self.play, ignore_errors=True)
        shutil.copytree(self.template, self.play, symlinks=True)

    def count(self):
        """How many points there are, and at which each step begins."""
        notes, begins = {"seen": 0}, {}
        self.reset()

        def work():
            self.arm(10**9, notes)
            self.run(lambda step: begins.setdefault(step, notes["seen"]))
            sys.settrace(None)
            (self.folder / "count.json").write_text(json.dumps([notes, begins]))

        assert in_child(work) == 0
        notes, begins = json.loads((self.folder / "count.json").read_text())
        return notes["seen"], begins

    def arm(self, point, notes):
        if self.by_line:
            die_at_line(point, notes)
        else:
            places = (str(self.target), str(self.play / "work"))
            die_at(point, places, notes)

    def check_reader(self):
        assert find_theirs(self.play) == self.theirs, "somebody else's data changed"
        return check_reader(self.target, self.old)

    def kill_at(self, point):
        """Kill there, judge, run again, judge again; what a reader saw."""
        self.reset()
        ended = in_child(lambda: (self.arm(point, {}), self.run()))
        assert ended in (0, -signal.SIGKILL), ended
        seen = self.check_reader()
        check_ledger_after_a_kill(self.home, self.target)
        assert in_child(self.run) == 0, "the next run failed"
        assert self.check_reader() == "new"
        check_clean(self.home, self.target)
        return ended, seen

    def retry_at(self, point):
        """Kill there, then go on with the step that was cut off, as Airflow does."""
        from anon_transformers import release

        self.reset()
        diary = self.folder / "diary.json"

        def steps(first, location):
            for name in STEPS[STEPS.index(first) :]:
                diary.write_text(json.dumps([name, location]))
                args = (location, "run") if name == "load" else (location,)
                location = getattr(release, name)(*args)

        ended = in_child(lambda: (self.arm(point, {}), steps("load", str(self.file))))
        assert ended in (0, -signal.SIGKILL), ended
        if ended == 0:
            return ended, "new"
        seen = self.check_reader()
        check_ledger_after_a_kill(self.home, self.target)
        first, location = json.loads(diary.read_text())
        assert in_child(lambda: steps(first, location)) == 0, "the retry failed"
        assert self.check_reader() == "new"
        assert not own_names(self.home / "runs"), "private data are left"
        assert in_child(self.run) == 0, "the next run failed"
        check_clean(self.home, self.target)
        return ended, seen


def leave_out_charts():
    """Charts take longer than the rest, and change nothing in the file system."""
    from anon_transformers.release import _private_report, _report

    _report.can_draw = _private_report.can_draw = lambda: False


def main(folder, kind, way, stride, first=0):
    """``kind``: first or replacement, with ``-foreign`` in somebody else's house.

    ``stride``: every how many points, of those that decide nothing, from ``first`` on.
    """
    import great_expectations  # noqa: F401 - imported before the first fork

    leave_out_charts()
    kind, _, layout = kind.partition("-")
    sweep = Sweep(
        folder,
        replace=kind == "replacement",
        by_line=way == "lines",
        foreign=layout == "foreign",
    )
    warm_up(sweep)
    sweep_over(sweep, way, stride, first)


def sweep_over(sweep, way, stride, first=0):
    """Kill at points, and print what was found."""
    total, begins = sweep.count()
    if way == "retry":  # each step after the first opens the lock of its run anew
        total += len(STEPS) - 1
    strict = {
        "changes": {*range(begins["anonymize"]), *range(begins["publish"], total)},
        "retry": {*range(begins["publish"], total, 2)},
        "lines": set(),
    }
    points = [p for p in range(total) if p % stride == first or p in strict[way]]
    # The last lies behind the end; lines may be a few more or less each time.
    points.append(total if way == "changes" else 2 * total)
    attempt = sweep.retry_at if way == "retry" else sweep.kill_at
    found = {}
    for point in points:
        try:
            found[point] = attempt(point)
        except AssertionError as error:
            found[point] = ("failed", str(error) or traceback.format_exc())
    print(json.dumps({"total": total, "begins": begins, "found": found}))


def warm_up(sweep):
    """Import and compile everything once, so that each fork finds it done."""
    sweep.reset()
    sweep.warm()
    sweep.reset()
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
