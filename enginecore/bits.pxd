"""Bits of a mask, by one instruction where there is one."""

from libc.stdint cimport int32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__GNUC__) || defined(__clang__)
    #define ENGINE_LOWEST_BIT(x) ((int32_t) __builtin_ctzll(x))
    #elif defined(_MSC_VER) && defined(_WIN64)
    #include <intrin.h>
    static __forceinline int32_t engine_lowest_bit(uint64_t x) {
        unsigned long k;
        _BitScanForward64(&k, x);
        return (int32_t) k;
    }
    #define ENGINE_LOWEST_BIT(x) engine_lowest_bit(x)
    #else
    static int32_t engine_lowest_bit(uint64_t x) {
        int32_t k = 0;
        while (!(x & 1)) { x >>= 1; k++; }
        return k;
    }
    #define ENGINE_LOWEST_BIT(x) engine_lowest_bit(x)
    #endif
    """
    # The place of the lowest bit that is set; x is not 0.
    int32_t lowest_bit "ENGINE_LOWEST_BIT"(uint64_t x) noexcept nogil
