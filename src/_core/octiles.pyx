"""Octiles: paths over turning tiles."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcpy, memset

from boardrace._core.bits cimport pop_lowest, popcount, require
from boardrace._core.engine cimport GameTable, Rules, TERMINAL
from boardrace._core.rng cimport Draws, draw_below

cdef enum:
    BEYOND = 64                 # values of leads_to from here on: the path goes on at a port
    NOWHERE = 37                # a traced path ran into a face-down tile


# ---------------------------------------------------------------- turns and ends

cdef inline const Tables *tables_of(const GameTable *table) noexcept nogil:
    return <const Tables *>table.tables


cdef inline bint is_home(const Tables *t, const Position *p, int player) noexcept nogil:
    """Are all of a player's runners in finishing circles?"""
    return (p.runners[player] & ~t.finishing[player]) == 0


cdef inline bint has_finished(const Position *p, int player) noexcept nogil:
    cdef int k
    for k in range(p.finished):
        if p.order[k] == player:
            return True
    return False


cdef bint is_over(const Tables *t, const Position *p) noexcept nogil:
    """octiles.md, End."""
    cdef int in_play = t.players - p.finished, player
    if p.passes >= in_play:
        return True
    if t.play_on:
        return in_play <= 1
    for player in range(t.players):
        if is_home(t, p, player):
            return True
    return False


cdef inline int player_after(const Tables *t, const Position *p, int player) noexcept nogil:
    """Whose turn comes next: finished players are left out."""
    cdef int k
    for k in range(t.players):
        player += 1
        if player == t.players:
            player = 0
        if not has_finished(p, player):
            break
    return player


cdef int to_act(const GameTable *table, const void *position) noexcept nogil:
    cdef const Position *p = <const Position *>position
    if is_over(tables_of(table), p):
        return TERMINAL
    return p.turn


cdef int turn(const GameTable *table, const void *position) noexcept nogil:
    return (<const Position *>position).turn


cdef void returns(const GameTable *table, const void *position, double *out) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef int n = t.players, player, winner = -1, place = 0
    cdef double share = 0
    cdef uint8_t[4] placed
    for player in range(n):
        out[player] = 0
    if not is_over(t, p):
        return
    if not t.play_on:
        for player in range(n):
            if is_home(t, p, player):
                winner = player
        if winner < 0 and p.last != NOBODY:
            winner = p.last                     # all passed: the last mover wins
        if winner >= 0:
            for player in range(n):
                out[player] = 1.0 if player == winner else -1.0 / (n - 1)
        return
    for player in range(4):
        placed[player] = 0
    for place in range(p.finished):
        out[p.order[place]] = 1 - 2.0 * place / (n - 1)
        placed[p.order[place]] = 1
    place = p.finished
    if n - place > 1 and p.last != NOBODY and not placed[p.last]:
        out[p.last] = 1 - 2.0 * place / (n - 1)
        placed[p.last] = 1
        place += 1
    if place < n:                               # those left share the places left
        for player in range(place, n):
            share += 1 - 2.0 * player / (n - 1)
        share /= n - place
        for player in range(n):
            if not placed[player]:
                out[player] = share


cdef int progress(const GameTable *table, const void *position, int player) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef uint64_t left = (<const Position *>position).runners[player]
    cdef int rows = 0
    while left:
        rows += t.row[player][pop_lowest(&left)]
    return rows


# ---------------------------------------------------------------- actions, by tracing each path

cdef inline int trace_path(const Tables *t, const Position *p, int space, const uint8_t *laid,
                           int port, bint *crossed) noexcept nogil:
    """Follow the path in through a port, with a tile laid on a space (-1: none is): the place
    where it ends, or NOWHERE at a face-down tile. *crossed becomes true when it crosses the tile."""
    cdef int there = BEYOND + port, at, edge
    crossed[0] = False
    while there >= BEYOND:
        at = (there - BEYOND) >> 3
        edge = there & 7
        if at == space:
            crossed[0] = True
            edge = laid[edge]
        elif p.turned[at] == FACE_DOWN:
            return NOWHERE
        else:
            edge = t.crossing[p.tile[at]][p.turned[at]][edge]
        there = t.leads_to[8 * at + edge]
    return there


