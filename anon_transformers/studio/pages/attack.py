"""Attack: what intruders get of the protected table, and what keeps them from it."""

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import DataError
from anon_transformers.figures import Chart, before_after_chart
from anon_transformers.registry import registry
from anon_transformers.studio import _attacked
from anon_transformers.studio._page import (
    Page,
    address,
    form_route,
    project_of,
    render,
    start_job,
    studio_of,
)

NAME = "attack"


def show(request: Request) -> Response:
    """What each attack got, and what counters it; before that, what there is."""
    project = project_of(request)
    result = project.result(_attacked.ATTACK)
    content = project.content
    found: dict[str, Any] = {} if result is None else dict(result.found)
    attacks = [
        {
            **one,
            "counter": _attacked.counter_of(one["name"], content, found["values"])
            if one["exposed"]
            else None,
        }
        for one in found.get("attacks", ())
    ]
    return render(
        request,
        "attack.html",
        result=result,
        attacks=attacks,
        known=_known(),
        chart=_chart(attacks, found["counted"]) if attacks else None,
        words=_attacked.threshold_words,
        here=address(request, NAME),
    )


def _known() -> list[tuple[str, str]]:
    """The registered attacks on tables, and what each does."""
    catalog = registry().attacks
    return [
        (name, catalog.summary(name).replace("``", ""))
        for name in catalog
        if catalog.fault(name) is None and catalog[name].kind == "table"
    ]


def _chart(attacks: list[dict[str, Any]], counted: str) -> Chart:
    def share(found: tuple[int, int]) -> float:
        return found[0] / max(found[1], 1)

    return before_after_chart(
        f"Share of exposed {counted}",
        [one["name"] for one in attacks],
        [None if one["raw"] is None else share(one["raw"]) for one in attacks],
        [share((one["exposed"], one["rows"])) for one in attacks],
        label_name="attack",
        value_name="share",
    )


def run(request: Request, form: FormData) -> str:
    """Attack the protected table; it is made first, if it is not there."""
    return start_job(
        request, _attacked.ATTACK, "Attack the table", _attacked.WORK,
        back=address(request, NAME),
    )  # fmt: skip


def counter(request: Request, form: FormData) -> str:
    """Ask for what counters an attack."""
    project = project_of(request)
    result = project.result(_attacked.ATTACK)
    values = None if result is None else result.found["values"]
    name = str(form.get("attack", ""))
    wanted = _attacked.counter_of(name, project.content, values)
    if not isinstance(wanted, dict):
        raise DataError("there is no threshold that counters this attack.")
    words = _attacked.threshold_words(wanted)
    project.edit(f"ask for {words}", lambda c: _attacked.counter(c, wanted))
    studio_of(request).notice(
        f"The release file now asks for {words}. Attack again to see what is left."
    )
    return address(request, NAME)


PAGE = Page(
    NAME,
    "Attack",
    "See what intruders get of the table, and what keeps them from it.",
    (
        Route("/", show),
        form_route("/run", run),
        form_route("/counter", counter),
    ),
    of_tables=True,
)
