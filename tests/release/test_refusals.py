"""Names, numbers and places that a release cannot use: refused, nothing written."""

import re
from dataclasses import field, make_dataclass

import numpy as np
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    InfeasibleError,
    PluginError,
)
from anon_transformers.registry import BrokenPlugin, registry
from anon_transformers.release import ReleaseConfig, load, read_config, run_release

# ---------------------------------------------------------------- names and numbers


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"anonymizer": {"name": "mondrain"}},
         "anonymizer: unknown anonymizer 'mondrain'; did you mean 'mondrian'?"),
        ({"thresholds": [{"model": "k-anonimity", "k": 3, "id": "persons"}]},
         "thresholds, persons: unknown privacy model 'k-anonimity'; did you mean"),
        ({"thresholds": [{"metric": "los", "max": 1}]},
         "thresholds, los: unknown metric 'los'; did you mean 'loss'?"),
        ({"hierarchies": {"age": {"kind": "interval"}}},
         "hierarchies, age: unknown hierarchy builder 'interval'; did you mean"),
        ({"source": {"path": "people.csv", "kind": "csvv"}},
         "source.kind: unknown source kind 'csvv'; did you mean 'csv'?"),
        ({"target": {"path": "out", "format": "parqet"}}, "did you mean 'parquet'?"),
    ],
)  # fmt: skip
def test_unknown_names_are_told_with_their_key_and_the_nearest(
    release, changes, message
):
    release.write(**changes)
    assert message in release.refusal()
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        run_release(release.file)


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "5"])
def test_k_below_one_or_no_number(release, k):
    release.write(thresholds=[{"model": "k-anonymity", "k": k}])
    assert f"k must be a whole number of at least 1, got {k!r}" in release.refusal()


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"k": 0}, "k must be a whole number of at least 1, got 0"),
        ({"k": "many"}, "k must be a whole number"),
        ({"suppression_limit": 2.5}, "suppression_limit must be a share"),
        ({"suppression": "hide"}, "suppression"),
        ({"output": "boxes"}, "output"),
        ({"models": 5}, "models must be a list"),
        ({"models": [{"modle": "k-anonymity", "k": 3}]}, "did you mean 'model'?"),
        ({"models": [{"model": "k-anonymity", "k": 0}]}, "at least 1"),
        ({"random_state": 7}, "a release draws fresh entropy"),
        ({"identifiers": []}, "declared once, under roles"),
        ({"quasi_identifiers": ["age"]}, "declared once, under roles"),
        ({"subject": None}, "declared once, under roles"),
        ({"hierarchies": {}}, "declared once, under roles"),
    ],
)
def test_what_an_anonymizer_may_not_state(release, stated, message):
    release.write(anonymizer=release.mondrian(**stated))
    assert message in release.refusal()


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ({"metric": "loss"}, "a metric needs min or max"),
        ({"metric": "loss", "id": "x"}, "a metric needs min or max"),
        ({"metric": "loss", "max": "0.5"}, "max must be a finite number, got '0.5'"),
        ({"metric": "loss", "max": True}, "max must be a finite number"),
        ({"metric": "loss", "max": [0.5]}, "expected a number, a text or a list"),
        ({"metric": "loss", "max": float("nan")}, "not a finite number"),
        ({"metric": "loss", "max": float("inf")}, "not a finite number"),
        ({"metric": "loss", "max": 0.5, "mid": 3}, "unknown parameter 'mid'"),
        ({"model": "k-anonymity"}, "'k'"),
        (
            {"model": "k-anonymity", "metric": "loss"},
            "name a model, a metric or an attack",
        ),
        ({"k": 5}, "name a model, a metric or an attack"),
        ("k-anonymity", "expected {model: NAME"),
        ({"model": "k-anonymity", "k": 3, "id": "has space"}, "cannot be the id"),
        ({"model": "k-anonymity", "k": 3, "id": ""}, "cannot be the id"),
        ({"model": "k-anonymity", "k": 3, "id": "pi"}, "'pi' cannot be the id"),
        ({"model": "k-anonymity", "k": 3, "id": "report"}, "taken"),
    ],
)
def test_thresholds_that_ask_nothing_that_can_be_judged(release, threshold, message):
    release.write(thresholds=[threshold])
    assert message in release.refusal()


