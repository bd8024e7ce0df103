"""The published experiments on three graphs, run again."""

import gzip
import json
from pathlib import Path

import networkx as nx
import pytest

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.experiments import NOT_RUN, Experiment, write_findings
from anon_transformers_graphs.experiments import GraphExperiment
from anon_transformers_graphs.experiments._experiment import read_source_numbers
from anon_transformers_graphs.experiments._worked_examples import worked_numbers

DATA = Path(__file__).parents[3] / "tests" / "data"
RANDOM = ("random-perturbation", "random-switch")


@pytest.fixture(scope="module")
def printed():
    text = (DATA / "vectors" / "graphs_tables.json").read_text(encoding="utf-8")
    found = json.loads(text)
    return {table["id"]: table for table in found["tables"] + found["prose_tables"]}


@pytest.fixture(scope="module")
def quick():
    """Karate as it comes with networkx, few runs."""
    return GraphExperiment(quick=True).run()


def of(findings, **wanted):
    found = findings.numbers
    for name, value in wanted.items():
        found = found[found[name].eq(value)]
    return found


def stored(**wanted):
    return [
        number
        for number in read_source_numbers()["numbers"]
        if all(number[name] == value for name, value in wanted.items())
    ]


@pytest.mark.parametrize(
    ("table", "measures"),
    [
        ("4.1", ["edges modified", "% of the edges"]),
        ("4.2", ["average distance", "diameter"]),
        ("4.3", ["edges modified", "% of the edges"]),
        ("4.4", ["average distance", "diameter"]),
        ("4.5", ["edges modified", "% of the edges"]),
    ],
)
def test_stored_tables_are_what_was_printed(printed, table, measures):
    for row in printed[table]["rows"]:
        for measure, value in zip(measures, row[1:], strict=True):
            whole = row[0] == "original"
            k, name = None if whole else row[0], measure + " of the original" * whole
            (number,) = stored(where=f"Table {table}", measure=name, k=k)
            assert number["published"] == value
            assert number["data_set"] == printed[table]["dataset"]


@pytest.mark.parametrize("table", ["P2", "P3"])
def test_stored_counts_are_what_was_printed(printed, table):
    for k, graphs, _ in printed[table]["rows"]:
        name = printed[table]["dataset"]
        (number,) = [
            n
            for n in stored(data_set=name, method="random-perturbation")
            if n["measure"].startswith(f"graphs with k={k}, of ")
        ]
        assert number["published"] == graphs


def test_stored_properties_are_what_was_printed(printed):
    measures = ["nodes", "edges", "average degree", "average distance", "diameter"]
    for name, *row in printed["P1"]["rows"]:
        for measure, value in zip(measures, row, strict=False):
            (number,) = [
                n for n in stored(data_set=name, measure=measure) if not n["method"]
            ]
            assert number["published"] == value


def test_every_statement_of_the_text_is_stored(printed):
    claims = read_source_numbers()["claims"]
    for name, algorithm, method, _, _ in printed["P6"]["rows"]:
        column = "Jaccard " + algorithm.replace(" I=1.4", "")
        methods = [method.lower().replace(" ", "-")] if method != "both" else RANDOM
        found = {c["method"] for c in claims if c["data_set"] == name
                 and c["column"] == column}  # fmt: skip
        assert found >= set(methods), (name, column)


def test_every_reason_is_given_and_used():
    known = read_source_numbers()
    entries = known["numbers"] + known["claims"] + known["guidance"]
    used = {entry["reason"] for entry in entries if "reason" in entry}
    assert used == set(known["reasons"])


def test_all_errata_are_listed(quick):
    errata = of(quick, where="errata")
    calls = {int(text.split(":")[0].split()[1]) for text in errata["measure"]}
    # 18 is a number of section 2.2.2.
    assert calls == set(range(1, 22)) - {18}
    run = errata[errata["equal"].notna()]
    assert run["equal"].eq(False).all()
    assert run["reason"].ne("").all()
    assert run["ours"].tolist() == pytest.approx(run["recomputed"].tolist())
    assert (run["published"].map(str) != run["ours"].map(str)).all()
    (enron,) = of(quick, data_set="Enron", measure="average degree").to_dict("records")
    assert enron["reason"].startswith("2 * 287 / 111")


def test_what_cannot_be_computed_is_stated_and_not_counted(quick):
    stated = of(quick, ours="stated")
    assert stated["measure"].str.extract(r"erratum (\d+)")[0].tolist() == [
        "1", "6", "16",
    ]  # fmt: skip
    assert stated["equal"].isna().all()
    assert stated["reason"].ne("").all()
    assert stated["reason"].ne(NOT_RUN).all()
    assert set(stated.index) <= set(quick.not_run.index)


