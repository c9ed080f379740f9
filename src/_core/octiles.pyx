"""Octiles: paths over turning tiles."""
cdef extern from *:
    """
    /* Partial redundancy elimination keeps more at hand than there are registers: without it
       playouts are a twentieth faster. */
    #if defined(__GNUC__) && !defined(__clang__)
    #pragma GCC optimize ("no-tree-pre")
    #endif
    """

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from boardrace._core.bits cimport (
    count_trailing_zeros, likely, multiply_high, pop_lowest, pop_lowest32, popcount, popcount32,
    require, unlikely,
)
from boardrace._core.engine cimport GameTable, Rules, TERMINAL
from boardrace._core.quads cimport (
    QUADS, all_quad, load_quad, quad, quad_words, scale_bytes, several_bits, some_bits, store_quad,
)
from boardrace._core.rng cimport Draws, draw, draw_below
from boardrace._core.threads cimport read_flag

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


# ---------------------------------------------------------------- labels
#
# For each port: what it leads to when its own space's tile is taken away. That is a place, or DEAD
# (a face-down tile), or LINKED + an edge of the same space, to which the path comes back. Every
# action through a space is then a chord of the switch tile between two labels of that space, and
# nothing else on the board matters; laying a tile changes the labels of those few ports only that
# lead to its space. Sets of ports are words with a byte a space.

cdef enum:
    DEAD = 36
    LINKED = 40
    LINKS = 37                  # in Board.ports: all linked ports,
    NONE = 38                   # and none
    MOST_MOVES = 32             # through a space: 8 turns of 4 chords
    STEPS = 6                   # most paths are no longer
    MOST_WAYS = 4               # from a space straight to others

cdef extern from *:
    """
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    #error "octiles reads the bytes of words: it needs a little-endian processor"
    #endif
    #if defined(__GNUC__)
    #define BR_NO_VECTOR() __asm__ volatile("")
    #else
    #define BR_NO_VECTOR() ((void)0)
    #endif
    """
    # Between steps that are slower as vectors: table lookups, or words written just before.
    void no_vector "BR_NO_VECTOR"() noexcept nogil

cdef struct Board:
    Position p
    uint8_t[PORTS] onward       # a path that comes in here: what it leads to over the tile there
    uint8_t[PORTS] label
    quad_words[39] ports        # by label: the ports, a byte a space

cdef struct Survey:
    # What the actions of a player depend on.
    int runners                 # that may move
    uint8_t[5] place            # where they are; NONE behind them
    uint64_t several            # spaces into which one has several ports, see pop_space
    uint64_t linked             # spaces with linked ports that they can come into
    quad_words doubled          # a byte a space: bit k when runner k has several ports there
    quad_words own              # ports labelled with these places
    quad_words ends             # ports labelled with places where a runner may end

cdef struct Moves:
    # Actions of one runner to one end through a space: one a turn in `turns`.
    uint8_t start
    uint8_t end
    uint8_t turns


cdef inline uint64_t not_zero(uint64_t x) noexcept nogil:
    """0x80 in the bytes that are not zero."""
    return (((x & 0x7f7f7f7f7f7f7f7fULL) + 0x7f7f7f7f7f7f7f7fULL) | x) & 0x8080808080808080ULL


cdef inline uint64_t several(uint64_t x) noexcept nogil:
    """Not zero in the bytes with more than one bit."""
    return x & (x - (not_zero(x) >> 7))


cdef inline uint64_t bits_in_bytes(uint64_t x) noexcept nogil:
    """The number of bits in each byte."""
    x -= (x >> 1) & 0x5555555555555555ULL
    x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL)
    return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL


cdef inline int sum_of_bytes(uint64_t x) noexcept nogil:
    x = (x & 0x00ff00ff00ff00ffULL) + ((x >> 8) & 0x00ff00ff00ff00ffULL)
    return (x * 0x0001000100010001ULL) >> 48


cdef inline int sum_of_few(uint64_t x) noexcept nogil:
    """The sum of bytes that is less than 256: that of a space's weights, 32 at most, always is."""
    return (x * 0x0101010101010101ULL) >> 56


cdef inline int byte_of_rank(uint64_t counts, int *rank) noexcept nogil:
    """In which byte the rank lies, when each counts so many, less than 128 in all; and the rank
    within it."""
    cdef uint64_t ends = counts * 0x0101010101010101ULL, passed
    cdef int k
    # Byte k of `ends` is where byte k's ranks end.
    passed = ((<uint64_t>(rank[0] | 0x80) * 0x0101010101010101ULL) - ends) & 0x8080808080808080ULL
    k = sum_of_few(passed >> 7)
    rank[0] -= (ends << 8) >> (8 * k) & 0xff
    return k


cdef inline int or_of_bytes(uint64_t x) noexcept nogil:
    x |= x >> 32
    x |= x >> 16
    return (x | (x >> 8)) & 0xff


cdef inline int walk(const Tables *t, const uint8_t *onward, int port) noexcept nogil:
    """The label of a port."""
    cdef int space = port >> 3, there = t.leads_to[port]
    while there >= BEYOND:
        if (there - BEYOND) >> 3 == space:
            return LINKED + (there & 7)
        there = onward[there - BEYOND]
    return there


cdef inline void set_onward(const Tables *t, Board *b, int space, int tile, int r) noexcept nogil:
    memcpy(b.onward + 8 * space, t.onward[tile][r][space], 8)


cdef void make_board(const Tables *t, const Position *p, Board *b) noexcept nogil:
    """The labels of a position."""
    cdef int space, k, port, n, there
    cdef uint8_t *row
    cdef uint8_t[200] onward        # by label, the ports after the places
    b.p = p[0]
    for space in range(SPACES):
        memcpy(b.onward + 8 * space, t.onward[p.tile[space]][p.turned[space]][space], 8)
    # Most ports lead straight to a place.
    memcpy(b.label, t.leads_to, sizeof(b.label))
    for k in range(39):     # all at once it becomes a string instruction, which the loads below wait for
        memcpy(b.ports[k], t.ports_to[k], sizeof(b.ports[k]))
    # The others are followed as in `walk`, some tiles on without asking whether the path has ended,
    # as that cannot be foreseen: places and links lead to themselves. While the ports of a space
    # are followed, to come back to it is a link.
    for k in range(BEYOND):
        onward[k] = k
    memcpy(onward + BEYOND, b.onward, PORTS)
    for space in range(SPACES):
        memcpy(onward + BEYOND + 8 * space, onward + LINKED, 8)
        for k in range(t.beyonds[space]):
            port = 8 * space + t.beyond[space][k]
            there = t.leads_to[port]
            for n in range(STEPS):
                there = onward[there]
            while unlikely(there >= BEYOND):
                there = onward[there]
            b.label[port] = there
        memcpy(onward + BEYOND + 8 * space, b.onward + 8 * space, 8)
    for k in range(t.inner_ports):
        port = t.inner[k]
        row = <uint8_t *>b.ports[t.row_of[b.label[port]]]
        row[port >> 3] |= 1 << (port & 7)


