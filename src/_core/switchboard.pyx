"""Switchboard: dice, paths over 36 tiles that move on an open table.

A spot is tile * 5 + side, the side as it lies on the table: N, E, S, W, centre. A turn adds
quarter turns clockwise to the four sides, so a printed side s of a tile turned t times lies at
(s + t) & 3. Columns grow to the east, rows to the south.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from boardrace._core.bits cimport (
    compile_only_if, count_leading_zeros, count_trailing_zeros, count_trailing_zeros32, likely,
    multiply_high, pop_lowest, pop_lowest32, popcount, popcount32, require, unlikely,
)
from boardrace._core.engine cimport CHANCE, GameTable, Rules, TERMINAL
from boardrace._core.rng cimport Draws, draw
from boardrace._core.threads cimport read_flag

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
    # --- for the quick ways
    uint8_t[36] point_low       # the dice at each of the 36 points of the cumulated weights
    uint8_t[36] point_high
    uint8_t[36] lane            # where the tile's shape has its count in a packed sum
    uint64_t[16] joined_turns   # by the sides that face a cell: packed, how many turns join
    uint64_t[36][4] sides       # by tile and turn: bit 16 * side where there is an arm
    uint64_t[16][4] spread      # by arms and side: all ones where there is an arm
    uint64_t[4][32] one_side    # what one of the sides adds to that, by side and all of them; 0
                                # where the cell is taken
    uint8_t[16][16] which_turns # by arms and sides that face a cell: the turns that join, a bit each
    uint8_t[16][4] nth_turn     # by such bits and a rank
    uint8_t[36][4][8] flag_at   # the flag that a spot gives, by tile, turn and side as it lies
    uint16_t[4][256] next_turn  # by seat and flags: the next seat * 256 + flags


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


# ---------------------------------------------------------------- the quick ways
# A board that is changed tile by tile and keeps what counting shifts needs. Its frame of 64 by 64
# cells has room for tables of up to 60; larger ones are played the plain way.
#
# For every empty cell `facing` says at which sides a spot faces it: the tiles that can be laid
# there, and turned how, follow from that alone. `total` adds up over all empty cells in how many
# of its four turns a tile would be joined there: five sums, one for each shape of tile (one arm,
# two in a line, a corner, three, four), packed in one word.

cdef enum:
    WIDE = 64                   # cells in a row of the frame
    FRAME = 4096
    MOST_TABLE = 60             # the largest table that fits with its rim
    TAKEN = 16                  # beside the sides that face a cell: a tile lies there
    OUT = 511                   # a token's code off the table: no tile, no side
    HELD = 510                  # in hand
    ABSENT = 509                # not played
    LANE = 12                   # bits of a sum
    NO_LANE = 60

cdef extern from *:
    """
    /* unsigned, so that an index needs no sign; 4 is no side */
    static const uint32_t br_switchboard_beyond[5] = {0u - 64u, 1u, 64u, 0u - 1u, 0u};
    static const int br_switchboard_ways[13] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 2, 2, 1, 1};
    """
    const uint32_t[5] BEYOND "br_switchboard_beyond"    # from a cell to the next at each side
    const int[13] WAYS "br_switchboard_ways"        # rolls with a total

cdef struct Board:
    uint8_t[4096] tile          # by cell
    uint8_t[4096] arms_on       # by cell: the arms of the tile there
    uint8_t[4096] facing        # by cell: the sides at which a spot faces it, and TAKEN
    uint64_t[64] sum            # packed sums over the empty cells of a row, see above
    uint64_t[64] front          # by row: the empty cells that a spot faces
    uint64_t total              # the sums of all rows
    uint8_t[40] turn            # by tile
    uint16_t[40] cell
    int left                    # a box that holds all tiles, perhaps too large
    int right
    int top
    int bottom

# The rest of a position. A spot is written tile * 8 + side here. The tokens share one word, 16 bits
# each, so that they can be looked at together; the flags share a byte, two bits each.
cdef struct Men:
    uint64_t tokens
    uint8_t flags
    uint8_t seat
    uint8_t low
    uint8_t high
    uint8_t bumped
    uint8_t[3] unused

cdef struct Work:
    Board board
    Men men


cdef inline int token_at(const Men *men, int player) noexcept nogil:
    return men.tokens >> 16 * player & 0xffff


cdef inline void put_token(Men *men, int player, int code) noexcept nogil:
    men.tokens ^= (men.tokens ^ <uint64_t>code << 16 * player) & <uint64_t>0xffff << 16 * player


cdef inline int code_of(int token) noexcept nogil:
    return token + token // SIDES * 3 if token < SPOTS else OUT - (OFF_TABLE - token)


cdef inline int token_of(int code) noexcept nogil:
    return (code >> 3) * SIDES + (code & 7) if code < ABSENT else OFF_TABLE - (OUT - code)


cdef inline int code_turned(int code, int tile, int turns) noexcept nogil:
    """A token's spot after its tile, if it is this one, is turned."""
    return (tile << 3) | ((code + turns) & 3) if code >> 3 == tile and code & 7 < 4 else code


cdef inline unsigned int arms_laid(const Tables *t, const Board *b, int tile) noexcept nogil:
    return t.arms[tile][b.turn[tile]]


cdef inline uint64_t face(const Tables *t, Board *b, uint32_t cell, uint32_t side) noexcept nogil:
    """Let a spot face the cell beyond a side; what that adds to `total`."""
    cdef uint32_t beside = cell + BEYOND[side]
    cdef uint32_t sides = b.facing[beside] | 1u << (side ^ 2)
    cdef uint64_t more = t.one_side[side ^ 2][sides]
    b.facing[beside] = sides
    b.sum[beside >> 6] += more
    b.front[beside >> 6] |= <uint64_t>(sides < TAKEN) << (beside & 63)
    return more


cdef inline uint64_t turn_away(const Tables *t, Board *b, uint32_t cell, uint32_t side) noexcept nogil:
    """Undo `face`; what that takes from `total`."""
    cdef uint32_t beside = cell + BEYOND[side]
    cdef uint32_t sides = b.facing[beside], rest = sides ^ 1u << (side ^ 2)
    cdef uint64_t less = t.one_side[side ^ 2][sides]
    b.facing[beside] = rest
    b.sum[beside >> 6] -= less
    b.front[beside >> 6] &= ~(<uint64_t>(rest == 0) << (beside & 63))
    return less


cdef inline void place(const Tables *t, Board *b, uint32_t tile, uint32_t cell, uint32_t turn) noexcept nogil:
    """Lay a tile that is not on the board on an empty cell. The box is the caller's."""
    cdef uint32_t row = cell >> 6, arms = t.arms[tile][turn], sides = b.facing[cell]
    cdef uint64_t own = t.joined_turns[sides], total = b.total - own
    require(sides < TAKEN and WIDE <= cell < FRAME - WIDE and 0 < (cell & 63) < 63)
    b.cell[tile] = cell
    b.turn[tile] = turn
    b.tile[cell] = tile
    b.arms_on[cell] = arms
    b.facing[cell] = sides | TAKEN
    b.sum[row] -= own
    b.front[row] &= ~(<uint64_t>1 << (cell & 63))
    # most tiles have two arms: no loop for those
    if likely(arms != 0):
        total += face(t, b, cell, pop_lowest32(&arms))
        if likely(arms != 0):
            total += face(t, b, cell, pop_lowest32(&arms))
            while unlikely(arms != 0):
                total += face(t, b, cell, pop_lowest32(&arms))
    b.total = total


cdef inline void lift(const Tables *t, Board *b, uint32_t tile) noexcept nogil:
    """Take a tile off the board; its cell and turn stay written."""
    cdef uint32_t cell = b.cell[tile], row = cell >> 6, sides = b.facing[cell] ^ TAKEN
    cdef uint32_t arms = b.arms_on[cell]
    cdef uint64_t own = t.joined_turns[sides], total = b.total + own
    require(sides < TAKEN and b.tile[cell] == tile)
    b.arms_on[cell] = 0
    b.facing[cell] = sides
    b.sum[row] += own
    b.front[row] |= <uint64_t>(sides != 0) << (cell & 63)
    if likely(arms != 0):
        total -= turn_away(t, b, cell, pop_lowest32(&arms))
        if likely(arms != 0):
            total -= turn_away(t, b, cell, pop_lowest32(&arms))
            while unlikely(arms != 0):
                total -= turn_away(t, b, cell, pop_lowest32(&arms))
    b.total = total


