"""Tree search with playouts over any game's table.

One tree over the actions played ("open loop"): a node stands for a series of actions from the
root, whatever the hidden things and the outcomes behind it. Each iteration deals all that is
hidden anew, walks down the tree, drawing outcomes at chance nodes as they come, adds a node,
plays on from there for a bounded number of plies, and credits every node passed with what each
player got. That is information set Monte-Carlo tree search for one observer (Cowling, Powley,
Whitehouse 2012), with the choice rule of AlphaZero in which the prior of an action comes from
what it gains in progress.
"""
from libc.math cimport exp, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset
cimport cython

from boardrace._core.engine cimport (
    CHANCE, GameTable, MAX_PLAYERS, MAX_POSITION_WORDS, State, TERMINAL,
)
from boardrace._core.playout cimport choose_forward
from boardrace._core.rng cimport Draws, Rng, USE_SEARCH, mix, next_draw, stream_key

cdef enum:
    MAX_PATH = 1024             # nodes passed on the way down; beyond it the playout begins
    MAX_NODES = 4_000_000       # some 350 megabytes; beyond it the tree no longer grows

cdef struct Node:
    double[MAX_PLAYERS] total   # sum of what each player got
    int64_t visits
    int32_t parent
    int32_t action              # the action that leads here from the parent


def forward_action(State state, Rng rng):
    """The action that the policy "forward" takes by the next number of rng; at chance an outcome."""
    cdef State own = state.copy()
    cdef const GameTable *t = own.table()
    cdef const void *position = own.current()
    cdef int player = t.to_act(t, position)
    if player == TERMINAL:
        raise ValueError("the game is over")
    if player == CHANCE:
        return t.choose(t, position, next_draw(&rng.plies))
    cdef int32_t *room = <int32_t *>malloc(t.max_legal_actions * sizeof(int32_t))
    if room == NULL:
        raise MemoryError()
    cdef int32_t action = choose_forward(t, position, player, next_draw(&rng.plies), room)
    free(room)
    return action


# ---------------------------------------------------------------- the tree