def test_errata_are_worked_out_of_what_was_printed():
    vectors = json.loads((DATA / "vectors" / "graphs.json").read_text("utf-8"))
    matrices = {v["name"]: v["reported"] for v in vectors["vectors"]
                if v["name"].startswith("fig_2_4")}  # fmt: skip
    known = read_source_numbers()
    figure = known["examples"]["figure 2.4"]
    assert figure["adjacency"] == matrices["fig_2_4_adjacency_matrix"]["A"]
    assert figure["incidence"] == matrices["fig_2_4_incidence_matrix"]["B"]
    assert errata_of(known) == ["2 to 3", 100 * 96 / 115, 100 * 35 / 613, 3]
    figure["adjacency"][4][2] = 1
    known["data_sets"]["football"] |= {"nodes": 192, "edges": 350}
    for number in known["numbers"]:
        if number["measure"] == "graphs with k=3, of 2,000":
            number["published"] = 0
    assert errata_of(known) == ["2 to 3, 5 to 3", 50, 10, 2]


def errata_of(known):
    found = worked_numbers(known)
    names = known["examples"]["errata"]
    return [found["", "", None, names[at]] for at in ("13", "15", "19", "20")]


def test_karate_is_the_graph_of_the_source(quick):
    found = of(quick, data_set="karate", method="")
    assert len(found) == 15
    assert found["equal"].eq(True).all(), found[found["equal"].ne(True)]


def test_clusters_are_those_of_the_source(quick):
    (sizes,) = of(quick, data_set="karate", method="MCL I=1.8",
                  measure="cluster sizes").to_dict("records")  # fmt: skip
    assert (sizes["ours"], sizes["equal"]) == ("18, 16", True)
    (base,) = of(quick, data_set="karate",
                 measure="single-cluster Jaccard").to_dict("records")  # fmt: skip
    assert base["ours"] == pytest.approx(18 / 34)
    assert "cut off" in base["reason"]


def test_few_edges_change_for_k_degree_anonymity(quick):
    found = of(quick, where="Table 4.1", measure="edges modified").set_index("k")
    assert (found["ours"] < found["published"]).all()
    assert found["recomputed"].to_dict() == {2: 3, 3: 6, 4: 10, 5: 10}
    assert (found["ours"] <= found["recomputed"]).all()
    assert found["reason"].str.contains("converge").all()
    least = of(quick, measure="least change of degrees", data_set="karate")
    assert len(least) == 18
    assert least["equal"].eq(True).all()


def test_tables_show_the_construction_of_the_source(quick):
    runs = quick.runs[quick.runs["method"] == "k-degree"].set_index("k")
    other = quick.runs[quick.runs["method"] == "k-degree, endpoint moves"]
    found = of(quick, where="Table 4.2", measure="average distance").set_index("k")
    assert found["ours"].tolist() == pytest.approx(runs["average distance"].tolist())
    assert other["average distance"].tolist() != runs["average distance"].tolist()


def test_small_examples_come_out(quick):
    for name in ("figure 2.6", "figure 3.1", "case 1", "two clusterings", "K5"):
        found = of(quick, data_set=name)
        assert len(found)
        assert found["equal"].eq(True).all(), found[found["equal"].ne(True)]


def test_random_switch_never_changes_a_degree(quick):
    (found,) = of(
        quick, data_set="karate", measure="graphs with another k, of 2,000"
    ).to_dict("records")
    assert (found["ours"], found["equal"]) == (0, True)
    runs = quick.runs[quick.runs["method"] == "random-switch"]
    assert runs["degrees kept"].eq(1).all()


def test_every_difference_has_a_reason(quick):
    assert quick.unexplained.empty, quick.unexplained


def test_what_was_left_out_is_noted(quick):
    for name in ("football", "jazz"):
        assert of(quick, data_set=name)["reason"].eq(NOT_RUN).all()
        assert any(note.startswith(f"{name} was not run") for note in quick.notes)
    assert any("--quick" in note for note in quick.notes)
    claims = of(quick, data_set="karate", measure="Jaccard MCL, lowest, p 1-9 %")
    assert claims["equal"].isna().all()


def test_graphs_that_are_not_connected_are_noted(quick):
    runs = quick.runs[quick.runs["method"] == "random-perturbation"]
    lost, made = runs["disconnected"].sum(), runs["runs"].sum()
    message = f"{lost:,} of {made:,} by random-perturbation"
    assert any(message in note for note in quick.notes)