cdef inline bint cover(Board *b, int cell) noexcept nogil:
    """Let the box hold a cell; whether it has to grow for that."""
    cdef int column = cell & 63, row = cell >> 6
    if likely(not (column < b.left) | (column > b.right) | (row < b.top) | (row > b.bottom)):
        return False
    b.left = min(b.left, column)
    b.right = max(b.right, column)
    b.top = min(b.top, row)
    b.bottom = max(b.bottom, row)
    return True


cdef inline void clear_rows(Board *b, int first, int last) noexcept nogil:
    # row by row: a size that is known becomes a few stores, another one a slow loop
    cdef int row
    for row in range(first, last + 1):
        memset(b.arms_on + row * WIDE, 0, WIDE)
        memset(b.facing + row * WIDE, 0, WIDE)
        b.sum[row] = 0
        b.front[row] = 0


cdef inline uint32_t cell_of(const Position *p, const Board *b, int tile) noexcept nogil:
    """A tile's cell in the frame, by the corner of the box."""
    return (b.top + p.row[tile]) * WIDE + b.left + p.column[tile]


cdef void load_tiles(const Tables *t, const Position *p, Board *b, bint whole) noexcept nogil:
    """Write a position's tiles in the middle of the frame; not `whole`: only what a walk of the
    player's whose turn it is needs (and `cell` of no tile but those where it can begin)."""
    cdef int k, row
    cdef uint32_t[TILES] cells
    cdef uint8_t wide = 0, high = 0
    for k in range(TILES):
        wide = max(wide, p.column[k])
        high = max(high, p.row[k])
    b.left = (WIDE - 1 - wide) >> 1
    b.top = (WIDE - 1 - high) >> 1
    b.right = b.left + wide
    b.bottom = b.top + high
    if whole:
        b.total = 0
        clear_rows(b, max(b.top - 2, 0), min(b.bottom + 2, WIDE - 1))
        for k in range(TILES):
            place(t, b, k, cell_of(p, b, k), p.turn[k])
        return
    for row in range(b.top - 1, b.bottom + 2):
        memset(b.arms_on + row * WIDE, 0, WIDE)
    memcpy(b.turn, p.turn, TILES)
    for k in range(TILES):              # apart, so that it is done in vectors
        cells[k] = cell_of(p, b, k)
    for k in range(TILES):
        b.tile[cells[k]] = k
        b.arms_on[cells[k]] = arms_of(t, p, k)
    k = p.token[p.seat] // SIDES if p.token[p.seat] < SPOTS else t.entry_tile
    b.cell[k] = cell_of(p, b, k)


cdef inline void load_men(const Position *p, Men *men) noexcept nogil:
    cdef int k
    men.flags = 0
    men.tokens = 0
    for k in range(4):
        men.tokens |= <uint64_t>code_of(p.token[k]) << 16 * k
        men.flags |= p.flag[k] << 2 * k
    men.seat = p.seat
    men.low = p.low
    men.high = p.high
    men.bumped = p.bumped


cdef inline int finish_code(const Tables *t, const Board *b) noexcept nogil:
    return t.finish_tile << 3 | (
        CENTRE if t.finish_side == CENTRE else (t.finish_side + b.turn[t.finish_tile]) & 3)


cdef inline int colour_at(const Tables *t, const Board *b, int code) noexcept nogil:
    cdef int tile = code >> 3, side = code & 7
    return t.colour[tile][side if side == CENTRE else (side - b.turn[tile]) & 3]


cdef inline uint64_t tiles_with_side_tokens(const Men *men) noexcept nogil:
    cdef int k
    cdef uint64_t found = 0
    for k in range(4):
        found |= <uint64_t>((token_at(men, k) & 7) < 4) << (token_at(men, k) >> 3)
    return found


cdef inline uint64_t lanes_at_0(uint64_t lanes) noexcept nogil:
    """The top bit of the lowest lane of 16 bits that is 0 (and perhaps of lanes above it)."""
    return (lanes - 0x0001000100010001ULL) & ~lanes & 0x8000800080008000ULL


cdef inline bint token_beside(const Men *men, int tile) noexcept nogil:
    """As token_on_side."""
    return lanes_at_0(
        (men.tokens ^ <uint64_t>(tile << 3) * 0x0001000100010001ULL) & 0xfffcfffcfffcfffcULL) != 0


cdef inline int turns_shown(const Tables *t, const Men *men, int tile) noexcept nogil:
    """As turns_of: how many turns of the tile are different positions."""
    return 4 if unlikely(token_beside(men, tile)) else t.period[tile]


cdef inline int owner_at(const Men *men, int code) noexcept nogil:
    """The player other than the mover on a spot, or -1."""
    # a lane is 0 where a token is on the spot; the mover's own is made not to be
    cdef uint64_t lanes = lanes_at_0(
        (men.tokens ^ <uint64_t>code * 0x0001000100010001ULL) | <uint64_t>0xffff << 16 * men.seat)
    return count_trailing_zeros(lanes) >> 4 if lanes else -1


cdef inline void set_flag(Men *men, int flag) noexcept nogil:
    """The mover's flag."""
    men.flags = (men.flags & ~(3 << 2 * men.seat)) | flag << 2 * men.seat


# ---- walks

cdef struct Front:
    uint16_t[144] cell          # at the centre of the tile on each
    uint8_t[144] exits          # the arms that do not lead straight back
    int n


cdef inline void go_to(Front *front, int cell, unsigned int exits) noexcept nogil:
    """Add a centre and the ways on. Walks that come to one centre over one arm are one from there
    on: what is kept is the set of (spot, spot before)."""
    cdef int k = 0
    while k < front.n and not (front.cell[k] == cell and front.exits[k] == exits):
        k += 1
    if k == front.n:
        require(k < 144)
        front.cell[k] = cell
        front.exits[k] = exits
        front.n = k + 1


cdef int keep_sorted(uint16_t *ends, int n, int code) noexcept nogil:
    """Put a spot into an ascending list without duplicates; its length."""
    cdef int k = n, j
    while k > 0 and ends[k - 1] > code:
        k -= 1
    if k > 0 and ends[k - 1] == code:
        return n
    require(n < SPOTS)
    for j in range(n, k, -1):
        ends[j] = ends[j - 1]
    ends[k] = code
    return n + 1


cdef inline int add_end(uint16_t *ends, int n, int code) noexcept nogil:
    if likely(n == 0):
        ends[0] = code
        return 1
    return keep_sorted(ends, n, code)


cdef inline int last_steps(const Board *b, uint32_t cell, uint32_t exits, int steps, uint16_t *ends, int n) noexcept nogil:
    """Add the ends of walks that are on the centre of a cell's tile, with 0 to 2 steps to go."""
    cdef uint32_t side
    if steps == 0:
        return add_end(ends, n, b.tile[cell] << 3 | CENTRE)
    while exits:
        side = pop_lowest32(&exits)
        if steps == 1:
            n = add_end(ends, n, b.tile[cell] << 3 | side)
        elif b.arms_on[cell + BEYOND[side]] >> (side ^ 2) & 1:
            n = add_end(ends, n, b.tile[cell + BEYOND[side]] << 3 | (side ^ 2))
    return n


cdef int walk_forks(const Board *b, int cell, unsigned int exits, int steps, uint16_t *ends, int n) noexcept nogil:
    """As walk_on, wherever tracks fork and meet."""
    cdef Front[2] fronts
    cdef Front *now = &fronts[0]
    cdef Front *then = &fronts[1]
    cdef Front *other
    cdef int k, side
    now.cell[0] = cell
    now.exits[0] = exits
    now.n = 1
    while steps > 2:
        then.n = 0
        for k in range(now.n):
            exits = now.exits[k]
            while exits:
                side = pop_lowest32(&exits)
                cell = now.cell[k] + BEYOND[side]
                if b.arms_on[cell] >> (side ^ 2) & 1:
                    go_to(then, cell, b.arms_on[cell] ^ 1u << (side ^ 2))
        other = now
        now = then
        then = other
        steps -= 3
    for k in range(now.n):
        n = last_steps(b, now.cell[k], now.exits[k], steps, ends, n)
    return n


cdef inline int walk_on(const Board *b, uint32_t cell, uint32_t exits, int steps, uint16_t *ends, int n) noexcept nogil:
    """Add to `ends` where walks end that are on the centre of a cell's tile, with so many steps to
    go. From centre to centre it is three steps. Where a track ends there is no exit any more:
    the loop goes on in place, so that only its end has to be foreseen."""
    cdef uint32_t side, joined = 1
    while steps > 2:
        if unlikely(exits & (exits - 1)):
            return walk_forks(b, cell, exits, steps, ends, n)
        side = count_trailing_zeros32(exits | 16)
        cell += BEYOND[side]
        exits = b.arms_on[cell]
        joined = exits >> (side ^ 2) & 1
        exits = (exits ^ 1u << (side ^ 2)) & (0 - joined)
        steps -= 3
    return last_steps(b, cell, exits, steps, ends, n) if joined else n


