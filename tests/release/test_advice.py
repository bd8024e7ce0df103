"""What is said of a release that is refused is true: counted, tried, and no cell."""

import json
import subprocess
import sys

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    GateError,
    InfeasibleError,
    ParameterError,
)
from anon_transformers.release import advise, load, run_release
from anon_transformers.release._run import Journal
from anon_transformers.release._settings import Approach, Bisection

pytestmark = pytest.mark.gx

CELLS = {"zip": "ZIPMARK", "town": "TOWNMARK", "ward": "WARDMARK", "job": "JOBMARK"}
TREES = {
    "zip": ["ZIPMARK-a", "ZIPMARK-b", "ZIPMARK-c"],
    "town": ["TOWNMARK-n", "TOWNMARK-s", "TOWNMARK-w"],
    "ward": [f"WARDMARK-{number}" for number in range(10)],
}
COMBINATIONS = [
    # zip, town, ward, how many rows
    *[("a", "n", w, 3) for w in range(4)],
    *[("b", "s", w, 3) for w in range(4, 8)],
    ("c", "s", 8, 1),
    ("c", "n", 9, 1),
]
K = 3


def table():
    rows = []
    for zip_, town, ward, count in COMBINATIONS:
        for _ in range(count):
            job = "xyz"[len(rows) % 3]
            rows.append(
                {
                    "who": f"p{len(rows)}",
                    "zip": f"{CELLS['zip']}-{zip_}",
                    "town": f"{CELLS['town']}-{town}",
                    "ward": f"{CELLS['ward']}-{ward}",
                    "job": f"{CELLS['job']}-{job}",
                }
            )
    return pd.DataFrame(rows)


@pytest.fixture
def refused(release):
    """Nothing may be suppressed, and two rows are alone at every level that shows."""
    table().to_csv(release.source, index=False)
    for name, values in TREES.items():
        text = "".join(f"{value};*\n" for value in values)
        (release.folder / f"{name}.csv").write_text(text)
    release.write(
        roles={
            "quasi_identifiers": ["zip", "town", "ward"],
            "sensitive": ["job"],
            "identifiers": ["who"],
        },
        hierarchies={name: f"{name}.csv" for name in TREES},
        anonymizer={"name": "full-domain", "levels": {"ward": 1}},
        thresholds=[{"model": "k-anonymity", "k": K}],
    )
    return release


@pytest.fixture
def apart(refused):
    """Two rows stay apart in every column; levels are free, and it does not help."""
    frame = table()
    frame.loc[frame["zip"] == "ZIPMARK-c", "town"] = "TOWNMARK-w"
    frame.to_csv(refused.source, index=False)
    refused.write(anonymizer={"name": "full-domain"})
    return refused


def violating(frame, columns, k, subject=None):
    """Rows, or persons who have one, in classes of fewer than k, the plain way."""
    groups = frame.groupby(columns)
    if subject is None:
        return int((groups[columns[0]].transform("size") < k).sum())
    small = groups[subject].transform("nunique") < k
    return int(frame.loc[small, subject].nunique())


def gap_of(advice, id_="k-anonymity"):
    return next(gap for gap in advice.gaps if gap.id == id_)


# ------------------------------------------------------------------- how far, why


def test_rows_to_go_and_leave_one_out_are_those_of_groupby(refused):
    frame, names = table(), ["zip", "town", "ward"]
    gap = gap_of(advise(refused.file))
    assert (gap.of, gap.holds, gap.reached, gap.off) == ("source", False, 1, K - 1)
    here = violating(frame, names, K)
    assert (gap.rows_to_go, gap.persons_to_go, here) == (here, None, 2)
    assert gap.failing == int((frame.groupby(names).size() < K).sum())
    for effect in gap.columns:
        left = [name for name in names if name != effect.column]
        assert effect.to_go == violating(frame, left, K)
        assert effect.gain == here - effect.to_go
        assert effect.reached == frame.groupby(left).size().min()
    assert [effect.gain for effect in gap.columns] == sorted(
        (effect.gain for effect in gap.columns), reverse=True
    )
    assert {effect.column for effect in gap.columns} == set(names)


