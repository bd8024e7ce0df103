"""Proposals: what the columns of a table are, and a release file to start from."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.proposals._missing import find_missing_marks
    from anon_transformers.proposals._release_file import (
        ProposedRelease,
        propose_release,
    )
    from anon_transformers.proposals._roles import (
        ColumnProposal,
        TableProposal,
        propose_roles,
        propose_table,
    )
    from anon_transformers.proposals._scores import score_hierarchies
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "ColumnProposal",
    "ProposedRelease",
    "TableProposal",
    "find_missing_marks",
    "propose_release",
    "propose_roles",
    "propose_table",
    "score_hierarchies",
]
