"""What a privacy model judges: never a table, only what can be counted in it."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.evidence._candidates import Candidates
    from anon_transformers.evidence._classes import SUPPRESSED, Classes
    from anon_transformers.evidence._counts import SensitiveCounts
    from anon_transformers.evidence._graph import GraphEvidence
    from anon_transformers.evidence._likelihoods import Likelihoods
    from anon_transformers.evidence._linkage import Linkage
    from anon_transformers.evidence._memberships import Memberships
    from anon_transformers.evidence._references import distribution
    from anon_transformers.evidence._report import Report
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "SUPPRESSED",
    "Candidates",
    "Classes",
    "GraphEvidence",
    "Likelihoods",
    "Linkage",
    "Memberships",
    "Report",
    "SensitiveCounts",
    "distribution",
]