cdef inline void move_ports(const Tables *t, Board *b, const quad *ports, size_t was, size_t now) noexcept nogil:
    """Take ports from one label's set to another's; or back."""
    cdef uint64_t *row = b.ports[t.row_of[was]]
    cdef int k
    for k in range(QUADS):
        store_quad(row, k, load_quad(row, k) ^ ports[k])
    row = b.ports[t.row_of[now]]
    for k in range(QUADS):
        store_quad(row, k, load_quad(row, k) ^ ports[k])


cdef inline void move_port(const Tables *t, Board *b, size_t port, size_t was, size_t now) noexcept nogil:
    cdef uint64_t bit = (<uint64_t>1) << (port & 63)
    b.ports[t.row_of[was]][port >> 6] ^= bit
    b.ports[t.row_of[now]][port >> 6] ^= bit


cdef inline void lay(const Tables *t, Board *b, int space, int r) noexcept nogil:
    """Lay the switch tile, take up the other, and bring the labels up to date."""
    cdef uint8_t[8][SPACES] met         # by edge of the space: the port by which its path first
    cdef uint32_t[8] near               # leads into each of these spaces
    cdef int taken = b.p.tile[space], i
    cdef size_t k, there, port, was, now, edge
    cdef uint32_t seen, bit, linked
    cdef bint own_links = False
    cdef const uint8_t *crossing = t.crossing[b.p.hand][r]
    cdef const uint8_t *labels = b.label + 8 * space
    cdef quad[QUADS] ports
    memset(near, 0, sizeof(near))
    for k in range(t.beyonds[space]):
        edge = t.beyond[space][k]
        # Over the tile to what its own port leads to.
        now = labels[crossing[edge]]
        there = t.leads_to[8 * space + edge]
        was = b.label[there - BEYOND]
        seen = 0
        for i in range(QUADS):
            ports[i] = all_quad(0)
        while there >= BEYOND:
            port = there - BEYOND
            there = b.onward[port]
            bit = (<uint32_t>1) << (port >> 3)
            if port >> 3 == <size_t>space:
                own_links = True
                break
            if not seen & bit:
                seen |= bit
                met[edge][port >> 3] = port
                if unlikely(b.label[port] != was):      # it came back to its own space
                    move_port(t, b, port, b.label[port], was)
                b.label[port] = now
                for i in range(QUADS):
                    ports[i] |= load_quad(t.port_set[port], i)
        move_ports(t, b, ports, was, now)
        near[edge] = seen
    set_onward(t, b, space, b.p.hand, r)
    b.p.tile[space] = b.p.hand
    b.p.turned[space] = r
    b.p.hand = taken
    # Two paths to the tile that it joins, into one space: its ports now lead to each other. Where
    # paths come back to the tile all are followed.
    for k in range(t.beyonds[space]):
        edge = t.beyond[space][k]
        linked = near[edge] if unlikely(own_links) else near[edge] & near[crossing[edge]]
        while unlikely(linked != 0):
            port = met[edge][pop_lowest32(&linked)]
            now = walk(t, b.onward, port)
            move_port(t, b, port, b.label[port], now)
            b.label[port] = now


cdef inline void move_runner(const Tables *t, Position *p, int start, int end) noexcept nogil:
    """After `lay`: move a runner of the player to act; the next player's turn."""
    cdef int me = p.turn
    p.runners[me] = (p.runners[me] ^ ((<uint64_t>1) << start)) | ((<uint64_t>1) << end)
    p.passes = 0
    p.last = me
    if t.play_on:
        if is_home(t, p, me):
            p.order[p.finished] = me
            p.finished += 1
        p.turn = player_after(t, p, me)
    else:
        p.turn = me + 1 if me + 1 < t.players else 0


cdef inline void pass_on(const Tables *t, Position *p) noexcept nogil:
    p.passes += 1
    p.turn = player_after(t, p, p.turn)


cdef inline uint64_t occupied(const Tables *t, const Position *p) noexcept nogil:
    return (p.runners[0] | p.runners[1]) | (p.runners[2] | p.runners[3])


cdef inline uint64_t as_spaces(const uint64_t *words) noexcept nogil:
    """The spaces whose bytes are 255; the others' are 0."""
    return ((words[0] & 0x0101010101010101ULL) | (words[1] & 0x0202020202020202ULL)
            | (words[2] & 0x0404040404040404ULL))


cdef inline void survey(const Board *b, uint64_t runners, uint64_t free, Survey *s) noexcept nogil:
    """What these runners' actions depend on, when these places are free."""
    cdef int n = 0, k, place
    cdef const uint64_t *row
    cdef quad[QUADS] own, doubled, ends
    cdef quad ports, bit = all_quad(0x0101010101010101ULL)
    cdef quad_words several, linked
    memset(s.place, NONE, sizeof(s.place))
    for k in range(QUADS):
        own[k] = all_quad(0)
        doubled[k] = all_quad(0)
        ends[k] = all_quad(0)
    while runners:
        place = pop_lowest(&runners)
        s.place[n] = place
        n += 1
        row = b.ports[place]
        for k in range(QUADS):
            ports = load_quad(row, k)
            own[k] |= ports
            doubled[k] |= some_bits(several_bits(ports)) & bit
        bit += bit
    s.runners = n
    while free:
        row = b.ports[pop_lowest(&free)]
        for k in range(QUADS):
            ends[k] |= load_quad(row, k)
    for k in range(QUADS):
        store_quad(s.own, k, own[k])
        store_quad(s.ends, k, ends[k])
        store_quad(s.doubled, k, doubled[k])
        store_quad(several, k, some_bits(doubled[k]))
        store_quad(linked, k, some_bits(own[k]) & some_bits(load_quad(b.ports[LINKS], k)))
    s.several = as_spaces(several)
    s.linked = as_spaces(linked)


cdef inline int pop_space(uint64_t *spaces) noexcept nogil:
    """Take a space out of a set that is not empty: space 8 * w + k is bit w of byte k."""
    cdef int bit = pop_lowest(spaces)
    return (bit & 7) << 3 | bit >> 3


cdef inline uint64_t plain_weights(const Tables *t, int tile, int own) noexcept nogil:
    """Byte e: in how many turns a chord leads from one of these edges to e. That counts actions
    where every runner has one port at most and no port is linked."""
    return t.low_weights[tile][own & 15] + t.high_weights[tile][own >> 4]


cdef inline uint64_t reached(const Tables *t, int tile, int own) noexcept nogil:
    """Byte e: the turns in which a chord leads from one of these edges to e."""
    return t.low_sets[tile][own & 15] | t.high_sets[tile][own >> 4]


cdef inline quad turn_bytes(quad x, int distance, uint64_t low) noexcept nogil:
    """Each byte turned right; `low` has the lowest `distance` bits of each."""
    cdef quad high = all_quad(low << (8 - distance))
    return (x >> distance & ~high) | (x << (8 - distance) & high)


