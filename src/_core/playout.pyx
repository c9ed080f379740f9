"""Random playouts over any game's table."""
from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
cimport cython

from boardrace._core.bits cimport multiply_high
from boardrace._core.engine cimport (
    CHANCE, GameTable, MAX_PLAYERS, MAX_POSITION_WORDS, Rules, State, TERMINAL,
)
from boardrace._core.rng cimport Draws, USE_PLIES, USE_SETUP, draw, stream_key
from boardrace._core.threads cimport exchange, fetch_add, read_flag, read_word

cdef enum:
    UNIFORM = 0
    FORWARD = 1


cdef int32_t choose_forward(const GameTable *table, const void *position, int player, uint64_t u,
                            int32_t *actions) noexcept nogil:
    """Uniform among the actions that bring the mover furthest, if that is further than now."""
    cdef uint64_t[MAX_POSITION_WORDS] child
    cdef int n = table.actions(table, position, actions)
    cdef int best = table.progress(table, position, player), reached, k
    cdef int kept = n           # n: none was better than now so far, the list is still whole
    cdef bint better = False
    for k in range(n):
        memcpy(child, position, table.position_bytes)
        table.apply(table, child, actions[k])
        reached = table.progress(table, child, player)
        if reached > best:
            best = reached
            better = True
            kept = 0
        if better and reached == best:
            actions[kept] = actions[k]      # kept <= k: what is overwritten is done with
            kept += 1
    return actions[multiply_high(u, kept)]


