"""Counting: perft over any game's table."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset
cimport cython

from boardrace._core.bits cimport multiply_high
from boardrace._core.engine cimport GameTable, Rules, State, hash_position
from boardrace._core.threads cimport exchange, fetch_add, read_flag, read_word

# A worker's levels and lists may take this many bytes. Only a count that goes millions of plies
# deep comes so far, and such a count never ends.
cdef size_t MOST_ROOM = <size_t>1 << 27

cdef struct Entry:
    int64_t depth               # 0: empty
    uint64_t count
    # the position's bytes follow


# ---------------------------------------------------------------- one worker

cdef void close_walk(Walk *w) noexcept nogil:
    free(w.levels)
    free(w.positions)
    free(w.actions)
    free(w.known)


cdef bint open_walk(Walk *w, const GameTable *table, uint64_t salt, bint plain, const int *stop,
                    uint64_t hash_bytes) noexcept nogil:
    """False when there is no memory for it; close_walk is due all the same."""
    memset(w, 0, sizeof(Walk))
    w.table = table
    w.salt = salt
    w.plain = plain
    w.stop = stop
    w.levels_room = 8
    w.levels = <Level *>malloc(w.levels_room * sizeof(Level))
    w.positions = <uint8_t *>malloc((w.levels_room + 1) * table.position_bytes)
    w.actions_room = 8 * <Py_ssize_t>table.max_legal_actions
    w.actions = <int32_t *>malloc(w.actions_room * sizeof(int32_t))
    if w.levels == NULL or w.positions == NULL or w.actions == NULL:
        return False
    if hash_bytes:
        w.entry_bytes = sizeof(Entry) + table.position_bytes
        w.buckets = hash_bytes // <uint64_t>(2 * w.entry_bytes)
        if w.buckets:
            w.known = <uint8_t *>calloc(w.buckets, 2 * w.entry_bytes)
            if w.known == NULL:
                return False
    return True


cdef bint reserve(Walk *w, Py_ssize_t levels, Py_ssize_t actions) noexcept nogil:
    """Room for that many levels and actions; False when there is none."""
    cdef void *new
    cdef Py_ssize_t room
    if levels > w.levels_room:
        room = 2 * levels
        if <size_t>room * (sizeof(Level) + w.table.position_bytes) > MOST_ROOM:
            return False
        new = realloc(w.levels, room * sizeof(Level))
        if new == NULL:
            return False
        w.levels = <Level *>new
        new = realloc(w.positions, (room + 1) * w.table.position_bytes)
        if new == NULL:
            return False
        w.positions = <uint8_t *>new
        w.levels_room = room
    if actions > w.actions_room:
        room = 2 * actions
        if <size_t>room * sizeof(int32_t) > MOST_ROOM:
            return False
        new = realloc(w.actions, room * sizeof(int32_t))
        if new == NULL:
            return False
        w.actions = <int32_t *>new
        w.actions_room = room
    return True


cdef inline bint known_count(Walk *w, uint64_t bucket, const void *position, int depth,
                             uint64_t *count) noexcept nogil:
    """Whether the table holds this very position, byte for byte, counted to this depth."""
    cdef uint8_t *entry = w.known + bucket * <uint64_t>(2 * w.entry_bytes)
    cdef int k
    for k in range(2):
        if ((<Entry *>entry).depth == depth
                and memcmp(entry + sizeof(Entry), position, w.table.position_bytes) == 0):
            count[0] = (<Entry *>entry).count
            return True
        entry += w.entry_bytes
    return False


cdef inline void keep_count(Walk *w, uint64_t bucket, const void *position, int depth,
                            uint64_t count) noexcept nogil:
    """The bucket's first entry is for the larger count, the second for the latest."""
    cdef uint8_t *entry = w.known + bucket * <uint64_t>(2 * w.entry_bytes)
    if count < (<Entry *>entry).count:
        entry += w.entry_bytes
    (<Entry *>entry).depth = depth
    (<Entry *>entry).count = count
    memcpy(entry + sizeof(Entry), position, w.table.position_bytes)


cdef inline void add(Walk *w, uint64_t *total, uint64_t part) noexcept nogil:
    total[0] += part
    if total[0] < part:
        w.broken = TOO_MANY


