from libc.stdint cimport int32_t, uint64_t
from boardrace._core.engine cimport GameTable

# The action that the policy "forward" takes by u for the player to act. `actions` has room for
# max_legal_actions.
cdef int32_t choose_forward(const GameTable *table, const void *position, int player, uint64_t u,
                            int32_t *actions) noexcept nogil
