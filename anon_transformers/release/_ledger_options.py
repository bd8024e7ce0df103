"""The ``ledger:`` section of a release file: where publications are recorded."""

import re

from pydantic import field_validator

from anon_transformers.exceptions import ParameterError
from anon_transformers.release._period import Template
from anon_transformers.release._strict import Strict

_PASSWORD = re.compile(r"://[^/@]*:(?P<word>[^@/]*)@|[?&]password=(?P<query>[^&]*)")
LONGEST_SOURCE = 200


class LedgerOptions(Strict):
    """Where publications are recorded, and what the source is called there.

    Attributes
    ----------
    url : str or None
        A database as SQLAlchemy names it, such as
        ``postgresql+psycopg2://$USER:$PASSWORD@host/ledger``; by default what the
        variable ``ANON_LEDGER_URL`` of the environment says, and otherwise an SQLite
        file in the workspace. A password is written as a variable.
    source : str or None
        A name for the source. Releases that state the same name have the same source,
        wherever their files lie; by default, those that name the same file or address.
    """

    url: str | None = None
    source: str | None = None

    @field_validator("url")
    @classmethod
    def _without_secrets(cls, given: str | None) -> str | None:
        if given is None:
            return None
        template = Template(given)
        try:
            template.check()
        except ParameterError as error:
            raise ValueError(str(error)) from None
        if template.holds_period:
            raise ValueError("all periods share one ledger; write it without {period}.")
        for found in _PASSWORD.finditer(given):
            word = found["word"] or found["query"] or ""
            if word and not word.startswith("$"):
                raise ValueError(
                    "a password does not belong into the file; write a variable of the "
                    "environment, as in postgresql://$USER:$PASSWORD@host/ledger."
                )
        return given

    @field_validator("source")
    @classmethod
    def _some_name(cls, given: str | None) -> str | None:
        if given is not None and not 0 < len(given) <= LONGEST_SOURCE:
            raise ValueError(f"give it a name of 1 to {LONGEST_SOURCE} characters.")
        return given
