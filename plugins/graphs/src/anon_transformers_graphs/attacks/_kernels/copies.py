"""Look for exact copies of a small graph whose nodes have known degrees."""

from anon_transformers.jit import njit
from anon_transformers_graphs.queries._kernels.embed import has_edge


@njit
def _fits(indptr, indices, wanted, internal, image, depth, node):
    """Whether a node has the degree wanted, and just the wanted edges to the others."""
    if indptr[node + 1] - indptr[node] != wanted[depth]:
        return False
    for earlier in range(depth):
        if image[earlier] == node:
            return False
        linked = has_edge(indptr, indices, image[earlier], node)
        if linked != internal[depth, earlier]:
            return False
    return True


@njit(
    "int64[::1], int32[::1], int64[::1], int64[::1], bool[:, ::1], int64[::1], "
    "int64[:, ::1], int64[::1], int64[::1], int64[::1], int64"
)
def find_copies(
    indptr, indices, wanted, parents, internal, starts, copies, image, cursor, state,
    budget,
):  # fmt: skip
    """Write copies into ``copies`` until it is full.

    Each node after the first is a neighbor of the one at its parent's place.
    ``state`` holds the start under way, the depth reached, and the copies found.
    Returns whether the search is over.
    """
    n_places = len(wanted)
    while state[0] < len(starts) and state[2] < len(copies):
        if budget == 0:
            return False
        budget -= 1
        depth = state[1]
        if depth == 0:
            image[0] = starts[state[0]]
            depth, cursor[1] = 1, indptr[image[0]]
        elif depth == n_places:
            copies[state[2]] = image
            state[2] += 1
            depth -= 1
        elif cursor[depth] == indptr[image[parents[depth]] + 1]:
            depth -= 1
            state[0] += depth == 0
        else:
            node = indices[cursor[depth]]
            cursor[depth] += 1
            if _fits(indptr, indices, wanted, internal, image, depth, node):
                image[depth] = node
                depth += 1
                if depth < n_places:
                    cursor[depth] = indptr[image[parents[depth]]]
        state[1] = depth
    return True
