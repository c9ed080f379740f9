"""Inner Circle: four boards on each other, holes, second moves from the inner circle.

A move jumps over everything, so where a pawn may go depends on the board alone: one set of targets
a space, less the spaces that are taken. Holes and the inner circle have no targets, so a pawn in a
hole needs no test. Squares are bits in reading order, which is the order of the texts.

`actions` and `apply` follow the rules step by step; the counting and choosing further down are
their fast twins.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from boardrace._core.bits cimport (
    compile_only_if, count_trailing_zeros, multiply_high, nth_bit, pop_lowest, popcount, unlikely,
)
from boardrace._core.engine cimport GameTable, Rules, TERMINAL
from boardrace._core.rng cimport Draws, draw, draw_below
from boardrace._core.threads cimport read_flag

cdef extern from *:
    """
    #define BR_IC_ONES 0x0102040810204081ull    /* 1 in each of nine fields of 7 bits */
    #if defined(__BMI2__)
    #include <immintrin.h>
    static inline uint64_t br_ic_nth(uint64_t x, unsigned n) { return _pdep_u64(1ull << n, x); }
    static inline uint64_t br_ic_fields(uint64_t one, uint64_t two, uint64_t four, uint64_t own) {
        return _pdep_u64(_pext_u64(one, own), BR_IC_ONES) | _pdep_u64(_pext_u64(two, own), BR_IC_ONES << 1)
            | _pdep_u64(_pext_u64(four, own), BR_IC_ONES << 2);
    }
    #else
    static inline uint64_t br_ic_nth(uint64_t x, unsigned n) {
        while (n--) x &= x - 1;
        return x & (0 - x);
    }
    static inline uint64_t br_ic_fields(uint64_t one, uint64_t two, uint64_t four, uint64_t own) {
        uint64_t fields = 0;
        unsigned shift = 0, k;
        for (; own; own &= own - 1, shift += 7) {
            k = (unsigned)br_ctz64(own);
            fields |= ((one >> k & 1) | (two >> k & 1) << 1 | (four >> k & 1) << 2) << shift;
        }
        return fields;
    }
    #endif
    /* The lowest set bit's index, 64 in an empty word: without a branch where there is tzcnt. */
    #if defined(__BMI__)
    static inline unsigned br_ic_first(uint64_t x) { return (unsigned)_tzcnt_u64(x); }
    #else
    static inline unsigned br_ic_first(uint64_t x) { return x ? (unsigned)br_ctz64(x) : 64u; }
    #endif
    """
    unsigned first_or_64 "br_ic_first"(uint64_t x) noexcept nogil
    const uint64_t ONES "BR_IC_ONES"
    # The n-th set bit of a word, alone.
    uint64_t nth_of "br_ic_nth"(uint64_t x, unsigned n) noexcept nogil
    # The numbers that three planes give the pawns of a set, in ascending order of their spaces, 7
    # bits each.
    uint64_t fields_of "br_ic_fields"(uint64_t one, uint64_t two, uint64_t four, uint64_t own) noexcept nogil


# ---------------------------------------------------------------- the rules, step by step

cdef inline const Tables *tables_of(const GameTable *table) noexcept nogil:
    return <const Tables *>table.tables


cdef inline const Board *board_of(const Tables *tables, const Position *p) noexcept nogil:
    """The board in play; while pawns are being placed that is level 1."""
    cdef int level = p.level - (p.level > 0)
    return &tables.boards[level][p.turns[level]]


cdef inline uint64_t bit(int space) noexcept nogil:
    return <uint64_t>1 << space


cdef inline uint64_t occupied(const Position *p) noexcept nogil:
    return p.pawns[0] | p.pawns[1] | p.pawns[2] | p.pawns[3]


cdef inline int players_in(const Position *p) noexcept nogil:
    """How many players have pawns."""
    return (p.pawns[0] != 0) + (p.pawns[1] != 0) + (p.pawns[2] != 0) + (p.pawns[3] != 0)


cdef inline int next_player(const Tables *tables, const Position *p) noexcept nogil:
    """The next player in order who is not out (at the end perhaps the same one)."""
    cdef int player = p.turn, k
    for k in range(tables.players):
        player += 1
        if player == tables.players:
            player = 0
        if p.pawns[player]:
            break
    return player


cdef inline bint is_over(const Tables *tables, const Position *p) noexcept nogil:
    """inner_circle.md, End."""
    if p.level == 0:
        return False
    cdef int still_in = players_in(p)
    if still_in == 1:
        return True
    if p.level == LEVELS and occupied(p) & board_of(tables, p).holes:
        return True
    if p.again:                       # the turn has not ended
        return False
    if p.passes >= still_in:
        return True
    return tables.stall_limit != 0 and p.stall >= tables.stall_limit


cdef int to_act(const GameTable *table, const void *position) noexcept nogil:
    cdef const Position *p = <const Position *>position
    if is_over(tables_of(table), p):
        return TERMINAL
    return p.turn


cdef int turn(const GameTable *table, const void *position) noexcept nogil:
    return (<const Position *>position).turn


cdef int actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t pawns, ends, stuck = 0, empty = ~occupied(p)
    cdef int n = 0, space
    if is_over(tables, p):
        return 0
    if p.level == 0:
        ends = tables.rim & empty
        while ends:
            out[n] = tables.place_action[pop_lowest(&ends)]
            n += 1
        return n
    if p.again:
        ends = tables.circle_targets & empty
        while ends:
            out[n] = tables.move_action[CENTRE][pop_lowest(&ends)]
            n += 1
        return n
    pawns = p.pawns[p.turn] & ~board.holes
    while pawns:
        space = pop_lowest(&pawns)
        ends = board.targets[space] & empty
        if not ends:
            stuck |= bit(space)
        while ends:
            out[n] = tables.move_action[space][pop_lowest(&ends)]
            n += 1
    if tables.blocked_lift:
        while stuck:
            out[n] = tables.lift_action[pop_lowest(&stuck)]
            n += 1
    if n == 0:
        out[0] = tables.pass_action
        n = 1
    return n


cdef bint can_move(const Board *board, uint64_t pawns, uint64_t empty) noexcept nogil:
    while pawns:
        if board.targets[pop_lowest(&pawns)] & empty:
            return True
    return False


cdef void lift_board(const Board *board, Position *p) noexcept nogil:
    """inner_circle.md, End of a level: pawns outside holes leave the game."""
    cdef int k
    for k in range(SEATS):
        p.pawns[k] &= board.holes
    p.level += 1


cdef inline void carry_out(const Tables *tables, Position *p, int32_t action) noexcept nogil:
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t end
    if action < tables.first_move:
        p.pawns[p.turn] |= bit(tables.target[action])
        p.turn = p.turn + 1 if p.turn + 1 < tables.players else 0
        if popcount(occupied(p)) == tables.players * tables.pawns_each:
            p.level = 1
        return
    if action < tables.first_lift:
        end = bit(tables.target[action])
        p.pawns[p.turn] ^= end | bit(tables.origin[action])
        p.passes = 0
        p.again = 0
        if end & board.holes:
            p.stall = 0
            if p.level < LEVELS and not board.holes & ~occupied(p):
                lift_board(board, p)
        else:
            if tables.stall_limit:
                p.stall += 1
            if end & board.circle:
                p.again = 1
                return
    else:
        # A lift by a player who could have moved is no pass: it ends the row.
        if action < tables.pass_action and can_move(board, p.pawns[p.turn], ~occupied(p)):
            p.passes = 0
        else:
            p.passes += 1
        if tables.stall_limit:
            p.stall += 1
    p.turn = next_player(tables, p)


cdef void apply(const GameTable *table, void *position, int32_t action) noexcept nogil:
    carry_out(tables_of(table), <Position *>position, action)


cdef void step_many(const GameTable *table, void *positions, Py_ssize_t n, const int32_t *actions_,
                    const uint64_t *keys, uint64_t *drawn, int32_t *plies, int8_t *players) noexcept nogil:
    """Play draws nothing."""
    cdef const Tables *tables = tables_of(table)
    cdef Position *p = <Position *>positions
    cdef Py_ssize_t i
    for i in range(n):
        if actions_[i] >= 0:
            carry_out(tables, &p[i], actions_[i])
            plies[i] += 1
            players[i] = <int8_t>p[i].turn if not is_over(tables, &p[i]) else TERMINAL


cdef void returns(const GameTable *table, const void *position, double *out) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef const Board *board = board_of(tables, p)
    cdef int winner = -1, k
    if not is_over(tables, p):
        return
    for k in range(tables.players):
        if p.level == LEVELS and p.pawns[k] & board.holes:
            winner = k
    if winner < 0 and players_in(p) == 1:
        for k in range(tables.players):
            if p.pawns[k]:
                winner = k
    if winner >= 0:
        for k in range(tables.players):
            out[k] = 1.0 if k == winner else -1.0 / (tables.players - 1)


cdef int progress(const GameTable *table, const void *position, int player) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    if p.level and not p.pawns[player]:
        return 0
    return 10 * (p.level - (p.level > 0)) + popcount(p.pawns[player] & board_of(tables, p).holes)


cdef void draw_turns(const Tables *tables, uint8_t *turns, int first, Draws *draws) noexcept nogil:
    """Turn the boards from number `first` on; again while something lies under a hole that may not.

    Board number 0 is level 1.
    """
    cdef int k
    cdef bint fits = False
    while not fits:
        fits = True
        for k in range(first, LEVELS):
            turns[k] = <uint8_t>draw_below(draws, TURNS)
        k = first - (first > 0)
        while fits and k < LEVELS - 1:
            if not tables.fits[k][turns[k]] >> turns[k + 1] & 1:
                fits = False
            k += 1


cdef void setup(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef Position *p = <Position *>position
    cdef int k
    memset(p, 0, sizeof(Position))
    if tables.random_turns:
        draw_turns(tables, p.turns, 0, draws)
    else:
        for k in range(LEVELS):
            p.turns[k] = tables.turns[k]


cdef void determinize(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    """How the boards below the one in play are turned is not seen when they were turned by chance."""
    cdef const Tables *tables = tables_of(table)
    cdef Position *p = <Position *>position
    cdef int first = p.level if p.level else 1
    if tables.random_turns and first < LEVELS:
        draw_turns(tables, p.turns, first, draws)


# ---------------------------------------------------------------- what is seen

cdef uint8_t[SPACES] CELLS      # the place of each space in a plane of 7 x 7: row, slanted column


def _number_cells():
    cdef int space = 0, row, column
    for row in range(7):
        for column in range(7 - abs(row - 3)):
            CELLS[space] = 7 * row + column + max(0, 3 - row)
            space += 1


_number_cells()


cdef inline float *mark(float *plane, uint64_t spaces) noexcept nogil:
    """Write 1 at these spaces; the next plane."""
    while spaces:
        plane[CELLS[pop_lowest(&spaces)]] = 1.0
    return plane + 49


cdef inline float *fill(float *plane, float value) noexcept nogil:
    """Write a number all over a plane; the next one."""
    cdef int k
    for k in range(49):
        plane[k] = value
    return plane + 49


cdef void observe(const GameTable *table, const void *position, int player, void *out) noexcept nogil:
    """docs/games/inner_circle.md lists the planes."""
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef const Board *board = board_of(tables, p)
    cdef float *plane = <float *>out
    cdef uint64_t shown = ~occupied(p) if tables.hide_covered else ~<uint64_t>0
    cdef int k, players = tables.players
    memset(out, 0, table.observation_bytes)
    for k in range(players):
        plane = mark(plane, p.pawns[(player + k) % players])
    for k in range(4):
        plane = mark(plane, board.dots[k] & shown)
    plane = mark(plane, board.holes)
    plane = mark(plane, board.circle)
    for k in range(LEVELS + 1):
        plane = fill(plane, k == p.level)
    for k in range(players):
        plane = fill(plane, (player + k) % players == p.turn)
    plane = fill(plane, p.again)
    plane = fill(plane, p.passes / <float>players)
    # A second move can take the count past the limit: what is seen stays within 0 to 1.
    plane = fill(plane, min(1.0, p.stall / <float>tables.stall_limit) if tables.stall_limit else 0)


cdef void bitboards(const GameTable *table, const void *position, uint64_t *out) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef const Board *board = board_of(tables, p)
    cdef int k
    for k in range(tables.players):
        out[k] = p.pawns[k]
    out += tables.players
    out[0] = board.holes
    out[1] = board.circle
    for k in range(4):
        out[2 + k] = board.dots[k]


# ---------------------------------------------------------------- counting and choosing

cdef int count(const GameTable *table, const void *position) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t pawns, empty = ~occupied(p)
    cdef int n = 0, one
    if is_over(tables, p):
        return 0
    if p.level == 0:
        return popcount(tables.rim & empty)
    if p.again:
        return popcount(tables.circle_targets & empty)
    pawns = p.pawns[p.turn] & ~board.holes
    while pawns:
        one = popcount(board.targets[pop_lowest(&pawns)] & empty)
        n += one + ((one == 0) & tables.blocked_lift)
    return n + (n == 0)


cdef bint legal(const GameTable *table, const void *position, int32_t action) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t empty = ~occupied(p), own = p.pawns[p.turn] & ~board.holes
    cdef int origin
    if action < 0 or action > tables.pass_action or is_over(tables, p):
        return False
    if p.level == 0:
        return action < tables.first_move and empty & bit(tables.target[action]) != 0
    if action < tables.first_move:
        return False
    origin = tables.origin[action]
    if action < tables.first_lift:
        if not own & bit(origin):
            return False
        if p.again:
            return origin == CENTRE and tables.circle_targets & empty & bit(tables.target[action]) != 0
        return board.targets[origin] & empty & bit(tables.target[action]) != 0
    if p.again:
        return False
    if action < tables.pass_action:
        return own & bit(origin) != 0 and board.targets[origin] & empty == 0
    return not can_move(board, own, empty) and (own == 0 or not tables.blocked_lift)


# The numbers of moves of up to nine pawns (at most 6 each) stand side by side in a word, FIELD bits
# each. One multiplication sums them up from the first (to at most 54), and all sums are compared with
# a rank at once, with the highest bit of each field to borrow from.
cdef enum:
    FIELD = 7


cdef inline unsigned sum_of_all(uint64_t sums) noexcept nogil:
    return <unsigned>(sums >> 8 * FIELD) & 0x7f


cdef inline unsigned index_of(uint64_t sums, unsigned rank) noexcept nogil:
    """The pawn that has the move of this rank: so many sums are not above it."""
    return popcount(((rank + 0x40) * ONES - sums) & (0x40 * ONES))


cdef inline unsigned sum_before(uint64_t sums, unsigned index) noexcept nogil:
    """How many moves the pawns before that one have."""
    return <unsigned>(sums << FIELD >> FIELD * index) & 0x7f


cdef inline uint64_t moves_of_each(const Board *board, uint64_t pawns, uint64_t empty,
                                   const int most) noexcept nogil:
    """The numbers of moves of at most so many pawns, side by side.

    Always that many steps: the end of a loop that cannot be foreseen costs more.
    """
    cdef uint64_t counts = 0
    cdef int k
    for k in range(most):
        counts |= <uint64_t>popcount(board.targets[first_or_64(pawns)] & empty) << FIELD * k
        pawns &= pawns - 1
    return counts


cdef inline int32_t choose_one(const Tables *tables, const Position *p, uint64_t u, const int most,
                               const bint may_lift) noexcept nogil:
    """The action of a game that is not over; `most` pawns a player at most, lifts or none."""
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t pawns, ends, empty = ~occupied(p), counts, sums
    cdef int rank, moves, lifts, space
    if p.level == 0:
        ends = tables.rim & empty
        return tables.place_action[nth_bit(ends, multiply_high(u, popcount(ends)))]
    if p.again:
        ends = tables.circle_targets & empty
        return tables.move_action[CENTRE][nth_bit(ends, multiply_high(u, popcount(ends)))]
    pawns = p.pawns[p.turn] & ~board.holes
    counts = moves_of_each(board, pawns, empty, most)
    sums = counts * ONES
    moves = sum_of_all(sums)
    lifts = 0
    if may_lift:        # less the pawns that can move: their fields reach the highest bit
        lifts = popcount(pawns) - popcount(counts + 0x3f * ONES & 0x40 * ONES)
    rank = <int>multiply_high(u, moves + lifts)
    if rank < moves:
        space = count_trailing_zeros(nth_of(pawns, index_of(sums, rank)))
        return tables.move_action[space][
            nth_bit(board.targets[space] & empty, rank - sum_before(sums, index_of(sums, rank)))]
    if lifts == 0:
        return tables.pass_action
    # Fields without a move, the first pawn's lowest.
    ends = ~(counts + 0x3f * ONES) & 0x40 * ONES
    return tables.lift_action[count_trailing_zeros(
        nth_of(pawns, <unsigned>(nth_bit(ends, rank - moves) // FIELD)))]


cdef int32_t choose(const GameTable *table, const void *position, uint64_t u) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    if tables.blocked_lift:
        if tables.pawns_each > 6:
            return choose_one(tables, p, u, 9, True)
        return choose_one(tables, p, u, 6, True)
    if tables.pawns_each > 6:
        return choose_one(tables, p, u, 9, False)
    return choose_one(tables, p, u, 6, False)


cdef inline void choose_all(const Tables *tables, const Position *p, Py_ssize_t n, const uint64_t *keys,
                            const uint64_t *j, int32_t *out, const int most, const bint may_lift) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if unlikely(is_over(tables, &p[i])):
            out[i] = -1
        else:
            out[i] = choose_one(tables, &p[i], draw(keys[i], j[i]), most, may_lift)


cdef void choose_many(const GameTable *table, const void *positions, Py_ssize_t n,
                      const uint64_t *keys, const uint64_t *j, int32_t *out) noexcept nogil:
    """The number of pawns is told to the compiler, which then counts without a loop."""
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>positions
    if tables.blocked_lift:
        if tables.pawns_each > 6:
            choose_all(tables, p, n, keys, j, out, 9, True)
        else:
            choose_all(tables, p, n, keys, j, out, 6, True)
    elif tables.pawns_each > 6:
        choose_all(tables, p, n, keys, j, out, 9, False)
    else:
        choose_all(tables, p, n, keys, j, out, 6, False)


# ---------------------------------------------------------------- counting several plies at once
#
# For a set X of pawns write I(X, s) for the number of pawns in X that space s is a target of:
# |sources[s] & X|. It does not depend on who stands where else. So after a move from f to t, the
# player whose pawns are X has I(X, f) moves more and I(X, t) fewer than before: the last ply is
# counted from the ply before it (count_two), and with one more step of the same kind the last two
# (count_three).

cdef inline bint far_from_stall(const Tables *tables, const Position *p, int depth) noexcept nogil:
    """Whether the stall limit ends no game within that many plies, their last one left aside."""
    return tables.stall_limit == 0 or p.stall + depth <= tables.stall_limit


cdef inline int count_moves(const Board *board, uint64_t pawns, uint64_t empty) noexcept nogil:
    cdef int n = 0
    while pawns:
        n += popcount(board.targets[pop_lowest(&pawns)] & empty)
    return n


cdef inline void move_pawn(const Tables *tables, Position *child, uint64_t start, uint64_t end,
                           bint in_hole) noexcept nogil:
    """A move to a space where the turn ends and the level goes on."""
    child.pawns[child.turn] ^= start | end
    child.passes = 0
    child.again = 0
    if in_hole:
        child.stall = 0
    elif tables.stall_limit:
        child.stall += 1
    child.turn = next_player(tables, child)


cdef uint64_t count_by_list(const GameTable *table, const Position *p, int depth) noexcept nogil:
    """List and make one ply: the way of all that the fast ways leave aside."""
    cdef int32_t[64] listed
    cdef Position child
    cdef uint64_t total = 0
    cdef int n = actions(table, p, listed), k
    for k in range(n):
        child = p[0]
        apply(table, &child, listed[k])
        total += tail(table, &child, depth - 1)
    return total


cdef inline uint64_t special_ends(const Tables *tables, const Board *board, const Position *p,
                                  uint64_t empty) noexcept nogil:
    """Where a move does more than end there: the inner circle, and the last open hole."""
    cdef uint64_t holes = board.holes & empty
    if holes & (holes - 1):
        holes = 0
    return holes | board.circle


cdef uint64_t count_two(const GameTable *table, const Position *p) noexcept nogil:
    """perft(p, 2) of a game that is not over and far from the stall limit, without lifts."""
    cdef const Tables *tables = tables_of(table)
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t empty = ~occupied(p), pawns = p.pawns[p.turn], ends, special, total = 0
    cdef uint64_t replying = p.pawns[next_player(tables, p)]
    cdef uint64_t lifted = 0
    cdef bint any_move = False, lifted_known = False
    cdef int before = count_moves(board, replying, empty), from_here, n, space
    cdef Position child
    special = special_ends(tables, board, p, empty)
    if p.again:
        pawns = bit(CENTRE)
    while pawns:
        space = pop_lowest(&pawns)
        ends = (tables.circle_targets if p.again else board.targets[space]) & empty
        if not ends:
            continue
        any_move = True
        if ends & special:
            if ends & special & board.circle:
                total += popcount(tables.circle_targets & (empty | bit(space)))
            if ends & special & board.holes and p.level < LEVELS:
                # the board is lifted: from where the pawn came makes no difference
                if not lifted_known:
                    child = p[0]
                    apply(table, &child, tables.move_action[space][first_of(ends & special & board.holes)])
                    lifted = count(table, &child)
                    lifted_known = True
                total += lifted
            ends &= ~special
        from_here = before + popcount(board.sources[space] & replying)
        while ends:
            n = from_here - popcount(board.sources[pop_lowest(&ends)] & replying)
            total += n + (n == 0)
    if not any_move:
        return count_by_list(table, p, 2)
    return total


cdef uint64_t count_two_with_lifts(const GameTable *table, const Position *p) noexcept nogil:
    """The same where stuck pawns may be lifted: such a pawn counts 1.

    So a pawn counts one more when it gains a target unless it had none, and one fewer when it
    loses a target unless that was the only one.
    """
    cdef const Tables *tables = tables_of(table)
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t empty = ~occupied(p), pawns = p.pawns[p.turn] & ~board.holes, ends, special
    cdef uint64_t replying = p.pawns[next_player(tables, p)] & ~board.holes
    cdef uint64_t rest = replying, gaining = 0, losing = 0, gained, loses, lost, total = 0, lifted = 0
    cdef bint any_move = False, lifted_known = False
    cdef int before = 0, n, space, stuck = 0
    cdef Position child
    while rest:
        space = pop_lowest(&rest)
        n = popcount(board.targets[space] & empty)
        before += n + (n == 0)
        gaining |= <uint64_t>(n > 0) << space
        losing |= <uint64_t>(n > 1) << space
    special = special_ends(tables, board, p, empty)
    if p.again:
        pawns = bit(CENTRE)
    while pawns:
        space = pop_lowest(&pawns)
        ends = (tables.circle_targets if p.again else board.targets[space]) & empty
        if not ends:
            stuck += 1
            continue
        any_move = True
        if ends & special:
            if ends & special & board.circle:
                total += popcount(tables.circle_targets & (empty | bit(space)))
            if ends & special & board.holes and p.level < LEVELS:
                if not lifted_known:
                    child = p[0]
                    apply(table, &child, tables.move_action[space][first_of(ends & special & board.holes)])
                    lifted = count(table, &child)
                    lifted_known = True
                total += lifted
            ends &= ~special
        gained = board.sources[space] & gaining
        loses = losing & ~board.sources[space]
        while ends:
            lost = board.sources[pop_lowest(&ends)]
            n = before + popcount(gained & ~lost) - popcount(loses & lost)
            total += n + (n == 0)
    if not any_move:
        return count_by_list(table, p, 2)
    return total + <uint64_t>stuck * (before + (before == 0))


cdef inline int first_of(uint64_t spaces) noexcept nogil:
    return pop_lowest(&spaces)


# I(X, s) for all spaces at once: bit j of the number is bit s of planes[j].
cdef struct Planes:
    uint64_t one
    uint64_t two
    uint64_t four
    bint more                   # some number is 8 or more, and the planes are void


cdef inline Planes planes_of(const Board *board, uint64_t pawns) noexcept nogil:
    cdef Planes planes
    cdef uint64_t carry, ends, beyond = 0
    planes.one = planes.two = planes.four = 0
    while pawns:
        ends = board.targets[pop_lowest(&pawns)]
        carry = planes.one & ends
        planes.one ^= ends
        ends = planes.two & carry
        planes.two ^= carry
        beyond |= planes.four & ends
        planes.four ^= ends
    planes.more = beyond != 0
    return planes


cdef inline int sum_over(const Planes *planes, uint64_t spaces) noexcept nogil:
    """The sum of the numbers at these spaces."""
    return (popcount(planes.one & spaces) + 2 * popcount(planes.two & spaces)
            + 4 * popcount(planes.four & spaces))


cdef inline int greatest(const Planes *planes, uint64_t spaces) noexcept nogil:
    """The greatest number at these spaces."""
    cdef int n = 0
    if planes.four & spaces:
        spaces &= planes.four
        n = 4
    if planes.two & spaces:
        spaces &= planes.two
        n += 2
    return n + (planes.one & spaces != 0)


cdef uint64_t count_three(const GameTable *table, const Position *p) noexcept nogil:
    """perft(p, 3) of a game that is not over and far from the stall limit, without lifts.

    The mover's pawns are P, those of the next two players Q and R (R is P when two are left). Over
    the replies of Q from g to u the counts of R's moves add up to
        N * B + sum over g in Q of n(g) * I(R, g) - sum over empty u of I(Q, u) * I(R, u)
    where N is the number of replies, n(g) of those from g, B the number of R's moves before them.
    All of it is known before the mover's move from f to t, and changes by what f and t add to it.
    Left aside, and counted apart: ends that are special, and positions where R may have to pass.
    """
    cdef const Tables *tables = tables_of(table)
    cdef const Board *board = board_of(tables, p)
    cdef int second = next_player(tables, p), third
    cdef uint64_t empty = ~occupied(p), P = p.pawns[p.turn], Q = p.pawns[second], R
    cdef uint64_t centre, plain, rest, ends, special, holes, f_sources, t_sources, f_targets, t_targets
    cdef uint64_t total = 0, lifted = 0
    cdef Planes r_planes, q_planes, n_planes
    cdef Position child
    cdef bint both, any_move = False, lifted_known = False
    cdef int N = 0, B, product, circle_moves, circle_room, circle_own, most
    cdef int f, t, n, f_base, B_after, N_after, product_after, f_in_q, t_in_q, one_end, f_moves
    if p.again:
        return count_by_list(table, p, 3)
    child = p[0]
    child.turn = second
    third = next_player(tables, &child)
    both = third == p.turn
    R = p.pawns[third]
    r_planes = planes_of(board, R)
    q_planes = planes_of(board, Q)
    if r_planes.more or q_planes.more:
        return count_by_list(table, p, 3)

    # the centre is the inner circle or the winning hole: no plain end
    centre = board.circle if p.level < LEVELS else board.holes
    plain = empty & ~centre
    n_planes.one = n_planes.two = n_planes.four = 0
    rest = Q
    while rest:
        f = pop_lowest(&rest)
        n = popcount(board.targets[f] & plain)
        N += n
        n_planes.one |= <uint64_t>(n & 1) << f
        n_planes.two |= <uint64_t>(n >> 1 & 1) << f
        n_planes.four |= <uint64_t>(n >> 2) << f
    # no reply takes more moves from R than the greatest I(R, u) of the ends u that Q's pawns have
    most = greatest(&r_planes, (q_planes.one | q_planes.two | q_planes.four) & (plain | P)) + both
    q_planes.one &= plain
    q_planes.two &= plain
    q_planes.four &= plain
    B = count_moves(board, R, empty)
    product = (sum_over(&r_planes, n_planes.one) - sum_over(&r_planes, q_planes.one)
               + 2 * (sum_over(&r_planes, n_planes.two) - sum_over(&r_planes, q_planes.two))
               + 4 * (sum_over(&r_planes, n_planes.four) - sum_over(&r_planes, q_planes.four)))
    # replies to the inner circle: so many, with so many second moves each
    rest = board.sources[CENTRE] & Q if board.circle else 0
    circle_moves = popcount(rest)
    circle_own = popcount(rest & tables.circle_targets)
    circle_room = popcount(tables.circle_targets & empty)
    special = special_ends(tables, board, p, empty)
    holes = board.holes & empty

    rest = P
    while rest:
        f = pop_lowest(&rest)
        f_targets = board.targets[f]
        ends = f_targets & empty
        if not ends:
            continue
        any_move = True
        if ends & special:
            if ends & special & board.circle:
                child = p[0]
                apply(table, &child, tables.move_action[f][CENTRE])
                total += count_two(table, &child)
            if ends & special & board.holes and p.level < LEVELS:
                if not lifted_known:
                    child = p[0]
                    apply(table, &child, tables.move_action[f][first_of(holes)])
                    lifted = tail(table, &child, 2)
                    lifted_known = True
                total += lifted
            ends &= ~special
        f_sources = board.sources[f] & Q
        f_in_q = popcount(f_sources)
        one_end = popcount(board.sources[f] & R)
        f_base = product + sum_over(&r_planes, f_sources) - f_in_q * one_end
        B_after = B + one_end
        if both:
            f_moves = popcount(f_targets & empty)
            B_after += 1 - f_moves
            f_base -= (sum_over(&n_planes, f_targets) - sum_over(&q_planes, f_targets)
                       + popcount(f_targets & f_sources))
        while ends:
            t = pop_lowest(&ends)
            t_sources = board.sources[t] & Q
            t_in_q = popcount(t_sources)
            one_end = popcount(board.sources[t] & R)
            N_after = N + f_in_q - t_in_q
            n = B_after - one_end
            if both:
                t_targets = board.targets[t]
                n += popcount(t_targets & (empty | bit(f)))
            if n <= most or holes_closing(board, holes, t, Q):
                child = p[0]
                move_pawn(tables, &child, bit(f), bit(t), board.holes >> t & 1)
                total += count_two(table, &child)
                continue
            if N_after + circle_moves == 0 and (p.level < LEVELS or not board.sources[CENTRE] & Q):
                total += n                      # the next player passes
                continue
            product_after = f_base - sum_over(&r_planes, t_sources) + t_in_q * one_end
            if both:
                product_after += (popcount(f_targets & t_sources) - t_in_q
                                  + sum_over(&n_planes, t_targets) - sum_over(&q_planes, t_targets)
                                  + popcount(t_targets & f_sources) - popcount(t_targets & t_sources))
                if t_targets >> f & 1:
                    product_after -= f_in_q
            total += N_after * n + product_after
            if circle_moves:
                n = circle_room + (tables.circle_targets >> f & 1) - (tables.circle_targets >> t & 1)
                total += circle_moves * n + circle_own
    if not any_move:
        return count_by_list(table, p, 3)
    return total


cdef inline bint holes_closing(const Board *board, uint64_t holes, int t, uint64_t replying) noexcept nogil:
    """Whether, after a move to t, one of these pawns can fill the last hole."""
    holes &= ~bit(t)
    if holes & (holes - 1) or not holes:
        return False
    return board.sources[first_of(holes)] & replying != 0


cdef uint64_t count_deeper(const GameTable *table, const Position *p, int depth) noexcept nogil:
    """The same as count_by_list, for a turn in play, without a list and with quick moves."""
    cdef const Tables *tables = tables_of(table)
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t empty = ~occupied(p), pawns = p.pawns[p.turn] & ~board.holes, ends, special, total = 0
    cdef int space, end
    cdef bint any_move = False
    cdef Position child
    if p.again:
        return count_by_list(table, p, depth)
    special = special_ends(tables, board, p, empty)
    while pawns:
        space = pop_lowest(&pawns)
        ends = board.targets[space] & empty
        if not ends and tables.blocked_lift and can_move(board, p.pawns[p.turn], empty):
            child = p[0]
            apply(table, &child, tables.lift_action[space])
            total += tail(table, &child, depth - 1)
            continue
        any_move |= ends != 0
        while ends:
            end = pop_lowest(&ends)
            child = p[0]
            if special >> end & 1:
                apply(table, &child, tables.move_action[space][end])
            else:
                move_pawn(tables, &child, bit(space), bit(end), board.holes >> end & 1)
            total += tail(table, &child, depth - 1)
    if not any_move:
        return count_by_list(table, p, depth)
    return total


cdef uint64_t tail(const GameTable *table, const void *position, int depth) noexcept nogil:
    """perft(position, depth); the slow twin is listing and making every ply."""
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef uint64_t total
    cdef int left, empty, k
    if depth == 1:
        return count(table, p)
    if is_over(tables, p):
        return 0
    if p.level == 0:
        left = tables.players * tables.pawns_each - popcount(occupied(p))
        if depth > left:
            return count_by_list(table, p, depth)
        empty = popcount(tables.rim & ~occupied(p))
        total = 1
        for k in range(depth):
            total *= empty - k
        return total
    if not far_from_stall(tables, p, depth):
        return count_by_list(table, p, depth)
    if depth == 2:
        return count_two_with_lifts(table, p) if tables.blocked_lift else count_two(table, p)
    if depth == 3 and not tables.blocked_lift:
        return count_three(table, p)
    return count_deeper(table, p, depth)


# ---------------------------------------------------------------- playouts
#
# Of each space is kept how many empty spaces a pawn there could go to (at most 6), as bit planes:
# after a move from f to t that is one more at the sources of f, one fewer at those of t. For a ply the
# numbers of the player's pawns are put side by side, and the pawn is found as in `choose`. All this
# is a chain of steps that wait for each other, so games take turns and the processor works on both.

cdef enum:
    LANES = 2
    PLIES_BETWEEN_LOOKS = 1 << 12   # at `stop`

# A game in hand, at the beginning of a turn after all pawns have been placed.
cdef struct Lane:
    uint64_t empty
    uint64_t[SEATS] pawns
    Planes choices              # of each space the empty ones among its targets
    const Board *board
    uint64_t special            # holes and the inner circle
    uint64_t key
    int64_t ply
    int64_t end                 # stop at this ply
    int64_t filled              # the ply at which no action had been made since a hole was filled
    int64_t halt                # the ply at which the game ends if no hole is filled, or `end`
    int turn
    int passes
    int still_in
    uint8_t[SEATS] next
    Position *home              # where it is written back to
    int32_t *plies


cdef void put_back(const Tables *tables, Lane *g, bint again) noexcept nogil:
    cdef Position *p = g.home
    cdef int k
    for k in range(SEATS):
        p.pawns[k] = g.pawns[k]
    if tables.stall_limit:
        p.stall = <uint32_t>(g.ply - g.filled)
    p.turn = g.turn
    p.again = again
    p.passes = g.passes
    g.plies[0] = <int32_t>g.ply


cdef inline void begin_stall(const Tables *tables, Lane *g, int64_t filled) noexcept nogil:
    g.filled = filled
    g.halt = g.end
    if tables.stall_limit and filled + tables.stall_limit < g.end:
        g.halt = filled + tables.stall_limit


cdef void take_up(const Tables *tables, Lane *g) noexcept nogil:
    """Read the lane's position, which is at the beginning of a turn."""
    cdef Position *p = g.home
    cdef Position other = p[0]
    cdef uint64_t rest
    cdef int k
    g.board = board_of(tables, p)
    g.special = g.board.holes | g.board.circle
    g.empty = ~occupied(p)
    for k in range(SEATS):
        g.pawns[k] = p.pawns[k]
        other.turn = k
        g.next[k] = next_player(tables, &other) if k < tables.players else 0
    g.choices.one = g.choices.two = g.choices.four = 0
    rest = g.empty & tables.whole
    while rest:
        add_one(&g.choices, g.board.sources[pop_lowest(&rest)])
    g.turn = p.turn
    g.passes = p.passes
    g.still_in = players_in(p)
    begin_stall(tables, g, g.ply - p.stall)


