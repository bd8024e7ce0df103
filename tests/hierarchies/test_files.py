"""Hierarchies as files: what is written is read back, and faults are told."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Hierarchy

# The public hierarchies are not bundled; they lie beside the repository, where so.
SHARED = Path(__file__).parents[3] / "shared" / "data" / "hierarchies"

PETS = [("cat", "mammal", "*"), ("cod", "fish", "*"), ("cow", "mammal", "*")]

tables = st.dictionaries(
    st.text(min_size=1, max_size=4),
    st.text(min_size=1, max_size=2).filter(str.strip),
    min_size=1,
    max_size=9,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hierarchies")


class TestFiles:
    def test_written_and_read_back(self, tmp_path):
        path = tmp_path / "pets.csv"
        Hierarchy(PETS).to_csv(path)
        assert Hierarchy.read_csv(path) == Hierarchy(PETS)
        assert path.read_text(encoding="utf-8").splitlines()[0] == "cat;mammal;*"

    def test_awkward_values_survive(self, tmp_path):
        rows = [('a;"b"', "é\nü", "*"), ("007", "é\nü", "*")]
        Hierarchy(rows).to_csv(tmp_path / "odd.csv")
        assert Hierarchy.read_csv(tmp_path / "odd.csv") == Hierarchy(rows)

    def test_blank_lines_and_windows_line_ends(self, tmp_path):
        path = tmp_path / "pets.csv"
        path.write_bytes(b"cat;mammal;*\r\n\r\ncod;fish;*\r\n")
        assert Hierarchy.read_csv(path).leaves == ("cat", "cod")

    def test_a_byte_order_mark_is_no_part_of_the_first_value(self, tmp_path):
        path = tmp_path / "pets.csv"
        path.write_text("cat;mammal;*\ncod;fish;*\n", encoding="utf-8-sig")
        assert Hierarchy.read_csv(path).leaves == ("cat", "cod")

    @pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "UTF8", "utf-8-sig"])
    def test_it_is_read_in_the_encoding_that_is_stated(self, tmp_path, encoding):
        path = tmp_path / "orte.csv"
        path.write_bytes("Köln;NRW;*\nBonn;NRW;*\n".encode(encoding))
        assert Hierarchy.read_csv(path, encoding=encoding).leaves == ("Köln", "Bonn")

    def test_what_is_in_another_encoding_is_told(self, tmp_path):
        path = tmp_path / "orte.csv"
        path.write_bytes("Köln;*\n".encode("latin-1"))
        with pytest.raises(DataError, match="it is not utf-16 text") as caught:
            Hierarchy.read_csv(path, encoding="utf-16")
        assert caught.value.__suppress_context__
        with pytest.raises(ParameterError, match="unknown encoding 'klingon'"):
            Hierarchy.read_csv(path, encoding="klingon")
        with pytest.raises(ParameterError, match="unknown encoding 'base64'"):
            Hierarchy.read_csv(path, encoding="base64")

    @given(tables, st.sampled_from(["pets.csv", "pets.csv.gz"]))
    def test_whatever_the_values_are(self, folder, parents, name):
        tree = Hierarchy.from_mapping(parents)
        tree.to_csv(folder / name)
        assert Hierarchy.read_csv(folder / name) == tree

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"a;g;*\n\r\n\nb;g\n", "row 4 of the hierarchy has 2 levels"),
            (b'"a\nb";g;*\n\nc;g;x\n', "row 4 of the hierarchy ends in another"),
            (b"a;g;*\n\nA;g;*\n", "row 3 of .* the normalizer makes one"),
            (b'secret;g;*\n"b"z;g;*\n', "line 2 cannot be read as CSV"),
            (b'secret;g;*\n"b;g;*\n', "line 2 cannot be read as CSV"),
            ("é;g;*".encode("latin-1"), "it is not UTF-8 text"),
            (b"\xff\xfes\0e\0c\0;\0*\0", "it is not UTF-8 text"),
        ],
    )
    def test_a_fault_is_told_by_its_line(self, tmp_path, content, said):
        (tmp_path / "odd.csv").write_bytes(content)
        with pytest.raises(DataError, match=rf"odd\.csv: .*{said}") as caught:
            Hierarchy.read_csv(tmp_path / "odd.csv", normalizer="fold")
        assert "sec" not in str(caught.value).removeprefix(str(tmp_path))

    def test_a_fault_names_the_file(self, tmp_path):
        path = tmp_path / "pets.csv"
        path.write_text("cat;*\ncod\n", encoding="utf-8")
        with pytest.raises(DataError, match=r"pets\.csv: row 2 .* has 1 levels"):
            Hierarchy.read_csv(path)


class TestPackedFiles:
    def test_a_gzip_file_is_unpacked(self, tmp_path):
        path = tmp_path / "pets.csv.gz"
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.write("cat;mammal;*\ncod;fish;*\n")
        assert Hierarchy.read_csv(path).leaves == ("cat", "cod")

    @pytest.mark.parametrize(
        "content",
        [
            b"secret;*\n",
            b"",
            gzip.compress(b"secret;*\n" * 9, mtime=0)[:-12],
            b"\x1f\x8b\x08",
        ],
    )
    def test_what_is_no_gzip_file_is_told_without_its_bytes(self, tmp_path, content):
        path = tmp_path / "pets.csv.gz"
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"pets\.csv\.gz: ") as caught:
            Hierarchy.read_csv(path)
        assert "b'" not in str(caught.value)
        assert "sec" not in str(caught.value).removeprefix(str(tmp_path))

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param(path, id=f"{path.parent.name}/{path.name}")
            for path in sorted(SHARED.glob("*/*.csv*"))
        ]
        or [
            pytest.param(
                None,
                marks=pytest.mark.skip(
                    reason="the public hierarchies do not lie beside the repository"
                ),
            )
        ],
    )
    def test_every_public_hierarchy_is_sound(self, path, tmp_path):
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(";") for line in file if line.strip()]
        tree = Hierarchy.read_csv(path)
        assert tree.n_levels == len(lines[0])
        assert sorted(tree.rows) == sorted(map(tuple, lines))
        tree.to_csv(tmp_path / "again.csv")
        assert Hierarchy.read_csv(tmp_path / "again.csv") == tree
