"""A published release, read as what its labels say."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.cli._published import read_release
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.published import LabelParser
from anon_transformers.release import read_published, run_release


def test_labels_of_quasi_identifiers_are_parsed_and_no_others(release):
    folder = run_release(release.file)
    texts, parsed = read_published(folder, labels="text"), read_published(folder)
    ages = parsed["age"]
    assert isinstance(ages.dtype, pd.IntervalDtype)
    assert ages.notna().all()
    assert not isinstance(texts["age"].dtype, pd.IntervalDtype)
    others = [name for name in texts.columns if name not in {"age", "zip"}]
    assert others
    pd.testing.assert_frame_equal(parsed[others], texts[others])


def test_parsed_is_the_default_and_text_what_was_written(release):
    folder = Path(run_release(release.file))
    parsed = read_published(folder)
    pd.testing.assert_frame_equal(parsed, read_published(folder, labels="parsed"))
    written = pd.read_csv(folder / "data.csv", dtype=str)
    texts = read_published(folder, labels="text")
    assert texts["age"].tolist() == written["age"].tolist()


def test_a_file_of_a_release_is_not_its_folder(release):
    folder = Path(run_release(release.file))
    with pytest.raises(DataError, match=f"give its folder, {re.escape(str(folder))}"):
        read_published(folder / "data.csv")


def test_an_unknown_choice_is_named(release):
    with pytest.raises(ParameterError, match=r"labels.*'interval'.*'parsed', 'text'"):
        read_published(release.target, labels="interval")


def test_features_of_both_are_the_same(release):
    folder = run_release(release.file)
    known = ["age", "zip"]
    texts, parsed = read_published(folder, labels="text"), read_published(folder)
    features = [LabelParser().fit_transform(table[known]) for table in (texts, parsed)]
    assert features[0].shape[1] > 3
    np.testing.assert_array_equal(features[0], features[1])


def test_who_judges_a_published_table_reads_texts(release):
    folder = Path(run_release(release.file))
    written = pd.read_csv(folder / "data.csv", dtype=str)
    frame, _ = read_release(folder)
    for name in ("age", "zip"):
        assert frame[name].tolist() == written[name].tolist()
