"""Sorry!: every rule as a step that is carried out, and the lists made of them."""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from threading import Lock

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from boardrace._core.engine cimport CHANCE, GameTable, Rules, TERMINAL
from boardrace._core.rng cimport Draws

cdef extern from *:
    """
    static const unsigned char br_sorry_full[11] = {5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    static const signed char br_sorry_counts[11] = {1, 2, 3, -4, 5, 7, 8, 10, -1, 11, 12};
    static const signed char br_sorry_forward[11] = {1, 2, 3, 0, 5, 7, 8, 10, 11, 12, 0};
    static const signed char br_sorry_back[11] = {0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0};
    """
    const uint8_t[11] FULL "br_sorry_full"              # a whole pile
    const int8_t[11] COUNTS "br_sorry_counts"           # the signed counts, as the numbers go
    const int8_t[11] FORWARD "br_sorry_forward"         # by card
    const int8_t[11] BACK "br_sorry_back"

cdef enum:                      # cards, in the order of the text
    ONE, TWO, THREE, FOUR, FIVE, SEVEN, EIGHT, TEN, ELEVEN, TWELVE, SORRY
cdef enum:
    FIRST_PLAY = 11             # the outcomes of a draw are 0 to 10
    NUMBER_PASS = 11
    NUMBER_DECLINE = 12


# ---------------------------------------------------------------- squares

cdef inline int square_of(int colour, int steps) noexcept nogil:
    """The track square, 0 to 59, of a pawn with 1 to 60 steps."""
    return (15 * colour + steps + 2) % 60


cdef inline int steps_at(int colour, int square) noexcept nogil:
    """1 to 60: the steps of a pawn of that colour on a track square."""
    return (square + 117 - 15 * colour) % 60 + 1


cdef inline bint on_track(int steps) noexcept nogil:
    return 1 <= steps <= ENTRY


cdef inline int slide_length(int steps) noexcept nogil:
    """How far a pawn that lands here slides: 0, 3 or 4. The same for every colour, since a
    colour's own slides do nothing (sorry.md, Slides)."""
    if steps == 14 or steps == 29 or steps == 44:
        return 3
    if steps == 22 or steps == 37 or steps == 52:
        return 4
    return 0


# ---------------------------------------------------------------- carrying out a part

cdef inline void to_start(uint8_t *pawns, int square, int but_colour) noexcept nogil:
    """Send every pawn on a track square to its Start, but those of one colour."""
    cdef int colour, k, steps
    for colour in range(4):
        if colour != but_colour:
            steps = steps_at(colour, square)
            for k in range(4 * colour, 4 * colour + 4):
                if pawns[k] == steps:
                    pawns[k] = START


cdef inline void slide(uint8_t *pawns, int pawn) noexcept nogil:
    """Slide a pawn that stands on a triangle: all on the rest of the slide go to Start."""
    cdef int colour = pawn >> 2, steps = pawns[pawn], n = slide_length(steps), k
    for k in range(1, n + 1):
        to_start(pawns, square_of(colour, steps + k), -1)
    pawns[pawn] = steps + n


cdef inline bint land(uint8_t *pawns, int pawn, int steps) noexcept nogil:
    """Put a moving pawn down; False, with nothing done, when its own colour stands there."""
    cdef int colour = pawn >> 2, k
    if steps != HOME:
        for k in range(4 * colour, 4 * colour + 4):
            if k != pawn and pawns[k] == steps:
                return False
    pawns[pawn] = steps
    if on_track(steps):
        to_start(pawns, square_of(colour, steps), colour)
        slide(pawns, pawn)
    return True


cdef inline bint move(uint8_t *pawns, int pawn, int count) noexcept nogil:
    """One pawn by a signed count of squares; False when it may not."""
    cdef int steps = pawns[pawn]
    if steps == START or steps == HOME:
        return False
    steps += count
    if steps < 1:
        steps += 60
    if steps > HOME:
        return False
    return land(pawns, pawn, steps)


