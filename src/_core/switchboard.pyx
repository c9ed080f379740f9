"""Switchboard: dice, paths over 36 tiles that move on an open table.

A spot is tile * 5 + side, the side as it lies on the table: N, E, S, W, centre. A turn adds
quarter turns clockwise to the four sides, so a printed side s of a tile turned t times lies at
(s + t) & 3. Columns grow to the east, rows to the south.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from boardrace._core.bits cimport pop_lowest, popcount
from boardrace._core.engine cimport CHANCE, GameTable, Rules, TERMINAL
from boardrace._core.rng cimport Draws

cdef enum:
    TILES = 36
    SIDES = 5
    SPOTS = 180                 # TILES * SIDES
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3
    CENTRE = 4
    OFF_TABLE = 255             # a token that has not entered
    IN_HAND = 254               # the bumped token before it is put down
    NOT_PLAYED = 253            # a seat without a player
    NO_TILE = 255
    NO_ACTION = 255

    ROLL = 0                    # phases, in the order of a turn
    MOVE = 1
    BUMP = 2
    TURN = 3
    SHIFT = 4

    NOTHING = 0                 # flags
    AGAIN = 1
    LOSES = 2

    YELLOW = 1                  # colours
    GREEN = 2
    RED = 3
    FINISH = 4

    ROLLS = 21
    STAY = 21
    FIRST_MOVE = 22

    GRID = 70                   # cells in a row of the plain grid: the largest table and a rim
    GOAL = 128                  # progress: this less the steps to the finish

cdef struct Position:
    uint8_t[36] column          # the least of all is 0
    uint8_t[36] row
    uint8_t[36] turn            # quarter turns clockwise, the fewest that show the same spots
    uint8_t[4] token            # a spot, OFF_TABLE, IN_HAND or NOT_PLAYED
    uint8_t[4] flag
    uint8_t seat
    uint8_t phase
    uint8_t low                 # the dice, 0 in phase roll
    uint8_t high
    uint8_t bumped              # phase bump: a player; phase turn: a tile; else 0
    uint8_t[7] unused           # always 0

cdef extern from *:
    """
    /* What does not hold does not compile. */
    #define BR_SWITCHBOARD_HOLDS(fact) ((void)sizeof(char[(fact) ? 1 : -1]))
    """
    void compile_only_if "BR_SWITCHBOARD_HOLDS"(bint fact) noexcept nogil

cdef struct Tables:
    int players
    int limit                   # the table: most cells in a row or column
    # --- the tiles
    uint8_t[36][5] colour       # by printed side, 0 where there is no spot
    uint8_t[36][4] arms         # by turn: sides with a spot, one bit each
    uint8_t[36] period          # turns after which the tile looks the same: 1, 2 or 4
    uint8_t[36] first_column
    uint8_t[36] first_row
    int entry_tile
    int entry_side              # as printed
    int finish_tile
    int finish_side
    int num_yellow
    # --- the actions, see SwitchboardRules
    int first_bump
    int first_turn
    int none
    int first_shift
    int rim                     # 1 when tiles may be laid beyond the box of a position, else 0
    int least_turns             # the fewest quarter turns in a shift's number
    int cells                   # numbers of cells in shifts
    int moves                   # numbers of moves, `stay` not counted
    int bumps
    uint8_t[180] move_spot      # spot by number of the move, and back
    uint8_t[180] spot_move
    uint8_t[180] bump_spot
    uint8_t[180] spot_bump
    uint8_t[36] shift_tile      # tile by its number among those that can be shifted, and back
    uint8_t[36] tile_shift
    uint8_t[21] roll_low
    uint8_t[21] roll_high


# ---------------------------------------------------------------- small helpers

cdef inline unsigned int rotate(unsigned int arms, int turns) noexcept nogil:
    """Sides after that many quarter turns clockwise."""
    arms <<= turns
    return (arms | arms >> 4) & 15


cdef inline int spot_at(int tile, int side) noexcept nogil:
    return tile * SIDES + side


cdef inline int tile_of(int a, int b) noexcept nogil:
    """The tile labelled ab."""
    return (a - 1) * 6 + b - 1


cdef inline unsigned int arms_of(const Tables *t, const Position *p, int tile) noexcept nogil:
    return t.arms[tile][p.turn[tile]]


cdef inline int colour_of(const Tables *t, const Position *p, int spot) noexcept nogil:
    cdef int tile = spot // SIDES, side = spot % SIDES
    return t.colour[tile][side if side == CENTRE else (side - p.turn[tile]) & 3]


cdef inline int finish_of(const Tables *t, const Position *p) noexcept nogil:
    """The spot that is the finish, as it lies."""
    if t.finish_side == CENTRE:
        return spot_at(t.finish_tile, CENTRE)
    return spot_at(t.finish_tile, (t.finish_side + p.turn[t.finish_tile]) & 3)


cdef inline int player_on(const Tables *t, const Position *p, int spot) noexcept nogil:
    """The player whose token stands there, or -1."""
    cdef int player
    for player in range(t.players):
        if p.token[player] == spot:
            return player
    return -1


cdef inline bint token_on_side(const Position *p, int tile) noexcept nogil:
    """Whether a token stands on a side of the tile, so that each turn of it shows."""
    cdef int player
    cdef bint found = False
    for player in range(4):
        found |= <unsigned int>(p.token[player] - tile * SIDES) < 4
    return found


cdef inline int turns_of(const Tables *t, const Position *p, int tile) noexcept nogil:
    """How many turns of the tile are different positions."""
    return 4 if token_on_side(p, tile) else t.period[tile]


cdef inline void turn_tile(const Tables *t, Position *p, int tile, int turns) noexcept nogil:
    """Turn a tile with the tokens on it."""
    cdef int player, side
    p.turn[tile] = (p.turn[tile] + turns) & (t.period[tile] - 1)
    for player in range(4):
        side = p.token[player] - tile * SIDES
        if 0 <= side < 4:
            p.token[player] = spot_at(tile, (side + turns) & 3)


cdef inline int east_of(int side) noexcept nogil:
    """Columns to the east that a step out of this side leads."""
    return (side == EAST) - (side == WEST)


cdef inline int south_of(int side) noexcept nogil:
    return (side == SOUTH) - (side == NORTH)


# ---------------------------------------------------------------- the plain ways
# Straight from the rules, over a grid laid out anew for every question. Where something quicker
# is used the tests compare it with these.

cdef struct Grid:
    uint8_t[4900] tile          # GRID * GRID; NO_TILE where none lies
    int columns                 # of the box of all tiles
    int rows


cdef inline int cell_at(int column, int row) noexcept nogil:
    """Place in the grid; columns and rows from -1 to the limit (and a rim around)."""
    return (row + 2) * GRID + column + 2


cdef void lay_out(const Position *p, Grid *grid) noexcept nogil:
    cdef int k
    grid.columns = 0
    grid.rows = 0
    memset(grid.tile, NO_TILE, sizeof(grid.tile))
    for k in range(TILES):
        grid.tile[cell_at(p.column[k], p.row[k])] = k
        grid.columns = max(grid.columns, p.column[k] + 1)
        grid.rows = max(grid.rows, p.row[k] + 1)


cdef int joined_tile(const Tables *t, const Position *p, const Grid *grid, int tile, int side) noexcept nogil:
    """The tile joined at an open side, or NO_TILE."""
    cdef int other = grid.tile[cell_at(p.column[tile] + east_of(side), p.row[tile] + south_of(side))]
    if other != NO_TILE and arms_of(t, p, other) >> (side ^ 2) & 1:
        return other
    return NO_TILE


cdef unsigned int facing_sides(const Tables *t, const Position *p, const Grid *grid, int column, int row,
                               int without) noexcept nogil:
    """Sides of a cell at which a tile, other than `without`, has a spot facing it."""
    cdef unsigned int sides = 0
    cdef int side, other
    for side in range(4):
        other = grid.tile[cell_at(column + east_of(side), row + south_of(side))]
        if other != NO_TILE and other != without and arms_of(t, p, other) >> (side ^ 2) & 1:
            sides |= 1u << side
    return sides


# A walk is known by (spot, spot before): twelve such pairs a tile.
cdef enum:
    INWARD = 0                  # + side: on a side, come from the next tile (or just entered)
    OUTWARD = 4                 # + side: on a side, come from the centre
    ACROSS = 8                  # + side: on the centre, come from that side
    PAIRS = 12
    PAIR_WORDS = 7              # words for TILES * PAIRS bits

cdef struct Walkers:
    uint64_t[7] pairs


cdef inline void add_pair(Walkers *w, int tile, int pair) noexcept nogil:
    cdef int n = tile * PAIRS + pair
    w.pairs[n >> 6] |= <uint64_t>1 << (n & 63)


cdef void step_on(const Tables *t, const Position *p, const Grid *grid, const Walkers *now, Walkers *then) noexcept nogil:
    """One step of all walks at once, none going straight back."""
    cdef int word, n, tile, pair, side, other
    cdef unsigned int arms
    cdef uint64_t left
    memset(then, 0, sizeof(Walkers))
    for word in range(PAIR_WORDS):
        left = now.pairs[word]
        while left:
            n = word * 64 + pop_lowest(&left)
            tile = n // PAIRS
            pair = n % PAIRS
            if pair < OUTWARD:
                add_pair(then, tile, ACROSS + pair)
            elif pair < ACROSS:
                side = pair - OUTWARD
                other = joined_tile(t, p, grid, tile, side)
                if other != NO_TILE:
                    add_pair(then, other, INWARD + (side ^ 2))
            else:
                arms = arms_of(t, p, tile) & ~(1u << (pair - ACROSS))
                for side in range(4):
                    if arms >> side & 1:
                        add_pair(then, tile, OUTWARD + side)


cdef void plain_walks(const Tables *t, const Position *p, int spot, int steps, uint64_t *ends) noexcept nogil:
    """The spots (a set of three words) where a walk of that many steps, at least 1, ends.

    switchboard.md, Move: the first step may go in any direction; a token off the table steps
    onto the entry spot, then onto that tile's centre.
    """
    cdef Grid grid
    cdef Walkers[2] walkers
    cdef int tile, side, word, n, step
    cdef uint64_t left
    lay_out(p, &grid)
    memset(walkers, 0, sizeof(walkers))
    if spot == OFF_TABLE:
        tile = t.entry_tile
        add_pair(walkers, tile, INWARD + ((t.entry_side + p.turn[tile]) & 3))
    else:
        tile = spot // SIDES
        side = spot % SIDES
        if side == CENTRE:
            for side in range(4):
                if arms_of(t, p, tile) >> side & 1:
                    add_pair(walkers, tile, OUTWARD + side)
        else:
            add_pair(walkers, tile, ACROSS + side)
            n = joined_tile(t, p, &grid, tile, side)
            if n != NO_TILE:
                add_pair(walkers, n, INWARD + (side ^ 2))
    for step in range(1, steps):
        step_on(t, p, &grid, &walkers[(step - 1) & 1], &walkers[step & 1])
    memset(ends, 0, 3 * sizeof(uint64_t))
    for word in range(PAIR_WORDS):
        left = walkers[(steps - 1) & 1].pairs[word]
        while left:
            n = word * 64 + pop_lowest(&left)
            tile = n // PAIRS
            n = n % PAIRS
            n = spot_at(tile, CENTRE if n >= ACROSS else n & 3)
            ends[n >> 6] |= <uint64_t>1 << (n & 63)


cdef int steps_to_finish(const Tables *t, const Position *p, int spot) noexcept nogil:
    """Least steps over joined spots from a spot, or from off the table; -1 where no way leads."""
    cdef Grid grid
    cdef uint8_t[180] queue
    cdef uint8_t[180] steps
    cdef int first = 0, last = 0, now, tile, side, more = 0, next, goal = finish_of(t, p)
    if spot >= SPOTS:
        more = 1
        tile = t.entry_tile
        spot = spot_at(tile, (t.entry_side + p.turn[tile]) & 3)
    lay_out(p, &grid)
    memset(steps, 255, sizeof(steps))
    steps[spot] = 0
    queue[0] = spot
    last = 1
    while first < last:
        now = queue[first]
        first += 1
        if now == goal:
            return steps[now] + more
        tile = now // SIDES
        side = now % SIDES
        if side == CENTRE:
            for side in range(4):
                next = spot_at(tile, side)
                if arms_of(t, p, tile) >> side & 1 and steps[next] == 255:
                    steps[next] = steps[now] + 1
                    queue[last] = next
                    last += 1
        else:
            next = spot_at(tile, CENTRE)
            if steps[next] == 255:
                steps[next] = steps[now] + 1
                queue[last] = next
                last += 1
            tile = joined_tile(t, p, &grid, tile, side)
            if tile != NO_TILE:
                next = spot_at(tile, side ^ 2)
                if steps[next] == 255:
                    steps[next] = steps[now] + 1
                    queue[last] = next
                    last += 1
    return -1


# ---------------------------------------------------------------- numbers of shifts

cdef inline int shift_number(const Tables *t, int tile, int column, int row, int turns) noexcept nogil:
    """The action that lays a tile there. The four corners of the rim have no number: no tile
    could be joined there, as the others lie in the box."""
    cdef int n, wide = t.limit + 2 * t.rim
    n = (row + t.rim) * wide + column + t.rim
    if t.rim:
        n -= 1 + (row >= 0) + (row == t.limit)
    return t.first_shift + (t.tile_shift[tile] * t.cells + n) * (4 - t.least_turns) + turns - t.least_turns


cdef inline void read_shift(const Tables *t, int32_t action, int *tile, int *column, int *row, int *turns) noexcept nogil:
    cdef int wide = t.limit + 2 * t.rim
    cdef int n = action - t.first_shift
    turns[0] = n % (4 - t.least_turns) + t.least_turns
    n //= 4 - t.least_turns
    tile[0] = t.shift_tile[n // t.cells]
    n %= t.cells
    if t.rim:
        # back over the corners left out
        n += 1 + (n >= t.limit) + (n >= t.limit + t.limit * wide)
    row[0] = n // wide - t.rim
    column[0] = n % wide - t.rim


# ---------------------------------------------------------------- functions of the table

cdef inline const Tables *tables_of(const GameTable *table) noexcept nogil:
    return <const Tables *>table.tables


cdef int to_act(const GameTable *table, const void *position) noexcept nogil:
    cdef const Position *p = <const Position *>position
    if p.phase == ROLL:
        return CHANCE
    if p.phase == MOVE and p.token[p.seat] == finish_of(tables_of(table), p):
        return TERMINAL
    return p.seat


cdef int seat_to_move(const GameTable *table, const void *position) noexcept nogil:
    return (<const Position *>position).seat


cdef int list_moves(const Tables *t, const Position *p, int32_t *out) noexcept nogil:
    cdef uint64_t[3] ends
    cdef int n = 0, k
    plain_walks(t, p, p.token[p.seat], p.low + p.high, ends)
    for k in range(3):
        while ends[k]:
            out[n] = FIRST_MOVE + t.spot_move[k * 64 + pop_lowest(&ends[k])]
            n += 1
    if n == 0:
        out[0] = STAY
        n = 1
    return n


cdef int list_bumps(const Tables *t, const Position *p, int32_t *out) noexcept nogil:
    cdef int n = 0, k, spot
    for k in range(t.bumps):
        spot = t.bump_spot[k]
        if colour_of(t, p, spot) == YELLOW and player_on(t, p, spot) < 0:
            out[n] = t.first_bump + k
            n += 1
    return n


cdef int list_shifts_of(const Tables *t, const Position *p, const Grid *grid, int tile, int32_t *out) noexcept nogil:
    """The shifts of one tile: to every cell, empty or its own, where it is joined."""
    cdef int left = 255, right = 0, top = 255, bottom = 0       # the box of the other tiles
    cdef int n = 0, k, column, row, turns, choices = turns_of(t, p, tile)
    cdef unsigned int sides, arms = arms_of(t, p, tile)
    cdef bint own
    for k in range(TILES):
        if k != tile:
            left = min(left, p.column[k])
            right = max(right, p.column[k])
            top = min(top, p.row[k])
            bottom = max(bottom, p.row[k])
    for row in range(top - 1, bottom + 2):
        if max(row, bottom) - min(row, top) >= t.limit:
            continue
        for column in range(left - 1, right + 2):
            if max(column, right) - min(column, left) >= t.limit:
                continue
            k = grid.tile[cell_at(column, row)]
            if k != NO_TILE and k != tile:
                continue
            sides = facing_sides(t, p, grid, column, row, tile)
            if not sides:
                continue
            own = k == tile
            for turns in range(own, choices):
                if rotate(arms, turns) & sides:
                    out[n] = shift_number(t, tile, column, row, turns)
                    n += 1
    return n


cdef int list_shifts(const Tables *t, const Position *p, int32_t *out) noexcept nogil:
    cdef Grid grid
    cdef int n = 1
    out[0] = t.none
    lay_out(p, &grid)
    n += list_shifts_of(t, p, &grid, tile_of(p.low, p.high), out + n)
    if p.low != p.high:
        n += list_shifts_of(t, p, &grid, tile_of(p.high, p.low), out + n)
    return n


cdef int list_actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef int k, n
    if p.phase == ROLL:
        for k in range(ROLLS):
            out[k] = k
        return ROLLS
    if p.phase == MOVE:
        if p.token[p.seat] == finish_of(t, p):
            return 0
        return list_moves(t, p, out)
    if p.phase == BUMP:
        return list_bumps(t, p, out)
    if p.phase == TURN:
        n = turns_of(t, p, p.bumped)
        for k in range(n):
            out[k] = t.first_turn + k
        return n
    return list_shifts(t, p, out)


cdef int list_outcomes(const GameTable *table, const void *position, int32_t *out, uint32_t *weights) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef int k
    if (<const Position *>position).phase != ROLL:
        return 0
    for k in range(ROLLS):
        out[k] = k
        weights[k] = 1 if t.roll_low[k] == t.roll_high[k] else 2
    return ROLLS


cdef inline void begin_shift(const Tables *t, Position *p) noexcept nogil:
    """switchboard.md, Colour: the mover's spot is felt when the turn comes to its shift."""
    cdef int colour = colour_of(t, p, p.token[p.seat])
    p.flag[p.seat] = AGAIN if colour == GREEN else LOSES if colour == RED else NOTHING
    p.phase = SHIFT
    p.bumped = 0


