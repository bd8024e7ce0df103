"""``anon studio``: the local web application."""

from typing import Annotated

import typer

from anon_transformers.cli.output import handle_errors


@handle_errors
def studio(
    port: Annotated[
        int,
        typer.Option(
            "--port",
            metavar="N",
            min=0,
            max=65_535,
            help="Where to listen; 0: a free one.",
        ),
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Open Studio in the browser: from a table to a release file, step by step.

    It answers on this machine only, to whoever has the printed address, and ends on
    Ctrl-C.
    """
    from anon_transformers.exceptions import ConfigurationError

    try:
        from anon_transformers.studio import serve
        from anon_transformers.studio._app import make_app  # noqa: F401
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Studio needs {error.name}: pip install 'anon-transformers[studio]'"
        ) from None
    serve(port, browser=not no_browser, announce=typer.echo)