cdef inline int walk(const Tables *t, const Board *b, int code, int steps, uint16_t *ends) noexcept nogil:
    """Where walks of that many steps, at least 2, end: ascending, without duplicates; how many."""
    cdef uint32_t side = code & 7, cell, exits, next
    cdef int n = 0
    if unlikely(code == OUT):
        side = (t.entry_side + b.turn[t.entry_tile]) & 3
        cell = b.cell[t.entry_tile]
        return walk_on(b, cell, b.arms_on[cell] ^ 1u << side, steps - 2, ends, 0)
    cell = b.cell[code >> 3]
    exits = b.arms_on[cell]
    if side == CENTRE:
        if steps == 2:
            return last_steps(b, cell, exits, 2, ends, 0)
        while exits:
            side = pop_lowest32(&exits)
            next = cell + BEYOND[side]
            side ^= 2
            if b.arms_on[next] >> side & 1:
                n = walk_on(b, next, b.arms_on[next] ^ 1u << side, steps - 3, ends, n)
        return n
    n = walk_on(b, cell, exits ^ 1u << side, steps - 1, ends, 0)
    cell += BEYOND[side]
    side ^= 2
    exits = b.arms_on[cell]
    if exits >> side & 1:
        n = walk_on(b, cell, exits ^ 1u << side, steps - 2, ends, n)
    return n


# Walks of all totals at once.
cdef struct Walks:
    uint64_t tiles              # all tiles that a walk touches
    bint crossed                # whether one was touched twice: only then can ends coincide
    int[16] count               # ends by total
    uint16_t[16][880] ends


cdef void spread_walks(const Board *b, int cell, unsigned int exits, int steps, Walks *w) noexcept nogil:
    """Add all ends of walks of up to 12 steps that are on a tile's centre after `steps`."""
    cdef Front[2] fronts
    cdef Front *now = &fronts[0]
    cdef Front *then = &fronts[1]
    cdef Front *other
    cdef int k, side, tile
    now.cell[0] = cell
    now.exits[0] = exits
    now.n = 1
    while steps <= 12 and now.n:
        then.n = 0
        for k in range(now.n):
            tile = b.tile[now.cell[k]]
            require(w.count[steps] < 876)
            w.ends[steps][w.count[steps]] = tile << 3 | CENTRE
            w.count[steps] += 1
            exits = now.exits[k]
            if steps == 12:
                continue
            while exits:
                side = pop_lowest32(&exits)
                w.ends[steps + 1][w.count[steps + 1]] = tile << 3 | side
                w.count[steps + 1] += 1
                cell = now.cell[k] + BEYOND[side]
                side ^= 2
                if steps == 11 or not b.arms_on[cell] >> side & 1:
                    continue
                w.ends[steps + 2][w.count[steps + 2]] = b.tile[cell] << 3 | side
                w.count[steps + 2] += 1
                w.crossed |= w.tiles >> b.tile[cell] & 1
                w.tiles |= <uint64_t>1 << b.tile[cell]
                go_to(then, cell, b.arms_on[cell] ^ 1u << side)
        other = now
        now = then
        then = other
        steps += 3


cdef void walk_all(const Tables *t, const Board *b, int code, Walks *w) noexcept nogil:
    """The ends of all walks of 2 to 12 steps, without duplicates."""
    cdef int tile = t.entry_tile if code == OUT else code >> 3
    cdef int side = (t.entry_side + b.turn[tile]) & 3 if code == OUT else code & 7
    cdef int cell = b.cell[tile], total, k, n
    cdef uint64_t[5] seen
    memset(w.count, 0, sizeof(w.count))
    w.crossed = False
    w.tiles = <uint64_t>1 << tile
    if code == OUT:
        spread_walks(b, cell, b.arms_on[cell] ^ 1u << side, 2, w)
    elif side == CENTRE:
        spread_walks(b, cell, b.arms_on[cell], 0, w)
    else:
        spread_walks(b, cell, b.arms_on[cell] ^ 1u << side, 1, w)
        cell += BEYOND[side]
        side ^= 2
        if b.arms_on[cell] >> side & 1:
            w.crossed |= w.tiles >> b.tile[cell] & 1
            w.tiles |= <uint64_t>1 << b.tile[cell]
            spread_walks(b, cell, b.arms_on[cell] ^ 1u << side, 2, w)
    if not w.crossed:
        return
    for total in range(2, 13):
        memset(seen, 0, sizeof(seen))
        n = 0
        for k in range(w.count[total]):
            code = w.ends[total][k]
            if not seen[code >> 6] >> (code & 63) & 1:
                seen[code >> 6] |= <uint64_t>1 << (code & 63)
                w.ends[total][n] = code
                n += 1
        w.count[total] = n


# ---- shifts

cdef struct Limits:
    uint64_t columns            # where a tile may be laid, a bit each
    int top                     # the same for rows
    int bottom


cdef inline bint is_tight(const Tables *t, const Board *b) noexcept nogil:
    """Whether the table's limit could forbid a shift."""
    return b.right - b.left + 1 >= t.limit or b.bottom - b.top + 1 >= t.limit


cdef void make_box_exact(Board *b) noexcept nogil:
    cdef int k
    cdef int16_t left = WIDE, right = 0, top = FRAME, bottom = 0, column, row
    for k in range(TILES):
        column = b.cell[k] & 63
        row = b.cell[k]
        left = min(left, column)
        right = max(right, column)
        top = min(top, row)
        bottom = max(bottom, row)
    b.left = left
    b.right = right
    b.top = top >> 6
    b.bottom = bottom >> 6


cdef bint find_limits(const Tables *t, Board *b, int tile, Limits *limits) noexcept nogil:
    """Where the table's limit lets a tile lie, and whether it forbids any cell beside the others.
    All tiles are laid, and the box is exact."""
    cdef int cell = b.cell[tile], column = cell & 63, row = cell >> 6
    cdef bint forbids
    if (column == b.left) | (column == b.right) | (row == b.top) | (row == b.bottom):
        # the others may have a smaller box
        b.cell[tile] = b.cell[tile == 0]
        make_box_exact(b)
        b.cell[tile] = cell
    limits.columns = (<uint64_t>2 << min(b.left + t.limit - 1, WIDE - 1)) - (
        <uint64_t>1 << max(b.right - t.limit + 1, 0))
    limits.top = max(b.bottom - t.limit + 1, 0)
    limits.bottom = min(b.top + t.limit - 1, WIDE - 1)
    forbids = is_tight(t, b)
    cover(b, cell)
    return forbids


cdef inline int count_free(const Tables *t, const Board *b, uint32_t tile, int choices) noexcept nogil:
    """Shifts of a tile where no limit is in the way: what `total` would be without it."""
    cdef uint32_t side, beside, cell = b.cell[tile], arms = b.arms_on[cell]
    cdef uint32_t sides = b.facing[cell] ^ TAKEN
    cdef uint64_t total = b.total + t.joined_turns[sides]
    for side in range(4):       # without branches
        beside = cell + BEYOND[side]
        total -= t.one_side[side ^ 2][b.facing[beside]] & (<uint64_t>0 - (arms >> side & 1))
    return ((<int>(total >> t.lane[tile]) & 4095) * choices >> 2) - ((arms & sides) != 0)


cdef int count_limited(const Tables *t, Board *b, int tile, int choices) noexcept nogil:
    """Shifts of a tile within the table's limit, the box being exact: all less the forbidden ones."""
    cdef Limits limits
    cdef int row, n = count_free(t, b, tile, choices)
    cdef uint64_t cells
    cdef uint32_t side, cell, sides, own = b.cell[tile], arms = b.arms_on[own]
    if not find_limits(t, b, tile, &limits):
        return n
    for row in range(b.top - 1, b.bottom + 2):
        cells = b.front[row]
        if limits.top <= row <= limits.bottom:
            cells &= ~limits.columns
        while cells:
            cell = row * WIDE + pop_lowest(&cells)
            sides = b.facing[cell]
            for side in range(4):       # what the tile itself faces does not count
                sides &= ~(<uint32_t>(own + BEYOND[side] == cell) << (side ^ 2))
            n -= popcount32(t.which_turns[arms][sides] & ((1u << choices) - 1))
    return n


cdef inline int count_shifts_of(const Tables *t, Board *b, int tile, int choices) noexcept nogil:
    if unlikely(is_tight(t, b)):
        make_box_exact(b)
        return count_limited(t, b, tile, choices)
    return count_free(t, b, tile, choices)


