"""What the examples share: their table, their options, and how they draw."""

import argparse
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

mpl.use("Agg")  # files only, no window

COLORS = ("tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown")


def make_impacts(n_rows: int = 133, seed: int = 0) -> pd.DataFrame:
    """Make head acceleration after impacts: flat, then a dip, a rebound, and noise."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.uniform(2.4, 57.6, n_rows))
    dip = -115 * np.exp(-(((time - 21) / 5) ** 2))
    rebound = 45 * np.exp(-(((time - 33) / 5) ** 2))
    noise = rng.normal(scale=np.where(time < 14, 1.5, 20))
    return pd.DataFrame(
        {"time": time.round(1), "acceleration": (dip + rebound + noise).round(1)}
    )


def options(question: str, columns: int) -> argparse.ArgumentParser:
    """Options of an example that reads a table and writes a picture."""
    parser = argparse.ArgumentParser(description=question)
    parser.add_argument("--data", type=Path, help="CSV file to use instead")
    parser.add_argument(
        "--columns", nargs=columns, metavar="COLUMN", help="its columns of numbers"
    )
    parser.add_argument("--sets", type=int, default=4, help="number of sets")
    picture = Path(sys.argv[0]).with_suffix(".png").name
    parser.add_argument(
        "--out", type=Path, default=picture, help=f"PNG file to write ({picture})"
    )
    return parser


def read(given: argparse.Namespace, default: pd.DataFrame) -> pd.DataFrame:
    """The columns to draw: of the file that was given, or of the default table."""
    table = default if given.data is None else pd.read_csv(given.data)
    numbers = table.select_dtypes("number")
    if not given.columns:
        return numbers.iloc[:, :2]
    for name in given.columns:
        if name not in numbers:
            fault = "holds no numbers" if name in table else "does not exist"
            there = ", ".join(map(str, numbers))
            print(
                f"--columns: {name!r} {fault}; columns of numbers: {there}",
                file=sys.stderr,
            )
            raise SystemExit(2)
    return numbers[given.columns]
