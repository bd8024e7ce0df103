"""How much better an attack does on persons of a release than on strangers."""

from typing import Any, NamedTuple

import numpy as np

from anon_transformers.privacy.probabilistic._linking import Share, expected_share

NOTHING = Share(0.0, 0.0, 0.0)


class Excess(NamedTuple):
    """Success on persons of the release, on the control part, and what is beyond it.

    Attributes
    ----------
    attack, control : Share
        Share of attempts that succeed, with Wilson's interval.
    excess : Share
        ``(attack - control) / (1 - control)``: of what strangers are safe from, the
        share that persons of the release are not. Its interval joins the outer ends of
        the two, each at half the error, so that it is rather too wide.
    """

    attack: Share
    control: Share
    excess: Share

    @classmethod
    def of(cls, attack: np.ndarray, control: np.ndarray, confidence: float) -> "Excess":
        """Compare chances of success, one per attempt.

        Examples
        --------
        >>> found = Excess.of(np.repeat([1.0, 0], [80, 20]), np.zeros(100), 0.95)
        >>> round(found.excess.share, 2), round(found.excess.low, 2)
        (0.8, 0.68)
        """
        each = 1 - (1 - confidence) / 2
        one, two = (
            expected_share(side, each) if len(side) else NOTHING
            for side in (attack, control)
        )
        return cls(
            one,
            two,
            Share(
                _beyond(one.share, two.share),
                _beyond(one.low, two.high),
                _beyond(one.high, two.low),
            ),
        )

    def proven(self, largest: float) -> bool:
        """Whether the excess is above a bound, and not by chance."""
        return self.excess.low > largest

    def details(self) -> dict[str, Any]:
        """Plain numbers of a report."""
        return {
            "success": dict(self.attack._asdict()),
            "control": dict(self.control._asdict()),
            "excess": dict(self.excess._asdict()),
        }


def _beyond(attack: float, control: float) -> float:
    return 0.0 if control >= 1 else (attack - control) / (1 - control)