cdef int count_shifts(const Tables *t, Board *b, const Men *men) noexcept nogil:
    """All shifts of a roll, `none` too."""
    cdef int tile = tile_of(men.low, men.high)
    cdef int n = 1 + count_shifts_of(t, b, tile, turns_shown(t, men, tile))
    if men.low != men.high:
        tile = tile_of(men.high, men.low)
        n += count_shifts_of(t, b, tile, turns_shown(t, men, tile))
    return n


cdef inline void pick_turn(const Tables *t, const Board *b, uint64_t cells, int row, unsigned int arms,
                           unsigned int mask, int own, int rank, int *cell, int *turns) noexcept nogil:
    """The shift of that rank among those to some cells of a row."""
    cdef unsigned int which = 0
    cdef int n = 0
    while rank >= n:
        rank -= n
        cell[0] = row * WIDE + pop_lowest(&cells)
        which = t.which_turns[arms][b.facing[cell[0]]] & mask
        which &= ~<unsigned int>(cell[0] == own)
        n = popcount32(which)
    turns[0] = t.nth_turn[which][rank]


cdef inline void find_shift(const Tables *t, Board *b, int tile, int choices, int rank, int *cell, int *turns) noexcept nogil:
    """The shift of a tile with that rank, where no limit is in the way. The tile is lifted, and
    left so."""
    cdef int row, n, scale, own = b.cell[tile], lane = t.lane[tile]
    cdef unsigned int arms = b.arms_on[own]
    cdef uint64_t same = (arms & b.facing[own]) != 0
    lift(t, b, tile)
    row = b.top - 1
    # The sums are of four turns: a rank among fewer is as good as one among so many times more.
    # The shift that changes nothing has no rank, it is `none`.
    scale = 2 - (choices >> 1)      # 4, 2, 1 turns: 0, 1, 2
    rank <<= scale
    b.sum[own >> 6] -= same << (lane + scale)
    n = <int>(b.sum[row] >> lane) & 4095
    while rank >= n:
        rank -= n
        row += 1
        n = <int>(b.sum[row] >> lane) & 4095
    b.sum[own >> 6] += same << (lane + scale)
    rank >>= scale
    pick_turn(t, b, b.front[row], row, arms, (1u << choices) - 1, own, rank, cell, turns)


cdef void find_shift_limited(const Tables *t, Board *b, int tile, int choices, int rank, int *cell, int *turns) noexcept nogil:
    """As find_shift, within the table's limit, the box being exact."""
    cdef Limits limits
    cdef int row, n, scale = 2 - (choices >> 1), own = b.cell[tile], lane = t.lane[tile]
    cdef unsigned int arms = b.arms_on[own], mask = (1u << choices) - 1
    cdef uint64_t cells, same = (arms & b.facing[own]) != 0
    if not find_limits(t, b, tile, &limits):
        find_shift(t, b, tile, choices, rank, cell, turns)
        return
    lift(t, b, tile)
    b.sum[own >> 6] -= same << (lane + scale)
    row = max(limits.top, b.top - 1)
    while True:
        n = (<int>(b.sum[row] >> lane) & 4095) >> scale
        cells = b.front[row] & ~limits.columns
        while cells:
            n -= popcount32(t.which_turns[arms][b.facing[row * WIDE + pop_lowest(&cells)]] & mask)
        if rank < n:
            break
        rank -= n
        row += 1
    b.sum[own >> 6] += same << (lane + scale)
    pick_turn(t, b, b.front[row] & limits.columns, row, arms, mask, own, rank, cell, turns)


cdef inline bint lay_turned(const Tables *t, Board *b, Men *men, int tile, int cell, int turns) noexcept nogil:
    """Lay a lifted tile, turned so many times further, with the tokens on it; whether the box has
    to grow."""
    cdef int k
    place(t, b, tile, cell, (b.turn[tile] + turns) & (t.period[tile] - 1))
    if unlikely(token_beside(men, tile)):
        for k in range(4):
            put_token(men, k, code_turned(token_at(men, k), tile, turns))
    return cover(b, cell)


# ---- phases

cdef inline void next_turn(const Tables *t, Men *men) noexcept nogil:
    """As end_turn."""
    cdef int next = t.next_turn[men.seat][men.flags]
    men.seat = next >> 8
    men.flags = next & 255


cdef inline void feel_colour(const Tables *t, const Board *b, Men *men) noexcept nogil:
    """As begin_shift."""
    cdef int code = token_at(men, men.seat), tile = code >> 3
    set_flag(men, t.flag_at[tile][b.turn[tile]][code & 7])


cdef inline int count_bumps(const Tables *t, const Board *b, const Men *men) noexcept nogil:
    cdef int k, n = t.num_yellow
    for k in range(t.players):
        if token_at(men, k) < ABSENT:
            n -= colour_at(t, b, token_at(men, k)) == YELLOW
    return n


# ---- counting the last plies: one function a phase, the depth at least 1. The board and the men
# are changed on the way and left as they were.

cdef uint64_t tail_roll(const Tables *t, Board *b, const Men *men, int depth) noexcept nogil:
    cdef Walks w
    cdef Men then
    cdef uint64_t n = 0
    cdef int k
    if depth == 1:
        return ROLLS
    if depth == 2:
        walk_all(t, b, token_at(men, men.seat), &w)
        return moves_by_roll(&w)
    if depth <= 4:
        walk_all(t, b, token_at(men, men.seat), &w)
        return shifts_by_roll(t, b, men, &w, depth)
    then = men[0]
    for k in range(ROLLS):
        then.low = t.roll_low[k]
        then.high = t.roll_high[k]
        n += tail_move(t, b, &then, depth - 1)
    return n


cdef inline uint64_t moves_by_roll(const Walks *w) noexcept nogil:
    """Roll, then move: each total counts as often as it can be rolled."""
    cdef uint64_t n = 0
    cdef int total
    for total in range(2, 13):
        n += WAYS[total] * max(w.count[total], 1)
    return n


cdef uint64_t shifts_by_roll(const Tables *t, Board *b, const Men *men, const Walks *w, int depth) noexcept nogil:
    """Roll, move, shift (and, at depth 4, roll): how many shifts a tile has depends on the move only
    where that brings a token to, or takes it off, a side of that tile."""
    cdef uint64_t n = 0, side_tokens, after_bump = 0
    cdef Men then = men[0]
    cdef int[13] plain          # ends by total that are no bump and not the finish
    cdef int[36] more           # how many more shifts a tile has with a token on a side
    cdef int total, k, tile, code, finish = finish_code(t, b), seat = men.seat, few
    cdef bint alone
    put_token(&then, seat, OUT)
    side_tokens = tiles_with_side_tokens(&then)
    for total in range(2, 13):
        plain[total] = 0 if w.count[total] else 1
        for k in range(w.count[total]):
            code = w.ends[total][k]
            if code == finish:
                continue
            if owner_at(&then, code) < 0:
                plain[total] += 1
                continue
            then = men[0]
            then.bumped = owner_at(&then, code)
            put_token(&then, seat, code)
            put_token(&then, then.bumped, HELD)
            after_bump += WAYS[total] * (tail_bump(t, b, &then, 2) if depth == 4 else count_bumps(t, b, &then))
            then = men[0]
            put_token(&then, seat, OUT)
        n += WAYS[total] * plain[total]
    for tile in range(TILES):
        total = tile // 6 + tile % 6 + 2
        alone = side_tokens >> tile & 1
        few = count_shifts_of(t, b, tile, 4 if alone else t.period[tile])
        more[tile] = 0 if alone or t.period[tile] == 4 else count_shifts_of(t, b, tile, 4) - few
        n += <uint64_t>plain[total] * few
    for total in range(2, 13):
        if not w.count[total]:
            code = token_at(men, seat)
            tile = code >> 3
            if code < ABSENT and code & 7 < 4 and tile // 6 + tile % 6 + 2 == total:
                n += more[tile]
        for k in range(w.count[total]):
            code = w.ends[total][k]
            tile = code >> 3
            if (code & 7 < 4 and tile // 6 + tile % 6 + 2 == total and more[tile] and code != finish
                    and owner_at(&then, code) < 0):
                n += more[tile]
    return (n * ROLLS if depth == 4 else n) + after_bump