cdef inline quad count_in_bytes(quad x) noexcept nogil:
    cdef quad two = all_quad(0x3333333333333333ULL), four = all_quad(0x0f0f0f0f0f0f0f0fULL)
    x -= x >> 1 & all_quad(0x5555555555555555ULL)
    x = (x & two) + (x >> 2 & two)
    return (x + (x >> 4)) & four


cdef inline quad chords_between(quad own, quad ends, int distance, uint64_t low) noexcept nogil:
    """How many pairs of an own port and a free one are so far apart, one way round or the other: a
    bit for each, at the first port of the two. No port is both own and free."""
    return count_in_bytes((own & turn_bytes(ends, distance, low)) | (ends & turn_bytes(own, distance, low)))


cdef inline void count_plain(const Tables *t, int tile, const Survey *s, uint64_t *counts) noexcept nogil:
    """A byte a space: the sum of its plain weights over the free ends."""
    cdef int k
    cdef quad own, ends
    cdef const uint16_t *turns = &t.chord_turns[tile][0][0]
    for k in range(QUADS):
        own = load_quad(s.own, k)
        ends = load_quad(s.ends, k)
        store_quad(counts, k, (
            scale_bytes(chords_between(own, ends, 1, 0x0101010101010101ULL), turns)
            + scale_bytes(chords_between(own, ends, 2, 0x0303030303030303ULL), turns + 16)
            + scale_bytes(chords_between(own, ends, 3, 0x0707070707070707ULL), turns + 32)
            # Opposite each other, a pair has two first ports: the own one is counted.
            + scale_bytes(count_in_bytes(own & turn_bytes(ends, 4, 0x0f0f0f0f0f0f0f0fULL)), turns + 48)))


cdef inline uint64_t own_bytes(uint64_t sorted) noexcept nogil:
    return sorted & 0x00ffffffffffff00ULL


cdef inline uint64_t labels_of(const Board *b, int space) noexcept nogil:
    cdef uint64_t labels
    memcpy(&labels, b.label + 8 * space, 8)
    return labels


cdef inline uint64_t twins_at(uint64_t labels, int distance) noexcept nogil:
    """0x80 in the bytes of edges with the same label as the one so far on. Labels are less than 64:
    of 128 less their difference bit 7 is left only if there is none."""
    return ((0x8080808080808080ULL - (labels ^ (labels >> (8 * distance) | labels << (64 - 8 * distance))))
            & 0x8080808080808080ULL)


cdef inline bint any_twins(uint64_t labels, uint64_t but) noexcept nogil:
    """Are two of eight labels the same, DEAD and these bytes apart?"""
    cdef uint64_t twins = (twins_at(labels, 1) | twins_at(labels, 2) | twins_at(labels, 3)
                           | twins_at(labels, 4))
    return (twins & ~but & not_zero(labels ^ (DEAD * 0x0101010101010101ULL))) != 0


cdef inline uint64_t same_place(uint64_t labels, int distance) noexcept nogil:
    """255 in the bytes of edges with the same label as the one so far on."""
    cdef uint64_t twins = twins_at(labels, distance)
    return (twins << 1) - (twins >> 7)


cdef inline uint64_t second_ways(uint64_t labels, uint64_t row, uint32_t ports) noexcept nogil:
    """Of the turns by port in which a runner with these ports comes to a label, those to leave out
    so that only one way to it is left in each turn."""
    # Opposite each other, a pair would be found twice.
    cdef uint64_t left_out = row & row >> 32 & same_place(labels, 4) & 0xffffffffU
    cdef int d
    for d in range(1, 4):
        no_vector()
        left_out |= row & (row >> (8 * d) | row << (64 - 8 * d)) & same_place(labels, d)
    ports &= ports - 1
    if unlikely(ports & (ports - 1) and popcount(left_out) > 2):
        # Two ports reach one pair of ends in a turn. Of three ends with the same label each may
        # have been left out for another; so leave out those behind another.
        left_out = 0
        for d in range(1, 8):
            left_out |= row << (8 * d) & row & same_place(labels, d) << (8 * d)
    return left_out


cdef struct Links:
    # Pairs of a space's ports that lead to each other. A path that goes out by one comes in again
    # by the other.
    int n
    uint8_t[4] port             # 8 times the one port,
    uint8_t[4] other            # and the other,
    uint64_t[4] row             # and by which ports, in which turns, one goes on from there:
    uint64_t[4] other_row       # as far as links before this one lead


cdef inline uint64_t join_links(const Links *links, uint64_t row) noexcept nogil:
    """To the ports reached in each turn (byte e: turns) those reached over links. Link after link:
    in every turn there is one path, which crosses each chord once."""
    cdef int k
    for k in range(links.n):
        no_vector()
        row |= (
            (((row >> links.port[k]) & 0xff) * 0x0101010101010101ULL & links.other_row[k])
            | (((row >> links.other[k]) & 0xff) * 0x0101010101010101ULL & links.row[k])
        )
    return row


cdef inline void find_pairs(const uint64_t *sets, uint64_t labels, Links *links) noexcept nogil:
    # 0x80 in the bytes of labels from LINKED to LINKED + 7.
    cdef uint64_t left = (labels + (0x80 - LINKED) * 0x0101010101010101ULL) & 0x8080808080808080ULL
    cdef uint64_t row
    cdef int port, other
    links.n = 0
    while left:
        port = pop_lowest(&left) - 7
        other = 8 * (((labels >> port) & 0xff) - LINKED)
        left &= ~((<uint64_t>0x80) << other)
        row = join_links(links, sets[port >> 3])
        links.other_row[links.n] = join_links(links, sets[other >> 3])
        links.row[links.n] = row
        links.port[links.n] = port
        links.other[links.n] = other
        links.n += 1


cdef inline bint has_links(uint64_t labels) noexcept nogil:
    return ((labels + (0x80 - LINKED) * 0x0101010101010101ULL) & 0x8080808080808080ULL) != 0


cdef inline uint64_t special_weights(const Tables *t, int tile, uint64_t sorted, uint64_t labels,
                                     const uint8_t *place, int *loops) noexcept nogil:
    """The weights of a space, exact whatever it is like: paths may come back over links, a runner
    with several ports may come to a place in two ways, or back to its own (such loops are
    added)."""
    cdef uint64_t own = own_bytes(sorted), doubled = not_zero(several(own)), rows, row, weights = 0
    cdef const uint64_t *sets = t.turn_sets[tile]
    cdef int k
    cdef uint32_t ports
    cdef Links links
    links.n = 0
    rows = doubled
    if has_links(labels):
        find_pairs(sets, labels, &links)
        rows = not_zero(own)
    else:
        weights = plain_weights(t, tile, or_of_bytes(own & ~((doubled >> 7) * 0xff)))
    while rows:
        k = pop_lowest(&rows) >> 3
        ports = (sorted >> (8 * k)) & 0xff
        row = join_links(&links, reached(t, tile, ports))
        if ports & (ports - 1):
            if place[k - 1] < STOPS:    # a loop to a starting circle is no action
                loops[0] += popcount32(or_of_bytes(row & t.spread[ports]))
            row &= ~t.spread[ports]
            row &= ~second_ways(labels, row, ports)
        weights += bits_in_bytes(row)
    return weights


