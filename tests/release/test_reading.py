"""A published release, read as what its labels say."""

import pandas as pd
import pytest

from anon_transformers.exceptions import ParameterError
from anon_transformers.release import read_published, run_release


def test_labels_of_quasi_identifiers_are_parsed_and_no_others(release):
    folder = run_release(release.file)
    texts, parsed = read_published(folder), read_published(folder, labels="parsed")
    ages = parsed["age"]
    assert isinstance(ages.dtype, pd.IntervalDtype)
    assert ages.notna().all()
    assert not isinstance(texts["age"].dtype, pd.IntervalDtype)
    others = [name for name in texts.columns if name not in {"age", "zip"}]
    assert others
    pd.testing.assert_frame_equal(parsed[others], texts[others])


def test_text_is_the_default(release):
    folder = run_release(release.file)
    texts = read_published(folder)
    assert texts.equals(read_published(folder, labels="text"))
    assert texts["age"].map(type).eq(str).all()


def test_an_unknown_choice_is_named(release):
    with pytest.raises(ParameterError, match=r"labels.*'interval'.*'parsed', 'text'"):
        read_published(release.target, labels="interval")