cdef uint64_t tail_move(const Tables *t, Board *b, const Men *men, int depth) noexcept nogil:
    cdef uint16_t[184] ends
    cdef int n, k, other, finish = finish_code(t, b)
    cdef Men then
    cdef uint64_t total = 0
    if token_at(men, men.seat) == finish:
        return 0
    n = walk(t, b, token_at(men, men.seat), men.low + men.high, ends)
    if depth == 1:
        return max(n, 1)
    then = men[0]
    if n == 0:
        set_flag(&then, NOTHING)
        return tail_shift(t, b, &then, depth - 1)
    for k in range(n):
        if ends[k] == finish:
            continue
        then = men[0]
        other = owner_at(men, ends[k])
        put_token(&then, men.seat, ends[k])
        if other < 0:
            feel_colour(t, b, &then)
            total += tail_shift(t, b, &then, depth - 1)
        else:
            put_token(&then, other, HELD)
            then.bumped = other
            total += tail_bump(t, b, &then, depth - 1)
    return total


cdef uint64_t tail_bump(const Tables *t, Board *b, const Men *men, int depth) noexcept nogil:
    cdef uint64_t total = 0
    cdef int k, tile, code
    cdef Men then
    if depth == 1:
        return count_bumps(t, b, men)
    for k in range(t.bumps):
        code = code_of(t.bump_spot[k])
        if colour_at(t, b, code) != YELLOW:
            continue
        if token_at(men, men.seat) == code or owner_at(men, code) >= 0:
            continue
        tile = code >> 3
        then = men[0]
        put_token(&then, men.bumped, code)
        then.bumped = tile
        total += tail_turn(t, b, &then, depth - 1)
    return total


cdef uint64_t tail_turn(const Tables *t, Board *b, const Men *men, int depth) noexcept nogil:
    cdef int tile = men.bumped, cell = b.cell[tile], turn = b.turn[tile], k
    cdef int choices = turns_shown(t, men, tile)
    cdef uint64_t total = 0
    cdef Men then
    if depth == 1:
        return choices
    for k in range(choices):
        then = men[0]
        lift(t, b, tile)
        b.turn[tile] = turn
        lay_turned(t, b, &then, tile, cell, k)
        feel_colour(t, b, &then)
        total += tail_shift(t, b, &then, depth - 1)
    lift(t, b, tile)
    place(t, b, tile, cell, turn)
    return total


cdef uint64_t tail_shift(const Tables *t, Board *b, const Men *men, int depth) noexcept nogil:
    cdef Men then
    cdef uint64_t total
    if depth == 1:
        return count_shifts(t, b, men)
    if depth == 2:
        return <uint64_t>ROLLS * count_shifts(t, b, men)
    then = men[0]
    next_turn(t, &then)
    total = tail_roll(t, b, &then, depth - 1)
    total += tail_shift_of(t, b, men, &then, tile_of(men.low, men.high), depth)
    if men.low != men.high:
        total += tail_shift_of(t, b, men, &then, tile_of(men.high, men.low), depth)
    return total


cdef uint64_t tail_shift_of(const Tables *t, Board *b, const Men *men, const Men *after, int tile, int depth) noexcept nogil:
    """All shifts of one tile. What the next player can walk is worked out once, the tile lifted:
    it holds for every shift that does not join the tile to one of the walk's."""
    cdef int choices = turns_shown(t, men, tile)
    cdef int own = b.cell[tile], turn = b.turn[tile], row, cell, k, side, beside
    cdef int left, right, top, bottom, first, last
    cdef unsigned int arms = b.arms_on[own], turned, sides, touched
    cdef uint64_t[64] front
    cdef uint64_t cells, total = 0, same = 0
    cdef Limits limits
    cdef Walks w
    cdef Men then
    cdef int code = token_at(after, after.seat)
    cdef bint kept = code >> 3 != tile if code != OUT else tile != t.entry_tile
    limits.columns = ~<uint64_t>0
    limits.top = 0
    limits.bottom = WIDE - 1
    if is_tight(t, b):
        make_box_exact(b)
        if not find_limits(t, b, tile, &limits):
            limits.columns = ~<uint64_t>0
            limits.top = 0
            limits.bottom = WIDE - 1
    left = b.left
    right = b.right
    top = b.top
    bottom = b.bottom
    lift(t, b, tile)
    if kept:
        walk_all(t, b, code, &w)
        same = moves_by_roll(&w)
    first = max(limits.top, top - 1)
    last = min(limits.bottom, bottom + 1)
    memcpy(front + first, b.front + first, (last - first + 1) * sizeof(uint64_t))
    for row in range(first, last + 1):
        cells = front[row] & limits.columns
        while cells:
            cell = row * WIDE + pop_lowest(&cells)
            sides = b.facing[cell]
            touched = sides
            if kept:
                touched = 0
                turned = sides
                while turned:
                    side = pop_lowest32(&turned)
                    beside = b.tile[cell + BEYOND[side]]
                    touched |= <unsigned int>(w.tiles >> beside & 1) << side
            for k in range(cell == own, choices):
                turned = rotate(arms, k)
                if not turned & sides:
                    continue
                if depth == 3 and not turned & touched:
                    total += same
                    continue
                then = after[0]
                b.turn[tile] = turn
                lay_turned(t, b, &then, tile, cell, k)
                if depth <= 5 and depth > 3 and not turned & touched:
                    total += shifts_by_roll(t, b, &then, &w, depth - 1)
                else:
                    total += tail_roll(t, b, &then, depth - 1)
                lift(t, b, tile)
                b.left = left
                b.right = right
                b.top = top
                b.bottom = bottom
    place(t, b, tile, own, turn)
    return total


cdef uint64_t tail(const GameTable *table, const void *position, int depth) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Work w
    if depth == 1:
        return table.count(table, position)
    load_tiles(t, p, &w.board, True)
    load_men(p, &w.men)
    if p.phase == ROLL:
        return tail_roll(t, &w.board, &w.men, depth)
    if p.phase == MOVE:
        return tail_move(t, &w.board, &w.men, depth)
    if p.phase == BUMP:
        return tail_bump(t, &w.board, &w.men, depth)
    if p.phase == TURN:
        return tail_turn(t, &w.board, &w.men, depth)
    return tail_shift(t, &w.board, &w.men, depth)


# ---- one position
# A board is not worth laying for one question. Walks need little of it; for shifts the tiles are
# written as sets, a word a row, so that all cells of a row are looked at together.

cdef enum:
    ROWS = 72                   # a row of the position is 2 further down here, a column 1 further;
                                # loops take 8 rows at a time from row 1 on, whether in use or not

cdef struct Sets:
    int last                    # the last row with a tile
    int end                     # rows from 1 to here are written, a multiple of 8 of them
    bint tight                  # whether the table's limit could forbid a shift
    uint64_t[72] taken
    uint64_t[4][72] arms        # by side: tiles that have a spot there

cdef struct Cells:
    int choices                 # turns of the tile that are different positions
    int total                   # its shifts
    int[72] count               # the same by row
    uint64_t[4][72] joined      # by turn and row: where it can be laid


cdef void write_sets(const Tables *t, const Position *p, Sets *sets) noexcept nogil:
    cdef int k, side, row, first
    cdef uint64_t bit
    cdef uint64_t[72][4] arms       # by row first: the four sides of a tile lie together
    cdef const uint64_t *spread
    cdef uint8_t high = 0, wide = 0
    for k in range(TILES):
        wide = max(wide, p.column[k])
        high = max(high, p.row[k])
    sets.tight = max(wide, high) + 1 >= t.limit
    sets.last = high + 2
    sets.end = sets.last + 8 & ~7       # one row more than the tiles take, at least
    for row in range(sets.end + 2):
        memset(arms[row], 0, 4 * sizeof(uint64_t))
        sets.taken[row] = 0
    # Tiles of one row of the start far from each other: what is added to a row waits for what was
    # added before.
    for first in range(6):
        for k in range(first, TILES, 6):
            row = p.row[k] + 2
            bit = <uint64_t>1 << (p.column[k] + 1)
            sets.taken[row] |= bit
            spread = t.spread[arms_of(t, p, k)]
            for side in range(4):
                arms[row][side] |= bit & spread[side]
    for side in range(4):
        for row in range(sets.end + 2):
            sets.arms[side][row] = arms[row][side]


cdef void keep_to_limit(const Tables *t, const Sets *sets, uint64_t *free) noexcept nogil:
    """Leave those cells where the box of all tiles is not larger than the table."""
    cdef int row, top = ROWS, bottom = 0, left, right
    cdef uint64_t columns = 0
    for row in range(2, sets.last + 1):
        if sets.taken[row]:
            columns |= sets.taken[row]
            top = min(top, row)
            bottom = row
    left = count_trailing_zeros(columns)
    right = 63 - count_leading_zeros(columns)
    columns = (<uint64_t>2 << min(left + t.limit - 1, 62)) - (<uint64_t>1 << max(right - t.limit + 1, 0))
    for row in range(1, sets.last + 2):
        free[row] &= columns if bottom - t.limit < row < top + t.limit else 0