cdef inline uint64_t sorted_ports(const Board *b, const Survey *s, int space) noexcept nogil:
    """Byte k + 1: the ports by which runner k comes into a space."""
    cdef uint64_t sorted = 0
    cdef int k
    for k in range(5):
        no_vector()
        sorted |= (<uint64_t>(<const uint8_t *>b.ports[s.place[k]])[space]) << (8 * k + 8)
    return sorted


cdef inline int double_paths(const Tables *t, const Board *b, const Survey *s, int space, int k) noexcept nogil:
    """What plain weights count too little or too much of a runner with several ports into a space
    without links: loops to its own stop, less the second of two ways to a place."""
    cdef int place = s.place[k], loops = 0
    cdef uint32_t ports = (<const uint8_t *>b.ports[place])[space]
    cdef uint64_t row = reached(t, b.p.hand, ports)
    if place < STOPS:           # a loop to a starting circle is no action
        loops = popcount32(or_of_bytes(row & t.spread[ports]))
    row &= t.spread[(<const uint8_t *>s.ends)[space]]
    return loops - popcount(second_ways(labels_of(b, space), row, ports))


cdef inline void count_surveyed(const Tables *t, const Board *b, const Survey *s, uint64_t *counts) noexcept nogil:
    """How many actions there are, a byte a space: 32 at most. No pass."""
    cdef int space, loops, difference
    cdef uint32_t doubled
    cdef uint64_t left = s.several & ~s.linked, exact
    count_plain(t, b.p.hand, s, counts)
    while left:
        space = pop_space(&left)
        doubled = (<const uint8_t *>s.doubled)[space]
        difference = 0
        while True:
            difference += double_paths(t, b, s, space, pop_lowest32(&doubled))
            if likely(not doubled):
                break
        # Whole words are written, as they are read soon after.
        counts[space >> 3] += <uint64_t><int64_t>difference << (8 * (space & 7))
    left = s.linked
    while left:
        space = pop_space(&left)
        loops = 0
        exact = special_weights(t, b.p.hand, sorted_ports(b, s, space), labels_of(b, space), s.place,
                                &loops)
        exact = sum_of_few(exact & t.spread[(<const uint8_t *>s.ends)[space]]) + loops
        exact -= (<const uint8_t *>counts)[space]
        counts[space >> 3] += exact << (8 * (space & 7))


cdef inline int sum_surveyed(const Tables *t, const Board *b, const Survey *s) noexcept nogil:
    """How many actions there are; no pass."""
    cdef quad_words counts
    count_surveyed(t, b, s, counts)
    return sum_of_bytes(counts[0]) + sum_of_bytes(counts[1]) + sum_of_bytes(counts[2])


cdef inline bint survey_to_move(const Tables *t, const Board *b, Survey *s) noexcept nogil:
    """The player to act's survey, by the rule on opening the finish; whether there is an action is
    known only where that rule applies."""
    cdef const Position *p = &b.p
    cdef int me = p.turn
    cdef uint64_t taken = occupied(t, p), free = (0xffffU | t.finishing[me]) & ~taken
    cdef uint64_t circles = t.starting[me]
    if unlikely((taken & circles) == circles and (p.runners[me] & circles) != 0):
        survey(b, p.runners[me] & circles, free, s)
        if sum_surveyed(t, b, s):
            return True
    survey(b, p.runners[me] & ~t.finishing[me], free, s)
    return False


cdef int count_on(const Tables *t, const Board *b) noexcept nogil:
    """How many actions a board has that is not over; a pass counts."""
    cdef Survey s
    cdef int n
    survey_to_move(t, b, &s)
    n = sum_surveyed(t, b, &s)
    return n if n else 1


cdef inline int rows_through(const Tables *t, const Board *b, const Survey *s, int space,
                             uint64_t *rows, uint8_t *starts) noexcept nogil:
    """The actions that lay the switch tile on a space, a row a runner that has some: byte e has
    the turns in which it ends at the place that port e leads to. How many rows."""
    cdef const uint64_t *sets = t.turn_sets[b.p.hand]
    cdef int n = 0, k
    cdef uint32_t ports
    cdef uint64_t row, loops = 0, free = t.spread[(<const uint8_t *>s.ends)[space]]
    cdef uint64_t labels
    cdef Links links
    cdef bint special = (s.linked >> (8 * (space & 7) + (space >> 3)) & 1
                         or (<const uint8_t *>s.doubled)[space])
    if special:
        labels = labels_of(b, space)
        find_pairs(sets, labels, &links)
    for k in range(s.runners):
        no_vector()
        ports = (<const uint8_t *>b.ports[s.place[k]])[space]
        if not ports:
            continue
        row = reached(t, b.p.hand, ports)
        if special:
            row = join_links(&links, row)
            loops = 0
            if ports & (ports - 1):
                if s.place[k] < STOPS:  # a loop to a starting circle is no action
                    loops = or_of_bytes(row & t.spread[ports])
                    loops <<= 8 * count_trailing_zeros(ports)
                row &= ~t.spread[ports]
                row &= ~second_ways(labels, row, ports)
        row = (row & free) | loops
        rows[n] = row
        starts[n] = s.place[k]
        n += row != 0
    return n


cdef inline int moves_through(const Tables *t, const Board *b, const Survey *s, int space,
                              Moves *moves) noexcept nogil:
    """The actions that lay the switch tile on a space; how many Moves."""
    cdef uint64_t[5] rows
    cdef uint8_t[5] starts
    cdef int n = 0, k, edge, m = rows_through(t, b, s, space, rows, starts)
    cdef uint64_t row
    for k in range(m):
        row = rows[k]
        while row:
            edge = count_trailing_zeros(row) >> 3
            moves[n].start = starts[k]
            moves[n].end = b.label[8 * space + edge]
            moves[n].turns = (row >> (8 * edge)) & 0xff
            row &= ~((<uint64_t>0xff) << (8 * edge))
            n += 1
    return n


cdef inline int moves_in_turn(const Tables *t, const Moves *moves, int n, int r, int32_t *pairs) noexcept nogil:
    """The (from, to) pairs of the actions with the tile in one turn, ascending; how many."""
    cdef int k, m = 0, at
    cdef int32_t pair
    for k in range(n):
        if moves[k].turns >> r & 1:
            pair = t.pair_number[PLACES * moves[k].start + moves[k].end]
            at = m
            while at > 0 and pairs[at - 1] > pair:
                pairs[at] = pairs[at - 1]
                at -= 1
            pairs[at] = pair
            m += 1
    return m


# ---------------------------------------------------------------- one position

cdef int actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Board b
    cdef Survey s
    cdef Moves[MOST_MOVES] moves
    cdef int n = 0, space, r, k, m
    if is_over(t, <const Position *>position):
        return 0
    make_board(t, <const Position *>position, &b)
    survey_to_move(t, &b, &s)
    for space in range(SPACES):
        if (<const uint8_t *>s.own)[space]:
            m = moves_through(t, &b, &s, space, moves)
            for r in range(8 if m else 0):
                k = moves_in_turn(t, moves, m, r, out + n)
                while k:
                    out[n] += (8 * space + r) * t.pairs
                    n += 1
                    k -= 1
    if n == 0:
        out[0] = t.pass_action
        n = 1
    return n


