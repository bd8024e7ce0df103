"""Put the conformance corpus to one peer, and print its answers as JSON.

``benchmarks/corpus.py`` starts this file under the Python of ``.venv-peers``. Of this
project it reads nothing but the corpus, which stands for itself. The first argument
names the peer, the second the folder of the corpus.
"""

import contextlib
import importlib.metadata
import importlib.util
import json
import signal
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd


class Pycanon:
    """A judge only."""

    def judge(self, frame, case, question):
        """Ask the function of the same name."""
        from pycanon import anonymity

        known, sensitive = case["quasi_identifiers"], [case.get("sensitive")]
        asked = {
            "k": lambda: anonymity.k_anonymity(frame, known),
            "distinct-l": lambda: anonymity.l_diversity(frame, known, sensitive),
            "entropy-l": lambda: anonymity.entropy_l_diversity(frame, known, sensitive),
            "t": lambda: anonymity.t_closeness(frame, known, sensitive),
        }
        if question["question"] == "holds":
            return self._holds(frame, known, sensitive, question)
        if question["question"] not in asked:
            return None
        return asked[question["question"]]()

    def _holds(self, frame, known, sensitive, question):
        """Compare its level with the threshold."""
        from pycanon import anonymity

        if question["model"] == "k-anonymity":
            return anonymity.k_anonymity(frame, known) >= question["k"]
        if question["model"] == "distinct-l-diversity":
            return anonymity.l_diversity(frame, known, sensitive) >= question["l"]
        if question["model"] == "entropy-l-diversity":
            level = anonymity.entropy_l_diversity(frame, known, sensitive)
            return level >= question["l"]
        if question["model"] == "recursive-cl-diversity":
            c, level = anonymity.recursive_c_l_diversity(frame, known, sensitive)
            return c <= question["c"] if level == question["l"] else None
        return anonymity.t_closeness(frame, known, sensitive) <= question["t"]


class Anjana:
    """An anonymizer by hierarchies; it judges with pycanon."""

    def prepare(self, frame, case, asked):
        """Arguments as its documentation has them: texts, arrays of levels."""
        if "hierarchies" not in case:
            return None
        trees = {
            name: dict(enumerate(np.array(rows, dtype=object).T))
            for name, rows in case["hierarchies"].items()
        }
        known = case["quasi_identifiers"]
        # Its hierarchies hold texts.
        table = frame.assign(**{name: frame[name].astype(str) for name in known})
        return {"data": table, "quasi_ident": known, "case": case, "asked": asked,
                "hierarchies": trees}  # fmt: skip

    def publish(self, arguments):
        """Anonymize with k, and l or t where asked for."""
        from anjana import anonymity

        asked, sensitive = arguments["asked"], arguments["case"]["sensitive"]
        given = {
            "data": arguments["data"],
            "ident": [],
            "quasi_ident": arguments["quasi_ident"],
            "k": asked["k"],
            "supp_level": 100 * asked.get("suppression", 0),
            "hierarchies": arguments["hierarchies"],
        }
        if "l" in asked:
            return anonymity.l_diversity(**given, sens_att=sensitive, l_div=asked["l"])
        if "t" in asked:
            return anonymity.t_closeness(**given, sens_att=sensitive, t=asked["t"])
        return anonymity.k_anonymity(**given)

    def labels(self, values, width):
        """Its ranges, from 0 to beyond the largest value."""
        from anjana.anonymity.utils import generate_intervals

        top = width * (max(values) // width + 1)
        return generate_intervals(values, 0, top, width)


class Anonypy:
    """Mondrian without hierarchies; a class is published as lines with counts."""

    def prepare(self, frame, case, asked):
        """Texts are categories, as its documentation has it."""
        if asked.get("suppression"):
            return None
        table = frame.copy()
        for name in table.columns:
            if not pd.api.types.is_numeric_dtype(table[name]):
                table[name] = table[name].astype("category")
        return {"frame": table, "case": case, "asked": asked}

    def publish(self, arguments):
        """Anonymize, and write each line as often as it counts."""
        from anonypy import Preserver

        case, asked = arguments["case"], arguments["asked"]
        known = case["quasi_identifiers"]
        preserver = Preserver(arguments["frame"], known, case["sensitive"])
        if "l" in asked:
            lines = preserver.anonymize_l_diversity(asked["k"], asked["l"])
        elif "t" in asked:
            lines = preserver.anonymize_t_closeness(asked["k"], asked["t"])
        else:
            lines = preserver.anonymize_k_anonymity(asked["k"])
        table = pd.DataFrame(lines).explode(known)
        rows = table.loc[table.index.repeat(table.pop("count"))]
        return rows.reset_index(drop=True)

    def judge(self, frame, case, question):
        """It has a test of a class for t alone; ask it of every class."""
        from anonypy import anonymity

        if question.get("model") != "t-closeness":
            return None
        sensitive = case["sensitive"]
        shares = anonymity.get_global_freq(frame, sensitive)
        groups = frame.groupby(case["quasi_identifiers"], observed=True).groups
        return all(
            anonymity.is_t_close(frame, rows, sensitive, shares, question["t"])
            for rows in groups.values()
        )


LONG_ENOUGH = 5  # seconds for one answer; a timeout is an error of the peer
PEERS = {"anjana": Anjana, "anonypy": Anonypy, "pycanon": Pycanon}


def plain(answer):
    """An answer as JSON knows it."""
    if isinstance(answer, np.generic):
        answer = answer.item()
    if isinstance(answer, float) and not np.isfinite(answer):
        return str(answer)
    return answer


def _stop(*_):
    raise TimeoutError


def asked(corpus, peer, case, question):
    """The answer to one question; some peers never end."""
    signal.alarm(LONG_ENOUGH)
    answer = corpus.ask(PEERS[peer](), case, question)
    signal.alarm(0)
    return plain(answer)


def main(peer, folder):
    """Ask everything."""
    spec = importlib.util.spec_from_file_location("corpus", folder / "corpus.py")
    corpus = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(corpus)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _stop)
    answers = {}
    # Peers print; only the last line is ours.
    with contextlib.redirect_stdout(sys.stderr):
        for case in corpus.read_cases():
            answers[case["id"]] = [
                asked(corpus, peer, case, question) for question in case["ask"]
            ]
    print(json.dumps({"version": importlib.metadata.version(peer), "answers": answers}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
