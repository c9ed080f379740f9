"""Traverse: positions, actions, counting.

Words as in the rule sheet. Squares have two numbers here:

- the *square* 0..99, 10 * (rank - 1) + file, as in texts and actions;
- the *cell*, plane * 32 + bit. The four *planes* are the squares with equal parity of file and of
  rank: plane (file & 1) + 2 * (rank & 1), bit (file >> 1) + 6 * (rank >> 1), files and ranks from 0.
  25 squares lie in a plane, in rows of five bits; every sixth bit is a pad that stays 0.

A hop, a long one too, goes an even distance along each axis, so a series never leaves its plane,
while a step always does: targets of steps and of series never meet, and a series is a flood fill
inside one 32-bit word.
"""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from boardrace._core.bits cimport (
    compile_only_if, count_trailing_zeros, count_trailing_zeros32, multiply_high, nth_bit, pop_lowest,
    pop_lowest32, popcount, popcount32, require,
)
from boardrace._core.engine cimport GameTable, Rules, TERMINAL
from boardrace._core.lanes cimport WIDTH, count_bits, load, store, vec
from boardrace._core.rng cimport Draws, USE_PLIES, draw, draw_below, stream_key
from boardrace._core.threads cimport read_flag

cdef enum:
    OFF = 255               # a piece that is on no square
    ORDERS = 2520
    PLAIN_ACTIONS = 10000   # actions that remove no circle
    PLANE = 0x1F7DF7DF      # the 25 squares of a plane
    STAY = 0                # circles=
    RETURN = 1
    RETURN_ALL = 2
    FIXED = 0               # setup=
    RANDOM = 1
    CHOOSE = 2
    DRAWN = 9               # Position.result; 0 goes on, 1 + p won by p
    MAX_LAYERS = 512        # sets of removed circles of all pieces together: 8 pieces, 64 sets

# Shapes in the order of Position.pieces: piece i has shape i >> 1.
cdef enum:
    SQUARE = 0
    DIAMOND = 1
    TRIANGLE = 2
    CIRCLE = 3

# Axes: 0 along ranks, 1 along files, 2 and 3 the diagonals; bit 2 * axis upwards, the next one back.
cdef enum:
    EAST = 1
    WEST = 2
    NORTH = 4
    SOUTH = 8
    NORTHEAST = 16
    SOUTHWEST = 32
    NORTHWEST = 64
    SOUTHEAST = 128
    ALONG = 3               # both ways on axis 0
    UPRIGHT = 12            # both ways on axis 1
    ORTHOGONAL = 15
    DIAGONAL = 240

cdef struct Position:
    uint32_t[4] occupied    # by plane
    uint8_t[4][8] pieces    # cells, by player: two S, two D, two T, two C, each pair by square
    uint8_t[4] home         # pieces in the own finish row
    uint8_t[4] blocks       # block counts
    uint8_t turn
    uint8_t passes
    uint8_t result
    uint8_t choosing        # orders are being chosen
    uint8_t num_pending     # removed circles still to be put back
    uint8_t padding
    uint16_t pending        # their owners, two bits each, the next one lowest

# What Cython cannot say of vectors: see lanes.pxd. And "inline" is meant: the hot functions take
# directions and options as constants, which fold only where the body stands in its caller. (Not
# with sanitizers: their checks make gcc work several times as long on bodies in one place.)
cdef extern from *:
    """
    #if defined(__GNUC__) && !defined(BR_SANITIZED)
    #undef CYTHON_INLINE
    #define CYTHON_INLINE __inline__ __attribute__((__always_inline__, __unused__))
    #endif
    #if defined(__AVX512F__) && BR_BYTES == 64
    #include <immintrin.h>
    static inline int br_some(br_vec x) { return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0; }
    #elif defined(__AVX2__) && BR_BYTES == 32
    #include <immintrin.h>
    static inline int br_some(br_vec x) { return !_mm256_testz_si256((__m256i)x, (__m256i)x); }
    #else
    #define br_some br_any
    #endif
    static inline br_vec br_splat(uint32_t x) { br_vec zero = {0}; return zero + x; }
    static inline br_vec br_select(br_vec mask, br_vec yes, br_vec no) {
    #if defined(__AVX2__) && BR_BYTES == 32
        return (br_vec)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
    #else
        return no ^ ((no ^ yes) & mask);
    #endif
    }
    #if BR_BYTES == 4
    static inline br_vec br_filled(br_vec x) { return x ? ~(br_vec)0 : 0; }
    static inline br_vec br_less(br_vec a, br_vec b) { return a < b ? ~(br_vec)0 : 0; }
    #else
    static inline br_vec br_filled(br_vec x) { return (br_vec)(x != 0); }
    static inline br_vec br_less(br_vec a, br_vec b) { return (br_vec)(a < b); }
    #endif
    /* Four rows of lanes: copy the lanes whose mask is not 0, packed; how many. */
    static inline int br_pack4(uint32_t *to, const uint32_t *from, size_t row, br_vec mask) {
        int n = 0;
    #if defined(__AVX512F__) && BR_BYTES == 64
        const __mmask16 k = _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
        for (int i = 0; i < 4; i++)
            _mm512_storeu_si512(to + i * row, _mm512_maskz_compress_epi32(k, _mm512_loadu_si512(from + i * row)));
        n = __builtin_popcount(k);
    #elif defined(__AVX2__) && defined(__BMI2__) && BR_BYTES == 32
        const __m256i none = _mm256_cmpeq_epi32((__m256i)mask, _mm256_setzero_si256());
        const unsigned k = 255u & ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(none));
        const uint64_t kept = _pext_u64(0x0706050403020100ull, _pdep_u64(k, 0x0101010101010101ull) * 255u);
        const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)kept));
        for (int i = 0; i < 4; i++) {
            const __m256i lanes = _mm256_loadu_si256((const __m256i *)(from + i * row));
            _mm256_storeu_si256((__m256i *)(to + i * row), _mm256_permutevar8x32_epi32(lanes, order));
        }
        n = __builtin_popcount(k);
    #else
        uint32_t m[BR_WIDTH];
        if (!br_some(mask)) return 0;
        memcpy(m, &mask, BR_BYTES);
        for (int lane = 0; lane < BR_WIDTH; lane++) {
            for (int i = 0; i < 4; i++) to[i * row + n] = from[i * row + lane];
            n += m[lane] != 0;
        }
    #endif
        return n;
    }
    /* Set bits, by byte. */
    static inline br_vec br_counts8(br_vec x) {
    #if defined(__AVX512BW__) && BR_BYTES == 64
        const __m512i four = _mm512_set1_epi8(15);
        const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const __m512i v = (__m512i)x;
        return (br_vec)_mm512_add_epi8(
            _mm512_shuffle_epi8(table, _mm512_and_si512(v, four)),
            _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi32(v, 4), four)));
    #elif defined(__AVX2__) && BR_BYTES == 32
        const __m256i four = _mm256_set1_epi8(15);
        const __m256i table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const __m256i v = (__m256i)x;
        return (br_vec)_mm256_add_epi8(
            _mm256_shuffle_epi8(table, _mm256_and_si256(v, four)),
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(v, 4), four)));
    #else
        x -= (x >> 1) & 0x55555555u;
        x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
        return (x + (x >> 4)) & 0x0f0f0f0fu;
    #endif
    }
    /* Those of two words together, of which the second counts so many times; at most 15 in four bits. */
    static inline br_vec br_two_counts8(br_vec x, br_vec y, int times) {
    #if BR_BYTES >= 32
        y = br_counts8(y);
        return br_counts8(x) + (times == 2 ? y + y : y);
    #else
        x -= (x >> 1) & 0x55555555u;
        y -= (y >> 1) & 0x55555555u;
        y = (y & 0x33333333u) + ((y >> 2) & 0x33333333u);
        x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u) + (times == 2 ? y + y : y);
        return (x & 0x0f0f0f0fu) + ((x >> 4) & 0x0f0f0f0fu);
    #endif
    }
    static inline br_vec br_counts(br_vec x) {
        x = br_counts8(x);
    #if defined(__AVX512BW__) && BR_BYTES == 64
        return (br_vec)_mm512_madd_epi16(_mm512_maddubs_epi16((__m512i)x, _mm512_set1_epi8(1)), _mm512_set1_epi16(1));
    #elif defined(__AVX2__) && BR_BYTES == 32
        return (br_vec)_mm256_madd_epi16(_mm256_maddubs_epi16((__m256i)x, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
    #else
        x += x >> 8;
        x += x >> 16;
        return x & 63u;
    #endif
    }
    /* Bytes as signed numbers. */
    #if BR_BYTES == 4
    static inline br_vec br_minus8(br_vec a, br_vec b) {
        return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u);
    }
    static inline br_vec br_less8(br_vec a, br_vec b) {
        br_vec x = 0;
        for (int i = 0; i < 32; i += 8) x |= (br_vec)((int8_t)(a >> i) < (int8_t)(b >> i) ? 255 : 0) << i;
        return x;
    }
    #else
    typedef int8_t br_bytes __attribute__((vector_size(BR_BYTES)));
    typedef uint8_t br_bytes_unsigned __attribute__((vector_size(BR_BYTES)));     /* they may wrap */
    static inline br_vec br_minus8(br_vec a, br_vec b) { return (br_vec)((br_bytes_unsigned)a - (br_bytes_unsigned)b); }
    static inline br_vec br_less8(br_vec a, br_vec b) { return (br_vec)((br_bytes)a < (br_bytes)b); }
    #endif
    /* Of a table with four words a row the row that each lane names, into four vectors. */
    static inline void br_four_columns(const uint32_t *table, const uint8_t *which, uint32_t *to, size_t row) {
    #if defined(__AVX2__) && BR_BYTES >= 32
        for (int lane = 0; lane < BR_WIDTH; lane += 8) {
            __m256i r[4];
            for (int i = 0; i < 4; i++)
                r[i] = _mm256_inserti128_si256(
                    _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(table + 4 * which[lane + i]))),
                    _mm_loadu_si128((const __m128i *)(table + 4 * which[lane + i + 4])), 1);
            const __m256i a = _mm256_unpacklo_epi32(r[0], r[1]), b = _mm256_unpacklo_epi32(r[2], r[3]);
            const __m256i c = _mm256_unpackhi_epi32(r[0], r[1]), d = _mm256_unpackhi_epi32(r[2], r[3]);
            _mm256_storeu_si256((__m256i *)(to + lane), _mm256_unpacklo_epi64(a, b));
            _mm256_storeu_si256((__m256i *)(to + row + lane), _mm256_unpackhi_epi64(a, b));
            _mm256_storeu_si256((__m256i *)(to + 2 * row + lane), _mm256_unpacklo_epi64(c, d));
            _mm256_storeu_si256((__m256i *)(to + 3 * row + lane), _mm256_unpackhi_epi64(c, d));
        }
    #else
        for (int lane = 0; lane < BR_WIDTH; lane++)
            for (int i = 0; i < 4; i++) to[i * row + lane] = table[4 * which[lane] + i];
    #endif
    }
    static inline void br_set8(uint32_t *word, int k, uint8_t x) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        ((uint8_t *)word)[k] = x;
    #else
        *word = (*word & ~((uint32_t)255 << 8 * k)) | (uint32_t)x << 8 * k;
    #endif
    }
    /* Of eight rows of lanes, a vector each, the word of the row that each lane names. */
    static inline br_vec br_take8(const uint32_t *rows, br_vec which) {
    #if BR_BYTES == 64
        __m512i x = _mm512_loadu_si512(rows);
        for (int i = 1; i < 8; i++) {
            const __mmask16 here = _mm512_cmpeq_epi32_mask((__m512i)which, _mm512_set1_epi32(i));
            x = _mm512_mask_loadu_epi32(x, here, rows + i * BR_WIDTH);
        }
        return (br_vec)x;
    #elif BR_BYTES == 32
        br_vec x = which ^ which;
        for (int i = 0; i < 8; i++) x |= br_load(rows + i * BR_WIDTH) & (br_vec)(which == (uint32_t)i);
        return x;
    #elif BR_BYTES == 16
        return (br_vec){rows[which[0] * 4], rows[which[1] * 4 + 1], rows[which[2] * 4 + 2], rows[which[3] * 4 + 3]};
    #else
        return rows[which];
    #endif
    }
    """
    bint some_bit "br_some"(vec x) noexcept nogil                   # any bit in any lane
    vec splat "br_splat"(uint32_t x) noexcept nogil
    vec select "br_select"(vec mask, vec yes, vec no) noexcept nogil   # by bit
    vec filled "br_filled"(vec x) noexcept nogil                    # all ones in lanes that are not 0
    vec less "br_less"(vec a, vec b) noexcept nogil                 # all ones in lanes where a < b
    vec counts "br_counts"(vec x) noexcept nogil                    # set bits, by lane
    # Set bits, by byte, in two words, the second one's counted so many times: 1 or 2. (At most 15 in
    # four bits of a byte.)
    vec counts_by_byte "br_two_counts8"(vec x, vec y, int times) noexcept nogil
    vec bytes_minus "br_minus8"(vec a, vec b) noexcept nogil        # byte by byte
    vec bytes_less "br_less8"(vec a, vec b) noexcept nogil          # all ones in bytes where a < b, signed
    void set_byte "br_set8"(uint32_t *word, int k, uint8_t x) noexcept nogil   # the one of weight 256^k
    vec take_row "br_take8"(const uint32_t *rows, vec which) noexcept nogil
    void four_columns "br_four_columns"(const uint32_t *table, const uint8_t *which, uint32_t *to,
                                        size_t row) noexcept nogil
    int pack_lanes "br_pack4"(uint32_t *to, const uint32_t *source, size_t row, vec mask) noexcept nogil


cdef struct Stand:
    # What is true of a player's piece of any shape on a square, whatever else stands on the board.
    uint32_t origin         # the square
    uint32_t file           # all ones where its file is odd
    uint32_t rank
    uint32_t rest           # of the squares of its plane those where it may rest after hops


cdef struct Tables:
    int num_players
    bint long_hops
    int circles
    bint frozen
    int block_limit
    int setup
    uint8_t[4] side                 # of each player: 0 S, 1 W, 2 N, 3 E
    uint8_t[4][4] directions        # by side and shape
    uint8_t[128] square_of          # by cell; OFF where there is none
    uint8_t[100] cell_of            # by square
    uint32_t[4][4] only             # all ones in one of four planes
    uint32_t[4] field
    uint32_t[4][4] start            # by player and plane
    uint32_t[4][4] finish
    uint32_t[4][4] rest             # field and finish row
    uint32_t[4][4] removable        # where a player's circle may be removed
    uint32_t[4][4][128][4] steps    # by player, shape and cell: where it may step and rest, by plane
    uint64_t[4][4][128][2] steps_in_order   # the same, as in_order gives sets
    Stand[4][128] stands
    uint32_t[4][4][128][4] steps_away       # steps, to the plane of the other file parity, of the
                                            # other rank parity, of both; then the player's start row
                                            # in the plane, if the piece stands there
    uint32_t[4][8][16] ways         # by player and direction: all ones where a lane goes that way;
                                    # lanes 0 to 7 are the player's pieces, 8 to 15 the next one's
    uint32_t[4][4][16] rest_lanes   # rest, start by player and plane, in the same lanes
    uint32_t[4][4][16] start_lanes
    uint8_t[4][8] row               # by player: its start row from its own left to right, cells
    uint8_t[4][256] place_in_row    # and the place of a cell there; OFF elsewhere
    uint8_t[8][256] hops_in_row     # series along the row, by place and by what stands in the row
    uint8_t[4][8] fixed_order       # shapes
    uint8_t[ORDERS][8] orders       # shapes, the order texts ascending
    int16_t[ORDERS] order_action
    int16_t[PLAIN_ACTIONS] order_of # by action; -1 where it is none


cdef struct Layer:
    # Squares where a piece can stop after removing just that set of circles.
    uint32_t targets        # in the piece's plane
    uint8_t removed         # two bits each other player by seat: first, second circle
    uint8_t piece


cdef struct Circles:
    # The other players' circles, slot 2 * k + 0 or 1 for the k-th other player by seat.
    int slots               # how many may be removed: a bit each
    uint8_t[6] cell
    uint8_t[6] owner
    uint8_t[6] piece
    uint32_t[4] all         # those that may be removed, by plane


# ---------------------------------------------------------------- squares and sets

cdef inline bint has(const uint32_t *planes, int cell) noexcept nogil:
    return (planes[cell >> 5] >> (cell & 31)) & 1


cdef inline uint32_t bit_of(int cell) noexcept nogil:
    return <uint32_t>1 << (cell & 31)


cdef inline const Tables *tables_of(const GameTable *table) noexcept nogil:
    return <const Tables *>table.tables


cdef inline int next_player(const Tables *t, int player) noexcept nogil:
    return 0 if player + 1 == t.num_players else player + 1


cdef inline int piece_at(const uint8_t *pieces, int cell) noexcept nogil:
    cdef int k
    for k in range(8):
        if pieces[k] == cell:
            return k
    return -1


cdef inline int shift_of(int axis) noexcept nogil:
    """How far one square of a plane is from the next along an axis."""
    return 1 if axis == 0 else 6 if axis == 1 else 7 if axis == 2 else 5


cdef inline uint32_t between(int axis, int plane, const uint32_t *planes) noexcept nogil:
    """For each square of a plane, what lies between it and the next one upwards on an axis."""
    cdef int file = plane & 1, rank = 6 * (plane >> 1)
    if axis == 0:
        return planes[plane ^ 1] >> file
    if axis == 1:
        return planes[plane ^ 2] >> rank
    if axis == 2:
        return planes[plane ^ 3] >> (file + rank)
    return (planes[plane ^ 3] << 1) >> (file + rank)


cdef struct Hops:
    # What hops inside one plane depend on.
    uint32_t empty          # squares of the plane
    uint32_t[4] middle      # by axis: occupied squares between
    uint32_t[4] middle_hop  # those of them that may be hopped within the layer
    uint32_t own_hop        # occupied squares of the plane itself that may be hopped