cdef inline void add_one(Planes *planes, uint64_t spaces) noexcept nogil:
    cdef uint64_t carry = planes.one & spaces
    planes.one ^= spaces
    planes.four ^= planes.two & carry
    planes.two ^= carry


cdef inline void take_one(Planes *planes, uint64_t spaces) noexcept nogil:
    cdef uint64_t borrow = spaces & ~planes.one
    planes.one ^= spaces
    planes.four ^= borrow & ~planes.two
    planes.two ^= borrow


cdef inline void go(Lane *g, uint64_t start, uint64_t end) noexcept nogil:
    """Move a pawn of the player in turn; two empty sets move nothing."""
    g.pawns[g.turn] ^= start | end
    g.empty ^= start | end
    add_one(&g.choices, g.board.sources[first_or_64(start)])
    take_one(&g.choices, g.board.sources[first_or_64(end)])


cdef bint begin(const GameTable *table, Lane *g) noexcept nogil:
    """Play on to the beginning of a turn after placing; False when the game is done before."""
    cdef const Tables *tables = tables_of(table)
    cdef Position *p = g.home
    cdef uint64_t empty = tables.rim & ~occupied(p), chosen
    cdef int left = tables.players * tables.pawns_each - popcount(occupied(p))
    if p.level == 0:
        while left and g.ply < g.end:
            chosen = nth_of(empty, <unsigned>multiply_high(draw(g.key, g.ply), popcount(empty)))
            empty ^= chosen
            p.pawns[p.turn] |= chosen
            p.turn = p.turn + 1 if p.turn + 1 < tables.players else 0
            left -= 1
            g.ply += 1
        p.level = left == 0
    while p.again and g.ply < g.end:
        apply(table, p, choose(table, p, draw(g.key, g.ply)))
        g.ply += 1
    g.plies[0] = <int32_t>g.ply
    if g.ply >= g.end or is_over(tables, p):
        return False
    take_up(tables, g)
    return True


