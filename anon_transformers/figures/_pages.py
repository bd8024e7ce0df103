"""Templates that hold charts and tables, and how cells are shown in them."""

import math
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment


def make_environment(*loaders: "BaseLoader") -> "Environment":
    """Make an environment of Jinja whose templates may use ``figures.html``.

    Parameters
    ----------
    *loaders : jinja2.BaseLoader
        Where the templates are; the first that has one gives it.

    Returns
    -------
    jinja2.Environment
        With autoescape, and the filter ``shown``.

    Examples
    --------
    >>> from jinja2 import DictLoader
    >>> page = "{% import 'figures.html' as parts %}{{ parts.table(['k'], [[5]]) }}"
    >>> made = make_environment(DictLoader({"page": page})).get_template("page")
    >>> '<th scope="col">k</th>' in made.render()
    True
    """
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError:
        raise ConfigurationError(
            "pages need jinja2: pip install 'anon-transformers[plots]'"
        ) from None
    made = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("anon_transformers.figures")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    return made


def shown(cell: Any) -> str:
    """A number or text as a table of a page shows it.

    Examples
    --------
    >>> shown(1234567), shown(0.123456), shown(None), shown(True)
    ('1,234,567', '0.1235', '', 'yes')
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
