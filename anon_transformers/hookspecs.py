"""Where a plugin may step in.

Each hook is handed ``register(name, obj)`` and calls it once for everything it
offers. Names are lower case with hyphens. In place of an object
``register(name, "package.module:Name", summary="What it is.")`` says where it lies:
it is imported when it is asked for, and ``anon list`` shows the summary.
"""

import pluggy

PROJECT = "anon_transformers"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def register_anonymizers(register):
    """Offer anonymizers: ``register(name, estimator_class)``."""


@hookspec
def register_privacy_models(register):
    """Offer privacy models: ``register(name, model_class)``."""


@hookspec
def register_metrics(register):
    """Offer metrics: ``register(name, metric_class)``."""


@hookspec
def register_attacks(register):
    """Offer attacks: ``register(name, attack_class)``."""


@hookspec
def register_hierarchy_builders(register):
    """Offer hierarchy builders: ``register(name, builder)``."""


@hookspec
def register_readers(register):
    """Offer readers: ``register(kind, reader)``; called with a source's options."""


@hookspec
def register_writers(register):
    """Offer writers: ``register(format, writer)``; called with a frame and a path."""


@hookspec
def register_experiments(register):
    """Offer experiments: ``register(name, experiment)``."""


@hookspec
def register_commands(register):
    """Offer commands of ``anon``: ``register(name, typer_app_or_click_command)``.

    A function without parameters that returns one will do too. It is called when the
    command is, so that a plugin need not import typer before; its docstring is what
    ``anon list`` shows.
    """