cdef class Tree:
    """The tree of one search. It copies the state; one thread at a time may use it."""
    cdef State root             # keeps the table alive
    cdef const GameTable *table
    cdef uint64_t[MAX_POSITION_WORDS] start
    cdef uint64_t seed
    cdef uint64_t done          # iterations so far
    cdef int limit              # plies of a playout
    cdef bint forward           # playouts by the policy "forward", now and then a uniform ply
    cdef double exploration
    cdef Node *nodes
    cdef int32_t num_nodes, node_room
    cdef int32_t *slots         # open hashing: (parent, action) to a node, -1 where free
    cdef uint64_t slot_mask
    cdef int32_t *room          # max_legal_actions
    cdef double *weight         # max_legal_actions
    cdef int32_t[MAX_PATH] path
    # Mean and spread of what the root's mover got: the scale on which actions are compared.
    cdef double mean, spread
    cdef bint broken            # memory ran out
    cdef bint running           # a thread is in `run` or `children`

    def __cinit__(self):
        self.nodes = NULL
        self.slots = NULL
        self.room = NULL
        self.weight = NULL

    def __init__(self, State state, seed, int limit, bint forward, double exploration):
        cdef const GameTable *t
        self.root = state.copy()
        t = self.table = self.root.table()
        memcpy(self.start, self.root.current(), t.position_bytes)
        if t.to_act(t, self.start) < 0:
            raise ValueError("no player is to act here")
        if limit < 0 or not exploration >= 0:
            raise ValueError("neither the playouts' length nor the exploration can be negative")
        self.seed = seed
        self.limit = limit
        self.forward = forward
        self.exploration = exploration
        self.node_room = 1024
        self.slot_mask = 4095
        self.nodes = <Node *>malloc(self.node_room * sizeof(Node))
        self.slots = <int32_t *>malloc((self.slot_mask + 1) * sizeof(int32_t))
        self.room = <int32_t *>malloc(t.max_legal_actions * sizeof(int32_t))
        self.weight = <double *>malloc(t.max_legal_actions * sizeof(double))
        if self.nodes == NULL or self.slots == NULL or self.room == NULL or self.weight == NULL:
            raise MemoryError()
        memset(self.slots, 255, (self.slot_mask + 1) * sizeof(int32_t))
        memset(self.nodes, 0, sizeof(Node))
        self.nodes[0].parent = -1
        self.num_nodes = 1

    def __dealloc__(self):
        free(self.nodes)
        free(self.slots)
        free(self.room)
        free(self.weight)

    cdef uint64_t slot_of(self, int32_t parent, int32_t action) noexcept nogil:
        """Where the child is, or the free slot where it would be."""
        cdef uint64_t k = mix((<uint64_t><uint32_t>parent << 32) | <uint32_t>action) & self.slot_mask
        cdef int32_t node = self.slots[k]
        while node >= 0 and (self.nodes[node].parent != parent or self.nodes[node].action != action):
            k = (k + 1) & self.slot_mask
            node = self.slots[k]
        return k

    cdef int32_t add(self, int32_t parent, int32_t action) noexcept nogil:
        """A new child, or -1 where there is no room for it."""
        cdef Node *nodes
        cdef int32_t *slots
        cdef int32_t node
        cdef uint64_t room
        if self.num_nodes == MAX_NODES:
            return -1
        if self.num_nodes == self.node_room:
            nodes = <Node *>realloc(self.nodes, 2 * <size_t>self.node_room * sizeof(Node))
            if nodes == NULL:
                self.broken = True
                return -1
            self.nodes = nodes
            self.node_room *= 2
        if 2 * <uint64_t>self.num_nodes > self.slot_mask:
            room = 4 * (self.slot_mask + 1)
            slots = <int32_t *>malloc(room * sizeof(int32_t))
            if slots == NULL:
                self.broken = True
                return -1
            memset(slots, 255, room * sizeof(int32_t))
            free(self.slots)
            self.slots = slots
            self.slot_mask = room - 1
            for node in range(1, self.num_nodes):
                slots[self.slot_of(self.nodes[node].parent, self.nodes[node].action)] = node
        node = self.num_nodes
        memset(&self.nodes[node], 0, sizeof(Node))
        self.nodes[node].parent = parent
        self.nodes[node].action = action
        self.slots[self.slot_of(parent, action)] = node
        self.num_nodes += 1
        return node

    cdef int32_t pick(self, int32_t node, const void *position, int mover, int n) noexcept nogil:
        """Of the n actions in room, the one to look into next."""
        cdef const GameTable *t = self.table
        cdef uint64_t[MAX_POSITION_WORDS] position_after
        cdef int now = t.progress(t, position, mover)
        cdef int k, most = 0, best = 0
        cdef int32_t child
        cdef int64_t visits
        cdef double sum = 0, score, best_score = -1e300, value, level, wide, spread = 1
        if self.done > 1 and self.spread > 0:
            spread = sqrt(self.spread / self.done)
        for k in range(n):
            memcpy(position_after, position, t.position_bytes)
            t.apply(t, position_after, self.room[k])
            self.weight[k] = t.progress(t, position_after, mover) - now
            if self.weight[k] > most:
                most = <int>self.weight[k]
            elif -self.weight[k] > most:
                most = <int>-self.weight[k]
        for k in range(n):
            # The largest gain weighs e^3, about 20 times, what an idle action does.
            self.weight[k] = exp(3 * self.weight[k] / most) if most else 1
            sum += self.weight[k]
        visits = self.nodes[node].visits
        level = self.nodes[node].total[mover] / visits if visits else 0
        wide = self.exploration * sqrt(<double>visits + 1) / sum
        for k in range(n):
            child = self.slots[self.slot_of(node, self.room[k])]
            visits = self.nodes[child].visits if child >= 0 else 0
            value = self.nodes[child].total[mover] / visits - level if visits else 0
            score = value / spread + wide * self.weight[k] / (1 + visits)
            if score > best_score:
                best_score = score
                best = k
        return self.room[best]

    cdef void play_on(self, void *position, Draws *draws, double *values) noexcept nogil:
        """A playout of at most `limit` plies, and what each player has of it.

        Where it does not reach the end, a player has its progress less the others' average.
        A win counts a little less the later it comes.
        """
        cdef const GameTable *t = self.table
        cdef int plies = 0, player, players = t.num_players
        cdef double sum = 0
        cdef uint64_t u
        while plies < self.limit and t.to_act(t, position) != TERMINAL:
            u = next_draw(draws)
            player = t.to_act(t, position)
            if self.forward and player != CHANCE and mix(u) >> 61:
                t.apply(t, position, choose_forward(t, position, player, u, self.room))
            else:
                t.apply(t, position, t.choose(t, position, u))
            plies += 1
        for player in range(players):
            values[player] = 0
        if t.to_act(t, position) == TERMINAL:
            t.returns(t, position, values)
            for player in range(players):
                values[player] *= 1 - 0.25 * plies / (self.limit + 1)
        else:
            for player in range(players):
                values[player] = t.progress(t, position, player) / <double>t.progress_goal
                sum += values[player]
            if players > 1:
                for player in range(players):
                    values[player] -= (sum - values[player]) / (players - 1)

    cdef void iterate(self) noexcept nogil:
        cdef const GameTable *t = self.table
        cdef uint64_t[MAX_POSITION_WORDS] position
        cdef double[MAX_PLAYERS] values
        cdef Draws draws
        cdef int length = 1, mover, n, k, player
        cdef int root_mover = t.to_act(t, self.start)
        cdef int32_t node = 0, child, action
        cdef double before
        cdef bint grown = False
        draws.key = stream_key(self.seed, self.done, USE_SEARCH)
        draws.j = 0
        memcpy(position, self.start, t.position_bytes)
        t.determinize(t, position, &draws)
        self.path[0] = 0
        while not grown and length < MAX_PATH:
            mover = t.to_act(t, position)
            if mover == TERMINAL:
                break
            if mover == CHANCE:
                action = t.choose(t, position, next_draw(&draws))
            else:
                n = t.actions(t, position, self.room)
                action = self.room[0] if n == 1 else self.pick(node, position, mover, n)
            child = self.slots[self.slot_of(node, action)]
            if child < 0:
                child = self.add(node, action)
                # Outcomes and sole choices are passed on the way to the next real choice.
                grown = mover != CHANCE and n > 1
                if child < 0:
                    break
            t.apply(t, position, action)
            node = child
            self.path[length] = node
            length += 1
        self.play_on(position, &draws, values)
        for k in range(length):
            self.nodes[self.path[k]].visits += 1
            for player in range(t.num_players):
                self.nodes[self.path[k]].total[player] += values[player]
        self.done += 1
        before = values[root_mover] - self.mean
        self.mean += before / self.done
        self.spread += before * (values[root_mover] - self.mean)

    @cython.critical_section
    def run(self, int n):
        """Make n more iterations; the caller keeps n small enough for Ctrl-C to be heard."""
        cdef int k
        self.claim()
        with nogil:
            for k in range(n):
                self.iterate()
                if self.broken:
                    break
        self.running = False
        if self.broken:
            raise MemoryError()

    cdef int claim(self) except -1:
        """Without the lock, which `nogil` gives up, another thread may come in: not while it runs."""
        if self.running:
            raise RuntimeError("another thread is using this search")
        self.running = True
        return 0

    @cython.critical_section
    def children(self):
        """(action, visits, mean) for every legal action of the root: what its mover got there."""
        cdef const GameTable *t = self.table
        cdef int mover = t.to_act(t, self.start)
        cdef int32_t node
        self.claim()
        found = []
        for action in self.root.legal_actions().tolist():
            node = self.slots[self.slot_of(0, action)]
            if node >= 0 and self.nodes[node].visits:
                found.append((action, self.nodes[node].visits,
                              self.nodes[node].total[mover] / self.nodes[node].visits))
            else:
                found.append((action, 0, 0.0))
        self.running = False
        return found
