"""The ``roles:`` section of a release file: what each column of the source is."""

from pydantic import Field, model_validator

from anon_transformers.exceptions import unknown_choice
from anon_transformers.release._strict import Strict

COLUMN_ROLES = (
    "quasi_identifiers",
    "sensitive",
    "identifiers",
    "insensitive",
    "dropped",
)
"""What a column may be declared as; beside these, one is the subject."""


class DeclaredRoles(Strict):
    """Every column of the source, by role, and what is known of its persons.

    Attributes
    ----------
    quasi_identifiers : tuple of str
        Columns an intruder may know.
    sensitive : tuple of str
        Columns an intruder wants to know.
    identifiers : tuple of str
        Columns that name persons; they are not published, and none of their values may
        stand in what is.
    insensitive : tuple of str
        Columns that are published as they are.
    dropped : tuple of str
        Columns that nobody needs and that are not published: they are left out when
        the source is loaded, and no later step of the run sees them. Where rows are
        counted, one that repeats and seems to tell persons apart is refused.
    subject : str or None
        Column that tells persons apart; every count is of persons then.
    rows_are_persons : bool
        Says that every row is a person, though an identifier repeats, or a dropped
        column that seems to tell persons apart.
    one_value_per_person : tuple of str
        Sensitive columns in which a person has one value, as people read it and beside
        missing ones; a source that differs is refused when it is loaded.
    small_group : int
        A value that fewer persons hold tells them apart.
    accept_unique : tuple of str or tuple of str
        Columns, and sets of insensitive columns, that may tell persons apart; of a
        swap also sets of a column that is swapped and those that give it, otherwise of
        a quasi-identifier and a column that gives what its labels hide.
    accept_repeated : tuple of str
        Dropped columns, and quasi-identifiers that a rung may drop, whose values repeat
        and do not stand for persons, though they look so: by the name of the column, or
        because rows that share a value agree in most quasi-identifiers.
    """

    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    subject: str | None = None
    rows_are_persons: bool = False
    one_value_per_person: tuple[str, ...] = ()
    small_group: int = Field(3, ge=2)
    accept_unique: tuple[str | tuple[str, ...], ...] = ()
    accept_repeated: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_role_each(self) -> "DeclaredRoles":
        seen: dict[str, str] = {}
        for role in COLUMN_ROLES:
            for column in getattr(self, role):
                # Swaps hide from one intruder what another one knows.
                has_both_roles = role == "sensitive" and column in self.both
                if seen.get(column) == role:
                    raise ValueError(f"column {column!r} is named twice under {role}.")
                if column in seen and not has_both_roles:
                    raise ValueError(
                        f"column {column!r} is declared as {seen[column]} "
                        f"and as {role}."
                    )
                seen[column] = role
        if (
            self.subject is not None
            and seen.get(self.subject, "identifiers") != "identifiers"
        ):
            raise ValueError(f"subject {self.subject!r} has another role too.")
        return self

    @model_validator(mode="after")
    def _declared_before(self) -> "DeclaredRoles":
        for names in self.accepted_sets:
            published = (*self.insensitive, *self.sensitive)
            if len(names) > 1:  # a quasi-identifier may give what is swapped
                published += self.quasi_identifiers
            for column in names:
                if column not in published:
                    fault = unknown_choice("column", column, published)
                    raise ValueError(f"accept_unique: {fault}")
        for column in self.accept_repeated:
            left_out = (*self.dropped, *self.quasi_identifiers)
            if column not in left_out:
                fault = unknown_choice("dropped column", column, left_out)
                raise ValueError(f"accept_repeated: {fault}")
        for column in self.one_value_per_person:
            if column not in self.sensitive:
                fault = unknown_choice("sensitive column", column, self.sensitive)
                raise ValueError(f"one_value_per_person: {fault}")
        if self.one_value_per_person and self.subject is None:
            raise ValueError(
                "one_value_per_person: name the subject whose value it is."
            )
        if self.rows_are_persons and self.subject is not None:
            raise ValueError(
                "rows_are_persons: with a subject, persons are counted and not rows."
            )
        return self

    @property
    def accepted_sets(self) -> tuple[tuple[str, ...], ...]:
        """What may tell persons apart, each a set of columns."""
        return tuple(
            (names,) if isinstance(names, str) else names
            for names in self.accept_unique
        )

    @property
    def both(self) -> tuple[str, ...]:
        """Columns that one intruder knows and another one wants to know."""
        return tuple(c for c in self.sensitive if c in self.quasi_identifiers)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every declared column."""
        subject = () if self.subject in (None, *self.identifiers) else (self.subject,)
        declared = (
            *self.quasi_identifiers,
            *self.sensitive,
            *self.identifiers,
            *self.insensitive,
            *self.dropped,
            *subject,
        )
        return tuple(dict.fromkeys(declared))
