"""A release file as a Python script: the whole release, and its method by hand."""

from typing import TYPE_CHECKING

from anon_transformers.studio._period import example_period

if TYPE_CHECKING:
    from anon_transformers.studio._project import Project

BY_HAND = """\
from anon_transformers.experiments import release_methods
from anon_transformers.release import run_release

file = {file!r}

# The method alone, as a release would make it; nothing is published.
made = release_methods(file, [{method!r}]{period})
anonymizer = made.methods[{method!r}]
table = anonymizer.fit_transform(made.frame)
print(anonymizer.report_)

# Load, anonymize, validate, publish.
run_release(file{period})
"""
WHOLE = """\
from anon_transformers.release import run_release

# Load, anonymize, validate, publish.
run_release({file!r}{period})
"""
"""Of a graph, whose method is fitted to another kind of data than a frame."""


def script_of(project: "Project") -> str:
    """What the release file says, as a script."""
    stated = project.content.get("anonymizer")
    method = stated.get("name") if isinstance(stated, dict) else stated
    period = project.period or example_period(project)
    return (WHOLE if project.is_graph else BY_HAND).format(
        file=str(project.file),
        method=str(method),
        period="" if period is None else f", period={period!r}",
    )
