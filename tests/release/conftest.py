"""A small release to run, bend and break."""

import copy
import json
import random
from pathlib import Path

import pytest

from anon_transformers.exceptions import ConfigurationError
from tests.release import months

yaml = pytest.importorskip("yaml")

collect_ignore = [
    "sweep_counted.py",
    "sweep_kills.py",
    "sweep_periods.py",
    "sweep_databases.py",
    "sweep_months.py",
]  # programs of tests
NAME_MARK = "NAMEMARK"
JOB_MARK = "JOBMARK"
CUTS = {"step": {"age": 5}, "domain": {"zip": ["007", "008", "110"]}}
BASE = {
    "source": {"path": "people.csv"},
    "roles": {
        "quasi_identifiers": ["age", "zip"],
        "sensitive": ["job"],
        "identifiers": ["name"],
        "insensitive": ["note"],
    },
    "anonymizer": {"name": "mondrian", **CUTS},
    "thresholds": [
        {"model": "k-anonymity", "k": 3},
        {"metric": "average-risk", "max": 0.4},
        {"metric": "loss", "max": 0.9},
    ],
    "target": {"path": "out"},
    "workspace": "work",
    # Tests of releases that are judged together say so.
    "composition": {"accept_unjudged": "made-up rows that describe nobody"},
}


@pytest.fixture(autouse=True, scope="module")
def plain_reports():
    """Reports have no charts, which take longer than the rest of a small release."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anon_transformers.release._report.can_draw", lambda: False)
        patch.setattr(
            "anon_transformers.release._private_report.can_draw", lambda: False
        )
        yield


def people(n_rows=40):
    """Rows of a table whose identifiers and sensitive values are easy to find again."""
    draw = random.Random(7)
    rows = [["name", "age", "zip", "job", "note"]]
    for number in range(n_rows):
        age, code = draw.randint(20, 60), draw.choice(["007", "008", "110"])
        job, note = draw.choice("abc"), "yn"[number % 2]
        name = f"{NAME_MARK}{number}"
        rows.append([name, str(age), code, f"{JOB_MARK}-{job}", note])
    return rows


class SmallRelease:
    """A release file in a folder of its own, with a source beside it."""

    def __init__(self, folder, name="people"):
        self.folder = Path(folder)
        self.file = self.folder / f"{name}.yaml"
        self.source = self.folder / "people.csv"
        self.target = self.folder / "out"
        self.work = self.folder / "work"
        self.home = self.work / name
        self.content = copy.deepcopy(BASE)
        self.write_rows(people())
        self.write()

    def write_rows(self, rows):
        self.source.write_text("".join(",".join(row) + "\n" for row in rows))

    def write(self, **changes):
        """Change top-level keys of the file; None takes one away."""
        self.content = {**self.content, **changes}
        self.content = {k: v for k, v in self.content.items() if v is not None}
        self.file.write_text(yaml.safe_dump(self.content, sort_keys=False))
        return self.file

    @staticmethod
    def mondrian(**params):
        """Mondrian with all that a release asks of it, and these parameters."""
        return {**BASE["anonymizer"], **params}

    def write_text(self, text):
        self.file.write_text(text)
        return self.file

    def events(self):
        lines = (self.home / "journal.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def events_of(self, run_id):
        return [e["event"] for e in self.events() if e["run"] == run_id]

    def runs(self):
        return sorted(path.name for path in (self.home / "runs").iterdir())

    def versions(self):
        return sorted(path.name for path in (self.target / "versions").iterdir())

    def manifest(self):
        return json.loads((self.target / "current" / "manifest.json").read_text())

    def public_bytes(self):
        """Everything a reader of the target can see, by name."""
        return {
            path.relative_to(self.target).as_posix(): path.read_bytes()
            for path in self.target.rglob("*")
            if path.is_file()
        }

    def nothing_written(self):
        """Nothing but a line in the private journal that a run was refused."""
        found = {path.name: path for path in self.work.rglob("*") if path.is_file()}
        if self.target.exists() or not found.keys() <= {"journal.jsonl", ".lock"}:
            return False
        lines = found["journal.jsonl"].read_text().splitlines() if found else []
        return all(json.loads(line)["event"] == "refused" for line in lines)

    def refusal(self, error=ConfigurationError):
        """What ``load`` says of this release; asserts that it left no trace."""
        from anon_transformers.release import load

        with pytest.raises(error) as caught:
            load(self.file)
        assert self.nothing_written()
        assert caught.value.__cause__ is None
        return str(caught.value)


@pytest.fixture
def release(tmp_path):
    return SmallRelease(tmp_path)


@pytest.fixture
def another_release(tmp_path):
    """A second release in the same folder and workspace."""

    def make(name):
        second = SmallRelease(tmp_path, name)
        second.target = tmp_path / f"out-{name}"
        second.write(target={"path": second.target.name})
        return second

    return make


@pytest.fixture
def bucket(monkeypatch):
    """A class: a store of objects in memory, in place of that of the network."""
    fsspec = pytest.importorskip("fsspec")
    from fsspec.implementations.memory import MemoryFileSystem

    class Bucket(MemoryFileSystem):
        protocol = ("s3", "gs")
        store, pseudo_dirs, cachable = {}, [""], False

    monkeypatch.setattr(fsspec, "filesystem", lambda scheme: Bucket())
    return Bucket


@pytest.fixture
def monthly(release, monkeypatch):
    """A release of towns as they are: a class is a town."""
    return months.make_monthly(release, monkeypatch)
