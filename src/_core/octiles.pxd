"""Octiles: what a position holds, and the tables read beside it.

Places are numbered 0 to 15 the stops s0..s15, then the circles S1..S5, W1..W5, N1..N5, E1..E5.
A port is an edge of an octagonal space: 8 * space + edge, edges 0..7 = N, NE, E, SE, S, SW, W, NW.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from boardrace._core.engine cimport Rules

cdef enum:
    SPACES = 17
    PORTS = 136                 # 8 edges a space
    STOPS = 16
    PLACES = 36                 # stops and circles
    TILES = 18
    TURNS = 136                 # (space, turn) pairs
    FACE_DOWN = 8               # in `turned`: the tile is not known
    NOBODY = 255                # in `last`: no player has moved

cdef extern from *:
    """
    #ifndef BR_OCTILES_POSITION
    #define BR_OCTILES_POSITION
    #include <stdint.h>
    typedef struct {
        uint64_t runners[4];    /* the places of each player's runners */
        uint8_t tile[17];       /* which tile lies on each space */
        uint8_t turned[17];     /* and how it is turned, or FACE_DOWN */
        uint8_t hand;           /* the switch tile */
        uint8_t turn;           /* whose turn it is */
        uint8_t passes;         /* made in a row just before */
        uint8_t last;           /* who moved last, or NOBODY */
        uint8_t finished;       /* play_on: how many players have all runners home */
        uint8_t order[4];       /* and who they are, in that order; 0 behind them */
        uint8_t unused[5];
    } octiles_position;
    typedef char octiles_position_is_small[sizeof(octiles_position) == 80 ? 1 : -1];
    #endif
    """
    ctypedef struct Position "octiles_position":
        uint64_t[4] runners
        uint8_t[17] tile
        uint8_t[17] turned
        uint8_t hand
        uint8_t turn
        uint8_t passes
        uint8_t last
        uint8_t finished
        uint8_t[4] order

cdef struct Tables:
    int players
    int play_on
    int pairs                           # (from, to) pairs that an action can name
    int pass_action                     # the number of `pass`
    uint8_t[4] side                     # side of each player's starting circles
    uint64_t[4] starting                # circles
    uint64_t[4] finishing
    uint64_t[4] at_start                # where set-up puts the runners
    int runners                         # a player
    uint8_t[PORTS] leads_to             # place, or BEYOND + port of another space
    uint8_t[PLACES][4] touching         # ports that lead to a place
    uint8_t[PLACES] touchings
    uint8_t[TILES] turns                # different turns of a tile
    uint8_t[TILES][8][8] crossing       # tile, turn, edge in: edge out
    int16_t[PLACES * PLACES] pair_number
    uint8_t[PLACES * PLACES] pair_from
    uint8_t[PLACES * PLACES] pair_to
    uint8_t[4][PLACES] row              # rows advanced, by player's side
    uint8_t[SPACES][8] beyond           # edges of a space that lead to other spaces,
    uint8_t[SPACES] beyonds             # and how many they are
    uint8_t[PORTS] inner                # all ports that lead to other spaces,
    int inner_ports                     # how many they are,
    uint64_t[39][4] ports_to            # and the others by the place they lead to, a byte a space
    uint8_t[48] row_of                  # by label: its row in Board.ports
    uint64_t[PORTS][4] port_set         # a set with one port
    # For fast counting: bytes of a word stand for the edges 0 to 7.
    uint64_t[TILES][8] turn_sets        # tile, edge: byte k the set of turns with a chord to edge k
    uint8_t[TILES][64] chords           # tile, 8 * edge + edge: the number of turns with that chord
    uint16_t[TILES][4][16] chord_turns  # tile, distance less 1: the number of turns with a chord
                                        # from an edge to the one so far on, 16 times
    uint64_t[TILES][16] low_sets        # tile, set of edges 0 to 3: their turn_sets together;
    uint64_t[TILES][16] high_sets       # and of edges 4 to 7
    uint64_t[TILES][16] low_weights     # tile, set of edges 0 to 3: byte k the number of turns with
    uint64_t[TILES][16] high_weights    # chords from these to edge k; and of edges 4 to 7
    uint8_t[TILES][9][SPACES][8] onward # tile, turn or FACE_DOWN, space, edge in: what is behind
    uint64_t[256] spread                # a set of edges: 0xff in each byte of the set
    uint8_t[4][SPACES] space_turned     # the board turned by quarters clockwise: where a space goes
    uint8_t[4][PLACES] place_turned

cdef class OctilesRules(Rules):
    cdef Tables tables
