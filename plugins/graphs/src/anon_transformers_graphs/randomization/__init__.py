"""Random changes of edges."""

from anon_transformers_graphs.randomization._add_delete import RandomAddDelete
from anon_transformers_graphs.randomization._chain import FeatureChain
from anon_transformers_graphs.randomization._naive import NaiveAnonymizer
from anon_transformers_graphs.randomization._perturbation import RandomPerturbation
from anon_transformers_graphs.randomization._spectral import SpectralRandomizer
from anon_transformers_graphs.randomization._switch import RandomSwitch

__all__ = [
    "FeatureChain",
    "NaiveAnonymizer",
    "RandomAddDelete",
    "RandomPerturbation",
    "RandomSwitch",
    "SpectralRandomizer",
]
