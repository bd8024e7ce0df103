"""Anonymize tables, prove the protection of the result, and release it."""

from anon_transformers._lazy import lazy_names

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Classes": "anon_transformers.evidence",
        "DataflyAnonymizer": "anon_transformers.generalization",
        "FullDomainAnonymizer": "anon_transformers.generalization",
        "GroupSwapper": "anon_transformers.microaggregation",
        "Hierarchy": "anon_transformers.hierarchies",
        "KAnonymity": "anon_transformers.privacy",
        "MDAVAnonymizer": "anon_transformers.microaggregation",
        "MondrianAnonymizer": "anon_transformers.partitioning",
        "TableAnonymizer": "anon_transformers.base",
        "hookimpl": "anon_transformers.hookspecs",
    },
)
