"""A table that a person brings: how it was written, and what is no table."""

import gzip
import io
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.cli._dialects import Dialect, find_dialect
from anon_transformers.studio._arrival import receive
from anon_transformers.studio._project import Project

GERMAN = "Name;Stadt;Größe\nMüller;Köln;1,80\nGroß;Ulm;1,75\nWeiß;Köln;1,81\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 4


def parquet() -> bytes:
    held = io.BytesIO()
    pd.DataFrame({"a": [1]}).to_parquet(held)
    return held.getvalue()


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-8-sig", "utf-16"])
def test_a_table_of_a_german_spreadsheet_is_read_at_once(studio, encoding):
    project = studio.upload("leute.csv", GERMAN.encode(encoding))
    source = project.content["source"]
    assert source["separator"] == ";"
    stated = {"latin-1": "cp1252", "utf-8-sig": None}.get(encoding, encoding)
    assert source.get("encoding") == stated
    page = studio.get(f"/p/{project.id}/data/")
    text = studio.text(page)
    assert "3 rows, 3 columns" in text
    assert "Müller" in text
    assert "The file shows how it was written: its fields are separated by" in text
    assert ("is a guess" in text) == (stated == "cp1252")
    assert "cannot be used" not in text
    assert "shows how it was written" not in studio.get(page.url.path).text  # once


def test_the_notice_waits_while_the_table_is_read(real_studio):
    project = real_studio.upload("leute.csv", GERMAN.encode("cp1252"))
    page = real_studio.get(f"/p/{project.id}/data/")
    assert page.url.path.startswith("/jobs/")
    assert "shows how it was written" not in page.text
    real_studio.wait(project, "profile")
    shown = real_studio.get(f"/p/{project.id}/data/")
    assert "shows how it was written" in shown.text


def test_a_table_is_looked_at_where_it_lies_too(studio, tmp_path):
    file = tmp_path / "leute.tsv"
    file.write_text(GERMAN.replace(";", "\t"), encoding="utf-8")
    studio.post("/projects/open", {"path": str(file)}, follow_redirects=False)
    (project,) = studio.studio.shelf.projects()
    assert project.content["source"] == {
        "path": str(file.resolve()),
        "separator": "\t",
    }


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_what_is_found_is_what_the_commands_find(tmp_path, separator, encoding):
    file = tmp_path / "t.csv"
    file.write_text(f"a{separator}b\nä{separator}1\n", encoding=encoding)
    found = receive(file).options
    command = find_dialect(file, Dialect(), option="--original")
    assert command == Dialect(
        found.get("separator", ","), found.get("encoding", "utf-8")
    )
    assert (separator, encoding) == (command.separator, command.encoding)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        pytest.param("t.csv", b"", "the file is empty", id="empty"),
        pytest.param("t.csv", b" \r\n\n", "the file is empty", id="blank"),
        pytest.param("t.csv", b"\xef\xbb\xbf\n", "the file is empty", id="mark"),
        pytest.param("t.csv", b"\xff\xfe\n\x00", "the file is empty", id="wide"),
        pytest.param("t.csv.gz", gzip.compress(b""), "the file is empty", id="packed"),
        pytest.param("t.parquet", b"", "the file is empty", id="no-parquet"),
        pytest.param("t.csv", PNG, "it looks like a picture (PNG)", id="png"),
        pytest.param("t.csv.gz", gzip.compress(PNG), "a picture (PNG)", id="png-gz"),
        pytest.param("t.txt", b"PK\x03\x04\x14\x00abc", "save the sheet", id="xlsx"),
        pytest.param("t.csv", parquet(), "a Parquet file", id="parquet"),
        pytest.param("t.csv", b"a,b\n\x00\x01,2\n", "a binary file", id="bytes"),
        pytest.param(
            "t.csv.gz",
            gzip.compress(b"a,b\n1,2\n" * 5000)[:40],
            "cannot be unpacked",
            id="half",
        ),
        pytest.param("t.csv.gz", b"a,b\n1,2\n", "cannot be unpacked", id="plain"),
        pytest.param("t.parquet", b"PAR1 no", "no Parquet file", id="half-parquet"),
        pytest.param("t.parquet", b"a,b\n1,2\n", "no Parquet file", id="csv"),
    ],
)
def test_what_is_no_table_becomes_no_project(studio, tmp_path, name, content, said):
    file = tmp_path / name
    file.write_bytes(content)
    for page in (
        studio.post("/projects/upload", files={"file": (name, content)}),
        studio.post("/projects/open", {"path": str(file)}),
    ):
        assert page.url.path == "/projects/"
        assert page.text.count(said) == 1
        assert page.text.count('class="notice error"') == 1
        for word in ("Arrow", "Error", str(tmp_path)):
            assert word not in page.text
        assert not studio.studio.shelf.projects()
        assert not [path for path in studio.home.glob("*") if path.is_dir()]


def test_a_release_that_reads_what_was_found(studio):
    project = studio.upload("leute.csv", GERMAN.encode("cp1252"))
    project.edit("roles", lambda content: content["roles"].update(
        quasi_identifiers=["Stadt"], dropped=["Name", "Größe"]
    ))  # fmt: skip
    assert Project(Path(project.file)).fault is None
