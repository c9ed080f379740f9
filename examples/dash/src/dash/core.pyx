# cython: language_level=3
"""Dash's C side: two tokens a player race over twelve squares with a four-sided die."""
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset
from boardrace._core.engine cimport CHANCE, TERMINAL, GameTable, Rules, check_abi
from boardrace._core.rng cimport Draws

check_abi()

cdef enum:
    HOME = 12       # squares 0 (start) to 12 (home)
    PASS = 12       # actions: 0..11 move from that square, 12 pass, 13..16 a roll of 1..4

cdef struct Position:
    uint8_t turn
    uint8_t die             # 0: to be rolled
    uint8_t[2][2] token     # the rear one first, so that equal positions have equal bytes
    uint8_t[2] unused

cdef inline bint over(const Position *p) noexcept nogil:
    return p.token[0][0] == HOME or p.token[1][0] == HOME

cdef inline void order(uint8_t *pair) noexcept nogil:
    if pair[0] > pair[1]:
        pair[0], pair[1] = pair[1], pair[0]

cdef int to_act(const GameTable *t, const void *s) noexcept nogil:
    cdef const Position *p = <const Position *>s
    if over(p):
        return TERMINAL
    return p.turn if p.die else <int>CHANCE

cdef int turn(const GameTable *t, const void *s) noexcept nogil:
    return (<const Position *>s).turn

cdef int outcomes(const GameTable *t, const void *s, int32_t *out, uint32_t *weights) noexcept nogil:
    cdef int k
    for k in range(4):
        out[k] = PASS + 1 + k
        weights[k] = 1
    return 4

cdef int actions(const GameTable *t, const void *s, int32_t *out) noexcept nogil:
    cdef const Position *p = <const Position *>s
    cdef uint32_t[4] weights
    cdef int k, n = 0
    if over(p):
        return 0
    if p.die == 0:
        return outcomes(t, s, out, weights)
    for k in range(2):
        if p.token[p.turn][k] + p.die <= HOME and not (k and p.token[p.turn][0] == p.token[p.turn][1]):
            out[n] = p.token[p.turn][k]
            n += 1
    if n == 0:
        out[0] = PASS
        n = 1
    return n

cdef void apply(const GameTable *t, void *s, int32_t action) noexcept nogil:
    cdef Position *p = <Position *>s
    cdef uint8_t *own = p.token[p.turn]
    cdef uint8_t *other = p.token[1 - p.turn]
    cdef uint8_t to
    cdef int k
    if action > PASS:
        p.die = action - PASS
        return
    if action < PASS:
        to = action + p.die
        if own[0] == action:
            own[0] = to
        else:
            own[1] = to
        for k in range(2):                  # tokens that are hit go back to the start
            if to < HOME and other[k] == to:
                other[k] = 0
        order(own)
        order(other)
    p.die = 0
    p.turn = 1 - p.turn

cdef void returns(const GameTable *t, const void *s, double *out) noexcept nogil:
    cdef const Position *p = <const Position *>s
    if over(p):
        out[0] = 1 if p.token[0][0] == HOME else -1
        out[1] = -out[0]

cdef int progress(const GameTable *t, const void *s, int player) noexcept nogil:
    return (<const Position *>s).token[player][0] + (<const Position *>s).token[player][1]

cdef void setup(const GameTable *t, void *s, Draws *draws) noexcept nogil:
    memset(s, 0, sizeof(Position))

cdef void observe(const GameTable *t, const void *s, int player, void *out) noexcept nogil:
    cdef const Position *p = <const Position *>s
    cdef uint8_t *seen = <uint8_t *>out
    cdef int k
    for k in range(2):
        seen[k] = p.token[player][k]
        seen[2 + k] = p.token[1 - player][k]
    seen[4] = p.die

cdef class DashRules(Rules):
    def __init__(self):
        cdef GameTable *t = &self.table
        t.position_bytes, t.num_players, t.num_actions = sizeof(Position), 2, PASS + 5
        t.max_legal_actions, t.observation_bytes, t.progress_goal = 4, 5, 2 * HOME
        t.to_act, t.turn, t.actions, t.apply, t.returns = to_act, turn, actions, apply, returns
        t.progress, t.setup, t.observe, t.outcomes = progress, setup, observe, outcomes
        self.complete()
