"""Anonymize tables, prove the protection of the result, and release it."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.base import TableAnonymizer
    from anon_transformers.evidence import Classes
    from anon_transformers.generalization import DataflyAnonymizer, FullDomainAnonymizer
    from anon_transformers.hierarchies import Hierarchy
    from anon_transformers.hookspecs import hookimpl
    from anon_transformers.microaggregation import GroupSwapper, MDAVAnonymizer
    from anon_transformers.partitioning import MondrianAnonymizer
    from anon_transformers.privacy import KAnonymity
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Classes",
    "DataflyAnonymizer",
    "FullDomainAnonymizer",
    "GroupSwapper",
    "Hierarchy",
    "KAnonymity",
    "MDAVAnonymizer",
    "MondrianAnonymizer",
    "TableAnonymizer",
    "hookimpl",
]
