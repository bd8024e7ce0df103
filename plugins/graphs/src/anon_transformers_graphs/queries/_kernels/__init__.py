"""Arrays in, arrays out: numpy and numba only."""
