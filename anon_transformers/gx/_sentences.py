"""What a threshold asks, in words; which expectation asks it.

Nothing here imports pandas, Great Expectations or a plugin.
"""

from collections.abc import Iterable, Mapping
from string import Template
from typing import Any, NamedTuple


class OwnExpectation(NamedTuple):
    """A model that an expectation of its own asks for.

    Attributes
    ----------
    type : str
        The expectation, as suites name it.
    template : str
        What the model asks, without the period. ``$columns`` are the quasi-identifiers,
        ``$sensitive`` the columns that are judged, and other names parameters of the
        model; ``{unit}`` and ``{persons}`` are what it judges and counts.
    sensitive : bool
        Whether it looks at sensitive columns.
    """

    type: str
    template: str
    sensitive: bool = True


OWN_EXPECTATIONS: Mapping[str, OwnExpectation] = {
    "k-anonymity": OwnExpectation(
        "expect_table_to_be_k_anonymous",
        "Every {unit} must be shared by at least $k {persons}",
        sensitive=False,
    ),
    "k-map": OwnExpectation(
        "expect_table_to_be_k_mapped",
        "Every {unit} must fit at least $k persons of the population",
        sensitive=False,
    ),
    "delta-presence": OwnExpectation(
        "expect_table_to_be_delta_present",
        "Of the persons of the population who fit a {unit}, a share of $low to $high "
        "must be in the table",
        sensitive=False,
    ),
    "alpha-k-anonymity": OwnExpectation(
        "expect_table_to_be_alpha_k_anonymous",
        "Every {unit} must hold at least $k {persons}, with no value of $sensitive "
        "above a share of $alpha",
    ),
    "distinct-l-diversity": OwnExpectation(
        "expect_table_to_be_distinct_l_diverse",
        "Every {unit} must show at least $l different values of $sensitive",
    ),
    "entropy-l-diversity": OwnExpectation(
        "expect_table_to_be_entropy_l_diverse",
        "Every {unit} must mix $sensitive as well as $l equally frequent values do",
    ),
    "recursive-cl-diversity": OwnExpectation(
        "expect_table_to_be_recursively_diverse",
        "In every {unit} the most frequent value of $sensitive must be rarer than $c "
        "times those from rank $l on together",
    ),
    "t-closeness": OwnExpectation(
        "expect_table_to_be_t_close",
        "Every {unit} must spread $sensitive as the whole table does, within $t",
    ),
    "beta-likeness": OwnExpectation(
        "expect_table_to_be_beta_like",
        "No {unit} may raise the share of a value of $sensitive by more than $beta "
        "times that in the whole table",
    ),
    "belief-bound": OwnExpectation(
        "expect_table_to_be_belief_bounded",
        "Every {unit} must keep beliefs in values of $sensitive within bounds",
    ),
    "q-anonymity": OwnExpectation(
        "expect_table_to_be_q_anonymous",
        "It must be possible enough that every fuzzy class holds at least $q rows",
        sensitive=False,
    ),
    "fuzzy-l-diversity": OwnExpectation(
        "expect_table_to_be_fuzzy_l_diverse",
        "Every fuzzy class must show at least $l different values of $sensitive",
    ),
    "fuzzy-t-closeness": OwnExpectation(
        "expect_table_to_be_fuzzy_t_close",
        "The mixture of every row must spread $sensitive as the whole table does, "
        "within $t",
    ),
    "probabilistic-k-anonymity": OwnExpectation(
        "expect_table_to_be_probabilistically_k_anonymous",
        "No cell may be traced to the right person with a probability above 1/$k",
    ),
}
"""Every built-in model that can judge a published table."""

WITHOUT_EXPECTATION: Mapping[str, str] = {
    "likelihood-k-anonymity": "it judges the law of a mechanism, which no table shows",
}
"""Built-in models that cannot, and why."""

GENERAL = "expect_privacy_model_to_hold"
"""The expectation for all other models, those of plugins among them."""


SENSITIVE = "; sensitive: $sensitive"
"""Behind what a model asks, where the sentence itself does not name the columns."""


class Sentence(NamedTuple):
    """A sentence with its variable parts apart, so that they can be set off."""

    template: str
    parts: dict[str, str]

    def __str__(self) -> str:
        return Template(self.template).substitute(self.parts)


