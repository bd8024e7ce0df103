"""What was published: a private record that shows when somebody changed it."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.ledger._chain import LedgerEntry, LedgerVerification
    from anon_transformers.ledger._ledger import Ledger
    from anon_transformers.ledger._memberships import MembershipKey, StoredMemberships
    from anon_transformers.ledger._publication import (
        Publication,
        RecordedPublication,
        compare_publications,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Ledger",
    "LedgerEntry",
    "LedgerVerification",
    "MembershipKey",
    "Publication",
    "RecordedPublication",
    "StoredMemberships",
    "compare_publications",
]
