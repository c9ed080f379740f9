"""Bytes side by side, as many as the processor's vector holds; masks are 0 or 255 a lane.

Bytes are added without a sign and compared with one: -1 is 255.
"""
from libc.stdint cimport uint8_t, uint32_t

cdef extern from *:
    """
    #ifndef BR_OCTETS_H
    #define BR_OCTETS_H
    #include <stdint.h>
    #include <string.h>
    #if !defined(__GNUC__) || defined(BR_PLAIN)
    #define BR_OCTETS 1
    typedef uint8_t br_octets;
    static inline br_octets br_same(br_octets a, br_octets b) { return a == b ? 255 : 0; }
    static inline br_octets br_above(br_octets a, br_octets b) { return (int8_t)a > (int8_t)b ? 255 : 0; }
    static inline br_octets br_all(uint8_t x) { return x; }
    #else
    #if defined(__AVX512BW__)
    #define BR_OCTETS 64
    #elif defined(__AVX2__)
    #define BR_OCTETS 32
    #else
    #define BR_OCTETS 16
    #endif
    typedef uint8_t br_octets __attribute__((vector_size(BR_OCTETS)));
    typedef int8_t br_signed_octets __attribute__((vector_size(BR_OCTETS)));
    static inline br_octets br_same(br_octets a, br_octets b) { return (br_octets)(a == b); }
    static inline br_octets br_above(br_octets a, br_octets b) {
        return (br_octets)((br_signed_octets)a > (br_signed_octets)b);
    }
    static inline br_octets br_all(uint8_t x) { br_octets z = {0}; return z + x; }
    #endif
    static inline br_octets br_octets_load(const uint8_t *p) { br_octets x; memcpy(&x, p, BR_OCTETS); return x; }
    static inline void br_octets_store(uint8_t *p, br_octets x) { memcpy(p, &x, BR_OCTETS); }
    static inline br_octets br_either(br_octets mask, br_octets a, br_octets b) { return (a & mask) | (b & ~mask); }
    #endif
    """
    # For Cython a word, so that it does not widen what it computes.
    ctypedef uint32_t octets "br_octets"
    enum: OCTETS "BR_OCTETS"
    octets load_octets "br_octets_load"(const uint8_t *p) noexcept nogil
    void store_octets "br_octets_store"(uint8_t *p, octets x) noexcept nogil
    octets all_octets "br_all"(uint8_t x) noexcept nogil
    octets same "br_same"(octets a, octets b) noexcept nogil        # a == b
    octets above "br_above"(octets a, octets b) noexcept nogil      # a > b
    octets either "br_either"(octets mask, octets a, octets b) noexcept nogil
