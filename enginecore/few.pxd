"""How much work is worth letting other threads run meanwhile.

To let go of the interpreter and to get it back takes some 50 ns without others, and a turn of
theirs with them: stages of so few bodies or pairs are over sooner.
"""

cdef enum:
    FEW_BODIES = 8
    FEW_PAIRS = 16