cdef inline void join_cells(const Sets *sets, const uint64_t *free, unsigned int arms, int choices,
                            Cells *cells) noexcept nogil:
    """The free cells where a tile in each of its turns meets an arm with an arm; row after row, so that
    its neighbours' arms are read once for all turns."""
    cdef uint64_t[4][4] want            # by turn and side: all ones where the tile has an arm
    cdef uint64_t from_north, from_east, from_south, from_west
    cdef int turns, side, first, row
    for turns in range(choices):
        for side in range(4):
            want[turns][side] = <uint64_t>0 - (rotate(arms, turns) >> side & 1)
    for first in range(1, sets.end, 8):
        for row in range(first, first + 8):
            from_north = sets.arms[SOUTH][row - 1] & free[row]
            from_east = sets.arms[WEST][row] >> 1 & free[row]
            from_south = sets.arms[NORTH][row + 1] & free[row]
            from_west = sets.arms[EAST][row] << 1 & free[row]
            for turns in range(choices):
                cells.joined[turns][row] = (
                    (from_north & want[turns][NORTH]) | (from_east & want[turns][EAST])
                    | (from_south & want[turns][SOUTH]) | (from_west & want[turns][WEST]))


cdef void find_cells(const Tables *t, const Position *p, Sets *sets, int tile, Cells *cells) noexcept nogil:
    """All shifts of a tile."""
    cdef int row, side, turns, n, first, own_row = p.row[tile] + 2
    cdef uint64_t own = <uint64_t>1 << (p.column[tile] + 1)
    cdef uint64_t[72] free
    cdef unsigned int arms = arms_of(t, p, tile)
    # lift the tile
    sets.taken[own_row] ^= own
    for side in range(4):
        sets.arms[side][own_row] &= ~own
    for first in range(1, sets.end, 8):
        for row in range(first, first + 8):
            free[row] = ~sets.taken[row]
    if unlikely(sets.tight):
        keep_to_limit(t, sets, free)
    cells.choices = turns_of(t, p, tile)
    if cells.choices == 1:
        join_cells(sets, free, arms, 1, cells)
    elif cells.choices == 2:
        join_cells(sets, free, arms, 2, cells)
    else:
        join_cells(sets, free, arms, 4, cells)
    cells.joined[0][own_row] &= ~own        # that is `none`
    cells.total = 0
    for row in range(1, sets.last + 2):
        n = popcount(cells.joined[0][row])
        if cells.choices > 1:
            n += popcount(cells.joined[1][row])
        if cells.choices > 2:
            n += popcount(cells.joined[2][row]) + popcount(cells.joined[3][row])
        cells.count[row] = n
        cells.total += n
    # put it back
    sets.taken[own_row] |= own
    for side in range(4):
        sets.arms[side][own_row] |= own & (<uint64_t>0 - (arms >> side & 1))


cdef int32_t nth_shift(const Tables *t, int tile, const Cells *cells, int rank) noexcept nogil:
    """The shift of a tile with that rank."""
    cdef int row = 1, turns, n
    cdef unsigned int which
    cdef uint64_t left = 0, bit
    while rank >= cells.count[row]:
        rank -= cells.count[row]
        row += 1
    for turns in range(cells.choices):
        left |= cells.joined[turns][row]
    while True:
        bit = left & (0 - left)
        left ^= bit
        which = 0
        for turns in range(cells.choices):
            which |= <unsigned int>((cells.joined[turns][row] & bit) != 0) << turns
        n = popcount32(which)
        if rank < n:
            return shift_number(t, tile, count_trailing_zeros(bit) - 1, row - 2, t.nth_turn[which][rank])
        rank -= n



cdef int count_actions(const GameTable *table, const void *position) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Work w
    cdef Sets sets
    cdef Cells cells
    cdef int n
    if p.phase == ROLL:
        return ROLLS
    if p.phase == TURN:
        return turns_of(t, p, p.bumped)
    if p.phase == SHIFT:
        write_sets(t, p, &sets)
        find_cells(t, p, &sets, tile_of(p.low, p.high), &cells)
        n = 1 + cells.total
        if p.low != p.high:
            find_cells(t, p, &sets, tile_of(p.high, p.low), &cells)
            n += cells.total
        return n
    load_tiles(t, p, &w.board, False)
    load_men(p, &w.men)
    if p.phase == MOVE:
        return tail_move(t, &w.board, &w.men, 1)
    return count_bumps(t, &w.board, &w.men)


cdef bint is_legal(const GameTable *table, const void *position, int32_t action) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Board b
    cdef uint16_t[184] ends
    cdef int n, k, spot, tile, column, row, turns
    cdef int left = 255, right = 0, top = 255, bottom = 0
    cdef unsigned int sides = 0
    if p.phase == ROLL:
        return 0 <= action < ROLLS
    if p.phase == MOVE:
        if not STAY <= action < t.first_bump or p.token[p.seat] == finish_of(t, p):
            return False
        load_tiles(t, p, &b, False)
        n = walk(t, &b, code_of(p.token[p.seat]), p.low + p.high, ends)
        if action == STAY:
            return n == 0
        spot = code_of(t.move_spot[action - FIRST_MOVE])
        for k in range(n):
            if ends[k] == spot:
                return True
        return False
    if p.phase == BUMP:
        if not t.first_bump <= action < t.first_turn:
            return False
        spot = t.bump_spot[action - t.first_bump]
        return colour_of(t, p, spot) == YELLOW and player_on(t, p, spot) < 0
    if p.phase == TURN:
        return t.first_turn <= action < t.first_turn + turns_of(t, p, p.bumped)
    if action == t.none:
        return True
    if not t.first_shift <= action < table.num_actions:
        return False
    read_shift(t, action, &tile, &column, &row, &turns)
    if tile != tile_of(p.low, p.high) and tile != tile_of(p.high, p.low):
        return False
    if turns >= turns_of(t, p, tile):
        return False
    if turns == 0 and column == p.column[tile] and row == p.row[tile]:
        return False
    for k in range(TILES):
        if k != tile:
            if p.column[k] == column and p.row[k] == row:
                return False
            left = min(left, p.column[k])
            right = max(right, p.column[k])
            top = min(top, p.row[k])
            bottom = max(bottom, p.row[k])
            if p.row[k] == row:
                if p.column[k] == column - 1:
                    sides |= (arms_of(t, p, k) >> EAST & 1) << WEST
                elif p.column[k] == column + 1:
                    sides |= (arms_of(t, p, k) >> WEST & 1) << EAST
            elif p.column[k] == column:
                if p.row[k] == row - 1:
                    sides |= (arms_of(t, p, k) >> SOUTH & 1) << NORTH
                elif p.row[k] == row + 1:
                    sides |= (arms_of(t, p, k) >> NORTH & 1) << SOUTH
    if max(right, column) - min(left, column) >= t.limit or max(bottom, row) - min(top, row) >= t.limit:
        return False
    return (rotate(arms_of(t, p, tile), turns) & sides) != 0


cdef inline int choose_bump(const Tables *t, const Board *b, const Men *men, uint64_t u) noexcept nogil:
    """The number among the places for a bumped token that is drawn."""
    cdef int k, code, rank = <int>multiply_high(u, count_bumps(t, b, men))
    for k in range(t.bumps):
        code = code_of(t.bump_spot[k])
        if colour_at(t, b, code) == YELLOW and token_at(men, men.seat) != code and owner_at(men, code) < 0:
            if rank == 0:
                break
            rank -= 1
    return k


cdef inline bint choose_shift(const Tables *t, Board *b, const Men *men, uint64_t u, int *tile, int *cell, int *turns) noexcept nogil:
    """The shift that is drawn, its tile lifted; False: none."""
    cdef int one = tile_of(men.low, men.high), other = tile_of(men.high, men.low)
    cdef int choices = turns_shown(t, men, one), others = turns_shown(t, men, other)
    cdef int first, second, rank, later
    cdef bint tight = is_tight(t, b)
    if unlikely(tight):
        make_box_exact(b)
        tight = is_tight(t, b)
    if unlikely(tight):
        first = count_limited(t, b, one, choices)
        second = count_limited(t, b, other, others)
    else:
        first = count_free(t, b, one, choices)
        second = count_free(t, b, other, others)
    second = 0 if one == other else second
    rank = <int>multiply_high(u, 1 + first + second) - 1
    if unlikely(rank < 0):
        return False
    # which of the two is not to be foreseen: no branch
    later = 0 - (rank >= first)
    rank -= first & later
    one ^= (one ^ other) & later
    choices ^= (choices ^ others) & later
    tile[0] = one
    if unlikely(tight):
        find_shift_limited(t, b, one, choices, rank, cell, turns)
    else:
        find_shift(t, b, one, choices, rank, cell, turns)
    return True


