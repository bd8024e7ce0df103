"""A release in a store of objects: files first, and one object that publishes them."""

import json
from pathlib import Path

import pytest

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    ParameterError,
    ReleaseError,
    UnreachableError,
)
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._config import read_config
from anon_transformers.release._public_store import PublicStore
from anon_transformers.release._target import recover

fsspec = pytest.importorskip("fsspec")
ADDRESS = "s3://bucket/ward"
SECRET = "hunter2-in-the-file"
CHANGES = ("put_file", "pipe_file", "rm_file")


class Killed(BaseException):
    """In place of the end of the process."""


@pytest.fixture
def stored(release, bucket):
    release.write(target={"path": ADDRESS})
    release.target = release.folder / "published/ward"
    return release


def names(bucket):
    return {name.partition("bucket/ward/")[2] for name in bucket.store}


def current(bucket):
    return json.loads(bucket().cat_file(f"{ADDRESS}/current.json"))


def judged(release):
    folder = load(release.file)
    for step in (anonymize, validate):
        step(folder)
    return folder


def test_an_address_is_a_store_beside_a_folder(release):
    for address in (ADDRESS, "gs://bucket/deep/ward/"):
        release.write(target={"path": address, "format": "parquet"})
        stated = read_config(release.file).target
        same = {"path": "published/ward", "store": address, "format": "parquet"}
        release.write(target=same)
        assert stated == read_config(release.file).target


def test_the_address_of_a_folder_is_its_path(release):
    place = release.folder / "the target"
    release.write(target={"path": place.as_uri()})
    run_release(release.file)
    table = read_published(place)
    assert read_published(place.as_uri()).equals(table)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"path": "ftp://h/x"}, "target.path: nothing here opens ftp:// addresses"),
        ({"path": f"s3://k:{SECRET}@bucket/x"}, "holds no user, key or query"),
        ({"path": "x", "store": "out"}, "target.store: nothing here opens"),
        ({"path": "x", "store": "file:///out"}, "target.store: is no address of a"),
        ({"path": "s3://bucket/.."}, "target.path: name a bucket and a place in it"),
        ({"path": "s3://"}, "target.path: name a bucket"),
        ({"path": "x", "store": "gs://bucket/a/./b"}, "target.store: name a bucket"),
        ({"path": "x", "store": "s3://bucket/*"}, "target.store: names several"),
        ({"path": ADDRESS, "store": ADDRESS}, "target.store: path is an address"),
        ({"path": "x/{period:%Y}", "store": ADDRESS}, "target.store: has one version"),
    ],
)
def test_targets_that_are_refused(release, target, said):
    release.write(target=target)
    text = release.refusal()
    assert said in text
    assert SECRET not in text


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_readers_of_the_address_get_the_release(stored, bucket, kind):
    stored.write(target={"path": ADDRESS, "format": kind})
    for _ in range(2):
        folder = run_release(stored.file)
        assert read_published(ADDRESS).equals(read_published(folder))
    there = current(bucket)
    # The first version is gone, and the store has just the files of the folder.
    files = {path.name for path in (stored.target / "current").iterdir()}
    version = f"versions/{there['version']}"
    assert names(bucket) == {"current.json", *(f"{version}/{f}" for f in files)}
    assert (
        bucket().cat_file(f"{ADDRESS}/{version}/manifest.json")
        == (stored.target / "current/manifest.json").read_bytes()
    )


def dies_at(patch, bucket, at):
    """Let the process end before change number ``at`` of the store."""
    counted = []

    def before(do):
        def changed(self, *given, **how):
            if len(counted) == at:
                raise Killed
            counted.append(given)
            return do(self, *given, **how)

        return changed

    for name in CHANGES:
        patch.setattr(bucket, name, before(getattr(bucket, name)))


def test_cut_off_at_any_change_readers_see_a_whole_release(stored, bucket):
    run_release(stored.file)
    folder, at, seen = judged(stored), 0, []
    old = read_published(ADDRESS)
    while True:
        with pytest.MonkeyPatch.context() as patch:
            dies_at(patch, bucket, at)
            try:
                publish(folder)
                break
            except Killed:
                at += 1
        seen.append(current(bucket)["version"])
        assert len(read_published(ADDRESS)) == len(old)
    # Four files and the publication; then the files of the old version go.
    assert len(seen) == at == 6
    assert seen == [seen[0]] * 5 + [current(bucket)["version"]]
    assert seen[0] != seen[-1]
    assert len(names(bucket)) == 5


