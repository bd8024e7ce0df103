"""Several files of one source: they have the same columns, and are put together."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pandas as pd
from pandas.api import types

from anon_transformers.exceptions import DataError
from anon_transformers.release._files import schema_of


@contextmanager
def said_of_part(part: Any) -> Iterator[None]:
    """Say of which part of a source, such as one of its files, something is refused."""
    try:
        yield
    except DataError as error:
        said = str(error)
    else:
        return
    raise DataError(said if str(part) in said else f"{part}: {said}")


def put_together(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The rows of all tables, in the order of the columns of the first.

    Their columns were compared with the declared ones, one by one, before: by names
    that differ, a message would quote what may be the first row of a file.
    """
    first = next(iter(tables.values()))
    columns = list(first.columns)
    for file, table in tables.items():
        lacking = [name for name in columns if name not in table.columns]
        more = len(table.columns) - (len(columns) - len(lacking))
        if lacking or more:
            raise DataError(
                f"{file}: has other columns than the first file: {len(lacking)} of its "
                f"{len(columns)} are not there, and {more} others are."
            )
    parts = [table[columns] for table in tables.values() if len(table)]
    return pd.concat(parts, ignore_index=True) if parts else first


def refuse_other_types(tables: Mapping[str, pd.DataFrame]) -> None:
    """Refuse columns that are numbers in one file and texts in another.

    Nobody could say whether 7 of one file and 007 of another are the same.
    """
    known: dict[Any, tuple[tuple[str, Any], str]] = {}
    for file, table in tables.items():
        for name in table.columns:
            if table[name].isna().all():
                continue
            found = _type_of(table[name])
            before, first = known.setdefault(name, (found, file))
            if found != before:
                raise DataError(
                    f"{file}: column {name!r} holds {found[0]}, and {before[0]} in "
                    f"{first}; write it one way."
                )


def _type_of(series: pd.Series) -> tuple[str, Any]:
    """What a column holds, in words, and what else must be the same."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        if series.cat.ordered:
            return "values in an order of its own", tuple(series.cat.categories)
        return _type_of(pd.Series(series.cat.categories))
    if types.is_bool_dtype(series.dtype):
        return "truth values", None
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        return "moments with a zone", str(series.dtype.tz)
    kind = schema_of(pd.DataFrame({"of": series}))["of"]
    return f"{kind}s", None