cdef uint64_t count_leaves(Walk *w, const void *position, int depth) noexcept nogil:
    """perft(position, depth); void when w.broken or *w.stop is not 0 afterwards."""
    cdef const GameTable *table = w.table
    cdef Py_ssize_t size = table.position_bytes
    cdef int floor = 0 if w.plain else table.tail_depth
    cdef Py_ssize_t level = 0, begin
    cdef Level *here
    cdef uint8_t *child
    cdef uint64_t part, bucket = 0
    cdef int left
    if depth == 0:
        return 1
    if depth <= floor:
        return table.tail(table, position, depth)
    memcpy(w.positions, position, size)
    w.levels[0].total = 0
    w.levels[0].next = 0
    w.levels[0].end = table.actions(table, position, w.actions)
    while True:
        here = &w.levels[level]
        if here.next == here.end or read_flag(w.stop) or w.broken:
            part = here.total
            if level == 0:
                return part
            if w.buckets and not (read_flag(w.stop) or w.broken):
                keep_count(w, here.bucket, w.positions + level * size, depth - <int>level, part)
            level -= 1
            add(w, &w.levels[level].total, part)
            continue
        child = w.positions + (level + 1) * size
        memcpy(child, child - size, size)
        table.apply(table, child, w.actions[here.next])
        here.next += 1
        left = depth - 1 - <int>level
        if left <= floor:
            add(w, &here.total, table.tail(table, child, left) if left else 1)
            continue
        if w.buckets:
            bucket = multiply_high(hash_position(table, child, w.salt), w.buckets)
            if known_count(w, bucket, child, left, &part):
                add(w, &here.total, part)
                continue
        begin = here.end
        if not reserve(w, level + 2, begin + table.max_legal_actions):
            w.broken = NO_ROOM
            continue
        level += 1
        here = &w.levels[level]
        here.total = 0
        here.bucket = bucket
        here.next = begin
        here.end = begin + table.actions(table, w.positions + level * size, w.actions + begin)


# ---------------------------------------------------------------- many workers

cdef object _broken(int code, depth):
    if code == TOO_MANY:
        return OverflowError(f"perft to depth {depth} is more than 2**64 - 1")
    return MemoryError(f"no memory for perft to depth {depth}")


