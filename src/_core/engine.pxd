"""What a game supplies, and what everybody else may use of it.

A state is a plain C struct of fixed size without pointers ("position" below): copying is memcpy,
comparing and hashing go over its bytes. So equal positions must have equal bytes: pieces in a
fixed order, unused members and padding 0. A game is a GameTable: C functions over that struct,
with read-only tables of its own behind `tables`. General code knows games only through it.

Stable for other extensions: GameTable, Rules.table, State.rules, `current`, `play`, check_abi.
What a position's bytes mean belongs to its game alone.
"""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from boardrace._core.rng cimport Draws

cdef enum:
    ABI = 2                     # grows when GameTable or State change
    CHANCE = -1                 # to_act: an outcome is due
    TERMINAL = -4               # to_act: the game is over
    MAX_PLAYERS = 8
    MAX_POSITION_BYTES = 256
    MAX_POSITION_WORDS = 32

cdef struct GameTable:
    # --- facts, all set by the game
    const void *tables          # the game's own read-only data
    int position_bytes          # size of the struct, a multiple of 8, at most MAX_POSITION_BYTES
    int num_players
    int num_actions             # actions are 0..num_actions-1
    int max_legal_actions       # room that `actions` and `outcomes` need, at any position
    int observation_bytes       # size of what `observe` writes
    int num_bitboards           # words that `bitboards` writes
    int progress_goal           # `progress` goes from 0 to this
    int tail_depth              # `tail` counts depths 1 to this

    # --- functions that every game supplies
    # The player to act, CHANCE or TERMINAL.
    int (*to_act)(const GameTable *table, const void *position) noexcept nogil
    # The seat in the text's TURN field.
    int (*turn)(const GameTable *table, const void *position) noexcept nogil
    # Write the legal actions (at chance the outcomes), ascending; how many. 0 at the end.
    int (*actions)(const GameTable *table, const void *position, int32_t *out) noexcept nogil
    # Carry out a legal action or outcome, in place.
    void (*apply)(const GameTable *table, void *position, int32_t action) noexcept nogil
    # One number a player, zeros before the end.
    void (*returns)(const GameTable *table, const void *position, double *out) noexcept nogil
    # How far a player has come, 0 to progress_goal.
    int (*progress)(const GameTable *table, const void *position, int player) noexcept nogil
    # The position at the start; all that set-up draws comes from `draws`.
    void (*setup)(const GameTable *table, void *position, Draws *draws) noexcept nogil
    # What `player` may see, into observation_bytes bytes (written whole).
    void (*observe)(const GameTable *table, const void *position, int player, void *out) noexcept nogil
    # num_bitboards words (NULL where that is 0).
    void (*bitboards)(const GameTable *table, const void *position, uint64_t *out) noexcept nogil

    # --- functions that a game may leave NULL: Rules.complete puts a general one there
    # The outcomes at a chance node with whole weights, ascending; how many. (No chance: NULL.)
    int (*outcomes)(const GameTable *table, const void *position, int32_t *out, uint32_t *weights) noexcept nogil
    # Deal anew all that is hidden. (NULL: nothing is.)
    void (*determinize)(const GameTable *table, void *position, Draws *draws) noexcept nogil
    # How many actions (outcomes) there are.
    int (*count)(const GameTable *table, const void *position) noexcept nogil
    # Is the action (outcome) legal? Any int32 may be asked.
    bint (*legal)(const GameTable *table, const void *position, int32_t action) noexcept nogil
    # Not at the end: among k actions the one of rank floor(u * k / 2^64) in ascending order, at
    # chance the outcome in which that point of the cumulated weights falls.
    int32_t (*choose)(const GameTable *table, const void *position, uint64_t u) noexcept nogil
    # perft(position, depth) for 1 <= depth <= tail_depth, by whatever way is fastest.
    uint64_t (*tail)(const GameTable *table, const void *position, int depth) noexcept nogil
    # Play n positions on by uniform choices (`choose`, `apply`) until each is over or has made
    # max_plies plies. plies[i] is the number made so far, which numbers the draws:
    # u = draw(keys[i], plies[i]). Returns early when *stop is not 0 (what is done then is lost).
    void (*run)(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
                int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil
    # One random action each for n positions: out[i] = choose(position i, draw(keys[i], j[i])), -1
    # where the game is over.
    void (*choose_many)(const GameTable *table, const void *positions, Py_ssize_t n,
                        const uint64_t *keys, const uint64_t *j, int32_t *out) noexcept nogil
    # A step of n games: each with actions[i] >= 0 (legal, a player's) carries it out and then, as
    # long as chance is due, choose(position, draw(keys[i], drawn[i])), counting drawn[i] up;
    # plies[i] grows by all of these, players[i] is who is to act then. The others stay as they
    # are. (keys is NULL for a game without chance.)
    void (*step_many)(const GameTable *table, void *positions, Py_ssize_t n, const int32_t *actions,
                      const uint64_t *keys, uint64_t *drawn, int32_t *plies, int8_t *players) noexcept nogil


cdef class Rules:
    """A game's C side for one set of options: its table, kept alive with its data."""
    cdef GameTable table
    cdef uint64_t salt           # mixed into every hash: differs by game and options
    cdef int complete(self) except -1


cdef class State:
    cdef readonly object game
    cdef Rules rules
    cdef uint8_t *positions      # one after the other, the current one last
    cdef int32_t *played         # played[k] led from position k to position k + 1
    cdef Py_ssize_t last         # index of the current position
    cdef Py_ssize_t room         # positions that fit
    cdef Py_ssize_t plies_before # plies made before the history begins
    cdef int32_t *listed         # the legal actions of the current position, where they are known
    cdef int num_listed          # how many; -1: not known
    cdef int room_listed         # actions that fit

    cdef inline const GameTable *table(self) noexcept:
        return &self.rules.table

    cdef inline const void *current(self) noexcept:
        """The current position."""
        return self.positions + self.last * self.rules.table.position_bytes

    cdef int play(self, int32_t action) except -1
    cdef int reserve(self, Py_ssize_t room) except -1
    cdef int list_actions(self) except -1
    cdef bint may_play(self, int32_t action) noexcept
    cdef int player_number(self, player) except -1


cdef uint64_t hash_position(const GameTable *table, const void *position, uint64_t salt) noexcept nogil


cdef inline int check_abi() except -1:
    """Raise ImportError when the installed boardrace is not the one compiled against."""
    from boardrace._core import engine
    if engine.ABI_VERSION != ABI:
        raise ImportError(f"built for boardrace ABI {ABI}, installed is {engine.ABI_VERSION}")
    return 0
