"""The methods that can make the release of a file, with its roles and thresholds."""

import inspect
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from anon_transformers.base._base import FrameAnonymizer
from anon_transformers.exceptions import (
    AnonymizationError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.registry import registry
from anon_transformers.release._anonymizer import check_gate, make_anonymizer
from anon_transformers.release._config import Method, ReleaseConfig, read_config
from anon_transformers.release._forms import INPUT, form_of
from anon_transformers.release._resolve import GIVEN_PERIOD, resolve
from anon_transformers.release._stated_engine import in_memory
from anon_transformers.release._table import TableForm, with_stated_texts

USUAL = ("mondrian", "full-domain", "datafly")
"""What is compared, beside the method of the file, if nothing is said."""
SUPPRESSING = ("suppression_limit", "suppression", "suppression_label")
"""Parameters of the file's method that the others get, too, if they take them."""


@dataclass(frozen=True)
class ReleaseMethods:
    """Methods of a release file, ready to be compared on its table.

    Attributes
    ----------
    frame : data frame
        The source as a run would load it.
    methods : dict of str to anonymizer
        Those that the file's roles, hierarchies and thresholds allow.
    refused : dict of str to str
        The others, and why a release would refuse them.
    """

    frame: pd.DataFrame
    methods: dict[str, FrameAnonymizer]
    refused: dict[str, str] = field(default_factory=dict)


def release_methods(
    path: str | os.PathLike[str],
    names: Sequence[str] | None = None,
    *,
    period: GIVEN_PERIOD | None = None,
) -> ReleaseMethods:
    """Read a release file and its source, and make each method as a release would.

    Parameters
    ----------
    path : path
        A release file of a table.
    names : sequence of str, optional
        Registered names; the file's own, Mondrian, full-domain and Datafly by default.
        The file's own has the parameters that the file states.
    period : str, date, datetime or Period, optional
        Whose source is read, if the file has periods.

    Raises
    ------
    ConfigurationError
        If the file is wrong.
    DataError
        If a run would refuse its source.
    ParameterError
        If a name is not registered, the release is not one of a table, or no method
        can run.
    """
    config = resolve(read_config(path), period, file=path, command="anon compare")
    config = in_memory(config)
    form = form_of(config)
    if not isinstance(form, TableForm):
        raise ParameterError(
            f"{path}: a release of a graph; methods of tables compare."
        )
    own = config.anonymizer.name
    known = registry().anonymizers
    for name in names or ():
        if name not in known:
            raise ParameterError(unknown_choice("method", name, known))
    wanted = list(dict.fromkeys(names or (own, *USUAL)))
    frame = with_stated_texts(form.read()[INPUT], config)
    methods, refused = {}, {}
    for name in wanted:
        stated = config if name == own else _with_method(config, name)
        try:
            made = make_anonymizer(stated, config.thresholds)
            check_gate(form_of(stated), config.thresholds)
        except AnonymizationError as error:
            refused[name] = str(error)
            continue
        if isinstance(made, FrameAnonymizer):
            methods[name] = made.set_output(transform="default")
        else:
            refused[name] = "it does not anonymize tables."
    if not methods:
        why = "; ".join(f"{name}: {reason}" for name, reason in refused.items())
        raise ParameterError(f"no method can make this release: {why}")
    return ReleaseMethods(frame, methods, refused)


def _with_method(config: ReleaseConfig, name: str) -> ReleaseConfig:
    """With another method, which may suppress as much as the one of the file."""
    takes = inspect.signature(registry().anonymizers[name]).parameters
    kept = {
        key: value
        for key, value in config.anonymizer.params.items()
        if key in SUPPRESSING and key in takes
    }
    return config.model_copy(update={"anonymizer": Method(name=name, **kept)})
