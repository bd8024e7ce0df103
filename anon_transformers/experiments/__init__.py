"""Experiments: methods side by side, and published comparisons run again."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "Experiment",
    "Findings",
    "compare",
    "plot_frontier",
    "reproduce",
    "write_comparison",
    "write_findings",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Experiment": "anon_transformers.experiments._experiment",
        "Findings": "anon_transformers.experiments._experiment",
        "compare": "anon_transformers.experiments._compare",
        "plot_frontier": "anon_transformers.experiments._frontier",
        "reproduce": "anon_transformers.experiments._experiment",
        "write_comparison": "anon_transformers.experiments._pages",
        "write_findings": "anon_transformers.experiments._pages",
    },
)
