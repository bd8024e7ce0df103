"""Anonymizers that publish sets instead of values, and the fuzzy sets behind them."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers._kernels.kmeans_moves import move_rows
    from anon_transformers.fuzzy._cardinalities import (
        cardinality,
        fuzzy_cardinality,
        half_cut_size,
        nonfuzzy_cardinality,
        possibility_at_least,
        sigma_count,
    )
    from anon_transformers.fuzzy._fuzzy_c_means import FuzzyCMeansRecoder
    from anon_transformers.fuzzy._global_recode import GlobalRecoder
    from anon_transformers.fuzzy._gustafson_kessel import GustafsonKesselRecoder
    from anon_transformers.fuzzy._kmeans import KMeansRecoder
    from anon_transformers.fuzzy._partition_recoder import FuzzyPartitionRecoder
    from anon_transformers.fuzzy._partitions import (
        FuzzyPartition,
        PartitionChecks,
        check_partition,
        crisp_degrees,
        product_names,
        product_partition,
    )
    from anon_transformers.fuzzy._publishing import grouped_table
    from anon_transformers.fuzzy._sets import (
        FuzzyShape,
        algebraic_product,
        algebraic_sum,
        complement,
        core,
        cut,
        intersection,
        is_convex,
        is_equal,
        is_included,
        is_normal,
        lambda_complement,
        left_shoulder,
        right_shoulder,
        trapezoid,
        triangular,
        union,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "FuzzyCMeansRecoder",
    "FuzzyPartition",
    "FuzzyPartitionRecoder",
    "FuzzyShape",
    "GlobalRecoder",
    "GustafsonKesselRecoder",
    "KMeansRecoder",
    "PartitionChecks",
    "algebraic_product",
    "algebraic_sum",
    "cardinality",
    "check_partition",
    "complement",
    "core",
    "crisp_degrees",
    "cut",
    "fuzzy_cardinality",
    "grouped_table",
    "half_cut_size",
    "intersection",
    "is_convex",
    "is_equal",
    "is_included",
    "is_normal",
    "lambda_complement",
    "left_shoulder",
    "move_rows",
    "nonfuzzy_cardinality",
    "possibility_at_least",
    "product_names",
    "product_partition",
    "right_shoulder",
    "sigma_count",
    "trapezoid",
    "triangular",
    "union",
]
