"""Files at addresses that fsspec opens."""

import gzip

import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, UnreachableError
from anon_transformers.release import _source, read_published, run_release
from tests.release.conftest import people
from tests.release.test_databases import published

fsspec = pytest.importorskip("fsspec")
SECRET = "hunter2-in-the-file"


def csv_bytes(rows):
    return "".join(",".join(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    "address",
    ["s3://ward/people.csv", "gs://ward/people.csv.gz", "s3://ward/people.parquet"],
)
def test_a_release_is_that_of_the_file(address, release, bucket):
    of_file = published(release)
    content = csv_bytes(people())
    if address.endswith(".gz"):
        content = gzip.compress(content)
    if address.endswith(".parquet"):
        frame = pd.read_csv(release.source, dtype={"zip": str})
        content = frame.to_parquet(index=False)
    bucket().pipe_file(address, content)
    release.write(source={"path": address}, target={"path": "second"})
    assert published(release) == of_file


def test_the_address_of_a_file_is_its_path(release):
    of_file = published(release)
    place = release.folder / "the people.csv"
    release.source.rename(place)
    release.write(source={"path": place.as_uri()}, target={"path": "second"})
    assert published(release) == of_file
    place.unlink()
    with pytest.raises(DataError, match="does not exist"):
        run_release(release.file)


@pytest.mark.parametrize("path", ["s3://ward/*.parquet", "s3://ward/parts/"])
def test_patterns_and_folders(path, release, bucket):
    frame = pd.read_csv(release.source, dtype={"zip": str})
    of_folder = path.endswith("/")
    place = path if of_folder else "s3://ward/"
    bucket().pipe_file(f"{place}a.parquet", frame.iloc[:9].to_parquet(index=False))
    bucket().pipe_file(f"{place}b.parquet", frame.iloc[9:].to_parquet(index=False))
    bucket().pipe_file(f"{place}_SUCCESS", b"")
    release.write(source={"kind": "parquet", "path": path})
    assert len(read_published(run_release(release.file))) == len(frame)


@pytest.mark.parametrize("change", ["one", "more"])
def test_objects_that_change_while_others_are_read(
    release, bucket, change, monkeypatch
):
    frame = pd.read_csv(release.source, dtype={"zip": str})
    parts = [frame.iloc[:9].to_parquet(index=False), frame.iloc[9:].to_parquet()]
    for name, part in zip("ab", parts, strict=True):
        bucket().pipe_file(f"s3://ward/{name}.parquet", part)
    release.write(source={"kind": "parquet", "path": "s3://ward/*.parquet"})
    read = _source._read_source

    def reads(config):
        found = read(config)
        name = "a" if change == "one" else "c"
        others = frame.iloc[:9].assign(name=list("ABCDEFGHI"))
        bucket().pipe_file(f"s3://ward/{name}.parquet", others.to_parquet(index=False))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(_source, "_read_source", reads)
        said = release.refusal(DataError)
    assert "while it was read, and nothing was loaded" in said
    assert ("source.path[0]" in said) == (change == "one")
    expected = 40 if change == "one" else 49
    assert len(read_published(run_release(release.file))) == expected


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("ftp://host/people.csv", "nothing here opens ftp:// addresses; choices: file"),
        ("https://host/people.csv", "nothing here opens https:// addresses"),
        (f"s3://key:{SECRET}@ward/people.csv", "holds no user, key or query"),
        (f"gs://ward/people.csv?token={SECRET}", "holds no user, key or query"),
        ("file://host/people.csv", "is file:///folder/name"),
    ],
)
def test_other_addresses_are_refused(path, said, release):
    release.write(source={"path": path})
    text = release.refusal()
    assert f"source.path: {said}" in text or said in text
    assert SECRET not in text


def test_a_variable_makes_no_other_address(release, monkeypatch):
    monkeypatch.setenv("DATA", f"ftp://anna:{SECRET}@host")
    release.write(source={"path": "$DATA/people.csv"})
    text = release.refusal()
    assert "source.path: nothing here opens ftp:// addresses" in text
    assert SECRET not in text


def test_an_object_that_is_not_there(release, bucket):
    release.write(source={"path": "s3://ward/nothing.csv"})
    assert "cannot be read (FileNotFoundError)" in release.refusal(DataError)
    release.write(source={"kind": "parquet", "path": "s3://ward/*.parquet"})
    assert "no file fits" in release.refusal(DataError)


def test_a_store_that_cannot_be_reached(release, monkeypatch):
    class Down:
        def cat_file(self, address):
            raise TimeoutError(f"key {SECRET}")

    monkeypatch.setattr(fsspec, "filesystem", lambda scheme: Down())
    release.write(source={"path": "s3://ward/people.csv"})
    text = release.refusal(UnreachableError)
    assert text == "s3://ward/people.csv: cannot be reached (TimeoutError)."


def test_a_store_whose_library_is_not_installed(release, monkeypatch):
    def lacks(scheme):
        raise ImportError("no such module")

    monkeypatch.setattr(fsspec, "filesystem", lacks)
    release.write(source={"path": "s3://ward/people.csv"})
    assert "needs the extra fsspec, and the module 's3fs'" in release.refusal()
