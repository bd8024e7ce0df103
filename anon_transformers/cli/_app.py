"""The commands of ``anon``, by name; each body is in a module of its own."""

from copy import copy
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from anon_transformers.cli import (
    _abandon,
    _anonymize,
    _attack,
    _check,
    _compare,
    _compare_codings,
    _compile,
    _dataset,
    _frontier,
    _hierarchy,
    _init,
    _ledger,
    _list,
    _policies,
    _quality,
    _release,
    _reproduce,
    _risk,
    _status,
    _studio,
    _validate,
)
from anon_transformers.cli._experiment_options import OWN_OPTIONS, ExperimentCommand

OF_PLUGINS = "Commands of plugins"
"""Over these commands in the help."""


class Commands(TyperGroup):
    """Built-in commands, then those of plugins, loaded only when asked for."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command by name."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        # It is looked for before anything runs whose errors are sentences.
        from anon_transformers.cli.output import handle_errors

        command = handle_errors(_find)(cmd_name)
        return None if command is None else _callable(cmd_name, command)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, with commands of plugins by name and summary."""
        shown, self.epilog = _plugin_commands()
        own = self.commands
        # Stand-ins: to make a command, its plugin would import what it works with.
        self.commands = {**shown, **own}
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = own


def _find(name: str) -> Any:
    """The command that a plugin registered; None if there is none of this name."""
    from anon_transformers.exceptions import PluginError
    from anon_transformers.registry import as_command, registry

    commands = registry().commands
    if name not in commands:
        return None
    offered, owner = commands[name], commands.owner(name)
    try:
        made = as_command(offered)
    except (Exception, SystemExit) as error:  # whatever a stranger's function raises
        raise PluginError(
            f"the command {name!r} of {owner} cannot be loaded "
            f"({type(error).__name__}: {error})."
        ) from error
    if not callable(getattr(made, "main", None)):
        raise PluginError(
            f"what {owner} registers as the command {name!r} is no typer application, "
            "command of click or function that returns one."
        )
    return made


def _callable(name: str, command: Any) -> Any:
    """A command of a plugin that this group can call, and whose errors are sentences.

    typer has a click of its own, whose errors are not those of a plugin's click: such a
    command is called by itself, with everything that follows its name.
    """
    from anon_transformers.cli.output import handle_errors

    if isinstance(command, TyperCommand | TyperGroup):
        guarded = copy(command)
        guarded.invoke = handle_errors(command.invoke)  # type: ignore[method-assign]
        return guarded

    @handle_errors
    def call(ctx: typer.Context) -> None:
        command.main(args=ctx.args, prog_name=ctx.command_path)

    rest = {"ignore_unknown_options": True, "allow_extra_args": True}
    stand_in = typer.Typer(add_completion=False)
    stand_in.command(name, add_help_option=False, context_settings=rest)(call)
    return typer.main.get_command(stand_in)


def _plugin_commands() -> tuple[dict[str, TyperCommand], str | None]:
    """Commands that plugins registered, as the help shows them, and what to add."""
    from anon_transformers.cli.output import escape_markup
    from anon_transformers.exceptions import PluginError
    from anon_transformers.registry import HOME, registry

    try:
        found = registry()
    except PluginError as error:
        return {}, f"Plugins cannot be loaded: {escape_markup(str(error))}"
    commands = {
        name: TyperCommand(
            name,
            help=escape_markup(found.commands.summary(name)),
            rich_help_panel=OF_PLUGINS,
        )
        for name in found.commands
    }
    broken = sorted({plugin.distribution for plugin in found.broken})
    if broken:
        names = escape_markup(", ".join(broken))
        return commands, f"Broken plugins: {names}. [bold]anon list[/bold] says why."
    others = sorted({owner for owner in found.owners() if owner != HOME})
    if not others:
        return commands, None
    names = escape_markup(", ".join(others))
    return commands, (
        f"Installed plugins: {names}. [bold]anon list[/bold] shows what they offer."
    )


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
        "with [bold]anon anonymize in.csv out.csv[/bold]. Plugins may add commands, "
        "methods and models: see [bold]anon list[/bold]."
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
app.command("check")(_check.check)
app.command("release")(_release.release)
app.command("status")(_status.status)
app.command("abandon")(_abandon.abandon)
app.command("studio")(_studio.studio)
app.command("compare")(_compare.compare)
app.command("compare-codings")(_compare_codings.compare_codings)
app.command("frontier")(_frontier.frontier)
app.command("reproduce", cls=ExperimentCommand, context_settings=OWN_OPTIONS)(
    _reproduce.reproduce
)
app.add_typer(_hierarchy.app, name="hierarchy")
app.add_typer(_dataset.app, name="dataset")
app.add_typer(_ledger.app, name="ledger")
app.add_typer(_policies.app, name="policies")


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version."),
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(installed("anon-transformers"))
        raise typer.Exit