def test_a_run_that_never_comes_back_leaves_nothing(stored, bucket):
    run_release(stored.file)
    folder = judged(stored)
    with pytest.MonkeyPatch.context() as patch:
        dies_at(patch, bucket, 2)
        with pytest.raises(Killed):
            publish(folder)
    assert len(names(bucket)) == 7
    recover(read_config(stored.file))  # as each run begins
    assert current(bucket)["version"] == stored.manifest()["version"]
    assert len(names(bucket)) == 5


def test_other_bytes_than_were_written_are_not_published(stored, bucket, monkeypatch):
    run_release(stored.file)
    folder, before = judged(stored), current(bucket)

    def put_file(self, file, place, **how):
        self.pipe_file(place, Path(file).read_bytes()[:-1])

    with monkeypatch.context() as patch:
        patch.setattr(bucket, "put_file", put_file)
        with pytest.raises(ReleaseError, match="is not what was judged"):
            publish(folder)
    assert current(bucket) == before
    publish(folder)
    assert current(bucket)["version"] == stored.manifest()["version"]


@pytest.mark.parametrize("during", ["put_file", "pipe_file"])
def test_a_second_writer_is_noticed(stored, bucket, during, monkeypatch):
    run_release(stored.file)
    folder = judged(stored)
    theirs = {**current(bucket), "version": "theirs"}
    honest, pipe_file = getattr(bucket, during), bucket.pipe_file

    def slower(self, *given, **how):
        honest(self, *given, **how)
        pipe_file(self, f"{ADDRESS}/current.json", json.dumps(theirs).encode())

    monkeypatch.setattr(bucket, during, slower)
    with pytest.raises(ReleaseError, match="somebody else published there meanwhile"):
        publish(folder)
    monkeypatch.setattr(bucket, during, honest)
    for again in (publish, lambda _: load(stored.file)):
        with pytest.raises(ConfigurationError, match="no run of this workspace made"):
            again(folder)
    assert current(bucket) == theirs
    bucket().rm_file(f"{ADDRESS}/current.json")
    publish(folder)
    assert current(bucket)["version"] == stored.manifest()["version"]


def test_what_somebody_else_has_there_stays(stored, bucket, another_release):
    store = bucket()
    run_release(stored.file)
    theirs = ["other/data.csv", f"{current(bucket)['version']}/x.csv"]
    for name in theirs:
        store.pipe_file(f"{ADDRESS}/versions/{name}", b"x")
    run_release(stored.file)
    for name in theirs:
        assert store.cat_file(f"{ADDRESS}/versions/{name}") == b"x"
    second = another_release("second")
    second.write(target={"path": "out-second", "store": ADDRESS})
    with pytest.raises(ConfigurationError, match="another release is published there"):
        load(second.file)
    odd = b'{"release": "people", "version": "x", "files": [1]}'
    for content in (b"no json", b"[]", b'{"version": 1}', odd):
        store.pipe_file(f"{ADDRESS}/current.json", content)
        with pytest.raises(ConfigurationError, match="nothing that a release wrote"):
            load(stored.file)


def test_readers_refuse_other_bytes_and_what_is_not_there(stored, bucket):
    with pytest.raises(DataError, match="holds no published release"):
        read_published(ADDRESS)
    run_release(stored.file)
    with pytest.raises(ParameterError, match="a store has no periods"):
        read_published(ADDRESS, "2026-10")
    data = f"{ADDRESS}/versions/{current(bucket)['version']}/data.csv"
    bucket().pipe_file(data, bucket().cat_file(data) + b"x")
    with pytest.raises(DataError, match="not the bytes that were published"):
        read_published(ADDRESS)


def test_a_store_that_cannot_be_reached(stored, bucket, monkeypatch):
    run_release(stored.file)
    folder, before = judged(stored), current(bucket)

    def fails(self, *given, **how):
        raise TimeoutError(SECRET)

    with monkeypatch.context() as patch:
        patch.setattr(bucket, "put_file", fails)
        with pytest.raises(UnreachableError, match=ADDRESS) as refused:
            publish(folder)
    assert SECRET not in str(refused.value)
    assert current(bucket) == before
    publish(folder)
    assert current(bucket)["version"] == stored.manifest()["version"]


def test_variables_of_an_address_are_filled_in_and_not_shown(
    release, bucket, monkeypatch
):
    monkeypatch.setenv("WARD_BUCKET", "bucket-of-anna")
    release.write(target={"path": "out", "store": "s3://$WARD_BUCKET/ward"})
    run_release(release.file)
    assert len(read_published("s3://bucket-of-anna/ward")) > 0
    store = PublicStore("s3://$WARD_BUCKET/ward")

    def fails(self, *given, **how):
        raise PermissionError

    monkeypatch.setattr(bucket, "cat_file", fails)
    with pytest.raises(DataError, match="WARD_BUCKET") as refused:
        store.current()
    assert "anna" not in str(refused.value)
