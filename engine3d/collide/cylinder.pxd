"""Contacts of cylinders as round things: on planes, on faces of solids, with balls."""

from engine3d.collide.geometry cimport Geometry
from engine3d.collide.narrow_phase cimport Touch
from engine3d.pose cimport Pose

# As find_contacts, A being a cylinder and B a half space. rel: pose of A in B's frame. Touches are
# not yet refreshed.
cdef int cylinder_on_plane(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                           Touch* out) noexcept nogil

# Of a cylinder on a face of a solid or on an end of another cylinder: the rims of where it lies
# above the face, or four points of the end that it stands on. of_b: the reference is B's, and rel
# the pose of the cylinder in its frame; else it is A's, and rel its own pose in the cylinder's.
# None where that does not tell how it rests on the face: beside it, or standing over its edge.
cdef int cylinder_on_face(const Geometry* reference, const Geometry* cylinder, const Pose* rel,
                          int face, bint of_b, double margin, Touch* out) noexcept nogil

# As find_contacts, A being a sphere and B a cylinder.
cdef int ball_on_cylinder(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                          Touch* out) noexcept nogil
