"""The commands of ``anon graph``, by name; each body is in a module of its own."""

import typer

from anon_transformers_graphs.cli._anonymize import anonymize
from anon_transformers_graphs.cli._attack import attack
from anon_transformers_graphs.cli._compare import compare
from anon_transformers_graphs.cli._describe import describe

app = typer.Typer(
    name="graph",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    # A traceback with local variables would show people's data.
    pretty_exceptions_enable=False,
    help=(
        "Describe, anonymize, attack and compare networks.\n\n"
        "A network is a file of edges: CSV or Parquet with two columns of names and "
        "maybe one of weights, or [bold].edges[/bold] (maybe with .gz) with blanks "
        "between them and comments after #. A line with one name is a node without "
        "edges. No command ever prints a name."
    ),
)
for command in (describe, anonymize, attack, compare):
    app.command()(command)
