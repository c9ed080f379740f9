"""Four 64-bit words side by side, as QUADS vectors of QUAD_WORDS words each: what the processor holds."""
from libc.stdint cimport uint16_t, uint64_t

cdef extern from *:
    """
    #ifndef BR_QUADS_H
    #define BR_QUADS_H
    #include <stdint.h>
    #include <string.h>
    #if !defined(__GNUC__) || defined(BR_PLAIN)
    #define BR_QUAD_BYTES 8
    typedef uint64_t br_quad;
    typedef uint64_t br_quad_words[4];
    static inline br_quad br_quad_scale(br_quad x, const uint16_t *factor) { return x * factor[0]; }
    static inline br_quad br_quad_several(br_quad x) {
        br_quad some = ((x & 0x7f7f7f7f7f7f7f7full) + 0x7f7f7f7f7f7f7f7full) | x;
        return x & (x - (some >> 7 & 0x0101010101010101ull));
    }
    static inline br_quad br_quad_some(br_quad x) {
        br_quad some = ((x & 0x7f7f7f7f7f7f7f7full) + 0x7f7f7f7f7f7f7f7full) | x;
        return (some >> 7 & 0x0101010101010101ull) * 255;
    }
    static inline br_quad br_quad_all(uint64_t x) { return x; }
    #else
    #if defined(__AVX2__)
    #define BR_QUAD_BYTES 32
    #else
    #define BR_QUAD_BYTES 16
    #endif
    typedef uint64_t br_quad __attribute__((vector_size(BR_QUAD_BYTES)));
    typedef uint16_t br_quad_halves __attribute__((vector_size(BR_QUAD_BYTES)));
    typedef uint8_t br_quad_octets __attribute__((vector_size(BR_QUAD_BYTES)));
    typedef uint64_t br_quad_words[4] __attribute__((aligned(32)));
    static inline br_quad br_quad_scale(br_quad x, const uint16_t *factor) {
        br_quad_halves many; memcpy(&many, factor, BR_QUAD_BYTES);
        return (br_quad)((br_quad_halves)x * many);
    }
    static inline br_quad br_quad_several(br_quad x) { return x & (br_quad)((br_quad_octets)x + (uint8_t)255); }
    static inline br_quad br_quad_some(br_quad x) { return (br_quad)((br_quad_octets)x != 0); }
    static inline br_quad br_quad_all(uint64_t x) { br_quad z = {0}; return z + x; }
    #endif
    enum { BR_QUADS = 32 / BR_QUAD_BYTES, BR_QUAD_WORDS = BR_QUAD_BYTES / 8 };
    static inline br_quad br_quad_load(const uint64_t *p, int k) {
        br_quad x; memcpy(&x, p + BR_QUAD_WORDS * k, BR_QUAD_BYTES); return x;
    }
    static inline void br_quad_store(uint64_t *p, int k, br_quad x) { memcpy(p + BR_QUAD_WORDS * k, &x, BR_QUAD_BYTES); }
    #endif
    """
    # For Cython a word, so that it does not widen what it computes.
    ctypedef uint64_t quad "br_quad"
    # Four words where vectors are read and written fast.
    ctypedef uint64_t[4] quad_words "br_quad_words"
    enum: QUADS "BR_QUADS"
    quad load_quad "br_quad_load"(const uint64_t *words, int k) noexcept nogil      # the k-th vector
    void store_quad "br_quad_store"(uint64_t *words, int k, quad x) noexcept nogil
    quad all_quad "br_quad_all"(uint64_t word) noexcept nogil
    # Bytes times a factor that is given 16 times. None may overflow.
    quad scale_bytes "br_quad_scale"(quad x, const uint16_t *factor) noexcept nogil
    quad several_bits "br_quad_several"(quad x) noexcept nogil      # not 0 in bytes with more than one bit
    quad some_bits "br_quad_some"(quad x) noexcept nogil            # 255 in the bytes that are not 0
