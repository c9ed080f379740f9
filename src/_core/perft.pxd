from libc.stdint cimport uint64_t
from boardrace._core.engine cimport GameTable

# perft of one position. plain: list and make every ply, in place of the game's fast tail.
# *broken becomes 1 when the count does not fit in 64 bits; *stop not 0 ends it early.
cdef uint64_t count_nodes(const GameTable *table, const void *position, int depth, bint plain,
                          const int *stop, int *broken) noexcept nogil