cdef bint special_end(const Tables *tables, Lane *g, uint64_t end) noexcept nogil:
    """What follows a move into a hole or to the inner circle. False: the game is done."""
    cdef const Board *board = g.board
    cdef uint64_t ends, start
    cdef Position *p
    if not end & board.holes:
        if g.ply >= g.end:
            put_back(tables, g, True)
            return False
        ends = tables.circle_targets & g.empty
        start = end
        end = nth_of(ends, <unsigned>multiply_high(draw(g.key, g.ply), popcount(ends)))
        g.ply += 1
        go(g, start, end)
    if end & board.holes:
        begin_stall(tables, g, g.ply)
        if not board.holes & g.empty:
            p = g.home
            put_back(tables, g, False)
            if p.level < LEVELS:
                lift_board(board, p)
            p.turn = next_player(tables, p)
            if g.ply >= g.end or is_over(tables, p):
                return False
            take_up(tables, g)
            return True
    g.turn = g.next[g.turn]
    if g.ply >= g.halt:
        put_back(tables, g, False)
        return False
    return True


cdef inline bint play_ply(const Tables *tables, Lane *g, const bint lifts) noexcept nogil:
    """One ply; False: the game is done and put back."""
    cdef uint64_t own = g.pawns[g.turn], counts, sums, start, end
    cdef unsigned total, moves, rank, index
    counts = fields_of(g.choices.one, g.choices.two, g.choices.four, own)
    sums = counts * ONES
    total = moves = sum_of_all(sums)
    if lifts:
        # a pawn outside holes without a move is an action more, after all the moves
        total += popcount(own & ~g.board.holes) - popcount(
            own & (g.choices.one | g.choices.two | g.choices.four))
    rank = <unsigned>multiply_high(draw(g.key, g.ply), total)
    g.ply += 1
    if unlikely(moves == 0) and not lifts:
        g.passes += 1
    else:
        # A rank beyond the moves is a lift (or the pass). It finds no pawn, its index is 9, and moves
        # nothing by the same steps: whether it is one cannot be foreseen, a branch would cost more.
        index = index_of(sums, rank)
        start = nth_of(own, index)
        end = nth_of(g.board.targets[first_or_64(start)] & g.empty, rank - sum_before(sums, index))
        g.passes = 0 if moves else g.passes + 1
        go(g, start, end)
        if unlikely(end & g.special != 0):
            return special_end(tables, g, end)
    g.turn = g.next[g.turn]
    if unlikely(g.passes >= g.still_in or g.ply >= g.halt):
        put_back(tables, g, False)
        return False
    return True


