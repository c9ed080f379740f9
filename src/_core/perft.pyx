"""Counting: perft over any game's table."""
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from boardrace._core.engine cimport GameTable, MAX_POSITION_WORDS, State


cdef uint64_t count_nodes(const GameTable *table, const void *position, int depth, bint plain,
                          const int *stop, int *broken) noexcept nogil:
    cdef uint64_t total = 0, part
    cdef int32_t *actions
    cdef uint64_t[MAX_POSITION_WORDS] child
    cdef int n, k
    if depth == 0:
        return 1
    if not plain and depth <= table.tail_depth:
        return table.tail(table, position, depth)
    actions = <int32_t *>malloc(table.max_legal_actions * sizeof(int32_t))
    if actions == NULL:
        broken[0] = 2
        return 0
    n = table.actions(table, position, actions)
    if depth == 1:
        free(actions)
        return n
    for k in range(n):
        if stop[0] or broken[0]:
            break
        memcpy(child, position, table.position_bytes)
        table.apply(table, child, actions[k])
        part = count_nodes(table, child, depth - 1, plain, stop, broken)
        if total + part < total:
            broken[0] = 1
        total += part
    free(actions)
    return total


def count(State state, int depth, bint plain=False):
    """perft(state, depth) in one go; see boardrace.perft.

    Parameters
    ----------
    plain : bool
        List and make every ply: the slow twin that the fast counts are tested against.
    """
    cdef uint64_t[MAX_POSITION_WORDS] position
    cdef const GameTable *table = state.table()
    cdef uint64_t total
    cdef int stop = 0, broken = 0
    if depth < 0:
        raise ValueError(f"depth is {depth}: it must be 0 or more")
    memcpy(position, state.current(), table.position_bytes)
    with nogil:
        total = count_nodes(table, position, depth, plain, &stop, &broken)
    if broken == 1:
        raise OverflowError(f"perft to depth {depth} is more than 2**64 - 1")
    if broken:
        raise MemoryError()
    return total
