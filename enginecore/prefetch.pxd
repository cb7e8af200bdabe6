"""Asking for memory before it is needed, where what comes next is known but not beside it."""

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define ENGINE_PREFETCH(p) __builtin_prefetch(p)
    #else
    #define ENGINE_PREFETCH(p) ((void)(p))
    #endif
    """
    # One cache line, at any address; changes nothing but when it arrives.
    void prefetch "ENGINE_PREFETCH"(const void* p) noexcept nogil
