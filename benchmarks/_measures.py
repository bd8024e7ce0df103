"""What every benchmark measures: time against a yardstick, growth, and memory."""

import contextlib
import ctypes
import gc
import math
import multiprocessing
import os
import platform
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd


def median_seconds(action, repeats=5, clock=time.perf_counter):
    """Median time of several runs by a clock, after one that is not counted."""
    action()
    times = []
    for _ in range(repeats):
        started = clock()
        action()
        times.append(clock() - started)
    return statistics.median(times)


def yardstick(frame, columns, repeats=5, clock=time.perf_counter):
    """Seconds of one plain group-by on the same frame."""
    return median_seconds(
        lambda: frame.groupby(columns, dropna=False, observed=True, sort=False).size(),
        repeats,
        clock,
    )


def growth(seconds):
    """For each number of rows, seconds / (n log n) relative to the smallest number.

    It stays at 1 or below where the cost grows no faster than n log n.

    Parameters
    ----------
    seconds : dict of int to float
        Measured times by number of rows.
    """
    unit = {rows: taken / (rows * math.log2(rows)) for rows, taken in seconds.items()}
    first = unit[min(unit)]
    return {rows: value / first for rows, value in unit.items()}


def in_fresh_process(function, *arguments):
    """Call a module's function in a new Python, whose memory holds nothing else."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(function, *arguments).result()


def peak_growth(action):
    """Bytes by which resident memory at its peak exceeds that before; None off Linux.

    Call it in a fresh process, and run the action on a small table first, so that
    imports and compiled code do not count.
    """
    reset = Path("/proc/self/clear_refs")
    if not reset.exists():
        return None
    _return_free_memory()
    reset.write_text("5", encoding="ascii")
    before = _status("VmRSS")
    action()
    return _status("VmHWM") - before


def machine():
    """What the numbers were measured on."""
    return {
        "python": platform.python_version(),
        "pandas": pd.__version__,
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


def _return_free_memory():
    """Hand back what allocators keep, or the action would use it unseen."""
    import pyarrow

    gc.collect()
    pyarrow.default_memory_pool().release_unused()
    # Not every C library has it.
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _status(key):
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith(f"{key}:"))
    return int(kilobytes) * 1024