cdef int count(const GameTable *table, const void *position) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Board b
    if is_over(t, <const Position *>position):
        return 0
    make_board(t, <const Position *>position, &b)
    return count_on(t, &b)


cdef bint legal(const GameTable *table, const void *position, int32_t action) noexcept nogil:
    """Trace the paths that the action may mean; list only for the opening rule and for a pass."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef int pair = action % t.pairs, laid = action // t.pairs, space = laid >> 3
    cdef int start, end, k, me = p.turn
    cdef bint crossed
    cdef Board b
    cdef Survey s
    if action < 0 or action > t.pass_action or is_over(t, p):
        return False
    if action == t.pass_action:
        make_board(t, p, &b)
        survey_to_move(t, &b, &s)
        return sum_surveyed(t, &b, &s) == 0
    start = t.pair_from[pair]
    end = t.pair_to[pair]
    if laid & 7 >= t.turns[p.hand] or not (p.runners[me] & ~t.finishing[me]) >> start & 1:
        return False
    if end == start:
        if start >= STOPS:
            return False
    elif not ((0xffffU | t.finishing[me]) & ~occupied(t, p)) >> end & 1:
        return False
    for k in range(t.touchings[start]):
        if trace_path(t, p, space, t.crossing[p.hand][laid & 7], t.touching[start][k], &crossed) == end:
            if crossed:
                break
    else:
        return False
    if must_open(t, p) and not t.starting[me] >> start & 1:
        make_board(t, p, &b)
        return not survey_to_move(t, &b, &s)
    return True


cdef struct Choice:
    int space                   # -1: pass
    int turned
    int start
    int end


cdef inline void choose_on(const Tables *t, const Board *b, uint64_t u, Choice *choice) noexcept nogil:
    """The action of rank floor(u * k / 2^64), without a list: first its space, then its turn."""
    cdef Survey s
    cdef uint64_t[5] rows
    cdef uint8_t[5] starts
    cdef int32_t[4] pairs
    cdef quad_words counts
    cdef int space, w, n, r, total, rank, first, second, k, lower
    cdef uint64_t left, here
    survey_to_move(t, b, &s)
    count_surveyed(t, b, &s, counts)
    first = sum_of_bytes(counts[0])
    second = first + sum_of_bytes(counts[1])
    total = second + sum_of_bytes(counts[2])
    if total == 0:
        choice.space = -1
        return
    rank = multiply_high(u, total)
    if likely(total < 128):
        w = (rank >= first) + (rank >= second)
        rank -= second if w == 2 else first if w == 1 else 0
        space = 8 * w + byte_of_rank(counts[w], &rank)
    else:
        space = 0
        while rank >= (<const uint8_t *>counts)[space]:
            rank -= (<const uint8_t *>counts)[space]
            space += 1
    n = rows_through(t, b, &s, space, rows, starts)
    # How many actions in each turn: four at most.
    here = 0
    for r in range(4):
        no_vector()
        left = 0
        for k in range(n):
            no_vector()
            left += rows[k] >> r & 0x1111111111111111ULL
        left = left * 0x0101010101010101ULL >> 56
        here |= (left & 15) << (8 * r) | left >> 4 << (8 * r + 32)
    r = byte_of_rank(here, &rank)
    # The one with `rank` lower pairs: bit k of byte e for the action of row k to e.
    left = 0
    for k in range(n):
        no_vector()
        left |= (rows[k] >> r & 0x0101010101010101ULL) << k
    n = 0
    while left:
        k = pop_lowest(&left)
        pairs[n] = t.pair_number[PLACES * starts[k & 7] + b.label[8 * space + (k >> 3)]]
        n += 1
    for k in range(n):
        lower = 0
        for w in range(n):
            no_vector()
            lower += pairs[w] < pairs[k]
        if lower == rank:
            choice.start = t.pair_from[pairs[k]]
            choice.end = t.pair_to[pairs[k]]
    choice.space = space
    choice.turned = r


cdef inline void carry_out(const Tables *t, Board *b, const Choice *choice) noexcept nogil:
    if choice.space < 0:
        pass_on(t, &b.p)
    else:
        lay(t, b, choice.space, choice.turned)
        move_runner(t, &b.p, choice.start, choice.end)


cdef inline int32_t number_of(const Tables *t, const Choice *choice) noexcept nogil:
    if choice.space < 0:
        return t.pass_action
    return ((8 * choice.space + choice.turned) * t.pairs
            + t.pair_number[PLACES * choice.start + choice.end])


cdef int32_t choose(const GameTable *table, const void *position, uint64_t u) noexcept nogil:
    cdef Board b
    cdef Choice choice
    make_board(tables_of(table), <const Position *>position, &b)
    choose_on(tables_of(table), &b, u, &choice)
    return number_of(tables_of(table), &choice)


cdef void run(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
              int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    """Playouts: labels are kept from ply to ply."""
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>positions
    cdef Board b
    cdef Choice choice
    cdef Py_ssize_t k
    for k in range(n):
        make_board(t, p + k, &b)
        while plies[k] < max_plies and not is_over(t, &b.p):
            choose_on(t, &b, draw(keys[k], plies[k]), &choice)
            carry_out(t, &b, &choice)
            plies[k] += 1
            if read_flag(stop):
                return
        p[k] = b.p


# ---------------------------------------------------------------- perft
#
# The last ply is counted, not made, and together for all moves that lay the same tile on the same
# space. The next player's runners stay where they are, so the number of its actions is a sum over
# the places that are free: what each place adds is worked out once, and a move only takes its end
# out of the sum and puts its start in. Spaces from which no path leads to the space of the new
# tile (they are not "near") are summed up once for all its turns.

cdef struct Ahead:
    # The next player's view of a board.
    Survey s
    uint64_t[SPACES] sorted     # by space: byte 0 the ports to free ends, byte k + 1 those of
                                # runner k, byte 7 the others
    uint64_t[SPACES] free       # by space: 0xff in the bytes of ports to free ends
    uint8_t[64] shift           # by label: 8 times its byte in `sorted`,
    uint32_t[64] runner         # all bits for a runner's place,
    int[64] is_free             # all bits for a free end
    uint8_t[SPACES] busy        # spaces that runners can come into
    int n_busy
    uint32_t slow               # spaces that need special_weights
    # Loops elsewhere: pairs of ports of one runner, on a stop. A space has seven at most.
    int n_loops
    uint8_t[128] loop_space
    uint8_t[128] loop_chord     # 8 * port + port


cdef inline bint is_slow(const Tables *t, uint64_t sorted, uint64_t labels) noexcept nogil:
    """Of a space without links: can an action be reached by two paths, or a runner loop in two
    ways in one turn? Only then are plain_weights and the sum of its loops not exact."""
    cdef uint64_t own = own_bytes(sorted), bits = bits_in_bytes(own)
    # A runner with four ports or more has two chords of its own in some turn.
    return (bits & 0x0404040404040404ULL) != 0 or any_twins(labels, t.spread[or_of_bytes(own)])


cdef inline int sum_over(const uint64_t *weights, const uint64_t *ports, const uint64_t *but) noexcept nogil:
    """The sum of the weights of some ports."""
    cdef int w, total = 0
    cdef uint64_t left
    for w in range(3):
        left = ports[w] & ~but[w]
        while left:
            total += (<const uint8_t *>weights)[64 * w + pop_lowest(&left)]
    return total


cdef inline void look_ahead(const Tables *t, const Board *b, int you, uint64_t free, Ahead *a) noexcept nogil:
    """The next player's view, before the move that is due."""
    cdef const uint8_t *own = <const uint8_t *>a.s.own
    cdef const uint8_t *ends = <const uint8_t *>a.s.ends
    cdef int space, k, w, port
    cdef uint32_t ports, other
    cdef uint64_t x, left
    survey(b, b.p.runners[you] & ~t.finishing[you], free, &a.s)
    memset(a.shift, 56, 64)
    memset(a.runner, 0, sizeof(a.runner))
    memset(a.is_free, 0, sizeof(a.is_free))
    left = free
    while left:
        k = pop_lowest(&left)
        a.shift[k] = 0
        a.is_free[k] = -1
    for k in range(a.s.runners):
        a.shift[a.s.place[k]] = 8 * k + 8
        a.runner[a.s.place[k]] = 0xffffffffU
    a.n_busy = 0
    for space in range(SPACES):
        a.sorted[space] = ends[space]
        a.free[space] = t.spread[ends[space]]
        a.busy[a.n_busy] = space
        a.n_busy += own[space] != 0
    for k in range(a.s.runners):
        for w in range(3):
            left = b.ports[a.s.place[k]][w]
            while left:
                port = pop_lowest(&left)
                a.sorted[8 * w + (port >> 3)] |= (<uint64_t>1) << (8 * k + 8 + (port & 7))
    a.slow = 0
    a.n_loops = 0
    left = a.s.several | a.s.linked
    while left:
        space = pop_space(&left)
        x = a.sorted[space]
        if (<const uint8_t *>b.ports[LINKS])[space] or is_slow(t, x, labels_of(b, space)):
            a.slow |= <uint32_t>1 << space
            continue
        for k in range(a.s.runners):
            ports = (x >> (8 * k + 8)) & 0xff
            if ports & (ports - 1) and a.s.place[k] < STOPS:
                while ports:
                    a.loop_chord[a.n_loops] = 8 * pop_lowest32(&ports)
                    other = ports
                    while other:
                        a.loop_chord[a.n_loops + 1] = a.loop_chord[a.n_loops]
                        a.loop_chord[a.n_loops] += pop_lowest32(&other)
                        a.loop_space[a.n_loops] = space
                        a.n_loops += 1