cdef inline uint32_t edges(const Hops *h, int axis, int distance) noexcept nogil:
    """Squares from which one can hop upwards on an axis over the piece `distance` squares away.

    Both ends are empty (the lifted piece's square counts as empty), so the same set serves the way
    back. Long hops: every square on the line is empty but the hopped one (traverse.md, Hop).
    """
    cdef int s = shift_of(axis)
    cdef uint32_t e = h.empty, free
    if distance == 1:
        return e & h.middle_hop[axis] & (e >> s)
    free = e & ~h.middle[axis]      # this square and the one after it
    if distance == 2:
        return free & ((h.own_hop & ~h.middle[axis]) >> s) & (e >> 2 * s)
    if distance == 3:
        return free & ((e & h.middle_hop[axis]) >> s) & (free >> 2 * s) & (e >> 3 * s)
    return free & (free >> s) & ((h.own_hop & ~h.middle[axis]) >> 2 * s) & (free >> 3 * s) & (e >> 4 * s)


cdef inline uint32_t hop_once(const Hops *h, int directions, bint long_hops, uint32_t start) noexcept nogil:
    """Where one hop leads."""
    cdef uint32_t reached = 0, e
    cdef int axis, distance
    for axis in range(4):
        if directions >> (2 * axis) & 3:
            for distance in range(1, 5 if long_hops else 2):
                e = edges(h, axis, distance)
                if directions >> (2 * axis) & 1:
                    reached |= (start & e) << distance * shift_of(axis)
                if directions >> (2 * axis) & 2:
                    reached |= (start >> distance * shift_of(axis)) & e
    return reached


cdef inline uint32_t flood_short(const Hops *h, int directions, uint32_t start) noexcept nogil:
    """All squares that series of short hops lead to, the start included."""
    cdef uint32_t reached = start, before
    cdef uint32_t east = edges(h, 0, 1), north = edges(h, 1, 1), northeast = edges(h, 2, 1), northwest = edges(h, 3, 1)
    cdef uint32_t west = east if directions & WEST else 0
    cdef uint32_t south = north if directions & SOUTH else 0
    cdef uint32_t southwest = northeast if directions & SOUTHWEST else 0
    cdef uint32_t southeast = northwest if directions & SOUTHEAST else 0
    if not directions & EAST:
        east = 0
    if not directions & NORTH:
        north = 0
    if not directions & NORTHEAST:
        northeast = 0
    if not directions & NORTHWEST:
        northwest = 0
    while True:
        before = reached
        reached |= ((before & east) << 1) | ((before >> 1) & west) | ((before & north) << 6) | ((before >> 6) & south)
        reached |= (((reached & northeast) << 7) | ((reached >> 7) & southwest)
                    | ((reached & northwest) << 5) | ((reached >> 5) & southeast))
        if reached == before:
            return reached


cdef inline uint32_t flood_long(const Hops *h, int directions, uint32_t start) noexcept nogil:
    """All squares that series of hops of any length lead to, the start included."""
    cdef uint32_t reached = start, before
    cdef uint32_t[16] up, down
    cdef int[16] shift
    cdef int n = 0, k, axis, distance
    cdef uint32_t e
    for axis in range(4):
        if directions >> (2 * axis) & 3:
            for distance in range(1, 5):
                e = edges(h, axis, distance)
                if e:
                    up[n] = e if directions >> (2 * axis) & 1 else 0
                    down[n] = e if directions >> (2 * axis) & 2 else 0
                    shift[n] = distance * shift_of(axis)
                    n += 1
    while True:
        before = reached
        for k in range(n):
            reached |= ((reached & up[k]) << shift[k]) | ((reached >> shift[k]) & down[k])
        if reached == before:
            return reached


# ---------------------------------------------------------------- the moves of one piece

cdef inline void find_circles(const Tables *t, const Position *p, Circles *c) noexcept nogil:
    """The circles that the player to act may meet, and those it would remove (Circles)."""
    cdef int player, k, cell, n = 0
    c.slots = 0
    memset(c.all, 0, sizeof(c.all))
    if t.circles == STAY:
        return
    for player in range(t.num_players):
        if player != p.turn:
            for k in range(6, 8):
                cell = p.pieces[player][k]
                c.cell[n] = cell
                c.owner[n] = player
                c.piece[n] = k
                if cell != OFF and has(t.removable[player], cell):
                    c.slots |= 1 << n
                    c.all[cell >> 5] |= bit_of(cell)
                n += 1


cdef inline void look(const Tables *t, const Position *p, const Circles *c, int cell, int removed,
                      uint32_t within, Hops *h) noexcept nogil:
    """What hops of the piece on a cell depend on, after removing a set of circles."""
    cdef int plane = cell >> 5, slot, axis, k
    cdef uint32_t[4] occupied, may_hop
    for k in range(4):
        occupied[k] = p.occupied[k]
    occupied[plane] &= ~bit_of(cell)        # lifted
    if removed:
        for slot in range(6):
            if removed >> slot & 1:
                occupied[c.cell[slot] >> 5] &= ~bit_of(c.cell[slot])
    h.empty = PLANE & ~occupied[plane] & within
    for axis in range(4):
        h.middle[axis] = between(axis, plane, occupied)
    if c.slots:
        for k in range(4):
            may_hop[k] = occupied[k] & ~c.all[k]
        for axis in range(4):
            h.middle_hop[axis] = between(axis, plane, may_hop)
        h.own_hop = may_hop[plane]
    else:
        for axis in range(4):
            h.middle_hop[axis] = h.middle[axis]
        h.own_hop = occupied[plane]


cdef inline void only_over(const uint32_t *circles, int plane, Hops *h) noexcept nogil:
    """Let only these circles be hopped."""
    cdef int axis
    h.own_hop = circles[plane]
    for axis in range(4):
        h.middle_hop[axis] = between(axis, plane, circles)


cdef inline uint32_t hops_over(const Hops *h, int plane, int cell, int directions, bint long_hops,
                               uint32_t reached) noexcept nogil:
    """Where one hop over the piece on a cell leads from the squares reached: as `edges` has it."""
    cdef int aside = plane ^ cell >> 5, axis, s, k
    cdef uint32_t landed = 0, middle
    cdef uint64_t here, low, high, line, gaps
    cdef uint32_t[4] one
    for axis in range(4):
        # On which axes the piece lies between squares of the plane.
        if not directions >> 2 * axis & 3 or (aside != 0 and aside != (axis + 1 if axis < 2 else 3)):
            continue
        s = shift_of(axis)
        middle = h.middle[axis]
        if aside:
            one[0] = one[1] = one[2] = one[3] = 0
            one[cell >> 5] = bit_of(cell)
            here = between(axis, plane, one)        # the square before it
            if here == 0:
                continue
            low = here
            high = here << s
            line = low | high
            gaps = 0
            k = 1
        else:
            if not long_hops:
                return 0
            low = bit_of(cell) >> s
            high = <uint64_t>bit_of(cell) << s
            line = low | high
            gaps = low | bit_of(cell)
            k = 2
        while low and line & h.empty == line and not gaps & middle:
            if directions >> 2 * axis & 1 and reached & low:
                landed |= <uint32_t>high
            if directions >> 2 * axis & 2 and reached & high:
                landed |= <uint32_t>low
            k += 2
            if not long_hops or k > 4:
                break
            gaps |= high
            low >>= s
            high <<= s
            gaps |= low
            line |= low | high
    return landed


cdef int removals_of(const Tables *t, const Position *p, const Circles *c, int piece, int directions,
                     uint32_t within, uint32_t rest, uint32_t start, Layer *out, int n, int first) noexcept nogil:
    """The series of a piece that remove circles, one layer a set of them (traverse.md, Circles).

    start: where it can get without removing one. Landings are on `within` only; what lies on
    `rest` is added to out[first..n), and the new n is returned.
    """
    cdef int cell = p.pieces[p.turn][piece], plane = cell >> 5
    cdef uint32_t[64] seeds
    cdef uint64_t todo = 0
    cdef int removed = 0, slot, more, k
    cdef uint32_t reached = start, landed
    cdef Hops h
    look(t, p, c, cell, 0, within, &h)
    while True:
        for slot in range(6):
            if (c.slots & ~removed) >> slot & 1:
                landed = hops_over(&h, plane, c.cell[slot], directions, t.long_hops, reached)
                if landed:
                    more = removed | 1 << slot
                    if todo >> more & 1:
                        seeds[more] |= landed
                    else:
                        seeds[more] = landed
                        todo |= <uint64_t>1 << more
        if todo == 0:
            return n
        # Larger sets have larger numbers: a layer is complete when its turn comes.
        removed = pop_lowest(&todo)
        look(t, p, c, cell, removed, within, &h)
        if t.long_hops:
            reached = flood_long(&h, directions, seeds[removed])
        else:
            reached = flood_short(&h, directions, seeds[removed])
        landed = reached & rest & ~bit_of(cell)
        if landed:
            for k in range(first, n):
                if out[k].removed == removed:
                    out[k].targets |= landed
                    break
            else:
                out[n].targets = landed
                out[n].removed = removed
                out[n].piece = piece
                n += 1


cdef inline int series_of(const Tables *t, const Position *p, const Circles *c, int piece, int directions,
                          uint32_t within, uint32_t rest, uint32_t *targets, Layer *layers, int n,
                          int first) noexcept nogil:
    """All series of a piece that land on `within` only and end on `rest`.

    Those that remove nothing are added to targets, the others to layers[first..n); the new n is
    returned.
    """
    cdef int cell = p.pieces[p.turn][piece], plane = cell >> 5
    cdef uint32_t reached
    cdef Hops h
    look(t, p, c, cell, 0, within, &h)
    if t.long_hops:
        reached = flood_long(&h, directions, bit_of(cell))
    else:
        reached = flood_short(&h, directions, bit_of(cell))
    targets[plane] |= reached & rest & ~bit_of(cell)
    if c.slots:
        only_over(c.all, plane, &h)
        if hop_once(&h, directions, t.long_hops, reached):
            return removals_of(t, p, c, piece, directions, within, rest, reached, layers, n, first)
    return n


cdef int moves_of(const Tables *t, const Position *p, const Circles *c, int piece, uint32_t *targets,
                  Layer *layers, int n) noexcept nogil:
    """Where one piece of the player to act can go.

    targets: without removing a circle, by plane. Layers with removals are added to layers[n..];
    the new number of layers is returned.
    """
    cdef int player = p.turn, cell = p.pieces[player][piece], shape = piece >> 1
    cdef int directions = t.directions[t.side[player]][shape], plane = cell >> 5
    cdef int first = n, k
    for k in range(4):
        targets[k] = 0
    if t.frozen and has(t.finish[player], cell):
        return n
    for k in range(4):
        targets[k] = t.steps[player][shape][cell][k] & ~p.occupied[k]
    n = series_of(t, p, c, piece, directions, PLANE, t.rest[player][plane], targets, layers, n, first)
    if has(t.start[player], cell) and (shape == SQUARE or shape == CIRCLE):
        # Within the start row the whole series must stay there (traverse.md, Rest).
        n = series_of(t, p, c, piece, UPRIGHT if t.side[player] & 1 else ALONG,
                      t.start[player][plane] | bit_of(cell), t.start[player][plane], targets, layers, n, first)
    return n


# ---------------------------------------------------------------- all pieces at once, one a lane

cdef struct Fan:
    # The pieces of a player in lanes 0 to 7, those of the next player in lanes 8 to 15.
    uint32_t[16] origin
    uint32_t[16] file       # all ones where the origin's file is odd
    uint32_t[16] rank
    uint32_t[16] targets    # where series without removals end, in the piece's plane
    uint32_t[16] reached    # where they lead, the origin included
    uint32_t[16] removes    # not 0: some series removes a circle
    # Squares on which the hops depend: of the piece's plane, of that of the other file parity, of
    # the other rank parity, of both.
    uint32_t[4][16] watched


cdef struct LaneHops:
    # Hops, lane by lane, short ones (distance 1) or all.
    vec empty
    vec own_hop
    vec[4] middle
    vec[4] middle_hop


cdef inline vec lane_edges(const LaneHops *h, int axis, int distance) noexcept nogil:
    """As `edges`."""
    cdef int s = shift_of(axis)
    cdef vec e = h.empty, free
    if distance == 1:
        return e & h.middle_hop[axis] & (e >> s)
    free = e & ~h.middle[axis]
    if distance == 2:
        return free & ((h.own_hop & ~h.middle[axis]) >> s) & (e >> 2 * s)
    if distance == 3:
        return free & ((e & h.middle_hop[axis]) >> s) & (free >> 2 * s) & (e >> 3 * s)
    return free & (free >> s) & ((h.own_hop & ~h.middle[axis]) >> 2 * s) & (free >> 3 * s) & (e >> 4 * s)


cdef inline void lane_between(vec file, vec rank, vec across, vec along, vec aslant, vec *out) noexcept nogil:
    """As `between`, for lanes of different planes: file and rank say which are odd.

    across, along, aslant: the planes of the other file parity, of the other rank parity, of both.
    """
    cdef vec left = aslant + (aslant & ~file)       # twice where the file is even
    out[0] = select(file, across >> 1, across)
    out[1] = select(rank, along >> 6, along)
    out[3] = select(rank, left >> 6, left)
    out[2] = out[3] >> 1


cdef inline void lane_planes(const uint32_t *board, vec file, vec rank, vec *out) noexcept nogil:
    """A board's planes as each lane's piece sees them: own, other file, other rank, both."""
    cdef vec a = splat(board[0]), b = splat(board[1]), c = splat(board[2]), d = splat(board[3])
    cdef vec ab = select(file, b, a), ba = select(file, a, b), cd = select(file, d, c), dc = select(file, c, d)
    out[0] = select(rank, cd, ab)
    out[1] = select(rank, dc, ba)
    out[2] = select(rank, ab, cd)
    out[3] = select(rank, ba, dc)


cdef inline vec lane_own(const uint32_t *lanes, vec file, vec rank) noexcept nogil:
    """Of four sets a lane, 16 lanes each, the one in the plane of the lane's piece."""
    return select(rank, select(file, load(lanes + 48), load(lanes + 32)), select(file, load(lanes + 16), load(lanes)))


cdef inline vec lane_flood(const LaneHops *h, const uint32_t *ways, int axes, bint long_hops, vec start) noexcept nogil:
    """Where series from `start` lead on the first so many axes, each lane going its own ways."""
    cdef vec reached = start, before, e
    cdef vec[4] up, down
    cdef int axis, distance
    for axis in range(axes):
        e = lane_edges(h, axis, 1)
        up[axis] = (e & load(ways + 32 * axis)) << shift_of(axis)
        down[axis] = e & load(ways + 32 * axis + 16)
    while True:
        while True:
            before = reached
            for axis in range(axes):
                e = reached
                reached |= (e << shift_of(axis)) & up[axis]
                reached |= (e >> shift_of(axis)) & down[axis]
            if not some_bit(reached ^ before):
                break
        if not long_hops:
            break
        for axis in range(axes):
            for distance in range(2, 5):
                e = lane_edges(h, axis, distance)
                reached |= (((reached & e & load(ways + 32 * axis)) << distance * shift_of(axis))
                            | ((reached >> distance * shift_of(axis)) & e & load(ways + 32 * axis + 16)))
        if not some_bit(reached ^ before):
            break
    return reached


cdef inline vec lane_hop_once(const LaneHops *h, const uint32_t *ways, bint long_hops, vec start) noexcept nogil:
    """Where one hop leads, each lane going its own ways."""
    cdef vec reached = start ^ start, e
    cdef int axis, distance
    for axis in range(4):
        for distance in range(1, 5 if long_hops else 2):
            e = lane_edges(h, axis, distance)
            reached |= (start & e & load(ways + 32 * axis)) << distance * shift_of(axis)
            reached |= (start >> distance * shift_of(axis)) & e & load(ways + 32 * axis + 16)
    return reached


cdef inline void watch(const LaneHops *h, const uint32_t *ways, vec origin, vec file, vec rank, vec reached,
                       vec *out) noexcept nogil:
    """The squares that short hops depend on, as Fan.watched has them.

    While a piece comes and another goes elsewhere, the same squares are reached. For each square
    reached and each way from there: the square between, if it is empty, or if it is occupied and
    the one beyond is free to land on; the one beyond, if it and the one between are occupied. And
    the squares reached themselves.
    """
    cdef vec up, down, middle, mids
    cdef int axis, s
    out[0] = reached & ~origin
    out[1] = out[2] = out[3] = origin ^ origin
    for axis in range(4):
        s = shift_of(axis)
        # Segments from the square below to the one above, named by the one below.
        up = reached & load(ways + 32 * axis) & (PLANE & (PLANE >> s))
        down = (reached >> s) & load(ways + 32 * axis + 16) & (PLANE & (PLANE >> s))
        middle = h.middle[axis]
        mids = (up & (~middle | (h.empty >> s))) | (down & (~middle | h.empty))
        out[0] |= ((up & middle & (h.own_hop >> s)) << s) | (down & middle & h.own_hop)
        if axis == 0:
            out[1] |= select(file, mids << 1, mids)
        elif axis == 1:
            out[2] |= select(rank, mids << 6, mids)
        else:
            if axis == 2:
                mids = select(file, mids << 1, mids)
            else:
                mids = select(file, mids, mids >> 1)
            out[3] |= select(rank, mids << 6, mids)


