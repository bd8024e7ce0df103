"""A release file as a Python script: the whole release, and its method by hand."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anon_transformers.studio._project import Project

SCRIPT = """\
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


def script_of(project: "Project") -> str:
    """What the release file says, as a script."""
    stated = project.content.get("anonymizer")
    method = stated.get("name") if isinstance(stated, dict) else stated
    period = project.period
    return SCRIPT.format(
        file=str(project.file),
        method=str(method),
        period="" if period is None else f", period={json.dumps(period)}",
    )
