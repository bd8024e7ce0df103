"""Third step: judge the candidate as its readers will see it."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from anon_transformers.evidence import Report
from anon_transformers.exceptions import GateError
from anon_transformers.gx._threshold import Threshold
from anon_transformers.gx.gate import GateResult, read_suite, run_gate
from anon_transformers.release._build import evidence_kinds
from anon_transformers.release._composition import Together
from anon_transformers.release._forms import Candidate, Form, GateInput, form_of
from anon_transformers.release._hidden_columns import HIDDEN_SHARES, said_of_hidden
from anon_transformers.release._ledger import publication_of
from anon_transformers.release._log import LOG, stage, tell, tell_numbers
from anon_transformers.release._policies import policy_faults
from anon_transformers.release._private_report import write_private_report
from anon_transformers.release._pseudonyms import LINKED
from anon_transformers.release._quarantine import describe_refusal, quarantine
from anon_transformers.release._report import write_report
from anon_transformers.release._run import Run, hash_of
from anon_transformers.release._steps import Location, discreet
from anon_transformers.release._table_numbers import counts_rows
from anon_transformers.release._under_way import held


@discreet
def validate(location: Location) -> str:
    """Judge the candidate by every threshold; quarantine it if one is broken.

    Parameters
    ----------
    location : str
        The run's private folder.

    Returns
    -------
    str
        The same folder, now with a verdict.

    Raises
    ------
    GateError
        If a threshold is broken or could not be evaluated. The candidate then lies in
        quarantine, and the loaded data are gone.
    """
    run = Run(location)
    with held(run.folder):
        with run.refused_if_gone():
            form, result = judge_run(run)
        if not result.passed:
            place = quarantine(run, form)
            tell(private_data="removed")
            said = describe_refusal(run.config.title, result, place)
            raise GateError(said, result.reasons)
    return str(run.folder)


def judge_run(run: Run) -> tuple[Form, GateResult]:
    """Judge the candidate of a run, and write report and verdict beside it."""
    tell(run.config.title)
    stage("checking that nothing changed")
    candidate = Candidate.read(run)
    form = form_of(candidate.config)
    run.refuse_changed_inputs()
    run.refuse_changed_files()
    stage("measuring what is published")
    # What is published is measured first, while no judge has seen private evidence.
    numbers = form.numbers(
        candidate.tables, run.thresholds, candidate.suppression_label
    )
    result = judge_candidate(form, candidate)
    tell_numbers({check.id: check.observed for check in result.checks})
    tell(counted_in=counted_in_words(form, run.thresholds))
    if not result.passed:
        broken = [check.id for check in result.checks if not check.passed]
        if broken:
            tell(broken=", ".join(broken))
        tell(reasons=len(result.reasons))
    verdict = {"sha256": hash_of(candidate.noted), **public_verdict(result, numbers)}
    hidden = numbers.get(HIDDEN_SHARES, {})
    for said in said_of_hidden(hidden, candidate.suppression_label):
        LOG.info("%s: %s.", run.config.title, said)
    stage("writing the report")
    write_report(run.path("validation.html"), run, candidate.noted, verdict)
    run.write_verdict(verdict)
    write_private_report(run, form, candidate, verdict)
    return form, result


def counted_in_words(form: Form, thresholds: Sequence[Threshold]) -> str:
    """What the numbers of a gate count, with those that count something else."""
    of_rows = [t.id for t in thresholds if counts_rows(t)]
    if form.counted_in != "persons" or not of_rows:
        return form.counted_in
    return f"persons ({', '.join(of_rows)} in rows)"


def public_verdict(result: GateResult, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict as it is published: of its numbers those that anybody can check."""
    levels = numbers["levels"]
    rest = {key: number for key, number in numbers.items() if key != "levels"}
    shown = ("id", "kind", "name", "params", "sentence", "passed", "reason")
    checks = [
        {**{key: check.to_dict()[key] for key in shown}, **levels.get(check.id, {})}
        for check in result.checks
    ]
    reasons = [] if result.passed else list(result.reasons)
    return {"passed": result.passed, "checks": checks, "reasons": reasons, **rest}


def judge_candidate(form: Form, candidate: Candidate) -> GateResult:
    """Put the candidate through the gate, and beside its source."""
    stage("comparing with the source")
    faults, judged = form.faults(candidate), form.evidence(candidate)
    stage("judging by the thresholds")
    config = form.config
    faults += policy_faults(config, candidate.tables, candidate.suppression_label)
    # One loss for all who ask: that which readers find, wherever they can find it.
    report = {**candidate.noted["report"], **form.judged_losses(candidate)}
    result = run_gate(
        judged.frame,
        thresholds=candidate.run.thresholds,
        quasi_identifiers=judged.quasi_identifiers,
        sensitive=judged.sensitive,
        subject=judged.subject,
        suppression_label=candidate.suppression_label,
        report={field.name: report[field.name] for field in fields(Report)},
        suite=None if config.suite is None else read_suite(config.path(config.suite)),
        evidence=judged.evidence,
    )
    faults += linked_faults(judged, candidate)
    publication = publication_of(candidate.run, candidate.noted)
    faults += Together(form, candidate, publication).faults()
    if not faults:
        return result
    return replace(result, passed=False, reasons=(*faults, *result.reasons))


def linked_faults(judged: GateInput, candidate: Candidate) -> list[str]:
    """Models that a table breaks whose pseudonyms link rows of a person."""
    thresholds = candidate.run.thresholds
    asked = [t for t in thresholds if evidence_kinds([t]) == {"classes"}]
    if judged.linked is None:
        return []
    result = run_gate(
        judged.frame.assign(**{LINKED: judged.linked}),
        thresholds=[t for t in asked if t.kind == "model"],
        quasi_identifiers=[LINKED],
        sensitive=judged.sensitive,
        subject=judged.subject,
        suppression_label=candidate.suppression_label,
        evidence=judged.evidence,
    )
    if result.passed:
        return []
    return [
        f"{reason}, where pseudonyms link the rows of a person; leave pseudonyms out, "
        "or publish one row per person"
        for reason in result.reasons
    ]
