"""Experiments: methods side by side, and published comparisons run again."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.experiments._coding_criteria import coding_criteria
    from anon_transformers.experiments._coding_pages import coding_panels, write_codings
    from anon_transformers.experiments._coding_summary import coding_summary
    from anon_transformers.experiments._codings import CodingComparison, compare_codings
    from anon_transformers.experiments._compare import Progress, compare
    from anon_transformers.experiments._experiment import (
        NOT_RUN,
        NUMBER_COLUMNS,
        Experiment,
        Findings,
    )
    from anon_transformers.experiments._learning import Learner
    from anon_transformers.experiments._of_release import (
        ReleaseMethods,
        release_methods,
    )
    from anon_transformers.experiments._pages import write_comparison, write_findings
    from anon_transformers.experiments._plots import Panels, plot_frontier
    from anon_transformers.experiments._reproduce import reproduce
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "NOT_RUN",
    "NUMBER_COLUMNS",
    "CodingComparison",
    "Experiment",
    "Findings",
    "Learner",
    "Panels",
    "Progress",
    "ReleaseMethods",
    "coding_criteria",
    "coding_panels",
    "coding_summary",
    "compare",
    "compare_codings",
    "plot_frontier",
    "release_methods",
    "reproduce",
    "write_codings",
    "write_comparison",
    "write_findings",
]
