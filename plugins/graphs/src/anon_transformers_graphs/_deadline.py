"""Time limits of searches."""

import time

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import real

COMPILATION = 3600.0
"""Seconds for the first use of kernels, which no time_limit counts."""


class Deadline:
    """When a search has to end.

    Parameters
    ----------
    what : str
        Who searches, for the message.
    time_limit : float
        Seconds from now.
    """

    def __init__(self, what: str, time_limit: float):
        self.what = what
        self.time_limit = real("time_limit", time_limit, 0)
        self._end = time.monotonic() + self.time_limit

    def check(self) -> None:
        """Raise if the time is over: what was not searched cannot be judged."""
        if time.monotonic() > self._end:
            raise NotEvaluable(
                f"{self.what} was not done within {self.time_limit:g} seconds, which "
                "is its time_limit."
            )
