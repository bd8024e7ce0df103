"""Published tables, read: labels as intervals, categories and numeric features."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers._data.labels import PublishedLabel, parse_label
    from anon_transformers.published._label_parser import LabelParser
    from anon_transformers.published._parsing import parse_labels, parse_table
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "LabelParser",
    "PublishedLabel",
    "parse_label",
    "parse_labels",
    "parse_table",
]
