"""Texts of parameters and attributes that several anonymizers share."""

TABLE_TEXTS = {
    "quasi_identifiers": """
    quasi_identifiers : list, default=None
        Columns an intruder may know. None: all that are not declared otherwise.
    """,
    "k": """
    k : int, default=5
        Rows (persons, with ``subject``) that must share each published combination.
    """,
    "models": """
    models : list of privacy models, default=None
        Further promises that every class must keep.
    """,
    "sensitive_and_identifiers": """
    sensitive, identifiers : list, default=None
        Columns an intruder wants to know; columns that are dropped.
    """,
    "hierarchies": """
    hierarchies : dict of column to Hierarchy or builder, default=None
        How values are made less exact.
    """,
    "subject": """
    subject : column, default=None
        Tells persons apart, so that k counts persons. It is dropped.
    """,
    "suppression_limit": """
    suppression_limit : float or int, default=0.0
        Largest share of rows that may be suppressed; as a whole number from 1 on, the
        largest number of rows (not of persons).
    """,
    "suppression": """
    suppression : {"mask", "drop", "blank"}, default="mask"
        Put the label into the quasi-identifiers and keep the row; drop the row; or mask
        it and empty its sensitive cells too.
    """,
    "suppression_label": """
    suppression_label : str, default="*"
        The text of a suppressed cell.
    """,
    "report_": """
    report_ : Report
        Classes, loss, risk, suppressed rows and time, in numbers.
    """,
    "n_suppressed_": """
    n_suppressed_, n_extra_suppressed_ : int
        Rows that were suppressed; those that went only to fill the suppressed class.
    """,
    "suppressed_mask_": """
    suppressed_mask_ : bool ndarray
        Which rows of the fitted table were suppressed.
    """,
    "hierarchies_": """
    hierarchies_ : dict of column to Hierarchy
        Those that were used.
    """,
}
"""Of anonymizers that learn a recoding rule."""

LINKED_TEXTS = {
    "subject": """
    subject : column, default=None
        Tells persons apart; it is dropped. A table in which a person has several rows
        is refused: they might share a group, which then has fewer than k persons.
    """,
    "random_state": """
    random_state : int or Generator, default=None
        Decides ties between rows, and the swaps: whoever knows it can undo every one.
        None: fresh entropy.
    """,
    "labels_": """
    labels_ : dict of tuple of columns to int ndarray
        For columns that moved together the group of each row.
    """,
    "group_sizes_": """
    group_sizes_ : dict of tuple of columns to int ndarray
        Rows of each group.
    """,
    "k_effective_": """
    k_effective_ : int
        Rows of the smallest group.
    """,
    "identifiers": """
    identifiers : list, default=None
        Columns that are dropped.
    """,
    "keep_links": """
    keep_links : bool, default=False
        Keep which row each cell came from, in ``permutations_``. A judge then follows
        every cell. Without it, it follows only those that nobody else of the group has:
        where values repeat, it may not see that cells stayed, or that columns moved
        alike. Whoever has this can undo every swap.
    """,
    "permutations_": """
    permutations_ : dict of tuple of columns to int ndarray
        The row that each row's cells came from; only with ``keep_links=True``.
    """,
}
"""Of anonymizers that swap cells."""
