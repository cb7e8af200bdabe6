"""Features end: whether what a contact is made of is there (docs/maths/time_of_impact.md).

`refresh` follows an edge beyond its ends and a corner beyond its normals. A contact may be struck
or held only where its features face each other; elsewhere it is void, or its pair meets other ones.
"""

from engine2d.contact cimport Contact, Pair
from engine2d.collide.narrow_phase cimport Touch
from engine2d.pose cimport Pose
from engine2d.solve.step_context cimport StepContext
from engine2d.collide.time_of_impact cimport Sweep
from engine2d.vec2 cimport Vec2

# Whether the features of a contact that is up to date with these poses face each other: the foot is
# on the edge, to within the tolerance of touch, and the normal is one of an arc's. What is seen
# from behind, deep in an edge or beyond a hollow arc, faces nothing where the shapes are apart.
cdef bint faces(const StepContext* ctx, const Contact* c, const Pose* pa,
                const Pose* pb) noexcept nogil

# Whether the features of a contact overlap by more than `deep` (m), and its shapes do not: what has
# flown past an edge is behind it, and what comes from afar to the inside of an arc is beyond it.
cdef bint are_apart(const StepContext* ctx, const Contact* c, double deep, const Pose* pa,
                    const Pose* pb) noexcept nogil

# Whether two corners face each other, by the normals that they have: beyond these the edges beside
# them meet first.
cdef bint corners_face(const StepContext* ctx, const Contact* c, const Pose* pa,
                       const Pose* pb) noexcept nogil

# The nearest features of the shapes of a contact, at these poses; False: there are none.
cdef bint find_nearest(const StepContext* ctx, const Contact* c, const Pose* pa, const Pose* pb,
                       Touch* out) noexcept nogil

# How far apart the shapes of a contact are at these poses (m); < 0: they overlap.
cdef double nearest_gap(const StepContext* ctx, const Contact* c, const Pose* pa,
                        const Pose* pb) noexcept nogil

# When the shapes of a contact meet on these ways within `duration` (s); < 0: they do not. 0: they
# touch at the beginning.
cdef double time_to_meet(const StepContext* ctx, const Contact* c, const Sweep* wa,
                         const Sweep* wb, double duration) noexcept nogil

# Whether one of a contact's shapes is an outline: edges in numbers, inner corners, lines.
cdef bint has_outline(const StepContext* ctx, const Contact* c) noexcept nogil

# Whether the immovable one of a contact's shapes is a hull: floors of several pieces have seams.
cdef bint is_on_hull(const StepContext* ctx, const Contact* c) noexcept nogil

# For large islands, which hold contacts by point and normal through a piece of `dt` (s): see that
# an open contact that closes along its straight line is what its pair meets. Else it becomes that,
# with the time of it (toi), and its pair is looked at once more after the piece.
cdef void confirm_open(StepContext* ctx, Contact* c, double dt) noexcept nogil

# After the piece: a contact that confirm_open changed gets the features that are nearest now.
cdef void follow_up(const StepContext* ctx, Contact* c) noexcept nogil

# Whether a contact is with a face of something static, that a body stands on or will; its normal.
cdef bint is_floor(const StepContext* ctx, const Contact* c, Vec2* up) noexcept nogil

# Whether a contact of a static shape is hidden behind a floor: the shape does not rise above that
# face, and the contact pushes along it, or is of its corner.
cdef bint is_hidden(const StepContext* ctx, const Contact* c, const Contact* floor) noexcept nogil

# Whether a pair of a body with something static has not met, though it may have touched on its way:
# the body stands on a face of something static, which this contact is with, and is still above it
# after the piece; and the static shape of the pair does not rise above that face.
cdef bint has_stayed_above(const StepContext* ctx, const Pair* pair,
                           const Contact* floor) noexcept nogil
