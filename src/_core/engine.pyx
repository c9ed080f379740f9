"""States over any game's table, and the general ways of what a game leaves out."""
from operator import index

import numpy as np

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.number cimport PyIndex_Check, PyNumber_Index
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset
cimport cython

from boardrace._core.bits cimport multiply_high
from boardrace._core.rng cimport (
    Draws, Rng, USE_DETERMINIZE, USE_PLIES, draw, mix, next_draw, stream_key,
)
from boardrace._core.threads cimport read_flag
from boardrace._errors import IllegalActionError, Verdict

ABI_VERSION = ABI

cdef object _empty = np.empty
cdef object _zeros = np.zeros
cdef object _int32 = np.dtype(np.int32)
cdef object _int32_number = np.int32
cdef object _bool = np.dtype(np.bool_)
cdef object _uint64 = np.dtype(np.uint64)
cdef object _float64 = np.dtype(np.float64)


# ---------------------------------------------------------------- general ways

cdef int count_by_list(const GameTable *table, const void *position) noexcept nogil:
    cdef int32_t *room = <int32_t *>malloc(table.max_legal_actions * sizeof(int32_t))
    cdef int n = table.actions(table, position, room)
    free(room)
    return n


cdef bint is_in(const int32_t *ascending, int n, int32_t action) noexcept nogil:
    cdef int low = 0, left = n, half
    while left > 1:     # without branches: they would be foreseen badly
        half = left >> 1
        low += half * (ascending[low + half] <= action)
        left -= half
    return n > 0 and ascending[low] == action


cdef bint legal_by_list(const GameTable *table, const void *position, int32_t action) noexcept nogil:
    cdef int32_t *room = <int32_t *>malloc(table.max_legal_actions * sizeof(int32_t))
    cdef bint found = is_in(room, table.actions(table, position, room), action)
    free(room)
    return found


cdef int32_t choose_by_list(const GameTable *table, const void *position, uint64_t u) noexcept nogil:
    cdef int32_t *room = <int32_t *>malloc(table.max_legal_actions * (sizeof(int32_t) + sizeof(uint32_t)))
    cdef uint32_t *weights = <uint32_t *>(room + table.max_legal_actions)
    cdef int n, k
    cdef uint64_t total = 0, point
    cdef int32_t chosen
    if table.to_act(table, position) == CHANCE:
        n = table.outcomes(table, position, room, weights)
        for k in range(n):
            total += weights[k]
        point = multiply_high(u, total)
        k = 0
        while point >= weights[k]:
            point -= weights[k]
            k += 1
        chosen = room[k]
    else:
        n = table.actions(table, position, room)
        chosen = room[multiply_high(u, n)]
    free(room)
    return chosen


cdef int no_outcomes(const GameTable *table, const void *position, int32_t *out, uint32_t *weights) noexcept nogil:
    return 0