cdef struct Beneath:
    # The space where the new tile is laid, and what depends on it: spaces with ports that lead
    # there are near. Sets of spaces have a bit a space.
    int space
    int tile                    # the one taken up: the next player's
    int count                   # actions of the next player as far as no turn matters
    bint own_links              # paths lead from this space back to it
    uint32_t near
    uint32_t always             # near spaces that each turn counts anew
    uint32_t linked             # near spaces with linked ports that no turn matters to
    uint64_t[3] holes           # the ports that lead here,
    uint8_t[PORTS] way          # and by which edge of this space: its number in way_edge
    int n_ways
    uint8_t[8] way_edge
    uint32_t[8] way_near        # the near spaces that it leads from
    int[8] way_adds             # what the ports that lead here by this edge add
    int n_pairs                 # two ports of one space that lead here by different edges
    uint8_t[256] pair_first
    uint8_t[256] pair_second
    uint64_t[24] weights        # by space: byte e what port e adds if its place is free
    # Of the near spaces:
    uint64_t[SPACES] fixed      # weights as far as the runners' ports do not lead here
    uint64_t[SPACES] sorted     # as in Ahead, the ports that lead here taken out
    int[SPACES] counts          # what the other ports add to the count; 0 where `always`


cdef inline void look_beneath(const Tables *t, const Board *b, const Ahead *a, int space,
                              Beneath *u) noexcept nogil:
    """All that does not depend on the new tile's turn."""
    cdef const uint8_t *link_ports = <const uint8_t *>b.ports[LINKS]
    cdef uint8_t[72] hole, hole_way
    cdef int k, w, there, port, loops = 0, tile = b.p.tile[space], n = 0
    cdef uint32_t near = 0, seen, bit, left, ports
    cdef uint64_t plain = 0, x, sorted, own
    u.space = space
    u.tile = tile
    u.own_links = False
    u.n_pairs = 0
    u.holes[0] = 0
    u.holes[1] = 0
    u.holes[2] = 0
    u.n_ways = t.beyonds[space]
    for k in range(u.n_ways):
        w = t.beyond[space][k]
        u.way_edge[k] = w
        u.way_adds[k] = 0
        there = t.leads_to[8 * space + w]
        seen = 0
        while there >= BEYOND:
            port = there - BEYOND
            there = b.onward[port]
            bit = (<uint32_t>1) << (port >> 3)
            if port >> 3 == space:
                u.own_links = True
                break
            if not seen & bit:
                if unlikely(near & bit):
                    ports = (<uint8_t *>u.holes)[port >> 3]
                    while ports:
                        u.pair_first[u.n_pairs] = (port & ~7) + pop_lowest32(&ports)
                        u.pair_second[u.n_pairs] = port
                        u.n_pairs += 1
                seen |= bit
                u.way[port] = k
                hole[n] = port
                hole_way[n] = k
                n += 1
                u.holes[port >> 6] |= (<uint64_t>1) << (port & 63)
        u.way_near[k] = seen
        near |= seen
    u.near = near
    # ---- the spaces that are not near
    for k in range(a.n_busy):
        w = a.busy[k]
        x = plain_weights(t, tile, (<const uint8_t *>a.s.own)[w])
        u.weights[w] = x
        plain += x & a.free[w]
    for k in range(a.n_loops):
        if not near >> a.loop_space[k] & 1:
            loops += t.chords[tile][a.loop_chord[k]]
    left = a.slow & ~near
    while left:
        k = pop_lowest32(&left)
        plain -= u.weights[k] & a.free[k]
        x = special_weights(t, tile, a.sorted[k], labels_of(b, k), a.s.place, &loops)
        u.weights[k] = x
        loops += sum_of_few(x & a.free[k])
    # ---- the near ones
    u.always = 0
    u.linked = 0
    left = near
    while left:
        k = pop_lowest32(&left)
        plain -= u.weights[k] & a.free[k]
        ports = (<uint8_t *>u.holes)[k]
        sorted = a.sorted[k] & ~((<uint64_t>ports) * 0x0101010101010101ULL)
        own = own_bytes(sorted)
        x = plain_weights(t, tile, or_of_bytes(own))
        u.sorted[k] = sorted
        u.fixed[k] = x
        u.weights[k] = x
        u.counts[k] = 0
        ports = link_ports[k] & ~ports
        u.linked |= <uint32_t>(ports != 0) << k
        if several(own) or (ports and own):
            u.always |= <uint32_t>1 << k
        else:
            x &= t.spread[sorted & 0xff]
            plain += x
            u.counts[k] = sum_of_few(x)
    for k in range(n):
        u.way_adds[hole_way[k]] += (<const uint8_t *>u.weights)[hole[k]]
    u.count = sum_of_bytes(plain) + loops


