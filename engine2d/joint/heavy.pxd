"""Contacts that bear much more than the jointed body they bear on: solved together, as the joints
let them be felt.

Sweeps around a factor learn slowly what a bridge bears: each gives a contact what one plank would.
These few know, by a solve of the joints for each of their rows, what the whole assembly answers.
docs/maths/joints.md.
"""

from engine2d.joint.assembly_step cimport Linked

# After the contacts' rows are written: which of them bear so much.
cdef void find_heavy(Linked* s) noexcept nogil

# What unit impulses of their rows change in each other's rates, while joints hold; after
# `swept.weigh_contacts`.
cdef void weigh_heavy(Linked* s) noexcept nogil

# Solve them with the motions there are, in which joints hold; joints have to be solved afterwards.
cdef void solve_heavy(Linked* s) noexcept nogil