@pytest.mark.parametrize(
    "ids",
    [
        (None, None),
        ("same", "same"),
        ("a-b", "a_b"),  # one name as a parameter
    ],
)
def test_two_thresholds_with_one_id(release, ids):
    asked = [
        {"model": "k-anonymity", "k": k} | ({"id": id_} if id_ else {})
        for k, id_ in zip((3, 5), ids, strict=True)
    ]
    release.write(thresholds=asked)
    assert "is given twice; give each an id of its own" in release.refusal()


def test_ids_whose_parameters_would_be_one(release):
    asked = [
        {"model": "k-anonymity", "k": 3, "id": "a"},
        {"model": "k-anonymity", "k": 3, "id": "a-k"},
    ]
    release.write(thresholds=asked)
    assert "'a_k' could mean two of them" in release.refusal()


# Without hierarchies it makes its own of the values, and refuses to suppress rows.
DATAFLY = {"name": "datafly", "suppression_limit": 0}


@pytest.mark.parametrize(
    ("anonymizer", "metrics", "add"),
    [
        (DATAFLY, {"loss": 0.9}, "k-anonymity"),
        ({**DATAFLY, "k": 1}, {"loss": 1, "average-risk": 1}, "k-anonymity"),
        ({"name": "mdav", "k": 1}, {"mean-change": 1}, "k-anonymity"),
        (
            {"name": "group-swap", "k": 1},
            {"correlation-difference": 0.1, "squared-error-share": 1, "mean-change": 1},
            "probabilistic-k-anonymity",
        ),
    ],
    ids=["one metric", "risk", "mdav", "group-swap"],
)
def test_metrics_alone_protect_nobody(release, anonymizer, metrics, add):
    """The source itself changes least: it would pass, and be published."""
    asked = [{"metric": name, "max": most} for name, most in metrics.items()]
    release.write(anonymizer=anonymizer, thresholds=asked)
    message = release.refusal()
    assert "none is a privacy model" in message
    assert message.endswith(f"add {{model: {add}, k: …}}.")


def test_one_privacy_model_is_enough(release):
    release.write(thresholds=[{"model": "k-anonymity", "k": 2}])
    assert load(release.file)


K_1 = {"model": "k-anonymity", "k": 1}
L_1 = {"model": "distinct-l-diversity", "l": 1, "sensitive": "job"}


@pytest.mark.parametrize(
    "thresholds",
    [
        [K_1],
        [K_1, {"metric": "loss", "max": 0.9}],
        [K_1, L_1],
        [K_1, {"model": "t-closeness", "t": 1.0, "sensitive": "job"}],
        [K_1, {"model": "t-closeness", "t": 0.99, "sensitive": "job"}],
        [K_1, {"model": "entropy-l-diversity", "l": 1, "sensitive": "job"}],
        [K_1, {"model": "beta-likeness", "beta": 100, "sensitive": "job"}],
        [{"model": "alpha-k-anonymity", "alpha": 1, "k": 1, "sensitive": "job"}],
        [{"model": "alpha-k-anonymity", "alpha": 0.9, "k": 1, "sensitive": "job"}],
        [{"model": "alpha-k-anonymity", "alpha": 1, "k": 1, "value": 3}],
        [{"model": "recursive-cl-diversity", "c": 2, "l": 1, "sensitive": "job"}],
        [{"model": "recursive-cl-diversity", "c": 1, "l": 1, "sensitive": "job"}],
        [L_1, {"model": "belief-bound"}],
    ],
    ids=lambda asked: "-".join(t.get("model", t.get("metric")) for t in asked),
)
def test_a_promise_of_nothing_is_refused_as_the_only_one(release, thresholds):
    release.write(thresholds=thresholds)
    message = release.refusal()
    assert re.search("promises? nothing by", message)
    assert "k=1" in message or "l=1" in message


@pytest.mark.parametrize(
    ("alone", "number"),
    [
        ({"model": "t-closeness", "t": 0.2}, "t=0.2"),
        ({"model": "beta-likeness", "beta": 50}, "beta=50"),
        ({"model": "beta-likeness", "beta": 0.5}, "beta=0.5"),
        ({"model": "belief-bound"}, "positive=1"),
        ({"model": "belief-bound", "positive": 0.5, "negative": 0.1}, "positive=0.5"),
    ],
    ids=str,
)
def test_values_alone_hide_nobody(release, alone, number):
    """A person may stand alone in a class whose values are those of the table."""
    release.write(thresholds=[alone])
    message = release.refusal()
    several = "," in number
    verb = f"promise{'' if several else 's'} nothing by "
    verb += "themselves" if several else "itself"
    assert message.startswith(f"thresholds: {number} {verb}: ")
    assert message.endswith("ask for k of at least 2 with {model: k-anonymity, k: …}.")
    release.write(thresholds=[{"model": "k-anonymity", "k": 2}, alone])
    assert load(release.file)


