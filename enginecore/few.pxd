"""How little work is done without letting other threads run meanwhile.

To let go of the interpreter and to get it back takes some 50 ns without others, and a turn of
theirs with them: a step of so few bodies is over sooner. Several steps in one call are not.
"""

cdef enum:
    FEW_BODIES = 8
