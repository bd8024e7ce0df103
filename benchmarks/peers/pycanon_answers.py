"""Write down what pycanon answers on a few tables.

pycanon pins old versions of numpy and pandas, so it lives in an environment of its own:
``python -m venv .venv-peers``, ``.venv-peers/bin/pip install pycanon``, then
``.venv-peers/bin/python benchmarks/peers/pycanon_answers.py``. The tests compare its
answers, kept in ``tests/data/pycanon.json``, with ours.
"""

import contextlib
import io
import json
import math
import warnings
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from pycanon import anonymity

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "tests" / "data" / "pycanon.json"
VECTORS = ROOT / "tests" / "data" / "vectors" / "tabular-k-l-t.json"
ADULT = ROOT / "anon_transformers" / "datasets" / "data" / "adult" / "adult.csv.gz"
ASKED = {
    "k": lambda data, known, sensitive: anonymity.k_anonymity(data, known),
    "l": anonymity.l_diversity,
    "l-extended": lambda *table: anonymity.l_diversity(*table, gen=False),
    "entropy-l": anonymity.entropy_l_diversity,
    "entropy-l-extended": lambda *t: anonymity.entropy_l_diversity(*t, gen=False),
    "recursive-c-l": anonymity.recursive_c_l_diversity,
    "alpha-k": anonymity.alpha_k_anonymity,
    "alpha-k-extended": lambda *table: anonymity.alpha_k_anonymity(*table, gen=False),
    "t": anonymity.t_closeness,
    "t-extended": lambda *table: anonymity.t_closeness(*table, gen=False),
    "beta": anonymity.basic_beta_likeness,
    "beta-extended": lambda *table: anonymity.basic_beta_likeness(*table, gen=False),
    "enhanced-beta": anonymity.enhanced_beta_likeness,
}
ADULT_COLUMNS = {
    "adult-one": ["sex"],
    "adult-two": ["sex", "salary-class"],
    "adult-three": ["sex", "race", "marital-status"],
    "adult-five": ["sex", "race", "marital-status", "workclass", "education"],
}
NONE = None
SMALL = {
    "two-sensitive": {
        "rows": [
            [1, "a", "x"], [1, "b", "x"], [1, "a", "y"], [1, "c", "y"],
            [2, "a", "x"], [2, "b", "x"], [2, "c", "x"], [2, "a", "x"],
        ],
        "columns": ["q", "s", "u"],
        "sensitive": ["s", "u"],
    },
    "missing-quasi-identifier": {
        "rows": [["a", "x"], ["a", "y"], ["a", "z"], [NONE, "x"]],
        "columns": ["q", "s"],
        "sensitive": ["s"],
    },
    "shuffled-index": {
        "rows": [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]],
        "columns": ["q", "s"],
        "sensitive": ["s"],
        "index": [0, 2, 1, 3],
    },
    "missing-sensitive-value": {
        "rows": [["a", 1.0], ["a", NONE], ["b", 1.0], ["b", NONE]],
        "columns": ["q", "s"],
        "sensitive": ["s"],
    },
    "constant-sensitive-number": {
        "rows": [["a", 1], ["a", 1], ["b", 1], ["b", 1]],
        "columns": ["q", "s"],
        "sensitive": ["s"],
    },
}  # fmt: skip


def tables():
    """Yield name, table, quasi-identifiers, sensitive columns, and how to get it."""
    vectors = {v["name"]: v for v in json.loads(VECTORS.read_text(encoding="utf-8"))}
    for name in (
        "table12-homogeneity",
        "table14-distinct-l",
        "table15-entropy-l",
        "table16-similarity",
        "table17-ordered-emd",
    ):
        given = vectors[name]["input"]
        known, sensitive = ["Edad", "Código Postal"], given["columns"][2:3]
        yield name, pd.DataFrame(**given_as_frame(given)), known, sensitive, given
    adult = pd.read_csv(ADULT).iloc[::30].reset_index(drop=True)
    told = {"adult": "every 30th row"}
    for name, known in ADULT_COLUMNS.items():
        yield name, adult, known, ["occupation"], told
    both = ["occupation", "salary-class"]
    yield "adult-two-sensitive", adult, ["sex"], both, told
    for name, given in SMALL.items():
        frame = pd.DataFrame(**given_as_frame(given))
        yield name, frame, ["q"], given["sensitive"], given


def given_as_frame(given):
    """Arguments of a data frame."""
    return {
        "data": given["rows"],
        "columns": given["columns"],
        "index": given.get("index"),
    }


def answer(ask, data, known, sensitive):
    """The answer as plain numbers, or the error in its place."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = ask(data.copy(), list(known), list(sensitive))
    except Exception as error:  # whatever it raises is its answer
        return {"error": type(error).__name__}
    if isinstance(found, tuple):
        return [_plain(number) for number in found]
    return _plain(found)


def _plain(number):
    number = float(number)
    return number if math.isfinite(number) else None


def main():
    """Ask about every table and write the file."""
    told = [
        {
            "name": name,
            "quasi_identifiers": known,
            "sensitive": sensitive,
            "table": {k: given[k] for k in given if k != "sensitive"},
            "answers": {
                what: answer(ask, data, known, sensitive) for what, ask in ASKED.items()
            },
        }
        for name, data, known, sensitive, given in tables()
    ]
    file = {"pycanon": version("pycanon"), "pandas": version("pandas"), "tables": told}
    text = json.dumps(file, indent=1, ensure_ascii=False)
    TARGET.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
