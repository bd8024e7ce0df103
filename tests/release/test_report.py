"""The validation report: what stands on it, alone, with and without matplotlib."""

import html
import re
import stat
from html.parser import HTMLParser

import pytest

from anon_transformers.exceptions import GateError
from anon_transformers.registry import registry
from anon_transformers.release import (
    _private_report,
    _report,
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._manifest import measure_published


class Parts(HTMLParser):
    """Headings, and everything a page would have to fetch or run."""

    def __init__(self, page):
        super().__init__()
        self.heads, self.fetched, self.tags, self._in = [], [], set(), False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self._in = tag == "h2"
        for name, value in attrs:
            if name in {"src", "href", "srcset", "action"}:
                self.fetched.append(value)

    def handle_data(self, data):
        if self._in:
            self.heads.append(data)
            self._in = False


@pytest.fixture(autouse=True, scope="module")
def plain_reports():
    """Reports as they are: with charts."""


def words(page):
    """What a page says, without its tags."""
    text = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(text).split())


def of_persons(release, **changes):
    """Thirty persons of two rows each."""
    rows = [["who", "age", "job"]]
    rows += [[f"P{i // 2}", str(20 + i // 2 % 3), "abc"[i % 3]] for i in range(60)]
    release.write_rows(rows)
    release.write(
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"], "subject": "who"},
        anonymizer={"name": "mondrian", "step": {"age": 1}},
        **changes,
    )


def private_reports(release):
    return sorted(release.work.rglob("reports/*.html"))


def report(release):
    return (release.target / "current" / "validation.html").read_text()


def test_the_report_has_what_an_officer_signs(release):
    run_release(release.file)
    page = report(release)
    assert Parts(page).heads == [
        "Promised and measured", "With earlier releases", "The table",
        "Sizes of classes", "Risk to be found",
        "Loss of each column over the published labels", "What attacks get",
        "Method", "What is not promised",
    ]  # fmt: skip
    assert "Data protection officer" in page
    assert "Signature" in page
    manifest = release.manifest()
    for version in manifest["versions"].values():
        assert f"<td>{version}</td>" in page
    homogeneity = manifest["measured"]["attacks"]["homogeneity"]
    assert f'<td>homogeneity</td><td class="number">{homogeneity["exposed"]}<' in page
    assert html.escape(registry().attacks["homogeneity"].meaning) in page
    for limit in registry().privacy_models["k-anonymity"].not_promised:
        assert limit in html.unescape(page)


def test_the_report_needs_nothing_else(release):
    pytest.importorskip("matplotlib", reason="the plots extra")
    run_release(release.file)
    parts = Parts(report(release))
    assert "svg" in parts.tags
    assert not parts.tags & {"script", "link", "img", "iframe", "form"}
    assert all(reference.startswith("#") for reference in parts.fetched)
    assert "default-src 'none'" in html.unescape(report(release))


def test_the_report_is_made_to_be_printed(release):
    run_release(release.file)
    page = report(release)
    rules = page.partition("@media print")[2].partition("</style>")[0]
    assert "break-inside: avoid" in rules
    # What is folded away is not printed: the same numbers stand in the open.
    for folded in re.findall(r"<details>.*?</details>", page, re.S):
        for cell in re.findall(r"<td[^>]*>(.*?)</td>", folded, re.S):
            assert cell in page.replace(folded, ""), cell


def test_the_report_stands_without_matplotlib(release, monkeypatch):
    monkeypatch.setattr(_report, "has_matplotlib", lambda: False)
    run_release(release.file)
    assert "<svg" not in private_reports(release)[0].read_text()
    page = report(release)
    assert "<svg" not in page
    sizes = release.manifest()["measured"]["class_sizes"]
    cells = "".join(f'<td class="number">{n:,}</td>' for n in sizes[0].values())
    assert cells in page


def test_sizes_of_classes_add_up(release):
    run_release(release.file)
    measured = release.manifest()["measured"]
    steps, classes = measured["class_sizes"], measured["classes"]
    assert sum(step["classes"] for step in steps) == classes["count"]
    assert sum(step["rows"] for step in steps) == classes["kept_rows"]
    assert steps[0]["from"] <= classes["smallest"] <= steps[0]["to"]


def test_no_cell_of_the_source_is_on_the_report(release):
    rows = [["age", "zip", "job"]]
    rows += [[str(20 + i % 9), "ZIPMARK", f"JOBMARK{i % 3}"] for i in range(60)]
    release.write_rows(rows)
    release.write(
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"],
               "insensitive": ["zip"]},
        anonymizer={"name": "mondrian", "step": {"age": 1}},
    )  # fmt: skip
    run_release(release.file)
    assert not re.search("ZIPMARK|JOBMARK", report(release))


def test_a_refused_candidate_has_a_report_in_quarantine(release):
    release.write(
        thresholds=[{"model": "k-anonymity", "k": 3}, {"metric": "loss", "max": 0.0}]
    )
    with pytest.raises(GateError):
        run_release(release.file)
    (page,) = release.work.rglob("quarantine/*/validation.html")
    assert "The checks failed: this table must not be published." in page.read_text()
    assert not (release.target / "current").exists()


def test_every_quasi_identifier_has_a_loss_or_a_reason(release):
    levels = [f"{code};{code[:2]}*;*" for code in ("007", "008", "110")]
    (release.folder / "zip.csv").write_text("\n".join(levels))
    release.write(
        hierarchies={"zip": "zip.csv"}, anonymizer=release.mondrian(domain=None)
    )
    run_release(release.file)
    page, measured = report(release), release.manifest()["measured"]
    said = words(page[page.index("<h2>Loss of each column") :])
    assert "over the published labels" in said
    found = f"zip {measured['column_losses']['zip']:.4g}"
    assert found in said[: said.index("What attacks get")]
    assert "age no number: the release file names no hierarchy" in said
    assert "against the source" in words(private_reports(release)[0].read_text())


def test_the_two_losses_have_two_names(release):
    pytest.importorskip("matplotlib", reason="the plots extra")
    levels = [f"{code};{code[:2]}*;*" for code in ("007", "008", "110")]
    (release.folder / "zip.csv").write_text("\n".join(levels))
    roles = {**release.content["roles"], "quasi_identifiers": ["zip"],
             "insensitive": ["note"], "dropped": ["age"]}  # fmt: skip
    release.write(
        roles=roles,
        hierarchies={"zip": "zip.csv"},
        anonymizer={"name": "datafly", "suppression": "drop"},
    )
    run_release(release.file)
    said = words(report(release))
    private = words(private_reports(release)[0].read_text())
    assert "A threshold of loss counts dropped rows as lost, too" in said
    assert "Loss of each column over the published labels" in said
    assert "Loss of each column against the source" in private
    assert "Loss of each column against the source" not in said


def test_what_an_officer_must_know_stands_above_all_numbers(release):
    run_release(release.file)
    said, attacks = words(report(release)), release.manifest()["measured"]["attacks"]
    top = said[: said.index("Promised and measured")]
    assert "The checks passed: every threshold holds." in top
    assert "No threshold judges these sensitive columns: job." in top
    shares = {name: one["exposed"] / one["rows"] for name, one in attacks.items()}
    assert max(shares.values()) >= 0.05
    for name, share in shares.items():
        exposed, rows = attacks[name]["exposed"], attacks[name]["rows"]
        warned = f"The attack {name} exposes {exposed} of {rows} rows ({share:.1%})."
        assert (warned in top) == (share >= 0.05)
    for jargon in ("gate", "candidate"):
        assert jargon not in said.lower().replace("aggregate", "")


def test_a_judged_column_is_not_warned_of(release):
    release.write(
        thresholds=[
            {"model": "k-anonymity", "k": 3},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "job"},
        ]
    )
    run_release(release.file)
    assert "No threshold judges" not in report(release)


def test_the_method_is_told_with_its_parameters(release):
    levels = [f"{code};{code[:2]}*;*" for code in ("007", "008", "110")]
    (release.folder / "trees").mkdir()
    (release.folder / "trees" / "zip.csv").write_text("\n".join(levels))
    release.write(
        hierarchies={"zip": "trees/zip.csv"}, anonymizer=release.mondrian(domain=None)
    )
    run_release(release.file)
    said = words(report(release))
    method = said[said.rindex("Method Method") :]
    assert "step: age 5" in method
    assert "k 3 (by the thresholds)" in method
    assert "suppression limit 0.0 (not stated: the method's own)" in method
    assert "hierarchy of zip the file zip.csv" in method
    assert "trees" not in said


# ------------------------------------------------------------------------------ persons


def test_where_persons_count_the_report_says_so_and_why_numbers_are_missing(release):
    of_persons(release)
    run_release(release.file)
    said = words(report(release))
    top = said[: said.index("Promised and measured")]
    assert "Persons are counted, not rows." in top
    assert "Which rows are one person's is not published" in top
    assert "in the folder reports of the release's workspace" in top
    assert str(release.work) not in said
    counted = "verdict only: the number counts persons, who are not published"
    assert said.count(counted) == 2  # k-anonymity and average risk
    assert said.count("verdict only: the number is measured against the source") == 1
    assert "Risk to be found" not in said


def test_where_persons_count_sizes_are_of_rows_and_are_named_so(release):
    of_persons(release)
    run_release(release.file)
    said, table = words(report(release)), read_published(release.target, labels="text")
    sizes = table.groupby("age").size()
    assert "Sizes of classes, in rows" in said
    assert (
        f"Classes, and their sizes in rows {len(sizes)}; smallest {sizes.min()}" in said
    )
    assert "a class has as many persons as rows, or fewer" in said


def test_numbers_of_rows_are_computed_again_from_what_is_published(release):
    of_persons(release)
    run_release(release.file)
    again, measured = (
        measure_published(release.target, release.file),
        release.manifest()["measured"],
    )
    for key in ("rows", "suppressed_rows", "classes_in_rows", "class_sizes_in_rows"):
        assert again[key] == measured[key]


def test_persons_whose_rows_differ_in_nothing_published_make_the_same_report(release):
    """Whose rows are whose shows nowhere: other persons, the same page."""
    pages = []
    for shift in (0, 6):
        of_persons(release)
        lines = release.source.read_text().splitlines()
        rows = [line.split(",") for line in lines]
        for number, row in enumerate(rows[1:]):
            row[0] = f"P{(number + shift) % 60 // 2}"
        release.write_rows(rows)
        run_release(release.file)
        page = report(release)
        pages.append(re.sub(r"Version \S+ *started \S+|Version [^<]+", "", page))
    assert pages[0] == pages[1]


def test_a_release_of_rows_says_nothing_of_persons(release):
    run_release(release.file)
    said = words(report(release))
    assert "Persons are counted" not in said
    assert "verdict only: the number is measured against the source" in said
    assert "not published" not in said.replace("values that are not published", "")


# ------------------------------------------------------------------- the private report


def test_what_needs_the_source_is_in_a_private_report_alone(release):
    pytest.importorskip("matplotlib", reason="the plots extra")
    run_release(release.file)
    (place,) = private_reports(release)
    version = (release.target / "current").resolve().name
    assert place.name == f"{version}.html"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    page = place.read_text()
    assert "Not to be published" in page
    assert "Risk to be found, before and after" in page
    assert Parts(page).fetched == [r for r in Parts(page).fetched if r[0] == "#"]
    assert not any("private" in name for name in release.public_bytes())
    assert b"before and after" not in b"".join(release.public_bytes().values())


def test_the_private_report_has_no_cell(release):
    rows = [["age", "zip", "job"]]
    rows += [[str(20 + i % 9), "ZIPMARK", f"JOBMARK{i % 3}"] for i in range(60)]
    release.write_rows(rows)
    release.write(
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"],
               "insensitive": ["zip"]},
        anonymizer={"name": "mondrian", "step": {"age": 1}},
    )  # fmt: skip
    run_release(release.file)
    (place,) = private_reports(release)
    assert "record-intruder" in place.read_text()
    assert not re.search("ZIPMARK|JOBMARK", place.read_text())


