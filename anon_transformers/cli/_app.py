"""The commands of ``anon``, by name; each body is in a module of its own."""

from inspect import isfunction
from typing import Any

import typer
from typer.core import TyperGroup

from anon_transformers.cli import (
    _anonymize,
    _attack,
    _compare,
    _compare_codings,
    _compile,
    _dataset,
    _frontier,
    _hierarchy,
    _init,
    _list,
    _quality,
    _release,
    _reproduce,
    _risk,
    _validate,
)
from anon_transformers.cli._experiment_options import OWN_OPTIONS, ExperimentCommand


class Commands(TyperGroup):
    """Built-in commands, then those of plugins, loaded only when asked for."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command by name."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        from anon_transformers.registry import registry

        commands = registry().commands
        if cmd_name not in commands:
            return None
        offered = commands[cmd_name]
        if isfunction(offered):
            offered = offered()
        if isinstance(offered, typer.Typer):
            return typer.main.get_command(offered)
        return offered

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, and which plugins are installed; none of them is loaded."""
        plugins = _installed_plugins()
        if plugins:
            self.epilog = (
                f"Installed plugins: {', '.join(plugins)}. [bold]anon list[/bold] "
                "shows their commands."
            )
        super().format_help(ctx, formatter)


def _installed_plugins() -> list[str]:
    """Distributions that offer something, beside this one."""
    from importlib.metadata import entry_points

    points = entry_points(group="anon_transformers")
    names = {point.dist.name for point in points if point.dist is not None}
    return sorted(names - {"anon-transformers"})


app = typer.Typer(
    name="anon",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    # A traceback with local variables would show people's data.
    pretty_exceptions_enable=False,
    help=(
        "Anonymize tables, prove the protection of the result, and release it.\n\n"
        "Start with [bold]anon init DIR[/bold], which writes a release that works, or "
        "with [bold]anon anonymize in.csv out.csv[/bold]. Plugins may add commands: "
        "see [bold]anon list[/bold]."
    ),
)
app.command("init")(_init.init)
app.command("list")(_list.list_)
app.command("compile")(_compile.compile_)
app.command("anonymize")(_anonymize.anonymize)
app.command("validate")(_validate.validate)
app.command("attack")(_attack.attack)
app.command("risk")(_risk.risk)
app.command("quality")(_quality.quality)
app.command("release")(_release.release)
app.command("compare")(_compare.compare)
app.command("compare-codings")(_compare_codings.compare_codings)
app.command("frontier")(_frontier.frontier)
app.command("reproduce", cls=ExperimentCommand, context_settings=OWN_OPTIONS)(
    _reproduce.reproduce
)
app.add_typer(_hierarchy.app, name="hierarchy")
app.add_typer(_dataset.app, name="dataset")


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version."),
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(installed("anon-transformers"))
        raise typer.Exit
