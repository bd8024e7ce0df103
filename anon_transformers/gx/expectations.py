"""One expectation for every built-in model that can judge a published table.

Each has the arguments of its model. What they ask in words stands in ``_sentences``.
"""

from typing import ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._expectation import (
    Cell,
    Columns,
    FuzzyExpectation,
    Name,
    Number,
    ReferenceExpectation,
    SensitiveExpectation,
    TableExpectation,
    Whole,
)
from anon_transformers.parameters import substitute

__all__ = [
    "ExpectTableToBeAlphaKAnonymous",
    "ExpectTableToBeBeliefBounded",
    "ExpectTableToBeBetaLike",
    "ExpectTableToBeDeltaPresent",
    "ExpectTableToBeDistinctLDiverse",
    "ExpectTableToBeEntropyLDiverse",
    "ExpectTableToBeFuzzyLDiverse",
    "ExpectTableToBeFuzzyTClose",
    "ExpectTableToBeKAnonymous",
    "ExpectTableToBeKMapped",
    "ExpectTableToBeProbabilisticallyKAnonymous",
    "ExpectTableToBeQAnonymous",
    "ExpectTableToBeRecursivelyDiverse",
    "ExpectTableToBeTClose",
]

COLUMN_TEXTS = {
    "quasi_identifiers": """
    quasi_identifiers : list of columns
        What an intruder may know. A missing value is a value of its own.
    """,
    "sensitive": """
    sensitive : list of columns
        What an intruder wants to know.
    column : column, optional
        The sensitive column that is judged; by default each of them.
    """,
    "values": """
    multiple : {"each", "extended"}, default="each"
        Judge each sensitive column for itself, or take the others for
        quasi-identifiers.
    missing_marks : list of str, optional
        Texts that say that a value is missing, beside the usual ones.
    """,
    "reference": """
    reference : {"input", "released"}, default="input"
        The whole table: the one that was anonymized, whose distributions only the run
        knows (see ``private_evidence``), or what was published of it.
    """,
    "fuzzy": """
    cardinality : {"non-fuzzy", "sigma"}, default="non-fuzzy"
        How rows are counted: those at one half or more, or the sum of all degrees.
    missing_marks : list of str, optional
        Texts that say that a value is missing, beside the usual ones.
    """,
    "subject": """
    subject : column, optional
        Tells persons apart, so that persons are counted, not rows.
    suppression_label : str, default="*"
        The label of a suppressed cell.
    row_condition : condition, optional
        Judge the rows that meet it as if they were the table, and say so.

    Notes
    -----
    Each but the condition may be given as ``{"$PARAMETER": name}``.
    """,
    "population": """
    subject : column, optional
        Tells persons apart, so that persons are counted, not rows.
    suppression_label : str, default="*"
        The label of a suppressed cell.
    row_condition : condition, optional
        Judge the rows that meet it as if they were the table, and say so.

    Notes
    -----
    Each but the condition may be given as ``{"$PARAMETER": name}``. The population
    is private evidence: see ``private_evidence``. Without it the expectation fails.
    """,
    "degrees": """
    subject : column, optional
        Tells persons apart, whom degrees of membership do not count.
    suppression_label : str, default="*"
        The label of a suppressed cell; suppressed rows are in no class.
    row_condition : condition, optional
        Judge the rows that meet it as if they were the table, and say so.

    Notes
    -----
    Each but the condition may be given as ``{"$PARAMETER": name}``. Degrees of
    membership are private evidence: see ``private_evidence``. Without them the
    expectation fails.
    """,
}


@substitute(COLUMN_TEXTS)
class ExpectTableToBeKAnonymous(TableExpectation):
    """Expect every combination of quasi-identifiers to be shared by ``k`` rows.

    Parameters
    ----------
    {quasi_identifiers}
    k : int
        At least 1; 1 asks for nothing.
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeKAnonymous(quasi_identifiers=["age"], k=5)
    >>> asked.configuration.kwargs
    {'quasi_identifiers': ['age'], 'k': 5}
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must be shared by at least 5 rows.'
    """

    model_name: ClassVar[str] = "k-anonymity"
    k: Whole


@substitute(COLUMN_TEXTS)
class ExpectTableToBeKMapped(TableExpectation):
    """Expect ``k`` persons of the population behind every combination.

    Parameters
    ----------
    {quasi_identifiers}
    k : int
        At least 1.
    {population}

    Examples
    --------
    >>> asked = ExpectTableToBeKMapped(quasi_identifiers=["age"], k=5)
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must fit at least 5 persons of the population.'
    """

    model_name: ClassVar[str] = "k-map"
    k: Whole


