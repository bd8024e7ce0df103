"""What mypy says of a program that uses the library: names, parameters, protocols."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT, ROOT / "plugins" / "graphs" / "src")
RIGHT = """
from typing import assert_type

import pandas as pd

from anon_transformers import Classes, Hierarchy, KAnonymity, MondrianAnonymizer
from anon_transformers.base import TableAnonymizer
from anon_transformers.generalization import FullDomainAnonymizer
from anon_transformers.hierarchies import Intervals
from anon_transformers.metrics import HighestRisk
from anon_transformers.privacy import PrivacyModel, TCloseness, Verdict, judge
from anon_transformers.release import load
from anon_transformers_graphs import KDegree, KDegreeAnonymizer

people = pd.DataFrame({"age": [20, 20, 30, 30], "ill": ["flu", "cold", "flu", "gout"]})
hierarchies: dict[str, Hierarchy] = {"age": Intervals([10]).build(["20", "30"])}
models: list[PrivacyModel] = [KAnonymity(k=2), TCloseness(t=0.5)]
made: TableAnonymizer = MondrianAnonymizer(
    ["age"], sensitive=["ill"], k=2, models=models, hierarchies=hierarchies
)
best = FullDomainAnonymizer(["age"], hierarchies=hierarchies, suppression_limit=0.1)
classes = Classes.from_frame(made.fit_transform(people), ["age"], sensitive=["ill"])
verdict: Verdict = judge(KAnonymity(k=2), classes)
level: int = KAnonymity(k=2).level(classes)
risk: float = HighestRisk().measure(classes)
assert_type(made, TableAnonymizer)  # an error if the names above were Any
assert_type(KAnonymity(k=2), KAnonymity)
assert_type(KDegree(k=2), KDegree)
assert_type(KDegreeAnonymizer(k=2), KDegreeAnonymizer)
assert_type(load("adult.yaml", run_id="a"), str)
"""

WRONG = {
    "KAnonymity(nonsense=3)": 'Unexpected keyword argument "nonsense"',
    "KAnonymity(k='five')": 'incompatible type "str"; expected "int"',
    "privacy.KAnonimity": "has no attribute",
    "anon_transformers.MondrianAnonymizer(tie_side='top')": "Literal",
    "privacy.AllOf((object(),))": "PrivacyModel",
    "anon_transformers_graphs.KDegree(nonsense=3)": "Unexpected keyword argument",
    "anon_transformers.release.load()": "Too few arguments",
    "anon_transformers.release.anonymize('run', k=3)": "Unexpected keyword argument",
}


def checked(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run mypy on a program of a user, with the settings of nobody."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file=", "--strict"]
    command += ["--ignore-missing-imports", "--follow-imports=silent"]
    command += ["--cache-dir", str(folder.parent / "mypy_cache"), str(file)]
    # Where the library lies: mypy does not follow every kind of editable installation.
    sources = os.pathsep.join(map(str, SOURCES))
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "MYPYPATH": sources},
    )


def test_a_program_that_is_right_has_no_error(tmp_path):
    found = checked(RIGHT, tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_program_that_is_wrong_has_an_error_in_every_line(tmp_path):
    head = (
        "import anon_transformers.release, anon_transformers_graphs\n"
        "from anon_transformers import KAnonymity, privacy\n"
    )
    found = checked(head + "\n".join(WRONG) + "\n", tmp_path)
    for at, message in enumerate(WRONG.values(), start=3):
        line = [x for x in found.stdout.splitlines() if f"program.py:{at}: error" in x]
        assert line and message in line[0], found.stdout
