"""Brackets in names: every command prints them as they are."""

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.usefixtures("declared")

KNOWN, CLOSING, SECRET = "[red]age[/red]", "[/]", "[bold]ill[/bold]"
ROLES = ["-q", KNOWN, "-q", CLOSING, "-s", SECRET]


@pytest.fixture
def people(tmp_path):
    folder = tmp_path / "[link=x]" / "["
    folder.mkdir(parents=True)
    path = folder / "red].csv"  # the whole path holds [/red]
    pd.DataFrame(
        {
            KNOWN: [20 + i % 3 for i in range(30)],
            CLOSING: [i % 2 for i in range(30)],
            SECRET: ["[/]", "[blink]flu[/blink]", "[red]"] * 10,
        }
    ).to_csv(path, index=False)
    return path


def printed(done, *texts, code=0):
    assert done.exit_code == code, done.output
    assert "unexpected" not in done.output
    for text in texts:
        assert text in done.output, (text, done.output)


def test_anonymize(anon, people):
    call = ["anonymize", people, people.with_name("[dim]safe.csv"), *ROLES, "-k", 2]
    made = anon(*call, "-m", "full-domain")
    printed(made, f"level of {KNOWN}", f"level of {CLOSING}", "[dim]safe.csv")
    printed(anon(*call, "--force", "-m", "[/]"), "[/]", code=2)
    swapped = anon(*call, "--force", "-m", "group-swap")
    printed(swapped, f"value of {SECRET}")
    printed(anon(*call), "[dim]safe.csv is there already", code=2)


def test_risk(anon, people):
    call = ["risk", people, "--original", people, *ROLES, "--query", KNOWN]
    printed(anon(*call), KNOWN, CLOSING, f"{SECRET}, distinct l", f"Queries of {KNOWN}")
    printed(anon("risk", people, "-q", "[/b]"), "unknown column '[/b]'", code=2)


def test_validate(anon, people):
    passed = anon("validate", people, *ROLES, "-k", 2)
    printed(passed, f"{people}: passed")
    asked = ["-t", f"t-closeness,t=0.001,sensitive={SECRET}"]
    failed = anon("validate", people, *ROLES, *asked, "--original", people)
    printed(failed, "t-closeness", code=1 if failed.exit_code else 0)
    odd = anon("validate", people, *ROLES, "-t", 't-closeness,t=0.1,sensitive="[/x]"')
    printed(odd, "[/x]", code=1)


def test_quality(anon, people):
    found = anon("quality", people, people, "-q", KNOWN, "-q", CLOSING, "--aligned")
    printed(found, KNOWN, CLOSING, f"{people}: differences")


def test_attack(anon, people):
    found = anon("attack", people, *ROLES, "-a", "homogeneity", "--show-values")
    printed(found, f"{people}: what an intruder", code=found.exit_code)
    homogeneous = people.with_name("[i].csv")
    pd.DataFrame({KNOWN: [1, 1], SECRET: ["[/]", "[/]"]}).to_csv(
        homogeneous, index=False
    )
    roles = ["-q", KNOWN, "-s", SECRET, "-a", "homogeneity", "--show-values"]
    printed(anon("attack", homogeneous, *roles), KNOWN, SECRET, "[/]", code=1)


def test_compare(anon, people):
    call = ["compare", people, *ROLES, "-m", "mondrian", "-g", "k=2,31"]
    printed(anon(*call), str(people), f"quasi-identifiers: {KNOWN}, {CLOSING}")
    printed(anon("compare", people, *ROLES, "-m", "[/]"), "[/]", code=2)


def test_compare_codings(anon, people):
    call = ["compare-codings", people, *ROLES, "--sets", 2]
    call += ["-c", "independent:k-means"]
    printed(anon(*call), KNOWN, CLOSING)


def test_frontier(anon, people):
    printed(
        anon("frontier", people, *ROLES), f"level of {KNOWN}", f"level of {CLOSING}"
    )


def test_hierarchy(anon, people):
    tree = people.with_name("[u]tree.csv")
    call = ["hierarchy", "suggest", people, "-c", SECRET, "--out", tree]
    printed(anon(*call), SECRET, "[blink]flu[/blink]", str(tree))
    printed(anon("hierarchy", "show", tree), "[u]tree.csv", "[blink]flu[/blink]")
    checked = anon("hierarchy", "check", tree, "--table", people, "-c", SECRET)
    printed(checked, SECRET, str(tree))


def test_release(anon, people):
    config = {
        "source": {"path": people.name},
        "roles": {"quasi_identifiers": [KNOWN, CLOSING], "sensitive": [SECRET]},
        "anonymizer": {"name": "mondrian", "step": {KNOWN: 1, CLOSING: 1}},
        "thresholds": [{"model": "k-anonymity", "k": 3}],
        "target": {"path": "out"},
    }
    file = people.with_name("people.yaml")
    unstated = {**config, "anonymizer": {"name": "mondrian"}}
    file.write_text(yaml.safe_dump(unstated))
    printed(anon("release", file), f"step: {{{KNOWN}: 5}}", code=2)
    file.write_text(yaml.safe_dump(config))
    printed(anon("release", file), "k-anonymity")
    printed(
        anon("validate", people.with_name("out")), f"{people.with_name('out')}: passed"
    )


def test_init_list_dataset_and_reproduce(anon, tmp_path):
    printed(anon("init", tmp_path / "[b]study[/]"), "[b]study[/]")
    out = tmp_path / "[red]x.csv"
    printed(anon("dataset", "make", "independent", "--rows", 3, "-o", out), str(out))
    printed(anon("dataset", "make", "[/]", "-o", out), "[/]", code=2)
    printed(anon("reproduce", "[/]"), "[/]", code=2)
    printed(anon("reproduce", "[/]", "--help"))


def test_names_of_plugins_are_listed_as_they_are(anon, monkeypatch):
    from anon_transformers import registry

    def strange():
        """Print [/] and [red]red[/red]."""

    found = registry.Registry(
        broken=(registry.BrokenPlugin("[/odd]", "[odd]", "no [/]"),)
    )
    found.commands.add("strange", strange, "[b]dist[/b]")
    monkeypatch.setattr(registry, "registry", lambda: found)
    summary = "Print [/] and [red]red[/red]."
    printed(anon("list"), summary, "[b]dist[/b]", "[/odd]", "no [/]", code=1)
