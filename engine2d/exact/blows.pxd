"""Impacts at one moment: blow by blow where they bounce, together where they do not."""

from engine2d.exact.run cimport Run

# Strike all links that approach in the loaded state until none does, and write the new velocities
# into y. Hits are recorded; there must be room for 64 + 16 a link. False if that failed.
cdef bint strike_all(Run* run, double* y) noexcept nogil

# Give an impulse without collision to a sliding link whose friction presses it harder than it can
# be pushed away (Painleve); True if there was one.
cdef bint strike_paradox(Run* run, double* y) noexcept nogil

# Where modes have no forces though no single link is a paradox: links whose slip friction would end
# within some tolerances stop at once, and are `held`. False if there is none, or it failed.
cdef bint stop_slips(Run* run, double* y) noexcept nogil
