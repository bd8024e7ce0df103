"""The ladder of a release: what is tried, in the stated order, when it is refused.

The first setting that the method can make, and that passes the gate, is the candidate;
*validate* judges the bytes of that candidate again, like any other. Thresholds are the
same at every rung.
"""

import warnings
from typing import Any

from anon_transformers.base import BaseAnonymizer
from anon_transformers.exceptions import (
    ConfigurationError,
    InfeasibleError,
    TellingColumnsWarning,
    safe_words,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._anonymize import DRAFT, write_draft
from anon_transformers.release._anonymizer import check_gate, make_anonymizer
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._forms import Candidate, Form, form_of
from anon_transformers.release._ledger import workspace_of
from anon_transformers.release._log import tell
from anon_transformers.release._manifest import public_parameters
from anon_transformers.release._run import CANDIDATE, Journal, Run, remove_tree
from anon_transformers.release._steps import refuse_what_is_missing
from anon_transformers.release._validate import judge_candidate

STATED = "the file as it is stated"
TRIED = "tried"
"""The event of the journal that says what became of a rung."""


class DraftRun(Run):
    """A run whose candidate is still a draft, so that it can be judged as one."""

    def path(self, name: str) -> Any:
        """A file or folder of the run; of the candidate, the draft."""
        return super().path(DRAFT if name == CANDIDATE else name)


def check_ladder(
    form: Form, thresholds: tuple[Threshold, ...]
) -> list[tuple[Form, BaseAnonymizer]]:
    """Make the method of every rung, or refuse it with its key.

    Everything is checked when a run is loaded that would be if the rung were the file:
    a ladder that breaks at its third rung is of no use to anybody.
    """
    made = []
    for number, _ in enumerate(form.config.on_refusal.back_off):
        config = form.config.at_rung(number + 1)
        try:
            refuse_what_is_missing(config, source=False)  # that is the file's
            of_rung = form_of(config)
            if type(of_rung) is not type(form):
                raise ConfigurationError(
                    f"anonymizer {config.anonymizer.name}: it makes another form of "
                    f"data than {form.config.anonymizer.name}, which the source and "
                    "the roles of the file were checked for."
                )
            anonymizer = make_anonymizer(config, thresholds)
            check_gate(of_rung, thresholds)
        except ConfigurationError as error:
            refused = f"on_refusal.back_off.{number}: {error}"
        else:
            made.append((of_rung, anonymizer))
            continue
        raise ConfigurationError(refused)
    return made


def write_first_that_passes(run: Run) -> None:
    """Write the draft of the first setting that passes, with all tries up to it.

    Raises
    ------
    InfeasibleError
        If none passes, with what refused each.
    """
    config, refused = run.config, []
    for number in range(len(config.on_refusal.back_off) + 1):
        reason = _try(run, number)
        run.journal.write(
            run.id,
            TRIED,
            rung=number,
            settings=_settings_of(config, number),
            passed=reason is None,
        )
        if reason is None:
            tell(rung=number, setting=name_of(number))
            return
        refused.append(reason)
    remove_tree(run.path(DRAFT))
    lines = [f"{name_of(number)}: {why}" for number, why in enumerate(refused)]
    raise InfeasibleError(
        "\n".join([f"{config.name}: no rung of on_refusal passes.", *lines])
    )


def name_of(rung: int) -> str:
    """What is tried at a rung, by its key in the file."""
    return f"on_refusal.back_off.{rung - 1}" if rung else STATED


def tries_of(config: ReleaseConfig, version: str) -> list[dict[str, Any]]:
    """Every try of a version: its rung, what it states, and its verdict. Private.

    No number of a try that was refused: rows that are not published would show in it.
    """
    home = workspace_of(config) / config.name
    return [
        {key: event[key] for key in ("rung", "settings", "passed")}
        for event in Journal(home).stories().get(version, [])
        if event["event"] == TRIED
    ]


def _settings_of(config: ReleaseConfig, rung: int) -> dict[str, Any]:
    """What a rung states, without the values of private parameters."""
    settings = config.on_refusal.back_off[rung - 1].settings if rung else {}
    if "anonymizer" in settings:
        method = config.at_rung(rung).anonymizer.name
        settings["anonymizer"] = public_parameters(method, settings["anonymizer"])
    return settings


def _try(run: Run, number: int) -> str | None:
    """Write the draft of one rung and judge it; why it is refused, if it is."""
    config = run.config.at_rung(number)
    try:
        write_draft(run, config, rung=number)
    except InfeasibleError as error:
        return safe_words(error)
    draft = DraftRun(run.folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TellingColumnsWarning)  # validate gives it
        result = judge_candidate(form_of(config), Candidate.read(draft))
    return None if result.passed else "; ".join(result.reasons) or "it does not pass"
