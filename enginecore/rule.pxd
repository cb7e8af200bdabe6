"""Rules of a pair of shapes that know no dimension (docs/maths/rules.md)."""

# Of pairs, with those that an engine has of its own; all but PASSING follow from the shapes.
cdef enum RuleFlag:
    # not looked at until the two have parted; set by one-way shapes that are met from behind and by
    # World.ignore_until_parted
    PASSING = 64
    DRIVEN = 128      # a surface of the two runs
    BOOSTED = 512     # blows give more than they take
    ONE_WAY = 1024    # one of the two is met from one side only

cdef extern from *:
    """
    #define ENGINE_FRONT 0.5
    #define ENGINE_SUNK_BEHIND 0.02
    #define ENGINE_PARTED 1e-3
    """
    # A one-way shape is met where it pushes within 60 degrees of its front: the cosine. Less, and
    # what passes by its rim is caught.
    double FRONT "ENGINE_FRONT"
    # m, for bodies of about a metre: what is deeper in a one-way shape when the pair is first seen
    # came from behind; what it bears already may be pressed in deeper.
    double SUNK_BEHIND "ENGINE_SUNK_BEHIND"
    # m, likewise: shapes that were let through have parted when they are so far apart, more than
    # those at rest are.
    double PARTED "ENGINE_PARTED"