cdef inline void exchange(uint8_t *pawns, int pawn, int other, bint both) noexcept nogil:
    """Two pawns on the track change places; the mover's, then with `both` the other, slides."""
    cdef int here = square_of(pawn >> 2, pawns[pawn])
    cdef int there = square_of(other >> 2, pawns[other])
    pawns[pawn] = steps_at(pawn >> 2, there)
    pawns[other] = steps_at(other >> 2, here)
    slide(pawns, pawn)
    if both and pawns[other] != START:
        slide(pawns, other)


cdef inline void take(uint8_t *pawns, int pawn, int other) noexcept nogil:
    """A pawn from Start takes another's place on the track, which goes to its Start."""
    pawns[pawn] = steps_at(pawn >> 2, square_of(other >> 2, pawns[other]))
    pawns[other] = START
    slide(pawns, pawn)


cdef inline void order(uint8_t *pawns) noexcept nogil:
    """The four pawns of each colour ascending."""
    cdef int c, i, j
    cdef uint8_t x
    for c in range(0, 16, 4):
        for i in range(c + 1, c + 4):
            x = pawns[i]
            j = i
            while j > c and pawns[j - 1] > x:
                pawns[j] = pawns[j - 1]
                j -= 1
            pawns[j] = x


# ---------------------------------------------------------------- the plays of a card

cdef inline uint64_t part_key(const Part *part) noexcept nogil:
    """A part's place among parts: colour, progress of the square it starts from, signed count,
    target (sorry.md, Plays)."""
    cdef uint64_t progress = part.steps
    cdef uint64_t target = 0
    if progress == BEFORE:
        progress = ENTRY            # the rule counts the circle as 0 and this square as 59
    elif CIRCLE <= progress <= ENTRY:
        progress -= 1
    if part.target:
        target = square_of(part.colour, part.target)
    return (((((<uint64_t>part.colour << 7) | progress) << 5) | <uint64_t>(part.count + 4)) << 6) | target


cdef inline void add(Play *plays, int *n, const uint8_t *pawns, int kind, const Part *one,
                     const Part *two) noexcept nogil:
    cdef Play *play = plays + n[0]
    memset(play, 0, sizeof(Play))
    memcpy(play.pawns, pawns, 16)
    order(<uint8_t *>play.pawns)
    play.kind = kind
    if one != NULL:
        play.parts[0] = one[0]
        play.key = ((<uint64_t>1) << 40) | part_key(one) << 20
    if two != NULL:
        play.parts[1] = two[0]
        play.key = ((<uint64_t>2) << 40) | part_key(one) << 20 | part_key(two)
    n[0] += 1


cdef inline Part part_of(const uint8_t *pawns, int pawn, int count, int target) noexcept nogil:
    cdef Part part
    part.colour = pawn >> 2
    part.steps = pawns[pawn]
    part.count = count
    part.target = target
    return part


