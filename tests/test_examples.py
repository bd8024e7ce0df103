"""Every example answers its question: it runs as a person runs it, and draws."""

import subprocess
import sys

import pytest

pytest.importorskip("matplotlib", reason="the plots extra")

PNG = b"\x89PNG\r\n\x1a\n"
EXAMPLES = ("contours", "memberships", "partitions")


def draw(root, name, out, *options):
    script = root / "examples" / f"plot_{name}.py"
    call = [sys.executable, script, "--out", out, *options]
    made = subprocess.run(
        [str(part) for part in call], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return out.read_bytes()


def test_these_are_all_examples(root):
    found = {path.stem for path in (root / "examples").glob("plot_*.py")}
    assert found == {f"plot_{name}" for name in EXAMPLES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_draws_its_picture(root, tmp_path, name):
    assert draw(root, name, tmp_path / "made.png").startswith(PNG)


@pytest.mark.parametrize(
    ("name", "columns", "fault"),
    [
        ("memberships", ["workclass"], "'workclass' holds no numbers; columns"),
        ("partitions", ["NOPE", "time"], "'NOPE' does not exist; columns"),
    ],
)
def test_columns_that_cannot_be_drawn_are_told(root, tmp_path, name, columns, fault):
    script = root / "examples" / f"plot_{name}.py"
    out = tmp_path / "made.png"
    made = subprocess.run(
        [sys.executable, script, "--out", out, "--columns", *columns],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 2
    assert f"--columns: {fault} of numbers: " in made.stderr
    assert "Traceback" not in made.stderr
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("contours", ["AGI", "FICA"]),
        ("memberships", ["AGI"]),
        ("partitions", ["AGI", "FICA"]),
    ],
)
def test_an_example_draws_another_table(root, tmp_path, name, columns):
    data = root / "tests/data/casc_census.csv"
    options = ["--data", data, "--sets", "3", "--columns", *columns]
    own = draw(root, name, tmp_path / "own.png", *options)
    assert own.startswith(PNG)
    assert own != draw(root, name, tmp_path / "default.png")