cdef inline uint32_t find_links(const Tables *t, Board *b, const Beneath *u, int r, uint8_t *now) noexcept nogil:
    """Put right what the ports that lead to the new tile lead to, where they may come back to their
    own space; the near spaces with linked ports."""
    cdef const uint8_t *crossing = t.crossing[b.p.hand][r]
    cdef uint64_t onward = 0, left
    cdef int k, w, first, second
    cdef uint32_t linked = u.linked
    if unlikely(u.own_links):
        # Paths leave the tile and come back to it: follow each anew.
        memcpy(&onward, b.onward + 8 * u.space, 8)
        set_onward(t, b, u.space, b.p.hand, r)
        for w in range(3):
            left = u.holes[w]
            while left:
                k = 64 * w + pop_lowest(&left)
                now[k] = walk(t, b.onward, k)
                linked |= <uint32_t>(now[k] >= LINKED) << (k >> 3)
        memcpy(b.onward + 8 * u.space, &onward, 8)
        return linked
    for k in range(u.n_pairs):
        first = u.pair_first[k]
        second = u.pair_second[k]
        if crossing[u.way_edge[u.way[first]]] == u.way_edge[u.way[second]]:
            now[first] = LINKED + (second & 7)
            now[second] = LINKED + (first & 7)
            linked |= <uint32_t>1 << (first >> 3)
    return linked


cdef inline int change_at(const Tables *t, const Board *b, const Beneath *u, uint32_t redo, int place) noexcept nogil:
    """What a place's ports in the spaces counted anew add more than before."""
    cdef int change = 0, space
    cdef uint64_t ports
    while redo:
        space = pop_lowest32(&redo)
        ports = (<const uint8_t *>b.ports[place])[space] & ~(<const uint8_t *>u.holes)[space]
        if unlikely(ports != 0):
            ports = t.spread[ports]
            change += sum_of_few(u.weights[space] & ports) - sum_of_few(u.fixed[space] & ports)
    return change


cdef uint64_t count_two(const Tables *t, Board *b) noexcept nogil:
    """perft(board, 2)."""
    cdef const Position *p = &b.p
    cdef Survey s
    cdef Ahead ahead
    cdef Beneath u
    cdef Moves[MOST_MOVES] moves
    cdef uint8_t[PORTS] now             # what the ports that lead to the new tile lead to,
    cdef uint8_t[8] way_now             # by edge, if they do not come back to their spaces
    cdef uint16_t[64] extra             # by label: what those ports add
    cdef int[PLACES] adds               # by place: what its other ports add; of `summed` places
    cdef uint64_t summed
    cdef int me = p.turn, you, space, r, k, w, m, label, loops, here, n, first, last, move_count = 0
    cdef uint32_t turns, linked, redo, left, ports
    cdef uint64_t taken = occupied(t, p), free, from_ok, total = 0, x, plain, sorted, own, labels
    cdef const uint8_t *crossing
    cdef const uint8_t *laid_label
    cdef bint may_win, opening, links_now
    cdef Position kept
    if is_over(t, p):
        return 0
    survey_to_move(t, b, &s)
    you = player_after(t, p, me)
    free = (0xffffU | t.finishing[you]) & ~taken
    from_ok = 0xffffU | t.finishing[you]
    look_ahead(t, b, you, free, &ahead)
    # A move that takes the last runner home may end the game.
    may_win = (popcount(p.runners[me] & ~t.finishing[me]) == 1
               and (not t.play_on or t.players - p.finished <= 2))
    # The rule on opening the finish may be for the next player and change something.
    opening = ((p.runners[you] & t.starting[you]) != 0
               and (p.runners[you] & ~(t.starting[you] | t.finishing[you])) != 0
               and popcount(t.starting[you] & ~taken) <= 1)
    memset(extra, 0, sizeof(extra))
    memset(u.weights, 0, sizeof(u.weights))
    for space in range(SPACES):
        if not (<const uint8_t *>s.own)[space]:
            continue
        m = moves_through(t, b, &s, space, moves)
        if m == 0:
            continue
        move_count += m
        look_beneath(t, b, &ahead, space, &u)
        laid_label = b.label + 8 * space
        turns = 0
        summed = 0
        for k in range(m):
            turns |= moves[k].turns
            first = moves[k].start
            last = moves[k].end
            if not summed >> first & 1:
                summed |= (<uint64_t>1) << first
                adds[first] = sum_over(u.weights, b.ports[first], u.holes)
            if not summed >> last & 1:
                summed |= (<uint64_t>1) << last
                adds[last] = sum_over(u.weights, b.ports[last], u.holes)
        while turns:
            r = pop_lowest32(&turns)
            crossing = t.crossing[p.hand][r]
            # Only spaces into which a runner now comes by the new tile, or in two ways, or by a
            # link, are counted anew. The others add by each edge of the tile the same as ever.
            redo = u.always
            here = u.count
            for k in range(u.n_ways):
                label = laid_label[crossing[u.way_edge[k]]]
                way_now[k] = label
                redo |= u.way_near[k] & ahead.runner[label]
                extra[label] += u.way_adds[k]
                here += u.way_adds[k] & ahead.is_free[label]
            linked = u.linked
            links_now = u.n_pairs or u.own_links
            if links_now:
                for w in range(3):
                    x = u.holes[w]
                    while x:
                        k = 64 * w + pop_lowest(&x)
                        now[k] = way_now[u.way[k]]
                linked = find_links(t, b, &u, r, now)
                redo |= u.near if u.own_links else linked
            left = redo
            while left:
                n = pop_lowest32(&left)
                sorted = u.sorted[n]
                labels = labels_of(b, n)
                ports = (<const uint8_t *>u.holes)[n]
                while ports:
                    k = pop_lowest32(&ports)
                    label = now[8 * n + k] if links_now else way_now[u.way[8 * n + k]]
                    (<uint8_t *>&labels)[k] = label
                    sorted |= (<uint64_t>1 << k) << ahead.shift[label]
                own = own_bytes(sorted)
                loops = 0
                if several(own) or (linked >> n & 1 and own):
                    x = special_weights(t, u.tile, sorted, labels, ahead.s.place, &loops)
                else:
                    x = plain_weights(t, u.tile, or_of_bytes(own))
                here += sum_of_few(x & t.spread[sorted & 0xff]) + loops - u.counts[n]
                u.weights[n] = x
                ports = (<const uint8_t *>u.holes)[n]
                while ports:
                    # What was added by the edge is taken out again.
                    k = pop_lowest32(&ports)
                    label = way_now[u.way[8 * n + k]]
                    w = (u.fixed[n] >> (8 * k)) & 0xff
                    extra[label] -= w
                    here -= w & ahead.is_free[label]
                    extra[(labels >> (8 * k)) & 0xff] += (x >> (8 * k)) & 0xff
            # ---- move by move
            for k in range(m):
                if not moves[k].turns >> r & 1:
                    continue
                first = moves[k].start
                last = moves[k].end
                n = here
                if unlikely(may_win) and t.finishing[me] >> last & 1:
                    continue
                if unlikely(opening) and (((taken ^ ((<uint64_t>1) << first)) | ((<uint64_t>1) << last))
                                          & t.starting[you]) == t.starting[you]:
                    total += count_after(t, b, space, r, first, last)
                    continue
                if first != last:
                    if from_ok >> first & 1:
                        n += extra[first] + adds[first] + change_at(t, b, &u, redo, first)
                    if free >> last & 1:
                        n -= extra[last] + adds[last] + change_at(t, b, &u, redo, last)
                total += n if n else 1
            for k in range(0, 16, 4):           # four words of `extra` at a time
                for w in range(QUADS):
                    store_quad(<uint64_t *>extra + k, w, all_quad(0))
            left = redo
            while left:
                n = pop_lowest32(&left)
                u.weights[n] = u.fixed[n]
        left = u.near
        while left:
            u.weights[pop_lowest32(&left)] = 0
    if move_count == 0:
        kept = b.p
        pass_on(t, &b.p)
        total = 0 if is_over(t, &b.p) else count_on(t, b)
        b.p = kept
    return total