def test_the_private_report_counts_persons(release):
    of_persons(release)
    run_release(release.file)
    assert "Persons are counted." in private_reports(release)[0].read_text()


def test_a_refused_candidate_takes_its_private_report_into_quarantine(release):
    release.write(
        thresholds=[{"model": "k-anonymity", "k": 3}, {"metric": "loss", "max": 0.0}]
    )
    with pytest.raises(GateError):
        run_release(release.file)
    assert list(release.work.rglob("quarantine/*/private.html"))
    assert not private_reports(release)


def test_an_odd_table_is_published_without_a_private_report(
    release, monkeypatch, caplog
):
    def fail(*args):
        raise ValueError("a cell")

    monkeypatch.setattr(_private_report, "table_statistics", fail)
    run_release(release.file)
    assert (release.target / "current").exists()
    assert not private_reports(release)
    assert "no private report (ValueError)" in caplog.text
    assert "a cell" not in caplog.text


def test_only_the_newest_private_reports_are_kept(release, monkeypatch):
    monkeypatch.setattr(_private_report, "MOST_REPORTS", 1)
    for name in ("z-ends-first", "a-ends-last"):
        publish(validate(anonymize(load(release.file, run_id=name))))
        (kept,) = private_reports(release)
        assert kept.name.startswith(name)