def test_columns_that_cause_it_come_first(refused):
    frame = table()
    frame["zip"] = "ZIPMARK-a"  # nothing is gained without it
    frame["town"] = "TOWNMARK-n"
    frame.to_csv(refused.source, index=False)
    refused.write(anonymizer={"name": "full-domain", "levels": {}})
    gap = gap_of(advise(refused.file, seconds=1e-9))
    assert (gap.columns[0].column, gap.columns[0].gain) == ("ward", 2)
    assert {e.gain for e in gap.columns[1:]} == {0}


def test_persons_are_counted_where_they_are_known(refused):
    frame = table()
    # Three rows of one person are one person.
    frame["who"] = [f"p{number // 3}" for number in range(len(frame))]
    frame.to_csv(refused.source, index=False)
    roles = {**refused.content["roles"], "identifiers": [], "subject": "who"}
    refused.write(roles=roles)
    advice = advise(refused.file)
    gap, names = gap_of(advice), ["zip", "town", "ward"]
    assert advice.persons == frame["who"].nunique()
    assert gap.persons_to_go == violating(frame, names, K, "who") == 9
    assert gap.rows_to_go == len(frame)
    for effect in gap.columns:
        left = [name for name in names if name != effect.column]
        assert effect.to_go == violating(frame, left, K, "who")
    for setting in advice.settings:
        assert setting.suppressed_persons is not None


def test_a_candidate_that_the_gate_refuses_is_what_is_judged(refused):
    refused.write(
        anonymizer={"name": "full-domain", "suppression_limit": 0.2},
        thresholds=[
            {"model": "k-anonymity", "k": K},
            {"metric": "average-risk", "max": 0.01},
        ],
    )
    with pytest.raises(GateError):
        run_release(refused.file)
    advice = advise(refused.file, seconds=1e-9)
    gap = gap_of(advice, "average-risk")
    assert (gap.of, gap.holds) == ("candidate", False)
    assert gap.off == pytest.approx(gap.reached - 0.01)
    assert gap_of(advice).holds
    kinds = [one.kind for one in advice.tried]
    assert kinds == ["suppression", "method", "coarser", "drop", "threshold"]
    assert [left.split(":")[0] for left in advice.not_tried] == kinds[1:4]


# ------------------------------------------------------------------- what passes


def suggested(advice):
    return {setting.kind: setting for setting in advice.settings}


@pytest.mark.parametrize(
    ("case", "kinds"),
    [("refused", {"method", "drop"}), ("apart", {"suppression", "threshold"})],
)
def test_every_suggestion_passes_with_the_loss_that_was_stated(case, kinds, request):
    release = request.getfixturevalue(case)
    with pytest.raises(InfeasibleError):
        run_release(release.file)
    stated = dict(release.content)
    advice = advise(release.file)
    assert not advice.passes
    assert kinds <= set(suggested(advice))
    for setting in advice.settings:
        release.write(**{**stated, **setting.change})
        run_release(release.file)
        measured = release.manifest()["measured"]
        assert measured["loss"] == pytest.approx(setting.loss)
        gone = len(table()) - measured["rows"] + measured["suppressed_rows"]
        assert gone == setting.suppressed_rows
        share = setting.suppressed_rows / len(table())
        assert setting.suppressed_share == pytest.approx(share)
        assert setting.loosens == ("thresholds" in setting.change)
        checks = {c["id"]: c["observed"] for c in measured["checks"]}
        assert setting.reached == checks


def test_the_largest_k_and_the_smallest_limit_that_pass(apart):
    apart.write(thresholds=[{"model": "k-anonymity", "k": 12}])
    found = suggested(advise(apart.file))
    asked = found["threshold"].change["thresholds"]
    assert (asked[0]["k"], found["threshold"].loosens) == (2, True)
    apart.write(thresholds=[{"model": "k-anonymity", "k": 3}])
    with pytest.raises(InfeasibleError):
        run_release(apart.file)
    limit = suggested(advise(apart.file))["suppression"].change["anonymizer"]
    # Two rows go, and a class of three, for the suppressed ones are a class too.
    assert limit == {"name": "full-domain", "suppression_limit": 0.2}