cdef class Playing:
    """Playouts in hand: number `first` to `first + n - 1` of a seed, a block at a time.

    Parameters
    ----------
    game : Game
    start : State or None
        Where each begins; None: at its own set-up.
    first, n : int
    seed : int
    policies : bytes
        0 uniform or 1 forward for each player.
    max_plies : int
    block : int
        Games that a worker plays together.
    returns : ndarray of float32, shape (n, players)
    lengths : ndarray of int32, shape (n,)
    truncated : ndarray of bool, shape (n,)
        Written here.
    """

    cdef Rules rules
    cdef uint64_t[MAX_POSITION_WORDS] start
    cdef bint from_setup
    cdef bint all_uniform
    cdef uint8_t[MAX_PLAYERS] policies
    cdef uint64_t first, seed
    cdef Py_ssize_t n, block
    cdef int32_t max_plies
    cdef Py_buffer returns_view, lengths_view, truncated_view
    cdef int views
    cdef int64_t next
    cdef int64_t finished
    cdef int stopped
    cdef int no_room

    def __init__(self, game, State start, uint64_t first, Py_ssize_t n, uint64_t seed,
                 bytes policies, int32_t max_plies, Py_ssize_t block, returns, lengths, truncated):
        cdef int k
        if self.rules is not None:
            raise RuntimeError("a Playing is made once")
        if n < 0 or block < 1 or len(policies) != game.num_players or len(policies) > MAX_PLAYERS:
            raise ValueError("these are no playouts")
        self.rules = game._rules
        self.from_setup = start is None
        if start is not None:
            if start.rules is not self.rules and start.game != game:
                raise ValueError("the state is of another game")
            with cython.critical_section(start):
                memcpy(self.start, start.current(), self.rules.table.position_bytes)
        self.first = first
        self.n = n
        self.seed = seed
        self.block = min(block, max(n, 1))
        self.max_plies = max_plies
        self.all_uniform = True
        for k in range(len(policies)):
            self.policies[k] = policies[k]
            if policies[k] != UNIFORM:
                self.all_uniform = False
        flags = PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE
        PyObject_GetBuffer(returns, &self.returns_view, flags)
        self.views = 1
        PyObject_GetBuffer(lengths, &self.lengths_view, flags)
        self.views = 2
        PyObject_GetBuffer(truncated, &self.truncated_view, flags)
        self.views = 3
        if (self.returns_view.len != n * self.rules.table.num_players * <Py_ssize_t>sizeof(float)
                or self.lengths_view.len != n * <Py_ssize_t>sizeof(int32_t)
                or self.truncated_view.len != n):
            raise ValueError("the arrays do not fit the number of playouts")

    def __dealloc__(self):
        if self.views > 0:
            PyBuffer_Release(&self.returns_view)
        if self.views > 1:
            PyBuffer_Release(&self.lengths_view)
        if self.views > 2:
            PyBuffer_Release(&self.truncated_view)

    cdef void play_on(self, void *positions, Py_ssize_t m, const uint64_t *keys, int32_t *plies,
                      int32_t *actions) noexcept nogil:
        """What table.run does, for other policies than uniform."""
        cdef const GameTable *t = &self.rules.table
        cdef uint8_t *position = <uint8_t *>positions
        cdef Py_ssize_t i
        cdef int who
        cdef uint64_t u
        for i in range(m):
            while plies[i] < self.max_plies and not read_flag(&self.stopped):
                who = t.to_act(t, position)
                if who == TERMINAL:
                    break
                u = draw(keys[i], plies[i])
                if who == CHANCE or self.policies[who] == UNIFORM:
                    t.apply(t, position, t.choose(t, position, u))
                else:
                    t.apply(t, position, choose_forward(t, position, who, u, actions))
                plies[i] += 1
            position += t.position_bytes

    cdef void play_block(self, Py_ssize_t begin, Py_ssize_t m, uint8_t *positions, uint64_t *keys,
                         int32_t *actions) noexcept nogil:
        """Playouts first + begin and on, m of them."""
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t size = t.position_bytes, i
        cdef int players = t.num_players, k
        cdef int32_t *plies = <int32_t *>self.lengths_view.buf + begin
        cdef float *returns = <float *>self.returns_view.buf + begin * players
        cdef uint8_t *truncated = <uint8_t *>self.truncated_view.buf + begin
        cdef double[MAX_PLAYERS] values
        cdef Draws draws
        for i in range(m):
            if self.from_setup:
                memset(positions + i * size, 0, size)
                draws.key = stream_key(self.seed, self.first + begin + i, USE_SETUP)
                draws.j = 0
                t.setup(t, positions + i * size, &draws)
            else:
                memcpy(positions + i * size, self.start, size)
            keys[i] = stream_key(self.seed, self.first + begin + i, USE_PLIES)
            plies[i] = 0
        if self.all_uniform:
            t.run(t, positions, m, keys, plies, self.max_plies, &self.stopped)
        else:
            self.play_on(positions, m, keys, plies, actions)
        for i in range(m):
            memset(values, 0, sizeof(values))
            truncated[i] = t.to_act(t, positions + i * size) != TERMINAL
            if not truncated[i]:
                t.returns(t, positions + i * size, values)
            for k in range(players):
                returns[i * players + k] = <float>values[k]

    def work(self):
        """Play blocks until none is left; several threads may be in here."""
        cdef const GameTable *t = &self.rules.table
        cdef uint8_t *positions
        cdef uint64_t *keys
        cdef int32_t *actions
        cdef Py_ssize_t begin, m
        with nogil:
            positions = <uint8_t *>malloc(self.block * t.position_bytes)
            keys = <uint64_t *>malloc(self.block * sizeof(uint64_t))
            actions = <int32_t *>malloc(t.max_legal_actions * sizeof(int32_t))
            if positions == NULL or keys == NULL or actions == NULL:
                exchange(&self.no_room, 1)
                exchange(&self.stopped, 1)
            while not read_flag(&self.stopped):
                begin = fetch_add(&self.next, self.block)
                if begin >= self.n:
                    break
                m = min(self.block, self.n - begin)
                self.play_block(begin, m, positions, keys, actions)
                if not read_flag(&self.stopped):
                    fetch_add(&self.finished, m)
            free(positions)
            free(keys)
            free(actions)
        if self.no_room:
            raise MemoryError("no memory for the playouts")

    def stop(self):
        """Make the workers come back soon."""
        exchange(&self.stopped, 1)

    @property
    def total(self):
        """int: how many playouts there are."""
        return self.n

    @property
    def done(self):
        """int: how many are over."""
        return read_word(&self.finished)