cdef int raw_plays(const Tables *t, const uint8_t *pawns, int player, int card, Play *plays) noexcept nogil:
    """Every play of a card, each way of writing it; a pass when there is none."""
    cdef int n = 0, pawn, other, count, target
    cdef int own = t.own[player], theirs = t.theirs[player], takers = theirs
    cdef bint forward = False, exchanged = False, any_target = False
    cdef uint8_t[16] after
    cdef Part one, two
    if card == SORRY:
        for other in range(16):
            if theirs >> (other >> 2) & 1 and on_track(pawns[other]):
                any_target = True
        if not any_target and t.teams:
            takers = own            # sorry.md, Teams: then one of the team's other colour
    for pawn in range(16):
        if not own >> (pawn >> 2) & 1 or pawns[pawn] == HOME:
            continue
        if pawns[pawn] == START:
            if pawn & 3 and pawns[pawn - 1] == START:
                continue            # pawns in Start are alike
            memcpy(after, pawns, 16)
            if card == ONE or card == TWO:
                if land(after, pawn, CIRCLE):
                    one = part_of(pawns, pawn, 0, 0)
                    add(plays, &n, after, ENTER, &one, NULL)
            elif card == SORRY:
                for other in range(16):
                    if takers >> (other >> 2) & 1 and on_track(pawns[other]) and other >> 2 != pawn >> 2:
                        memcpy(after, pawns, 16)
                        take(after, pawn, other)
                        target = steps_at(pawn >> 2, square_of(other >> 2, pawns[other]))
                        one = part_of(pawns, pawn, 0, target)
                        add(plays, &n, after, TAKE, &one, NULL)
            continue
        if FORWARD[card]:
            memcpy(after, pawns, 16)
            if move(after, pawn, FORWARD[card]):
                forward = True
                one = part_of(pawns, pawn, FORWARD[card], 0)
                add(plays, &n, after, MOVE, &one, NULL)
        if BACK[card]:
            memcpy(after, pawns, 16)
            if move(after, pawn, -BACK[card]):
                one = part_of(pawns, pawn, -BACK[card], 0)
                add(plays, &n, after, MOVE, &one, NULL)
        if card == SEVEN:
            for count in range(1, 7):
                for other in range(16):
                    if not own >> (other >> 2) & 1 or other == pawn or pawns[other] == START:
                        continue
                    memcpy(after, pawns, 16)
                    if move(after, pawn, count) and after[other] != START and move(after, other, 7 - count):
                        one = part_of(pawns, pawn, count, 0)
                        two = part_of(pawns, other, 7 - count, 0)
                        add(plays, &n, after, SPLIT, &one, &two)
        if card == ELEVEN and on_track(pawns[pawn]):
            for other in range(16):
                if theirs >> (other >> 2) & 1 and on_track(pawns[other]):
                    exchanged = True
                    memcpy(after, pawns, 16)
                    exchange(after, pawn, other, t.both)
                    target = steps_at(pawn >> 2, square_of(other >> 2, pawns[other]))
                    one = part_of(pawns, pawn, 0, target)
                    add(plays, &n, after, EXCHANGE, &one, NULL)
    if exchanged and not forward:
        add(plays, &n, pawns, DECLINE, NULL, NULL)
    if n == 0:
        add(plays, &n, pawns, PASS, NULL, NULL)
    return n


cdef int kept_plays(const Tables *t, const uint8_t *pawns, int player, int card, Play *plays) noexcept nogil:
    """The plays of a card, those that end alike as one: the one kept (sorry.md, Plays)."""
    cdef int n = raw_plays(t, pawns, player, card, plays), kept = 0, k, j
    for k in range(n):
        j = 0
        while j < kept and (plays[j].pawns[0] != plays[k].pawns[0] or plays[j].pawns[1] != plays[k].pawns[1]):
            j += 1
        if j == kept:
            plays[kept] = plays[k]
            kept += 1
        elif plays[k].key < plays[j].key:
            plays[j] = plays[k]
    return kept


# ---------------------------------------------------------------- action numbers

cdef int move_kind(int count) noexcept nogil:
    cdef int k = 0
    while COUNTS[k] != count:
        k += 1
    return k


# Which splits are ever kept: bit n - 1 for a first part of n squares, by block, whether the two
# pawns are of two colours, and their steps. The same for every colour; worked out once.
cdef uint8_t[2][2][67][67] ever_kept
cdef int known = 0              # bit 0: for pawns of one colour, bit 1: of two


cdef inline bint split_order(const Part *a, const Part *b) noexcept nogil:
    """Is the pawn of the first part the lower one?"""
    return a.colour < b.colour or (a.colour == b.colour and a.steps < b.steps)


cdef void mark(const Tables *t, const uint8_t *pawns, int two_colours, Play *plays) noexcept nogil:
    cdef int n = kept_plays(t, pawns, 0, SEVEN, plays), k
    cdef const Part *a
    cdef const Part *b
    for k in range(n):
        if plays[k].kind == SPLIT:
            a = &plays[k].parts[0]
            b = &plays[k].parts[1]
            if (a.colour != b.colour) == two_colours:
                if split_order(a, b):
                    ever_kept[0][two_colours][a.steps][b.steps] |= 1 << (a.count - 1)
                else:
                    ever_kept[1][two_colours][b.steps][a.steps] |= 1 << (a.count - 1)


