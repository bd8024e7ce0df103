"""Kill the second month of a series, run the third, and look for who is singled out.

Whoever reads while a run is killed may keep what it showed. The third month exposes
persons to them, and nobody where the second was never seen. Run as a script, as
``sweep_kills.py`` is, whose tools it uses: ``python -m tests.release.sweep_months
FOLDER STRIDE``. Prints a line of JSON.
"""

import csv
import json
import signal
import sys
import traceback
from collections import Counter
from pathlib import Path

from tests.release import sweep_kills
from tests.release.sweep_kills import (
    Sweep,
    check_ledger,
    in_child,
    leave_out_charts,
    warm_up,
)

K = 3
STAYED, CAME = [*range(6)], [6, 7, 8]
MONTHS = {
    "january": STAYED,
    "february": [*STAYED, *CAME],
    # Beside january alone three came; beside february one left, and one came.
    "march": [*STAYED, 6, 7, 9],
}


def rows_of(persons):
    """A town as it is, and another one in which nothing happens."""
    rows = [[f"P{number}", "a", "xyz"[number % 3]] for number in persons]
    return [*rows, *([f"Q{number}", "b", "xyz"[number % 3]] for number in range(6))]


def persons_in(version, month):
    """Whom a reader of a version knows to be in town a, by how many are shown there.

    Six are those who stayed, whichever month it is; more are all of that month.
    """
    with (version / "data.csv").open(newline="") as file:
        shown = Counter(row["town"] for row in csv.DictReader(file))
    assert shown["b"] == len(STAYED), shown
    assert shown["a"] in (len(STAYED), len(MONTHS[month])), shown
    return frozenset(STAYED if shown["a"] == len(STAYED) else MONTHS[month])


def smallest_group(tables):
    """Persons of the smallest group that is in the same of these tables."""
    everybody = frozenset().union(*tables)
    groups = Counter(tuple(p in table for table in tables) for p in everybody)
    return min(groups.values())


class MonthSweep(Sweep):
    """Kills february where january is public, and runs march afterwards."""

    def lay_out(self, month):
        """The source of a month, with its header."""
        with (self.play / "people.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["name", "town", "job"], *rows_of(month)])

    def count(self):
        """How many points february has, and at which each step begins."""
        reset = self.reset
        self.reset = lambda: (reset(), self.lay_out(MONTHS["february"]))
        try:
            return super().count()
        finally:
            self.reset = reset

    def try_march(self):
        """Run march; a refusal of the gate is an outcome."""
        from anon_transformers.exceptions import GateError

        try:
            self.run()
        except GateError as error:
            assert "composition" in str(error), error

    def versions(self):
        """What somebody may read, whether ``current`` leads to it or not."""
        return {
            path.parent
            for path in self.target.glob("versions/[!.]*/data.csv")
            if (path.parent / "manifest.json").is_file()
        }

    def kill_at(self, point):
        """Kill february there, run march; what a reader saw of both, and of whom."""
        self.reset()
        [january] = self.versions()
        kept = [persons_in(january, "january")]
        self.lay_out(MONTHS["february"])
        ended = in_child(lambda: (self.arm(point, {}), self.run()))
        assert ended in (0, -signal.SIGKILL), ended
        seen = self.versions() - {january}
        kept += [persons_in(version, "february") for version in seen]
        self.lay_out(MONTHS["march"])
        assert in_child(self.try_march) == 0, "march ended with an error"
        # A version has its name once it is whole; one that was cut off becomes public.
        later = self.versions() - seen - {january}
        kept += [persons_in(version, "march") for version in later]
        assert smallest_group(kept) >= K, (len(seen), [sorted(one) for one in kept])
        states = check_ledger(self.home)
        assert "reserved" not in states.values(), states
        public = (self.target / "current").resolve().name
        assert states[public] == "published", states
        return ended, f"{len(seen)} seen, {len(later)} later"


def check_nothing(*_):
    """What is left is judged by the sweep itself."""


def main(folder, stride):
    """``stride``: every how many points before it publishes, of which few decide."""
    import great_expectations  # noqa: F401 - imported before the first fork

    leave_out_charts()
    sweep_kills.check_clean = check_nothing
    sweep = MonthSweep(folder, replace=True)
    warm_up(sweep)
    total, begins = sweep.count()
    early = range(0, begins["publish"], stride)
    found = {}
    for point in [*early, *range(begins["publish"], total + 1)]:
        try:
            found[point] = sweep.kill_at(point)
        except AssertionError as error:
            found[point] = ("failed", str(error) or traceback.format_exc())
    print(json.dumps({"total": total, "begins": begins, "found": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
