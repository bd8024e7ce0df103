"""Computes the grid that Studio's Statistics page of the Adult project opens with.

``python benchmarks/adult_grid.py`` makes every run of the reproduction of k-anonymity,
l-diversity and t-closeness on Adult (some minutes), and writes what it measures.
"""

import json
from pathlib import Path

from anon_transformers.registry import registry

TARGET = Path(__file__).parents[1] / "anon_transformers/studio/data/adult-grid.json"
KEPT = (
    "method", "k", "c", "l", "t", "classes", "mean", "largest", "smallest", "kept",
    "suppressed", "loss", "average_risk", "highest_risk", "records_at_risk",
)  # fmt: skip
DIGITS = 8


def main() -> None:
    """Run the experiment, and write its runs: numbers only, one run a line."""
    findings = registry().experiments["tabular-k-l-t"]().run(_tell)
    runs = [
        {name: _plain(run[name]) for name in KEPT if run[name] == run[name]}
        for run in findings.runs.to_dict("records")
    ]
    runs = [{k: v for k, v in run.items() if v is not None} for run in runs]
    head = json.dumps({"title": findings.title, "source": findings.source})[:-1]
    lines = ",\n".join(json.dumps(run) for run in runs)
    TARGET.write_text(f'{head}, "runs": [\n{lines}\n]}}\n', encoding="utf-8")


def _plain(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, DIGITS)
    return value


def _tell(done: int, total: int, name: str) -> None:
    print(f"{done} of {total} {name}", flush=True)


if __name__ == "__main__":
    main()
