"""Inner Circle: four boards on each other, holes, second moves from the inner circle.

A move jumps over everything, so where a pawn may go depends on the board alone: one set of targets
a space, less the spaces that are taken. Holes and the inner circle have no targets, so a pawn in a
hole needs no test. Squares are bits in reading order, which is the order of the texts.

`actions` and `apply` follow the rules step by step; the counting and choosing further down are
their fast twins.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from boardrace._core.bits cimport multiply_high, nth_bit, pop_lowest, popcount
from boardrace._core.engine cimport GameTable, Rules, TERMINAL
from boardrace._core.rng cimport Draws, draw_below


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


cdef void apply(const GameTable *table, void *position, int32_t action) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef Position *p = <Position *>position
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
    plane = fill(plane, p.stall / <float>tables.stall_limit if tables.stall_limit else 0)


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


cdef int32_t choose(const GameTable *table, const void *position, uint64_t u) noexcept nogil:
    cdef const Tables *tables = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef const Board *board = board_of(tables, p)
    cdef uint64_t pawns, ends, stuck = 0, empty = ~occupied(p)
    cdef int rank, one, space
    if p.level == 0:
        ends = tables.rim & empty
        return tables.place_action[nth_bit(ends, multiply_high(u, popcount(ends)))]
    if p.again:
        ends = tables.circle_targets & empty
        return tables.move_action[CENTRE][nth_bit(ends, multiply_high(u, popcount(ends)))]
    rank = multiply_high(u, count(table, position))
    pawns = p.pawns[p.turn] & ~board.holes
    while pawns:
        space = pop_lowest(&pawns)
        ends = board.targets[space] & empty
        one = popcount(ends)
        if rank < one:
            return tables.move_action[space][nth_bit(ends, rank)]
        rank -= one
        if not ends:
            stuck |= bit(space)
    if tables.blocked_lift and stuck:
        return tables.lift_action[nth_bit(stuck, rank)]
    return tables.pass_action


# ---------------------------------------------------------------- between bytes and Python

cdef enum:
    # Does not compile (a division by zero) when the size is not what the package documents.
    POSITION_BYTES = 48 // (sizeof(Position) == 48)


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
