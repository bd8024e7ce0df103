"""``policy:`` in a release file: thresholds join, and rules are judged."""

import json
from dataclasses import dataclass, replace
from typing import ClassVar

import pandas as pd
import pytest
import yaml

from anon_transformers.datasets import load_adult
from anon_transformers.exceptions import ConfigurationError, GateError
from anon_transformers.policies import Citation, ColumnFault, ColumnRule, Policy
from anon_transformers.registry import Catalog, registry
from anon_transformers.release import _policies as joining
from anon_transformers.release import check_release, read_config, run_release
from anon_transformers.release._policies import find_policy, policy_faults

ATTEST = list(find_policy("hipaa-safe-harbor").attestations)
HIERARCHIES = {
    "age": "bundled:adult/age-ranges.csv",
    "sex": "bundled:adult/hierarchies/sex.csv",
    "race": "bundled:adult/hierarchies/race.csv",
}


def policy_of(name, *thresholds, **more):
    cited = (Citation("Rules", "We", 2026, "https://example.org"),)
    words = {"title": "Rules.", "claims": "Rules.", "not_claimed": "More."}
    stated = {"citations": cited, "thresholds": thresholds, **words, **more}
    return Policy(name=name, version="1", **stated)


@pytest.fixture
def offered(monkeypatch):
    """Offer policies beside the registered ones."""

    def offer(*policies):
        catalog = Catalog("policy")
        for policy in policies:
            catalog.add(policy.name, policy, owner="a stranger")
        found = registry()
        monkeypatch.setattr(joining, "registry", lambda: _with_policies(found, catalog))

    return offer


def _with_policies(found, catalog):
    return replace(found, policies=catalog)


@pytest.fixture
def write(tmp_path):
    """Write a release file of Adult with a few columns."""
    adult = load_adult().head(4000)

    def write(*, table=adult, roles=None, **keys):
        table.to_csv(tmp_path / "people.csv", index=False)
        stated = {
            "source": {"path": "people.csv"},
            "roles": roles
            or {
                "quasi_identifiers": ["age", "sex", "race"],
                "sensitive": ["salary-class"],
                "dropped": [
                    c
                    for c in table.columns
                    if c not in {"age", "sex", "race", "salary-class"}
                ],
            },
            "anonymizer": {"name": "mondrian"},
            "hierarchies": HIERARCHIES,
            "target": {"path": "out"},
            **keys,
        }
        file = tmp_path / "people.yaml"
        file.write_text(yaml.safe_dump(stated, sort_keys=False))
        return file

    return write


def asked(file):
    return [(t.id, dict(t.params)) for t in read_config(file).thresholds]


@pytest.mark.parametrize(
    "stated",
    [
        "ontario-15",
        ["ontario-15"],
        {"name": "ontario-15"},
        [{"name": "ontario-15", "version": "1"}],
        {"name": "ontario-15", "version": 1},
        ["ontario-11", "ontario-15"],
        ["ontario-15", "ontario-11", "ema-0070"],
    ],
)
def test_the_thresholds_of_a_policy_are_those_of_the_release(write, stated):
    assert asked(write(policy=stated)) == [("k-anonymity", {"k": 15})]


def test_they_join_those_of_the_file(write):
    file = write(policy="ontario-15", thresholds=[{"metric": "loss", "max": 0.9}])
    assert asked(file) == [("loss", {"max": 0.9}), ("k-anonymity", {"k": 15})]
    file = write(
        policy="ontario-15",
        thresholds=[{"id": "k-anonymity", "metric": "loss", "max": 0.9}],
    )
    assert asked(file)[1] == ("ontario-15-k-anonymity", {"k": 15})


@pytest.mark.parametrize("k", [15, 16, 15.0])
def test_a_file_may_tighten(write, k):
    file = write(policy="ontario-15", thresholds=[{"model": "k-anonymity", "k": k}])
    assert asked(file) == [("k-anonymity", {"k": k})]


@pytest.mark.parametrize("policy", ["ontario-15", ["ontario-11", "ontario-15"]])
def test_a_looser_file_is_refused_with_key_policy_and_bound(write, policy):
    file = write(policy=policy, thresholds=[{"model": "k-anonymity", "k": 14}])
    said = "k=14 is looser than the policy ontario-15, which asks for k=15"
    for read in (read_config, check_release, run_release):
        with pytest.raises(
            ConfigurationError, match=f"thresholds, k-anonymity: {said}"
        ):
            read(file)
    assert not (file.parent / "out").exists()
    assert not (file.parent / ".anon").exists()


def test_one_tight_threshold_does_not_excuse_a_loose_one(write):
    loose = {"model": "k-anonymity", "k": 5, "id": "loose"}
    file = write(
        policy="ontario-15", thresholds=[{"model": "k-anonymity", "k": 20}, loose]
    )
    with pytest.raises(ConfigurationError, match="thresholds, loose: k=5 is looser"):
        read_config(file)