def test_a_dropped_column_is_not_published(refused):
    found = suggested(advise(refused.file))["drop"]
    assert not found.loosens
    assert found.loss_with_dropped >= found.loss
    refused.write(**found.change)
    run_release(refused.file)
    header = (refused.target / "current" / "data.csv").read_text().splitlines()[0]
    gone = set(TREES) - set(header.split(","))
    assert len(gone) == 1
    assert gone.pop() in found.words
    assert refused.manifest()["measured"]["loss"] == pytest.approx(found.loss)


def test_a_file_that_passes_is_said_to_pass(release):
    advice = advise(release.file)
    assert advice.passes
    assert not advice.settings
    assert not release.target.exists()


@pytest.mark.parametrize(
    ("low", "high", "largest"), [(2, 9, 5), (2, 9, 9), (2, 9, 1), (2, 2, 2), (2, 1, 1)]
)
def test_the_search_ends_at_the_largest_that_passes(low, high, largest):
    search, best, asked = Bisection(low, high), None, []
    for number in search:
        asked.append(number)
        search.answer(number <= largest)
        best = number if number <= largest else best
    assert best == (min(largest, high) if low <= min(largest, high) else None)
    assert len(asked) == len(set(asked))
    assert search.found == (best is not None)


@pytest.mark.parametrize("best", [1.41, 1.44, 1.2, 0.95, 1.79, 0.5])
def test_looser_numbers_are_neared_from_what_passes(best):
    """Against a loop over all multiples of the step."""
    ladder, step = [1.44, 1.2, 0.9, 0.6], 0.05
    search, passed, asked = Approach(1.8, ladder, step), [], []
    for number in search:
        asked.append(number)
        search.answer(number <= best)
        passed += [number] if number <= best else []
    assert len(asked) == len(set(asked)) <= len(ladder) + 4
    if best < min(ladder):
        assert passed == []
        assert asked == ladder
        return
    assert passed == sorted(passed)  # each is nearer to what is asked for
    multiples = [at * step for at in range(36)]
    largest = max(number for number in [*multiples, *ladder] if number <= best)
    assert passed[-1] >= largest - step - 1e-9


def test_a_number_that_no_file_can_state_counts_as_refused():
    asked = []
    for number in (search := Approach(1.8, [0.9], 0.05)):
        asked.append(number)
        if number == 0.9:
            search.answer(True)
    assert len(asked) < 8


def test_the_loosest_number_is_not_told_where_a_nearer_one_passes(apart):
    """Entropy l: of a table of three jobs, which one class of each town holds."""
    frame = table()
    frame["job"] = ["JOBMARK-" + "xxxxxxxyz"[at % 9] for at in range(len(frame))]
    frame.to_csv(apart.source, index=False)
    model = {"model": "entropy-l-diversity", "l": 2.9}
    method = {"name": "full-domain", "suppression_limit": 1.0}
    apart.write(anonymizer=method, thresholds=[{"model": "k-anonymity", "k": 2}, model])
    found = suggested(advise(apart.file))["threshold"].change["thresholds"]
    told = next(t["l"] for t in found if t["model"] == model["model"])
    # The next legal number that is nearer to what was asked for does not pass.
    apart.write(
        anonymizer=method,
        thresholds=[{"model": "k-anonymity", "k": 2}, model | {"l": told + 0.05}],
    )
    with pytest.raises((InfeasibleError, GateError)):
        run_release(apart.file)
    assert told not in [2.9 / times for times in (1.25, 1.5, 2.0, 3.0, 4.0)]


def test_the_suppression_limit_is_just_enough(refused):
    """Two rows go in 26: 0.08 is enough, and 0.07 is not."""
    method = {"name": "full-domain", "levels": {"ward": 1}, "suppression": "drop"}
    refused.write(anonymizer=method)
    limit = suggested(advise(refused.file))["suppression"].change["anonymizer"]
    assert limit["suppression_limit"] == pytest.approx(0.08)


def test_no_column_is_said_to_cause_suppressed_rows(refused):
    refused.write(
        anonymizer={"name": "full-domain", "suppression_limit": 0.3},
        thresholds=[
            {"model": "k-anonymity", "k": K},
            {"metric": "suppressed-share", "max": 0.0},
        ],
        hierarchies={name: f"{name}.csv" for name in TREES},
    )
    gap = gap_of(advise(refused.file, seconds=1e-9), "suppressed-share")
    assert gap.holds is False
    assert gap.off == gap.reached > 0
    assert gap.columns == ()