def test_pages_can_be_written(quick, tmp_path):
    pytest.importorskip("matplotlib", reason="the plots extra")
    written = {file.name for file in write_findings(quick, tmp_path, "graphs")}
    assert {"graphs.html", "graphs.csv", "graphs-runs.csv", "karate-random.png",
            "karate-k-degree.png", "karate-degrees.png",
            "karate-centralities.png"} == written  # fmt: skip


def figure(findings, name):
    (found,) = [panels for panels in findings.figures if panels.name == name]
    return found


def test_plots_begin_with_the_graph_as_it_is(quick):
    panels = figure(quick, "karate-random")
    club = nx.karate_club_graph()
    for method in RANDOM:
        line = panels.data[panels.data["line"] == method]
        (first,) = line[line["x"] == 0].to_dict("records")
        assert first["average distance"] == nx.average_shortest_path_length(club)
        assert first["diameter"] == nx.diameter(club)
        assert first["Jaccard MCL"] == first["Jaccard RRW"] == 1
        for name in ("betweenness", "closeness", "degree centrality"):
            assert first[f"error of {name}"] == 0
            assert f"error of {name}" in panels.measures
    switched = panels.data[panels.data["line"] == "random-switch"]
    assert switched["error of degree centrality"].eq(0).all()
    assert switched.loc[switched["x"] > 0, "error of betweenness"].gt(0).all()


@pytest.mark.parametrize("name", ["karate-random", "karate-k-degree"])
def test_plots_have_base_lines(quick, name):
    data = figure(quick, name).data
    before = data[data["line"] == "original"]
    assert before["diameter"].eq(5).all() and before["Jaccard MCL"].isna().all()
    single = data[data["line"] == "one cluster of all nodes"]
    assert single["Jaccard MCL"].tolist() == pytest.approx([18 / 34] * len(single))
    assert single["diameter"].isna().all()
    for line in (before, single):
        assert set(line["x"]) == set(data["x"])


def test_degrees_and_centralities_are_drawn_before_and_after(quick):
    club = nx.karate_club_graph()
    degrees = figure(quick, "karate-degrees")
    assert list(degrees.measures) == ["p 3 %", "p 20 %", "k 2", "k 5"]
    lines = {line: part.set_index("x") for line, part in degrees.data.groupby("line")}
    histogram = nx.degree_histogram(club)
    for what in degrees.measures:
        assert lines["original"][what].tolist()[: len(histogram)] == histogram
    # A switch changes no degree, and everything else keeps the nodes.
    assert lines["random-switch"]["p 20 %"].tolist()[: len(histogram)] == histogram
    assert lines["random-perturbation"]["p 20 %"].sum() == pytest.approx(34)
    shared = lines["k-degree"]["k 5"]
    assert shared[shared > 0].min() >= 5
    nodes = figure(quick, "karate-centralities")
    assert len(nodes.measures) == 12
    before = nodes.data[nodes.data["line"] == "original"].set_index("x")
    for name, slow in {
        "betweenness": nx.betweenness_centrality(club),
        "closeness": nx.closeness_centrality(club),
        "degree centrality": nx.degree_centrality(club),
    }.items():
        assert before[f"k 2, {name}"].to_dict() == pytest.approx(slow)


def test_progress_counts_all_runs():
    calls = []
    made = GraphExperiment(quick=True, runs=1)
    assert isinstance(made, Experiment)
    made.run(lambda *now: calls.append(now))
    done, totals, _ = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert set(totals) == {12}
    assert calls[-1] == (12, 12, "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 2\n2 3\n", "has 3 nodes and 2 edges, not 34 and 78"),
        (None, "cannot be read as pairs of names"),
    ],
)
def test_another_graph_is_refused(tmp_path, content, message):
    file = tmp_path / "karate.edges.gz"
    if content is None:
        file.write_bytes(b"no gzip")
    else:
        file.write_bytes(gzip.compress(content.encode()))
    with pytest.raises(DataError, match=message):
        GraphExperiment(data=tmp_path, quick=True).run()


@pytest.mark.parametrize(
    ("given", "error"), [({"runs": 0}, ParameterError), ({"data": "no"}, DataError)]
)
def test_options_are_checked_before_the_run(given, error):
    with pytest.raises(error):
        GraphExperiment(**given)


@pytest.mark.slow
def test_the_whole_experiment_leaves_no_difference_without_a_reason():
    found = GraphExperiment(data=DATA / "graphs", runs=10).run()
    assert found.unexplained.empty, found.unexplained
    assert of(found, where="recomputed")["equal"].ne(False).all()