cdef void nothing_hidden(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    pass


cdef uint64_t tail_by_count(const GameTable *table, const void *position, int depth) noexcept nogil:
    return table.count(table, position)


cdef void run_one_by_one(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
                         int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint8_t *position = <uint8_t *>positions
    for i in range(n):
        while plies[i] < max_plies and table.to_act(table, position) != TERMINAL:
            table.apply(table, position, table.choose(table, position, draw(keys[i], plies[i])))
            plies[i] += 1
            if read_flag(stop):
                return
        position += table.position_bytes


cdef void choose_one_by_one(const GameTable *table, const void *positions, Py_ssize_t n,
                            const uint64_t *keys, const uint64_t *j, int32_t *out) noexcept nogil:
    cdef Py_ssize_t i
    cdef const uint8_t *position = <const uint8_t *>positions
    for i in range(n):
        if table.to_act(table, position) == TERMINAL:
            out[i] = -1
        else:
            out[i] = table.choose(table, position, draw(keys[i], j[i]))
        position += table.position_bytes


cdef void step_one_by_one(const GameTable *table, void *positions, Py_ssize_t n, const int32_t *actions,
                          const uint64_t *keys, uint64_t *drawn, int32_t *plies,
                          int8_t *players) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint8_t *position = <uint8_t *>positions
    cdef int who
    for i in range(n):
        if actions[i] >= 0:
            table.apply(table, position, actions[i])
            plies[i] += 1
            who = table.to_act(table, position)
            while who == CHANCE:
                table.apply(table, position, table.choose(table, position, draw(keys[i], drawn[i])))
                drawn[i] += 1
                plies[i] += 1
                who = table.to_act(table, position)
            players[i] = <int8_t>who
        position += table.position_bytes


cdef uint64_t hash_position(const GameTable *table, const void *position, uint64_t salt) noexcept nogil:
    """Every word is mixed in whole: two positions of a game collide by chance only."""
    cdef uint64_t h = salt, word
    cdef const uint8_t *p = <const uint8_t *>position
    cdef int k
    for k in range(0, table.position_bytes, 8):
        memcpy(&word, p + k, 8)
        h = mix(h ^ mix(word + <uint64_t>k * 0x9E3779B97F4A7C15ULL))
    return h


cdef class Rules:
    """A game's C side for one set of options. Games derive from it and fill `table`."""

    def __init__(self):
        raise TypeError("Rules are made by their game")

    cdef int complete(self) except -1:
        """Check the table and fill in the general ways. A game calls it last."""
        cdef GameTable *t = &self.table
        if (t.to_act == NULL or t.turn == NULL or t.actions == NULL or t.apply == NULL
                or t.returns == NULL or t.progress == NULL or t.setup == NULL
                or t.observe == NULL or (t.bitboards == NULL and t.num_bitboards)):
            raise SystemError("the game's table lacks a function that every game supplies")
        if not (0 < t.position_bytes <= MAX_POSITION_BYTES and t.position_bytes % 8 == 0
                and 1 <= t.num_players <= MAX_PLAYERS and t.num_actions > 0
                and t.max_legal_actions > 0 and t.progress_goal > 0):
            raise SystemError("a fact in the game's table is out of its bounds")
        if t.outcomes == NULL:
            t.outcomes = no_outcomes
        if t.determinize == NULL:
            t.determinize = nothing_hidden
        if t.count == NULL:
            t.count = count_by_list
        if t.legal == NULL:
            t.legal = legal_by_list
        if t.choose == NULL:
            t.choose = choose_by_list
        if t.tail == NULL:
            t.tail = tail_by_count
            t.tail_depth = 1
        if t.run == NULL:
            t.run = run_one_by_one
        if t.choose_many == NULL:
            t.choose_many = choose_one_by_one
        if t.step_many == NULL:
            t.step_many = step_one_by_one
        return 0

    def set_salt(self, bytes text):
        """Mix the game's text into every hash (called once, by Game)."""
        cdef uint64_t h = 0x626F617264726163ULL
        cdef const uint8_t *p = text
        cdef Py_ssize_t k
        for k in range(len(text)):
            h = mix(h + p[k] + 1)
        self.salt = h

    def start(self, seed, stream=0):
        """bytes: the position that set-up `stream` of a seed gives."""
        cdef uint8_t[MAX_POSITION_BYTES] position
        cdef Draws draws
        memset(position, 0, MAX_POSITION_BYTES)
        draws.key = stream_key(seed, stream, 1)  # USE_SETUP
        draws.j = 0
        with nogil:
            self.table.setup(&self.table, position, &draws)
        return PyBytes_FromStringAndSize(<char *>position, self.table.position_bytes)

    @property
    def num_players(self):
        return self.table.num_players

    @property
    def num_actions(self):
        return self.table.num_actions

    @property
    def max_legal_actions(self):
        return self.table.max_legal_actions

    @property
    def position_bytes(self):
        return self.table.position_bytes

    @property
    def observation_bytes(self):
        return self.table.observation_bytes

    @property
    def progress_goal(self):
        return self.table.progress_goal

    @property
    def has_chance(self):
        """bool: whether play draws outcomes of chance; the draws of set-up do not count."""
        return self.table.outcomes != no_outcomes

    @property
    def has_hidden(self):
        """bool: whether anything in a position is hidden from a player."""
        return self.table.determinize != nothing_hidden

    @property
    def tail_depth(self):
        return self.table.tail_depth


# ---------------------------------------------------------------- a state never made

cdef int over(const GameTable *table, const void *position) noexcept nogil:
    return TERMINAL


cdef int zero(const GameTable *table, const void *position) noexcept nogil:
    return 0


cdef int no_actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    return 0


cdef bint never_legal(const GameTable *table, const void *position, int32_t action) noexcept nogil:
    return False


cdef void no_returns(const GameTable *table, const void *position, double *out) noexcept nogil:
    pass


cdef int no_progress(const GameTable *table, const void *position, int player) noexcept nogil:
    return 0


cdef Rules _rules_of_nothing():
    """What a state has that was made by State.__new__ alone: a game that is over, of no bytes."""
    cdef Rules rules = Rules.__new__(Rules)
    cdef GameTable *t = &rules.table
    t.max_legal_actions = 1
    t.progress_goal = 1
    t.to_act = over
    t.turn = zero
    t.actions = no_actions
    t.returns = no_returns
    t.progress = no_progress
    t.outcomes = no_outcomes
    t.determinize = nothing_hidden
    t.count = zero
    t.legal = never_legal
    t.tail = tail_by_count
    t.run = run_one_by_one
    t.choose_many = choose_one_by_one
    t.step_many = step_one_by_one
    return rules


cdef Rules _nothing = _rules_of_nothing()


# ---------------------------------------------------------------- arrays

cdef extern from *:
    """
    /* What NumPy's binary interface fixes of an array, and of a number taken from an int32 array. */
    typedef struct { PyObject_HEAD char *data; } br_array;
    typedef struct { PyObject_HEAD int value; } br_int32;
    """
    ctypedef struct Array "br_array":
        char *data
    ctypedef struct Int32 "br_int32":
        int value

ctypedef PyObject *(*NewArray)(void *type, PyObject *dtype, int dimensions, const Py_ssize_t *shape,
                               const Py_ssize_t *strides, void *data, int flags, PyObject *owner) noexcept

cdef void **numpy_interface() except? NULL:
    """NumPy's table of C functions, or NULL where it is not the one known here.

    One small array is what a caller waits for most, and a call of np.empty with a look at its
    buffer takes several times as long as the C functions. Building needs no NumPy: the places in this
    table and the start of an array are the same in all of NumPy 2.
    """
    try:
        from numpy._core._multiarray_umath import _ARRAY_API
    except ImportError:
        return NULL
    cdef void **functions = <void **>PyCapsule_GetPointer(_ARRAY_API, NULL)
    cdef unsigned int version = (<unsigned int (*)() noexcept>functions[0])()   # PyArray_GetNDArrayCVersion
    return functions if version >> 24 == 2 else NULL


cdef void **_numpy = numpy_interface()


cdef object filled_array(object dtype, const void *data, Py_ssize_t n, Py_ssize_t bytes_each):
    """A new one-dimensional array with a copy of the data."""
    cdef object array
    cdef PyObject *made
    cdef Py_buffer view
    if _numpy != NULL:
        Py_INCREF(dtype)    # PyArray_NewFromDescr keeps it
        made = (<NewArray>_numpy[94])(_numpy[2], <PyObject *>dtype, 1, &n, NULL, NULL, 0, NULL)
        if made == NULL:
            raise MemoryError()
        array = <object>made
        Py_DECREF(array)
        if n:
            memcpy((<Array *>made).data, data, n * bytes_each)
        return array
    array = _empty(n, dtype)
    if n:
        PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
        memcpy(view.buf, data, n * bytes_each)
        PyBuffer_Release(&view)
    return array


def output_array(out, tuple shape, dtype):
    """The array to write to: a new one, or `out` after checking it.

    Raises TypeError for another type or dtype, ValueError for another shape or an array that is
    read-only or not C-contiguous.
    """
    if out is None:
        return _empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if out.dtype != dtype:
        raise TypeError(f"out has dtype {out.dtype}: it must be {np.dtype(dtype)}")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}: it must be {shape}")
    if not out.flags.c_contiguous:
        raise ValueError("out must be C-contiguous")
    if not out.flags.aligned:
        raise ValueError("out must be aligned")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out


# ---------------------------------------------------------------- State

cdef class State:
    """A position of a game, with the actions that led to it.

    Made by ``game.new_state``, ``game.parse`` and ``state.copy``. A State is mutable, so it
    cannot be a dictionary key: use ``state.hash`` or ``str(state)``. It is for one thread at a
    time.
    """

    __hash__ = None

    def __cinit__(self):
        self.positions = NULL
        self.played = NULL
        self.listed = NULL
        self.num_listed = -1
        self.rules = _nothing

    def __init__(self, game, bytes position not None):
        cdef Rules rules = game._rules
        if rules is None:
            raise TypeError("a game without rules has no positions")
        if PyBytes_GET_SIZE(position) != rules.table.position_bytes:
            raise ValueError("these are not the bytes of a position of this game")
        self.game = game
        self.rules = rules
        self.plies_before = 0
        self.reserve(8)
        self.last = 0
        memcpy(self.positions, PyBytes_AS_STRING(position), rules.table.position_bytes)

    def __dealloc__(self):
        free(self.positions)
        free(self.played)
        free(self.listed)

    cdef int reserve(self, Py_ssize_t room) except -1:
        """Make room for that many positions."""
        cdef uint8_t *positions
        cdef int32_t *played
        positions = <uint8_t *>realloc(self.positions, room * self.rules.table.position_bytes)
        if positions == NULL:
            raise MemoryError()
        self.positions = positions
        played = <int32_t *>realloc(self.played, room * sizeof(int32_t))
        if played == NULL:
            raise MemoryError()
        self.played = played
        self.room = room
        return 0

    cdef int play(self, int32_t action) except -1:
        """Carry out a legal action."""
        cdef const GameTable *t = &self.rules.table
        cdef uint8_t *now
        if self.last + 1 == self.room:
            self.reserve(2 * self.room)
        now = self.positions + self.last * t.position_bytes
        memcpy(now + t.position_bytes, now, t.position_bytes)
        t.apply(t, now + t.position_bytes, action)
        self.played[self.last] = action
        self.last += 1
        self.num_listed = -1
        return 0

    cdef int list_actions(self) except -1:
        """Have the legal actions of the current position listed."""
        cdef const GameTable *t = &self.rules.table
        cdef int32_t[512] near
        cdef int32_t *room = near
        cdef int32_t *listed
        cdef int n
        if self.num_listed >= 0:
            return 0
        if t.max_legal_actions > 512:
            room = <int32_t *>malloc(t.max_legal_actions * sizeof(int32_t))
            if room == NULL:
                raise MemoryError()
        n = t.actions(t, self.current(), room)
        if n > self.room_listed:
            listed = <int32_t *>realloc(self.listed, n * sizeof(int32_t))
            if listed == NULL:
                if room != near:
                    free(room)
                raise MemoryError()
            self.listed = listed
            self.room_listed = n
        if n:
            memcpy(self.listed, room, n * sizeof(int32_t))
        self.num_listed = n
        if room != near:
            free(room)
        return 0

    cdef bint may_play(self, int32_t action) noexcept:
        """Is it legal? Whoever chose among the listed actions is answered from the list."""
        if self.num_listed >= 0:
            return is_in(self.listed, self.num_listed, action)
        return self.rules.table.legal(&self.rules.table, self.current(), action)

    # ---- who acts

    @property
    def current_player(self):
        """int: the player to act, ``CHANCE`` (-1) or ``TERMINAL`` (-4)."""
        with cython.critical_section(self):
            return self.rules.table.to_act(&self.rules.table, self.current())

    @property
    def turn(self):
        """int: the seat in the text's TURN field, at chance nodes too."""
        with cython.critical_section(self):
            return self.rules.table.turn(&self.rules.table, self.current())

    @property
    def is_terminal(self):
        """bool: whether the game is over."""
        with cython.critical_section(self):
            return self.rules.table.to_act(&self.rules.table, self.current()) == TERMINAL

    @property
    def is_chance(self):
        """bool: whether an outcome of chance is due."""
        with cython.critical_section(self):
            return self.rules.table.to_act(&self.rules.table, self.current()) == CHANCE

    @property
    def num_plies(self):
        """int: plies made since the state was made or parsed; a copy keeps the number."""
        return self.plies_before + self.last

    # ---- actions

    @cython.critical_section
    def legal_actions(self):
        """The legal actions, at a chance node the outcomes.

        Returns
        -------
        ndarray of int32, shape (k,)
            Ascending, without duplicates; empty at the end.
        """
        self.list_actions()
        return filled_array(_int32, self.listed, self.num_listed, sizeof(int32_t))

    @cython.critical_section
    def legal_mask(self, out=None):
        """Which actions are legal.

        Parameters
        ----------
        out : ndarray of bool, shape (num_actions,), optional
            Written and returned in place of a new array.

        Returns
        -------
        ndarray of bool, shape (num_actions,)
        """
        mask = output_array(out, (self.rules.table.num_actions,), _bool)
        mask[:] = False
        mask[self.legal_actions()] = True
        return mask

    @cython.critical_section
    def chance_outcomes(self):
        """The outcomes of a chance node and their probabilities.

        Returns
        -------
        outcomes : ndarray of int32, shape (k,)
        probabilities : ndarray of float64, shape (k,)
            They sum to 1. Both are empty where no outcome is due.
        """
        cdef const GameTable *t = &self.rules.table
        cdef int n = 0
        cdef int32_t *room = <int32_t *>malloc(t.max_legal_actions * (sizeof(int32_t) + sizeof(uint32_t)))
        if room == NULL:
            raise MemoryError()
        cdef uint32_t *weights = <uint32_t *>(room + t.max_legal_actions)
        try:
            if t.to_act(t, self.current()) == CHANCE:
                n = t.outcomes(t, self.current(), room, weights)
            outcomes = filled_array(_int32, room, n, sizeof(int32_t))
            whole = filled_array(np.dtype(np.uint32), weights, n, sizeof(uint32_t))
        finally:
            free(room)
        return outcomes, whole / whole.sum() if n else _empty(0, _float64)

    @cython.critical_section
    def apply(self, action):
        """Carry out an action or an outcome.

        Parameters
        ----------
        action : int or str
            Its number, or its text.

        Raises
        ------
        IllegalActionError
            When it is not legal now; the state is as it was.
        TypeError
            When it is neither a whole number nor a text.
        """
        cdef const GameTable *t = &self.rules.table
        cdef int64_t number
        cdef int too_large = 0
        if type(action) is _int32_number and _numpy != NULL:    # taken from legal_actions()
            number = (<Int32 *>action).value
        else:
            if not PyLong_CheckExact(action):
                if isinstance(action, str):
                    # Reading it is Python code: a thread that uses this state against the rules
                    # may have moved it meanwhile, so the number is checked again.
                    action = self.parse_action(action)
                if action is True or action is False:
                    raise TypeError("an action is an int or a text, not a truth value")
                if not PyIndex_Check(action):
                    raise TypeError(f"an action is an int or a text, not {type(action).__name__}")
                action = PyNumber_Index(action)
            number = PyLong_AsLongLongAndOverflow(action, &too_large)
        if not 0 <= number < t.num_actions or not self.may_play(<int32_t>number):
            self._refuse(action, number)
        self.play(<int32_t>number)

    def _refuse(self, action, number):
        if self.is_terminal:
            raise IllegalActionError("game_over", "the game is over: no action is legal")
        if not 0 <= number < self.rules.table.num_actions:
            raise IllegalActionError(
                "bad_text", f"there is no action {action}: they are 0 to {self.rules.table.num_actions - 1}")
        if self.is_chance:
            raise IllegalActionError("chance", f"{action} is no outcome that can come now")
        try:
            verdict = self.explain(self.action_to_str(number))
        except (ValueError, IndexError, KeyError, NotImplementedError):
            verdict = None
        if verdict is None or verdict.legal:
            raise IllegalActionError("bad_text", f"action {action} is not legal now")
        raise IllegalActionError(verdict.code, f"action {action} is not legal: {verdict.message}")

    @cython.critical_section
    def sample(self, rng):
        """Apply a uniformly random action, at a chance node an outcome by its probability.

        Parameters
        ----------
        rng : numpy.random.Generator or Rng
            One number is drawn from it.

        Returns
        -------
        int
            The action applied.

        Raises
        ------
        IllegalActionError
            When the game is over.
        """
        cdef const GameTable *t = &self.rules.table
        cdef uint64_t u
        cdef int32_t action
        if t.to_act(t, self.current()) == TERMINAL:
            raise IllegalActionError("game_over", "the game is over: no action is legal")
        if isinstance(rng, Rng):
            u = next_draw(&(<Rng>rng).plies)
        elif hasattr(rng, "integers"):
            u = rng.integers(0, 2**64, dtype=np.uint64)
        else:
            raise TypeError(f"rng must be a numpy Generator or a Rng, not {type(rng).__name__}")
        if t.to_act(t, self.current()) == TERMINAL:
            raise RuntimeError("the state was changed while a number was drawn")
        action = t.choose(t, self.current(), u)
        self.play(action)
        return action

    @cython.critical_section
    def undo(self):
        """Go back one ply.

        Returns
        -------
        int
            The action taken back.

        Raises
        ------
        IndexError
            Where the history begins.
        """
        if self.last == 0:
            raise IndexError("nothing to undo: the history begins here")
        self.last -= 1
        self.num_listed = -1
        return self.played[self.last]

    @property
    def history(self):
        """list of int: the actions applied since the state was made, parsed, or copied without."""
        cdef Py_ssize_t k
        with cython.critical_section(self):
            return [self.played[k] for k in range(self.last)]

    # ---- copies, comparison

    @cython.critical_section
    def copy(self, bint history=False):
        """A state that goes its own way from here.

        Parameters
        ----------
        history : bool, default False
            Whether it can be undone as far back as this one.
        """
        if self.positions == NULL:
            raise ValueError("this state was never made: a game makes states")
        cls = type(self)
        cdef State other = <State>cls.__new__(cls)
        cdef int size = self.rules.table.position_bytes
        other.game = self.game
        other.rules = self.rules
        if history:
            other.reserve(self.last + 8)
            memcpy(other.positions, self.positions, (self.last + 1) * size)
            memcpy(other.played, self.played, self.last * sizeof(int32_t))
            other.last = self.last
            other.plies_before = self.plies_before
        else:
            other.reserve(8)
            memcpy(other.positions, self.current(), size)
            other.last = 0
            other.plies_before = self.plies_before + self.last
        return other

    def __copy__(self):
        return self.copy(history=True)

    def __deepcopy__(self, memo):
        return self.copy(history=True)

    def __reduce__(self):
        from boardrace._pickle import pack_state
        return pack_state(self)

    def __eq__(self, other):
        cdef State that
        if not isinstance(other, State):
            return NotImplemented
        that = <State>other
        if self.rules is not that.rules and self.game != that.game:
            return False
        with cython.critical_section(self, that):
            if self.positions == NULL:
                return that.positions == NULL
            return memcmp(self.current(), that.current(), self.rules.table.position_bytes) == 0

    @property
    def hash(self):
        """int: 64 bits, the same for equal positions of equal games on every machine."""
        with cython.critical_section(self):
            return hash_position(&self.rules.table, self.current(), self.rules.salt)

    def _bytes(self):
        """The current position's bytes, for the game's own module."""
        with cython.critical_section(self):
            return PyBytes_FromStringAndSize(<const char *>self.current(), self.rules.table.position_bytes)

    # What the game's fast functions say, for the conformance kit.

    def _count(self):
        with cython.critical_section(self):
            return self.rules.table.count(&self.rules.table, self.current())

    def _legal(self, int32_t action):
        with cython.critical_section(self):
            return bool(self.rules.table.legal(&self.rules.table, self.current(), action))

    @cython.critical_section
    def _choose(self, uint64_t u):
        """The action of rank floor(u * k / 2**64); not at the end."""
        if self.is_terminal:
            raise IllegalActionError("game_over", "the game is over: no action is legal")
        return self.rules.table.choose(&self.rules.table, self.current(), u)

    @cython.critical_section
    def _weights(self):
        """The whole weights of the outcomes at a chance node, as a list."""
        cdef const GameTable *t = &self.rules.table
        cdef int n = 0, k
        cdef int32_t *room = <int32_t *>malloc(t.max_legal_actions * (sizeof(int32_t) + sizeof(uint32_t)))
        if room == NULL:
            raise MemoryError()
        cdef uint32_t *weights = <uint32_t *>(room + t.max_legal_actions)
        if t.to_act(t, self.current()) == CHANCE:
            n = t.outcomes(t, self.current(), room, weights)
        found = [weights[k] for k in range(n)]
        free(room)
        return found

    @cython.critical_section
    def _at(self, Py_ssize_t k):
        """A copy, without history, of the position k plies after the history begins."""
        if not 0 <= k <= self.last:
            raise IndexError("no such position in the history")
        cdef State other = self.copy()
        memcpy(other.positions, self.positions + k * self.rules.table.position_bytes,
               self.rules.table.position_bytes)
        other.plies_before = self.plies_before + k
        return other

    def _set_plies_before(self, plies):
        """For pickles: the number of plies before the history begins."""
        if not 0 <= plies < 2**62:
            raise ValueError("a number of plies cannot be negative")
        self.plies_before = plies

    # ---- the end, progress

    def returns(self):
        """What each player gets.

        Returns
        -------
        ndarray of float64, shape (players,)
            Zeros before the end.
        """
        cdef double[MAX_PLAYERS] values
        cdef int k
        for k in range(MAX_PLAYERS):
            values[k] = 0
        with cython.critical_section(self):
            self.rules.table.returns(&self.rules.table, self.current(), values)
        return filled_array(_float64, values, self.rules.table.num_players, sizeof(double))

    @property
    def winners(self):
        """tuple of int: who won: () before the end and for a draw, two in a team game."""
        cdef double[MAX_PLAYERS] values
        cdef int k
        for k in range(MAX_PLAYERS):
            values[k] = 0
        with cython.critical_section(self):
            self.rules.table.returns(&self.rules.table, self.current(), values)
        return tuple([k for k in range(self.rules.table.num_players) if values[k] == 1])

    cdef int player_number(self, player) except -1:
        if isinstance(player, bool) or not hasattr(player, "__index__"):
            raise TypeError(f"a player is a whole number, not {type(player).__name__}")
        number = index(player)
        if not 0 <= number < self.rules.table.num_players:
            raise ValueError(f"there is no player {player}: they are 0 to {self.rules.table.num_players - 1}")
        return number

    def progress(self, player):
        """How far a player has come, by the formula in the game's rules.

        Returns
        -------
        float
            0.0 to 1.0.
        """
        cdef int number = self.player_number(player)
        cdef const GameTable *t = &self.rules.table
        with cython.critical_section(self):
            return t.progress(t, self.current(), number) / <double>t.progress_goal

    # ---- what is shown, what is hidden

    @cython.critical_section
    def bitboards(self):
        """The sets of squares, by player and kind of piece; the game's page documents the words.

        Returns
        -------
        ndarray of uint64, shape (k,)
        """
        cdef const GameTable *t = &self.rules.table
        array = _zeros(t.num_bitboards, _uint64)
        cdef uint64_t[::1] words = array
        if t.num_bitboards:
            t.bitboards(t, self.current(), &words[0])
        return array

    @cython.critical_section
    def observation(self, player, out=None):
        """What a player may see, from that player's point of view.

        Parameters
        ----------
        player : int
        out : ndarray, optional
            Of the game's observation_shape and observation_dtype; written and returned.
        """
        cdef int number = self.player_number(player)
        cdef const GameTable *t = &self.rules.table
        cdef Py_buffer view
        array = output_array(out, self.game.observation_shape, self.game.observation_dtype)
        PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
        if view.len == t.observation_bytes:     # a class of its own may say what is not so
            t.observe(t, self.current(), number, view.buf)
        PyBuffer_Release(&view)
        return array

    @cython.critical_section
    def determinize(self, seed):
        """A copy without history in which all that is hidden is dealt anew.

        Parameters
        ----------
        seed : int
            Decides the deal.
        """
        cdef Rng numbers = Rng(seed)
        cdef State other = self.copy()
        cdef Draws draws
        draws.key = stream_key(numbers.seed, 0, USE_DETERMINIZE)
        draws.j = 0
        other.rules.table.determinize(&other.rules.table, other.positions, &draws)
        return other

    # ---- texts: each game's own State has them

    def __str__(self):
        raise NotImplementedError

    def __repr__(self):
        return f"<{type(self).__name__} of {self.game}: {self}>"

    def action_to_str(self, action):
        """The text of a legal action."""
        raise NotImplementedError

    def parse_action(self, text):
        """The action with that text.

        Raises
        ------
        IllegalActionError
            When it is not legal now, with the reason.
        """
        raise NotImplementedError

    def _bad_text(self, text):
        """Why this is not an action's text at all, or None. Each game's own."""
        raise NotImplementedError

    def _reason(self, text):
        """(code, message) of a well-formed text; code "legal" when it is. Each game's own."""
        raise NotImplementedError

    def explain(self, text):
        """Why an action may or may not be played.

        Parameters
        ----------
        text : str

        Returns
        -------
        Verdict
            (legal, code, message), true when legal.
        """
        if not isinstance(text, str):
            raise TypeError(f"an action's text is a str, not {type(text).__name__}")
        if self.is_terminal:
            return Verdict(False, "game_over", "The game is over: no action is legal.")
        bad = self._bad_text(text)
        if bad is not None:
            return Verdict(False, "bad_text", bad)
        if self.is_chance:
            for outcome in self.legal_actions():
                if self.action_to_str(int(outcome)) == text:
                    return Verdict(True, "legal", f"{text} is an outcome that can come now.")
            return Verdict(False, "chance", "An outcome of chance is due, not a player's choice.")
        code, message = self._reason(text)
        return Verdict(code == "legal", code, message)

    def render(self):
        """A text picture for a terminal, at most 80 columns wide where the game allows it."""
        raise NotImplementedError

    def svg(self, **options):
        """A picture as SVG text."""
        raise NotImplementedError

    def _repr_svg_(self):
        return self.svg()


# ---------------------------------------------------------------- for the test of the hash

def walk_hashes(Rules rules, uint64_t seed, Py_ssize_t n, int max_plies):
    """Hashes of n positions met in random games, under two salts.

    Two positions that differ and share a hash under one salt differ under the other, but for
    chance of 2**-64: so collisions can be counted without keeping the positions.

    Returns
    -------
    first, second : ndarray of uint64, shape (n,)
    """
    cdef const GameTable *t = &rules.table
    cdef uint8_t[MAX_POSITION_BYTES] position
    cdef Draws draws
    cdef uint64_t key = 0, stream = 0
    cdef Py_ssize_t i
    cdef int plies = max_plies
    first_array, second_array = _empty(n, _uint64), _empty(n, _uint64)
    cdef uint64_t[::1] first = first_array, second = second_array
    with nogil:
        for i in range(n):
            if plies >= max_plies or t.to_act(t, position) == TERMINAL:
                memset(position, 0, MAX_POSITION_BYTES)
                draws.key = stream_key(seed, stream, 1)  # USE_SETUP
                draws.j = 0
                t.setup(t, position, &draws)
                key = stream_key(seed, stream, USE_PLIES)
                stream += 1
                plies = 0
            else:
                t.apply(t, position, t.choose(t, position, draw(key, plies)))
                plies += 1
            first[i] = hash_position(t, position, rules.salt)
            second[i] = hash_position(t, position, ~rules.salt)
    return first_array, second_array
