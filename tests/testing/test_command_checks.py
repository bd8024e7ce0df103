"""The contract checks of commands: the registered ones pass, broken ones fail."""

import pytest

from anon_transformers.registry import registry
from anon_transformers.testing import check_command, command_checks

typer = pytest.importorskip("typer")
COMMANDS = list(registry().commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_registered_commands_keep_the_contract(name):
    check_command(registry().commands[name])


def application(command=None, summary="Greet somebody.", name="greet"):
    app = typer.Typer(help=summary)
    app.command(name)(command or greet)
    app.command("part")(greet)
    return app


def greet(who: str = typer.Option("you", "--who", help="Who is greeted.")):
    """Greet somebody by name."""
    typer.echo(f"Hello, {who}.")


def unhelpful(who: str = typer.Option("you", "--who")):
    """Greet somebody by name."""


def silent(who: str = typer.Option("you", "--who", help="Who is greeted.")):
    pass


def shouting(who: str = typer.Option("you", "--WHO", help="Who is greeted.")):
    """Greet somebody by name."""


def test_a_sound_command_passes_as_an_application_or_made_late():
    check_command(application())

    def make():
        """Greet somebody."""
        return application()

    check_command(make)


def made_without_words():
    return application()


def no_command():
    """Return nothing of use."""
    return "greet"


def swallows():
    """Take anything."""
    app = typer.Typer()
    extra = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command(context_settings=extra)(greet)
    return app


BROKEN = [
    (application(summary=None), "check_summary", "Found: ''"),
    (made_without_words, "check_summary", "Found: ''"),
    (no_command, "check_is_a_command", "a str"),
    (application(unhelpful), "check_everything_has_help", "none of who of greet"),
    (application(silent), "check_everything_has_help", "none of greet"),
    (application(shouting), "check_names", "--WHO"),
    (application(name="Greet"), "check_names", "'Greet'"),
    (swallows, "check_unknown_option_is_refused", "exit code 0"),
]


@pytest.mark.parametrize(("broken", "check", "message"), BROKEN)
def test_a_broken_command_fails(broken, check, message):
    with pytest.raises(AssertionError, match=message):
        dict(command_checks(broken))[check]()


def test_a_command_without_help_is_told():
    class Broken:
        """Do something."""

        params = ()
        help = "Do something."

        def main(self, args, prog_name):
            raise SystemExit(3)

    with pytest.raises(AssertionError, match="exit code 3 of the command"):
        dict(command_checks(Broken()))["check_help_is_printed"]()
