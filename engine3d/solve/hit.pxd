"""Contacts of space that were struck in a step: told as events."""

from enginecore.hit cimport Hit, HitList, note_hit
from engine3d.contact cimport STRUCK, Contact
from engine3d.vec3 cimport Vec3


cdef inline void mark_struck(HitList* list, Contact* c, double speed, Vec3 point,
                             Vec3 normal) noexcept nogil:
    """A contact was struck at a speed of approach (m/s): the fastest blow of the step is told."""
    cdef Hit* hit
    c.flags |= STRUCK
    if speed > c.hit_speed:
        c.hit_speed = speed
    hit = note_hit(list, &c.hit, speed)
    if hit != NULL:
        hit.point[0], hit.point[1], hit.point[2] = point.x, point.y, point.z
        hit.normal[0], hit.normal[1], hit.normal[2] = normal.x, normal.y, normal.z
