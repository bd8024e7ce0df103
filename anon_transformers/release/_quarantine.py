"""Put a refused candidate away, and say why it was refused."""

import json
import os

from anon_transformers.gx.gate import Check, GateResult
from anon_transformers.parameters import is_number
from anon_transformers.release._forms import Form
from anon_transformers.release._run import (
    ERROR,
    KEY,
    LOCK,
    ORDER,
    QUARANTINE,
    SPILL,
    Run,
    close_to_others,
    make_private,
    refuse_links,
    remove_run,
    remove_tree,
    write_json,
)


def describe_refusal(name: str, result: GateResult, place: str) -> str:
    """Why a candidate is refused: one line per reason, with what was asked for."""
    asked = {f"{check.id}: ": asked_of(check) for check in result.checks}
    lines = []
    for reason in result.reasons or ("a threshold is broken",):
        stem = next((stem for stem in asked if reason.startswith(stem)), "")
        lines.append(f"{reason}{asked.get(stem, '')}")
    if len(lines) == 1:
        return f"{name}: {lines[0]}. The candidate lies in {place}."
    listed = [f"- {line}" for line in lines]
    reasons = [f"{name}: refused for {len(lines)} reasons:", *listed]
    return "\n".join([*reasons, f"The candidate lies in {place}."])


def asked_of(check: Check) -> str:
    """The numbers that a model was asked for; a metric's reason names its bounds."""
    numbers = {k: v for k, v in check.params.items() if is_number(v)}
    if check.kind != "model" or check.observed is None or not numbers:
        return ""
    return f" (asked for {', '.join(f'{k}={v:g}' for k, v in numbers.items())})"


def quarantine(run: Run, form: Form) -> str:
    """Put the candidate and its verdict away, and remove the personal data."""
    home = run.folder.parent.parent
    refuse_links(home)  # one may have come since the run was loaded
    place = make_private(home / QUARANTINE) / run.id
    remove_run(place)
    while os.path.lexists(place):  # somebody else's
        place = place.with_name(f"{place.name}-r")
    for private in (KEY, LOCK, *form.private_files):
        run.path(private).unlink(missing_ok=True)
    remove_tree(run.path(SPILL))
    for details in run.folder.glob(f"*{ERROR}"):
        details.unlink()
    _forget_variables(run)
    close_to_others(run.folder)
    run.folder.rename(place)
    run.journal.write(run.id, "quarantined")
    return str(place)


def _forget_variables(run: Run) -> None:
    """Leave out of the order what variables held: an address may have a password."""
    order = json.loads(run.path(ORDER).read_text(encoding="utf-8"))
    order.pop("filled", None)
    write_json(run.path(ORDER), order)
