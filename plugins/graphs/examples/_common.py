"""What the examples share: their network, their options, and how they draw."""

import argparse
import sys
from pathlib import Path

import matplotlib as mpl
import networkx as nx
import pandas as pd

mpl.use("Agg")  # files only, no window


def options(question: str) -> argparse.ArgumentParser:
    """Options of an example that reads a network and writes a picture."""
    parser = argparse.ArgumentParser(description=question)
    parser.add_argument(
        "--edges", type=Path, help="CSV file of edges to use instead of the karate club"
    )
    parser.add_argument("--runs", type=int, default=5, help="runs of each point")
    picture = Path(sys.argv[0]).with_suffix(".png").name
    parser.add_argument(
        "--out", type=Path, default=picture, help=f"PNG file to write ({picture})"
    )
    return parser


def read(given: argparse.Namespace) -> pd.DataFrame:
    """The edges to draw: of the file that was given, or of the karate club."""
    if given.edges is not None:
        return pd.read_csv(given.edges)
    club = nx.karate_club_graph()
    return pd.DataFrame(list(club.edges()), columns=["one", "other"])
