"""Experiments: methods side by side, and published comparisons run again."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "NOT_RUN",
    "NUMBER_COLUMNS",
    "CodingComparison",
    "Experiment",
    "Findings",
    "Panels",
    "Progress",
    "compare",
    "compare_codings",
    "plot_frontier",
    "reproduce",
    "write_codings",
    "write_comparison",
    "write_findings",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "CodingComparison": "anon_transformers.experiments._codings",
        "Experiment": "anon_transformers.experiments._experiment",
        "Findings": "anon_transformers.experiments._experiment",
        "NOT_RUN": "anon_transformers.experiments._numbers",
        "NUMBER_COLUMNS": "anon_transformers.experiments._experiment",
        "Panels": "anon_transformers.experiments._plots",
        "Progress": "anon_transformers.experiments._compare",
        "compare": "anon_transformers.experiments._compare",
        "compare_codings": "anon_transformers.experiments._codings",
        "plot_frontier": "anon_transformers.experiments._frontier",
        "reproduce": "anon_transformers.experiments._experiment",
        "write_codings": "anon_transformers.experiments._coding_pages",
        "write_comparison": "anon_transformers.experiments._pages",
        "write_findings": "anon_transformers.experiments._pages",
    },
)
