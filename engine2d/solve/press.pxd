"""Kinematic bodies that press an island where there is no room."""

from engine2d.solve.sub_step cimport SubStep

# m/s, of the fastest kinematic body that an island leans on; 0 if it leans on nothing else: all can
# go along then.
cdef double press_speed(const SubStep* s) noexcept nogil

# Whether strikes made a body so much faster than a press of this speed (m/s) that it has no room.
cdef bint has_thrown(const SubStep* s, double speed) noexcept nogil

# Whether impulses that solve n rows, two a contact, leave one of them closing, since a kinematic
# body comes on where there is no room.
cdef bint is_jammed(const SubStep* s, int n) noexcept nogil

# From now on kinematic bodies stand in this piece.
cdef void let_stand(SubStep* s) noexcept nogil
