"""The command ``anon``, as a person or a script calls it."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pandas as pd
import pytest
import typer

from anon_transformers.cli._app import app
from anon_transformers.exceptions import PluginError

REPOSITORY = Path(__file__).parents[2]
SECRET = "Zebedee-the-secret"


@pytest.fixture
def people(tmp_path):
    frame = pd.DataFrame(
        {
            "name": [f"{SECRET}-{i}" for i in range(40)],
            "age": [20 + i % 17 for i in range(40)],
            "zip": [f"{i % 7:05d}" for i in range(40)],
            "disease": ["flu", "cold", "gout", "none"] * 10,
        }
    )
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return path


ROLES = ["-q", "age", "-q", "zip", "-s", "disease", "-i", "name"]


def test_anonymize_writes_a_table_that_validates(anon, people, tmp_path):
    target = tmp_path / "safe.csv"
    made = anon("anonymize", people, target, *ROLES, "-k", 4, "--json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["classes"]["smallest"] >= 4
    table = pd.read_csv(target, dtype=str, keep_default_na=False)
    assert list(table.columns) == ["age", "zip", "disease"]
    assert table.groupby(["age", "zip"]).size().min() >= 4
    assert SECRET not in target.read_text()
    judged = anon("validate", target, "-q", "age", "-q", "zip", "--k", 4, "--json")
    assert judged.exit_code == 0, judged.output
    assert json.loads(judged.stdout)["passed"] is True


def test_validate_exits_with_one_when_a_threshold_is_broken(anon, people):
    judged = anon("validate", people, "-q", "age", "-q", "zip", "--k", 4, "--json")
    assert judged.exit_code == 1
    found = json.loads(judged.stdout)
    assert found["passed"] is False
    assert found["checks"][0]["observed"] == 1


def test_validate_takes_any_registered_metric(anon, people):
    judged = anon("validate", people, "-q", "disease", "-t", "average-risk,max=0.05")
    assert judged.exit_code == 1
    judged = anon("validate", people, "-q", "disease", "-t", "average-risk,max=0.1")
    assert judged.exit_code == 0, judged.output


def test_rows_are_shuffled_unless_told_otherwise(anon, people, tmp_path):
    for name, option in (("a", []), ("b", []), ("c", ["--keep-order"])):
        made = anon(
            "anonymize", people, tmp_path / f"{name}.csv", *ROLES, "-k", 4, *option
        )
        assert made.exit_code == 0, made.output
    a, b, c = (pd.read_csv(tmp_path / f"{n}.csv", dtype=str) for n in "abc")
    assert not a.equals(b)
    assert c["disease"].tolist() == ["flu", "cold", "gout", "none"] * 10
    columns = list(a.columns)
    assert a.sort_values(columns).to_numpy().tolist() == (
        b.sort_values(columns).to_numpy().tolist()
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["-q", "agee", *ROLES[2:]], 2, "unknown column 'agee'",
                     id="column"),
        pytest.param([*ROLES, "-m", "mondrain"], 2, "mean 'mondrian'", id="method"),
        pytest.param([*ROLES, "-o", "outputt=center"], 2, "mean 'output'", id="option"),
        pytest.param([*ROLES, "-o", "output=centr"], 2, "mean 'center'", id="value"),
        pytest.param([*ROLES, "-k", "0"], 2, "at least 1", id="k-zero"),
        pytest.param([*ROLES, "-k", "41"], 1, "has 40 rows", id="k-too-large"),
        pytest.param(["-q", "age", "-s", "disease"], 2,
                     "declared role (columns 1 and 3)", id="undeclared"),
        pytest.param(ROLES[4:], 2, "-q COLUMN", id="no-quasi-identifier"),
        pytest.param([*ROLES, "-o", "k=1"], 2, "option of its own", id="k-twice"),
        pytest.param([*ROLES, "-o", "output=center", "-o", "output=interval"], 2,
                     "is given twice", id="option-twice"),
        pytest.param([*ROLES[:-2], "--insensitive", "name"], 2,
                     "100% of the rows hold values that fewer than 3 do (limit 5%)",
                     id="names-insensitive"),
        pytest.param([*ROLES, "--hierarchy", "age=none.csv"], 2, "does not exist",
                     id="no-hierarchy-file"),
        pytest.param([*ROLES, "-q", "disease"], 2, "'disease'", id="two-roles"),
        pytest.param([*ROLES, "--hierarchy", "age"], 2, "NAME=VALUE", id="no-value"),
    ],
)  # fmt: skip
def test_bad_input_writes_nothing(anon, people, tmp_path, arguments, code, message):
    before = sorted(tmp_path.iterdir())
    made = anon("anonymize", people, tmp_path / "safe.csv", *arguments)
    assert made.exit_code == code, made.output
    assert message in " ".join(made.stderr.split())
    assert SECRET not in made.output
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"a,b\n1,2\n3\n", "another number of fields", id="ragged-short"),
        pytest.param(
            b"a,b\n1,2\n3,4,5\n", "another number of fields", id="ragged-long"
        ),
        pytest.param(b"", "cannot be read", id="no-bytes"),
        pytest.param(b"a,b\n", "empty", id="header-only"),
        pytest.param(b"a,a\n1,2\n", "column twice", id="column-twice"),
        pytest.param(b"a,b\n\xff\xfe\x00,2\n", "cannot be read", id="not-utf-8"),
        pytest.param(b"a,b\n*,2\n*,3\n", "suppression label", id="star"),
    ],
)
def test_bad_files_are_refused(anon, tmp_path, content, message):
    source = tmp_path / "bad.csv"
    source.write_bytes(content)
    roles = ["-q", "a", "-q", "b"]
    made = anon("anonymize", source, tmp_path / "safe.csv", "-k", 1, *roles)
    assert made.exit_code == 2, made.output
    assert message in " ".join(made.stderr.split())
    assert not (tmp_path / "safe.csv").exists()


def test_the_target_is_not_overwritten_unasked(anon, people, tmp_path):
    target = tmp_path / "safe.csv"
    target.write_text("mine")
    assert anon("anonymize", people, target, *ROLES).exit_code == 2
    assert target.read_text() == "mine"
    assert anon("anonymize", people, target, *ROLES, "--force").exit_code == 0
    assert target.read_text() != "mine"


def test_the_source_is_never_overwritten(anon, people):
    before = people.read_bytes()
    assert anon("anonymize", people, people, *ROLES, "--force").exit_code == 2
    assert people.read_bytes() == before


def test_a_compressed_target_is_compressed(anon, people, tmp_path):
    target = tmp_path / "safe.csv.gz"
    assert anon("anonymize", people, target, *ROLES, "-k", 4).exit_code == 0
    assert target.read_bytes()[:2] == b"\x1f\x8b"
    judged = anon("validate", target, "-q", "age", "-q", "zip", "--k", 4)
    assert judged.exit_code == 0, judged.output


def test_empty_lines_of_one_column_are_rows(anon, tmp_path):
    source, target = tmp_path / "one.csv", tmp_path / "safe.csv"
    source.write_text("a\n1\n\n1\n\n")
    assert anon("anonymize", source, target, "-q", "a", "-k", 2).exit_code == 0
    assert len(target.read_text().splitlines()) == 5


def test_bounds_of_metrics_are_numbers(anon, people):
    judged = anon("validate", people, "-q", "age", "-t", "average-risk,max=abc")
    assert judged.exit_code == 2


def test_unexpected_errors_do_not_quote_the_data(anon, people, tmp_path, monkeypatch):
    from anon_transformers import MondrianAnonymizer

    def explode(self, table, models):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(MondrianAnonymizer, "_learn", explode)
    made = anon("anonymize", people, tmp_path / "safe.csv", *ROLES)
    assert made.exit_code == 2
    assert "RuntimeError" in made.stderr
    assert SECRET not in made.output


def test_list_names_what_is_installed_and_by_whom(anon):
    listed = anon("list", "--json")
    assert listed.exit_code == 0, listed.output
    rows = {(r["kind"], r["name"]): r for r in json.loads(listed.stdout)["registered"]}
    assert rows["anonymizer", "mondrian"]["distribution"] == "anon-transformers"
    assert ("privacy model", "k-anonymity") in rows
    assert not any("`" in row["summary"] for row in rows.values())


def test_list_exits_with_one_for_a_broken_plugin(anon, monkeypatch):
    from anon_transformers import registry

    broken = registry.BrokenPlugin("odd", "odd-dist", "ImportError: no such thing")
    found = registry.Registry(broken=(broken,))
    monkeypatch.setattr(registry, "registry", lambda: found)
    listed = anon("list", "--json")
    assert listed.exit_code == 1
    assert json.loads(listed.stdout)["broken"][0]["distribution"] == "odd-dist"


def test_commands_of_plugins_are_found(anon, monkeypatch):
    from anon_transformers import registry

    greet = typer.Typer()
    greet.command()(lambda: typer.echo("hello from a plugin"))
    found = registry.Registry()
    found.commands.add("greet", greet, "greeting-dist")
    monkeypatch.setattr(registry, "registry", lambda: found)
    assert "hello from a plugin" in anon("greet").output
    assert anon("gret").exit_code == 2


@pytest.mark.parametrize("library", ["typer", "click"])
def test_errors_of_a_command_of_a_plugin_are_sentences(anon, monkeypatch, library):
    from anon_transformers import registry
    from anon_transformers.exceptions import DataError, InfeasibleError

    def count(what: str) -> None:
        if what == "typed":
            raise {"typer": typer, "click": click}[library].BadParameter("say rows")
        raise {"rows": InfeasibleError, "agee": DataError}[what](f"no {what}.")

    if library == "typer":
        command = typer.Typer()
        command.command()(count)
    else:
        command = click.Command("count", params=[click.Argument(["what"])])
        command.callback = count
    found = registry.Registry()
    found.commands.add("count", command, "counting-dist")
    monkeypatch.setattr(registry, "registry", lambda: found)
    refused = [anon("count", what) for what in ("agee", "rows", "typed")]
    assert [done.exit_code for done in refused] == [2, 1, 2]
    assert refused[0].stderr == "error: no agee.\n"
    assert "say rows" in refused[2].stderr
    assert not any("Traceback" in done.output for done in refused)


def test_a_function_makes_a_command_when_it_is_called(anon, monkeypatch):
    from anon_transformers import registry

    made = []

    def make():
        """Greet, late."""
        made.append(typer.Typer())
        made[-1].command()(lambda: typer.echo("hello, made just now"))
        return made[-1]

    found = registry.Registry()
    found.commands.add("greet", make, "greeting-dist")
    monkeypatch.setattr(registry, "registry", lambda: found)
    assert "Greet, late." in anon("list").output
    assert not made
    assert "hello, made just now" in anon("greet").output


def test_init_writes_a_release_that_runs(anon, tmp_path):
    made = anon("init", tmp_path / "study", "--json")
    assert made.exit_code == 0, made.output
    assert all(Path(path).is_file() for path in json.loads(made.stdout)["written"])
    again = anon("init", tmp_path / "study")
    assert again.exit_code == 2
    assert "there already" in again.stderr
    released = anon("release", tmp_path / "study/releases/adult.yaml", "--json")
    assert released.exit_code == 0, released.output
    manifest = json.loads(released.stdout)
    assert manifest["measured"]["rows"] == 30162
    assert manifest["measured"]["checks"][0]["observed"] >= 5
    assert (Path(manifest["folder"]) / "validation.html").is_file()
    folder = tmp_path / "study/build/releases/adult"
    judged = anon("validate", folder, "--k", 5, "-t", "average-risk,max=0.15", "--json")
    assert judged.exit_code == 0, judged.output
    assert [c["passed"] for c in json.loads(judged.stdout)["checks"]] == [True, True]
    # The loss of the run is not in the table: its promise cannot be judged again.
    judged = anon("validate", folder, "--json")
    assert judged.exit_code == 0
    assert anon("validate", folder, "--strict").exit_code == 1
    found = json.loads(judged.stdout)
    assert {c["id"]: c["passed"] for c in found["checks"]} == {
        "k-anonymity": True,
        "average-risk": True,
        "loss": None,
    }
    assert any(
        note.startswith("At release, loss held: ") for note in found["release"]["notes"]
    )
    data = Path(manifest["folder"]) / "data.csv"
    data.write_text("\n".join(data.read_text().splitlines()[:-1]) + "\n")
    changed = anon("validate", folder)
    assert changed.exit_code == 2
    assert "not the bytes" in " ".join(changed.stderr.split())


def test_a_release_can_be_tightened_and_not_loosened(anon, tmp_path):
    anon("init", tmp_path)
    release = tmp_path / "releases/adult.yaml"
    loosened = anon("release", release, "--set", "k_anonymity_k=2")
    assert loosened.exit_code == 2
    assert "only tighten" in " ".join(loosened.stderr.split())
    assert not (tmp_path / "build").exists()
    refused = anon("release", release, "--set", "loss_max=0.0001", "--json")
    assert refused.exit_code == 1
    assert not (tmp_path / "build/releases/adult/current").exists()


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("release.yaml", "releases/adult.yaml"),
        ("suite.json", "expectations/adult.json"),
        ("dag.py.txt", "dags/releases.py"),
    ],
)
def test_the_templates_are_what_the_repository_itself_runs(template, path):
    written = REPOSITORY / "anon_transformers/cli/templates" / template
    assert written.read_text() == (REPOSITORY / path).read_text()


def test_every_command_has_help(anon):
    for command in (
        "init",
        "list",
        "anonymize",
        "validate",
        "release",
        "compare",
        "reproduce",
        "hierarchy",
        "dataset",
    ):
        message = anon(command, "--help")
        assert message.exit_code == 0
        assert len(message.stdout.splitlines()) > 5


def commands(group, name="anon"):
    for key, command in getattr(group, "commands", {}).items():
        yield f"{name} {key}", command
        yield from commands(command, f"{name} {key}")


def test_every_option_of_every_command_has_help():
    found = dict(commands(typer.main.get_command(app)))
    assert {"anon dataset make", "anon hierarchy check"} <= set(found)
    for name, command in found.items():
        assert command.help, name
        for parameter in command.params:
            if not name.endswith(("hierarchy", "dataset")):
                assert getattr(parameter, "help", None), (name, parameter.name)


def test_every_command_that_reads_a_table_takes_its_dialect():
    found = dict(commands(typer.main.get_command(app)))
    reading = [
        name
        for name, command in found.items()
        if {"separator", "missing"} & {parameter.name for parameter in command.params}
    ]
    assert len(reading) >= 10
    for name in reading:
        taken = {parameter.name for parameter in found[name].params}
        assert {"separator", "encoding", "missing"} <= taken, name
        if "original" in taken:
            assert {"original_separator", "original_encoding"} <= taken, name


def test_it_runs_as_a_program():
    message = subprocess.run(
        [Path(sys.executable).with_name("anon"), "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert message.stdout.strip() == "0.1.0"


def test_a_release_file_that_is_not_there(anon, tmp_path):
    run = anon("release", tmp_path / "nosuch.yaml")
    assert run.exit_code == 2
    assert "nosuch.yaml does not exist." in " ".join(run.stderr.split())


@pytest.fixture
def offered(monkeypatch):
    """A registry of nothing, to which a test adds what plugins offer."""
    from anon_transformers import registry

    found = registry.Registry()
    monkeypatch.setattr(registry, "registry", lambda: found)
    return found


def help_of(anon):
    asked = anon("--help")
    assert asked.exit_code == 0, asked.output
    return " ".join(asked.stdout.split())


def test_help_tells_which_plugins_are_installed(anon, offered):
    assert "plugins:" not in help_of(anon)
    offered.experiments.add("zeal", print, "anon-transformers-zoo")
    offered.experiments.add("adult", print, "anon-transformers")
    message = help_of(anon)
    assert "Installed plugins: anon-transformers-zoo. anon list shows" in message


def test_help_shows_commands_of_plugins_and_imports_none(anon, offered):
    summary = "Count [animals], and say so."
    offered.commands.add("zoo", "no_such_module:app", "zoo", summary=summary)
    message = help_of(anon)
    assert "Commands of plugins" in message
    assert f"zoo {summary}" in message
    # Only the help shows a stand-in.
    assert anon("zoo").exit_code == 2
    assert anon("zoology").exit_code == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--who", "Ann"], 0, "Hello, Ann."),
        (["--help"], 0, "Usage: anon hello [OPTIONS]"),
        (["--whoo", "Ann"], 2, "No such option"),
    ],
)
def test_a_command_of_click_is_called_like_the_others(anon, offered, words, code, said):
    click = pytest.importorskip("click")

    @click.command(help="Greet somebody.")
    @click.option("--who", default="you", help="Who is greeted.")
    def hello(who):
        click.echo(f"Hello, {who}.")

    offered.commands.add("hello", hello, "zoo")
    assert "hello Greet somebody." in help_of(anon)
    made = anon("hello", *words)
    assert made.exit_code == code, made.output
    assert said in made.output.replace("root ", "anon ")


def fails_at_import():
    import no_such_module  # noqa: F401


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            fails_at_import,
            "error: the command 'zoo' of zoo-dist cannot be loaded "
            "(ModuleNotFoundError: No module named 'no_such_module').",
        ),
        ("no_such_module:app", "'zoo' of zoo-dist cannot be loaded (ModuleNotFound"),
        (print, "what zoo-dist registers as the command 'zoo' is no typer application"),
        (lambda: None, "what zoo-dist registers as the command 'zoo' is no typer"),
    ],
)
def test_a_command_that_cannot_be_made_is_told_in_a_sentence(
    anon, offered, command, said
):
    offered.commands.add("zoo", command, "zoo-dist", summary="Count animals.")
    made = anon("zoo")
    assert made.exit_code == 2, made.output
    assert said in " ".join(made.output.split())
    assert "Traceback" not in made.output


def test_help_of_a_function_that_makes_a_command_does_not_call_it(anon, offered):
    def make():
        """Never make this."""
        raise AssertionError

    offered.commands.add("late", make, "zoo")
    assert "late Never make this." in help_of(anon)


def test_help_is_printed_whatever_plugins_do(anon, offered, monkeypatch):
    from anon_transformers import registry

    broken = registry.BrokenPlugin("odd", "odd-dist", "ImportError: no such thing")
    found = registry.Registry(broken=(broken,))
    monkeypatch.setattr(registry, "registry", lambda: found)
    assert "Broken plugins: odd-dist. anon list says why." in help_of(anon)

    def clash():
        raise PluginError("two distributions offer a plugin named 'a'.")

    monkeypatch.setattr(registry, "registry", clash)
    message = help_of(anon)
    assert "Plugins cannot be loaded: two distributions offer" in message
    assert "anonymize" in message


def test_validate_says_where_an_attack_belongs(anon, tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("age\n20\n20\n")
    done = anon("validate", table, "-q", "age", "-t", "tight-boxes")
    assert done.exit_code == 2
    assert "anon attack FILE -a tight-boxes" in done.stderr
