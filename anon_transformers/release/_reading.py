"""A published version, read with the schema of its manifest."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pandas as pd

from anon_transformers.exceptions import DataError, ParameterError, check_choice
from anon_transformers.published import parse_table
from anon_transformers.release._files import read_data
from anon_transformers.release._period import Period
from anon_transformers.release._remote_files import as_path, is_address
from anon_transformers.release._run import sha256


def read_published(
    folder: str | os.PathLike[str],
    period: str | Period | None = None,
    *,
    labels: Literal["parsed", "text"] = "parsed",
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    r"""Read a published release with the schema of its manifest.

    Parameters
    ----------
    folder : path
        The release's target folder, or the folder of one version; or the address of
        its target, such as ``s3://bucket/ward``.
    period : str or Period, optional
        The period whose newest version is read, such as ``"2026-10"``, if the release
        has periods; what ``current`` leads to by default.
    labels : {"parsed", "text"}, default="parsed"
        What a quasi-identifier holds: what its label says, that is ranges as
        :class:`pandas.Interval`, sets and names as categories, suppressed cells as
        missing, see :func:`anon_transformers.published.parse_labels`; or the text that
        was published. Two cells are the same, and in one class, where their texts are.
        Other columns are the same in both.

    Returns
    -------
    DataFrame, or tuple of two
        Every cell as it was when the release was judged, with its label parsed or not;
        of a graph its edges and its nodes.

    Raises
    ------
    DataError
        If nothing was published there, or not these bytes.

    See Also
    --------
    anon_transformers.published.LabelParser : A published table as numeric features.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from anon_transformers.release import read_published, run_release
    >>> file = Path(tempfile.mkdtemp()) / "ages.yaml"
    >>> written = file.write_text(
    ...     "source: {path: 'bundled:adult/adult.csv.gz'}\n"
    ...     "roles:\n"
    ...     "  quasi_identifiers: [age, sex]\n"
    ...     "  sensitive: [occupation]\n"
    ...     "  dropped: [race, marital-status, education, native-country,"
    ...     " workclass, salary-class]\n"
    ...     "  rows_are_persons: true\n"
    ...     "anonymizer: {name: mondrian, step: {age: 5},"
    ...     " domain: {sex: [Female, Male]}}\n"
    ...     "thresholds: [{model: k-anonymity, k: 50}]\n"
    ...     "target: {path: published}\n"
    ... )
    >>> published = run_release(file)
    >>> read_published(published).dtypes[["age", "sex"]].astype(str).to_dict()
    {'age': 'interval[float64, left]', 'sex': 'category'}
    >>> read_published(published, labels="text")["age"].min()
    '< 20'
    """
    check_choice("labels", labels, ("parsed", "text"))
    folder = as_path(folder) if isinstance(folder, str) else folder
    if is_address(folder):
        if period is not None:
            raise ParameterError("period: a store has no periods.")
        return _read_address(str(folder), labels)
    link = Path(folder) / "current"
    if period is None and not link.exists():
        return _read_version(Path(folder), labels)

    def find() -> Path:
        if period is None:
            return link.resolve()
        return newest_version(Path(folder), Period.read(period))

    while True:
        version = find()
        try:
            return _read_version(version, labels)
        except (DataError, OSError):
            # A version may be removed while it is read; then there is a newer one.
            if find() == version:
                raise


def _read_address(
    address: str, labels: str
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    """Read what is published in a store, by a copy that goes when it is read."""
    from anon_transformers.release._public_store import fetch_current

    with TemporaryDirectory() as copy:
        fetch_current(address, Path(copy))
        return _read_version(Path(copy), labels)


def newest_version(target: Path, period: Period) -> Path:
    """The version of a period that was published last, in any folder of a target."""
    found: dict[tuple[str, int], Path] = {}
    periods = set()
    for file in target.glob("**/versions/*/manifest.json"):
        try:
            manifest = json.loads(file.read_text(encoding="utf-8"))
            written = file.stat().st_mtime_ns
        except FileNotFoundError:  # removed meanwhile, for a newer one
            continue
        # A folder that starts with a dot is not whole yet, and another release may have
        # its folder of all periods below this one.
        here = file.parent.relative_to(target).as_posix()
        is_whole = not file.parent.name.startswith(".")
        is_here = f"/{manifest.get('place', here)}".endswith(f"/{here}")
        if "period" in manifest and is_whole and is_here:
            periods.add(manifest["period"])
            if manifest["period"] == period.name:
                found[manifest["published"], written] = file.parent
    if not found:
        shown = ", ".join(sorted(periods)) or "none"
        raise DataError(
            f"{target}: holds no published version of period {period.name}; periods "
            f"that are published: {shown}."
        )
    return found[max(found)].resolve()


def _read_version(
    place: Path, labels: str
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    if not (place / "manifest.json").is_file():
        if place.is_file() and (place.parent / "manifest.json").is_file():
            raise DataError(
                f"{place}: is a file of a published release; give its folder, "
                f"{place.parent}."
            )
        raise DataError(f"{place}: holds no published release.")
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    files = [manifest, manifest["nodes"]] if "nodes" in manifest else [manifest]
    tables = [read_checked(place, manifest["format"], file) for file in files]
    if labels == "parsed":
        # Of a graph, what stands in the edges are names of nodes.
        tables[-1] = _parsed(tables[-1], manifest)
    return (tables[0], tables[1]) if len(tables) > 1 else tables[0]


def _parsed(table: pd.DataFrame, manifest: Mapping[str, Any]) -> pd.DataFrame:
    known = manifest["roles"]["quasi_identifiers"]
    columns = [name for name in table.columns if name in known]
    return parse_table(table, columns, suppression_label=manifest["suppression_label"])


def read_checked(place: Path, format_: str, file: Mapping[str, Any]) -> pd.DataFrame:
    data = place / file["data"]
    if not data.is_file() or sha256(data) != file["sha256"]:
        raise DataError(f"{data}: these are not the bytes that were published.")
    return read_data(data, format_, file["schema"])
