"""Inner Circle's position. What its bytes mean is this game's own affair: not for other modules."""
from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t
from boardrace._core.engine cimport Rules

cdef enum:
    SPACES = 37                 # numbered in reading order: 00, 01, .. 63
    LEVELS = 4
    TURNS = 6
    SEATS = 4
    CENTRE = 18                 # space 33
    MAX_ACTIONS = 1024

cdef struct Position:
    uint64_t[SEATS] pawns       # one bit a space
    uint32_t stall              # actions since a hole was last filled
    uint8_t turn
    uint8_t level               # 0 while pawns are being placed
    uint8_t again               # 1: the pawn on the inner circle must move again
    uint8_t passes              # in a row
    uint8_t[LEVELS] turns       # by how many sixths each board is turned
    uint8_t[4] padding

# One level's board, turned.
cdef struct Board:
    # Entry 64, the index of the first bit of an empty set, is for no space.
    uint64_t[65] targets        # where a pawn's move may end: none from holes and the inner circle
    uint64_t[65] sources        # from where a move may end here
    uint64_t holes
    uint64_t circle             # the inner circle, or nothing
    uint64_t[4] dots            # the spaces with 1, 2, 3, 4 dots

cdef struct Tables:
    Board[LEVELS][TURNS] boards
    uint64_t whole              # all spaces
    uint64_t rim
    uint64_t circle_targets     # where a second move may end
    int players
    int pawns_each
    int blocked_lift
    int hide_covered
    uint32_t stall_limit        # 0: none
    int random_turns
    uint8_t[LEVELS] turns
    # fits[k][t]: the turns of level k + 2 (one bit each) that put no hole and no inner circle
    # under a hole of level k + 1 turned by t
    uint8_t[LEVELS - 1][TURNS] fits
    # actions: placing, moves, lifts, pass
    int first_move
    int first_lift
    int pass_action
    int16_t[SPACES] place_action
    int16_t[SPACES] lift_action
    int16_t[SPACES][SPACES] move_action
    uint8_t[MAX_ACTIONS] origin
    uint8_t[MAX_ACTIONS] target

cdef class InnerCircleRules(Rules):
    cdef Tables tables
