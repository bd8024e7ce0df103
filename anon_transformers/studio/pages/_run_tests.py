"""Run tests: the three tests of the thesis on Adult, on a page below Protect."""

from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from anon_transformers.studio._forms import Field, fields_of, read_form
from anon_transformers.studio._page import address, project_of, render, start_job
from anon_transformers.studio._statistics import QUERY_WORDS, is_adult
from anon_transformers.studio.pages._outcome import rows_of, summary

TESTS, WORK = "tests", "anon_transformers.studio._run_tests:run_tests"
START: dict[str, Any] = {
    "method": "full-domain",
    "ages": "ranges",
    "k": 5,
    "c": 4.0,
    "l": 2,
    "t": 0.2,
}
"""What the form holds at first: a run of the thesis."""
AGES = {
    "ranges": "right ranges: 20 is in 20-24",
    "published": "as in the published tests, off by one: 20 is in 15-19",
}
"""Hierarchies of the age, in words."""


def fields() -> list[Field]:
    """The parameters of the tests, each with its legal limits."""
    from dataclasses import replace

    from anon_transformers.registry import registry
    from anon_transformers.studio._run_tests import OCCUPATIONS, PERSONS

    models = registry().privacy_models
    named = ("k-anonymity", "recursive-cl-diversity", "t-closeness")
    own = {f.name: f for name in named for f in fields_of(models[name])}
    limits: dict[str, dict[str, Any]] = {
        "k": {"least": 2, "most": PERSONS, "help": f"From 2 to {PERSONS:,} persons."},
        "c": {"least": 0},
        "l": {"most": OCCUPATIONS, "help": f"From 1 to {OCCUPATIONS} occupations."},
        "t": {},
    }
    return [
        replace(own[name], required=False, default=START[name], **limits[name])
        for name in ("k", "c", "l", "t")
    ]


def show(request: Request) -> Response:
    """The form, and what the tests came to."""
    from anon_transformers.studio._run_tests import METHODS, NAMES

    project = project_of(request)
    if not is_adult(project.content):
        raise HTTPException(404, "these tests are of the bundled Adult census")
    result = project.result(TESTS)
    tests = {} if result is None else result.found["tests"]
    made = {test: found for test, found in tests.items() if "refusal" not in found}
    chosen = request.query_params.get("test", "")
    chosen = chosen if chosen in made else next(iter(made), "")
    rows = rows_of(request, project, TESTS, f"{chosen}-") if chosen else None
    return render(
        request,
        "protect/tests.html",
        fields=fields(),
        stated=START if result is None else {**START, **result.found},
        methods=METHODS,
        ages=AGES,
        names=NAMES,
        tests=tests,
        made=made,
        chosen=chosen,
        numbers=side_by_side({test: summary(found) for test, found in made.items()}),
        levels=side_by_side({test: _levels(found) for test, found in made.items()}),
        answers=_answers(made),
        excerpt=rows,
        here=address(request, "protect", "tests/"),
        up=address(request, "protect"),
    )


def _levels(found: Any) -> list[tuple[str, Any]]:
    levels = (found.get("details") or {}).get("levels")
    return list(levels.items()) if isinstance(levels, dict) else []


def side_by_side(columns: Any) -> list[list[Any]]:
    """Rows of words and one number per column, None where a column has none.

    Examples
    --------
    >>> side_by_side({"a": [("x", 1)], "b": [("x", 2), ("y", 3)]})
    [['x', 1, 2], ['y', None, 3]]
    """
    by_name = {name: dict(rows) for name, rows in columns.items()}
    words = dict.fromkeys(word for rows in by_name.values() for word in rows)
    return [[word, *(rows.get(word) for rows in by_name.values())] for word in words]


def _answers(made: Any) -> list[list[Any]]:
    """Queries on age: the answer of the source, then answer and error of each test."""
    answered = [found["answers"] for found in made.values() if found.get("answers")]
    if len(answered) < len(made) or not answered:
        return []
    rows = []
    for query, words in QUERY_WORDS.items():
        of_tests = [one[query] for one in answered]
        pairs = [[one["released"], one["error"]] for one in of_tests]
        rows.append([words, of_tests[0]["original"], *(n for p in pairs for n in p)])
    return rows


def run(request: Request, form: FormData) -> str:
    """Run one test, or all."""
    from anon_transformers.studio._run_tests import NAMES, checked

    given = {**START, **read_form(fields(), form)}
    tests = [str(one) for one in form.getlist("tests") if one] or list(NAMES)
    chosen = {key: form.get(key, START[key]) for key in ("method", "ages")}
    params = checked({**given, **chosen, "tests": tests})
    back = address(request, "protect", "tests/")
    return start_job(request, TESTS, "Run tests", WORK, params, back)
