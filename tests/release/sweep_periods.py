"""Kill a run of one period while one of another is under way; look at what is left.

Run as a script, as ``sweep_kills.py`` is, whose tools it uses. Prints a line of JSON.
"""

import json
import shutil
import signal
import sys
import traceback
from pathlib import Path

from sweep_kills import FILES, Sweep, in_child, read_files, sha256, warm_up

UNDER_WAY, OLD = "2026-12", "2026-11"
"""Periods: of the run that a scheduler has begun, and of what is public before."""


def version_of(link):
    """The version that readers of a link see; it is whole."""
    found = read_files(link)
    assert set(found) == FILES, sorted(found)
    manifest = json.loads(found["manifest.json"])
    assert manifest["sha256"] == sha256(found["data.csv"]).hexdigest()
    assert json.loads(found["validation.json"])["passed"] is True
    return manifest["period"]


class PeriodSweep(Sweep):
    """Kills a run of one period; ``2026-11`` is public, and ``2026-12`` under way."""

    def __init__(self, folder, period):
        self.period = period
        play = folder / "play"
        shutil.copytree(folder / "template", play)
        self.file = play / "people.yaml"
        assert in_child(self.prepare) == 0
        shutil.rmtree(folder / "template")
        play.rename(folder / "template")
        super().__init__(folder, replace=False)

    def run(self, on_step=None):
        from anon_transformers.release import run_release

        run_release(self.file, on_step=on_step, period=self.period)

    def prepare(self):
        from anon_transformers.release import anonymize, load, run_release

        run_release(self.file, period=OLD)
        anonymize(load(self.file, "scheduled", period=UNDER_WAY))

    def go_on(self):
        """The steps that the scheduler has left to do."""
        from anon_transformers.release import publish, validate

        [run] = (self.home / "runs").glob(f"{UNDER_WAY}_*")
        publish(validate(str(run)))

    def check_links(self):
        """Every link leads to a whole version, that of the root to the newest one."""
        public = {place.name[:7] for place in self.target.glob("*/versions/[!.]*")}
        for folder in self.target.glob("2*"):
            assert version_of(folder / "current") == folder.name
        seen = version_of(self.target / "current")
        assert seen == max(public), (seen, public)
        return seen

    def check_other(self):
        """The run of the other period is there, with all that it holds."""
        [run] = (self.home / "runs").glob(f"{UNDER_WAY}_*")
        names = {path.name for path in run.iterdir()}
        assert names >= {"run.json", "seal.key", "input.parquet", "candidate"}, names

    def kill_at(self, point):
        """Kill there, judge, run again, let the other one go on, judge again."""
        self.reset()
        ended = in_child(lambda: (self.arm(point, {}), self.run()))
        assert ended in (0, -signal.SIGKILL), ended
        seen = version_of(self.target / "current")
        self.check_other()
        assert in_child(self.run) == 0, "the next run failed"
        self.check_other()
        assert self.check_links() == max(self.period, OLD)
        assert in_child(self.go_on) == 0, "the other run failed"
        assert self.check_links() == UNDER_WAY
        assert not list((self.home / "runs").iterdir())
        assert not list(self.home.rglob("input*")), "raw data are left"
        odd = [path for path in self.target.rglob(".*") if path.name != ".lock"]
        assert not odd, odd
        return ended, seen


def check_nothing(*_):
    """What is left is judged by the sweep itself."""


def main(folder, period, stride):
    import great_expectations  # noqa: F401 - imported before the first fork
    import sweep_kills

    sweep_kills.leave_out_charts()
    sweep_kills.check_clean = check_nothing
    sweep = PeriodSweep(folder, period)
    warm_up(sweep)
    total, begins = sweep.count()
    found = {}
    for point in [*range(0, total, stride), total]:
        try:
            found[point] = sweep.kill_at(point)
        except AssertionError as error:
            found[point] = ("failed", str(error) or traceback.format_exc())
    print(json.dumps({"total": total, "begins": begins, "found": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