# Nearly all positions are at most 14 cells wide and high. Then a set of cells, with a rim, is four
# words: 16 rows of 16 bits, so that few operations look at all cells.
cdef enum:
    WORDS = 4
    SMALL = 14

cdef struct Faces:
    uint64_t[4] taken
    uint64_t[4][4] faced        # by side and word: cells that a spot faces at that side

cdef struct Places:
    int choices                 # as in Cells
    int total
    int[4] count                # by word
    uint64_t[4][4] joined       # by turn and word


cdef inline uint64_t four_rows(const uint16_t *rows) noexcept nogil:
    return rows[0] | <uint64_t>rows[1] << 16 | <uint64_t>rows[2] << 32 | <uint64_t>rows[3] << 48


cdef inline uint64_t bit_in(int word, int row, int column) noexcept nogil:
    return <uint64_t>(row >> 2 == word) << (16 * (row & 3) + column)


cdef inline void write_faces(const Tables *t, const Position *p, Faces *f) noexcept nogil:
    """A row of the position is 1 further down here, a column 1 further."""
    cdef uint64_t[16] sides         # by row: the tiles with a spot there, 16 bits a side
    cdef uint16_t[16] taken
    cdef uint16_t[4][18] rows       # the same by side, a row further down
    cdef int k, row, first, side
    memset(sides, 0, sizeof(sides))
    memset(taken, 0, sizeof(taken))
    for side in range(4):
        rows[side][0] = rows[side][17] = 0
    # Tiles of one row of the start far from each other: what is added to a row waits for what was
    # added before.
    for first in range(6):
        for k in range(first, TILES, 6):
            row = p.row[k] + 1
            taken[row] |= 2 << p.column[k]
            sides[row] |= t.sides[k][p.turn[k]] << (p.column[k] + 1)
    for side in range(4):
        for row in range(16):
            rows[side][row + 1] = <uint16_t>(sides[row] >> 16 * side)
    for k in range(WORDS):
        f.taken[k] = four_rows(taken + 4 * k)
        f.faced[NORTH][k] = four_rows(rows[SOUTH] + 4 * k)
        f.faced[EAST][k] = four_rows(rows[WEST] + 4 * k + 1) >> 1
        f.faced[SOUTH][k] = four_rows(rows[NORTH] + 4 * k + 2)
        f.faced[WEST][k] = four_rows(rows[EAST] + 4 * k + 1) << 1


cdef inline void find_places(const Tables *t, const Position *p, const Faces *f, int tile, Places *places) noexcept nogil:
    """As find_cells."""
    cdef int row = p.row[tile] + 1, column = p.column[tile] + 1, k, turns
    cdef uint64_t own, free, north, east, south, west
    cdef unsigned int arms = arms_of(t, p, tile), turned
    places.choices = turns_of(t, p, tile)
    places.total = 0
    for k in range(WORDS):
        # The tile is lifted: its cell is free, and nothing of it faces the cells beside.
        own = bit_in(k, row, column)
        free = ~f.taken[k] | own
        north = f.faced[NORTH][k] & free & ~bit_in(k, row + 1, column)
        east = f.faced[EAST][k] & free & ~bit_in(k, row, column - 1)
        south = f.faced[SOUTH][k] & free & ~bit_in(k, row - 1, column)
        west = f.faced[WEST][k] & free & ~bit_in(k, row, column + 1)
        places.count[k] = 0
        for turns in range(places.choices):
            turned = rotate(arms, turns)
            free = ((north & (<uint64_t>0 - (turned & 1))) | (east & (<uint64_t>0 - (turned >> EAST & 1)))
                    | (south & (<uint64_t>0 - (turned >> SOUTH & 1))) | (west & (<uint64_t>0 - (turned >> WEST & 1))))
            if turns == 0:
                free &= ~own            # that is `none`
            places.joined[turns][k] = free
            places.count[k] += popcount(free)
        places.total += places.count[k]


cdef inline int32_t nth_place(const Tables *t, int tile, const Places *places, int rank) noexcept nogil:
    """As nth_shift."""
    cdef int k = 0, row = 0, turns, n
    cdef unsigned int which
    cdef uint64_t left = 0, bit, line = 0xffff
    while rank >= places.count[k]:
        rank -= places.count[k]
        k += 1
    while True:
        n = 0
        for turns in range(places.choices):
            n += popcount(places.joined[turns][k] & line)
        if rank < n:
            break
        rank -= n
        line <<= 16
        row += 1
    for turns in range(places.choices):
        left |= places.joined[turns][k] & line
    while True:
        bit = left & (0 - left)
        left ^= bit
        which = 0
        for turns in range(places.choices):
            which |= <unsigned int>((places.joined[turns][k] & bit) != 0) << turns
        n = popcount32(which)
        if rank < n:
            return shift_number(t, tile, count_trailing_zeros(bit) - 16 * row - 1, 4 * k + row - 1,
                                t.nth_turn[which][rank])
        rank -= n


cdef int32_t choose_among_places(const Tables *t, const Position *p, uint64_t u) noexcept nogil:
    """As choose_among_cells, for small positions far from the table's limit."""
    cdef Faces faces
    cdef Places[2] places
    cdef int one = tile_of(p.low, p.high), other = tile_of(p.high, p.low), rank
    write_faces(t, p, &faces)
    find_places(t, p, &faces, one, &places[0])
    places[1].total = 0
    if one != other:
        find_places(t, p, &faces, other, &places[1])
    rank = <int>multiply_high(u, 1 + places[0].total + places[1].total) - 1
    if rank < 0:
        return t.none
    if rank < places[0].total:
        return nth_place(t, one, &places[0], rank)
    return nth_place(t, other, &places[1], rank - places[0].total)


cdef int32_t choose_among_cells(const Tables *t, const Position *p, uint64_t u) noexcept nogil:
    """A shift, or `none`, of a position."""
    cdef Sets sets
    cdef Cells[2] cells
    cdef int one = tile_of(p.low, p.high), other = tile_of(p.high, p.low), rank, k
    cdef uint8_t size = 0
    for k in range(TILES):
        size = max(size, max(p.column[k], p.row[k]))
    if likely(size < SMALL and size + 1 < t.limit):
        return choose_among_places(t, p, u)
    write_sets(t, p, &sets)
    find_cells(t, p, &sets, one, &cells[0])
    cells[1].total = 0
    if one != other:
        find_cells(t, p, &sets, other, &cells[1])
    rank = <int>multiply_high(u, 1 + cells[0].total + cells[1].total) - 1
    if rank < 0:
        return t.none
    if rank < cells[0].total:
        return nth_shift(t, one, &cells[0], rank)
    return nth_shift(t, other, &cells[1], rank - cells[0].total)


cdef int32_t choose_action(const GameTable *table, const void *position, uint64_t u) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Work w
    cdef uint16_t[184] ends
    cdef int n, tile
    if p.phase == ROLL:
        n = <int>multiply_high(u, 36)
        tile = t.point_low[n]
        return (tile - 1) * (14 - tile) // 2 + t.point_high[n] - tile
    if p.phase == TURN:
        return t.first_turn + <int>multiply_high(u, turns_of(t, p, p.bumped))
    if p.phase == SHIFT:
        return choose_among_cells(t, p, u)
    load_tiles(t, p, &w.board, False)
    load_men(p, &w.men)
    if p.phase == MOVE:
        n = walk(t, &w.board, token_at(&w.men, p.seat), p.low + p.high, ends)
        if n == 0:
            return STAY
        return FIRST_MOVE + t.spot_move[token_of(ends[multiply_high(u, n)])]
    return t.first_bump + choose_bump(t, &w.board, &w.men, u)