cdef inline int slide_over(int square, int colour, int steps) noexcept nogil:
    """Can a pawn with these steps, going 1 to 6 squares, slide over the square?"""
    cdef int n, k, length
    for n in range(1, 7):
        length = slide_length(steps + n)
        for k in range(1, length + 1):
            if square_of(colour, steps + n + k) == square:
                return True
    return False


cdef int find_splits(const Tables *t, int two_colours) except -1:
    """Fill ever_kept by playing a 7 from every placing of two pawns, alone and with a third that
    one part's slide sends away (only then do others decide about a split)."""
    cdef uint8_t[16] pawns
    cdef int a, b, third, slot, other = 8 if two_colours else 1, square
    cdef Play *plays = <Play *>malloc(MAX_PLAYS * sizeof(Play))
    if plays == NULL:
        raise MemoryError()
    with nogil:
        memset(ever_kept[0][two_colours], 0, 67 * 67)
        memset(ever_kept[1][two_colours], 0, 67 * 67)
        for a in range(1, 66):
            for b in range(1 if two_colours else a + 1, 66):
                memset(pawns, START, 16)
                pawns[0] = a
                pawns[other] = b
                if two_colours and on_track(a) and on_track(b) and square_of(0, a) == square_of(2, b):
                    continue
                order(pawns)
                mark(t, pawns, two_colours, plays)
                for square in range(60):
                    if not (slide_over(square, 0, a) or slide_over(square, 2 if two_colours else 0, b)):
                        continue
                    for slot in range(2, 11, 8):
                        if slot == 10 and not two_colours:
                            continue
                        third = steps_at(slot >> 2, square)
                        memset(pawns, START, 16)
                        pawns[0] = a
                        pawns[other] = b
                        if on_track(a) and square_of(0, a) == square:
                            continue
                        if on_track(b) and square_of(other >> 2, b) == square:
                            continue
                        pawns[slot] = third
                        order(pawns)
                        mark(t, pawns, two_colours, plays)
    free(plays)
    return 0


cdef int32_t split_number(const Tables *t, const Part *a, const Part *b) noexcept nogil:
    """The number of a split whose first part is a."""
    cdef int block = 0, two_colours, count = a.count, k
    cdef const Part *low = a
    cdef const Part *high = b
    cdef int32_t number
    cdef uint8_t mask
    if not split_order(a, b):
        block = 1
        low = b
        high = a
    two_colours = low.colour != high.colour
    number = t.row[block][low.colour][low.steps][two_colours] + t.place[block][two_colours][low.steps][high.steps]
    mask = ever_kept[block][two_colours][low.steps][high.steps]
    for k in range(count - 1):
        number += mask >> k & 1
    return number


cdef int32_t number_of(const Tables *t, const Play *play) noexcept nogil:
    cdef const Part *one = &play.parts[0]
    cdef int c = one.colour
    if play.kind == PASS:
        return NUMBER_PASS
    if play.kind == DECLINE:
        return NUMBER_DECLINE
    if play.kind == ENTER:
        return t.enter_from[c]
    if play.kind == MOVE:
        return t.move_from[move_kind(one.count)][c] + one.steps - 1
    if play.kind == EXCHANGE:
        return t.exchange_from[c] + 59 * (one.steps - 1) + one.target - 1 - (one.target > one.steps)
    if play.kind == TAKE:
        return t.take_from[c] + one.target - 1
    return split_number(t, one, &play.parts[1])


# ---------------------------------------------------------------- the table's functions

cdef int to_act(const GameTable *table, const void *position) noexcept nogil:
    cdef const Position *p = <const Position *>position
    if p.over:
        return TERMINAL
    if p.card == 0:
        return CHANCE
    return p.turn


cdef int turn(const GameTable *table, const void *position) noexcept nogil:
    return (<const Position *>position).turn


