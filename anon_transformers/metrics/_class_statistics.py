"""The five measures of a partition, over the rows that were kept."""

from dataclasses import dataclass

from anon_transformers.evidence import Classes


@dataclass(frozen=True)
class ClassStatistics:
    """Sizes of the kept classes; the suppressed rows stand apart.

    Attributes
    ----------
    count, smallest, largest : int
        How many classes there are, and the rows of the extreme ones; persons, where
        these are known.
    mean, variance : float
        Of the class sizes; population variance.
    kept_rows, suppressed_rows : int
        Rows inside and outside those classes.
    """

    count: int
    smallest: int
    largest: int
    mean: float
    variance: float
    kept_rows: int
    suppressed_rows: int


def class_statistics(classes: Classes) -> ClassStatistics:
    """Describe the sizes of the kept classes.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": ["20", "20", "[30, 39]", "*", "*"]})
    >>> class_statistics(Classes.from_frame(table, ["age"]))
    ClassStatistics(count=2, smallest=1, largest=2, mean=1.5, variance=0.25, \
kept_rows=3, suppressed_rows=2)
    """
    kept = classes.kept()
    sizes = kept.sizes
    suppressed = 0
    if classes.suppressed is not None:
        suppressed = int(classes.rows[classes.suppressed])
    if not len(sizes):
        return ClassStatistics(0, 0, 0, 0.0, 0.0, 0, suppressed)
    return ClassStatistics(
        count=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        mean=float(sizes.mean()),
        variance=float(sizes.var()),
        kept_rows=int(kept.rows.sum()),
        suppressed_rows=suppressed,
    )