cdef inline void end_turn(const Tables *t, Position *p) noexcept nogil:
    p.phase = ROLL
    p.low = 0
    p.high = 0
    if p.flag[p.seat] == AGAIN:
        p.flag[p.seat] = NOTHING
        return
    while True:
        p.seat = p.seat + 1 if p.seat + 1 < t.players else 0
        if p.flag[p.seat] != LOSES:
            return
        p.flag[p.seat] = NOTHING


cdef inline void normalise(Position *p) noexcept nogil:
    """Count columns and rows from the least again."""
    cdef int k
    cdef uint8_t left = 255, top = 255
    for k in range(TILES):
        left = min(left, p.column[k])
        top = min(top, p.row[k])
    for k in range(TILES):
        p.column[k] -= left
        p.row[k] -= top


cdef void apply_shift(const Tables *t, Position *p, int32_t action) noexcept nogil:
    cdef int tile, column, row, turns, k
    read_shift(t, action, &tile, &column, &row, &turns)
    if column < 0 or row < 0:
        for k in range(TILES):
            p.column[k] += column < 0
            p.row[k] += row < 0
        column += column < 0
        row += row < 0
    p.column[tile] = column
    p.row[tile] = row
    normalise(p)
    turn_tile(t, p, tile, turns)


cdef void apply_action(const GameTable *table, void *position, int32_t action) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>position
    cdef int spot, other, k
    if p.phase == ROLL:
        p.low = t.roll_low[action]
        p.high = t.roll_high[action]
        p.phase = MOVE
    elif p.phase == MOVE:
        if action == STAY:
            p.flag[p.seat] = NOTHING
            p.phase = SHIFT
            return
        spot = t.move_spot[action - FIRST_MOVE]
        other = player_on(t, p, spot)
        p.token[p.seat] = spot
        if spot == finish_of(t, p):
            return
        if other >= 0 and other != p.seat:
            p.token[other] = IN_HAND
            p.bumped = other
            p.phase = BUMP
        else:
            begin_shift(t, p)
    elif p.phase == BUMP:
        spot = t.bump_spot[action - t.first_bump]
        p.token[p.bumped] = spot
        p.bumped = spot // SIDES
        p.phase = TURN
    elif p.phase == TURN:
        turn_tile(t, p, p.bumped, action - t.first_turn)
        begin_shift(t, p)
    else:
        if action != t.none:
            apply_shift(t, p, action)
        end_turn(t, p)