@pytest.mark.parametrize(
    "more",
    [
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "job"},
        {"model": "entropy-l-diversity", "l": 2, "sensitive": "job"},
        {"model": "recursive-cl-diversity", "c": 3, "l": 2, "sensitive": "job"},
        {"model": "alpha-k-anonymity", "alpha": 1, "k": 2, "sensitive": "job"},
    ],
    ids=lambda asked: asked["model"],
)
def test_a_promise_of_nothing_may_stand_beside_another(release, more):
    release.write(thresholds=[K_1, more])
    assert load(release.file)
    release.write(thresholds=[more])
    assert load(release.file)


def strangers_model(default, **declared):
    """A model that a plugin registers: of numbers that nobody knows here."""

    def satisfied(self, evidence):
        return evidence.sizes >= 1

    def level(self, evidence):
        return int(evidence.sizes.min())

    attributes = {
        "name": "stranger",
        "evidence": "classes",
        "better": "higher",
        "merging": "any",
        "satisfied": satisfied,
        "level": level,
        "tighter": dict.fromkeys(default, "higher"),
        **declared,
    }
    numbers = [(name, float, field(default=value)) for name, value in default.items()]
    return make_dataclass("Stranger", numbers, namespace=attributes, frozen=True)


@pytest.mark.parametrize(
    ("model", "counts"),
    [
        (strangers_model({"k": 5}), True),
        (strangers_model({"k": 1}), False),
        (strangers_model({"k": 5}, tighter={"k": "lower"}), False),
        (strangers_model({"k": 5}, tighter={}), False),
        (strangers_model({"k": 1, "radius": 7}), False),
        (strangers_model({"width": 7}), False),
        (strangers_model({"width": 7}, stands_alone=True), True),
        (strangers_model({"k": 5}, stands_alone=False), False),
        (strangers_model({"width": 7}, stands_alone=property(lambda m: m.width > 8)),
         False),
        (strangers_model({"width": 7}, stands_alone=lambda model: False), False),
    ],
)  # fmt: skip
def test_a_model_of_a_plugin_counts_by_k_l_and_q_or_as_it_declares(
    release, registered, model, counts
):
    registered("privacy_models", "stranger", model)
    release.write(thresholds=[{"model": "stranger"}])
    if counts:
        assert load(release.file)
    else:
        assert " nothing by " in release.refusal()


def test_a_trigger_may_make_a_promise_of_nothing_one(release):
    release.write(thresholds=[K_1])
    assert load(release.file, None, {"k_anonymity_k": 3})


# ---------------------------------------------------------------- seeds


def seeded(base, random_state):
    """The anonymizer of a plugin that states a seed where nobody asked for one."""

    class Seeded(base):
        def __init__(self, quasi_identifiers=None, *, k=5, models=None, sensitive=None,
                     identifiers=None, hierarchies=None, subject=None, boxes="tight",
                     step=None, domain=None, random_state=random_state):  # fmt: skip
            super().__init__(
                quasi_identifiers, k=k, models=models, sensitive=sensitive,
                identifiers=identifiers, hierarchies=hierarchies, subject=subject,
                boxes=boxes, step=step, domain=domain, random_state=random_state,
            )  # fmt: skip

    return Seeded


def defaults_of_a_release(base):
    class Seeded(base):
        @classmethod
        def release_defaults(cls, stated):
            return {**super().release_defaults(stated), "random_state": 0}

    return Seeded


def hard_coded(base):
    class Seeded(base):
        def __init__(self, **given):
            super().__init__(**given)
            self.random_state = 0

    return Seeded