cdef int list_by_tracing(const Tables *t, const Position *p, uint64_t runners, int32_t *out) noexcept nogil:
    """Every action of these runners of the player to act, ascending; how many."""
    cdef int space, r, start, k, end, n = 0
    cdef int me = p.turn, player
    cdef uint64_t occupied = 0, left, ends, free
    cdef bint crossed
    cdef const uint8_t *laid
    for player in range(t.players):
        occupied |= p.runners[player]
    free = (0xffffU | t.finishing[me]) & ~occupied
    for space in range(SPACES):
        for r in range(t.turns[p.hand]):
            laid = t.crossing[p.hand][r]
            left = runners & ~t.finishing[me]
            while left:
                start = pop_lowest(&left)
                ends = 0
                for k in range(t.touchings[start]):
                    end = trace_path(t, p, space, laid, t.touching[start][k], &crossed)
                    if crossed and end != NOWHERE:
                        ends |= (<uint64_t>1) << end
                # A loop back to the own stop is legal; to the own starting circle it is not.
                ends &= free | (((<uint64_t>1) << start) & 0xffffU)
                while ends:
                    out[n] = ((8 * space + r) * t.pairs
                              + t.pair_number[start * PLACES + pop_lowest(&ends)])
                    n += 1
    return n


cdef inline bint must_open(const Tables *t, const Position *p) noexcept nogil:
    """octiles.md, Opening the finish: may the mover have to move a runner off its circles?"""
    cdef uint64_t circles = t.starting[p.turn], occupied = 0
    cdef int player
    for player in range(t.players):
        occupied |= p.runners[player]
    return (p.runners[p.turn] & circles) != 0 and (occupied & circles) == circles


