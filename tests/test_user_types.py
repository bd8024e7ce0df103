"""What mypy says of a program that uses the library: names, parameters, protocols."""

import subprocess
import sys
from pathlib import Path

import pytest

RIGHT = """
import pandas as pd

from anon_transformers import Classes, Hierarchy, KAnonymity, MondrianAnonymizer
from anon_transformers.base import TableAnonymizer
from anon_transformers.generalization import FullDomainAnonymizer
from anon_transformers.hierarchies import Intervals
from anon_transformers.metrics import HighestRisk
from anon_transformers.privacy import PrivacyModel, TCloseness, Verdict, judge

people = pd.DataFrame({"age": [20, 20, 30, 30], "ill": ["flu", "cold", "flu", "gout"]})
trees: dict[str, Hierarchy] = {"age": Intervals([10]).build(["20", "30"])}
models: list[PrivacyModel] = [KAnonymity(k=2), TCloseness(t=0.5)]
made: TableAnonymizer = MondrianAnonymizer(
    ["age"], sensitive=["ill"], k=2, models=models, hierarchies=trees
)
best = FullDomainAnonymizer(["age"], hierarchies=trees, suppression_limit=0.1)
classes = Classes.from_frame(made.fit_transform(people), ["age"], sensitive=["ill"])
verdict: Verdict = judge(KAnonymity(k=2), classes)
level: int = KAnonymity(k=2).level(classes)
risk: float = HighestRisk().measure(classes)
"""

WRONG = {
    "KAnonymity(nonsense=3)": 'Unexpected keyword argument "nonsense"',
    "KAnonymity(k='five')": 'incompatible type "str"; expected "int"',
    "anon_transformers.privacy.KAnonimity": "has no attribute",
    "anon_transformers.MondrianAnonymizer(tie_side='top')": "Literal",
    "anon_transformers.privacy.AllOf((object(),))": "PrivacyModel",
}


def checked(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run mypy on a program of a user, with the settings of nobody."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file=", "--strict"]
    command += ["--ignore-missing-imports", "--follow-imports=silent"]
    command += ["--cache-dir", str(folder.parent / "mypy_cache"), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_program_that_is_right_has_no_error(tmp_path):
    found = checked(RIGHT, tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_program_that_is_wrong_has_an_error_in_every_line(tmp_path):
    head = (
        "import anon_transformers.privacy\nfrom anon_transformers import KAnonymity\n"
    )
    found = checked(head + "\n".join(WRONG) + "\n", tmp_path)
    for at, message in enumerate(WRONG.values(), start=3):
        line = [x for x in found.stdout.splitlines() if f"program.py:{at}: error" in x]
        assert line and message in line[0], found.stdout


@pytest.mark.slow  # mypy reads the whole of Great Expectations
@pytest.mark.gx
def test_arguments_of_an_expectation_are_known(tmp_path):
    pytest.importorskip("great_expectations")
    head = "from anon_transformers.gx import ExpectTableToBeTClose\n"
    call = 'ExpectTableToBeTClose(quasi_identifiers=["a"], sensitive=["b"], {}=0.2)\n'
    found = checked(head + call.format("t") + call.format("tt"), tmp_path)
    (line,) = [x for x in found.stdout.splitlines() if "program.py:" in x]
    assert 'program.py:3: error: Unexpected keyword argument "tt"' in line
