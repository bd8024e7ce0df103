"""What several sets have in common, counted without writing the common part down.

A set is a row of blocks, 64 values each: ``indptr``, the ``blocks`` that hold something
in order, and a ``words`` bit for every value of a block.
"""

import numpy as np

from anon_transformers.jit import njit

BLOCK = 64
"""Values that one word holds."""


def to_blocks(indptr, indices):
    """Rows of values, in order within each row, as rows of blocks."""
    owner = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    block = indices // BLOCK
    bits = np.left_shift(np.uint64(1), (indices % BLOCK).astype(np.uint64))
    first = np.ones(len(indices), dtype=bool)
    first[1:] = (owner[1:] != owner[:-1]) | (block[1:] != block[:-1])
    starts = np.flatnonzero(first)
    words = np.bitwise_or.reduceat(bits, starts) if len(starts) else bits
    counts = np.bincount(owner[starts], minlength=len(indptr) - 1)
    return np.append(0, np.cumsum(counts)), block[starts], words


@njit("int64[::1], int64[::1], int64[::1], int64[::1], uint64[::1]")
def count_common(start, members, indptr, blocks, words):
    """How many values the sets ``members[start[i]:start[i + 1]]`` share, for each i."""
    found = np.zeros(len(start) - 1, np.int64)
    for i in range(len(found)):
        shortest = members[start[i]]
        for at in range(start[i] + 1, start[i + 1]):
            one = members[at]
            if indptr[one + 1] - indptr[one] < indptr[shortest + 1] - indptr[shortest]:
                shortest = one
        for place in range(indptr[shortest], indptr[shortest + 1]):
            word = words[place]
            for at in range(start[i], start[i + 1]):
                if word == 0:
                    break
                one = members[at]
                if one != shortest:
                    word &= _word(
                        indptr[one], indptr[one + 1], blocks[place], blocks, words
                    )
            while word != 0:
                word &= word - np.uint64(1)
                found[i] += 1
    return found


@njit
def _word(low, high, block, blocks, words):
    """The word of a block in one row; no bit if the row does not have the block."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if blocks[middle] < block:
            low = middle + 1
        else:
            high = middle
    if low < end and blocks[low] == block:
        return words[low]
    return np.uint64(0)
