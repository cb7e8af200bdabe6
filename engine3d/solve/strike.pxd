"""Stage impact of small islands: contacts that have closed and approach fast are struck."""

from engine3d.collide.narrow_phase cimport Touch
from engine3d.contact cimport Pair
from engine3d.pose cimport Pose
from engine3d.solve.sub_step cimport SubStep

# Strike until nothing that has closed approaches faster than the threshold. Changes velocities and
# the contacts' sums; whether anything was struck.
cdef bint strike_closed(SubStep* s) noexcept nogil

# The nearest points of a pair's shapes in these poses, one on the plane through the other; false of
# those that overlap, and of what has no inside.
cdef bint touch_nearest(const SubStep* s, const Pair* pair, const Pose* pose_a,
                        const Pose* pose_b, Touch* out) noexcept nogil