cdef inline void fan_out(const Tables *t, const Position *p, int lanes, const Circles *circles,
                         bint long_hops, bint removing, Fan *f) noexcept nogil:
    """The hops of the player to act (lanes 8), and of the next player too (lanes 16).

    The next player's are those it would have on this board, and what they depend on. That frozen
    pieces stay is left to the caller.
    """
    cdef int player = p.turn, k, cell, next_one = next_player(t, p.turn)
    cdef const uint32_t *ways
    cdef vec origin, file, rank, reached, start, inside, everywhere
    cdef vec[4] board, removable
    cdef LaneHops h
    for k in range(8):
        cell = p.pieces[player][k]
        f.origin[k] = bit_of(cell)
        f.file[k] = -(cell >> 5 & 1)
        f.rank[k] = -(cell >> 6 & 1)
    if lanes == 16:
        for k in range(8):
            cell = p.pieces[next_one][k]
            f.origin[8 + k] = bit_of(cell)
            f.file[8 + k] = -(cell >> 5 & 1)
            f.rank[8 + k] = -(cell >> 6 & 1)
    elif WIDTH == 16:
        for k in range(8, 16):
            f.origin[k] = 0
            f.file[k] = 0
            f.rank[k] = 0
    k = 0
    while k < lanes:
        origin = load(f.origin + k)
        file = load(f.file + k)
        rank = load(f.rank + k)
        ways = &t.ways[player][0][k]
        lane_planes(p.occupied, file, rank, board)
        h.empty = (board[0] ^ PLANE) | origin
        h.own_hop = board[0] & ~origin
        lane_between(file, rank, board[1], board[2], board[3], h.middle)
        if removing:
            lane_planes(circles.all, file, rank, removable)
            h.own_hop = h.own_hop & ~removable[0]
            lane_between(file, rank, board[1] & ~removable[1], board[2] & ~removable[2],
                         board[3] & ~removable[3], h.middle_hop)
        else:
            for cell in range(4):
                h.middle_hop[cell] = h.middle[cell]
        reached = lane_flood(&h, ways, 4, long_hops, origin)
        store(f.reached + k, reached)
        if lanes == 16 and (k >= 8 or WIDTH == 16):
            watch(&h, ways, origin, file, rank, reached, board)
            for cell in range(4):
                store(&f.watched[cell][k], board[cell])
        inside = reached & lane_own(&t.rest_lanes[player][0][k], file, rank)
        # Along the own start row the whole series must stay in it (traverse.md, Rest): pieces that
        # stand there land there only. No way but along the row leads from there to there.
        start = lane_own(&t.start_lanes[player][0][k], file, rank)
        if some_bit(origin & start):
            everywhere = h.empty
            h.empty &= start
            inside |= lane_flood(&h, ways, 2, long_hops, origin & start) & start
            h.empty = everywhere
        if removing:
            lane_planes(circles.all, file, rank, removable)
            h.own_hop = removable[0]
            lane_between(file, rank, removable[1], removable[2], removable[3], h.middle_hop)
            store(f.removes + k, lane_hop_once(&h, ways, long_hops, reached))
        store(f.targets + k, inside & ~origin)
        k += WIDTH


cdef void fan_of_one(const Tables *t, const Position *p, const Circles *circles, Fan *f) noexcept nogil:
    """fan_out for the player to act, by what the game and the position need."""
    if circles.slots:
        if t.long_hops:
            fan_out(t, p, 8, circles, True, True, f)
        else:
            fan_out(t, p, 8, circles, False, True, f)
    elif t.long_hops:
        fan_out(t, p, 8, circles, True, False, f)
    else:
        fan_out(t, p, 8, circles, False, False, f)


cdef int all_moves(const Tables *t, const Position *p, uint32_t[4] *targets, Layer *layers) noexcept nogil:
    """moves_of for each piece of the player to act; the number of layers."""
    cdef Fan f
    return all_moves_by(t, p, 8, targets, layers, &f)


cdef inline int all_moves_by(const Tables *t, const Position *p, int lanes, uint32_t[4] *targets, Layer *layers,
                             Fan *f) noexcept nogil:
    """The same by a fan that is kept; lanes 16 only where no circles are removed and hops are short."""
    cdef int player = p.turn, k, i, cell, n = 0
    cdef const uint32_t *steps
    cdef Circles circles
    find_circles(t, p, &circles)
    if lanes == 16:
        fan_out(t, p, 16, &circles, False, False, f)
    else:
        fan_of_one(t, p, &circles, f)
    for k in range(8):
        cell = p.pieces[player][k]
        if t.frozen and has(t.finish[player], cell):
            for i in range(4):
                targets[k][i] = 0
        elif circles.slots and f.removes[k]:
            n = moves_of(t, p, &circles, k, targets[k], layers, n)
        else:
            steps = t.steps[player][k >> 1][cell]
            for i in range(4):
                targets[k][i] = (steps[i] & ~p.occupied[i]) | (f.targets[k] & t.only[cell >> 5][i])
    return n


# ---------------------------------------------------------------- the table's functions

cdef int to_act(const GameTable *table, const void *position) noexcept nogil:
    cdef const Position *p = <const Position *>position
    return p.turn if p.result == 0 else <int>TERMINAL


cdef int turn(const GameTable *table, const void *position) noexcept nogil:
    return (<const Position *>position).turn


cdef inline void free_for_put_back(const Tables *t, const Position *p, uint32_t *squares) noexcept nogil:
    """The owner's start row, or the field when that row is full (traverse.md, Circles)."""
    cdef int owner = p.pending & 3, k
    cdef uint32_t any_free = 0
    for k in range(4):
        squares[k] = t.start[owner][k] & ~p.occupied[k]
        any_free |= squares[k]
    if any_free == 0:
        for k in range(4):
            squares[k] = t.field[k] & ~p.occupied[k]


cdef inline uint64_t interleaved(uint32_t even, uint32_t odd) noexcept nogil:
    """The bits of two words in turn."""
    cdef uint64_t x = even | <uint64_t>odd << 32, swapped
    swapped = (x ^ x >> 16) & 0x00000000FFFF0000ULL
    x ^= swapped ^ swapped << 16
    swapped = (x ^ x >> 8) & 0x0000FF000000FF00ULL
    x ^= swapped ^ swapped << 8
    swapped = (x ^ x >> 4) & 0x00F000F000F000F0ULL
    x ^= swapped ^ swapped << 4
    swapped = (x ^ x >> 2) & 0x0C0C0C0C0C0C0C0CULL
    x ^= swapped ^ swapped << 2
    swapped = (x ^ x >> 1) & 0x2222222222222222ULL
    return x ^ swapped ^ swapped << 1


cdef inline void in_order(const uint32_t *planes, uint64_t *low, uint64_t *high) noexcept nogil:
    """A set by plane as a set by square: squares 0 to 49, then 50 to 99."""
    cdef uint64_t even = interleaved(planes[0], planes[1]), odd = interleaved(planes[2], planes[3])
    cdef uint64_t row = 0xFFF
    low[0] = (even & row | (odd & row) << 10 | (even & row << 12) << 8 | (odd & row << 12) << 18
              | (even & row << 24) << 16)
    high[0] = ((odd & row << 24) >> 24 | (even & row << 36) >> 26 | (odd & row << 36) >> 16
               | (even & row << 48) >> 18 | (odd & row << 48) >> 8)


cdef inline int write_rows(uint64_t rows, int offset, int32_t *out) noexcept nogil:
    """offset + place for each bit, ascending; how many. At least four numbers are written."""
    cdef int n = popcount(rows), k
    for k in range(4):      # most sets are small: no branch that could be foreseen badly
        out[k] = offset + count_trailing_zeros(rows | <uint64_t>1 << 63)
        rows &= rows - 1
    k = 4
    while rows:
        out[k] = offset + pop_lowest(&rows)
        k += 1
    return n


cdef inline int write_set(const uint32_t *planes, int offset, int32_t *out) noexcept nogil:
    """offset + square for each square of a set, ascending; how many."""
    cdef uint64_t low, high
    cdef int n = 0
    in_order(planes, &low, &high)
    while low:
        out[n] = offset + pop_lowest(&low)
        n += 1
    while high:
        out[n] = offset + 50 + pop_lowest(&high)
        n += 1
    return n


cdef struct Rows:
    # The targets of a player's pieces, as in_order gives sets.
    uint64_t[8] low
    uint64_t[8] high


cdef int all_rows(const Tables *t, const Position *p, Rows *rows, Layer *layers) noexcept nogil:
    """all_moves with the targets in the order of squares."""
    cdef int player = p.turn, k, cell, n = 0
    cdef uint64_t row = 0xFFF, x, low, high, file, rank
    cdef uint32_t[4] targets
    cdef Circles circles
    cdef Fan f
    find_circles(t, p, &circles)
    fan_of_one(t, p, &circles, &f)
    for k in range(8):
        file = <uint64_t><int64_t><int32_t>f.file[k]
        rank = <uint64_t><int64_t><int32_t>f.rank[k]
        # As `interleaved` with nothing in the other plane,
        x = f.targets[k]
        x = (x | x << 16) & 0x0000FFFF0000FFFFULL
        x = (x | x << 8) & 0x00FF00FF00FF00FFULL
        x = (x | x << 4) & 0x0F0F0F0F0F0F0F0FULL
        x = (x | x << 2) & 0x3333333333333333ULL
        x = (x | x << 1) & 0x5555555555555555ULL
        x += x & file
        # then as in_order, a row higher where the rank is odd.
        low = x & row | (x & row << 12) << 8 | (x & row << 24) << 16
        high = (x & row << 36) >> 26 | (x & row << 48) >> 18
        rows.low[k] = low ^ (low ^ low << 10 & ((<uint64_t>1 << 50) - 1)) & rank
        rows.high[k] = high ^ (high ^ (high << 10 | low >> 40)) & rank
    in_order(p.occupied, &low, &high)
    for k in range(8):
        cell = p.pieces[player][k]
        if t.frozen and has(t.finish[player], cell):
            rows.low[k] = 0
            rows.high[k] = 0
        elif circles.slots and f.removes[k]:
            n = moves_of(t, p, &circles, k, targets, layers, n)
            in_order(targets, &rows.low[k], &rows.high[k])
        else:
            rows.low[k] |= t.steps_in_order[player][k >> 1][cell][0] & ~low
            rows.high[k] |= t.steps_in_order[player][k >> 1][cell][1] & ~high
    return n


cdef inline void by_square(const Tables *t, const Position *p, uint8_t *pieces) noexcept nogil:
    """The pieces of the player to act, ascending by square; all are on the board."""
    cdef uint64_t ones = 0x0101010101010101ULL, squares = 0, before = 0
    cdef int k
    for k in range(8):
        squares |= <uint64_t>t.square_of[p.pieces[p.turn][k]] << 8 * k
    # How many stand before each, a byte a piece: no branch that could be foreseen badly.
    for k in range(8):
        before += (((squares | 0x80 * ones) - ((squares >> 8 * k & 255) + 1) * ones) & 0x80 * ones) >> 7
    for k in range(8):
        pieces[before >> 8 * k & 7] = k


cdef int list_moves(const Tables *t, const Position *p, int32_t *out) noexcept nogil:
    """Moves of the player to act, ascending; how many.

    A piece has at most 8 steps and 24 squares for series, so `out` has room for what write_rows
    writes beyond the last one.
    """
    cdef Layer[MAX_LAYERS] layers
    cdef Rows rows
    cdef uint32_t[4] targets
    cdef uint8_t[8] pieces
    cdef int n = 0, num_layers = all_rows(t, p, &rows, layers), k, square
    by_square(t, p, pieces)
    for k in range(8):
        square = t.square_of[p.pieces[p.turn][pieces[k]]]
        n += write_rows(rows.low[pieces[k]], 100 * square, out + n)
        n += write_rows(rows.high[pieces[k]], 100 * square + 50, out + n)
    sort_layers(t, p, layers, num_layers)
    for k in range(num_layers):
        memset(targets, 0, sizeof(targets))
        targets[p.pieces[p.turn][layers[k].piece] >> 5] = layers[k].targets
        square = t.square_of[p.pieces[p.turn][layers[k].piece]]
        n += write_set(targets, PLAIN_ACTIONS * layers[k].removed + 100 * square, out + n)
    return n


cdef inline int layer_rank(const Tables *t, const Position *p, const Layer *layer) noexcept nogil:
    return 100 * layer.removed + t.square_of[p.pieces[p.turn][layer.piece]]


cdef void sort_layers(const Tables *t, const Position *p, Layer *layers, int n) noexcept nogil:
    """By the set removed, then by the square of origin."""
    cdef int k, i
    cdef Layer layer
    for k in range(1, n):
        layer = layers[k]
        i = k
        while i > 0 and layer_rank(t, p, &layers[i - 1]) > layer_rank(t, p, &layer):
            layers[i] = layers[i - 1]
            i -= 1
        layers[i] = layer


cdef int actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef uint32_t[4] squares
    cdef int n, k
    if p.result:
        return 0
    if p.choosing:
        for n in range(ORDERS):
            out[n] = t.order_action[n]
        return ORDERS
    if p.num_pending:
        free_for_put_back(t, p, squares)
        n = write_set(squares, 0, out)
        for k in range(n):
            out[k] *= 101
        return n
    n = list_moves(t, p, out)
    if n == 0:
        out[0] = 0      # pass
        n = 1
    return n


# ---------------------------------------------------------------- the same without a list

cdef inline int size_of(const uint32_t *planes) noexcept nogil:
    return (popcount(planes[0] | <uint64_t>planes[1] << 32) + popcount(planes[2] | <uint64_t>planes[3] << 32))


cdef int count(const GameTable *table, const void *position) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Layer[MAX_LAYERS] layers
    cdef uint32_t[8][4] targets
    cdef int n = 0, num_layers, k
    if p.result:
        return 0
    if p.choosing:
        return ORDERS
    if p.num_pending:
        free_for_put_back(t, p, targets[0])
        return size_of(targets[0])
    num_layers = all_moves(t, p, targets, layers)
    for k in range(8):
        n += size_of(targets[k])
    for k in range(num_layers):
        n += popcount32(layers[k].targets)
    return n if n else 1