def nested(base):
    from sklearn.cluster import KMeans

    class Seeded(base):
        def __init__(self, quasi_identifiers=None, *, k=5, models=None, sensitive=None,
                     identifiers=None, hierarchies=None, subject=None, boxes="tight",
                     step=None, domain=None, inner=None):  # fmt: skip
            super().__init__(
                quasi_identifiers, k=k, models=models, sensitive=sensitive,
                identifiers=identifiers, hierarchies=hierarchies, subject=subject,
                boxes=boxes, step=step, domain=domain,
            )  # fmt: skip
            self.inner = KMeans(random_state=0) if inner is None else inner

    return Seeded


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda base: seeded(base, 0), "random_state"),
        (lambda base: seeded(base, np.random.default_rng(1)), "random_state"),
        (defaults_of_a_release, "random_state"),
        (hard_coded, "random_state"),
        (nested, "inner__random_state"),
    ],
    ids=["default", "generator", "release_defaults", "hard_coded", "nested"],
)
def test_a_seed_that_the_file_does_not_state_is_refused_too(
    release, registered, make, key
):
    from anon_transformers.partitioning import MondrianAnonymizer

    registered("anonymizers", "careless", make(MondrianAnonymizer))
    release.write(anonymizer=release.mondrian(name="careless"))
    message = release.refusal()
    assert message.startswith(
        f"anonymizer careless: {key}: a release draws fresh entropy"
    )


def test_a_plugin_that_states_no_seed_is_not_refused(release, registered):
    from anon_transformers.partitioning import MondrianAnonymizer

    registered("anonymizers", "careful", seeded(MondrianAnonymizer, None))
    release.write(anonymizer=release.mondrian(name="careful"))
    assert load(release.file)


def test_no_threshold_at_all(release):
    release.write(thresholds=[])
    assert "thresholds" in release.refusal()


def test_a_suite_that_cannot_be_read_stops_the_run_before_it_starts(release):
    release.write(suite="no-such-suite.json")
    assert "no-such-suite.json does not exist" in release.refusal()
    (release.folder / "no-such-suite.json").write_text('{"name": "x"}')
    assert "lists no expectation" in release.refusal()


def test_a_hierarchy_that_cannot_be_read(release):
    release.write(hierarchies={"zip": "zip.csv"})
    assert "hierarchies, zip" in release.refusal()
    (release.folder / "zip.csv").write_text("007;0*;*\n008;*\n")
    assert "zip.csv: row 2" in release.refusal()


# ---------------------------------------------------------------- places


PLACES = {
    "target.path": {"target": {"path": "ftp://bucket/x"}},
    "workspace": {"workspace": "s3://bucket/x"},
    "suite": {"suite": "s3://bucket/x"},
    "source.path": {"source": {"path": "ftp://bucket/x.csv"}},
    "source.path ": {"source": {"path": "ftp://bucket/x.csv", "kind": "csv"}},
    "hierarchies.zip": {"hierarchies": {"zip": "https://x.org/zip.csv"}},
    "hierarchies.zip ": {"hierarchies": {"zip": {"path": "https://x.org/zip.csv"}}},
    "hierarchies.zip  ": {"hierarchies": {"zip": "file:///zip.csv"}},
    "source.edges": {"source": {"kind": "graph", "edges": "s3://bucket/x.csv"}},
    "source.nodes": {
        "source": {"kind": "graph", "edges": "x.csv", "nodes": "s3://bucket/x"}
    },
}


@pytest.mark.parametrize(("key", "changes"), PLACES.items(), ids=PLACES)
def test_an_address_that_nothing_opens_is_refused(release, key, changes):
    release.write(**changes)
    message = release.refusal()
    assert f"{key.strip()}" in message
    assert "://" in message
    assert ("without file://" in message) == ("file" in str(changes))
    assert not (release.folder / "s3:").exists()


def test_an_address_is_handed_to_a_registered_reader_as_it_is(release, registered):
    import pandas as pd

    seen = []

    def bucket(path):
        seen.append(path)
        return pd.read_csv(release.source, dtype=str)

    registered("readers", "bucket", bucket)
    addresses = ["s3://bucket/x.csv", "file:///bucket/x.csv"]
    for address in addresses:
        release.write(source={"kind": "bucket", "path": address})
        assert load(release.file)
    assert seen == addresses


@pytest.mark.parametrize("key", ["target", "workspace"])
def test_nothing_is_written_into_the_librarys_own_data(release, key):
    given = "bundled:adult"
    release.write(**{key: {"path": given} if key == "target" else given})
    assert "bundled:" in release.refusal()


