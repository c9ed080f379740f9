"""What threads share: words read and written whole, each with a fallback for other compilers."""
from libc.stdint cimport int64_t

cdef extern from *:
    """
    #ifndef BR_THREADS_H
    #define BR_THREADS_H
    #include <stdint.h>
    #if defined(_WIN32)
    /* Not from windows.h, which would take names like `near` from whoever includes this. */
    __declspec(dllimport) int __stdcall SwitchToThread(void);
    #endif
    #if defined(_MSC_VER) && !defined(__clang__)
    #include <intrin.h>
    static __inline int64_t br_fetch_add(int64_t *word, int64_t by) { return _InterlockedExchangeAdd64(word, by); }
    static __inline int64_t br_read(int64_t *word) { return _InterlockedExchangeAdd64(word, 0); }
    static __inline void br_yield(void) { SwitchToThread(); }
    static __inline int br_read_flag(const int *word) { return *(const volatile int *)word; }
    static __inline int br_exchange(int *word, int value) { return (int)_InterlockedExchange((long *)word, value); }
    #else
    #if defined(_WIN32)
    static inline void br_yield(void) { SwitchToThread(); }
    #else
    #include <sched.h>
    static inline void br_yield(void) { sched_yield(); }
    #endif
    static inline int64_t br_fetch_add(int64_t *word, int64_t by) { return __atomic_fetch_add(word, by, __ATOMIC_ACQ_REL); }
    static inline int64_t br_read(int64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
    static inline int br_read_flag(const int *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
    static inline int br_exchange(int *word, int value) { return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL); }
    #endif
    #endif
    """
    # Add to a word; what it was before.
    int64_t fetch_add "br_fetch_add"(int64_t *word, int64_t by) noexcept nogil
    int64_t read_word "br_read"(int64_t *word) noexcept nogil
    # A flag that another thread may set; nothing else is known to have happened then.
    int read_flag "br_read_flag"(const int *word) noexcept nogil
    # Put a value in; what was there before.
    int exchange "br_exchange"(int *word, int value) noexcept nogil
    # Let another thread run.
    void yield_thread "br_yield"() noexcept nogil
