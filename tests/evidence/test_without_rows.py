"""Classes of persons, for models that could count rows by mistake."""

import numpy as np
import pandas as pd

from anon_transformers.evidence import Classes
from anon_transformers.privacy import report_of

VISITS = pd.DataFrame({"age": [20] * 6 + [30] * 3, "who": [*"aaaaaa", *"abc"]})


class RowReport:
    """A model that reports rows."""

    def report(self, evidence):
        return {"rows": evidence.rows.tolist(), "labels": evidence.labels}


def test_merged_classes_have_no_rows_either():
    persons = Classes.from_frame(VISITS, ["age"], subject="who").without_rows()
    assert persons.rows.tolist() == persons.sizes.tolist() == [1, 3]
    # One person is in both, and counts once.
    merged = persons.merge(np.array([0, 0]), n_classes=1)
    assert merged.rows.tolist() == merged.sizes.tolist() == [3]


def test_what_a_model_reports_is_of_persons_where_they_are_known():
    persons = Classes.from_frame(VISITS, ["age"], subject="who")
    assert report_of(RowReport(), persons) == {"rows": [1, 3], "labels": None}
    rows = Classes.from_frame(VISITS, ["age"])
    assert report_of(RowReport(), rows)["rows"] == [6, 3]