def test_a_long_try_is_said_and_ends_when_its_time_is_over(refused, registered):
    """Each says a hundred times how far it is; the time of a kind is for 260."""
    from anon_transformers import FullDomainAnonymizer
    from anon_transformers.base import tell_progress

    class Slow(FullDomainAnonymizer):
        ended = 0

        def fit_transform(self, X, y=None, **params):
            for number in range(100):
                tell_progress(number / 100)
            Slow.ended += 1
            return super().fit_transform(X, y, **params)

    registered("anonymizers", "slow", Slow)
    refused.write(anonymizer={"name": "slow", "levels": {"ward": 1}})
    told = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anon_transformers.release._advice.EVERY", 0.0)
        patch.setattr(
            "anon_transformers.release._advice._Advisor.used",
            property(lambda self: len(told) / 1300),
        )
        advice = advise(refused.file, on_progress=lambda share, what: told.append(what))
    assert any(what.endswith("slow at work, 50 % done") for what in told)
    assert any("of which a part was done" in left for left in advice.not_tried)
    assert Slow.ended < len(told) / 100 + 1
    assert refused.runs() == []


# ------------------------------------------------------------- discretion, traces


def test_no_cell_is_in_an_advice(refused, capfd):
    told = []
    advice = advise(refused.file, on_progress=lambda share, what: told.append(what))
    shown = "\n".join([json.dumps(advice.to_dict(), default=str), *told])
    for mark in CELLS.values():
        assert mark not in shown
        assert mark not in "".join(capfd.readouterr())
    assert told


def test_nothing_is_published_and_nothing_private_is_left(refused):
    advise(refused.file)
    assert not refused.target.exists()
    assert refused.runs() == []
    assert [e["event"] for e in refused.events()] == ["loading", "abandoned"]


def test_a_run_on_its_way_is_left_alone(release):
    from anon_transformers.release import anonymize, load, publish, validate

    place = load(release.file)
    advise(release.file)
    publish(validate(anonymize(place)))
    assert len(release.versions()) == 1


def test_a_run_that_is_loaded_meanwhile_leaves_the_tries_alone(refused):
    loaded = []

    def on_progress(share, what):
        if not loaded:
            code = "import sys; from anon_transformers.release import load; "
            code += "load(sys.argv[1])"
            subprocess.run([sys.executable, "-c", code, refused.file], check=True)
            loaded.append([run for run in refused.runs() if run[0] != "."])

    advice = advise(refused.file, on_progress=on_progress)
    assert advice.settings
    assert refused.runs() == loaded[0]
    assert len(loaded[0]) == 1


def test_what_a_crash_left_of_tries_is_removed(refused):
    draft = refused.home / "runs" / ".x.draft"
    draft.mkdir(parents=True)
    (draft / "input.parquet").write_text("")
    Journal(refused.home).write("x", "loading", draft=draft.name, advice=True)
    load(refused.file)
    assert not draft.exists()


def test_a_stranger_is_not_quoted(refused, registered):
    from anon_transformers import FullDomainAnonymizer

    class Gossip(FullDomainAnonymizer):
        def fit_transform(self, X, y=None, **params):
            raise InfeasibleError(f"of {X['job'].iloc[0]}")

    registered("anonymizers", "gossip", Gossip)
    refused.write(anonymizer={"name": "gossip"})
    advice = advise(refused.file)
    assert not advice.passes
    assert CELLS["job"] not in json.dumps(advice.to_dict(), default=str)
    assert "InfeasibleError" in advice.refusal[0]


def test_what_cannot_be_read_is_an_error_and_leaves_no_trace(refused):
    refused.source.write_text("nothing,here\n1,2\n")
    with pytest.raises(DataError):
        advise(refused.file)
    assert refused.nothing_written()
    with pytest.raises(ConfigurationError, match="does not exist"):
        advise(refused.folder / "nosuch.yaml")
    with pytest.raises(ParameterError, match="seconds must be a number above 0"):
        advise(refused.file, seconds=0)
