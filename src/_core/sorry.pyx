"""Sorry!: every rule as a step that is carried out, and the lists made of them."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from threading import Lock

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from boardrace._core.bits cimport (
    compile_only_if, likely, multiply_high, nth_bit, pop_lowest, pop_lowest32, popcount, popcount32,
    unlikely,
)
from boardrace._core.engine cimport CHANCE, GameTable, Rules, TERMINAL
from boardrace._core.octets cimport (
    OCTETS, above, all_octets, either, load_octets, octets, same, store_octets,
)
from boardrace._core.rng cimport Draws, GOLDEN, draw, mix
from boardrace._core.threads cimport read_flag

cdef extern from *:
    """
    static const unsigned char br_sorry_full[11] = {5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    static const signed char br_sorry_counts[11] = {1, 2, 3, -4, 5, 7, 8, 10, -1, 11, 12};
    static const unsigned char br_sorry_move_kind[17] = {3, 0, 0, 8, 0, 0, 1, 2, 0, 4, 0, 5, 6, 0, 7, 9, 10};
    static const signed char br_sorry_forward[11] = {1, 2, 3, 0, 5, 7, 8, 10, 11, 12, 0};
    static const signed char br_sorry_back[11] = {0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0};
    static const unsigned short br_sorry_kind[11] = {
        1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 6, 1 << 7, 1 << 9, 1 << 10, 1 << 11, 1 << 5};
    static const unsigned char br_sorry_card[12] = {0, 1, 2, 3, 4, 10, 5, 6, 255, 7, 8, 9};
    static const unsigned char br_sorry_slide[67] = {
        [14] = 3, [29] = 3, [44] = 3, [22] = 4, [37] = 4, [52] = 4};
    #include <string.h>
    /* Eight small numbers as the bytes of a word, the first one lowest. */
    static inline unsigned long long br_sorry_eight(const unsigned char *p) {
        unsigned long long x;
        memcpy(&x, p, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = __builtin_bswap64(x);
    #endif
        return x;
    }
    /* Four small numbers to and from a word, the first one lowest. */
    static inline unsigned int br_sorry_four(const unsigned char *p) {
        unsigned int x;
        memcpy(&x, p, 4);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = __builtin_bswap32(x);
    #endif
        return x;
    }
    static inline void br_sorry_put_four(unsigned char *p, unsigned int x) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = __builtin_bswap32(x);
    #endif
        memcpy(p, &x, 4);
    }
    """
    uint64_t eight_bytes "br_sorry_eight"(const uint8_t *p) noexcept nogil
    uint32_t four_bytes "br_sorry_four"(const uint8_t *p) noexcept nogil
    void put_four "br_sorry_put_four"(uint8_t *p, uint32_t x) noexcept nogil
    const uint8_t[11] FULL "br_sorry_full"              # a whole pile
    const int8_t[11] COUNTS "br_sorry_counts"           # the signed counts, as the numbers go
    const uint8_t[17] MOVE_KIND "br_sorry_move_kind"    # a count's place there, from count + 4 on
    const int8_t[11] FORWARD "br_sorry_forward"         # by card
    const int8_t[11] BACK "br_sorry_back"
    # Sets of kinds of card: bit n - 1 for the card n; bit 5, as there is no 6, for the Sorry!.
    const uint16_t[11] KIND "br_sorry_kind"
    const uint8_t[12] CARD_OF "br_sorry_card"           # back from the bit to the card
    const uint8_t[67] SLIDE "br_sorry_slide"            # how far a pawn that lands here slides

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
    return SLIDE[steps]


# ---------------------------------------------------------------- carrying out a part

cdef inline void to_start(uint8_t *pawns, int square, int but_colour) noexcept nogil:
    """Send every pawn on a track square to its Start, but those of one colour."""
    cdef int colour
    cdef uint32_t four, other, here
    for colour in range(4):
        if colour != but_colour:
            # The four bytes of a colour at once: those that differ from `steps` keep bit 7.
            memcpy(&four, pawns + 4 * colour, 4)
            other = (four ^ <uint32_t>steps_at(colour, square) * 0x01010101U) + 0x7F7F7F7FU
            here = ~other & 0x80808080U
            if here:
                four &= ~((here >> 7) * 255)
                memcpy(pawns + 4 * colour, &four, 4)


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


cdef int keep(Play *plays, int n) noexcept nogil:
    """Of plays that end alike the one kept (sorry.md, Plays), in place; how many are left."""
    cdef int kept = 0, k, j
    cdef uint16_t[1024] first           # by a hash of the end: 1 + the play kept for it
    cdef uint64_t hash_
    if n > 16:
        memset(first, 0, sizeof(first))
    for k in range(n):
        if n > 16:
            hash_ = (plays[k].pawns[0] ^ (plays[k].pawns[1] * 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL
            hash_ >>= 54
            while True:
                j = first[hash_] - 1
                if j < 0 or (plays[j].pawns[0] == plays[k].pawns[0]
                             and plays[j].pawns[1] == plays[k].pawns[1]):
                    break
                hash_ = (hash_ + 1) & 1023
            if j < 0:
                j = kept
                first[hash_] = kept + 1
        else:
            j = 0
            while j < kept and (plays[j].pawns[0] != plays[k].pawns[0]
                                or plays[j].pawns[1] != plays[k].pawns[1]):
                j += 1
        if j == kept:
            plays[kept] = plays[k]
            kept += 1
        elif plays[k].key < plays[j].key:
            plays[j] = plays[k]
    return kept


cdef int kept_plays(const Tables *t, const uint8_t *pawns, int player, int card, Play *plays) noexcept nogil:
    """The plays of a card, each end once."""
    return keep(plays, raw_plays(t, pawns, player, card, plays))


# ---------------------------------------------------------------- action numbers

# Which splits are ever kept: bit n - 1 for a first part of n squares, by block, whether the two
# pawns are of two colours, and their steps. The same for every colour; worked out once.
cdef uint8_t[2][2][67][67] ever_kept
cdef bint known = False


cdef inline bint split_order(const Part *a, const Part *b) noexcept nogil:
    """Is the pawn of the first part the lower one?"""
    return a.colour < b.colour or (a.colour == b.colour and a.steps < b.steps)


cdef void mark(const Play *plays, int n) noexcept nogil:
    cdef int k
    cdef const Part *a
    cdef const Part *b
    for k in range(n):
        if plays[k].kind == SPLIT:
            a = &plays[k].parts[0]
            b = &plays[k].parts[1]
            if split_order(a, b):
                ever_kept[0][0][a.steps][b.steps] |= 1 << (a.count - 1)
            else:
                ever_kept[1][0][b.steps][a.steps] |= 1 << (a.count - 1)


cdef inline bint met(int colour, int steps, int square) noexcept nogil:
    """Is a track square the landing square, or on the slide that begins there?"""
    cdef int k
    if steps > ENTRY:
        return False
    for k in range(slide_length(steps) + 1):
        if square_of(colour, steps + k) == square:
            return True
    return False


cdef bint ends_differ(const uint8_t *pawns, const Play *plays, int n) noexcept nogil:
    """Do two plays end alike for their colour but send opponents from different squares?"""
    cdef uint64_t[MAX_PLAYS] cleared
    cdef Side side
    cdef int k, m, other
    for k in range(n):
        cleared[k] = 0
        side = side_of(pawns)
        for m in range(2 if plays[k].kind == SPLIT else plays[k].kind != PASS):
            cleared[k] |= step(&side, plays[k].parts[m].steps,
                               plays[k].parts[m].steps + plays[k].parts[m].count)
        side = side_of(pawns)
        cleared[k] &= ~side.track
        for other in range(k):
            if plays[other].pawns[0] == plays[k].pawns[0] and cleared[other] != cleared[k]:
                return True
    return False


cdef void fill_tables() noexcept nogil:
    """What Sides need, by steps and by sets of counts."""
    cdef int a, k, n, m
    for k in range(64):
        other_part[k] = 0
        for m in range(6):
            if k >> m & 1:
                other_part[k] |= 32 >> m
        twice[k] = k | other_part[k] << 6
    for n in range(1, 13):
        room[n] = 0
        for a in range(1, 65):
            if a + n <= HOME:
                room[n] |= (<uint64_t>1) << (a - 1)
    for a in range(1, HOME):
        if a <= ENTRY:
            track_bit[a] = (<uint64_t>1) << (a - 1)
        else:
            safe_bit[a] = 1 << (a - ENTRY - 1)
        fits[a] = 0
        for n in range(1, 13):
            if a + n <= HOME:
                fits[a] |= 1 << (n - 1)
        for n in range(1, 7):
            if a + n <= ENTRY and slide_length(a + n):
                triangle_in[a] = n
                slide_rest[a] = 0
                for k in range(1, slide_length(a + n) + 1):
                    slide_rest[a] |= (<uint64_t>1) << (a + n + k - 1)


cdef int find_splits(const Tables *t) except -1:
    """Fill ever_kept and pair.

    Two pawns of one colour: play a 7 from every placing, alone and with a third pawn where it
    stops one part unless the other part's slide sends it away first, or where only one of two plays
    that end alike slides over it. (Only then do others decide which play is there to be kept.)

    Red at a and yellow at b: another pawn can stop any play that ends like this one, except the
    same counts in the other order. So red first is kept wherever it is legal; yellow first where
    red first is not, or where one part's landing and slide meet the other's (then the orders end
    differently, or a third pawn stops red first only).
    """
    cdef uint8_t[16] pawns
    cdef int a, b, m, x, y, n
    cdef uint64_t thirds
    cdef bint red_first, yellow_first, meet
    cdef Play *plays = <Play *>malloc(MAX_PLAYS * sizeof(Play))
    if plays == NULL:
        raise MemoryError()
    memset(ever_kept, 0, sizeof(ever_kept))
    with nogil:
        fill_tables()
        for a in range(1, 66):
            for b in range(a + 1, 66):
                memset(pawns, START, 16)
                pawns[2] = a
                pawns[3] = b
                n = raw_plays(t, pawns, 0, SEVEN, plays)
                pair[a][b] = HARD if ends_differ(pawns, plays, n) else 0
                n = keep(plays, n)
                mark(plays, n)
                pair[a][b] |= ever_kept[0][0][a][b] | ever_kept[1][0][a][b] << 6
                thirds = slide_rest[a] | slide_rest[b] if pair[a][b] & HARD else 0
                for m in range(1, 7):
                    x = a + m
                    y = b + 7 - m
                    if x <= HOME and 0 < y - x <= slide_length(x):
                        thirds |= track_bit[y]
                    elif y <= HOME and 0 < x - y <= slide_length(y):
                        thirds |= track_bit[x]
                thirds &= ~(track_bit[a] | track_bit[b])
                while thirds:
                    pawns[1] = a
                    pawns[2] = b
                    pawns[3] = pop_lowest(&thirds) + 1
                    order(pawns)
                    mark(plays, kept_plays(t, pawns, 0, SEVEN, plays))
        for a in range(1, 66):
            for b in range(1, 66):
                if on_track(a) and on_track(b) and square_of(0, a) == square_of(2, b):
                    continue
                for m in range(1, 7):
                    x = a + m
                    y = b + 7 - m
                    if x > HOME or y > HOME:
                        continue
                    red_first = not (on_track(b) and met(0, x, square_of(2, b)))
                    yellow_first = not (on_track(a) and met(2, y, square_of(0, a)))
                    meet = (on_track(x) and met(2, y, square_of(0, x))) or (
                        on_track(y) and met(0, x, square_of(2, y)))
                    if red_first:
                        ever_kept[0][1][a][b] |= 1 << (m - 1)
                    if yellow_first and (meet or not red_first):
                        ever_kept[1][1][a][b] |= 1 << (6 - m)
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


cdef inline int32_t number_of(const Tables *t, int kind, const Part *parts) noexcept nogil:
    cdef const Part *one = parts
    cdef int c = one.colour
    if kind == MOVE:
        return t.move_from[MOVE_KIND[one.count + 4]][c] + one.steps - 1
    if kind == SPLIT:
        return split_number(t, one, one + 1)
    if kind == ENTER:
        return t.enter_from[c]
    if kind == TAKE:
        return t.take_from[c] + one.target - 1
    if kind == EXCHANGE:
        return t.exchange_from[c] + 59 * (one.steps - 1) + one.target - 1 - (one.target > one.steps)
    return NUMBER_DECLINE if kind == DECLINE else NUMBER_PASS


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
    cdef int n = 0, k, total = 0, left
    if p.over or p.card:
        return 0
    for k in range(CARDS):
        total += p.deck[k]
    for k in range(CARDS):
        left = p.deck[k] if total else FULL[k]
        if left:
            out[n] = k
            weights[n] = left
            n += 1
    return n


cdef void sort_numbers(const Tables *t, const Play *plays, int n, int32_t *out) noexcept nogil:
    """The numbers of plays, ascending."""
    cdef int k, j
    cdef int32_t number
    for k in range(n):
        number = number_of(t, plays[k].kind, plays[k].parts)
        j = k
        while j > 0 and out[j - 1] > number:
            out[j] = out[j - 1]
            j -= 1
        out[j] = number


cdef int actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef uint32_t[CARDS] weights
    cdef Play[MAX_PLAYS] plays
    cdef int n
    if p.over:
        return 0
    if p.card == 0:
        return outcomes(table, position, out, weights)
    n = kept_plays(t, p.pawns, p.turn, p.card - 1, plays)
    sort_numbers(t, plays, n, out)
    return n


cdef inline bint has_won(const Tables *t, const uint8_t *pawns, int player) noexcept nogil:
    cdef int c, k
    for c in range(4):
        if t.own[player] >> c & 1:
            for k in range(4 * c, 4 * c + 4):
                if pawns[k] != HOME:
                    return False
    return True


cdef inline bint pile_is_empty(const uint8_t *deck) noexcept nogil:
    return eight_bytes(deck) | eight_bytes(deck + CARDS - 8) == 0


cdef inline int card_drawn(const uint8_t *deck, uint64_t u) noexcept nogil:
    """The card in which that point of the cumulated counts falls.

    Times 0x01...01 every byte of a word becomes the sum of itself and those below; no sum is more
    than 45, so adding 127 less the point sets bit 7 of a byte just where its sum is more.
    """
    cdef uint64_t sums = eight_bytes(deck) * 0x0101010101010101ULL
    cdef uint64_t rest = ((eight_bytes(deck + CARDS - 8) >> 40) + (sums >> 56)) * 0x0101010101010101ULL
    cdef uint64_t point = multiply_high(u, rest >> 16 & 255)
    cdef uint64_t above_ = 0x0101010101010101ULL * (127 - point)
    return CARDS - popcount((sums + above_) & 0x8080808080808080ULL) - popcount((rest + above_) & 0x808080)


cdef inline void draw_card(Position *p, int card) noexcept nogil:
    if pile_is_empty(p.deck):
        memcpy(p.deck, FULL, CARDS)
    p.deck[card] -= 1
    p.card = card + 1


cdef inline void end_turn(const Tables *t, Position *p) noexcept nogil:
    """After a play: the end, and who draws next (the same player after a 2)."""
    p.over = has_won(t, p.pawns, p.turn)
    if p.card - 1 != TWO:
        p.turn = p.turn + 1 if p.turn + 1 < t.num_players else 0
    p.card = 0


cdef int pawn_on(const Tables *t, const uint8_t *pawns, int square, int but_colour) noexcept nogil:
    """The pawn on a track square, not of one colour; -1 when there is none."""
    cdef int colour, steps, k
    for colour in range(4):
        if colour != but_colour:
            steps = steps_at(colour, square)
            for k in range(4 * colour, 4 * colour + 4):
                if pawns[k] == steps:
                    return k
    return -1


cdef inline void order_four(uint8_t *pawns) noexcept nogil:
    """Four pawns ascending: five exchanges of neighbours in a fixed order."""
    cdef uint8_t a = pawns[0], b = pawns[1], c = pawns[2], d = pawns[3], x
    x = a if a < b else b
    b = b if a < b else a
    a = x
    x = c if c < d else d
    d = d if c < d else c
    c = x
    x = a if a < c else c
    c = c if a < c else a
    a = x
    x = b if b < d else d
    d = d if b < d else b
    b = x
    pawns[0] = a
    pawns[1] = b if b < c else c
    pawns[2] = c if b < c else b
    pawns[3] = d


cdef inline void carry_out_part(uint8_t *pawns, int colour, int steps, int to) noexcept nogil:
    """Move a pawn that may; as `land` does, but on sorted pawns and all at once."""
    cdef uint8_t *own = pawns + 4 * colour
    cdef uint8_t *other
    cdef int end = to + SLIDE[to], k, c, x, moving = 0
    cdef uint64_t squares
    for k in range(3, -1, -1):
        if own[k] == steps:
            moving = k
    for k in range(4):
        if to < own[k] <= end:
            own[k] = START
    own[moving] = end
    order_four(own)
    if to > ENTRY:
        return
    squares = ((<uint64_t>2 << SLIDE[to]) - 1) << (to - 1)
    for c in range(1, 4):
        other = pawns + 4 * ((colour + c) & 3)
        if turned(track_on(other), c) & squares:
            for k in range(4):
                x = other[k] + 15 * c
                if x > 60:
                    x -= 60
                if on_track(other[k]) and squares >> (x - 1) & 1:
                    other[k] = START
            order_four(other)


cdef void carry_out(const Tables *t, uint8_t *pawns, const Action *action) noexcept nogil:
    cdef const Part *one = &action.parts[0]
    cdef const Part *two = &action.parts[1]
    cdef int pawn, other, to
    if action.kind == MOVE:
        to = one.steps + one.count
        carry_out_part(pawns, one.colour, one.steps, to if to > 0 else to + 60)
    elif action.kind == ENTER:
        carry_out_part(pawns, one.colour, START, CIRCLE)
    elif action.kind == TAKE:
        carry_out_part(pawns, one.colour, START, one.target)
    elif action.kind == SPLIT:
        carry_out_part(pawns, one.colour, one.steps, one.steps + one.count)
        carry_out_part(pawns, two.colour, two.steps, two.steps + two.count)
    elif action.kind == EXCHANGE:
        pawn = 4 * one.colour
        while pawns[pawn] != one.steps:
            pawn += 1
        other = pawn_on(t, pawns, square_of(one.colour, one.target), one.colour)
        exchange(pawns, pawn, other, t.both)
        for pawn in range(0, 16, 4):
            order_four(pawns + pawn)


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


# ---------------------------------------------------------------- sides: sets instead of pawns
#
# For counting and choosing without a list a colour is a set of squares. In its own steps all
# colours are alike, so one set of formulas serves all; another colour's squares are turned into
# the mover's frame by a rotation of 60 bits.

cdef struct Side:
    uint64_t track              # bit steps - 1: pawns with 1 to 60 steps
    uint32_t safe               # bit 0 to 4: s0 to s4
    int32_t start               # pawns in Start; those that are nowhere are at Home

cdef struct Board:
    Side[4] sides               # by player
    uint8_t[12] deck
    uint32_t kinds              # the kinds of card in the pile
    int32_t left                # how many cards they are
    int32_t turn

cdef enum:
    ALL_KINDS = 0xEFF           # every kind of card
    FORWARD_KINDS = 0xED7       # those that move a pawn forward by their number
    KIND_FOUR = 1 << 3
    KIND_SORRY = 1 << 5
    KIND_SEVEN = 1 << 6
    KIND_TEN = 1 << 9
    KIND_ELEVEN = 1 << 10
    MAX_CHILDREN = 352

cdef uint64_t ALL_60 = 0x0FFFFFFFFFFFFFFF
cdef uint64_t SHORT_SLIDES = ((<uint64_t>1) << 13) | ((<uint64_t>1) << 28) | ((<uint64_t>1) << 43)
cdef uint64_t LONG_SLIDES = ((<uint64_t>1) << 21) | ((<uint64_t>1) << 36) | ((<uint64_t>1) << 51)
cdef uint64_t LONG_ENDS = ((<uint64_t>1) << 25) | ((<uint64_t>1) << 40) | ((<uint64_t>1) << 55)
# The triangles of a colour's own slides, in its steps.
cdef uint64_t OWN_SHORT = (<uint64_t>1) << 58
cdef uint64_t OWN_LONG = (<uint64_t>1) << 6

# Worked out once, beside ever_kept:
cdef uint16_t[67] fits          # counts n (bit n - 1) that do not overshoot Home
cdef uint64_t[13] room          # steps (bit steps - 1) from which a count does not
cdef uint16_t[64] twice         # a set of counts of one part, and above it that of the other part
cdef uint8_t[64] other_part
# Splits of two pawns when the other two are in Start: bits 0 to 5 the lower pawn first, by its
# count, bits 6 to 11 the higher one first; HARD where that depends on the opponents.
cdef uint16_t[66][66] pair
# By steps: how far the next triangle is if that is 1 to 6 squares, else 0, and the rest of its slide.
cdef uint64_t[67] track_bit     # a pawn's bit in Side.track, 0 when it is not there
cdef uint8_t[67] safe_bit
cdef uint8_t[67] triangle_in
cdef uint64_t[67] slide_rest
cdef enum:
    HARD = 1 << 12


cdef inline uint64_t turned(uint64_t squares, int quarters) noexcept nogil:
    """Squares of a colour as another sees them, which sits so many quarters before it."""
    cdef int n = 15 * quarters
    return ((squares << n) | (squares >> (60 - n))) & ALL_60


cdef inline int quarters(const Tables *t, int player, int viewer) noexcept nogil:
    return (t.colour_of[player] - t.colour_of[viewer]) & 3


cdef inline uint64_t track_on(const uint8_t *pawns) noexcept nogil:
    return track_bit[pawns[0]] | track_bit[pawns[1]] | track_bit[pawns[2]] | track_bit[pawns[3]]


cdef inline Side side_of(const uint8_t *pawns) noexcept nogil:
    cdef Side side
    side.track = track_on(pawns)
    side.safe = safe_bit[pawns[0]] | safe_bit[pawns[1]] | safe_bit[pawns[2]] | safe_bit[pawns[3]]
    side.start = (pawns[0] == START) + (pawns[1] == START) + (pawns[2] == START) + (pawns[3] == START)
    return side


cdef inline void pawns_of(const Side *side, uint8_t *pawns) noexcept nogil:
    """The four pawns, ascending."""
    cdef int n = 0, k
    cdef uint64_t track = side.track
    cdef uint32_t safe = side.safe
    for k in range(side.start):
        pawns[n] = START
        n += 1
    while track:
        pawns[n] = pop_lowest(&track) + 1
        n += 1
    while safe:
        pawns[n] = pop_lowest32(&safe) + ENTRY + 1
        n += 1
    while n < 4:
        pawns[n] = HOME
        n += 1


cdef inline void all_pawns(const Tables *t, const Board *b, uint8_t *pawns) noexcept nogil:
    cdef int k
    memset(pawns, HOME, 16)
    for k in range(t.num_players):
        pawns_of(&b.sides[k], pawns + 4 * t.colour_of[k])


cdef inline void set_pawns(const Tables *t, Board *b, const uint8_t *pawns) noexcept nogil:
    cdef int k
    for k in range(t.num_players):
        b.sides[k] = side_of(pawns + 4 * t.colour_of[k])


cdef void board_of(const Tables *t, const Position *p, Board *b) noexcept nogil:
    cdef int k
    set_pawns(t, b, p.pawns)
    b.kinds = 0
    b.left = 0
    for k in range(CARDS):
        b.deck[k] = p.deck[k]
        b.left += p.deck[k]
        if p.deck[k]:
            b.kinds |= KIND[k]
    b.turn = p.turn


cdef inline uint32_t kinds_to_draw(const Board *b) noexcept nogil:
    return b.kinds if b.left else ALL_KINDS


cdef inline void draw_from(Board *b, int card) noexcept nogil:
    if b.left == 0:
        memcpy(b.deck, FULL, CARDS)
        b.left = 45
        b.kinds = ALL_KINDS
    b.left -= 1
    b.deck[card] -= 1
    if b.deck[card] == 0:
        b.kinds &= ~<uint32_t>KIND[card]


cdef inline bint is_home(const Side *side) noexcept nogil:
    return side.track == 0 and side.safe == 0 and side.start == 0


# ---------------------------------------------------------------- counting without a list

cdef struct Count:
    int plays                   # without the passes
    uint32_t some               # the kinds of card with a play
    uint32_t hard               # the kinds that must be counted from a list


cdef inline uint64_t movable(const Side *side) noexcept nogil:
    """Bit steps - 1 of the pawns on the track and on s0 to s3. (s4 has no bit: it is apart.)"""
    return side.track | (<uint64_t>side.safe << 60)


cdef inline uint64_t forward_set(const Side *side, int count) noexcept nogil:
    """Bit steps - 1 of the pawns, s4 apart, that can go forward a count."""
    cdef uint64_t all = movable(side)
    return all & room[count] & ~((all >> count) | (<uint64_t>(side.safe >> 4) << (64 - count)))


cdef inline uint64_t back_four(const Side *side) noexcept nogil:
    cdef uint64_t all = movable(side)
    return all & ~((side.track << 4) | (side.track >> 56))


cdef inline bint safe_back_four(const Side *side) noexcept nogil:
    return side.safe & 0b10001 == 0b10000


cdef inline uint64_t back_one(const Side *side) noexcept nogil:
    cdef uint64_t all = movable(side)
    return all & ~((all << 1) | (side.track >> 59))


cdef inline bint safe_back_one(const Side *side) noexcept nogil:
    return side.safe & 0b11000 == 0b10000


cdef inline int look_ahead(const Side *side, int *steps, uint32_t *ahead) noexcept nogil:
    """The movable pawns' steps, ascending, and which of the 6 squares before each hold own pawns
    (bit n - 1 for n squares ahead); how many pawns they are."""
    cdef uint64_t all = movable(side), rest = all, last = side.safe >> 4
    cdef int n = 0, p
    while rest:
        p = pop_lowest(&rest) + 1
        steps[n] = p
        ahead[n] = (((all >> (p - 1)) >> 1) | (last << (64 - p))) & 63
        n += 1
    if last:
        steps[n] = 65
        ahead[n] = 0
        n += 1
    return n


cdef inline uint32_t splits_of(int low, int high, uint32_t ahead_low, uint32_t ahead_high) noexcept nogil:
    """The splits of two pawns, as in `pair`, less those that a third own pawn stops."""
    cdef int apart = high - low
    if apart <= 6:
        ahead_low &= ~((<uint32_t>1) << (apart - 1))
    return pair[low][high] & ~<uint32_t>twice[ahead_low | other_part[ahead_high]]


cdef inline uint64_t slid_over(uint64_t short_, uint64_t long_) noexcept nogil:
    """The rest of the slides that begin on these triangles."""
    return ((short_ << 1) | (short_ << 2) | (short_ << 3) | (long_ << 1) | (long_ << 2)
            | (long_ << 3) | (long_ << 4))


cdef inline bint exchanges_meet(const Tables *t, uint64_t mine, uint64_t team, uint64_t foes) noexcept nogil:
    """Can two exchanges by pawns of one colour end alike?

    Only where an opponent stands on a triangle and two own pawns on the rest of its slide:
    whichever of them exchanges, the other goes to Start. (Where both slide: wherever a slide meets
    a pawn, to be safe.)
    """
    cdef uint64_t met = slid_over(foes & SHORT_SLIDES, foes & LONG_SLIDES)
    if t.both:
        met |= slid_over(mine & (SHORT_SLIDES | OWN_SHORT), mine & (LONG_SLIDES | OWN_LONG))
        met |= met >> 60
        return met & (foes | team) != 0
    met &= mine
    return met & (met - 1) != 0


cdef inline bint splits_meet(uint64_t all, int steps) noexcept nogil:
    """Can the slide of this pawn, in a split, make other splits legal or end like others?

    A split may end on an own pawn if the other part's slide sends that away first; and where a
    slide meets two own pawns, either may have gone on and both end alike.
    """
    cdef uint64_t met = slide_rest[steps] & all
    if likely(met == 0):
        return False
    return (met & (met - 1)) | (
        ((all ^ ((<uint64_t>1) << (steps - 1))) << (7 - triangle_in[steps])) & met) != 0


cdef inline void count_own(const Side *side, uint32_t kinds, Count *c) noexcept nogil:
    """The plays that need no opponent: all but exchanges and Sorry!s."""
    cdef uint64_t all = movable(side), rest = all, legal_sets = 0, near
    cdef uint32_t forward = kinds & FORWARD_KINDS, some = 0, legal
    cdef uint64_t last = side.safe >> 4
    cdef int[4] steps
    cdef uint32_t[4] ahead
    cdef int n = 0, i, j, p, total
    cdef bint tight = False
    while rest:
        p = pop_lowest(&rest) + 1
        near = ((all >> (p - 1)) >> 1) | (last << (64 - p))     # bit n - 1: an own pawn n ahead
        steps[n] = p
        ahead[n] = near & 63
        legal = forward & fits[p] & ~<uint32_t>near
        legal_sets = (legal_sets << 16) | legal
        some |= legal
        tight |= splits_meet(all, p)
        n += 1
    if last:
        legal = forward & 1
        legal_sets = (legal_sets << 16) | legal
        some |= legal
        steps[n] = 65
        ahead[n] = 0
        n += 1
    total = popcount(legal_sets)
    c.hard = 0
    if side.start and not side.track & 2:
        total += popcount32(kinds & 3)
        some |= kinds & 3
    if kinds & KIND_SEVEN and n > 1:
        if tight:
            c.hard = KIND_SEVEN
        else:
            for j in range(1, n):
                for i in range(j):
                    legal = splits_of(steps[i], steps[j], ahead[i], ahead[j])
                    total += popcount32(legal & 0xFFF)
                    c.hard |= (legal & HARD) >> 6
                    if legal & 0xFFF:
                        some |= KIND_SEVEN
    if kinds & KIND_FOUR:
        near = back_four(side)
        i = popcount(near) + safe_back_four(side)
        total += i
        if i:
            some |= KIND_FOUR
            near &= LONG_ENDS
            if near & (near - 1):
                c.hard |= KIND_FOUR     # two may each slide back to where it stood
    if kinds & KIND_TEN:
        i = popcount(back_one(side)) + safe_back_one(side)
        total += i
        if i:
            some |= KIND_TEN
    c.plays = total
    c.some = some


cdef inline void count_cross(const Tables *t, const Side *side, uint64_t foes, uint32_t kinds,
                             Count *c) noexcept nogil:
    """The plays with an opponent's pawn. `foes`: all opponents' track squares, in this frame."""
    cdef int n = popcount(foes)
    if n == 0:
        return
    if kinds & KIND_SORRY and side.start:
        c.plays += n
        c.some |= KIND_SORRY
    if kinds & KIND_ELEVEN and side.track:
        c.plays += n * popcount(side.track)
        if not c.some & KIND_ELEVEN:
            c.plays += 1            # decline
            c.some |= KIND_ELEVEN
        if exchanges_meet(t, side.track, side.track, foes):
            c.hard |= KIND_ELEVEN


cdef inline uint64_t foes_of(const Tables *t, const Board *b, int player) noexcept nogil:
    cdef uint64_t foes = 0
    cdef int k
    for k in range(t.num_players):
        if k != player:
            foes |= turned(b.sides[k].track, quarters(t, k, player))
    return foes


cdef int count_listed(const Tables *t, const Board *b, int card) noexcept nogil:
    """The slow twin, for the few positions where plays end alike in ways not worth a formula."""
    cdef Play[MAX_PLAYS] plays
    cdef uint8_t[16] pawns
    all_pawns(t, b, pawns)
    return kept_plays(t, pawns, b.turn, card, plays)


cdef inline uint64_t track_of(const Tables *t, const Board *b, int players, int viewer) noexcept nogil:
    """The track squares of a set of players, as one sees them."""
    cdef uint64_t squares = 0
    cdef int k
    for k in range(t.num_players):
        if players >> k & 1:
            squares |= turned(b.sides[k].track, quarters(t, k, viewer))
    return squares


cdef int count_for_team(const Tables *t, const Board *b, uint32_t kinds) noexcept nogil:
    """As count_plays, in teams: two colours, and what they do to each other."""
    cdef Count[2] c
    cdef uint32_t hard = kinds & KIND_SEVEN, some
    cdef int low = b.turn & 1, k, n, pawns = 0, plays = 0, exchanges = 0
    cdef int team = 0b0101 << low, others = 0b0101 << (1 - low), player
    cdef bint four_alike
    for k in range(2):
        player = low + 2 * k
        pawns += popcount(movable(&b.sides[player])) + (b.sides[player].safe >> 4)
    if pawns <= 1:
        hard = 0                    # no split
    for k in range(2):
        count_own(&b.sides[low + 2 * k], kinds & ~hard, &c[k])
        plays += c[k].plays
    some = c[0].some | c[1].some
    four_alike = (popcount(back_four(&b.sides[low]) & LONG_ENDS)
                  + popcount(back_four(&b.sides[low + 2]) & LONG_ENDS)) > 1
    if kinds & KIND_FOUR and four_alike:
        hard |= KIND_FOUR
    n = popcount(track_of(t, b, others, low))
    if kinds & KIND_SORRY:
        for k in range(2):
            if b.sides[low + 2 * k].start:
                pawns = n if n else popcount(b.sides[low + 2 - 2 * k].track)
                plays += pawns
                if pawns:
                    some |= KIND_SORRY
    if kinds & KIND_ELEVEN and n:
        for k in range(2):
            player = low + 2 * k
            exchanges += n * popcount(b.sides[player].track)
            if exchanges_meet(t, b.sides[player].track, track_of(t, b, team, player),
                              track_of(t, b, others, player)):
                hard |= KIND_ELEVEN
        plays += exchanges
        if exchanges:
            if not some & KIND_ELEVEN:
                plays += 1          # decline
            some |= KIND_ELEVEN
    if hard:
        n = 0
        if hard != kinds and hard & ~<uint32_t>KIND_SEVEN:
            n = count_for_team(t, b, kinds & ~hard)     # what was counted wrongly is left out
        elif kinds & ~hard:
            n = plays + popcount32(kinds & ~hard & ~some)
        while hard:
            n += count_listed(t, b, CARD_OF[pop_lowest32(&hard)])
        return n
    return plays + popcount32(kinds & ~some)


cdef int count_plays(const Tables *t, const Board *b, uint32_t kinds) noexcept nogil:
    """The plays of the player whose turn it is, of all these kinds of card together."""
    cdef Count c
    cdef uint32_t hard
    cdef int listed = 0
    if t.teams:
        return count_for_team(t, b, kinds)
    count_own(&b.sides[b.turn], kinds, &c)
    count_cross(t, &b.sides[b.turn], foes_of(t, b, b.turn), kinds, &c)
    if unlikely(c.hard):
        hard = c.hard
        kinds &= ~hard
        while hard:
            listed += count_listed(t, b, CARD_OF[pop_lowest32(&hard)])
        if kinds == 0:
            return listed
        count_own(&b.sides[b.turn], kinds, &c)
        count_cross(t, &b.sides[b.turn], foes_of(t, b, b.turn), kinds, &c)
    return c.plays + popcount32(kinds & ~c.some) + listed


# ---------------------------------------------------------------- making plays on a board

cdef inline uint64_t step(Side *side, int steps, int to) noexcept nogil:
    """Move an own pawn (START: one from there) to where it lands, slide included. Gives the
    squares that the opponents' pawns must leave."""
    cdef uint64_t squares, met
    if steps == START:
        side.start -= 1
    elif steps <= ENTRY:
        side.track &= ~((<uint64_t>1) << (steps - 1))
    else:
        side.safe &= ~((<uint32_t>1) << (steps - ENTRY - 1))
    if to <= ENTRY:
        squares = ((<uint64_t>2 << SLIDE[to]) - 1) << (to - 1)
        met = side.track & squares
        if met:
            side.start += popcount(met)
            side.track &= ~met
        side.track |= (<uint64_t>1) << (to - 1 + SLIDE[to])
        return squares
    if to < HOME:
        side.safe |= (<uint32_t>1) << (to - ENTRY - 1)
    return 0


cdef inline int backwards(int steps, int count) noexcept nogil:
    return steps - count if steps > count else steps - count + 60


cdef inline void clear_squares(const Tables *t, Board *b, int player, uint64_t squares) noexcept nogil:
    """Send the opponents' pawns on these squares, in a player's frame, to Start."""
    cdef int k
    cdef uint64_t hit
    for k in range(t.num_players):
        if k != player:
            hit = b.sides[k].track & turned(squares, quarters(t, player, k))
            if hit:
                b.sides[k].track &= ~hit
                b.sides[k].start += popcount(hit)


cdef void exchange_on(const Tables *t, Board *b, int me, int steps, int target) noexcept nogil:
    """An exchange of a player's pawn with the one that stands on `target` in that frame."""
    cdef int k = 0, q, there, here = 0
    cdef uint64_t squares, hit
    for k in range(t.num_players):
        if k == me:
            continue
        q = quarters(t, me, k)
        there = (target - 1 + 15 * q) % 60
        if b.sides[k].track >> there & 1:
            here = (steps - 1 + 15 * q) % 60
            b.sides[k].track ^= ((<uint64_t>1) << there) | ((<uint64_t>1) << here)
            break
    squares = step(&b.sides[me], steps, target)
    clear_squares(t, b, me, squares)
    if t.both and SLIDE[here + 1] and b.sides[k].track >> here & 1:
        squares = ((<uint64_t>2 << SLIDE[here + 1]) - 2) << here
        hit = b.sides[k].track & squares
        b.sides[k].track &= ~(hit | ((<uint64_t>1) << here))
        b.sides[k].start += popcount(hit)
        b.sides[k].track |= (<uint64_t>1) << (here + SLIDE[here + 1])
        clear_squares(t, b, k, squares)


cdef inline void pass_turn(const Tables *t, Board *b, int card) noexcept nogil:
    if card != TWO:
        b.turn = b.turn + 1 if b.turn + 1 < t.num_players else 0


cdef struct Own:
    Side side                   # the mover after the play
    uint64_t cleared            # the squares that opponents must leave, in the mover's frame


cdef inline int own_step(const Side *side, int steps, int to, Own *out, int n) noexcept nogil:
    out[n].side = side[0]
    out[n].cleared = step(&out[n].side, steps, to)
    return n + 1


cdef int own_children(const Side *side, int card, uint64_t foes, Own *out) noexcept nogil:
    """Every play of a card but exchanges, made; for a card that is not hard. `foes` is for a
    Sorry!. Nothing is written for a pass."""
    cdef int n = 0, p, count = FORWARD[card], i, j, m, d
    cdef uint64_t rest
    cdef int[4] steps
    cdef uint32_t[4] ahead
    cdef uint32_t legal
    if side.start:
        if card <= TWO and not side.track & 2:
            n = own_step(side, START, CIRCLE, out, n)
        elif card == SORRY:
            while foes:
                n = own_step(side, START, pop_lowest(&foes) + 1, out, n)
    if count:
        rest = forward_set(side, count)
        while rest:
            p = pop_lowest(&rest) + 1
            n = own_step(side, p, p + count, out, n)
        if count == 1 and side.safe >> 4:
            n = own_step(side, 65, HOME, out, n)
    if card == FOUR:
        rest = back_four(side)
        while rest:
            p = pop_lowest(&rest) + 1
            n = own_step(side, p, backwards(p, 4), out, n)
        if safe_back_four(side):
            n = own_step(side, 65, 61, out, n)
    elif card == TEN:
        rest = back_one(side)
        while rest:
            p = pop_lowest(&rest) + 1
            n = own_step(side, p, backwards(p, 1), out, n)
        if safe_back_one(side):
            n = own_step(side, 65, 64, out, n)
    elif card == SEVEN:
        d = look_ahead(side, steps, ahead)
        for j in range(1, d):
            for i in range(j):
                legal = splits_of(steps[i], steps[j], ahead[i], ahead[j]) & 0xFFF
                while legal:
                    m = pop_lowest32(&legal) + 1
                    out[n].side = side[0]
                    if m <= 6:
                        out[n].cleared = step(&out[n].side, steps[i], steps[i] + m)
                        out[n].cleared |= step(&out[n].side, steps[j], steps[j] + 7 - m)
                    else:
                        m -= 6
                        out[n].cleared = step(&out[n].side, steps[j], steps[j] + m)
                        out[n].cleared |= step(&out[n].side, steps[i], steps[i] + 7 - m)
                    n += 1
    return n


cdef int children(const Tables *t, const Board *b, int card, Board *out) noexcept nogil:
    """The boards after every play of a card, each once, turns passed on."""
    cdef Own[MAX_CHILDREN] own
    cdef Play[MAX_PLAYS] plays
    cdef uint8_t[16] pawns
    cdef Count c
    cdef uint64_t foes = foes_of(t, b, b.turn), mine, rest
    cdef int n, k, p
    c.hard = t.teams
    if not t.teams:
        count_own(&b.sides[b.turn], KIND[card], &c)
        count_cross(t, &b.sides[b.turn], foes, KIND[card], &c)
    if unlikely(c.hard):
        all_pawns(t, b, pawns)
        n = kept_plays(t, pawns, b.turn, card, plays)
        for k in range(n):
            out[k] = b[0]
            set_pawns(t, &out[k], <uint8_t *>plays[k].pawns)
            pass_turn(t, &out[k], card)
        return n
    n = own_children(&b.sides[b.turn], card, foes, own)
    for k in range(n):
        out[k] = b[0]
        out[k].sides[b.turn] = own[k].side
        clear_squares(t, &out[k], b.turn, own[k].cleared)
        pass_turn(t, &out[k], card)
    if card == ELEVEN and foes:
        mine = b.sides[b.turn].track
        if mine and n == 0:
            out[n] = b[0]
            pass_turn(t, &out[n], card)
            n += 1
        while mine:
            p = pop_lowest(&mine) + 1
            rest = foes
            while rest:
                out[n] = b[0]
                exchange_on(t, &out[n], b.turn, p, pop_lowest(&rest) + 1)
                pass_turn(t, &out[n], card)
                n += 1
    if n == 0:
        out[0] = b[0]
        pass_turn(t, &out[0], card)
        n = 1
    return n


# ---------------------------------------------------------------- counting several plies together

cdef uint64_t count_after(const Tables *t, const Board *b, int card, Count *next_own, uint32_t *next_kinds) noexcept nogil:
    """The plays of all cards that can be drawn after each play of a card, together.

    Where a play leaves the next player's pawns alone, what that player could do without an
    opponent is the same as before: `next_own` keeps it for the kinds in `next_kinds`."""
    cdef Board[MAX_CHILDREN] boards
    cdef Own[MAX_CHILDREN] own
    cdef Board child
    cdef Count c
    cdef const Side *mover = &b.sides[b.turn]
    cdef uint64_t total = 0, foes = foes_of(t, b, b.turn), others = 0
    cdef uint32_t kinds
    cdef int n, k, next_player, q
    if card == TWO or card == ELEVEN:
        n = -1
    else:
        count_own(mover, KIND[card], &c)
        n = -1 if c.hard else own_children(mover, card, foes, own)
    if n < 0:
        n = children(t, b, card, boards)
        for k in range(n):
            if not is_home(&boards[k].sides[b.turn]):
                total += count_plays(t, &boards[k], kinds_to_draw(b))
        return total
    if n == 0:
        own[0].side = mover[0]
        own[0].cleared = 0
        n = 1
    kinds = kinds_to_draw(b)
    next_player = b.turn + 1 if b.turn + 1 < t.num_players else 0
    if next_kinds[0] != kinds:
        count_own(&b.sides[next_player], kinds, next_own)
        next_kinds[0] = kinds
    for k in range(t.num_players):
        if k != b.turn and k != next_player:
            others |= turned(b.sides[k].track, quarters(t, k, next_player))
    q = quarters(t, b.turn, next_player)
    for k in range(n):
        if is_home(&own[k].side):
            continue
        if own[k].cleared & foes == 0:
            c = next_own[0]
            count_cross(t, &b.sides[next_player], others | turned(own[k].side.track, q), kinds, &c)
            if likely(c.hard == 0):
                total += c.plays + popcount32(kinds & ~c.some)
                continue
        child = b[0]
        child.sides[b.turn] = own[k].side
        clear_squares(t, &child, b.turn, own[k].cleared)
        child.turn = next_player
        total += count_plays(t, &child, kinds)
    return total


cdef uint64_t nodes_at_play(const Tables *t, const Board *b, int card, int depth) noexcept nogil:
    cdef Board[MAX_CHILDREN] boards
    cdef Count own
    cdef uint32_t kinds = 0
    cdef uint64_t total = 0
    cdef int n, k
    if depth == 1:
        return count_plays(t, b, KIND[card])
    if depth == 3 and not t.teams:
        return count_after(t, b, card, &own, &kinds)
    n = children(t, b, card, boards)
    for k in range(n):
        if not (is_home(&boards[k].sides[b.turn])
                and (not t.teams or is_home(&boards[k].sides[b.turn ^ 2]))):
            total += nodes_at_draw(t, &boards[k], depth - 1)
    return total


cdef uint64_t nodes_at_draw(const Tables *t, const Board *b, int depth) noexcept nogil:
    cdef Board child
    cdef Count own
    cdef uint32_t kinds = kinds_to_draw(b), rest = kinds, known_kinds = 0
    cdef uint64_t total = 0
    cdef int card
    if depth == 1:
        return popcount32(kinds)
    if depth == 2:
        return count_plays(t, b, kinds)
    while rest:
        card = CARD_OF[pop_lowest32(&rest)]
        child = b[0]
        draw_from(&child, card)
        if depth == 4 and not t.teams:
            total += count_after(t, &child, card, &own, &known_kinds)
        else:
            total += nodes_at_play(t, &child, card, depth - 1)
    return total


cdef uint64_t tail(const GameTable *table, const void *position, int depth) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef Board b
    if p.over:
        return 0
    board_of(t, p, &b)
    if p.card:
        return nodes_at_play(t, &b, p.card - 1, depth)
    return nodes_at_draw(t, &b, depth)


cdef int count_actions(const GameTable *table, const void *position) noexcept nogil:
    return <int>tail(table, position, 1)


# ---------------------------------------------------------------- choosing without a list

cdef inline int pick_card(const Board *b, uint64_t u) noexcept nogil:
    if b.left == 0:
        return card_drawn(FULL, u)
    return card_drawn(b.deck, u)


cdef inline void fill(Action *action, int kind, int colour, int steps, int count, int target) noexcept nogil:
    action.kind = kind
    action.parts[0].colour = colour
    action.parts[0].steps = steps
    action.parts[0].count = count
    action.parts[0].target = target


cdef inline void pick_move(Action *out, int colour, int count, uint64_t set_, int rank) noexcept nogil:
    """The move of that rank among the pawns of a set, s4 after them."""
    cdef int n = popcount(set_)
    fill(out, MOVE, colour, nth_bit(set_, rank) + 1 if rank < n else 65, count, 0)


cdef bint pick_seven(const Side *side, int colour, uint64_t u, Action *out) noexcept nogil:
    cdef uint64_t singles = forward_set(side, 7), low_first = 0, high_first = 0, all = movable(side)
    cdef int[4] steps
    cdef uint32_t[4] ahead
    cdef uint32_t legal, hard = 0
    cdef int n, i, j, k = 0, rank, total
    n = look_ahead(side, steps, ahead)
    if n == 0:
        out.kind = PASS
        return True
    for i in range(n - 1):
        if unlikely(splits_meet(all, steps[i])):
            return False
        for j in range(i + 1, n):
            legal = splits_of(steps[i], steps[j], ahead[i], ahead[j])
            low_first |= <uint64_t>(legal & 63) << k
            high_first |= <uint64_t>(legal >> 6 & 63) << k
            hard |= legal
            k += 6
    if unlikely(hard & HARD):
        return False
    total = popcount(singles)
    i = popcount(low_first)
    rank = total + i + popcount(high_first)
    if rank == 0:
        out.kind = PASS
        return True
    rank = <int>multiply_high(u, rank)
    if rank < total:
        fill(out, MOVE, colour, nth_bit(singles, rank) + 1, 7, 0)
        return True
    rank -= total
    total = i
    k = nth_bit(low_first, rank) if rank < total else nth_bit(high_first, rank - total)
    # The k-th count of all pairs: find its pair.
    j = k // 6
    k = k - 6 * j + 1
    i = 0
    while j >= n - 1 - i:
        j -= n - 1 - i
        i += 1
    j += i + 1
    out.kind = SPLIT
    if rank >= total:
        i, j = j, i
    out.parts[0].colour = colour
    out.parts[0].steps = steps[i]
    out.parts[0].count = k
    out.parts[1].colour = colour
    out.parts[1].steps = steps[j]
    out.parts[1].count = 7 - k
    return True


cdef bint pick_own(const Tables *t, const Side *side, int colour, uint64_t foes, int card, uint64_t u,
                   Action *out) noexcept nogil:
    """The play of rank floor(u * k / 2^64) in ascending order of the numbers. False where plays
    end alike in ways that only the list finds."""
    cdef int count = FORWARD[card], n, k, m = 0, rank, first = 0
    cdef uint64_t set_, other = 0
    if card == SEVEN:
        return pick_seven(side, colour, u, out)
    if card == SORRY:
        n = popcount(foes)
        if side.start == 0 or n == 0:
            out.kind = PASS
        else:
            fill(out, TAKE, colour, START, 0, nth_bit(foes, <int>multiply_high(u, n)) + 1)
        return True
    if card == FOUR:
        set_ = back_four(side)
        other = set_ & LONG_ENDS
        if unlikely(other & (other - 1) != 0):
            return False
        n = popcount(set_) + safe_back_four(side)
        if n == 0:
            out.kind = PASS
        else:
            pick_move(out, colour, -4, set_, <int>multiply_high(u, n))
        return True
    set_ = forward_set(side, count)
    n = popcount(set_)
    if card == ELEVEN:
        if side.track and foes:
            if unlikely(exchanges_meet(t, side.track, side.track, foes)):
                return False
            k = popcount(foes)
            m = k * popcount(side.track)
            first = n == 0
            rank = <int>multiply_high(u, n + m + first) - first
            if rank < 0:
                out.kind = DECLINE
            elif rank < n:
                pick_move(out, colour, 11, set_, rank)
            else:
                rank -= n
                m = rank // k
                fill(out, EXCHANGE, colour, nth_bit(side.track, m) + 1, 0, nth_bit(foes, rank - m * k) + 1)
            return True
    elif card == ONE:
        n += side.safe >> 4
    elif card == TEN:
        other = back_one(side)
        m = popcount(other) + safe_back_one(side)
    if card <= TWO and side.start and not side.track & 2:
        first = 1
    if n + m + first == 0:
        out.kind = PASS
        return True
    rank = <int>multiply_high(u, n + m + first) - first
    if rank < 0:
        fill(out, ENTER, colour, START, 0, 0)
    elif rank < n:
        pick_move(out, colour, count, set_, rank)
    else:
        pick_move(out, colour, -1, other, rank - n)
    return True


cdef void pick(const Tables *t, const Board *b, int card, uint64_t u, Action *out) noexcept nogil:
    """The play of rank floor(u * k / 2^64) in ascending order of the numbers."""
    cdef Play[MAX_PLAYS] plays
    cdef int32_t[MAX_PLAYS] numbers
    cdef uint8_t[16] pawns
    cdef int n
    if likely(pick_own(t, &b.sides[b.turn], t.colour_of[b.turn], foes_of(t, b, b.turn), card, u, out)):
        return
    all_pawns(t, b, pawns)
    n = kept_plays(t, pawns, b.turn, card, plays)
    sort_numbers(t, plays, n, numbers)
    out[0] = t.list[numbers[multiply_high(u, n)]]


cdef void play_on(const Tables *t, Board *b, int card, const Action *a) noexcept nogil:
    """Carry out a play on a board."""
    cdef const Part *one = &a.parts[0]
    cdef const Part *two = &a.parts[1]
    cdef Side *side = &b.sides[b.turn]
    cdef uint64_t cleared = 0
    cdef int to
    if a.kind == EXCHANGE:
        exchange_on(t, b, b.turn, one.steps, one.target)
    elif a.kind > DECLINE:
        if a.kind == ENTER:
            cleared = step(side, START, CIRCLE)
        elif a.kind == TAKE:
            cleared = step(side, START, one.target)
        else:
            to = one.steps + one.count
            if to < 1:
                to += 60
            cleared = step(side, one.steps, to)
            if a.kind == SPLIT:
                cleared |= step(side, two.steps, two.steps + two.count)
        if cleared & foes_of(t, b, b.turn):
            clear_squares(t, b, b.turn, cleared)
    pass_turn(t, b, card)


cdef void pick_for_team(const Tables *t, const Board *b, int card, uint64_t u, Action *out) noexcept nogil:
    """As `pick`, in teams: by sets for moves of one pawn, else from the list."""
    cdef Play[MAX_PLAYS] plays
    cdef int32_t[MAX_PLAYS] numbers
    cdef uint8_t[16] pawns
    cdef uint64_t[4] sets
    cdef int[4] size
    cdef int[2] enter
    cdef const Side *side
    cdef int count = FORWARD[card], low = b.turn & 1, k, n, rank
    cdef bint listed = card == SEVEN or card == ELEVEN or card == SORRY
    if not listed:
        n = 0
        for k in range(2):
            side = &b.sides[low + 2 * k]
            enter[k] = card <= TWO and side.start and not side.track & 2
            sets[2 + k] = 0
            size[2 + k] = 0
            if card == FOUR:
                sets[k] = back_four(side)
                size[k] = popcount(sets[k]) + safe_back_four(side)
            else:
                sets[k] = forward_set(side, count)
                size[k] = popcount(sets[k])
                if card == ONE:
                    size[k] += side.safe >> 4
                elif card == TEN:
                    sets[2 + k] = back_one(side)
                    size[2 + k] = popcount(sets[2 + k]) + safe_back_one(side)
            n += enter[k] + size[k] + size[2 + k]
        listed = card == FOUR and popcount(sets[0] & LONG_ENDS) + popcount(sets[1] & LONG_ENDS) > 1
    if listed:
        all_pawns(t, b, pawns)
        n = kept_plays(t, pawns, b.turn, card, plays)
        sort_numbers(t, plays, n, numbers)
        out[0] = t.list[numbers[multiply_high(u, n)]]
        return
    if n == 0:
        out.kind = PASS
        return
    rank = <int>multiply_high(u, n)
    for k in range(2):
        if rank < enter[k]:
            fill(out, ENTER, low + 2 * k, START, 0, 0)
            return
        rank -= enter[k]
    for k in range(4):
        if rank < size[k]:
            pick_move(out, low + 2 * (k & 1), -4 if card == FOUR else count if k < 2 else -1, sets[k], rank)
            return
        rank -= size[k]


cdef void play_on_for_team(const Tables *t, Board *b, int card, const Action *a) noexcept nogil:
    cdef const Part *part
    cdef int k, to, player
    for k in range(0 if a.kind <= DECLINE else 2 if a.kind == SPLIT else 1):
        part = &a.parts[k]
        player = part.colour        # with four players they are the same
        if a.kind == EXCHANGE:
            exchange_on(t, b, player, part.steps, part.target)
            break
        to = part.target
        if a.kind == ENTER:
            to = CIRCLE
        elif a.kind != TAKE:
            to = part.steps + part.count
            if to < 1:
                to += 60
        clear_squares(t, b, player, step(&b.sides[player], part.steps, to))
    pass_turn(t, b, card)


cdef int32_t choose(const GameTable *table, const void *position, uint64_t u) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef Board b
    cdef Action a
    cdef Side side
    cdef uint64_t foes = 0
    cdef int k, colour
    if p.card == 0:
        if pile_is_empty(p.deck):
            return card_drawn(FULL, u)
        return card_drawn(p.deck, u)
    if not t.teams:
        colour = t.colour_of[p.turn]
        side = side_of(p.pawns + 4 * colour)
        for k in range(4):
            if k != colour:         # a colour that nobody plays has no pawn on the track
                foes |= turned(track_on(p.pawns + 4 * k), (k - colour) & 3)
        if likely(pick_own(t, &side, colour, foes, p.card - 1, u, &a)):
            return number_of(t, a.kind, a.parts)
    board_of(t, p, &b)
    if t.teams:
        pick_for_team(t, &b, p.card - 1, u, &a)
    else:
        pick(t, &b, p.card - 1, u, &a)
    return number_of(t, a.kind, a.parts)


cdef bint legal_listed(const Tables *t, const Board *b, int card, int32_t action) noexcept nogil:
    cdef Play[MAX_PLAYS] plays
    cdef uint8_t[16] pawns
    cdef int n, k
    all_pawns(t, b, pawns)
    n = kept_plays(t, pawns, b.turn, card, plays)
    for k in range(n):
        if number_of(t, plays[k].kind, plays[k].parts) == action:
            return True
    return False


cdef inline bint has_pawn(const Side *side, int steps) noexcept nogil:
    return (side.track & track_bit[steps]) != 0 or (side.safe & safe_bit[steps]) != 0


cdef bint legal(const GameTable *table, const void *position, int32_t action) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef const Tables *t = <const Tables *>table.tables
    cdef const Action *a
    cdef const Part *one
    cdef const Part *two
    cdef const Side *side
    cdef Board b
    cdef int card = p.card - 1, n, i, j, low, high
    cdef uint64_t foes, set_
    cdef int[4] steps
    cdef uint32_t[4] ahead
    cdef uint32_t splits
    if p.over or not 0 <= action < t.actions:
        return False
    board_of(t, p, &b)
    if card < 0:
        return action < CARDS and kinds_to_draw(&b) & KIND[action] != 0
    if action < CARDS:
        return False
    a = &t.list[action]
    if a.kind <= DECLINE:
        return legal_listed(t, &b, card, action)
    one = &a.parts[0]
    two = &a.parts[1]
    if not t.own[b.turn] >> one.colour & 1:
        return False
    side = &b.sides[t.player_of[one.colour]]
    if a.kind == ENTER:
        return card <= TWO and side.start and not side.track & 2
    if a.kind == TAKE and card != SORRY or a.kind == EXCHANGE and card != ELEVEN:
        return False
    if a.kind == SPLIT and card != SEVEN:
        return False
    if t.teams and a.kind != MOVE:
        return legal_listed(t, &b, card, action)
    foes = foes_of(t, &b, b.turn)
    if a.kind == TAKE:
        return side.start and foes >> (one.target - 1) & 1
    if not has_pawn(side, one.steps):
        return False
    if a.kind == EXCHANGE:
        if not foes >> (one.target - 1) & 1:
            return False
        return not exchanges_meet(t, side.track, side.track, foes) or legal_listed(t, &b, card, action)
    if a.kind == MOVE:
        if one.count == -4:
            if card != FOUR:
                return False
            set_ = 0
            for i in range(t.num_players):
                if t.own[b.turn] >> t.colour_of[i] & 1:
                    set_ += popcount(back_four(&b.sides[i]) & LONG_ENDS)
            if set_ > 1:
                return legal_listed(t, &b, card, action)
            if one.steps == 65:
                return safe_back_four(side)
            return back_four(side) >> (one.steps - 1) & 1
        if one.count == -1:
            if card != TEN:
                return False
            if one.steps == 65:
                return safe_back_one(side)
            return back_one(side) >> (one.steps - 1) & 1
        if one.count != FORWARD[card]:
            return False
        return one.steps == 65 or forward_set(side, one.count) >> (one.steps - 1) & 1
    # A split of one colour.
    if not has_pawn(side, two.steps):
        return False
    low = one.steps if one.steps < two.steps else two.steps
    high = one.steps + two.steps - low
    n = look_ahead(side, steps, ahead)
    i = 0
    for j in range(n):
        if splits_meet(movable(side), steps[j]):
            return legal_listed(t, &b, card, action)
        for i in range(j):
            if pair[steps[i]][steps[j]] & HARD:
                return legal_listed(t, &b, card, action)
    for i in range(n):
        for j in range(i + 1, n):
            if steps[i] == low and steps[j] == high:
                splits = splits_of(low, high, ahead[i], ahead[j])
                return splits >> (one.count - 1 + (0 if one.steps == low else 6)) & 1
    return False


cdef void position_of(const Tables *t, const Board *b, int card, Position *p) noexcept nogil:
    """The opposite of board_of; the card is -1 when one is to be drawn."""
    cdef int k
    all_pawns(t, b, p.pawns)
    for k in range(CARDS):
        p.deck[k] = b.deck[k]
    p.turn = b.turn
    p.card = card + 1
    p.over = 0
    for k in range(t.num_players):
        if has_won(t, p.pawns, k):
            p.over = 1


cdef void run_board(const Tables *t, Position *p, uint64_t key, int32_t *plies, int32_t most) noexcept nogil:
    """Play one game on to its end, or until it has made `most` plies."""
    cdef Board b
    cdef Action a
    cdef int card = p.card - 1, mover
    cdef int32_t made = plies[0]
    cdef bint over
    if p.over:
        return
    board_of(t, p, &b)
    while made < most:
        if card < 0:
            card = pick_card(&b, draw(key, made))
            draw_from(&b, card)
        else:
            mover = b.turn
            if t.teams:
                pick_for_team(t, &b, card, draw(key, made), &a)
                play_on_for_team(t, &b, card, &a)
                over = is_home(&b.sides[mover]) and is_home(&b.sides[mover ^ 2])
            else:
                pick(t, &b, card, draw(key, made), &a)
                play_on(t, &b, card, &a)
                over = is_home(&b.sides[mover])
            card = -1
            if over:
                made += 1
                break
        made += 1
    position_of(t, &b, card, p)
    plies[0] = made


cdef void run_for_team(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
                       int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    cdef const Tables *t = <const Tables *>table.tables
    cdef Py_ssize_t i
    for i in range(n):
        run_board(t, <Position *>positions + i, keys[i], plies + i, max_plies)
        if read_flag(stop):
            return


# ---------------------------------------------------------------- games in lockstep
#
# LANES games make a draw and a play at a time, one a byte of a vector. Most plays are of one pawn;
# split sevens, exchanges, Sorry!s and plays that may end alike ("odd" ones) are made one by one,
# on sets of squares, between the two halves of a turn.

cdef enum:
    LANES = 64

cdef struct Lanes:
    uint8_t[4][4][64] pawns     # by role (0 the mover, then in turn order), pawn (in no order), lane
    uint8_t[11][64] deck
    uint8_t[64] left
    uint8_t[64] turn
    uint8_t[64] card
    uint8_t[64] count           # the card's signed count, 0 for a Sorry!
    # Between the halves of a turn: how many moves there are, and of which pawns to where.
    uint8_t[4][64] can
    uint8_t[4][64] to
    uint8_t[4][64] can_back     # a 10's one square back
    uint8_t[64] enter
    uint8_t[64] moves           # forward, or back with a 4
    uint8_t[64] plays
    uint8_t[64] foes            # with two players: opponents on the track
    uint8_t[64] crossing        # and whether this is an exchange or a Sorry!
    uint8_t[64] odd
    uint8_t[64] rank
    uint8_t[64] won
    uint64_t[64] stream         # draw number j of a lane's game is mix(stream), GOLDEN further each
    uint64_t[64] number
    uint64_t[64] first


cdef inline uint64_t small_high(uint64_t u, uint64_t n) noexcept nogil:
    """floor(u * n / 2^64) for n below 2^32."""
    return (((u >> 32) * n) + (((u & 0xFFFFFFFFU) * n) >> 32)) >> 32


cdef inline octets count_of(octets card) noexcept nogil:
    """The card's signed count, forward where there are two; 0 for a Sorry!."""
    cdef octets count = all_octets(0)
    cdef int k
    for k in range(CARDS):
        count = count | (same(card, all_octets(k)) & all_octets(<uint8_t>(FORWARD[k] if k != FOUR else -4)))
    return count


cdef inline octets deal(Lanes *v, int i, octets left, octets drawing) noexcept nogil:
    """Take the card in which the point v.rank falls out of the piles of some lanes."""
    cdef octets empty = same(left, all_octets(0)) & drawing, point = load_octets(v.rank + i)
    cdef octets sum_ = all_octets(0), card = all_octets(0), cards
    cdef int k
    for k in range(CARDS):
        cards = either(empty, all_octets(FULL[k]), load_octets(v.deck[k] + i))
        store_octets(v.deck[k] + i, cards)
        sum_ = sum_ + cards
        if k < CARDS - 1:
            card = card - (all_octets(255) ^ above(sum_, point))
    for k in range(CARDS):
        store_octets(v.deck[k] + i, load_octets(v.deck[k] + i) + (same(card, all_octets(k)) & drawing))
    return card


cdef void lanes_draw(Lanes *v) noexcept nogil:
    """Every lane draws a card."""
    cdef int i
    cdef octets left, card
    for i in range(LANES):
        v.first[i] = mix(v.stream[i])
    for i in range(LANES):
        v.number[i] = mix(v.stream[i] + GOLDEN)
    for i in range(LANES):
        v.stream[i] += 2 * GOLDEN
    for i in range(LANES):
        v.first[i] = small_high(v.first[i], v.left[i] if v.left[i] else 45)
    for i in range(LANES):
        v.rank[i] = <uint8_t>v.first[i]
    i = 0
    while i < LANES:
        left = load_octets(v.left + i)
        card = deal(v, i, left, all_octets(255))
        store_octets(v.left + i, either(same(left, all_octets(0)), all_octets(44), left - all_octets(1)))
        store_octets(v.card + i, card)
        store_octets(v.count + i, count_of(card))
        i += OCTETS


cdef inline octets on_long_triangle(octets steps) noexcept nogil:
    return same(steps, all_octets(22)) | same(steps, all_octets(37)) | same(steps, all_octets(52))


cdef inline octets on_short_triangle(octets steps) noexcept nogil:
    return same(steps, all_octets(14)) | same(steps, all_octets(29)) | same(steps, all_octets(44))


cdef inline octets on_triangle(octets steps) noexcept nogil:
    return on_long_triangle(steps) | on_short_triangle(steps)


cdef inline octets opposite(octets steps) noexcept nogil:
    """Steps on the track as the colour on the other side of the board counts them."""
    cdef octets x = steps + all_octets(30)
    return x - (above(x, all_octets(60)) & all_octets(60))


cdef void lanes_options(const Tables *t, Lanes *v) noexcept nogil:
    """The first half of a play: which pawns can move where, and which lanes are odd."""
    cdef int i, j, k, a
    cdef octets[4] w
    cdef octets[4] ok
    cdef octets card, count, moves, n, m, has_start, on_circle, movable, pawns, track, foes, taken, to
    cdef octets ten, four, back, x, enter, odd, home, foe_count, eleven, sorry_, more, met
    cdef bint two = t.num_players == 2
    i = 0
    while i < LANES:
        for k in range(4):
            w[k] = load_octets(v.pawns[0][k] + i)
        card = load_octets(v.card + i)
        count = load_octets(v.count + i)
        moves = all_octets(255) ^ same(count, all_octets(0))
        four = same(card, all_octets(FOUR))
        ten = same(card, all_octets(TEN))
        foes = all_octets(0)
        foe_count = all_octets(0)
        met = all_octets(0)
        for j in range(1, t.num_players):
            for k in range(4):
                x = load_octets(v.pawns[j][k] + i)
                taken = above(x, all_octets(0)) & above(all_octets(61), x)
                foes = foes | taken
                if two:
                    foe_count = foe_count - taken
                    met = met | (taken & on_triangle(opposite(x)))
        n = all_octets(0)
        m = all_octets(0)
        pawns = all_octets(0)
        has_start = all_octets(0)
        on_circle = all_octets(0)
        track = all_octets(0)
        more = all_octets(0)
        back = all_octets(0)
        home = all_octets(HOME)
        for k in range(4):
            has_start = has_start | same(w[k], all_octets(START))
            on_circle = on_circle | same(w[k], all_octets(CIRCLE))
            movable = above(w[k], all_octets(0)) & above(home, w[k])
            x = movable & above(all_octets(61), w[k])
            track = track | x
            if two and t.both:
                met = met | (x & on_triangle(opposite(w[k])))   # there an opponent's would slide
            more = more + (x & foe_count)
            pawns = pawns - movable
            to = w[k] + count
            to = to + (above(all_octets(1), to) & all_octets(60))
            taken = all_octets(0)
            for a in range(4):
                if a != k:
                    taken = taken | same(to, w[a])
            ok[k] = movable & moves & (same(to, home) | (above(home, to) & ~taken))
            n = n - ok[k]
            store_octets(v.can[k] + i, ok[k])
            store_octets(v.to[k] + i, to)
            back = back - (ok[k] & on_long_triangle(to))
            to = w[k] - all_octets(1) + (same(w[k], all_octets(1)) & all_octets(60))
            taken = all_octets(0)
            for a in range(4):
                if a != k:
                    taken = taken | same(to, w[a])
            x = ten & movable & ~taken
            m = m - x
            store_octets(v.can_back[k] + i, x)
        enter = above(all_octets(2), card) & has_start & ~on_circle
        odd = same(card, all_octets(SEVEN)) & above(pawns, all_octets(1))
        odd = odd | (four & above(back, all_octets(1)))
        eleven = same(card, all_octets(ELEVEN)) & track & foes
        sorry_ = same(card, all_octets(SORRY)) & has_start & foes
        m = m + n - enter
        if two:
            # One opponent: exchanges by the rank of either pawn, a Sorry! by the rank of the target.
            odd = odd | (eleven & met)
            m = m + (eleven & (more - same(n, all_octets(0)))) + (sorry_ & foe_count)
            store_octets(v.foes + i, foe_count)
            store_octets(v.crossing + i, eleven | sorry_)
        else:
            odd = odd | eleven | sorry_
        store_octets(v.enter + i, enter)
        store_octets(v.moves + i, n)
        store_octets(v.plays + i, m)
        store_octets(v.odd + i, odd)
        i += OCTETS
    for i in range(LANES):
        v.first[i] = small_high(v.number[i], v.plays[i])
    for i in range(LANES):
        v.rank[i] = <uint8_t>v.first[i]


cdef struct Found:
    # The play of the rank drawn, a byte a lane.
    octets acting               # there is one, and it is not odd
    octets forward              # a move by the card's count
    octets back                 # a 10's one square back
    octets entering             # from Start to the circle, or by a Sorry!
    octets crossing             # an exchange or a Sorry!
    octets exchanging
    octets from_                # the steps of the pawn that exchanges
    octets to                   # where the pawn lands
    octets[4] source            # which pawn moves
    octets[4] foe               # two players: the opponent's pawns in the mover's steps; 100 off the track
    octets[4] foe_picked


cdef inline void rank_pawns(const octets *w, const octets *able, octets *rank) noexcept nogil:
    """For each pawn, how many of those that are able to move have gone less far."""
    cdef int k, a
    cdef octets greater
    for k in range(4):
        rank[k] = all_octets(0)
    for k in range(1, 4):
        for a in range(k):
            greater = above(w[k], w[a])
            rank[k] = rank[k] - (able[a] & greater)
            rank[a] = rank[a] - (able[k] & ~greater)


cdef inline void find_plays(const Lanes *v, int i, bint two, const octets *w, Found *f) noexcept nogil:
    """The play of rank v.rank in lanes i and on; w are the mover's pawns."""
    cdef int k, a
    cdef octets[4] ok
    cdef octets[4] rank
    cdef octets[4] foe_rank
    cdef octets r, first, x, q, met, foes, row
    f.acting = above(load_octets(v.plays + i), all_octets(0)) & ~load_octets(v.odd + i)
    x = load_octets(v.enter + i)
    r = load_octets(v.rank + i)
    f.entering = x & same(r, all_octets(0))
    r = r + x
    f.to = f.entering & all_octets(CIRCLE)
    f.crossing = all_octets(0)
    f.exchanging = all_octets(0)
    f.from_ = all_octets(0)
    f.forward = all_octets(0)
    f.back = all_octets(0)
    if two:
        f.crossing = load_octets(v.crossing + i) & f.acting
        f.exchanging = f.crossing & same(load_octets(v.card + i), all_octets(ELEVEN))
        f.entering = f.entering | (f.crossing & ~f.exchanging)      # a Sorry! too leaves Start
    first = all_octets(255)
    for k in range(4):
        ok[k] = load_octets(v.can[k] + i)
        x = same(w[k], all_octets(START))
        f.source[k] = f.entering & first & x
        first = first & ~x
    rank_pawns(w, ok, rank)
    for k in range(4):
        x = ok[k] & same(rank[k], r)
        f.source[k] = f.source[k] | x
        f.forward = f.forward | x
        f.to = f.to | (x & load_octets(v.to[k] + i))
        ok[k] = load_octets(v.can_back[k] + i)
    r = r - load_octets(v.moves + i)
    rank_pawns(w, ok, rank)
    for k in range(4):
        x = ok[k] & same(rank[k], r)
        f.source[k] = f.source[k] | x
        f.back = f.back | x
        f.to = f.to | (x & (w[k] - all_octets(1) + (same(w[k], all_octets(1)) & all_octets(60))))
    if two:
        # r counts from the first exchange or Sorry!; before exchanges may come `decline`.
        r = r + (f.exchanging & same(load_octets(v.moves + i), all_octets(0)))
        f.crossing = f.crossing & above(r, all_octets(255))
        f.exchanging = f.exchanging & f.crossing
        foes = load_octets(v.foes + i)
        row = all_octets(0)
        x = foes
        for k in range(3):
            met = f.exchanging & ~above(x, r)
            row = row - met
            q = met & foes if k == 0 else q + (met & foes)
            x = x + foes
        r = r - q
        for k in range(4):
            x = load_octets(v.pawns[1][k] + i)
            # Off the track: 100, the same for both sides, and beyond every rank.
            f.foe[k] = either(above(x, all_octets(0)) & above(all_octets(61), x), opposite(x), all_octets(100))
            foe_rank[k] = all_octets(0)
            ok[k] = above(w[k], all_octets(0))
        rank_pawns(w, ok, rank)
        for k in range(1, 4):
            for a in range(k):
                foe_rank[k] = foe_rank[k] - above(f.foe[k], f.foe[a])
                foe_rank[a] = foe_rank[a] - above(f.foe[a], f.foe[k])
        for k in range(4):
            x = f.exchanging & same(rank[k], row) & above(w[k], all_octets(0)) & above(all_octets(61), w[k])
            f.source[k] = f.source[k] | x
            f.from_ = f.from_ | (x & w[k])
            f.foe_picked[k] = f.crossing & same(foe_rank[k], r) & above(all_octets(61), f.foe[k])
            f.to = f.to | (f.foe_picked[k] & f.foe[k])
    f.to = either(f.acting, f.to, all_octets(127))


cdef inline octets land_at(octets to) noexcept nogil:
    """Where a pawn that lands here comes to rest."""
    return to + (on_short_triangle(to) & all_octets(3)) + (on_long_triangle(to) & all_octets(4))


cdef inline void send_others(const Tables *t, Lanes *v, int i, octets to, octets end) noexcept nogil:
    """Opponents from `to` to `end`, in the mover's steps, go to Start; for more than two players."""
    cdef int j, k
    cdef octets turn = load_octets(v.turn + i), shift, x, q, met
    for j in range(1, t.num_players):
        if t.num_players == 3:
            shift = same(turn, all_octets(0)) & all_octets(15 * quarters(t, j, 0))
            shift = shift | (same(turn, all_octets(1)) & all_octets(15 * quarters(t, (1 + j) % 3, 1)))
            shift = shift | (same(turn, all_octets(2)) & all_octets(15 * quarters(t, (2 + j) % 3, 2)))
        else:
            shift = all_octets(15 * quarters(t, j, 0))
        for k in range(4):
            x = load_octets(v.pawns[j][k] + i)
            q = x + shift
            q = q - (above(q, all_octets(60)) & all_octets(60))
            met = above(x, all_octets(0)) & above(all_octets(61), x) & ~above(to, q) & ~above(q, end)
            store_octets(v.pawns[j][k] + i, x & ~met)


cdef void lanes_play(const Tables *t, Lanes *v) noexcept nogil:
    """The second half: the play of the rank drawn, in the lanes that are not odd."""
    cdef int i, k
    cdef octets[4] w
    cdef octets end, sliding, x, q, met
    cdef Found f
    cdef bint two = t.num_players == 2
    i = 0
    while i < LANES:
        for k in range(4):
            w[k] = load_octets(v.pawns[0][k] + i)
        find_plays(v, i, two, w, &f)
        end = land_at(f.to)
        sliding = on_triangle(f.to)
        for k in range(4):
            met = sliding & above(w[k], f.to) & ~above(w[k], end)
            store_octets(v.pawns[0][k] + i, either(f.source[k] & f.acting, end, w[k] & ~met))
        if two:
            for k in range(4):
                x = f.exchanging & f.foe_picked[k]
                q = either(x, f.from_, f.foe[k])
                met = ~above(f.to, q) & ~above(q, end)
                x = either(x, opposite(f.from_), load_octets(v.pawns[1][k] + i))
                store_octets(v.pawns[1][k] + i, x & ~(met & above(all_octets(61), q)))
        else:
            send_others(t, v, i, f.to, end)
        i += OCTETS


cdef void lanes_pass(const Tables *t, Lanes *v) noexcept nogil:
    """Who has won; the turn goes on where the card was no 2."""
    cdef int i, j, k, last = t.num_players - 1
    cdef octets again, won, x, turn
    i = 0
    while i < LANES:
        again = same(load_octets(v.card + i), all_octets(TWO))
        won = all_octets(255)
        for k in range(4):
            won = won & same(load_octets(v.pawns[0][k] + i), all_octets(HOME))
            x = load_octets(v.pawns[0][k] + i)
            for j in range(last):
                store_octets(v.pawns[j][k] + i, either(
                    again, load_octets(v.pawns[j][k] + i), load_octets(v.pawns[j + 1][k] + i)))
            store_octets(v.pawns[last][k] + i, either(again, load_octets(v.pawns[last][k] + i), x))
        store_octets(v.won + i, won)
        turn = load_octets(v.turn + i)
        x = turn + all_octets(1)
        x = x & ~same(x, all_octets(<uint8_t>t.num_players))
        store_octets(v.turn + i, either(again, turn, x))
        i += OCTETS


cdef inline uint64_t lane_step(Lanes *v, int i, int steps, int to) noexcept nogil:
    """Move one pawn of the mover; the squares that opponents must leave."""
    cdef int end = to + SLIDE[to], k, x, moving = 0
    for k in range(3, -1, -1):
        if v.pawns[0][k][i] == steps:
            moving = k
    for k in range(4):
        x = v.pawns[0][k][i]
        if to < x <= end:
            v.pawns[0][k][i] = START
    v.pawns[0][moving][i] = end
    if to > ENTRY:
        return 0
    return ((<uint64_t>2 << SLIDE[to]) - 1) << (to - 1)


cdef void lane_odd_on_board(const Tables *t, Lanes *v, int i) noexcept nogil:
    cdef Board b
    cdef Action a
    cdef uint8_t[4] pawns
    cdef int j, k, player
    b.turn = v.turn[i]
    for j in range(t.num_players):
        player = (b.turn + j) % t.num_players
        for k in range(4):
            pawns[k] = v.pawns[j][k][i]
        b.sides[player] = side_of(pawns)
    pick(t, &b, v.card[i], v.number[i], &a)
    play_on(t, &b, TWO, &a)
    for j in range(t.num_players):
        pawns_of(&b.sides[(b.turn + j) % t.num_players], pawns)
        for k in range(4):
            v.pawns[j][k][i] = pawns[k]


cdef inline void lane_odd(const Tables *t, Lanes *v, int i) noexcept nogil:
    """An odd play. The pawns change in place; only few ways of ending alike need the board."""
    cdef Action a
    cdef Side side
    cdef uint8_t[4] pawns
    cdef uint64_t foes = 0, squares, cleared = 0, hit
    cdef int j, k, q, n = t.num_players, turn = v.turn[i], player, to, x
    for k in range(4):
        pawns[k] = v.pawns[0][k][i]
    side = side_of(pawns)
    for j in range(1, n):
        player = turn + j if turn + j < n else turn + j - n
        squares = 0
        for k in range(4):
            squares |= track_bit[v.pawns[j][k][i]]
        foes |= turned(squares, quarters(t, player, turn))
    if unlikely((t.both and v.card[i] == ELEVEN)
                or not pick_own(t, &side, 0, foes, v.card[i], v.number[i], &a)):
        lane_odd_on_board(t, v, i)
        return
    if a.kind <= DECLINE:
        return
    to = a.parts[0].steps + a.parts[0].count
    if a.kind >= EXCHANGE and a.kind != SPLIT:
        to = a.parts[0].target
    elif to < 1:
        to += 60
    hit = cleared = lane_step(v, i, a.parts[0].steps, to)
    if a.kind == SPLIT:
        hit = cleared = cleared | lane_step(v, i, a.parts[1].steps, a.parts[1].steps + a.parts[1].count)
    elif a.kind == EXCHANGE:
        hit |= foes                 # the pawn exchanged with is among the opponents
    if hit & foes == 0:
        return
    for j in range(1, n):
        player = turn + j if turn + j < n else turn + j - n
        q = 15 * quarters(t, player, turn)
        for k in range(4):
            x = v.pawns[j][k][i]
            if not on_track(x):
                continue
            x += q
            if x > 60:
                x -= 60
            if a.kind == EXCHANGE and x == to:
                x = a.parts[0].steps
                v.pawns[j][k][i] = x - q if x > q else x - q + 60
            if cleared >> (x - 1) & 1:
                v.pawns[j][k][i] = START


cdef void lane_fill(const Tables *t, Lanes *v, int i, const Position *p, uint64_t key,
                    int32_t plies) noexcept nogil:
    cdef int j, k, left = 0
    for j in range(t.num_players):
        for k in range(4):
            v.pawns[j][k][i] = p.pawns[4 * t.colour_of[(p.turn + j) % t.num_players] + k]
    for k in range(CARDS):
        v.deck[k][i] = p.deck[k]
        left += p.deck[k]
    v.left[i] = left
    v.turn[i] = p.turn
    v.stream[i] = key + GOLDEN * (<uint64_t>plies + 1)


cdef void lane_clear(const Tables *t, Lanes *v, int i) noexcept nogil:
    """An empty lane plays along from the start, to no effect."""
    cdef int j, k
    for j in range(t.num_players):
        for k in range(4):
            v.pawns[j][k][i] = START
    v.turn[i] = 0


cdef void lane_empty(const Tables *t, const Lanes *v, int i, Position *p) noexcept nogil:
    """The position of a lane, a card to be drawn."""
    cdef int j, k
    for j in range(t.num_players):
        for k in range(4):
            p.pawns[4 * t.colour_of[(v.turn[i] + j) % t.num_players] + k] = v.pawns[j][k][i]
    order(p.pawns)
    for k in range(CARDS):
        p.deck[k] = v.deck[k][i]
    p.turn = v.turn[i]
    p.card = 0
    p.over = v.won[i] & 1


cdef inline uint64_t lanes_in(const uint8_t *masks) noexcept nogil:
    """One bit a lane of 64 masks of a byte."""
    cdef uint64_t lanes = 0
    cdef int i
    for i in range(0, LANES, 8):
        lanes |= (((eight_bytes(masks + i) & 0x0101010101010101ULL) * 0x0102040810204080ULL) >> 56) << i
    return lanes


cdef void run(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
              int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    cdef const Tables *t = <const Tables *>table.tables
    cdef Position *games = <Position *>positions
    cdef Lanes v
    cdef Py_ssize_t[LANES] game             # -1: this lane is empty
    cdef int64_t[LANES] first_round
    cdef int64_t[LANES] last_round          # after it the game may make no whole turn any more
    cdef int64_t rounds = 0, limit = 0
    cdef Py_ssize_t next_game = 0, g
    cdef int i, busy = 0
    cdef uint64_t odd, ended = ~<uint64_t>0
    memset(&v, 0, sizeof(v))
    for i in range(LANES):
        game[i] = -1
        last_round[i] = 0x7FFFFFFFFFFFFFFF
    while True:
        # Take out the games that have ended, and fill their lanes anew.
        while ended:
            i = pop_lowest(&ended)
            if game[i] >= 0:
                g = game[i]
                lane_empty(t, &v, i, games + g)
                plies[g] += <int32_t>(2 * (rounds - first_round[i]))
                if not games[g].over:       # at most one ply is left
                    run_board(t, games + g, keys[g], plies + g, max_plies)
                busy -= 1
            game[i] = -1
            last_round[i] = 0x7FFFFFFFFFFFFFFF
            lane_clear(t, &v, i)
            while game[i] < 0 and next_game < n:
                g = next_game
                next_game += 1
                if games[g].card and plies[g] < max_plies:
                    run_board(t, games + g, keys[g], plies + g, plies[g] + 1)
                if games[g].over or max_plies - plies[g] < 2:
                    run_board(t, games + g, keys[g], plies + g, max_plies)
                    continue
                lane_fill(t, &v, i, games + g, keys[g], plies[g])
                game[i] = g
                first_round[i] = rounds
                last_round[i] = rounds + ((max_plies - plies[g]) >> 1)
                busy += 1
        limit = last_round[0]
        for i in range(1, LANES):
            limit = limit if limit < last_round[i] else last_round[i]
        if busy < LANES // 4 or read_flag(stop):
            break
        while ended == 0:
            lanes_draw(&v)
            lanes_options(t, &v)
            lanes_play(t, &v)
            odd = lanes_in(v.odd)
            while odd:
                lane_odd(t, &v, pop_lowest(&odd))
            lanes_pass(t, &v)
            rounds += 1
            ended = lanes_in(v.won)
            if rounds >= limit:
                for i in range(LANES):
                    if last_round[i] <= rounds:
                        ended |= (<uint64_t>1) << i
    # Few games are left: one by one.
    for i in range(LANES):
        if game[i] >= 0:
            g = game[i]
            v.won[i] = 0
            lane_empty(t, &v, i, games + g)
            plies[g] += <int32_t>(2 * (rounds - first_round[i]))
            if not read_flag(stop):
                run_board(t, games + g, keys[g], plies + g, max_plies)


# ---------------------------------------------------------------- batches in lockstep
#
# Positions that each make one play go into lanes and out of them in words of four bytes, which the
# compiler takes apart and puts together for many games at a time.

cdef inline void lanes_from(const Tables *t, Lanes *v, const Position *games, int n, uint32_t *words) noexcept nogil:
    """The pawns of up to LANES games by role, the cards and turns."""
    cdef int i, j, k
    for i in range(n):
        v.card[i] = games[i].card - 1
        v.turn[i] = games[i].turn
    for j in range(t.num_players):
        for i in range(n):
            words[LANES * j + i] = four_bytes(games[i].pawns + t.seat[v.turn[i]][j])
    for j in range(t.num_players):
        for k in range(4):
            for i in range(LANES):
                v.pawns[j][k][i] = <uint8_t>(words[LANES * j + i] >> (8 * k))


cdef void lanes_number(const Tables *t, Lanes *v, int32_t *out) noexcept nogil:
    """The numbers of the plays of rank v.rank, in the lanes that are not odd."""
    cdef int i, k
    cdef octets[4] w
    cdef octets some, from_, kind, card, less
    cdef Found f
    cdef bint two = t.num_players == 2
    i = 0
    while i < LANES:
        for k in range(4):
            w[k] = load_octets(v.pawns[0][k] + i)
        find_plays(v, i, two, w, &f)
        from_ = all_octets(0)
        some = all_octets(0)
        for k in range(4):
            from_ = from_ | (f.source[k] & w[k])
            some = some | f.source[k]
        # Kinds as in Tables.base. Forward moves: by card; the place of a 10's back lies between.
        card = load_octets(v.card + i)
        kind = card - above(card, all_octets(TEN))
        kind = either(f.back, all_octets(BASE_BACK), kind)
        kind = either(f.entering, all_octets(BASE_ENTER), kind)
        kind = either(f.crossing, all_octets(BASE_TAKE), kind)
        kind = either(f.exchanging, all_octets(BASE_EXCHANGE), kind)
        kind = either(some, kind, all_octets(BASE_DECLINE))
        kind = either(f.acting, kind, all_octets(BASE_PASS))
        store_octets(v.count + i, kind)
        # What is added: 59 a row of exchanges, and steps less 1 of the pawn or of the target,
        # leaving out the pawn's own square in a row of exchanges.
        store_octets(v.can[0] + i, f.exchanging & (from_ - all_octets(1)))
        less = f.exchanging & above(f.to, from_)
        less = either(f.crossing, f.to - all_octets(1) + less, (f.forward | f.back) & (from_ - all_octets(1)))
        store_octets(v.can[1] + i, less & f.acting & some)
        i += OCTETS
    for i in range(LANES):
        out[i] = t.base[v.count[i] & 15][v.turn[i]] + 59 * v.can[0][i] + v.can[1][i]


cdef void choose_many(const GameTable *table, const void *positions, Py_ssize_t n, const uint64_t *keys,
                      const uint64_t *j, int32_t *out) noexcept nogil:
    cdef const Tables *t = <const Tables *>table.tables
    cdef const Position *games = <const Position *>positions
    cdef Lanes v
    cdef uint32_t[4 * 64] words
    cdef int32_t[64] numbers
    cdef uint8_t[64] apart
    cdef uint64_t odd
    cdef int i, m
    memset(&v, 0, sizeof(v))
    memset(words, 0, sizeof(words))
    memset(apart, 0, sizeof(apart))
    while n > 0:
        m = LANES if n > LANES else <int>n
        lanes_from(t, &v, games, m, words)
        for i in range(m):
            apart[i] = games[i].over | (games[i].card == 0)
            v.number[i] = draw(keys[i], j[i])
        i = 0
        while i < LANES:
            store_octets(v.count + i, count_of(load_octets(v.card + i)))
            i += OCTETS
        lanes_options(t, &v)
        lanes_number(t, &v, numbers)
        memcpy(out, numbers, m * sizeof(int32_t))
        odd = lanes_in(v.odd) | lanes_in(apart)
        if m < LANES:
            odd &= ((<uint64_t>1) << m) - 1
        while odd:
            i = pop_lowest(&odd)
            out[i] = -1 if games[i].over else choose(table, games + i, v.number[i])
        games += m
        keys += m
        j += m
        out += m
        n -= m


cdef uint32_t brief_of(const Action *a) noexcept nogil:
    """Of the pawn that moves: from where in the lowest byte, to where in the next (127: none
    moves); in the third 255 for what more than one pawn does."""
    cdef const Part *one = &a.parts[0]
    cdef uint32_t to = 127
    if a.kind == SPLIT or a.kind == EXCHANGE:
        return to << 8 | 255 << 16
    if a.kind == ENTER:
        to = CIRCLE
    elif a.kind == TAKE:
        to = one.target
    elif a.kind == MOVE:
        to = one.steps + one.count if one.steps + one.count > 0 else one.steps + one.count + 60
    return to << 8 | one.steps


cdef inline void order_octets(octets *w) noexcept nogil:
    """As order_four, in every lane."""
    cdef octets more, x
    cdef int k
    cdef int[5] low = [0, 2, 0, 1, 1]
    cdef int[5] high = [1, 3, 2, 3, 2]
    for k in range(5):
        more = above(w[low[k]], w[high[k]])
        x = either(more, w[high[k]], w[low[k]])
        w[high[k]] = either(more, w[low[k]], w[high[k]])
        w[low[k]] = x


cdef void lanes_step(const Tables *t, Lanes *v, const uint8_t *active) noexcept nogil:
    """Move a pawn from v.rank to v.count in the mover's steps (127: none moves); then who has won.

    In active lanes v.odd says who draws a card, v.left how many there are.
    """
    cdef int i, j, k
    cdef octets[4] w
    cdef octets from_, to, end, sliding, first, x, q, met, won, turn, left
    i = 0
    while i < LANES:
        from_ = load_octets(v.rank + i)
        to = load_octets(v.count + i)
        end = land_at(to)
        sliding = on_triangle(to)
        first = ~same(to, all_octets(127))
        won = load_octets(active + i)
        for k in range(4):
            w[k] = load_octets(v.pawns[0][k] + i)
            x = same(w[k], from_) & first
            first = first & ~x
            met = sliding & above(w[k], to) & ~above(w[k], end)
            w[k] = either(x, end, w[k] & ~met)
            won = won & same(w[k], all_octets(HOME))
        order_octets(w)
        for k in range(4):
            store_octets(v.pawns[0][k] + i, w[k])
        if t.num_players == 2:
            for k in range(4):
                x = load_octets(v.pawns[1][k] + i)
                q = opposite(x)
                met = above(x, all_octets(0)) & above(all_octets(61), x) & ~above(to, q) & ~above(q, end)
                store_octets(v.pawns[1][k] + i, x & ~met)
        else:
            send_others(t, v, i, to, end)
        for j in range(1, t.num_players):
            for k in range(4):
                w[k] = load_octets(v.pawns[j][k] + i)
            order_octets(w)
            for k in range(4):
                store_octets(v.pawns[j][k] + i, w[k])
        store_octets(v.won + i, won)
        store_octets(v.odd + i, load_octets(active + i) & ~won)
        left = all_octets(0)
        for k in range(CARDS):
            left = left + load_octets(v.deck[k] + i)
        store_octets(v.left + i, left)
        turn = load_octets(v.turn + i)
        x = turn + all_octets(1)
        x = x & ~same(x, all_octets(<uint8_t>t.num_players))
        x = either(same(load_octets(v.card + i), all_octets(TWO)), turn, x)
        store_octets(v.turn + i, either(load_octets(active + i), x, turn))
        i += OCTETS


cdef void step_many(const GameTable *table, void *positions, Py_ssize_t n, const int32_t *actions,
                    const uint64_t *keys, uint64_t *drawn, int32_t *plies, int8_t *players) noexcept nogil:
    """Splits and exchanges are made one by one; their lanes then only draw."""
    cdef const Tables *t = <const Tables *>table.tables
    cdef Position *games = <Position *>positions
    cdef Lanes v
    cdef uint32_t[8 * 64] words
    cdef uint32_t[64] brief
    cdef uint8_t[64] active
    cdef uint8_t[64] over
    cdef uint64_t odd
    cdef int8_t who
    cdef uint32_t word
    cdef octets x
    cdef int i, j, k, m
    memset(&v, 0, sizeof(v))
    memset(words, 0, sizeof(words))
    memset(active, 0, sizeof(active))
    memset(brief, 0, sizeof(brief))
    memset(over, 0, sizeof(over))
    while n > 0:
        m = LANES if n > LANES else <int>n
        if m < LANES:
            memset(active, 0, LANES)
        for i in range(m):
            # Without a branch: -1 reads what number 0, a card, does not do either.
            active[i] = <uint8_t>~(actions[i] >> 31)
            brief[i] = t.brief[actions[i] & ~(actions[i] >> 31)]
        for i in range(LANES):
            v.rank[i] = <uint8_t>brief[i]
            v.count[i] = <uint8_t>(brief[i] >> 8)
            v.odd[i] = <uint8_t>(brief[i] >> 16)
        odd = lanes_in(v.odd)
        if m < LANES:
            odd &= ((<uint64_t>1) << m) - 1
        while odd:
            i = pop_lowest(&odd)
            carry_out(t, games[i].pawns, &t.list[actions[i]])
        lanes_from(t, &v, games, m, words)
        for k in range(3):
            for i in range(m):
                words[LANES * (4 + k) + i] = four_bytes(games[i].deck + 4 * k)
        for k in range(CARDS):
            for i in range(LANES):
                v.deck[k][i] = <uint8_t>(words[LANES * (4 + (k >> 2)) + i] >> (8 * (k & 3)))
        for i in range(m):
            over[i] = games[i].over
        # Roles are those before the turn goes on.
        for i in range(m):
            v.to[0][i] = v.turn[i]
        lanes_step(t, &v, active)
        for i in range(m):
            v.first[i] = draw(keys[i], drawn[i])
        for i in range(LANES):
            v.first[i] = small_high(v.first[i], v.left[i] if v.left[i] else 45)
        for i in range(LANES):
            v.rank[i] = <uint8_t>v.first[i]
        i = 0
        while i < LANES:
            # 0 in the games that are over, else 1 more than the card.
            x = deal(&v, i, load_octets(v.left + i), load_octets(v.odd + i)) + all_octets(1)
            x = either(load_octets(active + i), x & load_octets(v.odd + i), load_octets(v.card + i) + all_octets(1))
            store_octets(v.card + i, x)
            store_octets(over + i, load_octets(over + i) | (load_octets(v.won + i) & all_octets(1)))
            i += OCTETS
        for j in range(t.num_players):
            for i in range(LANES):
                words[LANES * j + i] = (v.pawns[j][0][i] | <uint32_t>v.pawns[j][1][i] << 8
                                        | <uint32_t>v.pawns[j][2][i] << 16 | <uint32_t>v.pawns[j][3][i] << 24)
        for k in range(3):
            for i in range(LANES):
                word = v.card[i] if k == 2 else v.deck[4 * k + 3 if k < 2 else 0][i]
                words[LANES * (4 + k) + i] = (v.deck[4 * k][i] | <uint32_t>v.deck[4 * k + 1][i] << 8
                                              | <uint32_t>v.deck[4 * k + 2][i] << 16 | word << 24)
        for j in range(t.num_players):
            for i in range(m):
                put_four(games[i].pawns + t.seat[v.to[0][i]][j], words[LANES * j + i])
        for i in range(m):
            for k in range(3):
                put_four(games[i].deck + 4 * k, words[LANES * (4 + k) + i])
            games[i].turn = v.turn[i]
            games[i].over = over[i]
        for i in range(m):
            drawn[i] += v.odd[i] & 1
            plies[i] += (active[i] & 1) + (v.odd[i] & 1)
            who = <int8_t>((v.turn[i] & ~v.won[i]) | (v.won[i] & TERMINAL))
            players[i] ^= (players[i] ^ who) & active[i]
        games += m
        actions += m
        keys += m
        drawn += m
        plies += m
        players += m
        n -= m


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
        cdef int k, c, block, two_colours, a, b, n, other, count
        cdef int32_t number
        cdef uint8_t mask
        cdef Action *list_
        compile_only_if(sizeof(Position) == 32)
        if not 2 <= players <= 4 or (teams and players != 4):
            raise ValueError("Sorry! is for 2 to 4 players, 4 in teams")
        free(t.list)
        free(t.brief)
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

        with _filling:
            if not known:
                scratch = t[0]
                scratch.own[0] = 1      # red alone, whatever this game is
                find_splits(&scratch)
                known = True

        for k in range(players):
            for c in range(players):
                t.seat[k][c] = 4 * t.colour_of[(k + c) % players]

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

        for k in range(players):
            c = t.colour_of[k]
            for a in range(11):
                t.base[a][k] = t.move_from[a][c]
            t.base[BASE_ENTER][k] = t.enter_from[c]
            t.base[BASE_TAKE][k] = t.take_from[c]
            t.base[BASE_EXCHANGE][k] = t.exchange_from[c]
            t.base[BASE_PASS][k] = NUMBER_PASS
            t.base[BASE_DECLINE][k] = NUMBER_DECLINE
        t.brief = <uint32_t *>malloc(number * sizeof(uint32_t))
        if t.brief == NULL:
            raise MemoryError()
        for n in range(number):
            t.brief[n] = brief_of(list_ + n)

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
        self.table.choose = choose
        self.table.legal = legal
        self.table.run = run_for_team if teams else run
        if not teams:
            self.table.choose_many = choose_many
            self.table.step_many = step_many
        self.table.count = count_actions
        self.table.tail = tail
        self.table.tail_depth = 4
        self.complete()

    def __dealloc__(self):
        free(self.tables.list)
        free(self.tables.brief)

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
                play.kind, parts_of(play.kind, play.parts), number_of(&self.tables, own[j].kind, own[j].parts),
                tuple([(<uint8_t *>play.pawns)[c] for c in range(16)]),
            ))
        free(raw)
        return found


cdef tuple parts_of(int kind, const Part *parts):
    if kind <= DECLINE:
        return ()
    return tuple([
        (parts[k].colour, parts[k].steps, parts[k].count, parts[k].target)
        for k in range(2 if kind == SPLIT else 1)
    ])