cdef int outcomes(const GameTable *table, const void *position, int32_t *out, uint32_t *weights) noexcept nogil:
    """The cards in the pile, of all 45 when it is empty (sorry.md, Deck)."""
    cdef const Position *p = <const Position *>position
    cdef const uint8_t *deck = p.deck
    cdef int n = 0, k, total = 0
    if p.over or p.card:
        return 0
    for k in range(CARDS):
        total += deck[k]
    if total == 0:
        deck = FULL
    for k in range(CARDS):
        if deck[k]:
            out[n] = k
            weights[n] = deck[k]
            n += 1
    return n


cdef int actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef uint32_t[CARDS] weights
    cdef Play[MAX_PLAYS] plays
    cdef int n, k, j
    cdef int32_t number
    if p.over:
        return 0
    if p.card == 0:
        return outcomes(table, position, out, weights)
    n = kept_plays(t, p.pawns, p.turn, p.card - 1, plays)
    for k in range(n):
        number = number_of(t, &plays[k])
        j = k
        while j > 0 and out[j - 1] > number:
            out[j] = out[j - 1]
            j -= 1
        out[j] = number
    return n


cdef inline bint has_won(const Tables *t, const uint8_t *pawns, int player) noexcept nogil:
    cdef int c, k
    for c in range(4):
        if t.own[player] >> c & 1:
            for k in range(4 * c, 4 * c + 4):
                if pawns[k] != HOME:
                    return False
    return True


cdef inline void draw_card(Position *p, int card) noexcept nogil:
    cdef int k, total = 0
    for k in range(CARDS):
        total += p.deck[k]
    if total == 0:
        memcpy(p.deck, FULL, CARDS)
    p.deck[card] -= 1
    p.card = card + 1


cdef inline void end_turn(const Tables *t, Position *p) noexcept nogil:
    """After a play: the end, and who draws next (the same player after a 2)."""
    p.over = has_won(t, p.pawns, p.turn)
    if p.card - 1 != TWO:
        p.turn = p.turn + 1 if p.turn + 1 < t.num_players else 0
    p.card = 0


cdef inline int pawn_at(const uint8_t *pawns, int colour, int steps) noexcept nogil:
    cdef int k = 4 * colour
    while pawns[k] != steps:
        k += 1
    return k


cdef int pawn_on(const Tables *t, const uint8_t *pawns, int square, int but_colour) noexcept nogil:
    """The pawn on a track square, not of one colour; -1 when there is none."""
    cdef int k
    for k in range(16):
        if k >> 2 != but_colour and pawns[k] == steps_at(k >> 2, square):
            return k
    return -1


cdef void carry_out(const Tables *t, uint8_t *pawns, const Action *action) noexcept nogil:
    cdef const Part *one = &action.parts[0]
    cdef const Part *two = &action.parts[1]
    cdef int pawn, other
    if action.kind <= DECLINE:
        return
    pawn = pawn_at(pawns, one.colour, one.steps)
    if action.kind == ENTER:
        land(pawns, pawn, CIRCLE)
    elif action.kind == MOVE:
        move(pawns, pawn, one.count)
    elif action.kind == SPLIT:
        other = pawn_at(pawns, two.colour, two.steps)
        move(pawns, pawn, one.count)
        move(pawns, other, two.count)
    else:
        other = pawn_on(t, pawns, square_of(one.colour, one.target), one.colour)
        if action.kind == EXCHANGE:
            exchange(pawns, pawn, other, t.both)
        else:
            take(pawns, pawn, other)
    order(pawns)


cdef void apply(const GameTable *table, void *position, int32_t action) noexcept nogil:
    cdef Position *p = <Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    if action < FIRST_PLAY:
        draw_card(p, action)
    else:
        carry_out(t, p.pawns, &t.list[action])
        end_turn(t, p)


cdef void returns(const GameTable *table, const void *position, double *out) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef int k
    if not p.over:
        return
    for k in range(t.num_players):
        if has_won(t, p.pawns, k):
            out[k] = 1
        else:
            out[k] = -1 if t.teams else -1.0 / (t.num_players - 1)


