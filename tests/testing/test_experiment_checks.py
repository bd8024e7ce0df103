"""The contract checks of experiments: a sound one passes, broken ones fail."""

import pandas as pd
import pytest

from anon_transformers.experiments import NUMBER_COLUMNS, Findings
from anon_transformers.testing import check_experiment, experiment_checks


class Sound:
    """One number of a textbook."""

    numbers = 1
    done = 1

    def __init__(self, rows: int = 4):
        self.rows = rows

    def run(self, progress=None):
        progress(self.done, 1, "toy")
        row = ("page 1", "toy", "all", 2, "classes", 1, None, 1, True, "")
        numbers = pd.DataFrame([row] * self.numbers, columns=list(NUMBER_COLUMNS))
        return Findings("Toy", numbers, pd.DataFrame({"rows": [self.rows]}))


class Mute(Sound):
    pass


class Needs(Sound):
    """Needs an option."""

    def __init__(self, rows):
        self.rows = rows


class Loose(Sound):
    """Takes anything."""

    def __init__(self, **options):
        self.rows = 1


class Empty(Sound):
    """Finds nothing."""

    numbers = 0


class Nothing(Sound):
    """Returns nothing of use."""

    def run(self, progress=None):
        return [1]


class Overruns(Sound):
    """Does more than there is."""

    done = 2


def test_a_sound_experiment_passes_and_tells_how_far_it_is(capsys):
    check_experiment(Sound, verbose=True)
    assert capsys.readouterr().err.startswith("[1/4] check_summary passed in ")


Mute.__doc__ = "no sentence"


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [
        (Mute, "check_summary", "is a sentence"),
        (Needs, "check_options_are_named", r"\['rows'\] without one"),
        (Loose, "check_options_are_named", "options"),
        (Empty, "check_findings", "hold a number"),
        (Nothing, "check_findings", "a list without"),
        (Overruns, "check_progress_counts_up", r"\(2, 1\)"),
    ],
)
def test_a_broken_experiment_fails(broken, check, message):
    with pytest.raises(AssertionError, match=message):
        dict(experiment_checks(broken))[check]()
