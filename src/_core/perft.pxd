from libc.stdint cimport int32_t, uint8_t, uint64_t
from boardrace._core.engine cimport GameTable

# Why a count broke off.
cdef enum:
    SOUND = 0
    TOO_MANY = 1                # the count does not fit in 64 bits
    NO_ROOM = 2                 # no memory

cdef struct Level:
    uint64_t total              # leaves counted so far below this level's position
    uint64_t bucket             # its place in the table of known counts
    Py_ssize_t next             # the next of its actions, as an index into Walk.actions
    Py_ssize_t end              # behind its last action; the next level's begin here

# One worker's room. Depth costs memory here, never the C stack.
cdef struct Walk:
    const GameTable *table
    uint64_t salt
    bint plain                  # list and make every ply, in place of the game's fast tail
    const int *stop
    int broken
    Level *levels
    uint8_t *positions          # one a level, and one more for the child in hand
    Py_ssize_t levels_room
    int32_t *actions
    Py_ssize_t actions_room
    uint8_t *known              # the table of known counts: buckets of two entries
    uint64_t buckets            # 0: no table
    Py_ssize_t entry_bytes
