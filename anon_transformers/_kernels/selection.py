"""One step of quickselect (Hoare 1961)."""

from anon_transformers.jit import njit


@njit
def part_at_pivot(keys, carried, first, last):
    """Order keys from ``first`` to ``last``, and ``carried``, by the middle key.

    Returns
    -------
    pivot : number
        The key in the middle.
    high, low : int
        From ``first`` to ``high`` no key is above the pivot, from ``low`` to ``last``
        none is below it; between them are keys equal to it.
    """
    pivot = keys[(first + last) // 2]
    low, high = first, last
    while low <= high:
        while keys[low] < pivot:
            low += 1
        while keys[high] > pivot:
            high -= 1
        if low <= high:
            keys[low], keys[high] = keys[high], keys[low]
            carried[low], carried[high] = carried[high], carried[low]
            low += 1
            high -= 1
    return pivot, high, low
