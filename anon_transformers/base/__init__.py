"""What every anonymizer is; plugins subclass the classes of this package.

Methods that publish labels write them by :func:`range_label`, :func:`set_label` and
:func:`value_label`: a release reads these, and refuses a label that does not cover the
value it stands for.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers._data.columns import Column
    from anon_transformers._data.labels import range_label, set_label, value_label
    from anon_transformers.base._base import BaseAnonymizer
    from anon_transformers.base._coded_table import (
        CodedTable,
        Points,
        PublishedColumn,
        refuse_too_few,
    )
    from anon_transformers.base._graph import GraphAnonymizer
    from anon_transformers.base._linked import LinkedAnonymizer
    from anon_transformers.base._linked_table import LinkedTable
    from anon_transformers.base._progress import (
        part_of_progress,
        progress_heard_by,
        run_counted,
        tell_progress,
    )
    from anon_transformers.base._table import TableAnonymizer
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "BaseAnonymizer",
    "CodedTable",
    "Column",
    "GraphAnonymizer",
    "LinkedAnonymizer",
    "LinkedTable",
    "Points",
    "PublishedColumn",
    "TableAnonymizer",
    "part_of_progress",
    "progress_heard_by",
    "range_label",
    "refuse_too_few",
    "run_counted",
    "set_label",
    "tell_progress",
    "value_label",
]
