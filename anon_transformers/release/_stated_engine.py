"""The key ``source.engine`` of a release file: a table that is only counted."""

from collections.abc import Mapping
from typing import Any

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release._build import evidence_kinds
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._file_kinds import known_kind
from anon_transformers.release._remote_files import is_address
from anon_transformers.release._stated_recoding import reuses_cells

COUNTED_KINDS = ("parquet", "csv", "duckdb", "sql")
"""Sources that are read chunk by chunk."""


def in_memory(config: ReleaseConfig) -> ReleaseConfig:
    """The same for whoever tries it, with all rows of the source in memory."""
    if config.source.engine is None:
        return config
    source = {**config.stated.source.model_dump(), "engine": None}
    return config.with_keys({"source": source})


def refuse_uncountable(config: ReleaseConfig) -> None:
    """Refuse a release that asks for more than counts tell."""
    said = ""
    roles, source = config.roles, config.source
    kind = source.kind or next((known_kind(path) for path in source.paths), "")
    if kind not in COUNTED_KINDS:
        known = ", ".join(COUNTED_KINDS)
        said = f"reads {known}, and the source is {kind or 'none of them'}"
    elif any(map(is_address, source.paths)):
        said = "reads files of this machine chunk by chunk, and no addresses"
    elif any(map(_is_ordered, config.stated_columns.values())):
        said = "keeps no order of texts; leave order out of source.columns"
    elif roles.subject is not None or roles.identifiers:
        said = (
            "counts rows, and roles names persons; leave the column out of the source, "
            "or declare it as dropped, and state rows_are_persons: true"
        )
    elif roles.dropped and not roles.rows_are_persons:
        said = (
            "does not look whether dropped columns tell persons apart; state "
            "rows_are_persons: true if every row is a person"
        )
    elif config.target.format != "parquet":
        said = "writes Parquet; state target.format: parquet"
    elif config.target.database is not None:
        said = "publishes files; leave target.database out"
    else:
        said = _asked_beyond(config)
    if said:
        raise ConfigurationError(f"source.engine: {source.engine} {said}.")


def _is_ordered(described: Any) -> bool:
    """Whether a column is stated to hold texts in an order."""
    return isinstance(described, Mapping) and "order" in described


def _asked_beyond(config: ReleaseConfig) -> str:
    """A section of the file that asks for more than counts tell, in words."""
    kinds = evidence_kinds(config.thresholds) - {"classes", "report"}
    if kinds:
        return f"counts classes, and thresholds ask for {', '.join(sorted(kinds))}"
    asked = {
        "pseudonyms": config.pseudonyms is not None,
        "rules of a policy": any(one.policy.rules for one in config.policy),
        "on_refusal.back_off": bool(config.on_refusal.back_off),
        "recoding": reuses_cells(config),
    }
    found = [key for key, is_asked in asked.items() if is_asked]
    return f"does not go with {', '.join(found)}" if found else ""