cdef void write_returns(const GameTable *table, const void *position, double *out) noexcept nogil:
    cdef int k, n = table.num_players
    for k in range(n):
        out[k] = 0
    if to_act(table, position) == TERMINAL:
        for k in range(n):
            out[k] = -1.0 / (n - 1)
        out[(<const Position *>position).seat] = 1


cdef int progress_of(const GameTable *table, const void *position, int player) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef int steps = steps_to_finish(tables_of(table), p, p.token[player])
    return 0 if steps < 0 or steps > GOAL else GOAL - steps


cdef void set_up(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>position
    cdef int k
    memset(p, 0, sizeof(Position))
    memcpy(p.column, t.first_column, TILES)
    memcpy(p.row, t.first_row, TILES)
    for k in range(4):
        p.token[k] = OFF_TABLE if k < t.players else NOT_PLAYED


cdef void observe(const GameTable *table, const void *position, int player, void *out) noexcept nogil:
    """See docs/games/switchboard.md, Observation. Players are counted from the one who looks."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef uint8_t *o = <uint8_t *>out
    cdef int k, other, token
    for k in range(TILES):
        o[3 * k] = p.column[k]
        o[3 * k + 1] = p.row[k]
        o[3 * k + 2] = p.turn[k]
    o += 3 * TILES
    for k in range(t.players):
        other = (player + k) % t.players
        token = p.token[other]
        if token == OFF_TABLE:
            o[0] = 0
            o[1] = 0
        elif token == IN_HAND:
            o[0] = 0
            o[1] = 1
        else:
            o[0] = token // SIDES + 1
            o[1] = token % SIDES
        o[2] = p.flag[other]
        o += 3
    o[0] = (p.seat + t.players - player) % t.players
    o[1] = p.phase
    o[2] = p.low
    o[3] = p.high
    o[4] = p.bumped + 1 if p.phase == TURN else 0


cdef void write_bitboards(const GameTable *table, const void *position, uint64_t *out) noexcept nogil:
    """Sets of spots, three words each: tokens by player, then yellow, green, red, the finish,
    and the sides that are joined."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Grid grid
    cdef int k, tile, side, spot, colour
    memset(out, 0, table.num_bitboards * sizeof(uint64_t))
    for k in range(t.players):
        if p.token[k] < SPOTS:
            out[3 * k + (p.token[k] >> 6)] |= <uint64_t>1 << (p.token[k] & 63)
    out += 3 * t.players
    lay_out(p, &grid)
    for tile in range(TILES):
        for side in range(SIDES):
            spot = spot_at(tile, side)
            colour = colour_of(t, p, spot)
            if colour:
                out[3 * (colour - 1) + (spot >> 6)] |= <uint64_t>1 << (spot & 63)
                if side != CENTRE and joined_tile(t, p, &grid, tile, side) != NO_TILE:
                    out[12 + (spot >> 6)] |= <uint64_t>1 << (spot & 63)


# ---------------------------------------------------------------- Rules

cdef class SwitchboardRules(Rules):
    """Switchboard's C side for one set of options.

    Parameters
    ----------
    players, table : int
    colours : sequence of 36 str
        By tile 11, 12, ..., 66: five letters for the printed N, E, S, W and centre: Y, G, R, F,
        or a dot where there is no spot.
    columns, rows : sequence of 36 int
        The first layout, the least 0.
    entry_tile, entry_side : int

    Notes
    -----
    Actions: 0-20 the rolls from 1+1 to 6+6; 21 ``stay``; moves by tile and side; places for a
    bumped token by tile and side; four turns; ``none``; shifts by tile, row, column and turns.
    Tiles without arms are left out of moves and shifts, and of the places for a bumped token only
    those stay that can be yellow.
    """
    cdef Tables tables

    def __init__(self, int players, int table, colours, columns, rows, int entry_tile, int entry_side):
        cdef Tables *t = &self.tables
        cdef GameTable *g = &self.table
        cdef int tile, side, k, arms, total, n, most
        compile_only_if(sizeof(Position) == 128)
        memset(t, 0, sizeof(Tables))
        memset(t.spot_move, NO_ACTION, SPOTS)
        memset(t.spot_bump, NO_ACTION, SPOTS)
        memset(t.tile_shift, NO_ACTION, TILES)
        t.players = players
        t.limit = table
        t.entry_tile = entry_tile
        t.entry_side = entry_side
        total = 0
        for tile in range(TILES):
            arms = 0
            for side in range(SIDES):
                k = ".YGRF".index(colours[tile][side])
                t.colour[tile][side] = k
                if k and side != CENTRE:
                    arms |= 1 << side
                    total += 1
                t.num_yellow += k == YELLOW
                if k == FINISH:
                    t.finish_tile = tile
                    t.finish_side = side
            for k in range(4):
                t.arms[tile][k] = rotate(arms, k)
            k = 1
            while k < 4 and (tile == entry_tile or any(
                    [t.colour[tile][side] != t.colour[tile][(side + k) & 3] for side in range(4)])):
                k *= 2
            t.period[tile] = k
            t.first_column[tile] = columns[tile]
            t.first_row[tile] = rows[tile]
        n = 0
        for k in range(1, 7):
            for side in range(k, 7):
                t.roll_low[n] = k
                t.roll_high[n] = side
                n += 1

        n = 0
        for tile in range(TILES):
            if t.arms[tile][0]:
                for side in range(SIDES):
                    t.move_spot[n] = spot_at(tile, side)
                    t.spot_move[spot_at(tile, side)] = n
                    n += 1
        t.moves = n
        n = 0
        for tile in range(TILES):
            for side in range(SIDES):
                if (t.colour[tile][CENTRE] == YELLOW if side == CENTRE else YELLOW in
                        [t.colour[tile][0], t.colour[tile][1], t.colour[tile][2], t.colour[tile][3]]):
                    t.bump_spot[n] = spot_at(tile, side)
                    t.spot_bump[spot_at(tile, side)] = n
                    n += 1
        t.bumps = n
        n = 0
        for tile in range(TILES):
            if t.arms[tile][0]:
                t.shift_tile[n] = tile
                t.tile_shift[tile] = n
                n += 1
        # 36 tiles fill a table of 6 by 6: a tile then only turns on its own cell.
        t.rim = table > 6
        t.least_turns = 0 if t.rim else 1
        t.cells = table * table + (4 * table if t.rim else 0)
        t.first_bump = FIRST_MOVE + t.moves
        t.first_turn = t.first_bump + t.bumps
        t.none = t.first_turn + 4
        t.first_shift = t.none + 1

        # Every arm faces one cell, where each of two tiles may be laid in at most four turns.
        most = max(1 + 2 * 4 * total, SPOTS)
        g.tables = t
        g.position_bytes = sizeof(Position)
        g.num_players = players
        g.num_actions = t.first_shift + n * t.cells * (4 - t.least_turns)
        g.max_legal_actions = most
        g.observation_bytes = 3 * TILES + 3 * players + 5
        g.num_bitboards = 3 * (players + 5)
        g.progress_goal = GOAL
        g.to_act = to_act
        g.turn = seat_to_move
        g.actions = list_actions
        g.apply = apply_action
        g.returns = write_returns
        g.progress = progress_of
        g.setup = set_up
        g.observe = observe
        g.bitboards = write_bitboards
        g.outcomes = list_outcomes
        self.complete()

    # ---- facts for the texts

    @property
    def periods(self):
        """tuple of int: by tile, the quarter turns after which it looks the same."""
        return tuple([self.tables.period[k] for k in range(TILES)])

    @property
    def first_bump(self):
        """int: the first action that puts a bumped token; 22 is the first move."""
        return self.tables.first_bump

    @property
    def first_turn(self):
        """int: the action t0."""
        return self.tables.first_turn

    @property
    def none(self):
        """int: the action none; shifts follow."""
        return self.tables.none

    def spot_of_move(self, int action):
        """The spot (tile * 5 + side) where a move ends."""
        if not FIRST_MOVE <= action < self.tables.first_bump:
            raise ValueError(f"{action} is no move")
        return self.tables.move_spot[action - FIRST_MOVE]

    def spot_of_bump(self, int action):
        """The spot where a bumped token is put."""
        if not self.tables.first_bump <= action < self.tables.first_turn:
            raise ValueError(f"{action} puts no token")
        return self.tables.bump_spot[action - self.tables.first_bump]

    def move_to(self, int spot):
        """The move that ends on a spot, or None."""
        if not 0 <= spot < SPOTS or self.tables.spot_move[spot] == NO_ACTION:
            return None
        return FIRST_MOVE + self.tables.spot_move[spot]

    def bump_to(self, int spot):
        """The action that puts a bumped token on a spot, or None."""
        if not 0 <= spot < SPOTS or self.tables.spot_bump[spot] == NO_ACTION:
            return None
        return self.tables.first_bump + self.tables.spot_bump[spot]

    def shift_parts(self, int action):
        """(tile, column, row, turns) of a shift."""
        cdef int tile, column, row, turns
        if not self.tables.first_shift <= action < self.table.num_actions:
            raise ValueError(f"{action} is no shift")
        read_shift(&self.tables, action, &tile, &column, &row, &turns)
        return tile, column, row, turns

    def shift_to(self, int tile, int column, int row, int turns):
        """The action that lays a tile there, or None where that has no number."""
        cdef int low = -self.tables.rim, high = self.tables.limit - 1 + self.tables.rim
        if not (0 <= tile < TILES and low <= column <= high and low <= row <= high
                and self.tables.least_turns <= turns < 4 and self.tables.tile_shift[tile] != NO_ACTION):
            return None
        if self.tables.rim and column in (low, high) and row in (low, high):
            return None
        return shift_number(&self.tables, tile, column, row, turns)

    # ---- positions as plain values

    def pack(self, tiles, tokens, flags, int seat, int phase, dice, int bumped):
        """The bytes of a position.

        Parameters
        ----------
        tiles : sequence of 36 (column, row, turns)
        tokens : sequence of int
            A spot, 255 off the table, 254 in hand.
        flags : sequence of int
            0 nothing, 1 another turn, 2 loses the next.
        seat, phase : int
            The phase from 0: roll, move, bump, turn, shift.
        dice : (int, int)
            (0, 0) in phase roll.
        bumped : int
        """
        cdef Position p
        cdef int k
        memset(&p, 0, sizeof(p))
        for k in range(TILES):
            p.column[k], p.row[k], p.turn[k] = tiles[k]
        for k in range(4):
            p.token[k] = tokens[k] if k < self.tables.players else NOT_PLAYED
            p.flag[k] = flags[k] if k < self.tables.players else 0
        p.seat = seat
        p.phase = phase
        p.low, p.high = dice
        p.bumped = bumped
        return (<char *>&p)[:sizeof(p)]

    cdef int read(self, bytes position, Position *p) except -1:
        if len(position) != sizeof(Position):
            raise ValueError("these are not the bytes of a position")
        memcpy(p, <char *>position, sizeof(Position))
        return 0

    def unpack(self, bytes position):
        """(tiles, tokens, flags, seat, phase, dice, bumped), as `pack` takes them."""
        cdef Position p
        cdef int k
        self.read(position, &p)
        return (
            [(p.column[k], p.row[k], p.turn[k]) for k in range(TILES)],
            [p.token[k] for k in range(self.tables.players)],
            [p.flag[k] for k in range(self.tables.players)],
            p.seat, p.phase, (p.low, p.high), p.bumped,
        )

    # ---- queries

    def walk_ends(self, bytes position, int spot, int steps):
        """The spots where a walk of that many steps from a spot (255: off the table) ends."""
        cdef Position p
        cdef uint64_t[3] ends
        cdef int k
        self.read(position, &p)
        if steps < 1 or not (0 <= spot < SPOTS or spot == OFF_TABLE):
            raise ValueError("no such walk")
        plain_walks(&self.tables, &p, spot, steps, ends)
        return [k for k in range(SPOTS) if ends[k >> 6] >> (k & 63) & 1]

    def steps_to_finish(self, bytes position, int spot):
        """The least number of steps from a spot to the finish, or None."""
        cdef Position p
        self.read(position, &p)
        if not (0 <= spot < SPOTS or IN_HAND <= spot <= OFF_TABLE):
            raise ValueError("no such spot")
        cdef int steps = steps_to_finish(&self.tables, &p, spot)
        return None if steps < 0 else steps
