"""Sorry!: the position, and the tables that its functions read."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from boardrace._core.engine cimport Rules

cdef enum:
    CARDS = 11                  # kinds of card, in the order of the text: 1 2 3 4 5 7 8 10 11 12 S
    MAX_PLAYS = 512             # more than the raw plays of any card: 8 * 7 * 6 + 8 for a 7 in teams
    START = 0                   # where a pawn stands: 66 less the forward steps it still needs
    BEFORE = 1                  # the square before its circle
    CIRCLE = 2
    ENTRY = 60                  # the last square of its track
    HOME = 66

# Where a pawn stands is one number, its steps: 0 Start, 1 the square before its circle, 2 the
# circle, 60 the safety entry, 61 to 65 its safety zone, 66 Home. So forward is plus, whatever the
# colour, and the slides of the other colours lie at the same six places for every colour.
# A colour's pawns ascend; a colour that nobody plays has all its pawns at Home.
cdef struct Position:
    uint8_t[16] pawns           # four a colour: R, B, Y, G
    uint8_t[11] deck            # cards left in the pile
    uint8_t card                # 0: one is to be drawn; else 1 + the card's place in the order
    uint8_t turn
    uint8_t over
    uint8_t[2] padding          # always 0

# What one part of a play does. A play has two parts only when a 7 is split.
cdef struct Part:
    uint8_t colour
    uint8_t steps               # where the pawn stands before the play
    int8_t count                # signed squares; 0 for a start, an exchange, a Sorry!
    uint8_t target              # steps, for the pawn's colour, of the other pawn's square; or 0

cdef enum Kind:
    PASS = 0
    DECLINE = 1
    ENTER = 2                   # from Start to the circle
    MOVE = 3
    EXCHANGE = 4
    TAKE = 5                    # a Sorry!
    SPLIT = 6

cdef struct Play:
    uint64_t[2] pawns           # the pawns after it, in order
    uint64_t key                # of two plays with the same end the one with the lesser key is kept
    uint8_t kind
    Part[2] parts

cdef struct Action:
    uint8_t kind
    Part[2] parts

cdef enum:                      # rows of Tables.base; before them the moves, by signed count as in COUNTS
    BASE_BACK = 8
    BASE_ENTER = 11
    BASE_TAKE = 12
    BASE_EXCHANGE = 13
    BASE_PASS = 14
    BASE_DECLINE = 15

cdef struct Tables:
    int num_players
    bint teams
    bint both                   # exchange_slides="both"
    bint quick
    int[4] colour_of            # player to colour
    int[4] player_of            # colour to player, -1 when nobody plays it
    uint8_t[4] own              # player to the set of colours it moves
    uint8_t[4] theirs           # player to the set of colours of its opponents
    int32_t actions
    # where the numbers of each kind of action begin, by colour
    int32_t[4] enter_from
    int32_t[11][4] move_from    # by signed count, in the order of COUNTS
    int32_t[4] exchange_from
    int32_t[4] take_from
    # splits: block 0 moves the lower pawn (by colour, then steps) first, block 1 the higher;
    # number = row[block][colour][steps][other colour?] + place[block][other colour?][steps][other
    # steps] + how many counts of the first part in the mask are less
    int32_t[2][4][67][2] row
    uint16_t[2][2][67][67] place
    Action *list                # every action by its number
    # For many games together:
    uint32_t *brief             # what most plays do, by number (brief_of in sorry.pyx)
    uint8_t[4][4] seat          # where in `pawns` those of the player j turns after player k begin
    int32_t[16][4] base         # where numbers begin, by kind and player

cdef class SorryRules(Rules):
    cdef Tables tables
