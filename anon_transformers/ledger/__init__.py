"""What was published, and what releases tell together."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.ledger._chain import LedgerEntry, LedgerVerification
    from anon_transformers.ledger._composition import Composition, judge_composition
    from anon_transformers.ledger._composition_report import CompositionReport
    from anon_transformers.ledger._ledger import Ledger
    from anon_transformers.ledger._memberships import MembershipKey, StoredMemberships
    from anon_transformers.ledger._publication import (
        Publication,
        RecordedPublication,
        compare_publications,
    )
    from anon_transformers.ledger._published_classes import PublishedClasses
    from anon_transformers.ledger._reuse import (
        CellsInUse,
        ReuseDecision,
        reuse_cells,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "CellsInUse",
    "Composition",
    "CompositionReport",
    "Ledger",
    "LedgerEntry",
    "LedgerVerification",
    "MembershipKey",
    "Publication",
    "PublishedClasses",
    "RecordedPublication",
    "ReuseDecision",
    "StoredMemberships",
    "compare_publications",
    "judge_composition",
    "reuse_cells",
]