def test_another_scope_leaves_the_policy_in_force(write, offered):
    offered(policy_of("house", {"model": "t-closeness", "t": 0.2}))
    narrow = {"model": "t-closeness", "t": 0.5, "sensitive": "salary-class"}
    assert asked(write(policy="house", thresholds=[narrow])) == [
        ("t-closeness", {"t": 0.5, "sensitive": "salary-class"}),
        ("house-t-closeness", {"t": 0.2}),
    ]
    with pytest.raises(ConfigurationError, match=r"t=0\.3 is looser"):
        read_config(
            write(policy="house", thresholds=[{"model": "t-closeness", "t": 0.3}])
        )


def test_bounds_of_metrics_are_tightened_downwards(write, offered):
    offered(policy_of("house", {"metric": "average-risk", "max": 0.1}))
    low, high = ({"metric": "average-risk", "max": bound} for bound in (0.05, 0.2))
    assert asked(write(policy="house", thresholds=[low])) == [
        ("average-risk", {"max": 0.05})
    ]
    with pytest.raises(ConfigurationError, match=r"max=0.2 is looser.*max=0.1"):
        read_config(write(policy="house", thresholds=[high]))


def test_words_of_a_model_are_asked_of_the_model(write, offered):
    """``alpha`` is no common word: which way asks for more, its class says."""
    k = {"model": "k-anonymity", "k": 2}
    offered(policy_of("house", k, {"model": "alpha-k-anonymity", "k": 2, "alpha": 0.9}))

    def file(alpha):
        stated = {"model": "alpha-k-anonymity", "k": 2, "alpha": alpha, "id": "a"}
        return write(policy="house", thresholds=[k, stated])

    with pytest.raises(ConfigurationError, match=r"alpha=0.95 is looser than"):
        check_release(file(0.95))
    check_release(file(0.85))


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("ontario-12", "unknown policy 'ontario-12'.*'ontario-11'"),
        ({"name": "ontario-15", "version": "2"}, "is installed in version 1"),
        (["ontario-15", "ontario-15"], "named twice"),
        ({"name": "ontario-15", "attest": ["names"]}, "unknown attestation 'names'"),
        ({"name": "ontario-15", "columns": {"age": "age"}}, "unknown kind 'age'"),
        ({"name": "ontario-15", "attests": []}, "did you mean 'attest'"),
        ("hipaa-safe-harbor", r"State attest: \[names, places, dates, numbers"),
        ({"name": "hipaa-safe-harbor", "attest": ATTEST[1:]}, r"attest: \[names\] if"),
        (
            {"name": "hipaa-safe-harbor", "attest": ATTEST, "columns": {"agee": "age"}},
            "columns: unknown column 'agee'",
        ),
        ("wp216", r"gives no number.*\{attack: singling-out, max: …"),
        (7, "policy"),
    ],
)
def test_what_is_wrong_is_said_with_the_choices(write, stated, said):
    file = write(policy=stated, thresholds=[{"model": "k-anonymity", "k": 20}])
    with pytest.raises(ConfigurationError, match=said):
        read_config(file)


def test_a_check_without_a_number_needs_a_bound_of_the_file(write, offered):
    offered(policy_of("house", checks=("average-risk",)))
    k = {"model": "k-anonymity", "k": 2}
    with pytest.raises(ConfigurationError, match=r"gives no number.*metric: average"):
        read_config(write(policy="house", thresholds=[k]))
    stated = [k, {"metric": "average-risk", "max": 0.5}]
    assert len(asked(write(policy="house", thresholds=stated))) == 2


def test_wp216_needs_a_most_and_strangers_for_each_criterion(write, tmp_path):
    """One half is published, the other is held out; the three are judged."""
    adult = load_adult()
    adult.iloc[4000:8000].to_csv(tmp_path / "strangers.csv", index=False)
    criteria = [
        {"attack": name, "max": 0.2, "control": "strangers.csv"}
        for name in ("singling-out", "linkability", "inference")
    ]
    k = {"model": "k-anonymity", "k": 5}
    with pytest.raises(ConfigurationError, match="asks for inference and gives no"):
        read_config(write(policy="wp216", thresholds=[k, *criteria[:2]]))
    without = [{"attack": one["attack"], "max": 0.2} for one in criteria]
    with pytest.raises(ConfigurationError, match="singling-out needs control: FILE"):
        check_release(write(policy="wp216", thresholds=[k, *without]))
    file = write(policy="wp216", thresholds=[k, *criteria])
    run_release(file)
    folder = file.parent / "out" / "current"
    manifest = json.loads((folder / "manifest.json").read_text())
    judged = [c for c in manifest["measured"]["checks"] if c["kind"] == "attack"]
    assert [(c["name"], c["passed"]) for c in judged] == [
        (one["attack"], True) for one in criteria
    ]
    assert not any({"observed", "failing"} & set(check) for check in judged)


