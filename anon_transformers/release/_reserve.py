"""The turn of a run to publish its source: one release of a source at a time."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anon_transformers.exceptions import LedgerError, ReservedError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._ledger import (
    settle_dead,
    settle_release,
    workspace_of,
)
from anon_transformers.release._log import LOG, stage
from anon_transformers.release._mapping import same_file
from anon_transformers.release._run import RUNS, Journal
from anon_transformers.release._under_way import LONGEST_WAIT, POLL, is_under_way

if TYPE_CHECKING:
    from anon_transformers.ledger import Ledger, Publication, RecordedPublication


@dataclass
class Reservation:
    """A publication that is reserved before it happens, and confirmed afterwards.

    Parameters
    ----------
    config : ReleaseConfig
        The release, with its period.
    ledger : Ledger
        Where it is recorded.
    publication : Publication
        What is recorded.
    """

    config: ReleaseConfig
    ledger: "Ledger"
    publication: "Publication"

    def wait(self) -> None:
        """Wait until no other run has reserved the source, or refuse.

        Nothing is locked meanwhile. A run at which nobody is any more is not waited
        for.
        """
        begun = time.monotonic()
        said: tuple[str, str] | None = None
        while (other := self._other()) is not None:
            name = other.publication.name
            refused = ReservedError(*name, other.reserved_at)
            # Periods and items of one file go on side by side, and publish in turn.
            stranger = not same_file(name[0], self.config.name)
            if self.config.on_conflict == "refuse" and stranger:
                raise refused
            if not self._may_end(other):
                raise LedgerError(
                    f"{refused} Nobody is at that run any more: run its release again, "
                    "or give it up with anon abandon."
                )
            if time.monotonic() - begun > LONGEST_WAIT.total_seconds():
                raise refused
            if name != said:
                LOG.warning("Waiting for run %s, which reserved the source.", name[1])
                stage(f"waiting for run {name[1]} of {name[0]}")
                said = name
            time.sleep(POLL)

    def reserve(self) -> bool:
        """Reserve it; False if another run came first."""
        try:
            self.ledger.reserve(self.publication)
        except ReservedError:
            return False
        return True

    def give_up(self) -> None:
        """Note that it will not happen after all."""
        self.ledger.give_up(self.publication.name)

    def confirm(self) -> None:
        """Note that readers see it.

        It is published already: where the ledger cannot be written now, the reservation
        stays, and keeps other releases of the source waiting until a later run of this
        one finds it.
        """
        try:
            self.ledger.confirm(self.publication.name)
        except LedgerError as error:
            LOG.warning(
                "%s is published, and stays reserved in the ledger until the next run "
                "of its release: %s", self.publication.version, error,
            )  # fmt: skip

    def _other(self) -> "RecordedPublication | None":
        """Another run that has reserved the source, and has not ended."""
        for other in self._others():
            home = workspace_of(self.config) / other.publication.release
            settle_release(self.ledger, home)
        for other in self._others():
            # A period that was cut off must not keep the others of its release.
            own = other.publication.release == self.config.name
            if own and not self._may_end(other):
                settle_dead(self.ledger, self.config.home, other.publication.name)
        return next(iter(self._others()), None)

    def _others(self) -> "list[RecordedPublication]":
        mine = self.publication
        open_ones = self.ledger.publications(mine, ["reserved"])
        return [each for each in open_ones if each.publication.name != mine.name]

    def _may_end(self, other: "RecordedPublication") -> bool:
        """Whether somebody is at a run; of another workspace nobody knows."""
        release, version = other.publication.name
        home = workspace_of(self.config) / release
        story = Journal(home).stories().get(version)
        return story is None or is_under_way(home / RUNS / version, story)
