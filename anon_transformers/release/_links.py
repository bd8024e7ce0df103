"""Private evidence: which row of the input each row of the candidate came from.

Cells that were swapped have groups and sources beside it. None of this is published,
and it goes with the run's folder.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import ReleaseError
from anon_transformers.release._files import read_parquet, write_parquet
from anon_transformers.release._run import Run, sha256

LINKS = "links.parquet"


def write_links(folder: Path, anonymizer: Any, rows: np.ndarray) -> dict[str, Any]:
    """Write the links of a shuffled candidate; what to note of them."""
    links = {"row": rows}
    linked = type(anonymizer).kind == "linked"
    moved = dict(anonymizer.permutations_) if linked else {}
    for number, (columns, sources) in enumerate(moved.items()):
        links[f"group {number}"] = anonymizer.labels_[columns][rows]
        links[f"source {number}"] = sources[rows]
    write_parquet(pd.DataFrame(links), folder / LINKS)
    return {
        "moved": [list(columns) for columns in moved],
        "links_sha256": sha256(folder / LINKS),
    }


def kept_rows(anonymizer: Any, n_rows: int) -> np.ndarray:
    """Rows of the input that were published, in their order.

    To be asked once: a stranger's answer may be another one the next time.
    """
    if getattr(anonymizer, "suppression", "mask") != "drop":
        return np.arange(n_rows)
    suppressed = np.array(anonymizer.suppressed_mask_)
    if suppressed.dtype != bool or suppressed.shape != (n_rows,):
        raise ReleaseError(
            f"the anonymizer does not say which of {n_rows} rows it suppressed: "
            "suppressed_mask_ must be one truth per row."
        )
    return np.flatnonzero(~suppressed)


def read_rows(run: Run, candidate: dict[str, Any]) -> np.ndarray:
    """The row of the input that each row of the candidate was made of."""
    return _read(run, candidate)["row"].to_numpy()


def _read(run: Run, candidate: dict[str, Any]) -> pd.DataFrame:
    file = run.path("candidate") / LINKS
    if sha256(file) != candidate["links_sha256"]:
        raise ReleaseError(f"run {run.id}: its evidence of links changed.")
    return read_parquet(file)


def read_links(run: Run, candidate: dict[str, Any]) -> dict[str, Any]:
    """The original in the order of the candidate, groups and sources."""
    links = _read(run, candidate)
    rows = links["row"].to_numpy()
    source = read_parquet(run.path("input.parquet"))
    # A source is a row of the input; the candidate has it at another place.
    place = np.full(len(source), -1)
    place[rows] = np.arange(len(rows))
    moved = [tuple(columns) for columns in candidate["moved"]]
    return {
        "swapped": bool(moved),
        "original": source.iloc[rows].reset_index(drop=True),
        "groups": {c: links[f"group {i}"].to_numpy() for i, c in enumerate(moved)},
        "sources": {
            c: place[links[f"source {i}"].to_numpy()] for i, c in enumerate(moved)
        },
    }
