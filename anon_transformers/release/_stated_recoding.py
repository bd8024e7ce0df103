"""The key ``recoding`` of a release file: cells made anew, or those of before.

It reads no table: a scheduler reads files as often as it likes.
"""

from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    from anon_transformers.release._config import ReleaseConfig

REUSE = "reuse"


def reuses_cells(config: "ReleaseConfig") -> bool:
    """Whether later tables of a release are published in the cells of the first."""
    return config.recoding == REUSE


def check_recoding(config: "ReleaseConfig") -> None:
    """Refuse a release whose cells could not be kept, or need not be."""
    if not reuses_cells(config):
        return
    stated = config.composition
    if config.roles.subject is None:
        raise ValueError(
            "recoding: cells are kept for persons who are in several tables; name "
            "roles.subject, or state 'recoding: fresh'."
        )
    if stated is not None and stated.accept_unjudged is not None:
        raise ValueError(
            "recoding: who is published in kept cells is decided by what all tables "
            "tell together, and composition.accept_unjudged leaves that out; state "
            "one of the two."
        )
    if stated is not None and stated.presence != "known":
        raise ValueError(
            "recoding: kept cells protect from intruders who know who was present; "
            "leave composition.presence out."
        )
    linked = config.pseudonyms is not None and config.pseudonyms.stable
    if linked and stated is not None and "changing" in stated.sensitive.values():
        raise ValueError(
            "recoding: stable pseudonyms tell whose a changing value was, and cells "
            "are not kept for that; leave pseudonyms.stable out."
        )
    if config.on_refusal.back_off:
        raise ValueError(
            "recoding: a rung of on_refusal.back_off makes other cells than those that "
            "are kept; leave it out, or state 'recoding: fresh'."
        )
    if config.anonymizer.params.get("suppression") == "blank":
        raise ValueError(
            "recoding: with kept cells suppressed rows are masked or dropped; state "
            "another suppression than 'blank' under anonymizer."
        )


def refuse_no_cells(config: "ReleaseConfig", anonymizer: Any) -> None:
    """Refuse a method that publishes no labels by which a cell is found again."""
    publishes = getattr(anonymizer, "publishes", None)
    if reuses_cells(config) and publishes != "labels":
        raise ConfigurationError(
            f"recoding: {config.anonymizer.name} publishes {publishes or 'a graph'}, "
            "and cells are kept by their labels; take a method that publishes labels, "
            "or state 'recoding: fresh'."
        )