cdef class Count:
    """A count in hand: positions, each to be counted to `depth` by whichever worker is free.

    Parameters
    ----------
    state : State
        Copied.
    depth : int
    plain : bool
        List and make every ply: the slow twin of the fast counts.

    Attributes
    ----------
    depth : int
        What is left below each position.
    whole_depth : int
        The depth at the beginning.
    num_owners : int
        How many sums there are: one a first action once `spread` was called, else 1.
    """

    cdef Rules rules
    cdef readonly object game
    cdef readonly int depth
    cdef readonly int whole_depth
    cdef readonly int num_owners
    cdef bint plain
    cdef uint8_t *positions
    cdef int32_t *owners         # which of the first position's actions led here
    cdef uint64_t *counts
    cdef Py_ssize_t n
    cdef int64_t next            # the next position to take
    cdef int64_t finished
    cdef int stopped
    cdef int broken

    def __init__(self, State state, int depth, bint plain=False):
        if self.positions != NULL:
            raise RuntimeError("a Count is made once")
        self.rules = state.rules
        self.game = state.game
        self.depth = self.whole_depth = depth
        self.plain = plain
        self.n = 1
        self.num_owners = 1
        self.positions = <uint8_t *>malloc(self.rules.table.position_bytes)
        self.owners = <int32_t *>calloc(1, sizeof(int32_t))
        self.counts = <uint64_t *>calloc(1, sizeof(uint64_t))
        if self.positions == NULL or self.owners == NULL or self.counts == NULL:
            raise MemoryError()
        with cython.critical_section(state):
            memcpy(self.positions, state.current(), self.rules.table.position_bytes)

    def __dealloc__(self):
        free(self.positions)
        free(self.owners)
        free(self.counts)

    def spread(self, Py_ssize_t most):
        """Go one ply down: put the children in the place of each position.

        Parameters
        ----------
        most : int
            Leave it when there would be more positions than this.

        Returns
        -------
        bool
            Whether it was done.
        """
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t size = t.position_bytes, i, n = 0
        cdef int k, m
        cdef uint8_t *positions = NULL
        cdef int32_t *owners = NULL
        cdef uint64_t *counts = NULL
        cdef int32_t *actions = NULL
        cdef bint first = self.depth == self.whole_depth
        if self.depth == 0:
            return False
        with nogil:
            for i in range(self.n):
                n += t.count(t, self.positions + i * size)
                if n > most:
                    break
        if n > most:
            return False
        positions = <uint8_t *>malloc((n + 1) * size)
        owners = <int32_t *>malloc((n + 1) * sizeof(int32_t))
        counts = <uint64_t *>calloc(n + 1, sizeof(uint64_t))
        actions = <int32_t *>malloc(t.max_legal_actions * sizeof(int32_t))
        if positions == NULL or owners == NULL or counts == NULL or actions == NULL:
            free(positions)
            free(owners)
            free(counts)
            free(actions)
            raise MemoryError()
        n = 0
        with nogil:
            for i in range(self.n):
                m = t.actions(t, self.positions + i * size, actions)
                for k in range(m):
                    memcpy(positions + n * size, self.positions + i * size, size)
                    t.apply(t, positions + n * size, actions[k])
                    owners[n] = k if first else self.owners[i]
                    n += 1
        if first:
            self.num_owners = <int>n
        free(actions)
        free(self.positions)
        free(self.owners)
        free(self.counts)
        self.positions = positions
        self.owners = owners
        self.counts = counts
        self.n = n
        self.depth -= 1
        return True

    def work(self, uint64_t hash_bytes=0):
        """Count positions until none is left; several threads may be in here.

        Parameters
        ----------
        hash_bytes : int
            Size of this worker's own table of known counts.
        """
        cdef Walk w
        cdef const GameTable *t = &self.rules.table
        cdef int64_t i
        with nogil:
            if not open_walk(&w, t, self.rules.salt, self.plain, &self.stopped, hash_bytes):
                w.broken = NO_ROOM
            while not w.broken and not read_flag(&self.stopped):
                i = fetch_add(&self.next, 1)
                if i >= self.n:
                    break
                self.counts[i] = count_leaves(&w, self.positions + i * t.position_bytes, self.depth)
                fetch_add(&self.finished, 1)
            close_walk(&w)
            if w.broken:
                exchange(&self.broken, w.broken)
                exchange(&self.stopped, 1)

    def stop(self):
        """Make the workers come back soon."""
        exchange(&self.stopped, 1)

    @property
    def total(self):
        """int: how many positions there are to count."""
        return self.n

    @property
    def done(self):
        """int: how many of them are counted."""
        return read_word(&self.finished)

    def owner(self, Py_ssize_t i):
        """The rank of the first position's action that leads to position i."""
        if not 0 <= i < self.n:
            raise IndexError("no such position")
        return self.owners[i]

    def state(self, Py_ssize_t i):
        """Position i as a State."""
        if not 0 <= i < self.n:
            raise IndexError("no such position")
        return self.game.state_class(self.game, PyBytes_FromStringAndSize(
            <char *>self.positions + i * self.rules.table.position_bytes,
            self.rules.table.position_bytes))

    def sums(self):
        """The counts, one a first action once `spread` was called, else one in all.

        Raises
        ------
        OverflowError, MemoryError
            When a worker broke off.
        """
        cdef Py_ssize_t i
        if self.broken:
            raise _broken(self.broken, self.whole_depth)
        if self.stopped or self.finished != self.n:
            raise RuntimeError("the count was stopped before it was done")
        sums = [0] * self.num_owners
        for i in range(self.n):
            sums[self.owners[i]] += self.counts[i]
        return sums


def count(State state, int depth, bint plain=False):
    """perft(state, depth) in one go, by this thread; see boardrace.perft.

    Parameters
    ----------
    plain : bool
        List and make every ply: the slow twin that the fast counts are tested against.
    """
    if depth < 0:
        raise ValueError(f"depth is {depth}: it must be 0 or more")
    whole = Count(state, depth, plain)
    whole.work()
    return whole.sums()[0]