def test_adult_by_ema_0070(write):
    file = write(policy="ema-0070")
    published = run_release(file)
    folder = file.parent / "out" / "current"
    table = pd.read_csv(folder / "data.csv", dtype=str)
    assert table.groupby(["age", "sex", "race"]).size().min() >= 11
    manifest = json.loads((folder / "manifest.json").read_text())
    (policy,) = manifest["policies"]
    assert (policy["name"], policy["version"]) == ("ema-0070", "1")
    assert "claims no compliance" in policy["note"]
    (threshold,) = manifest["promised"]["in_force"]
    assert threshold == {"id": "k-anonymity", "model": "k-anonymity", "k": 11}
    page = (folder / "validation.html").read_text()
    assert "ema-0070, version 1" in page
    assert "EMA/90915/2016" in page
    assert "claims no compliance" in page
    assert published


def test_a_trigger_tightens_what_the_policy_asks_for(write):
    file = write(policy="ema-0070")
    with pytest.raises(ConfigurationError, match="would loosen"):
        run_release(file, parameters={"k_anonymity_k": 10})
    run_release(file, parameters={"k_anonymity_k": 30})
    manifest = json.loads((file.parent / "out/current/manifest.json").read_text())
    assert manifest["promised"]["in_force"][0]["k"] == 30


def hipaa(**more):
    return {"name": "hipaa-safe-harbor", "attest": ATTEST, **more}


@pytest.fixture
def oldest(write):
    """A release of the oldest of Adult; at the first level, they are one group."""

    def file(k):
        made = write(
            table=load_adult().sort_values("age").tail(1000),
            policy=hipaa(),
            thresholds=[{"model": "k-anonymity", "k": k}],
            anonymizer={"name": "full-domain", "suppression_limit": 0.1},
            hierarchies=HIERARCHIES | {"age": "ages.csv"},
        )
        tens = {age: age // 10 * 10 for age in range(17, 90)}
        lines = [f"{age};[{ten}, {ten + 9}];*" for age, ten in tens.items()]
        (made.parent / "ages.csv").write_text("\n".join([*lines, "90;>= 90;*", ""]))
        return made

    return file


def test_adult_breaks_safe_harbor_where_ages_are_as_they_were(oldest):
    file = oldest(2)
    said = r"policy hipaa-safe-harbor, ages-over-89: column 'age', 34 rows"
    with pytest.raises(GateError, match=said):
        run_release(file)
    assert not (file.parent / "out" / "current").exists()
    (verdict,) = (file.parent / ".anon").rglob("quarantine/*/verdict.json")
    assert "ages-over-89" in verdict.read_text()


def test_adult_passes_safe_harbor_with_one_group_of_the_oldest(oldest):
    folder = oldest(5).parent / "out" / "current"
    run_release(folder.parents[1] / "people.yaml")
    ages = pd.read_csv(folder / "data.csv", dtype=str)["age"]
    assert (ages == ">= 90").sum() == 28
    assert not (ages == "90").any()
    (policy,) = json.loads((folder / "manifest.json").read_text())["policies"]
    assert policy["attested"] == ATTEST
    assert "no-actual-knowledge" in (folder / "validation.html").read_text()


def test_a_published_zip_code_is_refused_by_column_and_rows(write):
    table = pd.DataFrame(
        {
            "zip": ["12345"] * 10 + ["03601"] * 10,
            "sex": ["f", "m"] * 10,
            "ill": ["a", "b", "c", "d"] * 5,
        }
    )
    roles = {"quasi_identifiers": ["zip", "sex"], "sensitive": ["ill"]}
    file = write(
        table=table,
        roles=roles,
        policy=hipaa(),
        thresholds=[{"model": "k-anonymity", "k": 2}],
        source={"path": "people.csv", "columns": {"zip": "text"}},
        anonymizer={"name": "full-domain"},
        hierarchies={"zip": {"kind": "masking"}, "sex": {"kind": "masking"}},
    )
    with pytest.raises(GateError, match=r"three-digit-zips: column 'zip', 20 rows"):
        run_release(file)


@dataclass(frozen=True)
class Blabbing(ColumnRule):
    """A stranger's rule that quotes what it sees."""

    name: ClassVar[str] = "blabbing"
    sentence: ClassVar[str] = "Nothing."

    def faults(self, cells):
        first = next(iter(cells.texts("sex")))[0]
        return [ColumnFault("sex", 3, first), ColumnFault(first, first, "secret")]


def test_a_rule_of_a_stranger_quotes_no_cell(write, offered):
    offered(policy_of("house", rules=(Blabbing(),)))
    config = read_config(
        write(policy="house", thresholds=[{"model": "k-anonymity", "k": 2}])
    )
    told = policy_faults(config, [pd.DataFrame({"sex": ["Zoe"]})], "*")
    assert told == [
        "policy house, blabbing: column 'sex', 3 rows: it breaks the rule",
        "policy house, blabbing: a column, some rows: it breaks the rule",
    ]
