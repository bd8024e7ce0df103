"""Releases of swapped tables: judged on links that no reader ever sees."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import (
    ConfigurationError,
    GateError,
    InfeasibleError,
    ReleaseError,
)
from anon_transformers.gx._judging import PrivateEvidence
from anon_transformers.gx.gate import Threshold, run_gate
from anon_transformers.release import anonymize, load, publish, read_published, validate
from anon_transformers.release._run import Run
from anon_transformers.release._table_evidence import LINKS

CENSUS = Path(__file__).parents[1] / "data" / "casc_census.csv"
KNOWN = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX"]
WANTED = ["TAXINC", "POTHVAL", "INTVAL"]
SWAPPED = {"model": "probabilistic-k-anonymity", "k": 5}


@pytest.fixture
def swapped(release):
    """Census with three sensitive columns that are swapped."""
    table = pd.read_csv(CENSUS)[[*KNOWN, *WANTED]]
    table.insert(0, "name", [f"NAMEMARK{number}" for number in range(len(table))])
    table.to_csv(release.source, index=False)
    release.write(
        roles={
            "quasi_identifiers": KNOWN,
            "sensitive": WANTED,
            "identifiers": ["name"],
        },
        anonymizer={"name": "group-swap"},
        thresholds=[SWAPPED, {"metric": "correlation-difference", "max": 0.2}],
    )
    return release


def test_a_swapped_table_is_judged_and_published(swapped):
    folder = publish(validate(anonymize(load(swapped.file))))
    table, source = read_published(folder, labels="text"), pd.read_csv(swapped.source)
    for name in (*KNOWN, *WANTED):
        assert sorted(table[name]) == sorted(source[name])
    checks = {c["name"]: c for c in swapped.manifest()["measured"]["checks"]}
    assert checks["probabilistic-k-anonymity"]["passed"]
    assert checks["correlation-difference"]["passed"]
    # Both compare with the original, which nobody else has.
    assert not any("observed" in check for check in checks.values())


def test_the_manifest_says_what_the_guarantee_is_not(swapped):
    publish(validate(anonymize(load(swapped.file))))
    note = swapped.manifest()["note"]
    assert "how well a record is traced, and not how well its values are" in note


def test_links_are_private_and_gone_after_publication(swapped):
    location = anonymize(load(swapped.file))
    file = Run(location).path("candidate") / LINKS
    links = pd.read_parquet(file)
    assert sorted(links["row"]) == list(range(1080))
    publish(validate(location))
    assert not file.exists()
    seen = swapped.public_bytes()
    assert not [name for name in seen if "links" in name]
    assert not [name for name, content in seen.items() if b"NAMEMARK" in content]


def test_links_tell_where_every_cell_came_from(swapped):
    location = anonymize(load(swapped.file))
    run = Run(location)
    noted = json.loads((run.path("candidate") / "candidate.json").read_text())
    links = pd.read_parquet(run.path("candidate") / LINKS)
    source = pd.read_csv(swapped.source)
    table = pd.read_csv(run.path("candidate") / noted["data"])
    assert noted["moved"] == [[name] for name in WANTED]
    for name in KNOWN:
        assert (table[name].to_numpy() == source[name].to_numpy()[links["row"]]).all()
    for at, (name,) in enumerate(noted["moved"]):
        cells = source[name].to_numpy()[links[f"source {at}"]]
        assert (table[name].to_numpy() == cells).all()
        assert links.groupby(f"group {at}").size().min() >= 5


def test_links_that_changed_are_refused(swapped):
    location = anonymize(load(swapped.file))
    file = Run(location).path("candidate") / LINKS
    links = pd.read_parquet(file)
    links.assign(row=links["row"].to_numpy()[::-1]).to_parquet(file)
    with pytest.raises(ReleaseError, match="evidence of links changed"):
        validate(location)


def test_other_methods_note_the_row_of_the_source_and_no_groups(swapped):
    of_means(swapped)
    location = anonymize(load(swapped.file))
    links = pd.read_parquet(Run(location).path("candidate") / LINKS)
    assert list(links.columns) == ["row"]
    publish(validate(location))
    assert not list(swapped.home.rglob(LINKS))


def of_means(release, *thresholds, **changes):
    """The same table by means of groups; its sensitive numbers stay as they are."""
    roles = {**release.content["roles"], "accept_unique": WANTED}
    release.write(
        roles=roles,
        anonymizer={"name": "mdav"},
        thresholds=[{"model": "k-anonymity", "k": 5}, *thresholds],
        **changes,
    )


def test_a_quarantined_candidate_leaves_no_links(swapped):
    strict = {**SWAPPED, "max_value_disclosure": 0.0}
    swapped.write(thresholds=[strict])
    location = anonymize(load(swapped.file))
    with pytest.raises(GateError, match="probabilistic-k-anonymity"):
        validate(location)
    assert not list(swapped.home.rglob(LINKS))
    assert not list(swapped.home.rglob("input.parquet"))


def test_groups_that_are_too_small_do_not_pass(swapped):
    swapped.write(anonymizer={"name": "group-swap", "k": 3})
    with pytest.raises(GateError, match=r"the level is 3.*groups fail"):
        validate(anonymize(load(swapped.file)))


@pytest.mark.parametrize("where", ["thresholds", "anonymizer", "parameters"])
def test_too_few_groups_to_be_judged_are_refused_before_the_swap(swapped, where):
    tighter = {"probabilistic_k_anonymity_k": 22} if where == "parameters" else None
    if where == "thresholds":
        swapped.write(thresholds=[{**SWAPPED, "k": 22}])
    if where == "anonymizer":
        swapped.write(anonymizer={"name": "group-swap", "k": 22})
    message = (
        "1080 rows make at most 49 groups of k=22, and 50 .* lower k to 21 or less"
    )
    with pytest.raises(InfeasibleError, match=message):
        load(swapped.file, None, tighter)
    assert swapped.nothing_written()


def test_the_largest_k_that_can_be_judged_is_not_refused(swapped):
    pd.read_csv(swapped.source).head(50 * 21).to_csv(swapped.source, index=False)
    swapped.write(thresholds=[{**SWAPPED, "k": 21}])
    assert load(swapped.file)


def test_few_rows_are_refused_for_swaps_alone(swapped):
    pd.read_csv(swapped.source).head(40).to_csv(swapped.source, index=False)
    of_means(swapped)
    assert publish(validate(anonymize(load(swapped.file))))


def test_too_few_groups_of_different_cells_are_undecidable_and_fail(swapped):
    """Groups of equal cells tell nothing: rows enough are not groups enough."""
    table = pd.read_csv(swapped.source)
    alike = table.assign(INTVAL=np.where(table.index < 100, table["INTVAL"], 7))
    alike.to_csv(swapped.source, index=False)
    ranked = {"name": "group-swap", "grouping": "individual-ranking"}
    swapped.write(anonymizer=ranked, thresholds=[SWAPPED])
    with pytest.raises(GateError, match=r"undecidable .* groups .* Lower k"):
        validate(anonymize(load(swapped.file)))


@pytest.mark.parametrize(
    "thresholds",
    [
        [{"model": "k-anonymity", "k": 5}],
        [{"model": "distinct-l-diversity", "l": 2, "sensitive": WANTED[0]}],
        [{"model": "k-anonymity", "k": 1}, {"metric": "loss", "max": 1}],
    ],
    ids=["k-anonymity", "l-diversity", "k=1"],
)
def test_swaps_need_the_model_that_judges_swaps(swapped, thresholds):
    swapped.write(anonymizer={"name": "group-swap", "k": 1}, thresholds=thresholds)
    message = swapped.refusal()
    assert "group-swap swaps cells, and none of" in message
    assert message.endswith("add {model: probabilistic-k-anonymity, k: …}.")


def test_a_stated_k_of_one_is_judged_beside_another_promise_only(swapped):
    nothing = {**SWAPPED, "k": 1}
    swapped.write(thresholds=[nothing, {"model": "k-anonymity", "k": 1}])
    assert "k=1, k=1 promise nothing" in swapped.refusal()
    swapped.write(thresholds=[{**nothing, "max_value_disclosure": 1.0}])
    assert "max_value_disclosure=1 promise nothing" in swapped.refusal()
    swapped.write(thresholds=[{**nothing, "max_value_disclosure": 0.99}])
    assert "max_value_disclosure=0.99 promise nothing" in swapped.refusal()
    diverse = {"model": "distinct-l-diversity", "l": 2, "sensitive": WANTED[0]}
    swapped.write(
        anonymizer={"name": "group-swap", "k": 1, "models": []},
        thresholds=[{**nothing, "max_value_disclosure": 0.99}, diverse],
    )
    with pytest.raises(GateError, match="max_value_disclosure is 1"):
        validate(anonymize(load(swapped.file)))


def test_another_anonymizer_has_no_groups_to_judge(swapped):
    of_means(swapped)
    swapped.write(thresholds=[SWAPPED], anonymizer={"name": "mdav", "k": 5})
    with pytest.raises(GateError, match="probabilistic-k-anonymity"):
        validate(anonymize(load(swapped.file)))


def test_a_limit_that_is_broken_is_named(swapped):
    swapped.write(thresholds=[{**SWAPPED, "max_value_disclosure": 0.0}])
    with pytest.raises(GateError, match="max_value_disclosure is 0"):
        validate(anonymize(load(swapped.file)))


def test_what_is_published_tells_nothing_of_the_permutation(swapped):
    publish(validate(anonymize(load(swapped.file))))
    content = swapped.public_bytes()
    for name in content:
        if name.endswith((".json", ".html")):
            assert b"p_value" not in content[name]
            text = content[name].replace(b"expected_hits", b"")
            assert b"hits" not in text.replace(b"expected hits", b"")
    measured = swapped.manifest()["measured"]
    assert set(measured) == {"checks", "rows"}
    for check in measured["checks"]:
        assert not {"observed", "units", "failing", "details"} & set(check)


def test_the_report_says_what_the_guarantee_is_not(swapped):
    folder = publish(validate(anonymize(load(swapped.file))))
    page = Path(folder, "validation.html").read_text()
    assert "how well a record is traced, and not how well its values" in page
    assert "not published" in page


def test_the_sentence_names_no_combination(swapped):
    publish(validate(anonymize(load(swapped.file))))
    sentences = [
        check["sentence"] for check in swapped.manifest()["measured"]["checks"]
    ]
    assert sentences == [
        "No cell may be traced to the right person with a probability above 1/5; "
        "sensitive: TAXINC, POTHVAL, INTVAL.",
        "correlation-difference must be at most 0.2.",
    ]


def test_links_are_kept_by_the_release_alone(swapped):
    swapped.write(anonymizer={"name": "group-swap", "keep_links": False})
    with pytest.raises(ConfigurationError, match="keep_links"):
        load(swapped.file)


def test_values_that_all_share_are_disclosed_by_any_swap(swapped):
    table = pd.read_csv(swapped.source).assign(INTVAL=7)
    table.to_csv(swapped.source, index=False)
    swapped.write(
        roles={
            "quasi_identifiers": ["AGI"],
            "sensitive": ["INTVAL"],
            "identifiers": ["name", *KNOWN[:1], *KNOWN[2:], *WANTED[:2]],
            "rows_are_persons": True,
        },
        anonymizer={"name": "group-swap", "scenario": "uninformed"},
        thresholds=[{**SWAPPED, "max_value_disclosure": 0.25}],
    )
    with pytest.raises(GateError, match="max_value_disclosure is 1"):
        validate(anonymize(load(swapped.file)))


def test_a_limit_that_cannot_be_evaluated_fails(swapped):
    table = pd.read_csv(swapped.source)
    table["TAXINC"] = table["TAXINC"].where(table.index > 0)
    table.to_csv(swapped.source, index=False)
    swapped.write(thresholds=[{**SWAPPED, "max_excess_risk": 0.0}])
    with pytest.raises(GateError, match=r"max_excess_risk|cannot"):
        validate(anonymize(load(swapped.file)))


def test_a_seed_is_refused(swapped):
    swapped.write(anonymizer={"name": "group-swap", "random_state": 1})
    with pytest.raises(ConfigurationError, match=r"random_state.*rows, and swaps, are"):
        load(swapped.file)


def test_two_runs_swap_differently(swapped):
    tables = []
    for _ in range(2):
        location = anonymize(load(swapped.file))
        links = pd.read_parquet(Run(location).path("candidate") / LINKS)
        tables.append(links.sort_values("row")["source 0"].to_numpy())
    assert (tables[0] != tables[1]).any()


def test_microaggregation_is_released_with_quality_thresholds(swapped):
    of_means(swapped, {"metric": "squared-error-share", "max": 0.2})
    folder = publish(validate(anonymize(load(swapped.file))))
    assert read_published(folder, labels="text").groupby(KNOWN).size().min() >= 5
    checks = {c["name"]: c for c in swapped.manifest()["measured"]["checks"]}
    assert checks["squared-error-share"]["passed"]
    assert "observed" not in checks["squared-error-share"]
    of_means(swapped, {"metric": "squared-error-share", "max": 1e-6})
    with pytest.raises(GateError, match="squared-error-share"):
        validate(anonymize(load(swapped.file)))


def test_the_gate_cannot_judge_links_it_was_not_given():
    table = pd.DataFrame({"age": np.arange(100), "pay": np.arange(100)})
    wanted = [Threshold("p", "model", "probabilistic-k-anonymity", {"k": 2})]
    result = run_gate(table, thresholds=wanted, quasi_identifiers=["age"])
    assert not result.passed
    assert "private evidence" in result.reasons[0]
    assert "groups and links" in result.reasons[0]


def test_the_gate_fails_a_table_that_was_not_swapped():
    table = pd.DataFrame({"age": np.arange(400), "pay": np.arange(400) % 7})
    groups = {("pay",): np.arange(400) // 4}
    wanted = [Threshold("p", "model", "probabilistic-k-anonymity", {"k": 4})]
    result = run_gate(
        table,
        thresholds=wanted,
        quasi_identifiers=["age"],
        evidence=PrivateEvidence(
            original=table, groups=groups, sources={("pay",): np.arange(400)}
        ),
    )
    assert not result.passed
    assert result.checks[0].observed == 1
