"""Which disclosure and which attack each model covers."""

import pandas as pd

_K = "identity linkage unique-combinations small-classes"
_L = "attribute homogeneity background-knowledge"
_MODELS = {
    "k-anonymity": _K,
    "distinct-l-diversity": _L,
    "entropy-l-diversity": f"{_L} probabilistic-inference",
    "recursive-cl-diversity": f"{_L} probabilistic-inference",
    "t-closeness": f"{_L} probabilistic-inference skewness similarity",
}
_THREATS = (
    "identity",
    "attribute",
    "linkage",
    "unique-combinations",
    "small-classes",
    "homogeneity",
    "background-knowledge",
    "probabilistic-inference",
    "skewness",
    "similarity",
    "tuple-order",
    "complementary-release",
)


def covers() -> pd.DataFrame:
    """Tell what each privacy model protects from.

    Returns
    -------
    pandas.DataFrame
        One row per model, one column per disclosure (``identity``: a person is linked
        to a record; ``attribute``: something new is learned of a person) or attack.
        True where the model covers it.

    Notes
    -----
    No model covers ``tuple-order`` and ``complementary-release``: they use how releases
    are published. t-closeness covers ``similarity`` only with an ordered or a
    hierarchical distance, for to the equal distance no two values are alike. It says
    nothing on the size of a class, and neither does l-diversity: ask for k beside
    them. ``diversity-limits`` is no attack, and therefore no column.

    Examples
    --------
    >>> covers().loc[["k-anonymity", "t-closeness"], ["identity", "skewness"]]
                 identity  skewness
    k-anonymity      True     False
    t-closeness     False      True
    """
    rows = {
        model: [threat in covered.split() for threat in _THREATS]
        for model, covered in _MODELS.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(_THREATS))
