"""Private evidence of a candidate: links, memberships, who is left out, references.

It lies in the folder of the run beside the candidate, and is removed with it.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import distribution
from anon_transformers.release._cells import write_parquet
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._files import read_parquet
from anon_transformers.release._forms import INPUT, Candidate
from anon_transformers.release._run import sha256

LINKS = "links.parquet"
MEMBERSHIPS = "memberships.parquet"
LEFT_OUT = "left_out.parquet"
REFERENCES = "references.json"


def read_rows(candidate: Candidate) -> np.ndarray:
    """The row of the input that each row of the candidate was made of."""
    return _read_links(candidate)["row"].to_numpy()


def _read_links(candidate: Candidate) -> pd.DataFrame:
    noted = candidate.noted["links_sha256"]
    return read_parquet(candidate.run.evidence_file(LINKS, noted, "links"))


def write_left_out(draft: Path, left_out: pd.DataFrame) -> dict[str, Any]:
    """Write who was left out of which cell; returns what is noted of it."""
    if left_out.empty:
        return {}
    write_parquet(left_out, draft / LEFT_OUT)
    return {"left_out_sha256": sha256(draft / LEFT_OUT)}


def read_left_out(candidate: Candidate) -> pd.DataFrame | None:
    """A row of the input of each person who was left out, and the cell."""
    noted = candidate.noted.get("left_out_sha256")
    if noted is None:
        return None
    return read_parquet(candidate.run.evidence_file(LEFT_OUT, noted, "who is left out"))


def linked_rows(candidate: Candidate) -> dict[str, Any]:
    """The original in the order of the candidate, groups and sources."""
    links = _read_links(candidate)
    rows = links["row"].to_numpy()
    source = candidate.read_loaded(INPUT)
    # A source is a row of the input; the candidate has it at another place.
    place = np.full(len(source), -1)
    place[rows] = np.arange(len(rows))
    moved = [tuple(columns) for columns in candidate.noted["moved"]]
    return {
        "swapped": bool(moved),
        "original": source.iloc[rows].reset_index(drop=True),
        "groups": {c: links[f"group {i}"].to_numpy() for i, c in enumerate(moved)},
        "sources": {
            c: place[links[f"source {i}"].to_numpy()] for i, c in enumerate(moved)
        },
    }


def write_memberships(draft: Path, anonymizer: Any, rows: np.ndarray) -> dict[str, Any]:
    """Write the degrees of a shuffled candidate; returns what is noted of them."""
    degrees = getattr(anonymizer, "degrees_", None)
    if degrees is None:  # the gate will say that it cannot judge
        return {}
    columns = [str(number) for number in range(degrees.shape[1])]
    write_parquet(pd.DataFrame(degrees[rows], columns=columns), draft / MEMBERSHIPS)
    return {"memberships_sha256": sha256(draft / MEMBERSHIPS)}


def read_memberships(candidate: Candidate) -> dict[str, Any]:
    """The degrees in the order of the candidate."""
    noted = candidate.noted.get("memberships_sha256")
    if noted is None:
        return {}
    file = candidate.run.evidence_file(MEMBERSHIPS, noted, "memberships")
    return {"degrees": read_parquet(file).to_numpy(dtype=np.float64)}


def references(source: pd.DataFrame, roles: DeclaredRoles) -> dict[str, Any]:
    """How often the source has each sensitive value, in rows or in persons.

    As pairs: a missing value is no key in JSON, nor are several values of a person.
    """
    subject = None if roles.subject is None else source[roles.subject]
    return {
        "persons": None if subject is None else int(subject.nunique()),
        "columns": {
            name: list(distribution(source[name], subject, together=True).items())
            for name in roles.sensitive
        },
    }