@substitute(COLUMN_TEXTS)
class ExpectTableToBeDeltaPresent(TableExpectation):
    """Expect it to stay uncertain who of the population is in the table.

    Parameters
    ----------
    {quasi_identifiers}
    low, high : float
        Shares of the population behind a combination that may be in the table.
    {population}

    Examples
    --------
    >>> asked = ExpectTableToBeDeltaPresent(
    ...     quasi_identifiers=["age"], low=0, high=0.5
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Of the persons of the population who fit a combination of age, a share of 0 to 0.5
    must be in the table.'
    """

    model_name: ClassVar[str] = "delta-presence"
    low: Number
    high: Number


@substitute(COLUMN_TEXTS)
class ExpectTableToBeAlphaKAnonymous(SensitiveExpectation):
    """Expect classes of ``k``, in which no value has a share above ``alpha``.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    alpha : float
        Above 0 and at most 1.
    k : int
        At least 1.
    value : text or number, optional
        The one value to protect, as it is published; by default every value.
    {values}
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeAlphaKAnonymous(
    ...     quasi_identifiers=["age"], sensitive=["job"], alpha=0.5, k=5
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must hold at least 5 rows, with no value of job above a
    share of 0.5.'
    """

    model_name: ClassVar[str] = "alpha-k-anonymity"
    alpha: Number
    k: Whole
    value: Cell | None = None


@substitute(COLUMN_TEXTS)
class ExpectTableToBeDistinctLDiverse(SensitiveExpectation):
    """Expect ``l`` different sensitive values in every class.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    l : int
        At least 1.
    {values}
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeDistinctLDiverse(
    ...     quasi_identifiers=["age"], sensitive=["job"], l=3
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must show at least 3 different values of job.'
    """

    model_name: ClassVar[str] = "distinct-l-diversity"
    l: Whole  # noqa: E741 - the letter of the literature


@substitute(COLUMN_TEXTS)
class ExpectTableToBeEntropyLDiverse(SensitiveExpectation):
    """Expect the values of every class to be as mixed as ``l`` equally frequent ones.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    l : float
        At least 1; need not be whole.
    {values}
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeEntropyLDiverse(
    ...     quasi_identifiers=["age"], sensitive=["job"], l=2.5
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must mix job as well as 2.5 equally frequent values do.'
    """

    model_name: ClassVar[str] = "entropy-l-diversity"
    l: Number  # noqa: E741 - the letter of the literature


@substitute(COLUMN_TEXTS)
class ExpectTableToBeRecursivelyDiverse(SensitiveExpectation):
    """Expect recursive (c, l)-diversity of every class.

    The most frequent value is not too frequent, the others are not too rare.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    c : float
        Above 0; smaller asks for more.
    l : int
        At least 1.
    {values}
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeRecursivelyDiverse(
    ...     quasi_identifiers=["age"], sensitive=["job"], c=4, l=3
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'In every combination of age the most frequent value of job must be rarer than 4
    times those from rank 3 on together.'
    """

    model_name: ClassVar[str] = "recursive-cl-diversity"
    c: Number
    l: Whole  # noqa: E741 - the letter of the literature


@substitute(COLUMN_TEXTS)
class ExpectTableToBeTClose(ReferenceExpectation):
    """Expect the values of every class to be spread almost as in the whole table.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    t : float
        Largest distance, from 0 to 1; 1 asks for nothing.
    distance : {"equal", "ordered", "hierarchical"}, default="equal"
        How far apart two values are: all the same, by rank, or by a hierarchy, which is
        private evidence.
    {reference}
    {values}
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeTClose(
    ...     quasi_identifiers=["age"], sensitive=["pay"], t=0.2, distance="ordered"
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must spread pay as the whole table does, within 0.2
    (distance = ordered).'
    """

    model_name: ClassVar[str] = "t-closeness"
    t: Number
    distance: Name = "equal"


@substitute(COLUMN_TEXTS)
class ExpectTableToBeBetaLike(ReferenceExpectation):
    """Expect no value to be much more frequent in a class than in the whole table.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    beta : float
        Above 0; smaller asks for more.
    form : {"basic", "enhanced"}, default="enhanced"
        "enhanced" keeps frequent values from filling a class too.
    {reference}
    {values}
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeBetaLike(
    ...     quasi_identifiers=["age"], sensitive=["job"], beta=2
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'No combination of age may raise the share of a value of job by more than 2 times
    that in the whole table.'
    """

    model_name: ClassVar[str] = "beta-likeness"
    beta: Number
    form: Name = "enhanced"


@substitute(COLUMN_TEXTS)
class ExpectTableToBeBeliefBounded(ReferenceExpectation):
    """Expect no class to make a value almost certain, or to rule a likely one out.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    positive : float, default=1.0
        Beliefs in a value stay below this.
    negative : float, optional
        Beliefs in a value that was likelier than this stay above it.
    {reference}
    {values}
    {subject}

    Examples
    --------
    >>> asked = ExpectTableToBeBeliefBounded(
    ...     quasi_identifiers=["age"], sensitive=["job"], positive=0.9
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must keep beliefs in values of job within bounds
    (positive = 0.9).'
    """

    model_name: ClassVar[str] = "belief-bound"
    positive: Number = 1.0
    negative: Number | None = None