def model_sentence(
    name: Any,
    params: Any,
    quasi_identifiers: Any,
    sensitive: Any = None,
    subject: Any = None,
    *,
    of_classes: bool = True,
    in_groups: bool = False,
) -> Sentence:
    """Say what a privacy model asks, of classes or of other evidence.

    Parameters
    ----------
    name, params : str, mapping
        The model, and its parameters that are stated.
    quasi_identifiers, sensitive, subject
        The columns that are judged.
    of_classes : bool, default=True
        Whether a model without an expectation of its own is about quasi-identifiers.
    in_groups : bool, default=False
        Whether it is asked about groups within which cells were swapped.

    Examples
    --------
    >>> str(model_sentence("k-anonymity", {"k": 5}, ["age", "sex"]))
    'Every combination of age, sex must be shared by at least 5 rows.'
    >>> str(model_sentence("distinct-l-diversity", {"l": 2}, ["age"], ["job"]))
    'Every combination of age must show at least 2 different values of job.'
    >>> str(model_sentence("a-model-of-a-plugin", {"share": 0.2}, ["age", "sex"]))
    'a-model-of-a-plugin (share = 0.2) must hold for every combination of age, sex.'
    >>> str(model_sentence("a-model-of-a-plugin", {}, ["age"], ["job"]))
    'a-model-of-a-plugin must hold for every combination of age; sensitive: job.'
    """
    unit, columns = "combination of $columns", {"columns": _text(quasi_identifiers)}
    if in_groups:
        unit, columns = "group within which cells were swapped", {}
    own = OWN_EXPECTATIONS.get(name) if isinstance(name, str) else None
    stated = dict(params) if isinstance(params, Mapping) else {}
    if own is not None and _names(own.template) <= {*stated, "sensitive"}:
        template = own.template.format(unit=unit, persons=_persons(subject))
        judged = stated.pop("sensitive", None) or sensitive
        parts = {"sensitive": _text(judged or "every sensitive column")}
        if own.sensitive and judged and "sensitive" not in _names(template):
            template += SENSITIVE
        return _completed(template, {**columns, **parts}, stated)
    judged = stated.pop("sensitive", None) or sensitive
    subjects, parts = _named(name, params if judged is sensitive else stated)
    behind = SENSITIVE if judged else ""
    parts |= {"sensitive": _text(judged)} if judged else {}
    if in_groups:
        return Sentence(f"{subjects} must hold in every {unit}{behind}.", parts)
    if not of_classes:
        return Sentence(f"{subjects} must hold{behind}.", parts)
    parts |= columns
    return Sentence(f"{subjects} must hold for every {unit}{behind}.", parts)


def metric_sentence(
    name: Any,
    params: Any,
    quasi_identifiers: Any,
    min_value: Any = None,
    max_value: Any = None,
    *,
    sensitive: Any = None,
    of_classes: bool = True,
) -> Sentence:
    """Say between which bounds a metric must lie.

    Examples
    --------
    >>> str(metric_sentence("average-risk", {}, ["age", "sex"], max_value=0.1))
    'average-risk must be at most 0.1, judged on age, sex.'
    """
    subjects, parts = _named(name, params)
    bounds = {"at least": min_value, "at most": max_value}
    asked = {word: bound for word, bound in bounds.items() if bound is not None}
    between = " and ".join(f"{word} ${word.split()[1]}" for word in asked)
    parts |= {word.split()[1]: _text(bound) for word, bound in asked.items()}
    behind = SENSITIVE if sensitive else ""
    parts |= {"sensitive": _text(sensitive)} if sensitive else {}
    if not of_classes:
        return Sentence(f"{subjects} must be {between}{behind}.", parts)
    return Sentence(
        f"{subjects} must be {between}, judged on $columns{behind}.",
        {**parts, "columns": _text(quasi_identifiers)},
    )


def attack_sentence(
    name: Any, params: Any, max_value: Any = None, subject: Any = None
) -> Sentence:
    """Say how many an attack may expose.

    Examples
    --------
    >>> str(attack_sentence("tight-boxes", {}, 0.05))
    'tight-boxes may expose at most a share of 0.05 of the rows.'
    """
    subjects, parts = _named(name, params)
    return Sentence(
        f"{subjects} may expose at most a share of $most of the {_persons(subject)}.",
        {**parts, "most": _text(max_value)},
    )


def on_part(sentence: Sentence, condition: str | None) -> Sentence:
    """Say that only the rows that meet a condition are judged.

    Examples
    --------
    >>> asked = model_sentence("k-anonymity", {"k": 5}, ["age"])
    >>> str(on_part(asked, "sex == 'f'"))
    "Every combination of age must be shared by at least 5 rows. Judged only on the \
rows where sex == 'f'."
    """
    if condition is None:
        return sentence
    return Sentence(
        f"{sentence.template} Judged only on the rows where $row_condition.",
        {**sentence.parts, "row_condition": condition},
    )


def _names(template: str) -> set[str]:
    """What a template needs, apart from the columns that are judged."""
    return {*Template(template).get_identifiers()} - {"columns"}


def _completed(
    template: str, parts: dict[str, str], stated: Mapping[str, Any]
) -> Sentence:
    """A sentence with all its parts, and behind it the parameters it does not name."""
    named = Template(template).get_identifiers()
    told = {**parts, **{key: _text(value) for key, value in stated.items()}}
    told = {key: told[key] for key in named}
    others = {key: value for key, value in stated.items() if key not in named}
    if not others:
        return Sentence(f"{template}.", told)
    return Sentence(f"{template} ($parameters).", {**told, "parameters": _text(others)})


def _persons(subject: Any) -> str:
    """Whom a model counts; a subject that comes at run time may be none."""
    if subject is None:
        return "rows"
    return "rows or persons" if isinstance(subject, Mapping) else "persons"


def _named(name: Any, params: Any) -> tuple[str, dict[str, str]]:
    if not params:
        return "$name", {"name": _text(name)}
    return "$name ($parameters)", {"name": _text(name), "parameters": _text(params)}


def _text(value: Any) -> str:
    """A value as it is read; one that comes at run time by its parameter's name."""
    if isinstance(value, Mapping):
        if "$PARAMETER" in value:
            return str(value["$PARAMETER"])
        return ", ".join(f"{key} = {_text(item)}" for key, item in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(_text(item) for item in value)
    return str(value)