cdef inline void play_lanes(const GameTable *table, Position *positions, Py_ssize_t n,
                            const uint64_t *keys, int32_t *plies, int32_t max_plies, const int *stop,
                            const bint lifts) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef Lane[LANES] lanes
    cdef Py_ssize_t following = 0
    cdef int live = 0, k, left
    cdef bint all_live
    while True:
        while live < LANES and following < n:
            lanes[live].home = &positions[following]
            lanes[live].plies = &plies[following]
            lanes[live].key = keys[following]
            lanes[live].ply = plies[following]
            lanes[live].end = max_plies
            if plies[following] < max_plies and not is_over(tables, &positions[following]):
                live += begin(table, &lanes[live])
            following += 1
        if live == 0 or read_flag(stop):
            return
        left = PLIES_BETWEEN_LOOKS
        all_live = True
        if live == LANES:
            while all_live and left:
                left -= 1
                for k in range(LANES):
                    if unlikely(not play_ply(tables, &lanes[k], lifts)):
                        lanes[k].board = NULL
                        all_live = False
        else:
            while all_live and left:
                left -= 1
                for k in range(live):
                    if not play_ply(tables, &lanes[k], lifts):
                        lanes[k].board = NULL
                        all_live = False
        if not all_live:
            left = 0
            for k in range(live):
                if lanes[k].board != NULL:
                    if left != k:
                        lanes[left] = lanes[k]
                    left += 1
            live = left


