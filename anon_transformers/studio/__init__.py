"""Studio: a local web application from a raw table to a release file.

``anon studio`` starts it. Its pages hold personal data: it answers on this machine
only, to whoever has the address that it printed, and to one person per process.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.studio._app import make_app
    from anon_transformers.studio._begin import begin_project
    from anon_transformers.studio._page import (
        Page,
        action,
        address,
        project_of,
        render,
        start_job,
    )
    from anon_transformers.studio._server import serve
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Page",
    "action",
    "address",
    "begin_project",
    "make_app",
    "project_of",
    "render",
    "serve",
    "start_job",
]
