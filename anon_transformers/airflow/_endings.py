"""What is done with the personal data of a run that failed."""

import logging
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from anon_transformers.airflow._connections import secrets_in_environment
from anon_transformers.airflow._period import name_of_run
from anon_transformers.release import ReleaseConfig, read_config
from anon_transformers.release._period import Period, Template

LOG = logging.getLogger("anon_transformers.airflow")


class EndRun:
    """A callback for failed runs and tasks: removes the personal data of the run.

    As the callback of a task it runs where the task ran; as that of a DAG, for runs
    that took too long, in the DAG processor, which must see the workspace then.

    Parameters
    ----------
    file : str
        The release file.
    secrets : mapping, optional
        Connections whose passwords are in the environment, by variable: the workspace
        and the ledger may be named by them.
    """

    __name__ = "EndRun"  # what Airflow's log calls it

    def __init__(self, file: str, secrets: Mapping[str, str] | None = None):
        self.file = file
        self.secrets = dict(secrets or {})

    def __call__(self, context: Any) -> None:
        """End the run that failed, if it has not ended by itself."""
        from anon_transformers.exceptions import AnonymizationError

        with ExitStack() as stack:
            try:
                stack.enter_context(secrets_in_environment(self.secrets))
            except Exception as error:  # whatever the store of connections raises
                LOG.error("airflow.secrets: no connection (%s).", type(error).__name__)
            try:
                for location in self.of_task(context):
                    self._end(location)
            except AnonymizationError as error:
                LOG.error("%s", error)

    def _end(self, location: Path) -> None:
        """Give one run up; trouble with it keeps no other one."""
        from anon_transformers.exceptions import AnonymizationError
        from anon_transformers.release import abandon

        try:
            abandon(location)
        except AnonymizationError as error:
            LOG.error("%s: %s", location, error)
        else:
            LOG.warning("%s: given up, its personal data are removed.", location)

    def of_task(self, context: Any) -> list[Path]:
        """Private folders of the run that a task works on.

        Groups of one DAG may be about other periods of the same release: their runs
        have the same name behind the period, and go on.
        """
        found, step = self.unfinished(name_of_run(context)), context.get("task")
        own = getattr(step, "location", None)
        if isinstance(own, str):
            return [place for place in found if place == Path(own)]
        given = getattr(step, "period", None)
        if isinstance(given, str) and given:
            config = read_config(self.file)
            name = Period.read(given).at(config.grain or "month").name
            return [place for place in found if place.name.startswith(f"{name}_")]
        return found

    def unfinished(self, run_id: str) -> list[Path]:
        """Private folders of a run of Airflow that has not ended."""
        from anon_transformers.release._run import FINISHED, RUNS, Journal, runs_named

        config = read_config(self.file)
        home = config.path(Template(config.workspace).fill(None)) / config.name
        homes, names = [home], [run_id]
        if config.airflow.map is not None:
            homes, names = _of_items(config, run_id)
        ours = re.compile(rf"(?:.*_)?(?:{'|'.join(map(runs_named, names))})\Z")
        return [
            home / RUNS / name
            for home in homes
            for name, story in Journal(home).stories().items()
            if ours.match(name) and story[-1]["event"] not in FINISHED
        ]


def _of_items(config: ReleaseConfig, run_id: str) -> tuple[list[Path], list[str]]:
    """Private folders of the releases of all items, and names of their runs.

    A task has the number of its item in the name of its run. A run of the DAG as a
    whole has none, and its items have had at most as many numbers as there are files.
    """
    from anon_transformers.release._mapping import derived_files, derived_homes

    numbers = range(len(derived_files(config)))
    return derived_homes(config), [run_id, *(f"{run_id}.{n}" for n in numbers)]
