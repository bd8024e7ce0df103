"""``anon list``: what is installed."""

import typer

from anon_transformers.cli.output import (
    JsonFlag,
    handle_errors,
    print_json,
    print_table,
)


@handle_errors
def list_(json_output: JsonFlag = False) -> None:
    """Show every anonymizer, privacy model, metric, file format … and who offers it.

    Exit code 1 if a plugin is broken.
    """
    from anon_transformers.registry import KINDS, registry

    found = registry()
    rows = [
        {
            "kind": kind,
            "name": name,
            "distribution": catalog.owner(name),
            # Docstrings set parameters off for the reference; a terminal does not.
            "summary": catalog.summary(name).replace("``", ""),
        }
        for field, kind in KINDS.items()
        for catalog in [getattr(found, field)]
        for name in catalog
    ]
    broken = [
        {"plugin": b.name, "distribution": b.distribution, "reason": b.reason}
        for b in (*found.broken, *found.unresolved())
    ]
    if json_output:
        print_json({"registered": rows, "broken": broken})
    else:
        print_table(
            "Registered", ["kind", "name", "what it does", "distribution"],
            [(r["kind"], r["name"], r["summary"], r["distribution"]) for r in rows],
        )  # fmt: skip
        if broken:
            print_table(
                "Broken plugins", ["plugin", "distribution", "reason"],
                [tuple(b.values()) for b in broken],
            )  # fmt: skip
    if broken:
        raise typer.Exit(1)