cdef int actions_by_tracing(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef int n = 0
    if is_over(t, p):
        return 0
    if must_open(t, p):
        n = list_by_tracing(t, p, p.runners[p.turn] & t.starting[p.turn], out)
    if n == 0:
        n = list_by_tracing(t, p, p.runners[p.turn], out)
    if n == 0:
        out[0] = t.pass_action
        n = 1
    return n


cdef void apply(const GameTable *table, void *position, int32_t action) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>position
    cdef int me = p.turn, pair = action % t.pairs, laid = action / t.pairs
    cdef int space = laid >> 3, taken
    if action == t.pass_action:
        p.passes += 1
    else:
        require(0 <= action < t.pass_action)
        taken = p.tile[space]
        p.tile[space] = p.hand
        p.turned[space] = laid & 7
        p.hand = taken
        p.runners[me] ^= (<uint64_t>1) << t.pair_from[pair]
        p.runners[me] |= (<uint64_t>1) << t.pair_to[pair]
        p.passes = 0
        p.last = me
        if t.play_on and is_home(t, p, me):
            p.order[p.finished] = me
            p.finished += 1
    p.turn = player_after(t, p, me)


# ---------------------------------------------------------------- set-up, hidden tiles

cdef void setup(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    """Shuffle the tiles; turn two face up at the empty side of three players."""
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>position
    cdef uint8_t[TILES] deck
    cdef int k, other, space
    memset(p, 0, sizeof(Position))
    for k in range(TILES):
        deck[k] = k
    for k in range(TILES - 1, 0, -1):
        other = draw_below(draws, k + 1)
        deck[k], deck[other] = deck[other], deck[k]
    p.hand = deck[SPACES]
    for k in range(SPACES):
        p.tile[k] = deck[k]
        p.turned[k] = FACE_DOWN
    if t.players == 3:
        for k in range(SPACES):
            space = SPACES - 1 - k
            for other in range(8):
                # Next to the circles of side E.
                if 31 <= t.leads_to[8 * space + other] < PLACES:
                    p.turned[space] = draw_below(draws, t.turns[p.tile[space]])
                    break
    for k in range(t.players):
        p.runners[k] = t.at_start[k]
    p.last = NOBODY


cdef void determinize(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    """Deal the face-down tiles anew among the face-down spaces."""
    cdef Position *p = <Position *>position
    cdef uint8_t[SPACES] down
    cdef int n = 0, k, other
    for k in range(SPACES):
        if p.turned[k] == FACE_DOWN:
            down[n] = k
            n += 1
    for k in range(n - 1, 0, -1):
        other = draw_below(draws, k + 1)
        p.tile[down[k]], p.tile[down[other]] = p.tile[down[other]], p.tile[down[k]]


# ---------------------------------------------------------------- observation, bitboards

cdef void observe(const GameTable *table, const void *position, int player, void *out) noexcept nogil:
    """See docs/games/octiles.md: the board turned so that the player's own side is south."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef uint8_t *to = <uint8_t *>out
    # A side is as many quarters clockwise from S as its number: turn back by that many.
    cdef int quarters = (4 - t.side[player]) & 3
    cdef int n = t.players, k, place
    cdef uint64_t left
    memset(to, 0, table.observation_bytes)
    for k in range(SPACES):
        if p.turned[k] != FACE_DOWN:
            to[26 * t.space_turned[quarters][k] + p.tile[k]] = 1
            to[26 * t.space_turned[quarters][k] + 18
               + (p.turned[k] + 2 * quarters) % t.turns[p.tile[k]]] = 1
    to += 26 * SPACES
    to[p.hand] = 1
    to += TILES
    for k in range(n):
        left = p.runners[(player + k) % n]
        while left:
            place = pop_lowest(&left)
            to[t.place_turned[quarters][place]] = 1
        to += PLACES
    to[(p.turn - player + n) % n] = 1
    to += n
    if p.last != NOBODY:
        to[(p.last - player + n) % n] = 1
    to += n
    to[0] = p.passes
    to += 1
    for k in range(p.finished):
        to[n * k + (p.order[k] - player + n) % n] = 1


cdef void bitboards(const GameTable *table, const void *position, uint64_t *out) noexcept nogil:
    """Each player's runners by place, then the spaces with face-down tiles."""
    cdef const Position *p = <const Position *>position
    cdef int k, n = table.num_players
    for k in range(n):
        out[k] = p.runners[k]
    out[n] = 0
    for k in range(SPACES):
        if p.turned[k] == FACE_DOWN:
            out[n] |= (<uint64_t>1) << k


# ---------------------------------------------------------------- rules

cdef class OctilesRules(Rules):
    """The compiled side of a game of Octiles.

    Parameters
    ----------
    players : int
    play_on : bool
    circles : list of list of int
        Each player's places at the start.
    sides : list of int
        Each player's side, 0 to 3 = S, W, N, E.
    leads_to : list of int
        For each port a place, or 64 + the port it leads to.
    chords : list of list of int
        For each tile, turn 0: the edge out by the edge in.
    turns : list of int
        Different turns of each tile.
    rows : list of list of int
        For each side and place the rows advanced.
    spaces_turned, places_turned : list of int
        Where a space or place goes when the board is turned a quarter clockwise.
    """

    def __init__(self, players, play_on, circles, sides, leads_to, chords, turns, rows,
                 spaces_turned, places_turned):
        cdef Tables *t = &self.tables
        cdef int k, r, edge, start, end, player
        memset(t, 0, sizeof(Tables))
        t.players = players
        t.play_on = play_on
        t.runners = len(circles[0])
        sources = 0xffff
        ends = 0xffff
        for player in range(players):
            t.side[player] = sides[player]
            t.starting[player] = 0x1f << (STOPS + 5 * sides[player])
            t.finishing[player] = 0x1f << (STOPS + 5 * ((sides[player] + 2) % 4))
            sources |= t.starting[player]
            ends |= t.finishing[player]
            for k in circles[player]:
                t.at_start[player] |= (<uint64_t>1) << k
            for k in range(PLACES):
                t.row[player][k] = rows[sides[player]][k]
        for k in range(PORTS):
            t.leads_to[k] = leads_to[k]
            if leads_to[k] < PLACES:
                end = leads_to[k]
                t.touching[end][t.touchings[end]] = k
                t.touchings[end] += 1
        for k in range(TILES):
            t.turns[k] = turns[k]
            for r in range(8):
                for edge in range(8):
                    t.crossing[k][r][(edge + r) % 8] = (chords[k][edge] + r) % 8
        for k in range(SPACES):
            t.space_turned[0][k] = k
            for r in range(1, 4):
                t.space_turned[r][k] = spaces_turned[t.space_turned[r - 1][k]]
        for k in range(PLACES):
            t.place_turned[0][k] = k
            for r in range(1, 4):
                t.place_turned[r][k] = places_turned[t.place_turned[r - 1][k]]
        for start in range(PLACES):
            for end in range(PLACES):
                t.pair_number[start * PLACES + end] = -1
                if not (sources >> start & 1 and ends >> end & 1):
                    continue
                # A circle's runner goes to a stop or to the circles of the opposite side.
                if start >= STOPS and end >= STOPS and (start - STOPS) // 5 != ((end - STOPS) // 5 + 2) % 4:
                    continue
                t.pair_number[start * PLACES + end] = t.pairs
                t.pair_from[t.pairs] = start
                t.pair_to[t.pairs] = end
                t.pairs += 1
        t.pass_action = TURNS * t.pairs

        self.table.tables = t
        self.table.position_bytes = sizeof(Position)
        self.table.num_players = players
        self.table.num_actions = t.pass_action + 1
        # Each (space, turn) has four chords, and an action crosses one of them first.
        self.table.max_legal_actions = 4 * TURNS
        self.table.observation_bytes = 26 * SPACES + TILES + players * (PLACES + 2 + players) + 1
        self.table.num_bitboards = players + 1
        self.table.progress_goal = 5 * t.runners
        self.table.to_act = to_act
        self.table.turn = turn
        self.table.actions = actions_by_tracing
        self.table.apply = apply
        self.table.returns = returns
        self.table.progress = progress
        self.table.setup = setup
        self.table.observe = observe
        self.table.bitboards = bitboards
        self.table.determinize = determinize
        self.complete()

    def pack(self, hand, tiles, turned, runners, turn, passes, last, finished):
        """bytes: the position with these parts, all of which must be right.

        Parameters
        ----------
        hand : int
        tiles, turned : list of int
            For each space its tile, and how it is turned or 8 when face down.
        runners : list of int
            Each player's set of places.
        turn, passes : int
        last : int or None
        finished : list of int
        """
        cdef Position p
        cdef int k
        memset(&p, 0, sizeof(Position))
        p.hand = hand
        for k in range(SPACES):
            p.tile[k] = tiles[k]
            p.turned[k] = turned[k]
        for k in range(self.tables.players):
            p.runners[k] = runners[k]
        p.turn = turn
        p.passes = passes
        p.last = NOBODY if last is None else last
        p.finished = len(finished)
        for k in range(p.finished):
            p.order[k] = finished[k]
        return PyBytes_FromStringAndSize(<char *>&p, sizeof(Position))

    def unpack(self, bytes position):
        """tuple: the arguments of `pack` that give this position."""
        cdef Position p
        cdef int k
        if PyBytes_GET_SIZE(position) != sizeof(Position):
            raise ValueError("these are not the bytes of an Octiles position")
        memcpy(&p, PyBytes_AS_STRING(position), sizeof(Position))
        return (
            p.hand,
            [p.tile[k] for k in range(SPACES)],
            [p.turned[k] for k in range(SPACES)],
            [p.runners[k] for k in range(self.tables.players)],
            p.turn,
            p.passes,
            None if p.last == NOBODY else p.last,
            [p.order[k] for k in range(p.finished)],
        )

    def action_number(self, int space, int turned, int start, int end):
        """int: the number of an action, -1 when no position has it."""
        cdef int pair
        if not (0 <= space < SPACES and 0 <= turned < 8 and 0 <= start < PLACES and 0 <= end < PLACES):
            return -1
        pair = self.tables.pair_number[start * PLACES + end]
        return -1 if pair < 0 else (8 * space + turned) * self.tables.pairs + pair

    def action_parts(self, int action):
        """tuple of int: space, turn, from, to of an action; None for `pass`."""
        cdef int pair, laid
        if not 0 <= action <= self.tables.pass_action:
            raise ValueError(f"there is no action {action}: they are 0 to {self.tables.pass_action}")
        if action == self.tables.pass_action:
            return None
        pair = action % self.tables.pairs
        laid = action // self.tables.pairs
        return laid >> 3, laid & 7, self.tables.pair_from[pair], self.tables.pair_to[pair]

    def trace(self, bytes position, int port, int space=-1, int tile=0, int turned=0):
        """Follow a path in through a port, first laying a tile on a space (-1: none).

        Returns
        -------
        steps : list of tuple of int
            (space, tile, edge in, edge out) of each tile crossed.
        end : int
            The place where the path ends, -1 at a face-down tile.
        blocked : int
            The space of that face-down tile, or -1.
        """
        cdef const Tables *t = &self.tables
        cdef Position p
        cdef int there, at, edge, lies, r
        if PyBytes_GET_SIZE(position) != sizeof(Position):
            raise ValueError("these are not the bytes of an Octiles position")
        if not (0 <= port < PORTS and -1 <= space < SPACES and 0 <= tile < TILES and 0 <= turned < 8):
            raise ValueError("no such port, space, tile or turn")
        memcpy(&p, PyBytes_AS_STRING(position), sizeof(Position))
        if space >= 0:
            p.tile[space] = tile
            p.turned[space] = turned
        steps = []
        there = BEYOND + port
        while there >= BEYOND:
            at = (there - BEYOND) >> 3
            edge = there & 7
            lies = p.tile[at]
            r = p.turned[at]
            if r == FACE_DOWN:
                return steps, -1, at
            steps.append((at, lies, edge, t.crossing[lies][r][edge]))
            there = t.leads_to[8 * at + t.crossing[lies][r][edge]]
            if len(steps) > PORTS:
                raise ValueError("the path never ends: it was entered between two tiles")
        return steps, there, -1
