"""The table of two examples: made-up impacts."""

import numpy as np
import pandas as pd


def make_impacts(n_rows: int = 133, seed: int = 0) -> pd.DataFrame:
    """Make head acceleration after impacts: flat, then a dip, a rebound, and noise."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.uniform(2.4, 57.6, n_rows))
    dip = -115 * np.exp(-(((time - 21) / 5) ** 2))
    rebound = 45 * np.exp(-(((time - 33) / 5) ** 2))
    noise = rng.normal(scale=np.where(time < 14, 1.5, 20))
    return pd.DataFrame(
        {"time": time.round(1), "acceleration": (dip + rebound + noise).round(1)}
    )
