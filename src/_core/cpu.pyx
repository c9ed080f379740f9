"""What this processor can run."""

cdef extern from *:
    """
    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    #define BR_CAN(x) (__builtin_cpu_supports(x) != 0)
    static int br_cpu_level(void) {
        __builtin_cpu_init();
        if (!(BR_CAN("avx2") && BR_CAN("bmi") && BR_CAN("bmi2") && BR_CAN("fma") && BR_CAN("popcnt")))
            return 0;
        return BR_CAN("avx512f") && BR_CAN("avx512bw") && BR_CAN("avx512cd") && BR_CAN("avx512dq")
            && BR_CAN("avx512vl") ? 2 : 1;
    }
    #else
    static int br_cpu_level(void) { return 0; }
    #endif
    #if defined(__clang__)
    #define BR_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
    #define BR_COMPILER "gcc " __VERSION__
    #elif defined(_MSC_VER)
    #define BR_COMPILER "msvc"
    #else
    #define BR_COMPILER "unknown"
    #endif
    """
    int br_cpu_level()
    const char *BR_COMPILER


def levels():
    """Processor levels that can run here, best first: "v4" (AVX-512), "v3" (AVX2), "base"."""
    return ("v4", "v3", "base")[2 - br_cpu_level():]


def compiler():
    """The compiler that built this package, like "gcc 12.2.0"."""
    return BR_COMPILER.decode().strip()
