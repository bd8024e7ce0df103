"""Checks of all instances of a class: those of one are quick, the others slow."""

import pytest


def sorted_by_instance(name, checks, quick=0):
    """Parameters for pytest, of checks whose names begin with an instance.

    Parameters
    ----------
    name : str
        Registered name of the class.
    checks : iterable of (str, callable)
        As ``anonymizer_checks`` and ``privacy_model_checks`` give them.
    quick : int
        Which of the instances is checked in every run; the last one of fewer.
    """
    checks = list(checks)
    instances = list(dict.fromkeys(map(instance_of, dict(checks))))
    chosen = instances[min(quick, len(instances) - 1)]
    return [
        pytest.param(
            check,
            id=f"{name}-{called}",
            marks=() if instance_of(called) == chosen else pytest.mark.slow,
        )
        for called, check in checks
    ]


def instance_of(called):
    return called.rpartition("-check")[0]
