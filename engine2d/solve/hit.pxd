"""Contacts of the plane that were struck in a step: told as events."""

from engine2d.contact_data cimport STRUCK, Contact
from engine2d.vec2 cimport Vec2
from enginecore.hit cimport Hit, HitList, note_hit


cdef inline void mark_struck(HitList* list, Contact* c, double speed, Vec2 point,
                             Vec2 normal) noexcept nogil:
    """A contact was struck at a speed of approach (m/s): the fastest blow of the step is told."""
    cdef Hit* hit
    c.flags = c.flags | STRUCK
    hit = note_hit(list, &c.hit, speed)
    if hit != NULL:
        hit.point[0], hit.point[1] = point.x, point.y
        hit.normal[0], hit.normal[1] = normal.x, normal.y
