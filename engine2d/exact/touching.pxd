"""Which features touch, and how far apart pairs of shapes are."""

from libc.stdint cimport int32_t

from engine2d.exact.run cimport Run, RunPair

# Find all links of the loaded state; those that were there keep their forces and modes. Returns how
# many there are, or -1 if there is no room for them: then nothing has changed.
cdef int32_t collect_links(Run* run) noexcept nogil

# Whether a pair that a one-way shape has not met before touches it from behind, or is inside it.
cdef bint is_sunk(Run* run, RunPair* pair) noexcept nogil

# Pairs that were let through and have parted are there again, in the loaded state.
cdef void part_pairs(Run* run) noexcept nogil

# Look at all pairs that can have come near in the loaded state, the end of a step; flags those that
# overlap, and features that have come near and parted (FLAG_DIP, still to be looked into).
# `reach` (m): how far apart features are remembered.
cdef void look_at_pairs(Run* run) noexcept nogil

# The deepest unlinked features of a pair in the loaded state: True if they overlap by more than the
# pair may; writes them into run.flags[k].probe.
cdef bint find_overlap(Run* run, int32_t pair, int32_t flag, double* gap) noexcept nogil

# How deep each pair is now: it may stay so.
cdef void allow_overlaps(Run* run) noexcept nogil

# A pair that was deep already is deeper at once, where other features face each other: it may be.
cdef void allow_jump(Run* run, int32_t pair) noexcept nogil

# Whether features that are no link overlap by more than their pair may.
cdef bint is_met(Run* run) noexcept nogil

# s, the longest step in which no pair can pass through each other unseen; from the loaded state.
cdef double longest_step(Run* run, double h) noexcept nogil

# Add to what bodies may have travelled, by the speeds at both ends of a step of length h.
cdef void note_speeds(Run* run) noexcept nogil
cdef void note_travel(Run* run, double h) noexcept nogil

# The step's end was looked at, but the run goes on from an earlier time.
cdef void note_return(Run* run) noexcept nogil
