"""The order in which the gallery shows its examples."""

from pathlib import Path

ORDER = (
    "k_cost",
    "column_cost",
    "suppression",
    "l_diversity_cost",
    "mondrian_or_datafly",
    "mondrian_boxes",
    "class_sizes",
    "hierarchy_levels",
    "intruder",
    "population_risk",
    "model_on_published",
    "swap",
    "fuzzy_or_crisp",
    "memberships",
    "partitions",
    "contours",
    "before_after",
    "k_and_edges",
    "random_protection",
)


def place(filename: str) -> tuple[int, str]:
    """Where an example stands: as listed, and what is not listed last."""
    name = filename.removeprefix("plot_").removesuffix(".py")
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def place_of_path(file: str) -> tuple[int, str]:
    """Where an example stands, by its path."""
    return place(Path(file).name)