cdef int count_after(const Tables *t, const Board *b, int space, int r, int first, int last) noexcept nogil:
    """How many actions there are after a move: by making it."""
    cdef Board child = b[0]
    lay(t, &child, space, r)
    move_runner(t, &child.p, first, last)
    return count_on(t, &child)


cdef uint64_t count_deep(const Tables *t, Board *b, int depth) noexcept nogil:
    """perft(board, depth), depth at least 1. The board is as before in the end."""
    cdef Survey s
    cdef Moves[MOST_MOVES] moves
    cdef Board laid
    cdef Position kept
    cdef int space, r, k, m
    cdef uint32_t turns
    cdef uint64_t total = 0
    cdef bint any = False
    if is_over(t, &b.p):
        return 0
    if depth == 1:
        return count_on(t, b)
    if depth == 2:
        return count_two(t, b)
    survey_to_move(t, b, &s)
    for space in range(SPACES):
        if not (<const uint8_t *>s.own)[space]:
            continue
        m = moves_through(t, b, &s, space, moves)
        turns = 0
        for k in range(m):
            turns |= moves[k].turns
        any |= m != 0
        while turns:
            r = pop_lowest32(&turns)
            laid = b[0]
            lay(t, &laid, space, r)
            kept = laid.p
            for k in range(m):
                if moves[k].turns >> r & 1:
                    move_runner(t, &laid.p, moves[k].start, moves[k].end)
                    total += count_deep(t, &laid, depth - 1)
                    laid.p = kept
    if not any:
        kept = b.p
        pass_on(t, &b.p)
        total = count_deep(t, b, depth - 1)
        b.p = kept
    return total


cdef uint64_t tail(const GameTable *table, const void *position, int depth) noexcept nogil:
    cdef Board b
    make_board(tables_of(table), <const Position *>position, &b)
    return count_deep(tables_of(table), &b, depth)


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
        cdef int k, r, edge, edges, space, start, end, player
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
        for k in range(LINKED + 8):
            t.row_of[k] = min(k, LINKS)
        for k in range(PORTS):
            t.port_set[k][k >> 6] = (<uint64_t>1) << (k & 63)
        for k in range(SPACES):
            for edge in range(8):
                if leads_to[8 * k + edge] < BEYOND:
                    (<uint8_t *>t.ports_to[leads_to[8 * k + edge]])[k] |= 1 << edge
                else:
                    t.inner[t.inner_ports] = 8 * k + edge
                    t.inner_ports += 1
                    t.beyond[k][t.beyonds[k]] = edge
                    t.beyonds[k] += 1
        if max([t.beyonds[k] for k in range(SPACES)]) > MOST_WAYS:
            # Arrays of what leads to a space count on it.
            raise SystemError("a space of the board leads to too many others")
        for k in range(256):
            for edge in range(8):
                if k >> edge & 1:
                    t.spread[k] |= (<uint64_t>0xff) << (8 * edge)
        for k in range(TILES):
            for r in range(turns[k]):
                for edge in range(8):
                    t.turn_sets[k][edge] |= (<uint64_t>1) << (8 * t.crossing[k][r][edge] + r)
                    t.chords[k][8 * edge + t.crossing[k][r][edge]] += 1
            for edge in range(1, 5):
                for r in range(16):
                    t.chord_turns[k][edge - 1][r] = t.chords[k][edge]
            for edges in range(16):
                for edge in range(4):
                    if edges >> edge & 1:
                        t.low_sets[k][edges] |= t.turn_sets[k][edge]
                        t.high_sets[k][edges] |= t.turn_sets[k][edge + 4]
                        t.low_weights[k][edges] += bits_in_bytes(t.turn_sets[k][edge])
                        t.high_weights[k][edges] += bits_in_bytes(t.turn_sets[k][edge + 4])
            for r in range(turns[k]):
                for space in range(SPACES):
                    for edge in range(8):
                        t.onward[k][r][space][edge] = leads_to[8 * space + t.crossing[k][r][edge]]
            memset(t.onward[k][FACE_DOWN], DEAD, sizeof(t.onward[k][FACE_DOWN]))
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
        self.table.actions = actions
        self.table.count = count
        self.table.legal = legal
        self.table.choose = choose
        self.table.tail = tail
        self.table.tail_depth = 3
        self.table.run = run
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

    def actions_by_tracing(self, bytes position):
        """list of int: the legal actions by tracing every path for every tile laid, the slow way
        that tests compare with."""
        cdef Position p
        cdef int32_t[4 * TURNS] room
        cdef int n, k
        if PyBytes_GET_SIZE(position) != sizeof(Position):
            raise ValueError("these are not the bytes of an Octiles position")
        memcpy(&p, PyBytes_AS_STRING(position), sizeof(Position))
        n = actions_by_tracing(&self.table, &p, room)
        return [room[k] for k in range(n)]

    def trace(self, bytes position, int port, int space=-1, int tile=0, int turned=0):
        """Follow a path in through a port, first laying a tile on a space (-1: none).

        Returns
        -------
        steps : list of tuple of int
            (space, tile, its turn, edge in, edge out) of each tile crossed.
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
            steps.append((at, lies, r, edge, t.crossing[lies][r][edge]))
            there = t.leads_to[8 * at + t.crossing[lies][r][edge]]
            if len(steps) > PORTS:
                raise ValueError("the path never ends: it was entered between two tiles")
        return steps, there, -1