cdef bint legal(const GameTable *table, const void *position, int32_t action) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Circles circles
    cdef Layer[64] layers
    cdef uint32_t[4] targets
    cdef int num_layers, removed, piece, target, k
    if p.result or action < 0 or action >= table.num_actions:
        return False
    if p.choosing:
        return action < PLAIN_ACTIONS and t.order_of[action] >= 0
    if p.num_pending:
        if action >= PLAIN_ACTIONS or action % 101:
            return False
        free_for_put_back(t, p, targets)
        return has(targets, t.cell_of[action // 101])
    if action == 0:
        find_circles(t, p, &circles)
        for k in range(8):
            if moves_of(t, p, &circles, k, targets, layers, 0) or size_of(targets):
                return False
        return True
    removed = action // PLAIN_ACTIONS
    action -= removed * PLAIN_ACTIONS
    piece = piece_at(p.pieces[p.turn], t.cell_of[action // 100])
    target = t.cell_of[action % 100]
    if piece < 0:
        return False
    find_circles(t, p, &circles)
    num_layers = moves_of(t, p, &circles, piece, targets, layers, 0)
    if removed == 0:
        return has(targets, target)
    for k in range(num_layers):
        if layers[k].removed == removed:
            return target >> 5 == p.pieces[p.turn][piece] >> 5 and layers[k].targets >> (target & 31) & 1
    return False


cdef inline int nth_square(uint64_t low, uint64_t high, int rank) noexcept nogil:
    """The square of that rank, from 0, in a set as in_order gives it."""
    cdef int lower = popcount(low)
    if rank < lower:
        return nth_bit(low, rank)
    return 50 + nth_bit(high, rank - lower)


cdef inline int nth_of_planes(const uint32_t *planes, int rank) noexcept nogil:
    """The same of a set by plane."""
    cdef uint64_t low, high
    in_order(planes, &low, &high)
    return nth_square(low, high, rank)


cdef int32_t choose(const GameTable *table, const void *position, uint64_t u) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef Layer[MAX_LAYERS] layers
    cdef Rows rows
    cdef uint32_t[4] only
    cdef uint8_t[8] pieces
    cdef int[8] sizes
    cdef int n = 0, num_layers, k, rank
    if p.choosing:
        return t.order_action[multiply_high(u, ORDERS)]
    if p.num_pending:
        free_for_put_back(t, p, only)
        return 101 * nth_of_planes(only, multiply_high(u, size_of(only)))
    by_square(t, p, pieces)
    num_layers = all_rows(t, p, &rows, layers)
    for k in range(8):
        sizes[k] = popcount(rows.low[pieces[k]]) + popcount(rows.high[pieces[k]])
        n += sizes[k]
    for k in range(num_layers):
        n += popcount32(layers[k].targets)
    if n == 0:
        return 0
    rank = multiply_high(u, n)
    for k in range(8):
        if rank < sizes[k]:
            return (100 * t.square_of[p.pieces[p.turn][pieces[k]]]
                    + nth_square(rows.low[pieces[k]], rows.high[pieces[k]], rank))
        rank -= sizes[k]
    sort_layers(t, p, layers, num_layers)
    k = 0
    while rank >= popcount32(layers[k].targets):
        rank -= popcount32(layers[k].targets)
        k += 1
    memset(only, 0, sizeof(only))
    only[p.pieces[p.turn][layers[k].piece] >> 5] = layers[k].targets
    return (PLAIN_ACTIONS * layers[k].removed
            + 100 * t.square_of[p.pieces[p.turn][layers[k].piece]] + nth_of_planes(only, rank))


# ---------------------------------------------------------------- carrying out

cdef inline bint is_blocked(const Tables *t, const Position *p, int player) noexcept nogil:
    """Seven pieces home and the eighth square of the finish row held by another's (End)."""
    cdef int k, held = 0
    if p.home[player] != 7:
        return False
    for k in range(4):
        held += popcount32(p.occupied[k] & t.finish[player][k])
    return held == 8


cdef inline void begin_turn(const Tables *t, Position *p) noexcept nogil:
    if t.block_limit and is_blocked(t, p, p.turn):
        p.blocks[p.turn] += 1
        if p.blocks[p.turn] >= t.block_limit:
            p.result = 1 + p.turn


cdef inline void end_turn(const Tables *t, Position *p) noexcept nogil:
    p.turn = next_player(t, p.turn)
    begin_turn(t, p)


cdef inline void keep_order(const Tables *t, uint8_t *pieces, int piece) noexcept nogil:
    """Two pieces of one shape stand by square, one off the board last."""
    cdef uint8_t *pair = pieces + (piece & ~1)
    cdef uint8_t one = pair[0], two = pair[1]
    cdef int first = OFF if one == OFF else t.square_of[one]
    cdef int second = OFF if two == OFF else t.square_of[two]
    if first > second:
        pair[0] = two
        pair[1] = one


cdef void place_order(const Tables *t, Position *p, int player, const uint8_t *shapes) noexcept nogil:
    """Set up a player's row, from its own left to right."""
    cdef int k, shape, cell
    cdef int[4] placed
    memset(placed, 0, sizeof(placed))
    for k in range(8):
        shape = shapes[k]
        cell = t.row[player][k]
        p.pieces[player][2 * shape + placed[shape]] = cell
        placed[shape] += 1
        p.occupied[cell >> 5] |= bit_of(cell)
    for shape in range(4):
        keep_order(t, p.pieces[player], 2 * shape)


cdef void put_back(const Tables *t, Position *p, int cell) noexcept nogil:
    cdef int owner = p.pending & 3
    cdef int piece = 6 if p.pieces[owner][6] == OFF else 7
    p.pieces[owner][piece] = cell
    keep_order(t, p.pieces[owner], piece)
    p.occupied[cell >> 5] |= bit_of(cell)
    p.home[owner] += has(t.finish[owner], cell)
    p.pending >>= 2
    p.num_pending -= 1
    if p.num_pending == 0:
        end_turn(t, p)


cdef void remove_circles(const Tables *t, Position *p, int removed) noexcept nogil:
    """Take circles off the board; their owners wait in ascending order of the squares."""
    cdef Circles c
    cdef uint8_t[6] order
    cdef int n = 0, k, slot, square, owner
    find_circles(t, p, &c)
    for slot in range(6):
        if removed >> slot & 1:
            square = t.square_of[c.cell[slot]]
            k = n
            while k > 0 and t.square_of[c.cell[order[k - 1]]] > square:
                order[k] = order[k - 1]
                k -= 1
            order[k] = slot
            n += 1
    for k in range(n):
        slot = order[k]
        owner = c.owner[slot]
        p.occupied[c.cell[slot] >> 5] &= ~bit_of(c.cell[slot])
        p.home[owner] -= has(t.finish[owner], c.cell[slot])
        p.pieces[owner][c.piece[slot]] = OFF
        p.pending |= owner << 2 * k
    for k in range(n):
        keep_order(t, p.pieces[c.owner[order[k]]], CIRCLE * 2)
    p.num_pending = n


cdef void apply(const GameTable *table, void *position, int32_t action) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>position
    cdef int player = p.turn, origin, target, piece, removed
    if p.choosing:
        place_order(t, p, player, t.orders[t.order_of[action]])
        p.turn = next_player(t, player)
        p.choosing = p.turn != 0
        return
    if p.num_pending:
        put_back(t, p, t.cell_of[action // 101])
        return
    if action == 0:
        p.passes += 1
        if p.passes == t.num_players:
            p.turn = next_player(t, player)
            p.result = DRAWN
        else:
            end_turn(t, p)
        return
    removed = action // PLAIN_ACTIONS
    action -= removed * PLAIN_ACTIONS
    origin = t.cell_of[action // 100]
    target = t.cell_of[action % 100]
    piece = piece_at(p.pieces[player], origin)
    require(piece >= 0)
    p.passes = 0
    p.occupied[origin >> 5] &= ~bit_of(origin)
    if removed:
        remove_circles(t, p, removed)
    # After the removals: the series may end where a removed circle stood.
    p.occupied[target >> 5] |= bit_of(target)
    p.pieces[player][piece] = target
    keep_order(t, p.pieces[player], piece)
    p.home[player] += has(t.finish[player], target) - has(t.finish[player], origin)
    if p.home[player] == 8:
        p.result = 1 + player
        p.turn = next_player(t, player)
        p.pending = 0
        p.num_pending = 0
        return
    if p.num_pending == 0:
        end_turn(t, p)


cdef void returns(const GameTable *table, const void *position, double *out) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef int k, n = table.num_players
    if p.result == 0 or p.result == DRAWN:
        return
    for k in range(n):
        out[k] = 1.0 if k == p.result - 1 else -1.0 / (n - 1)


cdef inline int rows_advanced(int side, int square) noexcept nogil:
    cdef int file = square % 10, rank = square // 10
    if side == 0:
        return rank
    if side == 1:
        return file
    if side == 2:
        return 9 - rank
    return 9 - file


cdef int progress(const GameTable *table, const void *position, int player) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef int k, total = 0
    for k in range(8):
        if p.pieces[player][k] != OFF:
            total += rows_advanced(t.side[player], t.square_of[p.pieces[player][k]])
    return total


cdef void setup(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    cdef const Tables *t = tables_of(table)
    cdef Position *p = <Position *>position
    cdef int player
    memset(p, 0, sizeof(Position))
    memset(p.pieces, OFF, sizeof(p.pieces))
    if t.setup == CHOOSE:
        p.choosing = 1
        return
    for player in range(t.num_players):
        if t.setup == RANDOM:
            place_order(t, p, player, t.orders[draw_below(draws, ORDERS)])
        else:
            place_order(t, p, player, t.fixed_order[player])


# ---------------------------------------------------------------- the last two plies together

# The children of a position differ by one move each, so they are looked at side by side, one a
# lane: the replying player's pieces stand where they stand in all of them. Its series are floods in
# lanes. Its steps need no lanes: a square that is left, or taken, gives or takes as many steps as
# pieces can step there, whatever else moves.

cdef enum:
    MOST_CHILDREN = 8 * 33 + 32

cdef struct Children:
    uint32_t[4][MOST_CHILDREN] changed      # by plane: the squares left and taken
    uint32_t[2][MOST_CHILDREN] moved        # all ones where the mover's first, second circle moved
    int n


cdef inline vec vec_between(const vec *board, int plane, int axis) noexcept nogil:
    """As `between`."""
    cdef int file = plane & 1, rank = 6 * (plane >> 1)
    if axis == 0:
        return board[plane ^ 1] >> file
    if axis == 1:
        return board[plane ^ 2] >> rank
    if axis == 2:
        return board[plane ^ 3] >> (file + rank)
    return (board[plane ^ 3] << 1) >> (file + rank)


cdef inline void see(const vec *board, const vec *may_hop, int cell, int directions, bint removing,
                     LaneHops *h) noexcept nogil:
    """What hops of the piece on a cell depend on, in each child."""
    cdef int plane = cell >> 5, axis
    cdef vec origin = splat(bit_of(cell))
    h.empty = (board[plane] ^ PLANE) | origin
    h.own_hop = (may_hop[plane] if removing else board[plane]) & ~origin
    for axis in range(4):
        if directions >> 2 * axis & 3:
            h.middle[axis] = vec_between(board, plane, axis)
            h.middle_hop[axis] = vec_between(may_hop, plane, axis) if removing else h.middle[axis]


cdef inline vec hop_both_ways(vec x, vec edge, int ways, int shift) noexcept nogil:
    """Hops along one axis over one distance, upwards (ways & 1) and back (ways & 2)."""
    cdef vec there = x ^ x
    if ways & 1:
        there |= (x & edge) << shift
    if ways & 2:
        there |= (x >> shift) & edge
    return there


cdef inline void short_edges(const LaneHops *h, int directions, vec *up, vec *down) noexcept nogil:
    """Short hops, by axis: named by where they lead upwards, and by where they lead down."""
    cdef int axis
    for axis in range(4):
        if directions >> 2 * axis & 3:
            down[axis] = lane_edges(h, axis, 1)
            up[axis] = down[axis] << shift_of(axis)


cdef inline void hop_on(int directions, vec *x, vec *y, const vec *x_up, const vec *x_down, const vec *y_up,
                        const vec *y_down) noexcept nogil:
    """Hops along each axis in turn, from where two pieces have come to."""
    cdef vec now
    cdef int axis
    for axis in range(4):
        now = x[0]
        if directions >> 2 * axis & 1:
            x[0] |= (now << shift_of(axis)) & x_up[axis]
        if directions >> 2 * axis & 2:
            x[0] |= (now >> shift_of(axis)) & x_down[axis]
        now = y[0]
        if directions >> 2 * axis & 1:
            y[0] |= (now << shift_of(axis)) & y_up[axis]
        if directions >> 2 * axis & 2:
            y[0] |= (now >> shift_of(axis)) & y_down[axis]


cdef inline void twin_flood(const LaneHops *h, const LaneHops *g, int directions, bint long_hops, bint likely_far,
                            vec *first, vec *second) noexcept nogil:
    """Where series of two pieces of one shape lead: two chains of instructions hide each other's waits.

    likely_far: most often some lane goes on after two hops, so two are made before looking for an end.
    """
    cdef vec x = first[0], y = second[0], before_x, before_y
    cdef vec[4] x_up, x_down, y_up, y_down
    cdef vec[4][3] x_far, y_far
    cdef int axis, distance
    short_edges(h, directions, x_up, x_down)
    short_edges(g, directions, y_up, y_down)
    for axis in range(4 if long_hops else 0):
        if directions >> 2 * axis & 3:
            for distance in range(2, 5):
                x_far[axis][distance - 2] = lane_edges(h, axis, distance)
                y_far[axis][distance - 2] = lane_edges(g, axis, distance)
    if likely_far:
        hop_on(directions, &x, &y, x_up, x_down, y_up, y_down)
        hop_on(directions, &x, &y, x_up, x_down, y_up, y_down)
    while True:
        # Short hops until nothing is new, then long ones once: most often they add nothing.
        while True:
            before_x = x
            before_y = y
            hop_on(directions, &x, &y, x_up, x_down, y_up, y_down)
            if not some_bit((x ^ before_x) | (y ^ before_y)):
                break
        if not long_hops:
            break
        for axis in range(4):
            if directions >> 2 * axis & 3:
                for distance in range(2, 5):
                    x |= hop_both_ways(x, x_far[axis][distance - 2], directions >> 2 * axis,
                                       distance * shift_of(axis))
                    y |= hop_both_ways(y, y_far[axis][distance - 2], directions >> 2 * axis,
                                       distance * shift_of(axis))
        if not some_bit((x ^ before_x) | (y ^ before_y)):
            break
    first[0] = x
    second[0] = y


cdef inline vec hop_lanes(const LaneHops *h, int directions, bint long_hops, vec start) noexcept nogil:
    """Where one hop leads."""
    cdef vec reached = start ^ start
    cdef int axis, distance
    for axis in range(4):
        if directions >> 2 * axis & 3:
            for distance in range(1, 5 if long_hops else 2):
                reached |= hop_both_ways(start, lane_edges(h, axis, distance), directions >> 2 * axis,
                                         distance * shift_of(axis))
    return reached


cdef inline vec removal_hops(const LaneHops *h, const vec *removable, int where, int plane, int directions,
                             bint long_hops, vec start) noexcept nogil:
    """Where one hop over a circle that may be removed leads; `where`: the planes with circles, a bit each."""
    cdef vec reached = start ^ start
    cdef int axis, distance
    cdef LaneHops g
    g.empty = h.empty
    for axis in range(4):
        if directions >> 2 * axis & 3:
            g.middle[axis] = h.middle[axis]
            if where >> (plane ^ (axis + 1 if axis < 2 else 3)) & 1:
                g.middle_hop[axis] = vec_between(removable, plane, axis)
                for distance in range(1, 5 if long_hops else 2, 2):
                    reached |= hop_both_ways(start, lane_edges(&g, axis, distance), directions >> 2 * axis,
                                             distance * shift_of(axis))
            if long_hops and where >> plane & 1:
                g.own_hop = removable[plane]
                for distance in range(2, 5, 2):
                    reached |= hop_both_ways(start, lane_edges(&g, axis, distance), directions >> 2 * axis,
                                             distance * shift_of(axis))
    return reached


cdef struct LaneCircles:
    # Circles that the replying player may remove, lane by lane.
    int slots
    vec[6][4] circle
    int[6] where            # in which planes, a bit each
    vec[4] all
    int anywhere


cdef inline vec flood_one(const LaneHops *h, int directions, bint long_hops, vec start) noexcept nogil:
    """As `twin_flood`, for one piece."""
    cdef vec x = start, before, now
    cdef vec[4] up, down
    cdef int axis, distance
    for axis in range(4):
        if directions >> 2 * axis & 3:
            down[axis] = lane_edges(h, axis, 1)
            up[axis] = down[axis] << shift_of(axis)
    while True:
        while True:
            before = x
            for axis in range(4):
                now = x
                if directions >> 2 * axis & 1:
                    x |= (now << shift_of(axis)) & up[axis]
                if directions >> 2 * axis & 2:
                    x |= (now >> shift_of(axis)) & down[axis]
            if not some_bit(x ^ before):
                break
        if not long_hops:
            break
        for axis in range(4):
            if directions >> 2 * axis & 3:
                for distance in range(2, 5):
                    x |= hop_both_ways(x, lane_edges(h, axis, distance), directions >> 2 * axis,
                                       distance * shift_of(axis))
        if not some_bit(x ^ before):
            break
    return x


cdef inline int removing_series(const vec *board, const LaneCircles *c, const LaneHops *seen, int cell,
                                int directions, bint long_hops, uint32_t rest, vec start) noexcept nogil:
    """How many series of a piece remove circles, in all lanes; as `removals_of`."""
    cdef int plane = cell >> 5, removed = 0, slot, more, k, total = 0
    cdef vec[64] seeds
    cdef vec[4] now
    cdef vec reached = start, landed
    cdef uint64_t todo = 0
    cdef LaneHops h = seen[0]
    while True:
        for slot in range(c.slots):
            if not removed >> slot & 1:
                landed = removal_hops(&h, c.circle[slot], c.where[slot], plane, directions, long_hops, reached)
                if some_bit(landed):
                    more = removed | 1 << slot
                    if todo >> more & 1:
                        seeds[more] |= landed
                    else:
                        seeds[more] = landed
                        todo |= <uint64_t>1 << more
        if todo == 0:
            break
        removed = pop_lowest(&todo)
        for k in range(4):
            now[k] = board[k]
        for slot in range(c.slots):
            if removed >> slot & 1:
                for k in range(4):
                    now[k] &= ~c.circle[slot][k]
        h.empty = (now[plane] ^ PLANE) | splat(bit_of(cell))
        for k in range(4):
            if directions >> 2 * k & 3:
                h.middle[k] = vec_between(now, plane, k)
        reached = flood_one(&h, directions, long_hops, seeds[removed])
        total += count_bits(reached & ~now[plane] & rest)
    return total


cdef inline void twin_series(const Tables *t, const Position *p, const vec *board, const vec *may_hop,
                             const LaneCircles *circles, int player, int piece, int directions, bint long_hops,
                             bint removing, vec *targets, uint64_t *total) noexcept nogil:
    """Where series of a piece and the next one of its shape end, in each child.

    Series that remove circles are added to the total.
    """
    cdef int one = p.pieces[player][piece], two = p.pieces[player][piece + 1]
    cdef LaneHops h, g
    cdef vec x = splat(bit_of(one)), y = splat(bit_of(two))
    see(board, may_hop, one, directions, removing, &h)
    see(board, may_hop, two, directions, removing, &g)
    twin_flood(&h, &g, directions, long_hops, False, &x, &y)
    targets[piece] = x & ~board[one >> 5] & t.rest[player][one >> 5]
    targets[piece + 1] = y & ~board[two >> 5] & t.rest[player][two >> 5]
    if t.frozen and has(t.finish[player], one):
        targets[piece] = x ^ x
    elif removing and some_bit(removal_hops(&h, circles.all, circles.anywhere, one >> 5, directions, long_hops, x)):
        total[0] += removing_series(board, circles, &h, one, directions, long_hops,
                                    t.rest[player][one >> 5], x)
    if t.frozen and has(t.finish[player], two):
        targets[piece + 1] = x ^ x
    elif removing and some_bit(removal_hops(&g, circles.all, circles.anywhere, two >> 5, directions, long_hops, y)):
        total[0] += removing_series(board, circles, &g, two, directions, long_hops,
                                    t.rest[player][two >> 5], y)


cdef inline int count_eight(const vec *x) noexcept nogil:
    """All bits of eight vectors: added up bit by bit first, then counted."""
    cdef vec one, two, four, a, b, c, d
    # sums of three: the odd bit, and the carry
    one = x[0] ^ x[1] ^ x[2]
    a = (x[0] & x[1]) | (x[2] & (x[0] ^ x[1]))
    b = (one & x[3]) | (x[4] & (one ^ x[3]))
    one = one ^ x[3] ^ x[4]
    c = (one & x[5]) | (x[6] & (one ^ x[5]))
    one = one ^ x[5] ^ x[6]
    d = one & x[7]
    one = one ^ x[7]
    four = (a & b) | (c & (a ^ b))
    two = a ^ b ^ c
    a = two & d
    two = two ^ d
    b = four & a
    four = four ^ a
    return count_bits(one) + 2 * count_bits(two) + 4 * count_bits(four) + 8 * count_bits(b)


cdef uint64_t count_child(const GameTable *table, const Position *p, int32_t action) noexcept nogil:
    cdef Position child = p[0]
    apply(table, &child, action)
    return count(table, &child)


cdef inline int action_of(const Tables *t, int origin, int target, int removed) noexcept nogil:
    return PLAIN_ACTIONS * removed + 100 * t.square_of[origin] + t.square_of[target]


cdef inline uint64_t count_replies(const Tables *t, const Position *p, Children *c, int player,
                                   bint long_hops, bint removing) noexcept nogil:
    """The replies by series, in all children of p."""
    cdef vec[4] board, may_hop, taken
    cdef vec[8] targets
    cdef LaneCircles circles
    cdef uint32_t[6][4] standing
    cdef int[6] moving
    cdef uint64_t total = 0
    cdef int m = 0, k, i, lane, owner, cell, side = t.side[player]
    for k in range(4):
        for lane in range(c.n, c.n + WIDTH):
            # Lanes without a child: a full board, on which no piece can land.
            c.changed[k][lane] = p.occupied[k] ^ PLANE
    circles.slots = 0
    if removing:
        for k in range(2):
            for lane in range(c.n, c.n + WIDTH):
                c.moved[k][lane] = 0
        memset(standing, 0, sizeof(standing))
        for owner in range(t.num_players):
            if owner != player:
                for k in range(2):
                    moving[circles.slots] = k if owner == p.turn else -1
                    cell = p.pieces[owner][6 + k]
                    if has(t.removable[owner], cell):
                        standing[circles.slots][cell >> 5] = bit_of(cell)
                    circles.slots += 1
    while m < c.n:
        for k in range(4):
            board[k] = load(&c.changed[k][m]) ^ p.occupied[k]
        if removing:
            for k in range(4):
                taken[k] = load(&c.changed[k][m]) & ~p.occupied[k] & t.removable[p.turn][k]
                circles.all[k] = board[k] ^ board[k]
            circles.anywhere = 0
            for i in range(circles.slots):
                circles.where[i] = 0
                for k in range(4):
                    circles.circle[i][k] = splat(standing[i][k])
                    if moving[i] >= 0:
                        circles.circle[i][k] = select(load(&c.moved[moving[i]][m]), taken[k], circles.circle[i][k])
                        if some_bit(circles.circle[i][k]):
                            circles.where[i] |= 1 << k
                    elif standing[i][k]:
                        circles.where[i] |= 1 << k
                    circles.all[k] |= circles.circle[i][k]
                circles.anywhere |= circles.where[i]
            for k in range(4):
                may_hop[k] = board[k] & ~circles.all[k]
        twin_series(t, p, board, may_hop, &circles, player, 0, ORTHOGONAL, long_hops, removing, targets, &total)
        twin_series(t, p, board, may_hop, &circles, player, 2, DIAGONAL, long_hops, removing, targets, &total)
        twin_series(t, p, board, may_hop, &circles, player, 6, ORTHOGONAL | DIAGONAL, long_hops, removing,
                    targets, &total)
        if side == 0:
            twin_series(t, p, board, may_hop, &circles, player, 4, NORTHWEST | NORTHEAST | SOUTH, long_hops,
                        removing, targets, &total)
        elif side == 1:
            twin_series(t, p, board, may_hop, &circles, player, 4, NORTHEAST | SOUTHEAST | WEST, long_hops,
                        removing, targets, &total)
        elif side == 2:
            twin_series(t, p, board, may_hop, &circles, player, 4, SOUTHEAST | SOUTHWEST | NORTH, long_hops,
                        removing, targets, &total)
        else:
            twin_series(t, p, board, may_hop, &circles, player, 4, SOUTHWEST | NORTHWEST | EAST, long_hops,
                        removing, targets, &total)
        total += count_eight(targets)
        m += WIDTH
    return total


cdef struct Near:
    # The children in which one piece's hops may be other than before.
    uint32_t[4][MOST_CHILDREN] changed
    int n


cdef inline int find_near(const Tables *t, const Position *p, const Children *c, const Fan *f, int player,
                          int piece, Near *near) noexcept nogil:
    """Pick those children; how many series the piece has in each of the others."""
    cdef int cell = p.pieces[player][piece], plane = cell >> 5, m = 0, lane, k
    cdef uint32_t a, b, d, e
    near.n = 0
    if t.frozen and has(t.finish[player], cell):
        for k in range(4):
            store(near.changed[k], splat(p.occupied[k] ^ PLANE))
        return 0
    a = f.watched[plane][8 + piece]
    b = f.watched[1 ^ plane][8 + piece]
    d = f.watched[2 ^ plane][8 + piece]
    e = f.watched[3 ^ plane][8 + piece]
    while m < c.n:
        near.n += pack_lanes(&near.changed[0][near.n], &c.changed[0][m], MOST_CHILDREN,
                             (load(&c.changed[0][m]) & a) | (load(&c.changed[1][m]) & b)
                             | (load(&c.changed[2][m]) & d) | (load(&c.changed[3][m]) & e))
        m += WIDTH
    for k in range(4):
        store(&near.changed[k][near.n], splat(p.occupied[k] ^ PLANE))
    return popcount32(f.reached[8 + piece] & t.rest[player][plane] & ~bit_of(cell))


cdef inline uint64_t near_twins(const Tables *t, const Position *p, const Children *c, const Fan *f, int player,
                                int piece, int directions, Near *x, Near *y) noexcept nogil:
    """The series of a piece and the next one of its shape, in all children."""
    cdef int one = p.pieces[player][piece], two = p.pieces[player][piece + 1], m = 0, k
    cdef int far_x = find_near(t, p, c, f, player, piece, x), far_y = find_near(t, p, c, f, player, piece + 1, y)
    cdef uint64_t total = <uint64_t>far_x * (c.n - x.n) + <uint64_t>far_y * (c.n - y.n)
    cdef vec[4] here, there
    cdef LaneHops h, g
    cdef vec to_x, to_y
    while m < x.n or m < y.n:
        # Beyond the end of a shorter list: full boards, on which nothing can land.
        if m > x.n:
            for k in range(4):
                store(&x.changed[k][m], splat(p.occupied[k] ^ PLANE))
        if m > y.n:
            for k in range(4):
                store(&y.changed[k][m], splat(p.occupied[k] ^ PLANE))
        for k in range(4):
            here[k] = load(&x.changed[k][m]) ^ p.occupied[k]
            there[k] = load(&y.changed[k][m]) ^ p.occupied[k]
        to_x = splat(bit_of(one))
        to_y = splat(bit_of(two))
        see(here, here, one, directions, False, &h)
        see(there, there, two, directions, False, &g)
        twin_flood(&h, &g, directions, False, False, &to_x, &to_y)
        total += count_bits(to_x & ~here[one >> 5] & t.rest[player][one >> 5])
        total += count_bits(to_y & ~there[two >> 5] & t.rest[player][two >> 5])
        m += WIDTH
    return total


cdef inline uint64_t count_near(const Tables *t, const Position *p, Children *c, const Fan *f, int player) noexcept nogil:
    """As `count_replies` for short hops without removals: most moves leave most pieces' hops as they are."""
    cdef Near x, y
    cdef uint64_t total
    cdef int k, side = t.side[player]
    for k in range(4):
        store(&c.changed[k][c.n], splat(0))
    total = near_twins(t, p, c, f, player, 0, ORTHOGONAL, &x, &y)
    total += near_twins(t, p, c, f, player, 2, DIAGONAL, &x, &y)
    total += near_twins(t, p, c, f, player, 6, ORTHOGONAL | DIAGONAL, &x, &y)
    if side == 0:
        return total + near_twins(t, p, c, f, player, 4, NORTHWEST | NORTHEAST | SOUTH, &x, &y)
    if side == 1:
        return total + near_twins(t, p, c, f, player, 4, NORTHEAST | SOUTHEAST | WEST, &x, &y)
    if side == 2:
        return total + near_twins(t, p, c, f, player, 4, SOUTHEAST | SOUTHWEST | NORTH, &x, &y)
    return total + near_twins(t, p, c, f, player, 4, SOUTHWEST | NORTHWEST | EAST, &x, &y)


cdef int series_in_row(const Tables *t, const uint32_t *occupied, int player, int cell) noexcept nogil:
    """How many series a square or circle has within its own start row (traverse.md, Rest)."""
    cdef int directions = UPRIGHT if t.side[player] & 1 else ALONG
    cdef Circles none
    cdef Position p
    cdef Hops h
    memset(&p, 0, sizeof(Position))
    memcpy(p.occupied, occupied, sizeof(p.occupied))
    none.slots = 0
    look(t, &p, &none, cell, 0, t.start[player][cell >> 5], &h)
    return popcount32((flood_long(&h, directions, bit_of(cell)) if t.long_hops
                       else flood_short(&h, directions, bit_of(cell))) & ~bit_of(cell))


cdef int row_series(const Tables *t, const Position *p, int player) noexcept nogil:
    """The same for all pieces of a player, from a table: a row has eight squares."""
    cdef int k, place, total = 0
    cdef uint32_t occupied = 0
    for k in range(8):
        occupied |= <uint32_t>has(p.occupied, t.row[player][k]) << k
    for k in range(8):
        if k >> 1 == SQUARE or k >> 1 == CIRCLE:
            place = t.place_in_row[player][p.pieces[player][k]]
            if place != OFF:
                total += t.hops_in_row[place][occupied]
    return total


cdef struct Replies:
    # What the player to reply can do on a board, to be changed square by square.
    int steps               # how many steps it has
    uint32_t[4] one         # how many of its pieces could step to a square: four bits a square
    uint32_t[4] two
    uint32_t[4] four
    uint32_t[4] eight
    bint in_row             # pieces stand in its start row that may hop along it
    uint32_t[4] apart       # children that change one of these squares are counted one by one
    bint all_apart


cdef inline int steps_to(const Replies *r, int cell) noexcept nogil:
    return has(r.one, cell) + 2 * has(r.two, cell) + 4 * has(r.four, cell) + 8 * has(r.eight, cell)


cdef inline int steps_to_all(const Replies *r, int plane, uint32_t squares) noexcept nogil:
    return (popcount32(squares & r.one[plane]) + 2 * popcount32(squares & r.two[plane])
            + 4 * popcount32(squares & r.four[plane]) + 8 * popcount32(squares & r.eight[plane]))


cdef inline uint32_t squares_of_steps(const Replies *r, int plane, int n) noexcept nogil:
    """The squares to which just n of the pieces could step."""
    return (PLANE & (r.one[plane] if n & 1 else ~r.one[plane]) & (r.two[plane] if n & 2 else ~r.two[plane])
            & (r.four[plane] if n & 4 else ~r.four[plane]) & (r.eight[plane] if n & 8 else ~r.eight[plane]))


cdef inline void look_at_replies(const Tables *t, const Position *p, int player, Replies *r) noexcept nogil:
    cdef int k, i, cell
    cdef uint32_t carry, more
    cdef const uint32_t *steps
    r.steps = 0
    r.in_row = False
    for i in range(4):
        r.one[i] = r.two[i] = r.four[i] = r.eight[i] = 0
    for k in range(8):
        cell = p.pieces[player][k]
        if has(t.start[player], cell) and (k >> 1 == SQUARE or k >> 1 == CIRCLE):
            r.in_row = True
        if t.frozen and has(t.finish[player], cell):
            continue
        steps = t.steps[player][k >> 1][cell]
        for i in range(4):
            r.steps += popcount32(steps[i] & ~p.occupied[i])
            carry = r.one[i] & steps[i]
            r.one[i] ^= steps[i]
            more = r.two[i] & carry
            r.two[i] ^= carry
            r.eight[i] |= r.four[i] & more
            r.four[i] ^= more
    # One by one: where a turn might begin blocked, and where a start row changes along which pieces
    # may hop.
    r.all_apart = ((t.block_limit and p.home[player] == 7) or (r.in_row and t.circles == RETURN_ALL))
    for i in range(4):
        r.apart[i] = t.start[player][i] if r.in_row else 0


cdef uint64_t removing_moves(const GameTable *table, const Position *p, const Layer *layer) noexcept nogil:
    """The put-backs that follow the moves of a layer."""
    cdef const Tables *t = tables_of(table)
    cdef int player = p.turn, cell = p.pieces[p.turn][layer.piece], plane = cell >> 5, k, slot
    cdef int first = OFF, owner = 0, room = 0
    cdef uint32_t[4] occupied
    cdef uint32_t targets = layer.targets
    cdef uint64_t total = 0
    cdef Circles c
    find_circles(t, p, &c)
    memcpy(occupied, p.occupied, sizeof(occupied))
    occupied[plane] &= ~bit_of(cell)
    for slot in range(6):
        if layer.removed >> slot & 1:
            occupied[c.cell[slot] >> 5] &= ~bit_of(c.cell[slot])
            if t.square_of[c.cell[slot]] < first:
                first = t.square_of[c.cell[slot]]
                owner = c.owner[slot]
    if p.home[player] == 7 and not has(t.finish[player], cell):
        targets &= ~t.finish[player][plane]
    for k in range(4):
        room += popcount32(t.start[owner][k] & ~occupied[k])
    if room > 1:
        return <uint64_t>room * popcount32(targets) - popcount32(targets & t.start[owner][plane])
    while targets:
        total += count_child(table, p, action_of(t, cell, 32 * plane + pop_lowest32(&targets), layer.removed))
    return total


cdef inline uint64_t two_plies(const GameTable *table, const Position *p, bint long_hops, bint removing) noexcept nogil:
    """perft to depth 2 of a position in which a piece is to be moved."""
    cdef const Tables *t = tables_of(table)
    cdef int player = p.turn, reply = next_player(t, p.turn)
    cdef uint32_t[8][4] targets
    cdef Layer[MAX_LAYERS] layers
    cdef Children c
    cdef Replies r
    cdef uint32_t left, bit, stays
    cdef uint64_t total = 0
    cdef bint any_move
    cdef int num_layers, k, i, cell, n, plane, steps
    cdef Fan f
    if long_hops or removing:
        num_layers = all_moves(t, p, targets, layers)
    else:
        num_layers = all_moves_by(t, p, 16, targets, layers, &f)
    any_move = num_layers > 0
    if removing:
        for k in range(num_layers):
            total += removing_moves(table, p, &layers[k])
    look_at_replies(t, p, reply, &r)
    n = 0
    for k in range(8):
        cell = p.pieces[player][k]
        plane = cell >> 5
        bit = bit_of(cell)
        if p.home[player] == 7 and not has(t.finish[player], cell):
            # A move home wins: nothing comes after it.
            for i in range(4):
                any_move |= (targets[k][i] & t.finish[player][i]) != 0
                targets[k][i] &= ~t.finish[player][i]
        steps = r.steps + steps_to(&r, cell)
        if r.in_row or r.all_apart or steps <= 8:
            for i in range(4):
                left = targets[k][i]
                if not r.all_apart and not has(r.apart, cell):
                    # A move that takes away the last step may leave no move at all.
                    left &= r.apart[i] | (squares_of_steps(&r, i, steps) if steps <= 8 else 0)
                targets[k][i] &= ~left
                while left:
                    any_move = True
                    total += count_child(table, p, action_of(t, cell, 32 * i + pop_lowest32(&left), 0))
        # Every child of the piece leaves its square and takes one of the targets.
        c.n = n + size_of(targets[k])
        for i in range(4):
            left = n
            while left < <uint32_t>c.n:
                store(&c.changed[i][left], splat(bit if i == plane else 0))
                left += WIDTH
        c.n = n
        for i in range(4):
            left = targets[k][i]
            if left:
                total -= steps_to_all(&r, i, left)
                stays = bit if i == plane else 0
                while left:
                    c.changed[i][n] = stays | (left & (0 - left))
                    left &= left - 1
                    n += 1
        total += <uint64_t>steps * (n - c.n)
        if removing:
            for i in range(c.n, n):
                c.moved[0][i] = 0xFFFFFFFFU if k == 6 else 0
                c.moved[1][i] = 0xFFFFFFFFU if k == 7 else 0
    c.n = n
    if n == 0:
        if any_move:
            return total
        return count_child(table, p, 0)
    if r.in_row:
        total += <uint64_t>n * row_series(t, p, reply)
    if long_hops or removing:
        return total + count_replies(t, p, &c, reply, long_hops, removing)
    return total + count_near(t, p, &c, &f, reply)


cdef uint64_t two_plies_short(const GameTable *table, const Position *p) noexcept nogil:
    return two_plies(table, p, False, False)


cdef uint64_t two_plies_long(const GameTable *table, const Position *p) noexcept nogil:
    return two_plies(table, p, True, False)


cdef uint64_t two_plies_short_removing(const GameTable *table, const Position *p) noexcept nogil:
    return two_plies(table, p, False, True)


cdef uint64_t two_plies_long_removing(const GameTable *table, const Position *p) noexcept nogil:
    return two_plies(table, p, True, True)


cdef uint64_t tail(const GameTable *table, const void *position, int depth) noexcept nogil:
    cdef const Position *p = <const Position *>position
    cdef Position child
    cdef int32_t[ORDERS] room
    cdef uint64_t total = 0
    cdef int n, k
    if depth == 1:
        return count(table, p)
    if p.result:
        return 0
    if p.choosing == 0 and p.num_pending == 0:
        if tables_of(table).circles == STAY:
            if tables_of(table).long_hops:
                return two_plies_long(table, p)
            return two_plies_short(table, p)
        if tables_of(table).long_hops:
            return two_plies_long_removing(table, p)
        return two_plies_short_removing(table, p)
    n = actions(table, p, room)
    for k in range(n):
        child = p[0]
        apply(table, &child, room[k])
        total += count(table, &child)
    return total


# ---------------------------------------------------------------- playing on, a game a lane

cdef enum:
    FIELDS = 0x01041041     # the lowest bit of each of five fields of six bits: a plane's rows
    ROW_LOW = 0x030C30C3    # two lowest bits of each field
    ROW_ODD = 0x15555555    # every other bit, from the lowest
    ROW_TOP = 0x20820820    # the highest bit of each field

cdef struct Pieces:
    # A player's, by piece and lane, two of a shape in any order.
    uint32_t[8][WIDTH] origin           # to rest: as Stand has them
    uint32_t[8][WIDTH] file
    uint32_t[8][WIDTH] rank
    uint32_t[8][WIDTH] rest
    uint32_t[3][8][WIDTH] steps         # to row: as Tables.steps_away has them
    uint32_t[8][WIDTH] row
    uint32_t[2][WIDTH] squares          # four in a word, the first piece's lowest
    uint32_t[WIDTH] home
    uint32_t[WIDTH] blocks


cdef struct Games:
    uint32_t[4][WIDTH] board
    Pieces[4] players
    uint32_t[WIDTH] passes
    uint32_t[WIDTH] turn
    uint32_t[WIDTH] live                # all ones where a game is played
    uint32_t[WIDTH] chosen              # the rank drawn
    uint64_t[WIDTH] key
    uint32_t[WIDTH] plies
    Py_ssize_t[WIDTH] index             # which of the positions it is


cdef struct Choices:
    # What each piece can do, by lane: targets in its own plane, in that of the other file parity,
    # of the other rank parity, of both, and how many.
    uint32_t[4][8][WIDTH] targets
    vec[4] pairs                        # how many, as two_numbers has them
    vec[2] numbers                      # how many, four pieces in a word
    vec removals                        # how many actions remove circles, without those of `apart`
    uint32_t[8][WIDTH] reached          # where series without removals lead
    uint32_t[8][WIDTH] removes          # not 0: some series removes a circle
    uint32_t[8][WIDTH] apart            # not 0: such a series may stay in the start row


cdef inline void planes_of(const vec *board, vec file, vec rank, vec *out) noexcept nogil:
    """As `lane_planes`, for boards that differ by lane."""
    cdef vec ab = select(file, board[1], board[0]), ba = select(file, board[0], board[1])
    cdef vec cd = select(file, board[3], board[2]), dc = select(file, board[2], board[3])
    out[0] = select(rank, cd, ab)
    out[1] = select(rank, dc, ba)
    out[2] = select(rank, ab, cd)
    out[3] = select(rank, ba, dc)


cdef inline vec plane_of(const uint32_t *board, vec file, vec rank) noexcept nogil:
    """A board's plane that each lane's piece stands in."""
    return select(rank, select(file, splat(board[3]), splat(board[2])),
                  select(file, splat(board[1]), splat(board[0])))


cdef inline void between_for(int directions, vec file, vec rank, const vec *seen, vec *out) noexcept nogil:
    """As `lane_between`, on the axes that are needed."""
    cdef vec x
    if directions & ALONG:
        out[0] = select(file, seen[1] >> 1, seen[1])
    if directions & UPRIGHT:
        out[1] = select(rank, seen[2] >> 6, seen[2])
    if directions & DIAGONAL:
        x = seen[3] + (seen[3] & ~file)         # twice where the file is even
        out[3] = select(rank, x >> 6, x)
        out[2] = out[3] >> 1


cdef inline vec count_targets(int directions, vec hops, vec across, vec along, vec aslant) noexcept nogil:
    """How many squares a piece can go to, by lane, still as one sum a byte.

    Those of steps are few and near the piece, and what goes to two planes fits in one word side by
    side: with every row a bit lower, the squares across lie no more than one from the piece's own,
    those aslant no more than one from there or from one row up or down, those along just there.
    """
    cdef vec few, odd
    if directions & ORTHOGONAL == 0:
        few = aslant
    elif directions & DIAGONAL == 0:
        few = across | along << 3
    elif directions & ORTHOGONAL == ORTHOGONAL:
        few = across | along << 3
        odd = hops ^ few
        return counts_by_byte(odd ^ aslant, (hops & few) | (odd & aslant), 2)
    elif directions & UPRIGHT:
        few = aslant | along << 3
    else:
        few = aslant | across << 3
    return counts_by_byte(hops, few, 1)


cdef inline vec two_numbers(vec first, vec second) noexcept nogil:
    """Add up the bytes of two counts: in bytes 0 and 2 half of the first each, in 1 and 3 of the second."""
    return ((first + (first >> 8)) & 0x00FF00FF) | ((second + (second << 8)) & 0xFF00FF00U)


cdef inline vec add_up(Choices *c) noexcept nogil:
    """How many actions that remove no circle each game has, and the pieces' numbers put together."""
    cdef vec total = splat(0), x
    cdef int k
    for k in range(2):
        x = c.pairs[2 * k]
        c.numbers[k] = (x + (x >> 16)) & 0xFFFF
        x = c.pairs[2 * k + 1]
        c.numbers[k] |= (x + (x << 16)) & 0xFFFF0000U
        total += (c.numbers[k] & 0x00FF00FF) + ((c.numbers[k] >> 8) & 0x00FF00FF)
    return (total + (total >> 16)) & 0xFFFF


cdef inline vec removals_in_lanes(const Tables *t, const vec *board, const LaneCircles *circles, const LaneHops *seen,
                                  vec origin, vec file, vec rank, int player, int directions, bint long_hops,
                                  vec start) noexcept nogil:
    """How many series of a piece remove circles, in each game; as `removals_of`."""
    cdef int removed = 0, slot, more, k
    cdef vec[64] seeds
    cdef vec[6][4] circle
    cdef vec[4] now
    cdef vec reached = start, landed, total = start ^ start
    cdef vec rest = plane_of(t.rest[player], file, rank)
    cdef uint64_t todo = 0
    cdef LaneHops h = seen[0], over
    for slot in range(circles.slots):
        planes_of(circles.circle[slot], file, rank, circle[slot])
    while True:
        over.empty = h.empty
        for k in range(4):
            if directions >> 2 * k & 3:
                over.middle[k] = h.middle[k]
        for slot in range(circles.slots):
            if not removed >> slot & 1:
                over.own_hop = circle[slot][0]
                between_for(directions, file, rank, circle[slot], over.middle_hop)
                landed = hop_lanes(&over, directions, long_hops, reached)
                if some_bit(landed):
                    more = removed | 1 << slot
                    if todo >> more & 1:
                        seeds[more] |= landed
                    else:
                        seeds[more] = landed
                        todo |= <uint64_t>1 << more
        if todo == 0:
            break
        removed = pop_lowest(&todo)
        planes_of(board, file, rank, now)
        for slot in range(circles.slots):
            if removed >> slot & 1:
                for k in range(4):
                    now[k] &= ~circle[slot][k]
        h.empty = (now[0] ^ PLANE) | origin
        between_for(directions, file, rank, now, h.middle)
        reached = flood_one(&h, directions, long_hops, seeds[removed])
        total += counts(reached & ~now[0] & rest)
    return total


cdef struct Twins:
    # Two pieces of one shape, lane by lane.
    vec[2] origin, file, rank
    vec[2] reached          # where series without removals lead
    vec[2] rest             # empty squares of the plane where it may rest
    vec[2][3] steps         # targets of steps, by plane as Choices has them
    LaneHops[2] hops


cdef inline void flood_four(Twins *w, int directions, Twins *v, int other_directions) noexcept nogil:
    """As `twin_flood`, with short hops only, for two pieces of each of two shapes: four chains.

    Most often some lane goes on after three hops, so three are made before looking for an end.
    """
    cdef vec[2][4] w_up, w_down, v_up, v_down
    cdef vec a = w.reached[0], b = w.reached[1], c = v.reached[0], d = v.reached[1]
    cdef vec before_a, before_b, before_c, before_d
    cdef int k
    for k in range(2):
        short_edges(&w.hops[k], directions, w_up[k], w_down[k])
        short_edges(&v.hops[k], other_directions, v_up[k], v_down[k])
    for k in range(3):
        hop_on(directions, &a, &b, w_up[0], w_down[0], w_up[1], w_down[1])
        hop_on(other_directions, &c, &d, v_up[0], v_down[0], v_up[1], v_down[1])
    while True:
        before_a = a
        before_b = b
        before_c = c
        before_d = d
        hop_on(directions, &a, &b, w_up[0], w_down[0], w_up[1], w_down[1])
        hop_on(other_directions, &c, &d, v_up[0], v_down[0], v_up[1], v_down[1])
        if not some_bit((a ^ before_a) | (b ^ before_b) | (c ^ before_c) | (d ^ before_d)):
            break
    w.reached[0] = a
    w.reached[1] = b
    v.reached[0] = c
    v.reached[1] = d


cdef inline void look_at_twins(const Pieces *pieces, const vec *board, const vec *may_hop, int piece, int directions,
                               bint removing, Twins *w) noexcept nogil:
    """What a piece and the next one of its shape can hop over and step to, in each game."""
    cdef vec[4] seen
    cdef LaneHops *h
    cdef int k, i
    for k in range(2):
        h = &w.hops[k]
        w.origin[k] = w.reached[k] = load(pieces.origin[piece + k])
        w.file[k] = load(pieces.file[piece + k])
        w.rank[k] = load(pieces.rank[piece + k])
        planes_of(board, w.file[k], w.rank[k], seen)
        h.empty = (seen[0] ^ PLANE) | w.origin[k]
        h.own_hop = seen[0] & ~w.origin[k]
        between_for(directions, w.file[k], w.rank[k], seen, h.middle)
        w.rest[k] = load(pieces.rest[piece + k]) & ~seen[0]
        for i in range(3):
            w.steps[k][i] = splat(0)
            if directions & (ALONG if i == 0 else UPRIGHT if i == 1 else DIAGONAL):
                w.steps[k][i] = load(pieces.steps[i][piece + k]) & ~seen[1 + i]
        if removing:
            planes_of(may_hop, w.file[k], w.rank[k], seen)
            h.own_hop = seen[0] & ~w.origin[k]
            between_for(directions, w.file[k], w.rank[k], seen, h.middle_hop)
        else:
            for i in range(4):
                if directions >> 2 * i & 3:
                    h.middle_hop[i] = h.middle[i]


cdef inline void find_targets(const Tables *t, const Games *g, const vec *board, const LaneCircles *circles, int player,
                              int piece, int directions, bint long_hops, bint removing, Twins *w,
                              Choices *c) noexcept nogil:
    """Once it is known where their series lead: all that the two can do."""
    cdef vec row, down
    cdef vec[2] number
    cdef vec[4] seen
    cdef LaneHops taking
    cdef LaneHops *h
    cdef int k, i
    for k in range(2):
        h = &w.hops[k]
        if removing:
            taking.empty = h.empty
            for i in range(4):
                if directions >> 2 * i & 3:
                    taking.middle[i] = h.middle[i]
            planes_of(circles.all, w.file[k], w.rank[k], seen)
            taking.own_hop = seen[0]
            between_for(directions, w.file[k], w.rank[k], seen, taking.middle_hop)
            down = hop_lanes(&taking, directions, long_hops, w.reached[k])
            if t.frozen:
                down &= ~filled(w.origin[k] & plane_of(t.finish[player], w.file[k], w.rank[k]))
            store(c.reached[piece + k], w.reached[k])
            store(c.removes[piece + k], down)
            if directions & ORTHOGONAL == ORTHOGONAL and t.circles == RETURN_ALL:
                row = down & filled(w.origin[k] & plane_of(t.start[player], w.file[k], w.rank[k]))
                store(c.apart[piece + k], row)
                down &= ~filled(row)
            if some_bit(down):
                c.removals += removals_in_lanes(t, board, circles, h, w.origin[k], w.file[k], w.rank[k], player,
                                                directions, long_hops, w.reached[k] & filled(down))
        w.rest[k] &= w.reached[k]
        if directions & ORTHOGONAL == ORTHOGONAL:
            # Within the own start row (traverse.md, Rest).
            row = load(g.players[player].row[piece + k])
            if some_bit(row):
                h.empty &= row
                if t.side[player] & 1:
                    row = flood_one(h, UPRIGHT, long_hops, w.origin[k] & row)
                else:
                    row = flood_one(h, ALONG, long_hops, w.origin[k] & row)
                w.rest[k] |= row & ~w.origin[k]
        store(c.targets[0][piece + k], w.rest[k])
        for i in range(3):
            store(c.targets[1 + i][piece + k], w.steps[k][i])
        number[k] = count_targets(directions, w.rest[k], w.steps[k][0], w.steps[k][1], w.steps[k][2])
    c.pairs[piece >> 1] = two_numbers(number[0], number[1])


cdef inline void play_four(const Tables *t, const Games *g, const vec *board, const vec *may_hop,
                           const LaneCircles *circles, int player, int piece, int directions, int other,
                           int other_directions, bint long_hops, bint removing, Choices *c) noexcept nogil:
    """What the pieces of two shapes can do, in each game."""
    cdef Twins w, v
    look_at_twins(&g.players[player], board, may_hop, piece, directions, removing, &w)
    look_at_twins(&g.players[player], board, may_hop, other, other_directions, removing, &v)
    if long_hops:
        twin_flood(&w.hops[0], &w.hops[1], directions, True, True, &w.reached[0], &w.reached[1])
        twin_flood(&v.hops[0], &v.hops[1], other_directions, True, True, &v.reached[0], &v.reached[1])
    else:
        flood_four(&w, directions, &v, other_directions)
    find_targets(t, g, board, circles, player, piece, directions, long_hops, removing, &w, c)
    find_targets(t, g, board, circles, player, other, other_directions, long_hops, removing, &v, c)


cdef inline void play_eight(const Tables *t, const Games *g, const vec *board, const vec *may_hop,
                            const LaneCircles *circles, int player, int side, bint long_hops, bint removing,
                            Choices *c) noexcept nogil:
    """What all of a player's pieces can do. Directions are constants, so that none is asked about."""
    play_four(t, g, board, may_hop, circles, player, 0, ORTHOGONAL, 6, ORTHOGONAL | DIAGONAL, long_hops, removing, c)
    if side == 0:
        play_four(t, g, board, may_hop, circles, player, 4, NORTHWEST | NORTHEAST | SOUTH, 2, DIAGONAL,
                  long_hops, removing, c)
    elif side == 1:
        play_four(t, g, board, may_hop, circles, player, 4, NORTHEAST | SOUTHEAST | WEST, 2, DIAGONAL,
                  long_hops, removing, c)
    elif side == 2:
        play_four(t, g, board, may_hop, circles, player, 4, SOUTHEAST | SOUTHWEST | NORTH, 2, DIAGONAL,
                  long_hops, removing, c)
    else:
        play_four(t, g, board, may_hop, circles, player, 4, SOUTHWEST | NORTHWEST | EAST, 2, DIAGONAL,
                  long_hops, removing, c)


cdef inline vec in_rows(vec x) noexcept nogil:
    """How many bits each row of a plane has, in fields of six bits."""
    x = (x & ROW_ODD) + ((x >> 1) & ROW_ODD)
    return (x & ROW_LOW) + ((x >> 2) & ROW_LOW) + ((x >> 4) & ROW_LOW)


cdef inline vec spread(vec x) noexcept nogil:
    """In each half of a word, five bits to every other one of ten."""
    x = (x | x << 4) & 0x010F010F
    x = (x | x << 2) & 0x01330133
    return (x | x << 1) & 0x01550155


cdef inline void stand_in_lane(const Tables *t, Pieces *pieces, size_t lane, int player, size_t piece,
                               size_t cell) noexcept nogil:
    """Write down what a piece can do on the square that it has come to."""
    cdef const Stand *stand = &t.stands[player][cell]
    cdef const uint32_t *steps = t.steps_away[player][piece >> 1][cell]
    # By one pointer, as the words of a piece and lane lie at one distance.
    cdef uint32_t *to = <uint32_t *>pieces + piece * WIDTH + lane
    compile_only_if(sizeof(Pieces) == (8 * 8 + 4) * 4 * WIDTH)
    to[0] = stand.origin
    to[1 * 8 * WIDTH] = stand.file
    to[2 * 8 * WIDTH] = stand.rank
    to[3 * 8 * WIDTH] = stand.rest
    to[4 * 8 * WIDTH] = steps[0]
    to[5 * 8 * WIDTH] = steps[1]
    to[6 * 8 * WIDTH] = steps[2]
    to[7 * 8 * WIDTH] = steps[3]
    set_byte(&pieces.squares[piece >> 2][lane], <int>(piece & 3), t.square_of[cell])


cdef inline int cell_in_lane(const Tables *t, const Games *g, int lane, int player, int piece) noexcept nogil:
    return t.cell_of[(g.players[player].squares[piece >> 2][lane] >> 8 * (piece & 3)) & 255]


cdef struct Moves:
    # In each lane the piece that moves, from where and to where.
    vec moving              # all ones where one does
    vec piece
    vec origin, file, rank
    vec target, to_file, to_rank


cdef inline vec field_of(vec x) noexcept nogil:
    """The only field of five that is not 0."""
    x |= (x >> 12) | (x >> 24)
    return (x | (x >> 6)) & 31


cdef inline void choose_moves(const Games *g, int player, const Choices *c, vec chosen, vec moving,
                              Moves *m) noexcept nogil:
    """The move of that rank in the lanes that move: by square of origin, then of target."""
    cdef vec[2] squares, before, left
    cdef vec[4] targets, planes
    cdef vec zero = chosen ^ chosen, number, square, rank_left, even, odd, upto_even, upto_odd, row, places, low
    cdef int k, i, turned
    # How many actions pieces on lower squares have, byte by byte: at most 7 * 32. Each piece is
    # compared with the others as their words turn by a byte.
    for k in range(2):
        squares[k] = load(g.players[player].squares[k])
        before[k] = zero
    for k in range(2):
        for turned in range(0, 32, 8):
            square = squares[k]
            number = c.numbers[k]
            if turned:
                square = (square << turned) | (square >> (32 - turned))
                number = (number << turned) | (number >> (32 - turned))
            for i in range(2):
                if i != k or turned:
                    before[i] += number & bytes_less(square, squares[i])
    # The piece has more actions than are left of the rank; as bytes are compared with a sign, both
    # sides are moved by 128. Its number goes above what is left, which is below 32.
    number = chosen | chosen << 8
    number |= number << 16
    for k in range(2):
        left[k] = bytes_minus(number, before[k])
        left[k] = ((left[k] | <uint32_t>(0xE0C0A080U if k else 0x60402000U))
                   & bytes_less(left[k] ^ 0x80808080U, c.numbers[k] ^ 0x80808080U))
    rank_left = left[0] | left[1]
    rank_left |= rank_left >> 16
    rank_left |= rank_left >> 8
    m.piece = (rank_left >> 5) & 7
    rank_left &= 31
    m.moving = moving
    m.origin = take_row(g.players[player].origin[0], m.piece)
    m.file = take_row(g.players[player].file[0], m.piece)
    m.rank = take_row(g.players[player].rank[0], m.piece)
    for i in range(4):
        targets[i] = take_row(c.targets[i][0], m.piece)
    planes_of(targets, m.file, m.rank, planes)      # absolute planes: the mapping is its own inverse
    # Ranks of the board are rows of planes 0 and 1, then of 2 and 3, in turn. How many targets lie
    # in each rank and all those below it: fields of six bits.
    even = (in_rows(planes[0]) + in_rows(planes[1])) * FIELDS
    odd = (in_rows(planes[2]) + in_rows(planes[3])) * FIELDS
    upto_even = even + (odd << 6)
    upto_odd = even + odd
    # Which are more than rank_left: a field's highest bit shows it (all are at most 32, as a piece
    # has at most 24 squares to hop to and 8 to step to). The lowest such row of the odd ranks, with
    # that of the even ranks before it, has the target.
    left[0] = (splat(31) - rank_left) * FIELDS
    low = (upto_odd + left[0]) & ROW_TOP
    low &= zero - low
    row = low - (low >> 5)
    m.to_rank = ~filled((upto_even + left[0]) & low)
    # All targets below that rank, and the squares of that rank, its files in order.
    rank_left -= field_of(select(m.to_rank, upto_even, upto_odd << 6) & row)
    even = field_of(select(m.to_rank, planes[2], planes[0]) & row)
    odd = field_of(select(m.to_rank, planes[3], planes[1]) & row)
    places = spread(even | odd << 16)
    places = (places | places >> 15) & 0x3FF
    while True:
        low = filled(rank_left)
        if not some_bit(low):
            break
        places &= ~low | (places - 1)
        rank_left -= low & 1
    low = places & (zero - places)
    m.to_file = filled(low & 0x2AA)
    # Back from every other of ten bits to five, and to the row.
    low = (low | low >> 1) & 0x155
    low = (low | low >> 1) & 0x133
    low = (low | low >> 2) & 0x10F
    low = low | low >> 4
    m.target = ((low & 31) * FIELDS) & row & moving


cdef inline void into_planes(vec square, vec file, vec rank, vec *out) noexcept nogil:
    """One square a lane, as a board."""
    cdef vec x = square & file, y = square & ~file
    out[0] = y & ~rank
    out[1] = x & ~rank
    out[2] = y & rank
    out[3] = x & rank


cdef inline void store_moves(const Moves *m, uint32_t *pieces, uint32_t *planes, uint32_t *targets) noexcept nogil:
    """By lane the piece that moves, and where to: the plane of the cell, the square in it or 0 for no move."""
    store(pieces, m.piece)
    store(planes, (m.to_file & 32) | (m.to_rank & 64))
    store(targets, m.target)


cdef inline void carry_out(const Tables *t, Games *g, vec *board, int player, const Moves *m) noexcept nogil:
    cdef uint32_t[WIDTH] pieces, planes, targets
    cdef vec[4] origin, target
    cdef vec came = splat(0), left = came
    cdef int k
    into_planes(m.origin & m.moving, m.file, m.rank, origin)
    into_planes(m.target, m.to_file, m.to_rank, target)
    for k in range(4):
        board[k] ^= origin[k] ^ target[k]
        came |= target[k] & splat(t.finish[player][k])
        left |= origin[k] & splat(t.finish[player][k])
    store(g.players[player].home, load(g.players[player].home) - filled(came) + filled(left))
    store_moves(m, pieces, planes, targets)
    for k in range(WIDTH):
        if targets[k]:
            stand_in_lane(t, &g.players[player], k, player, pieces[k],
                          planes[k] | <uint32_t>count_trailing_zeros32(targets[k]))


cdef void put_in_lane(const Tables *t, const Position *p, Games *g, int lane) noexcept nogil:
    cdef int k, player
    for k in range(4):
        g.board[k][lane] = p.occupied[k]
    for player in range(t.num_players):
        for k in range(8):
            stand_in_lane(t, &g.players[player], lane, player, k, p.pieces[player][k])
        g.players[player].home[lane] = p.home[player]
        g.players[player].blocks[lane] = p.blocks[player]
    g.passes[lane] = p.passes
    g.turn[lane] = p.turn
    g.live[lane] = 0xFFFFFFFFU


cdef void take_from_lane(const Tables *t, const Games *g, int lane, Position *p) noexcept nogil:
    """The position of a lane, whose game may have come to its end."""
    cdef int k, player
    memset(p, 0, sizeof(Position))
    memset(p.pieces, OFF, sizeof(p.pieces))
    for k in range(4):
        p.occupied[k] = g.board[k][lane]
    for player in range(t.num_players):
        for k in range(8):
            p.pieces[player][k] = cell_in_lane(t, g, lane, player, k)
        for k in range(0, 8, 2):
            keep_order(t, p.pieces[player], k)
        p.home[player] = g.players[player].home[lane]
        p.blocks[player] = g.players[player].blocks[lane]
    p.passes = g.passes[lane]
    p.turn = g.turn[lane]


cdef inline void removable_in_lanes(const Tables *t, const Games *g, int player, LaneCircles *c) noexcept nogil:
    """The circles that a player may remove."""
    cdef vec circle, file, rank
    cdef int owner, k, i
    c.slots = 0
    for i in range(4):
        c.all[i] = splat(0)
    for owner in range(t.num_players):
        if owner != player:
            for k in range(6, 8):
                file = load(g.players[owner].file[k])
                rank = load(g.players[owner].rank[k])
                circle = load(g.players[owner].origin[k]) & plane_of(t.removable[owner], file, rank)
                into_planes(circle, file, rank, c.circle[c.slots])
                for i in range(4):
                    c.all[i] |= c.circle[c.slots][i]
                c.slots += 1


cdef void look_at_circles(const Tables *t, const Games *g, int lane, int player, Position *p, Circles *c) noexcept nogil:
    """As much of a lane's position as `removals_of` needs."""
    cdef int owner, k
    for k in range(4):
        p.occupied[k] = g.board[k][lane]
    p.turn = player
    for owner in range(t.num_players):
        if owner != player:
            for k in range(6, 8):
                p.pieces[owner][k] = cell_in_lane(t, g, lane, owner, k)
            keep_order(t, p.pieces[owner], 6)
    for k in range(8):
        p.pieces[player][k] = cell_in_lane(t, g, lane, player, k)
    find_circles(t, p, c)


cdef int lane_layers(const Tables *t, const Games *g, const Choices *c, bint apart, int lane, int player,
                     Layer *layers) noexcept nogil:
    """The series that remove circles, of all pieces in a lane or of those apart; how many layers."""
    cdef Position p
    cdef Circles circles
    cdef uint32_t[4] targets
    cdef int k, plane, n = 0
    look_at_circles(t, g, lane, player, &p, &circles)
    for k in range(8):
        if c.apart[k][lane] if apart else c.removes[k][lane]:
            if t.circles == RETURN_ALL and has(t.start[player], p.pieces[player][k]):
                n = moves_of(t, &p, &circles, k, targets, layers, n)
            else:
                plane = p.pieces[player][k] >> 5
                n = removals_of(t, &p, &circles, k, t.directions[t.side[player]][k >> 1], PLANE,
                                t.rest[player][plane], c.reached[k][lane], layers, n, n)
    return n


cdef void play_removal(const GameTable *table, Games *g, int lane, Layer *layers, int num_layers, int rank,
                       int32_t max_plies, Position *p) noexcept nogil:
    """The move of that rank among those that remove circles, and the put-backs after it."""
    cdef const Tables *t = tables_of(table)
    cdef uint32_t[4] only
    cdef int k = 0
    take_from_lane(t, g, lane, p)
    # Two of a shape may stand the other way round in the lane.
    for k in range(num_layers):
        layers[k].piece = piece_at(p.pieces[p.turn], cell_in_lane(t, g, lane, p.turn, layers[k].piece))
    sort_layers(t, p, layers, num_layers)
    k = 0
    while rank >= popcount32(layers[k].targets):
        rank -= popcount32(layers[k].targets)
        k += 1
    memset(only, 0, sizeof(only))
    only[p.pieces[p.turn][layers[k].piece] >> 5] = layers[k].targets
    apply(table, p, PLAIN_ACTIONS * layers[k].removed
          + 100 * t.square_of[p.pieces[p.turn][layers[k].piece]] + nth_of_planes(only, rank))
    g.plies[lane] += 1
    while p.num_pending and g.plies[lane] < <uint32_t>max_plies:
        apply(table, p, choose(table, p, draw(g.key[lane], g.plies[lane])))
        g.plies[lane] += 1


cdef inline void run_lanes(const GameTable *table, Position *positions, Py_ssize_t n, const uint64_t *keys,
                           int32_t *plies, int32_t max_plies, const int *stop, bint long_hops,
                           bint removing) noexcept nogil:
    """Play all positions on, WIDTH of them at a time; a lane takes the next when its game is over."""
    cdef const Tables *t = tables_of(table)
    cdef Games g
    cdef Choices c
    cdef Moves moves
    cdef vec[4] board, may_hop
    cdef LaneCircles circles
    cdef vec total, moving, apart, acting, plies_made, passed
    cdef uint64_t[WIDTH] drawn
    cdef uint32_t[WIDTH] numbers, active, some
    cdef uint32_t[WIDTH] plain          # actions that remove no circle
    cdef Layer[MAX_LAYERS] layers
    cdef int num_layers
    cdef Py_ssize_t next_one = 0
    cdef int lane, k, player = 0, side, held, following
    cdef int in_play = 0
    cdef Position *p
    memset(&g, 0, sizeof(Games))
    memset(c.apart, 0, sizeof(c.apart))
    for lane in range(WIDTH):
        g.index[lane] = -1
    while True:
        # Empty lanes take a game on.
        if in_play < WIDTH and next_one < n:
            for lane in range(WIDTH):
                while g.index[lane] < 0 and next_one < n:
                    p = positions + next_one
                    while (p.choosing or p.num_pending) and p.result == 0 and plies[next_one] < max_plies:
                        apply(table, p, choose(table, p, draw(keys[next_one], plies[next_one])))
                        plies[next_one] += 1
                    if p.result == 0 and plies[next_one] < max_plies:
                        put_in_lane(t, p, &g, lane)
                        g.index[lane] = next_one
                        g.key[lane] = keys[next_one]
                        g.plies[lane] = plies[next_one]
                        in_play += 1
                        if in_play == 1:
                            player = p.turn
                    next_one += 1
        if in_play == 0 or read_flag(stop):
            return
        side = t.side[player]
        following = next_player(t, player)
        for k in range(4):
            board[k] = load(g.board[k])
        if removing:
            removable_in_lanes(t, &g, player, &circles)
            c.removals = splat(0)
            for k in range(4):
                may_hop[k] = board[k] & ~circles.all[k]
        play_eight(t, &g, board, may_hop, &circles, player, side, long_hops, removing, &c)
        total = add_up(&c)
        store(numbers, total)
        acting = load(g.live) & ~filled(load(g.turn) ^ <uint32_t>player)
        store(active, acting)
        if removing:
            store(plain, total)
            store(numbers, total + c.removals)
            if t.circles == RETURN_ALL:
                apart = load(c.apart[0]) | load(c.apart[1]) | load(c.apart[6]) | load(c.apart[7])
                if some_bit(apart):
                    store(some, apart)
                    for lane in range(WIDTH):
                        if some[lane] and active[lane]:
                            num_layers = lane_layers(t, &g, &c, True, lane, player, layers)
                            for k in range(num_layers):
                                numbers[lane] += popcount32(layers[k].targets)
        for lane in range(WIDTH):
            drawn[lane] = draw(g.key[lane], <uint64_t>g.plies[lane])
        for lane in range(WIDTH):
            # floor(drawn * number / 2^64), the number being below 2^32
            g.chosen[lane] = <uint32_t>(((drawn[lane] >> 32) * numbers[lane]
                                         + ((drawn[lane] & 0xFFFFFFFFU) * numbers[lane] >> 32)) >> 32)
        moving = filled(total) & acting
        if removing:
            for lane in range(WIDTH):
                some[lane] = 0xFFFFFFFFU if g.chosen[lane] >= plain[lane] and numbers[lane] else 0
            moving = moving & ~load(some)
        choose_moves(&g, player, &c, load(g.chosen), moving, &moves)
        carry_out(t, &g, board, player, &moves)
        for k in range(4):
            store(g.board[k], board[k])
        if removing:
            for lane in range(WIDTH):
                if some[lane] and active[lane]:
                    active[lane] = 0
                    p = positions + g.index[lane]
                    num_layers = lane_layers(t, &g, &c, False, lane, player, layers)
                    play_removal(table, &g, lane, layers, num_layers, g.chosen[lane] - plain[lane], max_plies, p)
                    plies[g.index[lane]] = g.plies[lane]
                    if p.result or g.plies[lane] >= <uint32_t>max_plies:
                        g.index[lane] = -1
                        g.live[lane] = 0
                        in_play -= 1
                    else:
                        put_in_lane(t, p, &g, lane)
        # The turn ends; what is rare is looked at lane by lane.
        acting = load(active)
        plies_made = load(g.plies) + (acting & 1)
        passed = (load(g.passes) + 1) & ~filled(load(numbers))
        store(g.plies, plies_made)
        store(g.turn, select(acting, splat(following), load(g.turn)))
        store(g.passes, select(acting, passed, load(g.passes)))
        acting &= (~filled(load(g.players[player].home) ^ 8) | ~filled(load(g.players[following].home) ^ 7) | filled(passed)
                   | ~less(plies_made, splat(max_plies)))
        store(active, acting)
        for lane in range(WIDTH if some_bit(acting) else 0):
            if active[lane]:
                held = 0
                if g.players[player].home[lane] == 8:
                    held = 1 + player
                elif g.passes[lane] == <uint32_t>t.num_players:
                    held = DRAWN
                elif t.block_limit and g.players[following].home[lane] == 7:
                    for k in range(4):
                        held += popcount32(g.board[k][lane] & t.finish[following][k])
                    if held == 8:
                        g.players[following].blocks[lane] += 1
                        held = 1 + following if g.players[following].blocks[lane] >= <uint32_t>t.block_limit else 0
                    else:
                        held = 0
                if held or g.plies[lane] >= <uint32_t>max_plies:
                    p = positions + g.index[lane]
                    take_from_lane(t, &g, lane, p)
                    p.result = held
                    plies[g.index[lane]] = g.plies[lane]
                    g.index[lane] = -1
                    g.live[lane] = 0
                    in_play -= 1
        player = following


cdef void run_short(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
                    int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    run_lanes(table, <Position *>positions, n, keys, plies, max_plies, stop, False, False)


cdef void run_long(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
                   int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    run_lanes(table, <Position *>positions, n, keys, plies, max_plies, stop, True, False)


cdef void run_short_removing(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
                             int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    run_lanes(table, <Position *>positions, n, keys, plies, max_plies, stop, False, True)


cdef void run_long_removing(const GameTable *table, void *positions, Py_ssize_t n, const uint64_t *keys,
                            int32_t *plies, int32_t max_plies, const int *stop) noexcept nogil:
    run_lanes(table, <Position *>positions, n, keys, plies, max_plies, stop, True, True)


cdef inline void choose_in_lanes(const GameTable *table, const Position *positions, const uint16_t *which, int used,
                                 int player, const uint64_t *keys, const uint64_t *j, int32_t *out, Games *g,
                                 bint long_hops, bint removing) noexcept nogil:
    """As `choose`, for up to WIDTH positions in which this player moves."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p
    cdef Choices c
    cdef LaneCircles circles            # looked at where circles may be removed
    cdef vec[4] board, may_hop
    cdef Moves moves
    cdef vec total, plain, apart, moving
    cdef uint32_t[WIDTH] numbers, special, pieces, planes, targets
    cdef uint64_t[WIDTH] drawn
    cdef uint8_t[8][WIDTH] cells
    cdef Pieces *mine = &g.players[player]
    cdef int lane, k, owner, side = t.side[player]
    memset(cells, 0, sizeof(cells))
    for lane in range(used):
        p = positions + which[lane]
        drawn[lane] = draw(keys[which[lane]], j[which[lane]])
        for k in range(4):
            g.board[k][lane] = p.occupied[k]
        for k in range(8):
            cells[k][lane] = p.pieces[player][k]
        if removing:
            for owner in range(t.num_players):
                if owner != player:
                    for k in range(6, 8):
                        stand_in_lane(t, &g.players[owner], lane, owner, k, p.pieces[owner][k])
    for k in range(8):
        four_columns(&t.stands[player][0].origin, cells[k], mine.origin[k], 8 * WIDTH)
        four_columns(t.steps_away[player][k >> 1][0], cells[k], mine.steps[0][k], 8 * WIDTH)
    for k in range(2):
        for lane in range(WIDTH):
            mine.squares[k][lane] = (
                t.square_of[cells[4 * k][lane]] | t.square_of[cells[4 * k + 1][lane]] << 8
                | t.square_of[cells[4 * k + 2][lane]] << 16
                | <uint32_t>t.square_of[cells[4 * k + 3][lane]] << 24)
    for k in range(4):
        board[k] = load(g.board[k])
        may_hop[k] = board[k]
    if removing:
        memset(c.apart, 0, sizeof(c.apart))
        c.removals = splat(0)
        removable_in_lanes(t, g, player, &circles)
        for k in range(4):
            may_hop[k] = board[k] & ~circles.all[k]
    play_eight(t, g, board, may_hop, &circles, player, side, long_hops, removing, &c)
    total = add_up(&c)
    plain = total                       # the actions that remove no circle come first
    if removing:
        total += c.removals
    store(numbers, total)
    for lane in range(used):
        g.chosen[lane] = <uint32_t>multiply_high(drawn[lane], numbers[lane])
    moving = less(load(g.chosen), plain)
    if removing:
        apart = splat(0)
        if t.circles == RETURN_ALL:
            apart = load(c.apart[0]) | load(c.apart[1]) | load(c.apart[6]) | load(c.apart[7])
        store(special, (filled(total) & ~moving) | apart)
    choose_moves(g, player, &c, load(g.chosen), moving, &moves)
    store_moves(&moves, pieces, planes, targets)
    for lane in range(used):
        out[which[lane]] = 0
        if targets[lane]:
            out[which[lane]] = (100 * t.square_of[cells[pieces[lane]][lane]]
                                + t.square_of[planes[lane] | count_trailing_zeros32(targets[lane])])
    if removing:
        for lane in range(used):
            if special[lane]:
                out[which[lane]] = choose(table, positions + which[lane], drawn[lane])


cdef enum:
    TOGETHER = 512              # positions that choose_lanes sorts by player at a time


cdef inline void choose_lanes(const GameTable *table, const Position *positions, Py_ssize_t n, const uint64_t *keys,
                              const uint64_t *j, int32_t *out, bint long_hops, bint removing) noexcept nogil:
    """As `choose`, for WIDTH positions at a time in which the same player moves."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p
    cdef Games g
    cdef uint16_t[4][TOGETHER] which
    cdef int[4] have
    cdef int i, m, first, player
    memset(&g, 0, sizeof(Games))
    while n > 0:
        m = TOGETHER if n > TOGETHER else <int>n
        memset(have, 0, sizeof(have))
        for i in range(m):
            p = positions + i
            if p.result or p.choosing or p.num_pending:
                out[i] = -1 if p.result else choose(table, p, draw(keys[i], j[i]))
            else:
                which[p.turn][have[p.turn]] = i
                have[p.turn] += 1
        for player in range(t.num_players):
            first = 0
            while first < have[player]:
                choose_in_lanes(table, positions, which[player] + first, min(<int>WIDTH, have[player] - first),
                                player, keys, j, out, &g, long_hops, removing)
                first += WIDTH
        positions += m
        keys += m
        j += m
        out += m
        n -= m


cdef void choose_many_short(const GameTable *table, const void *positions, Py_ssize_t n, const uint64_t *keys,
                            const uint64_t *j, int32_t *out) noexcept nogil:
    choose_lanes(table, <const Position *>positions, n, keys, j, out, False, False)


cdef void choose_many_long(const GameTable *table, const void *positions, Py_ssize_t n, const uint64_t *keys,
                           const uint64_t *j, int32_t *out) noexcept nogil:
    choose_lanes(table, <const Position *>positions, n, keys, j, out, True, False)


cdef void choose_many_short_removing(const GameTable *table, const void *positions, Py_ssize_t n, const uint64_t *keys,
                                     const uint64_t *j, int32_t *out) noexcept nogil:
    choose_lanes(table, <const Position *>positions, n, keys, j, out, False, True)


cdef void choose_many_long_removing(const GameTable *table, const void *positions, Py_ssize_t n, const uint64_t *keys,
                                    const uint64_t *j, int32_t *out) noexcept nogil:
    choose_lanes(table, <const Position *>positions, n, keys, j, out, True, True)


# ---------------------------------------------------------------- what others see

cdef int turned(int side, int square) noexcept nogil:
    """The square as the player on that side sees it, its own row at the bottom."""
    cdef int file = square % 10, rank = square // 10
    if side == 0:
        return square
    if side == 1:
        return 10 * file + 9 - rank
    if side == 2:
        return 99 - square
    return 10 * (9 - file) + rank


cdef void observe(const GameTable *table, const void *position, int player, void *out) noexcept nogil:
    """Planes of 10 x 10 bytes; the player's own first, then the others in turn order.

    By seat from the player: S, D, T, C (1 where one stands); then constant planes: by seat, who
    acts (1); by seat, block counts; passes in a row; the game is over (1); then, where circles
    can be removed, the owners of those to be put back in order: 1 + seat, 0 none.
    """
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef uint8_t *plane = <uint8_t *>out
    cdef int n = t.num_players, seat, owner, k, cell
    memset(plane, 0, table.observation_bytes)
    for seat in range(n):
        owner = (player + seat) % n
        for k in range(8):
            cell = p.pieces[owner][k]
            if cell != OFF:
                plane[100 * (k >> 1) + turned(t.side[player], t.square_of[cell])] = 1
        plane += 400
    for seat in range(n):
        if p.result == 0 and p.turn == (player + seat) % n:
            memset(plane, 1, 100)
        plane += 100
    for seat in range(n):
        memset(plane, p.blocks[(player + seat) % n], 100)
        plane += 100
    memset(plane, p.passes, 100)
    plane += 100
    memset(plane, p.result != 0, 100)
    plane += 100
    if t.circles != STAY:
        for k in range(2 * (n - 1)):
            if k < p.num_pending:
                owner = p.pending >> 2 * k & 3
                memset(plane, 1 + (owner - player + n) % n, 100)
            plane += 100


cdef void bitboards(const GameTable *table, const void *position, uint64_t *out) noexcept nogil:
    """Two words a set (squares 0 to 63, 64 to 99): by player S, D, T, C."""
    cdef const Tables *t = tables_of(table)
    cdef const Position *p = <const Position *>position
    cdef int player, k, square
    for player in range(t.num_players):
        for k in range(8):
            if p.pieces[player][k] != OFF:
                square = t.square_of[p.pieces[player][k]]
                out[8 * player + 2 * (k >> 1) + (square >> 6)] |= <uint64_t>1 << (square & 63)


# ---------------------------------------------------------------- the rules

cdef int cell_at(int square) noexcept nogil:
    cdef int file = square % 10, rank = square // 10
    return 32 * ((file & 1) | (rank & 1) << 1) + (file >> 1) + 6 * (rank >> 1)


cdef class TraverseRules(Rules):
    """The C side of Traverse for one set of options.

    Parameters
    ----------
    players : int
    long_hops : bool
    circles : int
        0 stay, 1 return, 2 return_all.
    frozen : bool
    block_limit : int
    setup : int
        0 fixed, 1 random, 2 choose.
    orders : list of list of int
        Each player's row from its own left to right, as shapes 0 to 3 (S D T C).
    """
    cdef Tables tables

    def __init__(self, int players, bint long_hops, int circles, bint frozen, int block_limit,
                 int setup_way, list orders):
        cdef Tables *t = &self.tables
        cdef GameTable *table = &self.table
        cdef int player, side, shape, square, k, file, rank, cell, target
        compile_only_if(sizeof(Position) == 64)
        memset(t, 0, sizeof(Tables))
        t.num_players = players
        t.long_hops = long_hops
        t.circles = circles
        t.frozen = frozen
        t.block_limit = block_limit
        t.setup = setup_way
        for player in range(players):
            t.side[player] = ((0, 2), (0, 1, 2), (0, 1, 2, 3))[players - 2][player]
            for k in range(8):
                t.fixed_order[player][k] = orders[player][k]
        for k in range(4):
            t.only[k][k] = 0xFFFFFFFF
        memset(t.square_of, OFF, sizeof(t.square_of))
        for square in range(100):
            t.cell_of[square] = cell_at(square)
            t.square_of[cell_at(square)] = square
        # The way each shape goes; forward is towards the opposite side.
        for side in range(4):
            t.directions[side][SQUARE] = ORTHOGONAL
            t.directions[side][DIAMOND] = DIAGONAL
            t.directions[side][CIRCLE] = ORTHOGONAL | DIAGONAL
        t.directions[0][TRIANGLE] = NORTHWEST | NORTHEAST | SOUTH
        t.directions[1][TRIANGLE] = NORTHEAST | SOUTHEAST | WEST
        t.directions[2][TRIANGLE] = SOUTHEAST | SOUTHWEST | NORTH
        t.directions[3][TRIANGLE] = SOUTHWEST | NORTHWEST | EAST
        self.fill_squares()
        self.fill_orders()
        table.tables = t
        table.position_bytes = sizeof(Position)
        table.num_players = players
        table.num_actions = PLAIN_ACTIONS
        table.max_legal_actions = 8 * 33
        if circles != STAY:
            table.num_actions = PLAIN_ACTIONS << 2 * (players - 1)
            table.max_legal_actions = 8 * (25 * (1 << 2 * (players - 1)) + 8)
        if setup_way == CHOOSE and table.max_legal_actions < ORDERS:
            table.max_legal_actions = ORDERS
        table.observation_bytes = 100 * (6 * players + 2 + (2 * (players - 1) if circles != STAY else 0))
        table.num_bitboards = 8 * players
        table.progress_goal = 72
        table.to_act = to_act
        table.turn = turn
        table.actions = actions
        table.apply = apply
        table.returns = returns
        table.progress = progress
        table.setup = setup
        table.observe = observe
        table.bitboards = bitboards
        table.count = count
        table.legal = legal
        table.choose = choose
        table.tail = tail
        table.tail_depth = 2
        if circles == STAY:
            table.run = run_long if long_hops else run_short
            table.choose_many = choose_many_long if long_hops else choose_many_short
        else:
            table.run = run_long_removing if long_hops else run_short_removing
            table.choose_many = choose_many_long_removing if long_hops else choose_many_short_removing
        self.complete()

    cdef int fill_squares(self) except -1:
        cdef Tables *t = &self.tables
        cdef int player, side, shape, square, k, file, rank, cell, target, d, seat
        cdef Stand *stand
        cdef uint32_t[4][4] rows
        cdef int[8] across = [1, -1, 0, 0, 1, -1, -1, 1]
        cdef int[8] up = [0, 0, 1, -1, 1, -1, 1, -1]
        memset(rows, 0, sizeof(rows))
        for square in range(100):
            file = square % 10
            rank = square // 10
            cell = t.cell_of[square]
            if 1 <= file <= 8 and 1 <= rank <= 8:
                t.field[cell >> 5] |= bit_of(cell)
            elif 1 <= file <= 8:
                rows[0 if rank == 0 else 2][cell >> 5] |= bit_of(cell)
            elif 1 <= rank <= 8:
                rows[1 if file == 0 else 3][cell >> 5] |= bit_of(cell)
        for player in range(t.num_players):
            side = t.side[player]
            for k in range(8):
                # traverse.md, Set-up: S b1..i1; W a9..a2; N i10..b10; E j2..j9
                square = (1 + k, 10 * (8 - k), 98 - k, 10 * (1 + k) + 9)[side]
                t.row[player][k] = t.cell_of[square]
            for k in range(4):
                t.start[player][k] = rows[side][k]
                t.finish[player][k] = rows[side ^ 2][k]
                t.rest[player][k] = t.field[k] | t.finish[player][k]
                t.removable[player][k] = PLANE & ~t.start[player][k]
                if t.circles == RETURN:
                    t.removable[player][k] &= ~t.finish[player][k]
            for shape in range(4):
                for square in range(100):
                    for d in range(8):
                        file = square % 10 + across[d]
                        rank = square // 10 + up[d]
                        if t.directions[side][shape] >> d & 1 and 0 <= file <= 9 and 0 <= rank <= 9:
                            cell = t.cell_of[square]
                            target = cell_at(10 * rank + file)
                            if has(t.rest[player], target) or (
                                    has(t.start[player], cell) and has(t.start[player], target)):
                                t.steps[player][shape][cell][target >> 5] |= bit_of(target)
            for shape in range(4):
                for square in range(100):
                    cell = t.cell_of[square]
                    in_order(t.steps[player][shape][cell], &t.steps_in_order[player][shape][cell][0],
                             &t.steps_in_order[player][shape][cell][1])
            for square in range(100):
                cell = t.cell_of[square]
                k = cell >> 5
                stand = &t.stands[player][cell]
                stand.origin = bit_of(cell)
                stand.file = 0xFFFFFFFF if k & 1 else 0
                stand.rank = 0xFFFFFFFF if k & 2 else 0
                if has(t.start[player], cell):
                    for shape in range(4):
                        t.steps_away[player][shape][cell][3] = t.start[player][k]
                if t.frozen and has(t.finish[player], cell):
                    continue                # neither steps nor hops
                stand.rest = t.rest[player][k]
                for shape in range(4):
                    for d in range(3):
                        t.steps_away[player][shape][cell][d] = t.steps[player][shape][cell][k ^ (d + 1)]
            memset(t.place_in_row[player], OFF, sizeof(t.place_in_row[player]))
            for k in range(8):
                t.place_in_row[player][t.row[player][k]] = k
        # Every row is like the first one.
        for square in range(256):
            memset(rows[0], 0, sizeof(rows[0]))
            for k in range(8):
                if square >> k & 1:
                    rows[0][t.row[0][k] >> 5] |= bit_of(t.row[0][k])
            for k in range(8):
                if square >> k & 1:
                    t.hops_in_row[k][square] = series_in_row(t, rows[0], 0, t.row[0][k])
        for player in range(t.num_players):
            for k in range(16):
                seat = player if k < 8 else next_player(t, player)
                for d in range(8):
                    if t.directions[t.side[seat]][(k & 7) >> 1] >> d & 1:
                        t.ways[player][d][k] = 0xFFFFFFFF
                for d in range(4):
                    t.rest_lanes[player][d][k] = t.rest[seat][d]
                    t.start_lanes[player][d][k] = t.start[seat][d]
        return 0

    cdef int fill_orders(self) except -1:
        """Number the orders by text, and give them actions that no piece can ever make.

        A piece goes one file by a step, none or an even number by hops: so the numbers from * 100
        + to whose files lie 3, 5, 7 or 9 apart are free (3,200 of them); the orders take the
        first.
        """
        cdef Tables *t = &self.tables
        cdef int n = 0, k, apart
        cdef int[8] shapes
        for k in range(PLAIN_ACTIONS):
            t.order_of[k] = -1
            apart = (k // 100) % 10 - k % 10
            if apart & 1 and (apart > 1 or apart < -1) and n < ORDERS:
                t.order_action[n] = k
                t.order_of[k] = n
                n += 1
        n = 0
        for order in every_order([], [2, 2, 2, 2]):
            for k in range(8):
                t.orders[n][k] = order[k]
            n += 1
        return 0

    # ---- positions as plain values, for the texts

    def unpack(self, bytes position):
        """The parts of a position.

        Returns
        -------
        dict
            turn, passes, pending (list of owners), blocks (list), result (None, "draw" or the
            winner), pieces: by player a list of (square, shape) ascending.
        """
        cdef const Tables *t = &self.tables
        cdef Position p
        cdef int player, k
        if len(position) != sizeof(Position):
            raise ValueError("these are not the bytes of a Traverse position")
        memcpy(&p, <const char *>position, sizeof(Position))
        return {
            "turn": p.turn,
            "passes": p.passes,
            "choosing": bool(p.choosing),
            "pending": [p.pending >> 2 * k & 3 for k in range(p.num_pending)],
            "blocks": [p.blocks[player] for player in range(t.num_players)],
            "result": None if p.result == 0 else "draw" if p.result == DRAWN else p.result - 1,
            "pieces": [
                sorted([(t.square_of[p.pieces[player][k]], k >> 1) for k in range(8) if p.pieces[player][k] != OFF])
                for player in range(t.num_players)
            ],
        }

    def pack(self, int turn, list pieces, list pending, list blocks, int passes, result, bint choosing):
        """The bytes of a position with these parts, which must have been checked."""
        cdef const Tables *t = &self.tables
        cdef Position p
        cdef int player, k, square, shape, cell
        cdef int[4] placed
        memset(&p, 0, sizeof(Position))
        memset(p.pieces, OFF, sizeof(p.pieces))
        for player in range(t.num_players):
            memset(placed, 0, sizeof(placed))
            for square, shape in sorted(pieces[player]):
                cell = t.cell_of[square]
                p.pieces[player][2 * shape + placed[shape]] = cell
                placed[shape] += 1
                p.occupied[cell >> 5] |= bit_of(cell)
                p.home[player] += has(t.finish[player], cell)
            p.blocks[player] = blocks[player]
        p.turn = turn
        p.passes = passes
        p.choosing = choosing
        p.num_pending = len(pending)
        for k in range(p.num_pending):
            p.pending |= <int>pending[k] << 2 * k
        p.result = 0 if result is None else DRAWN if result == "draw" else 1 + result
        return (<char *>&p)[:sizeof(Position)]

    def play_on(self, bytes positions, seed, int max_plies):
        """Play positions on by uniform choices, number i by stream i of a seed.

        Parameters
        ----------
        positions : bytes
            One after the other.
        seed : int
        max_plies : int
            At most 1000.

        Returns
        -------
        bytes, list of int
            The positions reached, and how many plies each took.
        """
        cdef Py_ssize_t n = len(positions) // sizeof(Position), k
        cdef bytearray room = bytearray(positions), key_room = bytearray(8 * n), ply_room = bytearray(4 * n)
        cdef char *at = room
        cdef char *key_at = key_room
        cdef char *ply_at = ply_room
        cdef uint64_t *keys = <uint64_t *>key_at
        cdef int32_t *plies = <int32_t *>ply_at
        cdef int stop = 0
        for k in range(n):
            keys[k] = stream_key(seed, k, USE_PLIES)
        with nogil:
            self.table.run(&self.table, at, n, keys, plies, max_plies, &stop)
        return bytes(room), [plies[k] for k in range(n)]

    def order_number(self, int action):
        """Which order (0 to 2519, by text) an action chooses, or -1."""
        return self.tables.order_of[action] if 0 <= action < PLAIN_ACTIONS else -1

    def order_action(self, int order):
        """The action that chooses an order."""
        return self.tables.order_action[order]

    def reach(self, bytes position, int square):
        """Squares where the piece on a square could end a turn, were it its player's now.

        Returns
        -------
        list of int or None
            Ascending; None where no piece stands.
        """
        cdef const Tables *t = &self.tables
        cdef Position p
        cdef Circles circles
        cdef Layer[64] layers
        cdef uint32_t[4] targets
        cdef int32_t[100] found
        cdef int player, piece, n, k
        if len(position) != sizeof(Position) or not 0 <= square < 100:
            raise ValueError("these are not the bytes of a Traverse position and a square")
        memcpy(&p, <const char *>position, sizeof(Position))
        for player in range(t.num_players):
            piece = piece_at(p.pieces[player], t.cell_of[square])
            if piece >= 0:
                p.turn = player
                find_circles(t, &p, &circles)
                n = moves_of(t, &p, &circles, piece, targets, layers, 0)
                for k in range(n):
                    targets[t.cell_of[square] >> 5] |= layers[k].targets
                n = write_set(targets, 0, found)
                return [found[k] for k in range(n)]
        return None


def every_order(list begun, list left):
    """All orders, by text (C before D before S before T); shapes 0 S, 1 D, 2 T, 3 C."""
    if len(begun) == 8:
        yield begun
        return
    for shape in (CIRCLE, DIAMOND, SQUARE, TRIANGLE):
        if left[shape]:
            rest = left.copy()
            rest[shape] -= 1
            yield from every_order(begun + [shape], rest)