@substitute(COLUMN_TEXTS)
class ExpectTableToBeQAnonymous(TableExpectation):
    """Expect every fuzzy class to hold at least ``q`` rows with possibility one half.

    Parameters
    ----------
    {quasi_identifiers}
    q : int
        At least 1.
    aggregation : {"min", "mean", "product"}, default="min"
        The minimum answers for every class; a release refuses the others.
    threshold : float, default=0.5
        How possible it must be.
    empty : {"ignore", "keep"}, default="ignore"
        Leave classes out that the table does not show, or count them.
    {degrees}

    Examples
    --------
    >>> asked = ExpectTableToBeQAnonymous(quasi_identifiers=["age"], q=5)
    >>> str(asked.sentence(asked.configuration.kwargs))
    'It must be possible enough that every fuzzy class holds at least 5 rows.'
    """

    model_name: ClassVar[str] = "q-anonymity"
    q: Whole
    aggregation: Name = "min"
    threshold: Number = 0.5
    empty: Name = "ignore"


@substitute(COLUMN_TEXTS)
class ExpectTableToBeFuzzyLDiverse(FuzzyExpectation):
    """Expect ``l`` sensitive values to be represented in every fuzzy class.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    l : int
        At least 1.
    empty : {"ignore", "keep"}, default="ignore"
        Leave classes out that the table does not show, or count them.
    {fuzzy}
    {degrees}

    Examples
    --------
    >>> asked = ExpectTableToBeFuzzyLDiverse(
    ...     quasi_identifiers=["age"], sensitive=["job"], l=3
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every fuzzy class must show at least 3 different values of job.'
    """

    model_name: ClassVar[str] = "fuzzy-l-diversity"
    l: Whole  # noqa: E741 - the letter of the literature
    empty: Name = "ignore"


@substitute(COLUMN_TEXTS)
class ExpectTableToBeFuzzyTClose(FuzzyExpectation):
    """Expect the mixture of classes that a row belongs to be spread like the table.

    Parameters
    ----------
    {quasi_identifiers}
    {sensitive}
    t : float
        Largest distance, from 0 to 1.
    distance : {"equal", "ordered", "hierarchical"}, default="equal"
        How far apart two values are.
    reduce : {"max", "min"}, default="max"
        The farthest row decides; a release refuses the nearest one.
    class_distribution : {"frequency", "distinct"}, default="frequency"
        The values of a class by their rows; a release refuses the other.
    table_distribution : {"frequency", "distinct_published", "uniform"}
        The values of the table by their rows, which is the default; a release refuses
        the others.
    {fuzzy}
    {degrees}

    Examples
    --------
    >>> asked = ExpectTableToBeFuzzyTClose(
    ...     quasi_identifiers=["age"], sensitive=["job"], t=0.2
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'The mixture of every row must spread job as the whole table does, within 0.2.'
    """

    model_name: ClassVar[str] = "fuzzy-t-closeness"
    t: Number
    distance: Name = "equal"
    reduce: Name = "max"
    class_distribution: Name = "frequency"
    table_distribution: Name = "frequency"


@substitute(COLUMN_TEXTS)
class ExpectTableToBeProbabilisticallyKAnonymous(TableExpectation):
    """Expect swapped cells to be traced to their person once in ``k`` times at most.

    Parameters
    ----------
    {quasi_identifiers}
    k : int
        At least 1.
    sensitive : list of columns, default=[]
        What an intruder wants to know.
    max_value_disclosure, max_excess_risk : float, optional
        How often a value may be guessed, and how many more records than by chance.
    subject : column, optional
        Tells persons apart.
    suppression_label : str, default="*"
        The label of a suppressed cell.
    row_condition : condition, optional
        Judge the rows that meet it as if they were the table, and say so.

    Notes
    -----
    Each but the condition may be given as ``{"$PARAMETER": name}``. The original of
    each row, the groups and the links are private evidence: see ``private_evidence``.
    Without them the expectation fails.

    Examples
    --------
    >>> asked = ExpectTableToBeProbabilisticallyKAnonymous(
    ...     quasi_identifiers=["age"], sensitive=["pay"], k=5
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'No cell may be traced to the right person with a probability above 1/5; sensitive:
    pay.'
    """

    model_name: ClassVar[str] = "probabilistic-k-anonymity"
    sensitive: Columns = pydantic.Field([])
    k: Whole
    max_value_disclosure: Number | None = None
    max_excess_risk: Number | None = None