cdef int quick_progress(const GameTable *table, const void *position, int player) noexcept nogil:
    """As progress_of, from centre to centre in three steps."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Board b
    cdef uint16_t[36] queue
    cdef uint8_t[36] steps
    cdef int first = 0, last = 0, more = 0, best = GOAL + 2, token = p.token[player], tile, goal_side
    cdef uint32_t cell, next, goal, beyond_goal = 0, side, arms
    cdef uint64_t seen
    load_tiles(t, p, &b, False)
    if token < SPOTS:
        tile = token // SIDES
        side = token % SIDES
    else:
        more = 1
        tile = t.entry_tile
        side = (t.entry_side + p.turn[tile]) & 3
    goal = cell_of(p, &b, t.finish_tile)
    goal_side = finish_code(t, &b) & 7
    if goal_side != CENTRE and b.arms_on[goal + BEYOND[goal_side]] >> (goal_side ^ 2) & 1:
        beyond_goal = goal + BEYOND[goal_side]
    cell = cell_of(p, &b, tile)
    seen = <uint64_t>1 << tile
    queue[0] = cell
    steps[0] = side != CENTRE
    last = 1
    if cell == goal and <int>side == goal_side:
        best = 0
    elif side != CENTRE:
        next = cell + BEYOND[side]
        side ^= 2
        if b.arms_on[next] >> side & 1:
            if next == goal and <int>side == goal_side:
                best = 1
            seen |= <uint64_t>1 << b.tile[next]
            queue[1] = next
            steps[1] = 2
            last = 2
    # the steps in the queue never fall, and nothing beyond `best` is of use
    while first < last and steps[first] < best:
        cell = queue[first]
        if cell == goal:
            best = min(best, steps[first] + (goal_side != CENTRE))
        elif cell == beyond_goal:
            best = min(best, steps[first] + 2)
        arms = b.arms_on[cell]
        while arms:
            side = pop_lowest32(&arms)
            next = cell + BEYOND[side]
            if b.arms_on[next] >> (side ^ 2) & 1 and not seen >> b.tile[next] & 1:
                seen |= <uint64_t>1 << b.tile[next]
                queue[last] = next
                steps[last] = steps[first] + 3
                last += 1
        first += 1
    return max(GOAL - best - more, 0)


# ---- playouts

cdef void store(const Tables *t, const Work *w, int phase, Position *p) noexcept nogil:
    """The position of a board and its men."""
    cdef int k, left = WIDE, top = WIDE
    for k in range(TILES):
        left = min(left, w.board.cell[k] & 63)
        top = min(top, w.board.cell[k] >> 6)
    for k in range(TILES):
        p.column[k] = (w.board.cell[k] & 63) - left
        p.row[k] = (w.board.cell[k] >> 6) - top
        p.turn[k] = w.board.turn[k]
    for k in range(4):
        p.token[k] = token_of(token_at(&w.men, k))
        p.flag[k] = w.men.flags >> 2 * k & 3
    p.seat = w.men.seat
    p.phase = phase
    p.low = 0 if phase == ROLL else w.men.low
    p.high = 0 if phase == ROLL else w.men.high
    p.bumped = w.men.bumped if phase == BUMP or phase == TURN else 0


cdef void move_to_middle(const Tables *t, Work *w) noexcept nogil:
    """Lay all tiles anew, away from the rim of the frame."""
    cdef Position p
    memset(&p, 0, sizeof(p))
    store(t, w, ROLL, &p)
    clear_rows(&w.board, 0, WIDE - 1)
    load_tiles(t, &p, &w.board, True)


cdef int play_on(const Tables *t, Work *w, int phase, uint64_t key, int32_t *plies, int32_t max_plies,
                 const int *stop) noexcept nogil:
    """Play by uniform choices; the phase it comes to."""
    cdef Board *b = &w.board
    cdef Men here = w.men
    cdef Men *men = &here
    cdef uint16_t[184] ends
    cdef int32_t ply = plies[0]
    cdef int n, k, tile, cell, turns, code, other
    while ply < max_plies:
        # the phases in the order of a turn; any may be the first
        if phase == ROLL:
            k = <int>multiply_high(draw(key, ply), 36)
            ply += 1
            men.low = t.point_low[k]
            men.high = t.point_high[k]
            phase = MOVE
            if ply == max_plies:
                break
        if phase == MOVE:
            n = walk(t, b, token_at(men, men.seat), men.low + men.high, ends)
            phase = SHIFT
            if n == 0:
                set_flag(men, NOTHING)
            else:
                code = ends[multiply_high(draw(key, ply), n)]
                other = owner_at(men, code)
                put_token(men, men.seat, code)
                if unlikely(code == finish_code(t, b)):
                    ply += 1
                    phase = MOVE
                    break
                if unlikely(other >= 0):
                    put_token(men, other, HELD)
                    men.bumped = other
                    phase = BUMP
                else:
                    feel_colour(t, b, men)
            ply += 1
            if ply == max_plies:
                break
        if unlikely(phase == BUMP):
            code = code_of(t.bump_spot[choose_bump(t, b, men, draw(key, ply))])
            ply += 1
            put_token(men, men.bumped, code)
            men.bumped = code >> 3
            phase = TURN
            if ply == max_plies:
                break
        if unlikely(phase == TURN):
            tile = men.bumped
            turns = <int>multiply_high(draw(key, ply), turns_shown(t, men, tile))
            ply += 1
            if turns:
                lift(t, b, tile)
                lay_turned(t, b, men, tile, b.cell[tile], turns)
            feel_colour(t, b, men)
            phase = SHIFT
            if ply == max_plies:
                break
        if choose_shift(t, b, men, draw(key, ply), &tile, &cell, &turns):
            if unlikely(lay_turned(t, b, men, tile, cell, turns)):
                # the first or last two columns or rows of the frame
                if b.left < 2 or b.right > WIDE - 3 or b.top < 2 or b.bottom > WIDE - 3:
                    move_to_middle(t, w)
        ply += 1
        next_turn(t, men)
        phase = ROLL
        if read_flag(stop):
            break
    plies[0] = ply
    w.men = here
    return phase


cdef void run(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
              int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>positions
    cdef Work w
    cdef int phase
    cdef Py_ssize_t i
    clear_rows(&w.board, 0, WIDE - 1)
    for i in range(n):
        if plies[i] < max_plies and to_act(table, p + i) != TERMINAL:
            load_tiles(t, p + i, &w.board, True)
            load_men(p + i, &w.men)
            phase = play_on(t, &w, p[i].phase, keys[i], plies + i, max_plies, stop)
            store(t, &w, phase, p + i)
            if read_flag(stop):
                return
            clear_rows(&w.board, 0, WIDE - 1)


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
                t.sides[tile][k] = 0
                for side in range(4):
                    t.sides[tile][k] |= <uint64_t>(t.arms[tile][k] >> side & 1) << 16 * side
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

        self.prepare_quick_ways()

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
        if table <= MOST_TABLE:
            g.count = count_actions
            g.legal = is_legal
            g.progress = quick_progress
            g.choose = choose_action
            g.tail = tail
            g.tail_depth = 4
            g.run = run
        self.complete()

    cdef int prepare_quick_ways(self) except -1:
        cdef Tables *t = &self.tables
        cdef Position p
        cdef int n = 0, k, arms, sides, shape, side, turns
        for k in range(ROLLS):
            for turns in range(1 if t.roll_low[k] == t.roll_high[k] else 2):
                t.point_low[n] = t.roll_low[k]
                t.point_high[n] = t.roll_high[k]
                n += 1
        for arms in range(16):
            for side in range(4):
                t.spread[arms][side] = <uint64_t>0 - <uint64_t>(arms >> side & 1)
            for sides in range(16):
                t.which_turns[arms][sides] = 0
                for turns in range(4):
                    if rotate(arms, turns) & sides:
                        t.which_turns[arms][sides] |= 1 << turns
        for k in range(16):
            n = 0
            for turns in range(4):
                if k >> turns & 1:
                    t.nth_turn[k][n] = turns
                    n += 1
        # shapes: one arm, two in a line, a corner, three, four
        for shape, arms in enumerate((1, 5, 3, 7, 15)):
            for sides in range(16):
                t.joined_turns[sides] += <uint64_t>popcount32(t.which_turns[arms][sides]) << (LANE * shape)
            for k in range(TILES):
                for turns in range(4):
                    if t.arms[k][0] == rotate(arms, turns):
                        t.lane[k] = LANE * shape
        for side in range(4):
            for sides in range(16):
                t.one_side[side][sides] = t.joined_turns[sides] - t.joined_turns[sides & ~(1 << side)]
        for k in range(TILES):
            if not t.arms[k][0]:
                t.lane[k] = NO_LANE
        # what the plain functions say, for the positions in which they look at nothing else
        memset(&p, 0, sizeof(p))
        for k in range(TILES):
            for turns in range(4):
                for side in range(SIDES):
                    p.turn[k] = turns
                    p.seat = 0
                    p.token[0] = spot_at(k, side)
                    begin_shift(t, &p)
                    t.flag_at[k][turns][side] = p.flag[0]
        for k in range(4 * 256):
            p.seat = k >> 8
            if p.seat < t.players:
                for n in range(4):
                    p.flag[n] = k >> 2 * n & 3
                end_turn(t, &p)
                t.next_turn[k >> 8][k & 255] = p.seat << 8
                for n in range(4):
                    t.next_turn[k >> 8][k & 255] |= p.flag[n] << 2 * n
        return 0

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
