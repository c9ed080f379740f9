"""Many games side by side: one block of positions, worked on in slices."""
from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
cimport cython

from boardrace._core.bits cimport likely
from boardrace._core.engine cimport (
    CHANCE, GameTable, MAX_PLAYERS, Rules, State, TERMINAL,
)
from boardrace._core.rng cimport (
    Draws, USE_BATCH_ACTIONS, USE_BATCH_CHANCE, USE_SETUP, draw, stream_key,
)
from boardrace._core.threads cimport exchange, fetch_add, read_word, yield_thread

cdef enum:
    # What step does with a game that is over.
    NEXT_STEP = 0
    SAME_STEP = 1
    DISABLED = 2

cdef enum:
    LIVE = 0
    TERMINATED = 1
    TRUNCATED = 2

cdef enum:
    TOGETHER = 1024             # games that a game's own code is given together


@cython.final
cdef class Block:
    """The positions of n games and what belongs to each; boardrace.Batch is its face.

    Everything but `alone`, `copy` and the attributes wants the ticket that `alone` hands out and
    works on games low to high - 1, so that several threads can share the work. A slice that comes
    late (its operation was interrupted) finds its ticket void and does nothing.

    Parameters
    ----------
    game : Game
    n, seed, mode, max_plies : int
        Checked by the caller. max_plies 0: no limit.
    """

    cdef Rules rules
    cdef readonly object game
    cdef readonly Py_ssize_t n
    cdef readonly int num_players
    cdef readonly uint64_t seed
    cdef readonly int mode
    cdef readonly int32_t max_plies
    cdef uint8_t *positions
    cdef uint8_t *finals         # same-step: where each game ended
    cdef int32_t *final_plies    # same-step: after how many plies
    cdef uint8_t *ended_now      # same-step: whether it did in the last step
    cdef uint8_t *ended          # LIVE, TERMINATED or TRUNCATED
    cdef uint64_t *keys          # of the random actions
    cdef uint64_t *chance_keys   # of the outcomes; NULL in a game without chance
    cdef uint64_t *chance_drawn  # how many outcomes were drawn
    cdef uint32_t *episodes
    cdef int32_t *plies
    cdef int32_t *picked         # what random_actions gave last; what step is to play; -1: nothing,
                                 # as in every game that is over
    cdef bint picked_stands      # no game has moved since: what is picked is known to be legal
    cdef uint64_t picks          # calls of random_actions
    cdef int busy
    cdef int64_t ticket          # of the operation under way, odd; even: none
    cdef int64_t inside          # slices under way

    def __init__(self, game, Py_ssize_t n, uint64_t seed, int mode, int32_t max_plies):
        cdef Py_ssize_t i
        if self.positions != NULL:
            raise RuntimeError("a Block is made once")
        if not 1 <= n < 2**32 or max_plies < 0:
            raise ValueError("this is no batch")
        self.rules = game._rules
        self.game = game
        self.n = n
        self.seed = seed
        self.mode = mode
        self.max_plies = max_plies
        self.allocate()
        with nogil:
            for i in range(n):
                self.keys[i] = stream_key(seed, i, USE_BATCH_ACTIONS)
                if self.chance_keys != NULL:
                    self.chance_keys[i] = stream_key(seed, i, USE_BATCH_CHANCE)

    cdef int allocate(self) except -1:
        cdef Py_ssize_t n = self.n, size = self.rules.table.position_bytes
        self.positions = <uint8_t *>calloc(n, size)
        self.ended = <uint8_t *>calloc(n, 1)
        self.keys = <uint64_t *>calloc(n, sizeof(uint64_t))
        self.num_players = self.rules.table.num_players
        self.chance_drawn = <uint64_t *>calloc(n, sizeof(uint64_t))
        self.episodes = <uint32_t *>calloc(n, sizeof(uint32_t))
        self.plies = <int32_t *>calloc(n, sizeof(int32_t))
        self.picked = <int32_t *>calloc(n, sizeof(int32_t))
        if (self.positions == NULL or self.ended == NULL or self.keys == NULL
                or self.chance_drawn == NULL or self.episodes == NULL or self.plies == NULL
                or self.picked == NULL):
            raise MemoryError(f"no memory for {n} games")
        if self.rules.has_chance:
            self.chance_keys = <uint64_t *>calloc(n, sizeof(uint64_t))
            if self.chance_keys == NULL:
                raise MemoryError(f"no memory for {n} games")
        if self.mode == SAME_STEP:
            self.finals = <uint8_t *>calloc(n, size)
            self.final_plies = <int32_t *>calloc(n, sizeof(int32_t))
            self.ended_now = <uint8_t *>calloc(n, 1)
            if self.finals == NULL or self.final_plies == NULL or self.ended_now == NULL:
                raise MemoryError(f"no memory for {n} games")
        return 0

    def __dealloc__(self):
        free(self.positions)
        free(self.finals)
        free(self.final_plies)
        free(self.ended_now)
        free(self.ended)
        free(self.keys)
        free(self.chance_keys)
        free(self.chance_drawn)
        free(self.episodes)
        free(self.plies)
        free(self.picked)

    # ---- one operation at a time

    cdef int64_t enter(self) except -1:
        """Take the games for one operation; its ticket. `leave` gives them back."""
        if exchange(&self.busy, 1):
            raise RuntimeError("this Batch is at work already: it is for one thread at a time")
        return fetch_add(&self.ticket, 1) + 1

    cdef void leave(self) noexcept:
        fetch_add(&self.ticket, 1)
        if read_word(&self.inside):
            # An exception (Ctrl-C) has come while slices were still at work.
            with nogil:
                while read_word(&self.inside):
                    yield_thread()
        exchange(&self.busy, 0)

    def alone(self, function, *arguments):
        """Call function(ticket, *arguments) with the games to itself.

        Raises
        ------
        RuntimeError
            When an operation is under way, in another thread or further up the stack.
        """
        cdef int64_t ticket = self.enter()
        try:
            return function(ticket, *arguments)
        finally:
            self.leave()

    cdef bint begin(self, int64_t ticket, Py_ssize_t low, Py_ssize_t high) except -1:
        """Whether this slice may work; then `inside` counts it until it is done."""
        if not 0 <= low <= high <= self.n:
            raise IndexError("no such games")
        fetch_add(&self.inside, 1)
        if read_word(&self.ticket) != ticket:
            fetch_add(&self.inside, -1)
            return False
        return True

    cdef int done(self) except -1:
        fetch_add(&self.inside, -1)
        return 0

    cdef int fits(self, Py_ssize_t have, Py_ssize_t need) except -1:
        if have != need:
            raise ValueError(f"the array has {have} entries: it must have {need}")
        return 0

    # ---- one game

    cdef inline int settle(self, Py_ssize_t i) noexcept nogil:
        """Draw the outcomes that are due; who is to act then."""
        cdef const GameTable *t = &self.rules.table
        cdef uint8_t *position = self.positions + i * t.position_bytes
        cdef int who = t.to_act(t, position)
        while who == CHANCE:
            t.apply(t, position, t.choose(t, position, draw(self.chance_keys[i], self.chance_drawn[i])))
            self.chance_drawn[i] += 1
            self.plies[i] += 1
            who = t.to_act(t, position)
        return who

    cdef void set_up(self, Py_ssize_t i) noexcept nogil:
        """The start of the game's current episode."""
        cdef const GameTable *t = &self.rules.table
        cdef uint8_t *position = self.positions + i * t.position_bytes
        cdef Draws draws
        draws.key = stream_key(self.seed, (<uint64_t>self.episodes[i] << 32) + <uint64_t>i, USE_SETUP)
        draws.j = 0
        memset(position, 0, t.position_bytes)
        t.setup(t, position, &draws)
        self.plies[i] = 0
        self.picked[i] = -1
        self.ended[i] = TERMINATED if self.settle(i) == TERMINAL else LIVE

    # ---- operations on slices

    def start(self, int64_t ticket, Py_ssize_t low, Py_ssize_t high):
        """Set games up for their first episode."""
        cdef Py_ssize_t i
        if self.begin(ticket, low, high):
            with nogil:
                for i in range(low, high):
                    self.set_up(i)
            self.done()

    def reset(self, int64_t ticket, const uint8_t[::1] mask, Py_ssize_t low, Py_ssize_t high):
        """Begin the next episode, where mask (None: everywhere)."""
        cdef Py_ssize_t i
        cdef bint all_of_them = mask is None
        if not all_of_them:
            self.fits(mask.shape[0], self.n)
        if self.begin(ticket, low, high):
            with nogil:
                for i in range(low, high):
                    if all_of_them or mask[i]:
                        self.episodes[i] += 1
                        self.set_up(i)
            self.done()

    cdef Py_ssize_t check(self, const int32_t *actions, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        """The first game whose action cannot be played, or -1.

        What can be played is noted for `play`. Another thread may write to the caller's array
        at any time: each entry is read once, so what is played is what was checked.
        """
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t i, k, m, size = t.position_bytes
        cdef int32_t[TOGETHER] given
        cdef int32_t action
        cdef uint32_t other
        while low < high:
            m = min(<Py_ssize_t>TOGETHER, high - low)
            memcpy(given, actions + low, m * sizeof(int32_t))
            other = not self.picked_stands
            for k in range(m):
                # What was picked, with a -1 only where the game is over?
                other |= <uint32_t>(given[k] ^ self.picked[low + k])
                other |= (<uint32_t>given[k] >> 31) & (self.ended[low + k] == LIVE)
            if other:
                for k in range(m):
                    i = low + k
                    action = given[k]
                    if self.ended[i] != LIVE:
                        # Where step resets the game the action counts for nothing.
                        if self.mode == DISABLED and action != -1:
                            return i
                    elif self.picked_stands and action == self.picked[i] and action >= 0:
                        continue
                    elif not (0 <= action < t.num_actions
                              and t.legal(t, self.positions + i * size, action)):
                        return i
                    else:
                        self.picked[i] = action
            low += m
        return -1

    cdef void play(self, float *rewards, uint8_t *terminated, uint8_t *truncated,
                   Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        """Play what `check` has noted. The arrays come filled with zeros."""
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t i, k, m, size = t.position_bytes
        cdef int8_t[TOGETHER] players
        cdef int64_t most = self.max_plies if self.max_plies else <int64_t>1 << 32
        # step_many leaves out the games that are over; it may still read what stands there.
        memset(players, 0, min(<Py_ssize_t>TOGETHER, high - low))
        if self.mode == SAME_STEP:
            memset(self.ended_now + low, False, high - low)
        while low < high:
            m = min(<Py_ssize_t>TOGETHER, high - low)
            t.step_many(t, self.positions + low * size, m, self.picked + low,
                        self.chance_keys + low if self.chance_keys != NULL else NULL,
                        self.chance_drawn + low, self.plies + low, players)
            for k in range(m):
                i = low + k
                if likely(self.ended[i] == LIVE and players[k] != TERMINAL and self.plies[i] < most):
                    continue
                if self.ended[i] == LIVE:
                    self.end(i, players[k] == TERMINAL, rewards, terminated, truncated)
                elif self.mode == DISABLED:
                    terminated[i] = self.ended[i] == TERMINATED
                    truncated[i] = self.ended[i] == TRUNCATED
                else:
                    self.episodes[i] += 1
                    self.set_up(i)
            low += m

    cdef void end(self, Py_ssize_t i, bint terminal, float *rewards, uint8_t *terminated,
                  uint8_t *truncated) noexcept nogil:
        """A game has come to its end in this step, or to max_plies."""
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t size = t.position_bytes
        cdef double[MAX_PLAYERS] values
        cdef int k
        self.picked[i] = -1
        if terminal:
            memset(values, 0, sizeof(values))
            t.returns(t, self.positions + i * size, values)
            for k in range(t.num_players):
                rewards[i * t.num_players + k] = <float>values[k]
            terminated[i] = True
            self.ended[i] = TERMINATED
        else:
            truncated[i] = True
            self.ended[i] = TRUNCATED
        if self.mode == SAME_STEP:
            memcpy(self.finals + i * size, self.positions + i * size, size)
            self.final_plies[i] = self.plies[i]
            self.ended_now[i] = True
            self.episodes[i] += 1
            self.set_up(i)

    cdef void pick_actions(self, int32_t *out, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        """A random action for each game, -1 where it is over."""
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t k, m, size = t.position_bytes
        cdef uint64_t[TOGETHER] j
        for k in range(min(<Py_ssize_t>TOGETHER, high - low)):
            j[k] = self.picks
        while low < high:
            m = min(<Py_ssize_t>TOGETHER, high - low)
            t.choose_many(t, self.positions + low * size, m, self.keys + low, j, self.picked + low)
            for k in range(low, low + m):
                self.picked[k] |= -<int32_t>(self.ended[k] != LIVE)
            memcpy(out + low, self.picked + low, m * sizeof(int32_t))
            low += m

    def first_bad(self, int64_t ticket, const int32_t[::1] actions, Py_ssize_t low, Py_ssize_t high):
        """The first game whose action cannot be played, or -1."""
        cdef Py_ssize_t bad = -1
        self.fits(actions.shape[0], self.n)
        if self.begin(ticket, low, high):
            with nogil:
                bad = self.check(&actions[0], low, high)
            self.done()
        return bad

    def step(self, int64_t ticket, float[:, ::1] rewards, uint8_t[::1] terminated,
             uint8_t[::1] truncated, Py_ssize_t low, Py_ssize_t high):
        """Play what first_bad has checked. The arrays come filled with zeros."""
        self.fits(rewards.shape[0], self.n)
        self.fits(rewards.shape[1], self.rules.table.num_players)
        self.fits(terminated.shape[0], self.n)
        self.fits(truncated.shape[0], self.n)
        if self.begin(ticket, low, high):
            with nogil:
                self.play(&rewards[0, 0], &terminated[0], &truncated[0], low, high)
            self.done()

    def step_at_once(self, actions, rewards, terminated, truncated, refuse):
        """first_bad and step for all games, by this thread alone.

        It is the same work with fewer calls, which cost as much as some hundred games.

        Parameters
        ----------
        actions : ndarray of int32, shape (n,)
        rewards, terminated, truncated : ndarray
            As for `step`.
        refuse : callable
            Called with (ticket, game, action) when an action cannot be played; it raises.
        """
        cdef Py_buffer[4] views
        cdef Py_ssize_t bad
        cdef int64_t ticket
        cdef int k, taken = 0, writable = PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE
        try:
            for k, array in enumerate((actions, rewards, terminated, truncated)):
                PyObject_GetBuffer(array, &views[k], writable if k else PyBUF_C_CONTIGUOUS)
                taken += 1
            self.fits(views[0].len, self.n * <Py_ssize_t>sizeof(int32_t))
            self.fits(views[1].len, self.n * self.rules.table.num_players * <Py_ssize_t>sizeof(float))
            self.fits(views[2].len, self.n)
            self.fits(views[3].len, self.n)
            ticket = self.enter()
            try:
                with nogil:
                    bad = self.check(<const int32_t *>views[0].buf, 0, self.n)
                    if bad < 0:
                        self.picked_stands = False
                        self.play(<float *>views[1].buf, <uint8_t *>views[2].buf,
                                  <uint8_t *>views[3].buf, 0, self.n)
                if bad >= 0:
                    refuse(ticket, bad, (<const int32_t *>views[0].buf)[bad])
            finally:
                self.leave()
        finally:
            for k in range(taken):
                PyBuffer_Release(&views[k])

    def moved(self):
        """Say that positions have changed: what was picked before is not known to be legal."""
        self.picked_stands = False

    def pick(self, int64_t ticket, int32_t[::1] out, Py_ssize_t low, Py_ssize_t high):
        """A random action for each game, -1 where it is over."""
        self.fits(out.shape[0], self.n)
        if self.begin(ticket, low, high):
            with nogil:
                self.pick_actions(&out[0], low, high)
            self.done()

    def picked_all(self):
        """Say that every slice of a pick is done."""
        self.picks += 1
        self.picked_stands = True

    def pick_at_once(self, out):
        """moved, pick for all games by this thread alone, and picked_all."""
        cdef Py_buffer view
        PyObject_GetBuffer(out, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
        try:
            self.fits(view.len, self.n * <Py_ssize_t>sizeof(int32_t))
            self.enter()
            with nogil:
                self.pick_actions(<int32_t *>view.buf, 0, self.n)
            self.picks += 1
            self.picked_stands = True
            self.leave()
        finally:
            PyBuffer_Release(&view)

    def current_player(self, int64_t ticket, int8_t[::1] out, Py_ssize_t low, Py_ssize_t high):
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t i
        self.fits(out.shape[0], self.n)
        if not self.begin(ticket, low, high):
            return
        with nogil:
            for i in range(low, high):
                if self.ended[i] != LIVE:
                    out[i] = TERMINAL
                else:
                    out[i] = <int8_t>t.to_act(t, self.positions + i * t.position_bytes)
        self.done()

    def num_plies(self, int64_t ticket, int32_t[::1] out, Py_ssize_t low, Py_ssize_t high):
        self.fits(out.shape[0], self.n)
        if self.begin(ticket, low, high):
            memcpy(&out[0] + low, self.plies + low, (high - low) * sizeof(int32_t))
            self.done()

    def count_legal(self, int64_t ticket, int64_t[::1] out, Py_ssize_t low, Py_ssize_t high):
        """How many legal actions each game has, into out[i + 1]."""
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t i
        self.fits(out.shape[0], self.n + 1)
        if not self.begin(ticket, low, high):
            return
        with nogil:
            for i in range(low, high):
                if self.ended[i] != LIVE:
                    out[i + 1] = 0
                else:
                    out[i + 1] = t.count(t, self.positions + i * t.position_bytes)
        self.done()

    def list_legal(self, int64_t ticket, const int64_t[::1] offsets, int32_t[::1] out,
                   Py_ssize_t low, Py_ssize_t high):
        """The legal actions of game i, from out[offsets[i]] on."""
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t i
        cdef int n
        # A game may write beyond its last action, up to max_legal_actions: so not into `out`.
        cdef int32_t *room = <int32_t *>malloc(t.max_legal_actions * sizeof(int32_t))
        if room == NULL:
            raise MemoryError("no memory for a list of actions")
        try:
            self.fits(offsets.shape[0], self.n + 1)
            self.fits(out.shape[0], offsets[self.n])
            if not self.begin(ticket, low, high):
                return
            with nogil:
                for i in range(low, high):
                    if self.ended[i] == LIVE:
                        n = t.actions(t, self.positions + i * t.position_bytes, room)
                        if n == offsets[i + 1] - offsets[i] and n > 0:
                            memcpy(&out[offsets[i]], room, n * sizeof(int32_t))
            self.done()
        finally:
            free(room)

    def legal_mask(self, int64_t ticket, uint8_t[:, ::1] out, Py_ssize_t low, Py_ssize_t high):
        cdef const GameTable *t = &self.rules.table
        cdef Py_ssize_t i
        cdef int n, k
        cdef uint8_t *row
        cdef int32_t *room = <int32_t *>malloc(t.max_legal_actions * sizeof(int32_t))
        if room == NULL:
            raise MemoryError("no memory for a list of actions")
        try:
            self.fits(out.shape[0], self.n)
            self.fits(out.shape[1], t.num_actions)
            if not self.begin(ticket, low, high):
                return
            with nogil:
                for i in range(low, high):
                    row = &out[i, 0]
                    memset(row, 0, t.num_actions)
                    if self.ended[i] == LIVE:
                        n = t.actions(t, self.positions + i * t.position_bytes, room)
                        for k in range(n):
                            row[room[k]] = True
            self.done()
        finally:
            free(room)

    def observation(self, int64_t ticket, uint8_t[::1] out, int player, Py_ssize_t low,
                    Py_ssize_t high):
        """What `player` sees (-1: whoever has the turn) in each game, as bytes."""
        self.observe(ticket, out, self.positions, NULL, player, low, high)

    def final_observation(self, int64_t ticket, uint8_t[::1] out, Py_ssize_t low, Py_ssize_t high):
        """The same where games ended in the last step; zeros elsewhere."""
        if self.mode != SAME_STEP:
            raise RuntimeError("only a same-step batch keeps where games ended")
        self.observe(ticket, out, self.finals, self.ended_now, -1, low, high)

    cdef int observe(self, int64_t ticket, uint8_t[::1] out, const uint8_t *positions,
                     const uint8_t *mask, int player, Py_ssize_t low, Py_ssize_t high) except -1:
        cdef const GameTable *t = &self.rules.table
        cdef const uint8_t *position
        cdef Py_ssize_t i, each = t.observation_bytes
        cdef int who
        self.fits(out.shape[0], self.n * each)
        if not self.begin(ticket, low, high):
            return 0
        with nogil:
            for i in range(low, high):
                if mask != NULL and not mask[i]:
                    memset(&out[i * each], 0, each)
                    continue
                position = positions + i * t.position_bytes
                who = player
                if who < 0:
                    who = t.to_act(t, position)
                if who < 0:
                    who = t.turn(t, position)
                t.observe(t, position, who if who > 0 else 0, &out[i * each])
        return self.done()

    # ---- one game in and out

    def position(self, int64_t ticket, Py_ssize_t i):
        """Its bytes and its number of plies."""
        cdef Py_ssize_t size = self.rules.table.position_bytes
        if not 0 <= i < self.n:
            raise IndexError(f"there is no game {i}: they are 0 to {self.n - 1}")
        return PyBytes_FromStringAndSize(<char *>self.positions + i * size, size), self.plies[i]

    def is_over(self, Py_ssize_t i):
        """Whether game i is over, truncated ones too."""
        if not 0 <= i < self.n:
            raise IndexError(f"there is no game {i}: they are 0 to {self.n - 1}")
        return self.ended[i] != LIVE

    def final_position(self, int64_t ticket, Py_ssize_t i):
        """Where the game ended in the last step (same-step), as for `position`; or None."""
        cdef Py_ssize_t size = self.rules.table.position_bytes
        if not 0 <= i < self.n:
            raise IndexError(f"there is no game {i}: they are 0 to {self.n - 1}")
        if self.mode != SAME_STEP or not self.ended_now[i]:
            return None
        return PyBytes_FromStringAndSize(<char *>self.finals + i * size, size), self.final_plies[i]

    cdef int take(self, uint8_t *positions, Py_ssize_t i, State state) except -1:
        """The position of a state as the i-th of some."""
        cdef Py_ssize_t size = self.rules.table.position_bytes
        if not 0 <= i < self.n:
            raise IndexError(f"there is no game {i}: they are 0 to {self.n - 1}")
        if state.rules is not self.rules and state.game != self.game:
            raise ValueError(f"the state is of {state.game}, the batch of {self.game}")
        with cython.critical_section(state):
            memcpy(positions + i * size, state.current(), size)
        return 0

    def put(self, int64_t ticket, Py_ssize_t i, State state, int32_t plies):
        """Let game i go on from a state of the same game; outcomes that are due are drawn."""
        self.take(self.positions, i, state)
        self.plies[i] = plies
        self.picked[i] = -1
        self.ended[i] = TERMINATED if self.settle(i) == TERMINAL else LIVE
        if self.mode == SAME_STEP:
            self.ended_now[i] = False

    def put_final(self, int64_t ticket, Py_ssize_t i, State state, int32_t plies):
        """Where game i ended in the last step (same-step)."""
        if self.mode != SAME_STEP:
            raise RuntimeError("only a same-step batch keeps where games ended")
        self.take(self.finals, i, state)
        self.final_plies[i] = plies
        self.ended_now[i] = True

    def counters(self, int64_t ticket):
        """What goes on from step to step beside positions: how many times random_actions was called;
        for each game whether it is over, its outcomes drawn, its episode."""
        cdef Py_ssize_t i
        return (
            self.picks,
            [self.ended[i] for i in range(self.n)],
            [self.chance_drawn[i] for i in range(self.n)],
            [self.episodes[i] for i in range(self.n)],
        )

    def set_counters(self, int64_t ticket, picks, ended, drawn, episodes):
        """As `counters` gave them, after `put` of every game."""
        cdef Py_ssize_t i
        self.fits(len(ended), self.n)
        self.fits(len(drawn), self.n)
        self.fits(len(episodes), self.n)
        self.picks = picks
        for i in range(self.n):
            if ended[i] != self.ended[i] and not (self.ended[i] == LIVE and ended[i] == TRUNCATED):
                raise ValueError(f"game {i} is over where it is not, or the other way round")
            self.ended[i] = ended[i]
            self.chance_drawn[i] = drawn[i]
            self.episodes[i] = episodes[i]

    def copy(self, int64_t ticket):
        """Another one that goes its own way from here."""
        cdef Block other = Block.__new__(Block)
        cdef Py_ssize_t n = self.n, size = self.rules.table.position_bytes
        other.rules = self.rules
        other.game = self.game
        other.n = n
        other.seed = self.seed
        other.mode = self.mode
        other.max_plies = self.max_plies
        other.picks = self.picks
        other.picked_stands = self.picked_stands
        other.allocate()
        with nogil:
            memcpy(other.positions, self.positions, n * size)
            memcpy(other.ended, self.ended, n)
            memcpy(other.keys, self.keys, n * sizeof(uint64_t))
            if self.chance_keys != NULL:
                memcpy(other.chance_keys, self.chance_keys, n * sizeof(uint64_t))
            memcpy(other.chance_drawn, self.chance_drawn, n * sizeof(uint64_t))
            memcpy(other.episodes, self.episodes, n * sizeof(uint32_t))
            memcpy(other.plies, self.plies, n * sizeof(int32_t))
            memcpy(other.picked, self.picked, n * sizeof(int32_t))
            if self.mode == SAME_STEP:
                memcpy(other.finals, self.finals, n * size)
                memcpy(other.final_plies, self.final_plies, n * sizeof(int32_t))
                memcpy(other.ended_now, self.ended_now, n)
        return other
