"""Joints in a sub-step of a small island: with its contacts in one problem."""

from engine2d.solve.sub_step cimport SubStep

# The sub-step bodies as their joints see them, where they are now.
cdef void see_riders(SubStep* s) noexcept nogil

# Rows of all joints at mid-step, after those of the contacts.
cdef void prepare_joints(SubStep* s) noexcept nogil

# All rows at once, with the inertia that tension gives, which follows from the forces of the same
# solve.
cdef void solve_linked(SubStep* s) noexcept nogil

# What the springs hold: into the account of a piece when it begins, and out of it when it ends.
cdef void open_springs(SubStep* s) noexcept nogil
cdef void close_springs(SubStep* s) noexcept nogil
