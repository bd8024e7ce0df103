"""``anon policies``: named bundles of thresholds, and the documents they cite."""

from typing import TYPE_CHECKING, Annotated

import typer

from anon_transformers.cli.output import (
    JsonFlag,
    handle_errors,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from anon_transformers.policies import Policy

app = typer.Typer(
    rich_markup_mode="rich",
    help="Show the policies that a release file may name, and what each asks for.",
)
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Policy, as in anon policies.")
]


@app.callback(invoke_without_command=True)
@handle_errors
def list_(context: typer.Context, json_output: JsonFlag = False) -> None:
    """Show the policies that a release file may name, and what each asks for.

    [bold]anon policies show ema-0070[/bold] shows one with its sources.
    """
    if context.invoked_subcommand is not None:
        return
    from anon_transformers.registry import registry

    catalog = registry().policies
    if json_output:
        print_json([_found(name).to_dict() for name in catalog])
        return
    rows = [
        (name, _found(name).version, _asked(_found(name)), catalog.summary(name))
        for name in catalog
    ]
    print_table("Policies", ["name", "version", "asks for", "what it is"], rows)


@app.command()
@handle_errors
def show(name: Name, json_output: JsonFlag = False) -> None:
    """Show one policy: what it asks for, claims and does not claim, and its sources."""
    policy = _found(name)
    told = policy.to_dict()
    if json_output:
        print_json(told)
        return
    rows = [
        ("version", policy.version),
        ("asks for", _asked(policy)),
        ("claims", policy.claims),
        ("does not claim", policy.not_claimed),
        *((f"rule {key}", sentence) for key, sentence in told["rules"].items()),
        *((f"attest {key}", said) for key, said in told["attestations"].items()),
        *(
            ("source", f"{c.title}. {c.publisher}, {c.year}. {c.address}")
            for c in policy.citations
        ),
        ("note", told["note"]),
    ]
    print_table(f"{policy.name}: {policy.title}", ["", ""], rows)


def _found(name: str) -> "Policy":
    from anon_transformers.release._policies import find_policy

    return find_policy(name)


def _asked(policy: "Policy") -> str:
    """What a policy asks for, in a line."""
    asked = [
        f"{threshold.name} {', '.join(f'{k}={v}' for k, v in threshold.params.items())}"
        for threshold in policy.asked
    ]
    asked += [f"{name} (the file states the bound)" for name in policy.checks]
    asked += [rule.name for rule in policy.rules]
    return "; ".join(asked)
