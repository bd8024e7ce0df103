"""Named, versioned bundles of thresholds and required checks, each with its source.

A release file names one, ``policy: ontario-15``. A policy claims thresholds and checks,
and never that a release complies with a law.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.policies._policy import Citation, Policy
    from anon_transformers.policies._rules import (
        ColumnFault,
        ColumnRule,
        PublishedCells,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = ["Citation", "ColumnFault", "ColumnRule", "Policy", "PublishedCells"]
