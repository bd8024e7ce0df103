"""Networks into files."""

import gzip
import shutil
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import pandas as pd
import typer

from anon_transformers.cli import Dialect
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.registry import registry
from anon_transformers_graphs.cli._files import is_compressed, kind_of

Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there.")]
PICTURE = ".png"


def check_targets(
    targets: Iterable[Path], sources: Iterable[Path], force: bool
) -> None:
    """Refuse targets that are there, that are no place, one file, or sources."""
    sources, seen = list(sources), list[Path]()
    for target in targets:
        kind_of(target, registry().writers)
        if any(_is_same_file(target, other) for other in seen):
            raise ConfigurationError(
                f"{target}: edges, nodes and mapping need one file each."
            )
        seen.append(target)
        _check_place(target, sources, force)


def check_picture(target: Path, sources: Iterable[Path], force: bool) -> None:
    """Refuse a picture that could not be written, or that is no PNG file."""
    if target.suffix.lower() != PICTURE:
        raise ConfigurationError(f"{target}: a picture is a {PICTURE} file.")
    _check_place(target, sources, force)


def _check_place(target: Path, sources: Iterable[Path], force: bool) -> None:
    if not target.absolute().parent.is_dir():
        raise ConfigurationError(f"{target.absolute().parent} is not a folder.")
    if any(_is_same_file(target, source) for source in sources):
        raise ConfigurationError(f"{target} is a source itself.")
    if target.is_dir():
        raise ConfigurationError(f"{target} is a folder.")
    if (target.exists() or target.is_symlink()) and not force:
        raise ConfigurationError(f"{target} is there; --force overwrites it.")


def _is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, written differently or linked."""
    if one.resolve() == other.resolve():
        return True
    return one.exists() and other.exists() and one.samefile(other)


def write_picture(picture: bytes, path: Path) -> None:
    """A picture into its file."""
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise _write_error(path, error) from None


def write_tables(
    tables: Mapping[Path, pd.DataFrame],
    dialect: Dialect,
    private: Collection[Path] = (),
) -> None:
    """Tables into files, whole, and none of them before all could be written.

    Files in ``private`` can be read by their owner alone.

    All that is left then is to give the drafts their names. If that fails for the
    second one, the first has its name already.
    """
    with ExitStack() as drafts:
        written = {
            path: _draft(table, path, dialect, drafts) for path, table in tables.items()
        }
        for path, draft in written.items():
            try:
                if path in private:
                    # Before it has its name: no other user can open it in between.
                    draft.chmod(0o600)
                draft.replace(path)
            except OSError as error:
                raise _write_error(path, error) from None


def _draft(
    table: pd.DataFrame, path: Path, dialect: Dialect, drafts: ExitStack
) -> Path:
    """Write a table to a folder beside its place, from where it can be moved at once.

    Messages name the target, since users do not know of the draft.
    """
    try:
        folder = TemporaryDirectory(prefix=".draft-", dir=path.absolute().parent)
        draft = Path(drafts.enter_context(folder)) / "table"
        writers = registry().writers
        kind = kind_of(path, writers)
        if kind == "edges":
            draft.write_text(_edge_lines(table, path), encoding=dialect.encoding)
        else:
            writers[kind](table, draft, **dialect.as_options() if kind == "csv" else {})
        return _compress(draft) if is_compressed(path) else draft
    except OSError as error:
        raise _write_error(path, error) from None
    except UnicodeEncodeError:
        pass  # raised below, so that the error does not carry a name along
    raise ConfigurationError(
        f"{path}: the result holds characters that {dialect.encoding} does not have; "
        "write Parquet, or save the source in UTF-8."
    )


def _write_error(path: Path, error: OSError) -> ConfigurationError:
    why = error.strerror or type(error).__name__
    return ConfigurationError(f"{path} cannot be written: {why}.")


def _compress(draft: Path) -> Path:
    """The file, compressed, without its name and the time in the header."""
    packed = draft.with_name("packed")
    with (
        draft.open("rb") as source,
        packed.open("wb") as place,
        gzip.GzipFile("", "wb", fileobj=place, mtime=0) as target,
    ):
        shutil.copyfileobj(source, target)
    return packed


def _edge_lines(table: pd.DataFrame, path: Path) -> str:
    names = table.iloc[:, :2].astype("string")
    unfit = int(names.apply(lambda c: c.str.contains(r"[\s#]", na=False)).sum().sum())
    if unfit:
        raise ConfigurationError(
            f"{path}: {unfit} names hold a blank or #, which would end them; write CSV."
        )
    texts = table.astype("string")
    # A missing name or weight is at the end of its line, and leaves nothing behind.
    lines = texts.iloc[:, 0].str.cat(texts.iloc[:, 1:], sep=" ", na_rep="").str.rstrip()
    return "".join(lines + "\n")
