"""Texts of parameters and attributes that recoders to sets share."""

from anon_transformers.base._docs import TABLE_TEXTS

SET_TEXTS = {
    **TABLE_TEXTS,
    "quasi_identifiers": """
    quasi_identifiers : list, default=None
        Columns an intruder may know: numbers or dates. None: all that are not declared
        otherwise.
    """,
    "models": """
    models : list of privacy models, default=None
        Further promises, of classes or of degrees. Degrees are judged of the rows that
        are kept, in all classes.
    """,
    "hierarchies": """
    hierarchies : dict of column to Hierarchy or builder, default=None
        Hierarchies of sensitive columns, which tell models how near two values are;
        those of quasi-identifiers are not used.
    """,
    "report_": """
    report_ : Report
        Classes, loss, risk, suppressed rows and time, in numbers. ``details`` tells the
        number of sets; after a search also how many choices were tried, and whether
        none can have less loss.
    """,
    "random_state": """
    random_state : int or Generator, default=None
        Where the starts come from.
    """,
    "centers_": """
    centers_ : dict of column to ndarray
        With ``keep_memberships``: where the sets lie, in the unit of the column.
    """,
    "n_sets": """
    n_sets : int or dict of column to int, default=None
        Sets of each column, or of the table; at most as many as there are different
        values. None, or a column that is not named: look for the numbers that keep
        every promise with little loss, up to ``max_sets``.
    """,
    "coding": """
    coding : {"independent", "joint"}, default="independent"
        Make sets of each column by itself, or of all together.
    """,
    "scale": """
    scale : {"range", "standard"} or None, default="range"
        Bring every column to 0 to 1, or to a variance of 1, before distances are taken.
        None: as they are, dates in days, so that a column of large numbers decides.
    """,
    "m": """
    m : float, default=2.0
        Fuzziness, above 1: near 1 the sets are almost crisp.
    """,
    "tol": """
    tol : float, default=1e-4
        Stop when no degree rises by more in one iteration.
    """,
    "max_iter": """
    max_iter : int, default=1000
        Most iterations.
    """,
    "n_init": """
    n_init : int, default=1
        Starts, of which the one with the least objective is taken. More than one seldom
        pays: of six settings on Adult, ten starts lowered the objective in one, for
        half of the seeds and by 3 %, in nine times the time.
    """,
    "init": """
    init : array of shape (n_sets,) or (n_sets, n_columns), default=None
        Where the first centers lie, instead of random numbers: from 0 to 1, where 0.5
        is the mean of a column, and 0 and 1 are as far from it as the farthest row.
        With one dimension it is used for every column; ``n_sets`` must be given.
    """,
    "max_sets": """
    max_sets : int, default=12
        Most sets that a search tries.
    """,
    "labels": """
    labels : list of str or dict of column to list, default=None
        Names from the lowest set to the highest.
    """,
    "keep_memberships": """
    keep_memberships : bool, default=False
        Keep ``degrees_`` and ``class_names_``, which are private.
    """,
    "tried_": """
    tried_ : list of dict
        ``n_sets`` and ``loss`` of each choice that a search tried; a loss of None: the
        promise was not kept. It is no part of the report.
    """,
    "n_iter_": """
    n_iter_ : int
        Iterations; where several columns are coded, the most of one.
    """,
    "degrees_": """
    degrees_ : float64 ndarray of shape (n_rows, n_classes)
        With ``keep_memberships``: degree of each row in each class, which is every
        combination of sets; coded independently, the product of the degrees in its
        sets.
    """,
    "class_names_": """
    class_names_ : list of tuple of str
        With ``keep_memberships``: the labels of each class, one per quasi-identifier.
    """,
}
