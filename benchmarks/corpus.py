"""Put the conformance corpus to this library and to its peers.

Run it with ``.venv/bin/python benchmarks/corpus.py`` after ``make peers``. The corpus
is ``tests/corpus``; answers and a page to read are kept in ``benchmarks/results``.
Peers run under their own Python, which ``--peers`` may name.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import subprocess
from pathlib import Path

from _peers import PYTHON
from _results import RESULTS, markdown_table

HERE = Path(__file__).parent
CORPUS = HERE.parent / "tests" / "corpus"
SCRIPT = HERE / "peers" / "corpus_answers.py"
PEERS = ("anjana", "anonypy", "pycanon")
NOT_ASKED = "-"
LIMIT = 600  # seconds for all questions to one peer


def load(name):
    """A module of the corpus, which is no package."""
    spec = importlib.util.spec_from_file_location(name, CORPUS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def our_answers(corpus):
    """Answers of our methods: one, or one a method where they differ."""
    ours = load("ours")
    answers = {}
    for case in corpus.read_cases():
        answers[case["id"]] = []
        for question in case["ask"]:
            measured = [corpus.ask(ours.Ours(m), case, question) for m in ours.METHODS]
            measured = [answer for answer in measured if answer is not None]
            right = all(
                corpus.agrees(answer, question["answer"]) for answer in measured
            )
            first = (
                measured[0]
                if all(answer == measured[0] for answer in measured)
                else measured
            )
            answers[case["id"]].append({"answer": first, "right": right})
    version = importlib.metadata.version("anon-transformers")
    return {"version": version, "answers": answers}


def peer_answers(corpus, peer, python):
    """Answers of one peer, or a note why there are none."""
    if not python.exists():
        return {"note": "peer not installed: make peers"}
    done = subprocess.run(
        [python, SCRIPT, peer, CORPUS],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"note": f"peer failed: {reason}"}
    measured = json.loads(done.stdout)
    judged = {}
    for case in corpus.read_cases():
        pairs = zip(case["ask"], measured["answers"][case["id"]], strict=True)
        judged[case["id"]] = [
            None
            if answer is None
            else {"answer": answer, "right": corpus.agrees(answer, question["answer"])}
            for question, answer in pairs
        ]
    return {"version": measured["version"], "answers": judged}


def count(corpus, measured):
    """How many questions were answered right, wrong, with an error, or not asked."""
    counts = {"right": 0, "wrong": 0, "error": 0, "not asked": 0}
    for verdicts in measured["answers"].values():
        for verdict in verdicts:
            if verdict is None:
                counts["not asked"] += 1
            elif verdict["right"]:
                counts["right"] += 1
            else:
                fault = "error" if corpus.refused(verdict["answer"]) else "wrong"
                counts[fault] += 1
    return counts


def asked_text(question):
    """A question in a few words."""
    given = {**question, **question.get("asked", {})}
    values = [f"{key} = {given[key]}" for key in "kclt" if key in given]
    if "suppression" in given:
        values.append(f"suppression {given['suppression']}")
    if question["question"] == "holds":
        return f"{question['model']}, {', '.join(values)}?"
    if question["question"] == "published":
        return f"{question['fact']}, published with {', '.join(values)}"
    distance = f", {question['distance']}" if "distance" in question else ""
    return question["question"] + distance


def truth_text(truth):
    """A right answer in a few words."""
    if isinstance(truth, dict):
        signs = {"at_least": "≥ ", "at_most": "≤ "}
        parts = [f"{sign}{truth[key]}" for key, sign in signs.items() if key in truth]
        return " or ".join(parts or map(value_text, truth["any_of"]))
    return value_text(truth)


def value_text(value):
    """A value as a cell of a table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(value_text, value)) or "none"
    return str(value)


def cell(verdict):
    """An answer, in bold if it is wrong."""
    if verdict is None:
        return NOT_ASKED
    text = value_text(verdict["answer"]).replace("refused", "error")
    return text if verdict["right"] else f"**{text}**"


def page(corpus, results):
    """The answers as tables."""
    present = {
        name: measured for name, measured in results.items() if "answers" in measured
    }
    heads = [f"{name} {measured['version']}" for name, measured in present.items()]
    parts = ["# Conformance corpus: what each library answers"]
    parts += [
        "**Bold** is wrong or an error where there is an answer; - cannot be asked."
    ]
    counts = [{"library": h, **count(corpus, t)} for h, t in
              zip(heads, present.values(), strict=True)]  # fmt: skip
    parts += [markdown_table(counts)]
    parts += [f"{n}: {t['note']}" for n, t in results.items() if "note" in t]
    for case in corpus.read_cases():
        lines = []
        for number, question in enumerate(case["ask"]):
            line = {
                "asked": asked_text(question),
                "truth": truth_text(question["answer"]),
            }
            for head, measured in zip(heads, present.values(), strict=True):
                line[head] = cell(measured["answers"][case["id"]][number])
            lines.append(line)
        parts += [f"## {case['id']}", case["trap"], markdown_table(lines)]
    return "\n\n".join(parts) + "\n"


def main():
    """Ask everybody and keep the answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=Path, default=PYTHON, metavar="PYTHON")
    python = parser.parse_args().peers
    corpus = load("corpus")
    results = {"ours": our_answers(corpus)}
    for peer in PEERS:
        results[peer] = peer_answers(corpus, peer, python)
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(results, indent=2, ensure_ascii=False)
    (RESULTS / "corpus.json").write_text(text + "\n", encoding="utf-8")
    measured = page(corpus, results)
    (RESULTS / "corpus.md").write_text(measured, encoding="utf-8")
    print(measured)


if __name__ == "__main__":
    main()
