"""What the README shows is what happens."""

import re
import shlex
from pathlib import Path

from anon_transformers.registry import registry
from anon_transformers_reproductions.plugin import EXPERIMENTS

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.M | re.S)


def blocks(language):
    return [code for kind, code in BLOCKS if kind == language]


def test_the_table_names_all_that_is_offered():
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", TEXT, flags=re.M)
    assert dict(rows) == {name: cls for name, (cls, _) in EXPERIMENTS.items()}


def test_console_blocks_name_options_that_there_are():
    (text,) = blocks("console")
    lines = [line.removeprefix("$ ") for line in text.splitlines()]
    shown = [shlex.split(line) for line in lines if line.startswith("anon ")]
    assert {arguments[2] for arguments in shown} == set(EXPERIMENTS)
    common = {"quick", "out", "json"}
    for _, _, name, *options in shown:
        taken = registry().experiments[name].__dataclass_fields__
        given = {o.removeprefix("--") for o in options if o.startswith("--")}
        assert given <= {*taken, *common}


def test_every_block_is_tried():
    assert [language for language, _ in BLOCKS] == ["console", "python"]
    assert TEXT.count("```") == 2 * len(BLOCKS)


def test_python_blocks_run(capsys):
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    assert "0 differ without one" in capsys.readouterr().out
