"""Kill *publish* with SIGKILL at one point after another, and ask the database.

Run as a script, like ``sweep_kills.py``. Points are changes of files and statements to
the database. Each kill finds the same run, which was judged and is to replace another.
"""

import csv
import json
import os
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from tests.release.sweep_kills import (
    STEPS,
    Sweep,
    changes_files,
    check_clean,
    in_child,
    leave_out_charts,
)

STATEMENTS = ("do", "ask", "insert", "commit")


class DatabaseSweep(Sweep):
    """A release with a database, set back to the moment before it is published."""

    tables = 3
    """The view, the manifests, one version."""

    def __init__(self, folder, backend):
        self.database = "public.db" if backend == "sqlite" else "public.duckdb"
        super().__init__(folder, replace=True)
        assert self.judge() == "old"
        note = self.folder / "location.json"
        assert in_child(lambda: note.write_text(json.dumps(self.prepare()))) == 0
        self.location = json.loads(note.read_text())
        self.keep()

    def keep(self):
        """Keep this state, to be set back to."""
        shutil.rmtree(self.template)
        shutil.copytree(self.play, self.template, symlinks=True)

    def prepare(self):
        from anon_transformers import release

        location = str(self.file)
        for name in STEPS[:-1]:
            location = getattr(release, name)(location)
        return location

    def publish(self):
        from anon_transformers import release

        release.publish(self.location)

    def arm(self, point, notes):
        from anon_transformers.release import _public_databases as databases

        seen = 0

        def reached():
            nonlocal seen
            if seen == point:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1
            notes["seen"] = seen

        def before(do, and_after):
            def done(self, *given):
                reached()
                found = do(self, *given)
                if and_after:
                    reached()
                return found

            return done

        places = (str(self.target), str(self.play / "work"))
        sys.addaudithook(
            lambda event, args: reached() if changes_files(event, args, places) else 0
        )
        for kind in databases.PublicDatabase.__subclasses__():
            for name in STATEMENTS:
                own = getattr(kind, name)
                setattr(kind, name, before(own, and_after=name == "commit"))

    def points(self):
        notes, file = {"seen": 0}, self.folder / "count.json"

        def work():
            self.arm(10**9, notes)
            self.publish()
            file.write_text(json.dumps(notes["seen"]))

        self.reset()
        assert in_child(work) == 0
        return json.loads(file.read_text())

    def kill_at(self, point):
        """Kill there, judge, publish again, judge again; what readers saw."""
        self.reset()
        ended = in_child(lambda: (self.arm(point, {}), self.publish()))
        assert ended in (0, -signal.SIGKILL), ended
        seen = [self.check_reader(), self.judge()]
        # Never the database before the folder.
        assert seen != ["old", "new"], seen
        assert in_child(self.publish) == 0, "publishing again failed"
        assert [self.check_reader(), self.judge()] == ["new", "new"]
        check_clean(self.home, self.target)
        return ended, " ".join(seen)

    def judge(self):
        """What a reader of the database sees: the old version or the new one, whole.

        In a process of its own: a library of databases starts threads.
        """
        file = self.folder / "seen.json"
        assert in_child(lambda: file.write_text(json.dumps(self.look()))) == 0
        return json.loads(file.read_text())

    def look(self):
        tables, noted, rows = self.ask()
        (manifest,) = [json.loads(text) for text, shown in noted if shown]
        assert len(noted) == 1, "a version is not removed"
        assert len(tables) == self.tables, tables
        is_old = manifest["version"] == self.old["version"]
        if is_old:  # its folder may be gone
            data = self.old["files"]["data.csv"]
        else:
            data = (
                self.target / "versions" / manifest["version"] / "data.csv"
            ).read_bytes()
        lines = data.decode().splitlines()
        assert rows == sorted(tuple(row) for row in [*csv.reader(lines)][1:])
        return "old" if is_old else "new"

    def ask(self):
        """Names of tables, manifests, and rows of the view as texts."""
        place = self.play / self.database
        catalog = "SELECT name FROM sqlite_master"
        if self.database.endswith(".db"):
            opened = closing(sqlite3.connect(place))
        else:
            import duckdb

            catalog = "SELECT table_name FROM information_schema.tables"
            opened = duckdb.connect(str(place), read_only=True)
        with opened as connection:
            tables = sorted(name for (name,) in connection.execute(catalog).fetchall())
            noted = "SELECT manifest, shown FROM ward__manifest"
            rows = connection.execute("SELECT * FROM ward").fetchall()
            return (
                tables,
                connection.execute(noted).fetchall(),
                sorted(
                    tuple("" if cell is None else str(cell) for cell in row)
                    for row in rows
                ),
            )


def main(folder, backend, stride):
    """Every ``stride`` points, and one behind the last."""
    import great_expectations  # noqa: F401 - imported before the first fork

    leave_out_charts()
    sweep_over(DatabaseSweep(folder, backend), stride)


def sweep_over(sweep, stride):
    """Kill at points, and print what was found."""
    total = sweep.points()
    found = {}
    for point in [*range(0, total, stride), total]:
        try:
            found[point] = sweep.kill_at(point)
        except AssertionError as error:
            found[point] = ("failed", str(error))
    print(json.dumps({"total": total, "found": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
