"""Options that say what a method must keep to, shared by commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from anon_transformers.cli._assignments import name_and_assignments
from anon_transformers.cli._columns import repeated
from anon_transformers.exceptions import ConfigurationError, ParameterError

if TYPE_CHECKING:
    from anon_transformers.privacy import PrivacyModel

Models = Annotated[
    list[str] | None,
    repeated(
        "--model",
        metavar="NAME,KEY=VALUE,…",
        help="Privacy model to keep to beside k, as in anon list, such as "
        "[bold]distinct-l-diversity,l=3[/bold] for all sensitive columns or "
        "[bold]t-closeness,t=0.2,sensitive=job[/bold] for one",
    ),
]
LIMIT_HELP = (
    "How much may be suppressed: rows, as a whole number without a point "
    "([bold]25[/bold], and [bold]1[/bold] is one row), or a share of the rows "
    "([bold]5%[/bold] or [bold]0.05[/bold], and [bold]1.0[/bold] is all of them)."
)
SuppressionLimit = Annotated[
    str | None, typer.Option(metavar="ROWS|SHARE", help=LIMIT_HELP)
]


def read_models(given: Sequence[str]) -> "list[PrivacyModel]":
    """Read ``NAME,KEY=VALUE,…`` options."""
    from anon_transformers.release import Threshold
    from anon_transformers.release._build import check_threshold, make_model

    models = []
    for text in given:
        name, params = name_and_assignments("model", text)
        try:
            asked = Threshold.read({"model": name, **params})
            check_threshold(asked)
            models.append(make_model(asked))
        except (ConfigurationError, ParameterError) as error:
            fault = str(error).removeprefix("thresholds, ")
            raise ConfigurationError(f"--model: {fault}") from None
    return models


def read_limit(text: str | None) -> int | float | None:
    """Read a suppression limit: an int counts rows, a float is a share of them.

    Examples
    --------
    >>> read_limit("25"), read_limit("5%"), read_limit("0.05"), read_limit("1.0")
    (25, 0.05, 0.05, 1.0)
    """
    if text is None:
        return None
    if text.isdecimal():
        return int(text)
    number, sign, rest = text.partition("%")
    try:
        share = float(number) / (100 if sign else 1)
    except ValueError:
        share = -1.0
    if rest or not 0 <= share <= 1:
        raise ConfigurationError(
            f"--suppression-limit: expected rows, such as 25, or a share of them, such "
            f"as 0.05 or 5%, got {text!r}."
        )
    return share