def test_a_source_that_is_not_there(release):
    release.source.unlink()
    message = release.refusal(DataError)
    assert "source.path" in message
    assert "does not exist" in message


def test_a_reader_without_its_path(release):
    release.write(source={"kind": "csv"})
    assert "source: needs the parameter 'path'." in release.refusal()


def test_a_target_that_cannot_be_written(release):
    (release.folder / "file").write_text("no folder")
    release.write(target={"path": "file/below"})
    assert "target.path" in release.refusal()
    release.write(target={"path": "out"}, workspace="file/below")
    assert "workspace" in release.refusal()


@pytest.mark.parametrize(
    ("target", "workspace"),
    [("work/people", "work"), ("out", "out"), ("work/people/in", "work"), (".", "x")],
)
def test_the_private_folder_never_lies_in_the_target(release, target, workspace):
    release.write(target={"path": target}, workspace=workspace)
    assert "must not hold one another" in release.refusal()


def test_a_link_does_not_lead_the_private_folder_into_the_target(release):
    (release.target / "inside").mkdir(parents=True)
    release.work.mkdir()
    release.home.symlink_to(release.target / "inside")
    with pytest.raises(ConfigurationError, match="must not hold one another"):
        load(release.file)
    assert not list((release.target / "inside").iterdir())


def test_a_source_within_the_public_target_is_refused(release):
    release.write(target={"path": "."}, workspace="../private")
    assert "source.path: the file lies in the target" in release.refusal()


def test_a_broken_plugin_stops_a_release(release, monkeypatch):
    broken = BrokenPlugin("odd", "odd-dist", "ImportError: no module")
    monkeypatch.setitem(vars(registry()), "broken", (broken,))
    message = release.refusal(PluginError)
    assert "odd of odd-dist" in message


def test_paths_start_from_the_folder_of_the_file(release, monkeypatch, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    config = read_config(release.file)
    assert config.home == release.home
    assert config.path(config.target.path) == release.target
    assert config.path(str(elsewhere / "x")) == elsewhere / "x"
    assert load(release.file).startswith(str(release.home))
    assert list(elsewhere.iterdir()) == []


def test_a_configuration_survives_being_noted(release):
    release.write(
        anonymizer={"name": "mondrian", "models": None, "suppression_limit": 0.1},
        source={"path": "people.csv", "missing": ["?"], "columns": {"zip": "text"}},
    )
    config = read_config(release.file)
    noted = ReleaseConfig.model_validate_json(config.model_dump_json())
    assert noted == config
    assert noted.anonymizer.params == {"models": None, "suppression_limit": 0.1}


def test_the_example_release_is_legal(root):
    config = read_config(root / "releases" / "adult.yaml")
    assert config.name == "adult"
    assert config.path(config.source.path).is_file()


# ---------------------------------------------------------------- bad data


@pytest.mark.parametrize(
    ("bend", "error", "message"),
    [
        (lambda rows: rows[:3], InfeasibleError, "k=3 needs at least as many rows"),
        (
            lambda rows: [*rows, ["x", "30", "*", "j", "y"]],
            DataError,
            "'zip' holds the suppression label '*' in 1 rows",
        ),
    ],
)
def test_what_cannot_be_anonymized_leaves_no_personal_data(
    release, bend, error, message
):
    rows = [line.split(",") for line in release.source.read_text().splitlines()]
    release.write_rows(bend(rows))
    roles = {**release.content["roles"], "accept_unique": ["note", "job"]}
    release.write(roles=roles)
    with pytest.raises(error, match=message.replace("*", r"\*")):
        run_release(release.file)
    assert not release.target.exists()
    assert release.runs() == []
    events = [event["event"] for event in release.events()]
    assert events == ["loading", "loaded", "abandoned"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,age,zip,job,note\n", "it has no rows"),
        ("", "cannot be read as CSV"),
        ("name,age,zip,job,note\nNAMEMARK,1\n", "1 row has another number"),
        ("name,age,zip,zip,note\na,1,2,3,4\n", "a column twice: zip"),
    ],
)
def test_a_source_that_is_no_table(release, content, message):
    release.source.write_text(content)
    assert message in release.refusal(DataError)


def test_a_parameter_that_loosens_is_refused_before_anything_is_read(release):
    release.source.write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match="may only tighten"):
        run_release(release.file, parameters={"k_anonymity_k": 2})
    assert release.nothing_written()
