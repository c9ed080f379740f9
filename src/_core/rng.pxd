"""Random numbers by position in a stream: draw j of stream i of a seed is a fixed function.

    mix(z)              z ^= z >> 30; z *= 0xBF58476D1CE4E5B9; z ^= z >> 27;
                        z *= 0x94D049BB133111EB; z ^= z >> 31          (modulo 2^64)
    key(seed, i, use)   mix(mix(seed + GOLDEN * (use + 1)) + GOLDEN * (i + 1))
    draw(key, j)        mix(key + GOLDEN * (j + 1))
    GOLDEN              0x9E3779B97F4A7C15

The stream of a key is SplitMix64 started at that key. `use` keeps apart what the same (seed, i)
is used for: 0 the plies of a playout, 1 a set-up, 2 what is dealt anew by determinize, 3 chance in
a batch, 4 the random actions of a batch, 5 the iterations of a tree search.
"""
from libc.stdint cimport uint64_t
from boardrace._core.bits cimport multiply_high

cdef enum:
    USE_PLIES = 0
    USE_SETUP = 1
    USE_DETERMINIZE = 2
    USE_BATCH_CHANCE = 3
    USE_BATCH_ACTIONS = 4
    USE_SEARCH = 5

cdef extern from *:
    """
    #ifndef BR_RNG_H
    #define BR_RNG_H
    #define BR_GOLDEN 0x9E3779B97F4A7C15ull
    static inline uint64_t br_mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    #endif
    """
    uint64_t GOLDEN "BR_GOLDEN"
    uint64_t mix "br_mix"(uint64_t z) noexcept nogil


cdef inline uint64_t stream_key(uint64_t seed, uint64_t stream, uint64_t use) noexcept nogil:
    return mix(mix(seed + GOLDEN * (use + 1)) + GOLDEN * (stream + 1))


cdef inline uint64_t draw(uint64_t key, uint64_t j) noexcept nogil:
    return mix(key + GOLDEN * (j + 1))


ctypedef struct Draws:
    uint64_t key
    uint64_t j          # number of the next draw


cdef inline uint64_t next_draw(Draws *draws) noexcept nogil:
    cdef uint64_t u = draw(draws.key, draws.j)
    draws.j += 1
    return u


cdef inline uint64_t draw_below(Draws *draws, uint64_t n) noexcept nogil:
    """One of 0..n-1: floor(u * n / 2^64)."""
    return multiply_high(next_draw(draws), n)


cdef class Rng:
    cdef readonly uint64_t seed
    cdef readonly uint64_t stream
    cdef Draws plies
