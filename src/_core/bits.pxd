"""Bit sets in one word: the few instructions that C has no name for, each with a fallback.

Everything here is inline; compilers without GCC's builtins get portable C.
"""
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #ifndef BR_BITS_H
    #define BR_BITS_H
    #if defined(__GNUC__) || defined(__clang__)
    #define BR_LIKELY(x) __builtin_expect(!!(x), 1)
    #define BR_UNLIKELY(x) __builtin_expect(!!(x), 0)
    static inline int br_ctz64(uint64_t x) { return __builtin_ctzll(x); }
    static inline int br_ctz32(uint32_t x) { return __builtin_ctz(x); }
    static inline int br_clz64(uint64_t x) { return __builtin_clzll(x); }
    #elif defined(_MSC_VER)
    #include <intrin.h>
    #define BR_LIKELY(x) (x)
    #define BR_UNLIKELY(x) (x)
    static __inline int br_ctz64(uint64_t x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    static __inline int br_ctz32(uint32_t x) { unsigned long i; _BitScanForward(&i, x); return (int)i; }
    static __inline int br_clz64(uint64_t x) { unsigned long i; _BitScanReverse64(&i, x); return 63 - (int)i; }
    #else
    #define BR_LIKELY(x) (x)
    #define BR_UNLIKELY(x) (x)
    static inline int br_ctz64(uint64_t x) { int n = 0; while (!(x & 1)) { x >>= 1; n++; } return n; }
    static inline int br_ctz32(uint32_t x) { return br_ctz64(x); }
    static inline int br_clz64(uint64_t x) { int n = 0; while (!(x >> 63)) { x <<= 1; n++; } return n; }
    #endif
    #if defined(__POPCNT__) || defined(__aarch64__)
    static inline int br_popcount64(uint64_t x) { return __builtin_popcountll(x); }
    static inline int br_popcount32(uint32_t x) { return __builtin_popcount(x); }
    #else
    /* Without the instruction a compiler's builtin is a call: count in parallel within the word. */
    static inline int br_popcount64(uint64_t x) {
        x -= (x >> 1) & 0x5555555555555555ull;
        x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
        return (int)((x * 0x0101010101010101ull) >> 56);
    }
    static inline int br_popcount32(uint32_t x) {
        x -= (x >> 1) & 0x55555555u;
        x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0fu;
        return (int)((x * 0x01010101u) >> 24);
    }
    #endif
    #if defined(__BMI2__)
    #include <immintrin.h>
    static inline int br_nth_bit64(uint64_t x, int n) { return br_ctz64(_pdep_u64(1ull << n, x)); }
    static inline int br_nth_bit32(uint32_t x, int n) { return br_ctz32(_pdep_u32(1u << n, x)); }
    static inline uint64_t br_extract64(uint64_t x, uint64_t mask) { return _pext_u64(x, mask); }
    static inline uint64_t br_deposit64(uint64_t x, uint64_t mask) { return _pdep_u64(x, mask); }
    #else
    static inline int br_nth_bit64(uint64_t x, int n) { while (n-- > 0) x &= x - 1; return br_ctz64(x); }
    static inline int br_nth_bit32(uint32_t x, int n) { while (n-- > 0) x &= x - 1; return br_ctz32(x); }
    static inline uint64_t br_extract64(uint64_t x, uint64_t mask) {
        uint64_t r = 0, bit = 1;
        for (; mask; mask &= mask - 1, bit <<= 1) if (x & (mask & (0 - mask))) r |= bit;
        return r;
    }
    static inline uint64_t br_deposit64(uint64_t x, uint64_t mask) {
        uint64_t r = 0;
        for (; mask; mask &= mask - 1, x >>= 1) if (x & 1) r |= mask & (0 - mask);
        return r;
    }
    #endif
    #if defined(__SIZEOF_INT128__)
    static inline uint64_t br_high64(uint64_t a, uint64_t b) {
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
    }
    #elif defined(_MSC_VER) && defined(_M_X64)
    static __inline uint64_t br_high64(uint64_t a, uint64_t b) { return __umulh(a, b); }
    #else
    static inline uint64_t br_high64(uint64_t a, uint64_t b) {
        uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
        uint64_t low = a0 * b0, m1 = a1 * b0 + (low >> 32), m2 = a0 * b1 + (uint32_t)m1;
        return a1 * b1 + (m1 >> 32) + (m2 >> 32);
    }
    #endif
    #if defined(BR_CHECKED)
    #include <stdio.h>
    #include <stdlib.h>
    #define BR_ASSERT(x) do { if (!(x)) { fprintf(stderr, "%s:%d: broken: %s\\n", __FILE__, __LINE__, #x); abort(); } } while (0)
    static inline void br_require(int holds) { BR_ASSERT(holds); }
    #else
    static inline void br_require(int holds) { (void)holds; }
    #endif
    #define BR_ONLY_IF(fact) ((void)sizeof(char[(fact) ? 1 : -1]))
    #endif
    """
    int count_trailing_zeros "br_ctz64"(uint64_t x) noexcept nogil      # of a word that is not 0
    int count_trailing_zeros32 "br_ctz32"(uint32_t x) noexcept nogil
    int count_leading_zeros "br_clz64"(uint64_t x) noexcept nogil
    int popcount "br_popcount64"(uint64_t x) noexcept nogil
    int popcount32 "br_popcount32"(uint32_t x) noexcept nogil
    int nth_bit "br_nth_bit64"(uint64_t x, int n) noexcept nogil        # index of the n-th set bit, from 0
    int nth_bit32 "br_nth_bit32"(uint32_t x, int n) noexcept nogil
    uint64_t extract_bits "br_extract64"(uint64_t x, uint64_t mask) noexcept nogil   # pext
    uint64_t deposit_bits "br_deposit64"(uint64_t x, uint64_t mask) noexcept nogil   # pdep
    uint64_t multiply_high "br_high64"(uint64_t a, uint64_t b) noexcept nogil   # floor(a * b / 2^64)
    bint likely "BR_LIKELY"(bint x) noexcept nogil
    bint unlikely "BR_UNLIKELY"(bint x) noexcept nogil
    # An invariant: checked in a build with BOARDRACE_CHECKED, nothing otherwise.
    void require "br_require"(bint holds) noexcept nogil
    # A constant fact: what breaks it does not compile.
    void compile_only_if "BR_ONLY_IF"(bint fact) noexcept nogil


cdef inline int pop_lowest(uint64_t *word) noexcept nogil:
    """Take the lowest set bit out of a word that is not 0; its index."""
    cdef int index = count_trailing_zeros(word[0])
    word[0] &= word[0] - 1
    return index


cdef inline int pop_lowest32(uint32_t *word) noexcept nogil:
    cdef int index = count_trailing_zeros32(word[0])
    word[0] &= word[0] - 1
    return index
