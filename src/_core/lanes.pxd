"""Sixteen 32-bit words side by side, as PARTS vectors of the processor's width."""
from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if !defined(__GNUC__) || defined(BR_PLAIN)
    #define BR_BYTES 4
    typedef uint32_t br_vec;
    #else
    #if defined(__AVX512F__)
    #define BR_BYTES 64
    #elif defined(__AVX2__)
    #define BR_BYTES 32
    #else
    #define BR_BYTES 16
    #endif
    typedef uint32_t br_vec __attribute__((vector_size(BR_BYTES)));
    #endif
    enum { BR_WIDTH = BR_BYTES / 4, BR_PARTS = 64 / BR_BYTES };
    static inline br_vec br_load(const uint32_t *p) { br_vec x; memcpy(&x, p, BR_BYTES); return x; }
    static inline void br_store(uint32_t *p, br_vec x) { memcpy(p, &x, BR_BYTES); }
    static inline int br_any(br_vec x) {
    #if BR_BYTES == 64
        typedef uint64_t half __attribute__((vector_size(32)));
        half h[2]; memcpy(h, &x, 64); h[0] |= h[1];
        return (h[0][0] | h[0][1] | h[0][2] | h[0][3]) != 0;
    #elif BR_BYTES == 4
        return x != 0;
    #else
        uint64_t any = 0, w[BR_BYTES / 8]; memcpy(w, &x, BR_BYTES);
        for (int i = 0; i < BR_BYTES / 8; i++) any |= w[i];
        return any != 0;
    #endif
    }
    static inline int br_count(br_vec x) {
        int n = 0;
    #if defined(__POPCNT__) && BR_BYTES > 4
        uint64_t w[BR_BYTES / 8]; memcpy(w, &x, BR_BYTES);
        for (int i = 0; i < BR_BYTES / 8; i++) n += __builtin_popcountll(w[i]);
    #else
        uint32_t w[BR_WIDTH];
        x -= (x >> 1) & 0x55555555u;
        x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0fu;
        x += x >> 8; x += x >> 16; x &= 63u;
        memcpy(w, &x, BR_BYTES);
        for (int i = 0; i < BR_WIDTH; i++) n += (int)w[i];
    #endif
        return n;
    }
    """
    ctypedef uint32_t vec "br_vec"
    enum: WIDTH "BR_WIDTH"
    enum: PARTS "BR_PARTS"
    vec load "br_load"(const uint32_t *p) noexcept nogil
    void store "br_store"(uint32_t *p, vec x) noexcept nogil
    bint any_bit "br_any"(vec x) noexcept nogil
    int count_bits "br_count"(vec x) noexcept nogil
