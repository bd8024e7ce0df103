"""Private evidence: how much each row of the candidate belongs to each fuzzy class.

Degrees give the original values back. They are never published, and go with the run's
folder.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import ReleaseError
from anon_transformers.release._files import read_parquet, write_parquet
from anon_transformers.release._run import Run, sha256

MEMBERSHIPS = "memberships.parquet"


def write_memberships(
    folder: Path, anonymizer: Any, rows: np.ndarray
) -> dict[str, Any]:
    """Write the degrees of a shuffled candidate; what to note of them."""
    degrees = getattr(anonymizer, "degrees_", None)
    if degrees is None:  # the gate will say that it cannot judge
        return {}
    columns = [str(number) for number in range(degrees.shape[1])]
    write_parquet(pd.DataFrame(degrees[rows], columns=columns), folder / MEMBERSHIPS)
    return {"memberships_sha256": sha256(folder / MEMBERSHIPS)}


def read_memberships(run: Run, candidate: dict[str, Any]) -> dict[str, Any]:
    """The degrees in the order of the candidate."""
    if "memberships_sha256" not in candidate:
        return {}
    file = run.path("candidate") / MEMBERSHIPS
    if sha256(file) != candidate["memberships_sha256"]:
        raise ReleaseError(f"run {run.id}: its evidence of memberships changed.")
    return {"degrees": read_parquet(file).to_numpy(dtype=np.float64)}
