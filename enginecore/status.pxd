"""How kernels report: a StatusCode for numbers that failed, `check` for bugs of our own."""

cdef extern from *:
    """
    #include <stdio.h>
    #include <stdlib.h>
    /* A broken promise between our own functions: aborts with file and line in debug builds. */
    #ifdef ENGINE_DEBUG
    #define engine_check(condition) \\
        do { if (!(condition)) { \\
            fprintf(stderr, "check failed: %s:%d: %s\\n", __FILE__, __LINE__, #condition); \\
            abort(); } } while (0)
    #else
    #define engine_check(condition) ((void)0)
    #endif
    """
    void check "engine_check"(bint condition) noexcept nogil

# What a kernel returns. Values are part of the public face (enginecore.status.Status).
cdef enum StatusCode:
    SOLVED = 0          # the answer meets the tolerance asked for
    MAX_ITERATIONS = 1  # stopped at the iteration limit
    NO_SOLUTION = 2     # the method proved, or met a ray that shows, that there is none
    SINGULAR = 3        # a matrix that must be invertible is not