cdef void run(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
              int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    """Choosing and applying ply by ply, several games together."""
    if tables_of(table).blocked_lift:
        play_lanes(table, <Position *>positions, n, keys, plies, max_plies, stop, True)
    else:
        play_lanes(table, <Position *>positions, n, keys, plies, max_plies, stop, False)


# ---------------------------------------------------------------- between bytes and Python

cdef enum:
    POSITION_BYTES = 48


cdef class InnerCircleRules(Rules):
    """The compiled side of Inner Circle.

    Parameters
    ----------
    players, pawns_each : int
    boards : list
        For each level its board by turn (six items; None where a turn cannot occur), a text of 37
        letters in reading order: 1 to 4, H or C.
    lines : sequence
        For each space its six lines: the spaces at distance 1, 2, 3, 4 as far as there are any.
    turns : sequence of int, or None
        None: drawn by the seed.
    fits : sequence
        For each level but the last and each of its turns, the turns that the board below may have.
    blocked_lift : bool
    stall_limit : int
    hide_covered : bool
    """

    def __init__(self, int players, int pawns_each, boards, lines, turns, fits,
                 bint blocked_lift, uint32_t stall_limit, bint hide_covered):
        cdef Tables *t = &self.tables
        cdef Board *board
        cdef int level, sixths, space, end, n, most
        cdef str letters
        compile_only_if(sizeof(Position) == POSITION_BYTES)
        memset(t, 0, sizeof(Tables))
        memset(&self.table, 0, sizeof(GameTable))
        t.players = players
        t.pawns_each = pawns_each
        t.blocked_lift = blocked_lift
        t.hide_covered = hide_covered
        t.stall_limit = stall_limit
        t.random_turns = turns is None
        if turns is not None:
            for level in range(LEVELS):
                t.turns[level] = turns[level]
        for level in range(LEVELS - 1):
            for sixths in range(TURNS):
                for end in fits[level][sixths]:
                    t.fits[level][sixths] |= 1 << end
        for space in range(SPACES):
            if min([len(line) for line in lines[space]]) == 0:
                t.rim |= bit(space)
        t.whole = bit(SPACES) - 1
        for line in lines[CENTRE]:
            for end in line:
                t.circle_targets |= bit(end)

        moves = set()
        liftable = set()
        most = popcount(t.rim)
        for level in range(LEVELS):
            for sixths in range(TURNS):
                if boards[level][sixths] is None:
                    continue
                board = &t.boards[level][sixths]
                letters = boards[level][sixths]
                choices = []
                for space in range(SPACES):
                    if letters[space] == "H":
                        board.holes |= bit(space)
                    elif letters[space] == "C":
                        board.circle |= bit(space)
                        moves.update([(CENTRE, end) for line in lines[CENTRE] for end in line])
                    else:
                        n = int(letters[space])
                        board.dots[n - 1] |= bit(space)
                        liftable.add(space)
                        ends = [line[n - 1] for line in lines[space] if len(line) >= n]
                        choices.append(max(len(ends), 1))
                        for end in ends:
                            board.targets[space] |= bit(end)
                            board.sources[end] |= bit(space)
                            moves.add((space, end))
                most = max(most, sum(sorted(choices)[-pawns_each:]))

        n = 0
        for space in range(SPACES):
            if t.rim & bit(space):
                t.origin[n] = space
                t.target[n] = space
                t.place_action[space] = n
                n += 1
        t.first_move = n
        for space, end in sorted(moves):
            t.origin[n] = space
            t.target[n] = end
            t.move_action[space][end] = n
            n += 1
        t.first_lift = n
        if blocked_lift:
            for space in sorted(liftable):
                t.origin[n] = space
                t.target[n] = space
                t.lift_action[space] = n
                n += 1
        t.pass_action = n

        self.table.tables = t
        self.table.position_bytes = POSITION_BYTES
        self.table.num_players = players
        self.table.num_actions = n + 1
        self.table.max_legal_actions = most
        self.table.observation_bytes = (2 * players + 14) * 49 * sizeof(float)
        self.table.num_bitboards = players + 6
        self.table.progress_goal = 31
        self.table.to_act = to_act
        self.table.turn = turn
        self.table.actions = actions
        self.table.apply = apply
        self.table.returns = returns
        self.table.progress = progress
        self.table.setup = setup
        if t.random_turns:
            self.table.determinize = determinize
        self.table.observe = observe
        self.table.bitboards = bitboards
        self.table.count = count
        self.table.legal = legal
        self.table.choose = choose
        self.table.tail = tail
        self.table.tail_depth = 5
        self.table.run = run
        self.table.choose_many = choose_many
        self.table.step_many = step_many
        self.complete()

    def pack(self, int turn, int level, turns, bint again, pawns, int passes, uint32_t stall):
        """bytes: the position; pawns are sets of spaces, one bit a space."""
        cdef Position p
        cdef int k
        memset(&p, 0, sizeof(Position))
        p.turn = turn
        p.level = level
        p.again = again
        p.passes = passes
        p.stall = stall
        for k in range(LEVELS):
            p.turns[k] = turns[k]
        for k in range(self.tables.players):
            p.pawns[k] = pawns[k]
        return PyBytes_FromStringAndSize(<const char *>&p, sizeof(Position))

    def unpack(self, bytes position):
        """tuple: turn, level, turns, again, pawns, passes, stall."""
        cdef Position p
        cdef int k
        if PyBytes_GET_SIZE(position) != sizeof(Position):
            raise ValueError("these are not the bytes of a position of this game")
        memcpy(&p, PyBytes_AS_STRING(position), sizeof(Position))
        return (
            p.turn, p.level, tuple([p.turns[k] for k in range(LEVELS)]), bool(p.again),
            tuple([p.pawns[k] for k in range(self.tables.players)]), p.passes, p.stall,
        )

    def action_parts(self, int action):
        """tuple: "place", "move", "lift" or "pass", and the spaces from and to (-1 for none)."""
        cdef Tables *t = &self.tables
        if not 0 <= action <= t.pass_action:
            raise ValueError(f"there is no action {action}: they are 0 to {t.pass_action}")
        if action < t.first_move:
            return "place", -1, t.target[action]
        if action < t.first_lift:
            return "move", t.origin[action], t.target[action]
        if action < t.pass_action:
            return "lift", t.origin[action], -1
        return "pass", -1, -1

    def find_action(self, str kind, int origin, int target):
        """int: the action with those parts, which must be one of this game."""
        cdef Tables *t = &self.tables
        if kind == "place":
            return t.place_action[target]
        if kind == "move":
            return t.move_action[origin][target]
        if kind == "lift":
            return t.lift_action[origin]
        return t.pass_action