cdef int progress(const GameTable *table, const void *position, int player) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef int total = 0, k
    for k in range(16):
        if t.own[player] >> (k >> 2) & 1:
            total += p.pawns[k]
    return total


cdef void setup(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    cdef Position *p = <Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef int k
    memset(p, 0, sizeof(Position))
    memset(p.pawns, HOME, 16)
    memcpy(p.deck, FULL, CARDS)
    for k in range(t.num_players):
        memset(p.pawns + 4 * t.colour_of[k], START, 4)
        if t.quick:
            p.pawns[4 * t.colour_of[k] + 3] = CIRCLE


cdef enum:
    SEEN_OF_ONE = 67            # a player in an observation: 60 squares, 5 safe ones, Start, Home
    SEEN_CARDS = 22             # the card in hand, and the pile


cdef void observe(const GameTable *table, const void *position, int player, void *out) noexcept nogil:
    """By player from the viewer on: track (index 0 is the viewer's first triangle less one), safety
    zone, pawns in Start and at Home; card in hand, pile, whose turn it is."""
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef uint8_t *seen = <uint8_t *>out
    cdef int k, who, colour, pawn, steps, own = t.colour_of[player]
    memset(seen, 0, table.observation_bytes)
    for k in range(t.num_players):
        who = (player + k) % t.num_players
        colour = t.colour_of[who]
        for pawn in range(4 * colour, 4 * colour + 4):
            steps = p.pawns[pawn]
            if steps == START:
                seen[65] += 1
            elif steps == HOME:
                seen[66] += 1
            elif steps > ENTRY:
                seen[60 + steps - ENTRY - 1] = 1
            else:
                seen[(square_of(colour, steps) + 60 - 15 * own) % 60] = 1
        seen += SEEN_OF_ONE
    if p.card:
        seen[p.card - 1] = 1
    memcpy(seen + CARDS, p.deck, CARDS)
    seen[SEEN_CARDS + (p.turn + t.num_players - player) % t.num_players] = 1


cdef void bitboards(const GameTable *table, const void *position, uint64_t *out) noexcept nogil:
    """Two words a player: its pawns on the track (bit = square), its safety zone (bit = s0 to s4)."""
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef int k, pawn, colour, steps
    for k in range(t.num_players):
        out[2 * k] = 0
        out[2 * k + 1] = 0
        colour = t.colour_of[k]
        for pawn in range(4 * colour, 4 * colour + 4):
            steps = p.pawns[pawn]
            if on_track(steps):
                out[2 * k] |= (<uint64_t>1) << square_of(colour, steps)
            elif ENTRY < steps < HOME:
                out[2 * k + 1] |= (<uint64_t>1) << (steps - ENTRY - 1)


# ---------------------------------------------------------------- the class that Python makes

# Only one thread at a time may fill ever_kept.
cdef object _filling = Lock()


cdef class SorryRules(Rules):
    """The compiled side of Sorry! for one set of options.

    Parameters
    ----------
    players : int
    teams, both, quick : bool
        `both`: exchange_slides="both".
    """

    def __init__(self, int players, bint teams, bint both, bint quick):
        global known
        cdef Tables *t = &self.tables
        cdef Tables scratch
        cdef int k, c, need, block, two_colours, a, b, n, other, count
        cdef int32_t number
        cdef uint8_t mask
        cdef Action *list_
        if not 2 <= players <= 4 or (teams and players != 4):
            raise ValueError("Sorry! is for 2 to 4 players, 4 in teams")
        free(t.list)
        memset(t, 0, sizeof(Tables))
        t.num_players = players
        t.teams = teams
        t.both = both
        t.quick = quick
        for c in range(4):
            t.player_of[c] = -1
        for k in range(players):
            c = 2 * k if players == 2 else k
            t.colour_of[k] = c
            t.player_of[c] = k
        for k in range(players):
            for c in range(4):
                if t.player_of[c] >= 0:
                    if t.player_of[c] == k or (teams and (t.player_of[c] ^ k) & 1 == 0):
                        t.own[k] |= 1 << c
                    else:
                        t.theirs[k] |= 1 << c

        need = 3 if teams else 1
        with _filling:
            for two_colours in range(2):
                if need & ~known & (1 << two_colours):
                    # R alone, or R and Y together, whatever this game's players are.
                    scratch = t[0]
                    scratch.own[0] = 5 if two_colours else 1
                    find_splits(&scratch, two_colours)
                    known |= 1 << two_colours

        # The numbers: outcomes, pass, decline, starts, moves by count, exchanges, Sorry!s, splits.
        number = NUMBER_DECLINE + 1
        for c in range(4):
            if t.player_of[c] >= 0:
                t.enter_from[c] = number
                number += 1
        for k in range(11):
            for c in range(4):
                if t.player_of[c] >= 0:
                    t.move_from[k][c] = number
                    number += HOME - COUNTS[k] if COUNTS[k] > 0 else 65
        for c in range(4):
            if t.player_of[c] >= 0:
                t.exchange_from[c] = number
                number += 60 * 59
        for c in range(4):
            if t.player_of[c] >= 0:
                t.take_from[c] = number
                number += 60
        for block in range(2):
            for c in range(4):
                if t.player_of[c] < 0:
                    continue
                for a in range(1, 66):
                    for two_colours in range(2):
                        if two_colours and not (teams and c < 2):
                            continue
                        t.row[block][c][a][two_colours] = number
                        for b in range(1, 66):
                            t.place[block][two_colours][a][b] = number - t.row[block][c][a][two_colours]
                            mask = ever_kept[block][two_colours][a][b]
                            while mask:
                                number += mask & 1
                                mask >>= 1
        t.actions = number

        t.list = <Action *>malloc(number * sizeof(Action))
        if t.list == NULL:
            raise MemoryError()
        memset(t.list, 0, number * sizeof(Action))
        list_ = t.list
        list_[NUMBER_DECLINE].kind = DECLINE
        for c in range(4):
            if t.player_of[c] < 0:
                continue
            list_[t.enter_from[c]].kind = ENTER
            list_[t.enter_from[c]].parts[0].colour = c
            for k in range(11):
                for a in range(1, (HOME - COUNTS[k] if COUNTS[k] > 0 else 65) + 1):
                    fill(&list_[t.move_from[k][c] + a - 1], MOVE, c, a, COUNTS[k], 0)
            for a in range(1, 61):
                fill(&list_[t.take_from[c] + a - 1], TAKE, c, START, 0, a)
                for b in range(1, 61):
                    if a != b:
                        fill(&list_[t.exchange_from[c] + 59 * (a - 1) + b - 1 - (b > a)], EXCHANGE, c, a, 0, b)
            for two_colours in range(2):
                if two_colours and not (teams and c < 2):
                    continue
                other = c + 2 * two_colours
                for block in range(2):
                    for a in range(1, 66):
                        for b in range(1, 66):
                            n = t.row[block][c][a][two_colours] + t.place[block][two_colours][a][b]
                            for count in range(1, 7):
                                if ever_kept[block][two_colours][a][b] >> (count - 1) & 1:
                                    list_[n].kind = SPLIT
                                    list_[n].parts[block].colour = c
                                    list_[n].parts[block].steps = a
                                    list_[n].parts[1 - block].colour = other
                                    list_[n].parts[1 - block].steps = b
                                    list_[n].parts[0].count = count
                                    list_[n].parts[1].count = 7 - count
                                    n += 1

        self.table.tables = t
        self.table.position_bytes = sizeof(Position)
        self.table.num_players = players
        self.table.num_actions = number
        self.table.max_legal_actions = 8 * 7 * 6 + 8 if teams else 4 * 3 * 6 + 4
        self.table.observation_bytes = players * SEEN_OF_ONE + SEEN_CARDS + players
        self.table.num_bitboards = 2 * players
        self.table.progress_goal = HOME * 4 * (2 if teams else 1)
        self.table.to_act = to_act
        self.table.turn = turn
        self.table.actions = actions
        self.table.apply = apply
        self.table.returns = returns
        self.table.progress = progress
        self.table.setup = setup
        self.table.observe = observe
        self.table.bitboards = bitboards
        self.table.outcomes = outcomes
        self.complete()

    def __dealloc__(self):
        free(self.tables.list)

    # ---- between bytes and plain values

    def pack(self, int turn, int card, deck, pawns):
        """bytes: the position. `card` is -1 when one is to be drawn; `pawns` are each player's steps."""
        cdef Position p
        cdef const Tables *t = &self.tables
        cdef int k, c, j
        memset(&p, 0, sizeof(p))
        memset(p.pawns, HOME, 16)
        for k in range(CARDS):
            p.deck[k] = deck[k]
        for k in range(t.num_players):
            c = t.colour_of[k]
            for j in range(4):
                p.pawns[4 * c + j] = pawns[k][j]
        order(p.pawns)
        p.turn = turn
        p.card = card + 1
        for k in range(t.num_players):
            if has_won(t, p.pawns, k):
                p.over = 1
        return PyBytes_FromStringAndSize(<char *>&p, sizeof(p))

    def unpack(self, bytes position):
        """(turn, card or -1, deck, pawns): the opposite of pack."""
        cdef Position p
        cdef const Tables *t = &self.tables
        cdef int k, j
        if len(position) != sizeof(p):
            raise ValueError("these are not the bytes of a position of Sorry!")
        memcpy(&p, PyBytes_AS_STRING(position), sizeof(p))
        deck = tuple([p.deck[k] for k in range(CARDS)])
        pawns = tuple([
            tuple([p.pawns[4 * t.colour_of[k] + j] for j in range(4)]) for k in range(t.num_players)
        ])
        return p.turn, p.card - 1, deck, pawns

    def describe(self, int32_t action):
        """(kind, parts) of a play's number; a part is (colour, steps, count, target or 0)."""
        if not FIRST_PLAY <= action < self.tables.actions:
            raise ValueError("this number is no play")
        cdef const Action *a = &self.tables.list[action]
        return a.kind, parts_of(a.kind, a.parts)

    def plays(self, bytes position, int card, bint kept=False):
        """Every play of a card (0 to 10) for the player whose turn it is, each way of writing it.

        Returns
        -------
        list of (kind, parts, number, pawns)
            The number is that of the kept play with the same end; the pawns are the steps of
            all four colours after the play. With `kept` only the kept plays, once each.
        """
        cdef Position p
        cdef Play *raw
        cdef Play *own
        cdef int n, m, k, j
        memcpy(&p, PyBytes_AS_STRING(position), sizeof(p))
        raw = <Play *>malloc(2 * MAX_PLAYS * sizeof(Play))
        if raw == NULL:
            raise MemoryError()
        own = raw + MAX_PLAYS
        n = raw_plays(&self.tables, p.pawns, p.turn, card, raw)
        m = kept_plays(&self.tables, p.pawns, p.turn, card, own)
        found = []
        for k in range(m if kept else n):
            j = k
            if not kept:
                j = 0
                while memcmp(own[j].pawns, raw[k].pawns, 16) != 0:
                    j += 1
            play = own[k] if kept else raw[k]
            found.append((
                play.kind, parts_of(play.kind, play.parts), number_of(&self.tables, &own[j]),
                tuple([(<uint8_t *>play.pawns)[c] for c in range(16)]),
            ))
        free(raw)
        return found


cdef void fill(Action *action, int kind, int colour, int steps, int count, int target) noexcept nogil:
    action.kind = kind
    action.parts[0].colour = colour
    action.parts[0].steps = steps
    action.parts[0].count = count
    action.parts[0].target = target


cdef tuple parts_of(int kind, const Part *parts):
    if kind <= DECLINE:
        return ()
    return tuple([
        (parts[k].colour, parts[k].steps, parts[k].count, parts[k].target)
        for k in range(2 if kind == SPLIT else 1)
    ])
