"""How this library is asked."""

from typing import Any

import pandas as pd

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MondrianAnonymizer,
)
from anon_transformers.evidence import Classes
from anon_transformers.hierarchies import Hierarchy, Intervals
from anon_transformers.metrics import class_statistics
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    judge,
)

MODELS = {
    model.name: model
    for model in (
        DistinctLDiversity,
        EntropyLDiversity,
        KAnonymity,
        RecursiveCLDiversity,
        TCloseness,
    )
}
METHODS = {
    "mondrian": MondrianAnonymizer,
    "datafly": DataflyAnonymizer,
    "full-domain": FullDomainAnonymizer,
}


class Ours:
    """An adapter (see ``corpus.py``) that anonymizes by one of our methods."""

    def __init__(self, method: str = "mondrian"):
        self.method = method

    def judge(self, frame: pd.DataFrame, case: Any, question: Any) -> Any:
        """Ask our models about the classes of a table."""
        sensitive = [case["sensitive"]] if "sensitive" in case else []
        found = Classes.from_frame(frame, case["quasi_identifiers"], sensitive)
        distance = question.get("distance", "equal")
        close = TCloseness(t=1, distance=distance, reference="released")
        answers = {
            "k": lambda: KAnonymity(k=1).level(found),
            "distinct-l": lambda: DistinctLDiversity(l=1).level(found),
            "entropy-l": lambda: EntropyLDiversity(l=1).level(found),
            "t": lambda: close.level(found),
            "k of kept rows": lambda: class_statistics(found).smallest,
            "suppressed rows": lambda: class_statistics(found).suppressed_rows,
            "holds": lambda: judge(_model(question), found).passed,
        }
        return answers[question["question"]]()

    def prepare(self, frame: pd.DataFrame, case: Any, asked: Any) -> Any:
        """Table, hierarchies and parameters; None if the method needs hierarchies."""
        if self.method != "mondrian" and "hierarchies" not in case:
            return None
        return {"frame": frame, "case": case, "asked": asked}

    def publish(self, arguments: Any) -> pd.DataFrame:
        """Anonymize with what was asked for."""
        case, asked = arguments["case"], arguments["asked"]
        trees = case.get("hierarchies", {})
        models = []
        if "l" in asked:
            models.append(DistinctLDiversity(l=asked["l"]))
        if "t" in asked:
            models.append(TCloseness(t=asked["t"]))
        anonymizer = METHODS[self.method](
            case["quasi_identifiers"],
            k=asked["k"],
            models=models,
            sensitive=[case["sensitive"]],
            hierarchies={name: Hierarchy(rows) for name, rows in trees.items()},
            suppression_limit=asked.get("suppression", 0.0),
            suppression="drop",
        )
        return anonymizer.fit_transform(arguments["frame"])

    def labels(self, values: Any, width: int) -> list[str]:
        """Ranges from a hierarchy of intervals."""
        rows = Intervals(widths=(width,)).build([str(value) for value in values]).rows
        label = {row[0]: row[1] for row in rows}
        return [label[str(value)] for value in values]


def _model(question: Any) -> Any:
    params = {k: v for k, v in question.items() if k in {"k", "l", "c", "t"}}
    if question["model"] == "t-closeness":
        params["reference"] = "released"
    return MODELS[question["model"]](**params)
