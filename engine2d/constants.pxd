"""Numbers of the plane's engine that several stages go by; enginecore.constants has those that
space shares, with their units. Numbers of one stage stand at the top of its file.
"""

from libc.stdint cimport int32_t

from enginecore.rule cimport FRONT, PARTED, SUNK_BEHIND

cdef extern from *:
    """
    #define ENGINE2D_FAT 0.02
    #define ENGINE2D_BAUMGARTE 0.3
    #define ENGINE2D_TOI_TOLERANCE 1e-7
    #define ENGINE2D_MANIFOLD_COSINE 0.99
    #define ENGINE2D_MOST_NARROW 512
    #define ENGINE2D_MOST_WORK 25000.0
    #define ENGINE2D_MOST_DIRECT_ROWS 128
    #define ENGINE2D_ROUNDS 32
    #define ENGINE2D_MOST_ROUNDS 96
    """
    # m, times the unit: by which boxes of the broad phase are larger. More makes more pairs, less
    # looks for pairs more often (docs/decisions/0005-grid-over-fat-boxes.md).
    double FAT "ENGINE2D_FAT"
    # Share of a gap that a sub-step closes (Baumgarte factor). From 0.343 on neighbours ring.
    double BAUMGARTE "ENGINE2D_BAUMGARTE"
    # m, times the unit: how near two shapes are at their time of impact.
    double TOI_TOLERANCE "ENGINE2D_TOI_TOLERANCE"
    # Two points of a pair are one manifold if their normals differ by less than 8 degrees.
    double MANIFOLD_COSINE "ENGINE2D_MANIFOLD_COSINE"
    # Calm islands that are long and thin, columns, may have more contacts than LARGE_CALM: a factor
    # costs contacts times the square of its band, at most MOST_WORK.
    int32_t MOST_NARROW "ENGINE2D_MOST_NARROW"
    double MOST_WORK "ENGINE2D_MOST_WORK"
    # Islands with joints are large when they have more rows, two a contact, than this.
    int32_t MOST_DIRECT_ROWS "ENGINE2D_MOST_DIRECT_ROWS"
    # Rounds of a part of a step in which islands may stop at a blow, and go on from there; after
    # these fast bodies wait for the next step. And rounds in which islands of thin bodies go on.
    int32_t ROUNDS "ENGINE2D_ROUNDS"
    int32_t MOST_ROUNDS "ENGINE2D_MOST_ROUNDS"
