"""Attacks on published graphs, as detectors: what they find, in numbers.

There is a function for each, and a class under whose name it is registered. Functions
take a graph in any form. Nodes are given and returned by name, which is a number in a
``Graph`` or a matrix.
"""

from anon_transformers_graphs.attacks._active import (
    ActiveAttack,
    cut_attack,
    walk_attack,
)
from anon_transformers_graphs.attacks._propagation import (
    SeedPropagation,
    seed_propagation,
)
from anon_transformers_graphs.attacks._registered import (
    CutAttack,
    DegreeAttack,
    NeighborhoodAttack,
    RefinementAttack,
    SeedPropagationAttack,
    WalkAttack,
)
from anon_transformers_graphs.attacks._reidentification import (
    Reidentification,
    degree_attack,
    neighborhood_attack,
    refinement_attack,
)

__all__ = [
    "ActiveAttack",
    "CutAttack",
    "DegreeAttack",
    "NeighborhoodAttack",
    "RefinementAttack",
    "Reidentification",
    "SeedPropagation",
    "SeedPropagationAttack",
    "WalkAttack",
    "cut_attack",
    "degree_attack",
    "neighborhood_attack",
    "refinement_attack",
    "seed_propagation",
    "walk_attack",
]
