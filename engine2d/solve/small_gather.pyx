"""Small islands in and out; small_gather.pxd has the contract."""

from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.string cimport memset

from engine2d.body cimport DYNAMIC, KINEMATIC, STATIC, Motion, Place
from engine2d.collide.facing cimport is_floor, is_hidden
from engine2d.contact cimport ASLEEP, OLD, STRUCK, YIELDING, Contact
from engine2d.joint.link cimport Link, Rider
from engine2d.solve.integrate cimport move_body, place_kinematic
from engine2d.solve.row cimport AT_LOW, INSIDE
from engine2d.solve.sub_step cimport SubBody, SubContact
from engine2d.vec2 cimport Vec2, length, vec2

# Share of its thickness that a struck body may stray from its way within a step before it is looked
# at again: it meets then what it did not face when the step began.
cdef double FREE_WAY = 0.25


cdef int32_t add_sub_body(SubStep* s, int32_t row) noexcept nogil:
    cdef SubBody* body = &s.bodies[s.n_bodies]
    cdef const Motion* motion = &s.ctx.motions[row]
    cdef const Place* place = &s.ctx.places[row]
    body.row = row
    body.movable = s.ctx.bodies[row].kind == DYNAMIC
    body.x, body.angle, body.pose = place.x, place.angle, place.pose
    body.v, body.w = motion.v, motion.w
    body.inv_m = motion.inv_m if body.movable else 0.0
    body.inv_I = motion.inv_I if body.movable else 0.0
    body.local_center, body.bounding_radius = s.ctx.bodies[row].local_center, place.bounding_radius
    body.swept_radius = s.ctx.bodies[row].swept_radius
    body.free_way = FREE_WAY * s.ctx.bodies[row].thickness
    body.through = body.movable and not s.ctx.left[row] > 0.0
    body.waits = body.through
    body.struck_dv = 0.0
    body.carried_by = -1
    body.a = body.outer = vec2(0.0, 0.0)
    body.alpha = body.outer_turn = body.consumed = 0.0
    body.speed = length(body.v) + fabs(body.w) * body.bounding_radius
    s.n_bodies += 1
    return s.n_bodies - 1


cdef int32_t add_support(SubStep* s, int32_t row, double start) noexcept nogil:
    """A body that is not dynamic, where it is at this time (s) of the step."""
    if s.ctx.bodies[row].kind == KINEMATIC:
        place_kinematic(&s.ctx.bodies[row], &s.ctx.motions[row], &s.ctx.before[row], start,
                        &s.ctx.places[row])
    return add_sub_body(s, row)


cdef int32_t find_sub_body(SubStep* s, int32_t row, bint stands, double start,
                           int32_t* local_row) noexcept nogil:
    """The sub-step body of a row; stands: one of its own that stands, of a kinematic body."""
    cdef int32_t k
    if stands and s.ctx.bodies[row].kind == KINEMATIC:
        k = add_support(s, row, start)
        s.bodies[k].v, s.bodies[k].w, s.bodies[k].speed = vec2(0.0, 0.0), 0.0, 0.0
        return k
    if local_row[row] < 0:
        local_row[row] = add_support(s, row, start)
    return local_row[row]


cdef void gather(SubStep* s, const int32_t* body_rows, int n_bodies,
                 const int32_t* contact_indices, int n_contacts, double start,
                 int32_t* local_row) noexcept nogil:
    cdef SubContact* m
    cdef Contact* c
    cdef int k
    s.n_bodies, s.n_movable, s.n_contacts = 0, n_bodies, n_contacts
    for k in range(n_bodies):
        local_row[body_rows[k]] = add_sub_body(s, body_rows[k])
    for k in range(n_contacts):
        m = &s.contacts[k]
        m.contact = contact_indices[k]
        c = &s.ctx.contacts[m.contact]
        m.yields = s.ctx.pairs[c.pair].flags & YIELDING != 0
        m.a = find_sub_body(s, c.a, m.yields, start, local_row)
        m.b = find_sub_body(s, c.b, m.yields, start, local_row)
        m.fresh, m.ready = True, False
        if c.flags & ASLEEP:
            c.sum_n = c.sum_t = 0.0
            c.hit = 0
            c.flags = c.flags & ~(ASLEEP | STRUCK)
        if not c.flags & OLD:
            c.fn = c.ft = 0.0
            c.mode_n, c.mode_t = AT_LOW, INSIDE


cdef inline SubBody* body_on_static(SubStep* s, const SubContact* m) noexcept nogil:
    """The body that a contact holds against something static; NULL: there is none."""
    cdef const Contact* c = &s.ctx.contacts[m.contact]
    if s.ctx.bodies[c.a].kind == STATIC:
        return &s.bodies[m.b]
    return &s.bodies[m.a] if s.ctx.bodies[c.b].kind == STATIC else NULL


cdef void hide_seams(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef SubContact* m
    cdef const Contact* c
    cdef Vec2 up
    cdef bint several = False
    cdef int k, j
    for k in range(s.n_movable):
        s.bodies[k].floors[0] = s.bodies[k].floors[1] = -1
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.hidden = False
        body = body_on_static(s, m)
        if body == NULL:
            continue
        if body.floors[0] < 0:
            body.floors[0] = m.contact
        elif s.ctx.contacts[body.floors[0]].pair != s.ctx.contacts[m.contact].pair:
            several = True
    if not several:
        return
    for k in range(s.n_movable):
        s.bodies[k].floors[0] = -1
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        body = body_on_static(s, m)
        if body == NULL or body.floors[1] >= 0 or not is_floor(s.ctx, c, &up):
            continue
        if body.floors[0] < 0:
            body.floors[0] = m.contact
        elif s.ctx.contacts[body.floors[0]].pair != c.pair:
            body.floors[1] = m.contact
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        body = body_on_static(s, m)
        if body == NULL:
            continue
        for j in range(2):
            if (body.floors[j] >= 0 and not m.hidden
                    and is_hidden(s.ctx, &s.ctx.contacts[m.contact],
                                  &s.ctx.contacts[body.floors[j]])):
                m.hidden = True
                s.ctx.pairs[s.ctx.contacts[m.contact].pair].recycling_margin = -1.0


cdef int32_t add_world(SubStep* s) noexcept nogil:
    """The world as a sub-step body that joints hold on to."""
    cdef SubBody* body = &s.bodies[s.n_bodies]
    memset(body, 0, sizeof(SubBody))
    body.row = body.carried_by = -1
    body.pose.q = vec2(1.0, 0.0)
    s.n_bodies += 1
    return s.n_bodies - 1


cdef void gather_joints(SubStep* s, JointData* joints, const int32_t* joint_rows, double start,
                        int32_t* local_row) noexcept nogil:
    cdef Link* link
    cdef int32_t k, row, world = -1
    cdef int side
    for k in range(s.n_links):
        link = &s.links[k]
        link.joint = &joints[joint_rows[k]]
        link.first, link.n = 2 * s.n_contacts + s.n_link_rows, link.joint.head.n_rows
        s.n_link_rows += link.n
        link.worked = link.joint.head.work
        memset(link.implicit, 0, sizeof(link.implicit))
        for side in range(2):
            row = link.joint.head.b if side else link.joint.head.a
            if row < 0 and world < 0:
                world = add_world(s)
            elif row >= 0 and local_row[row] < 0:
                local_row[row] = add_support(s, row, start)
        link.a = world if link.joint.head.a < 0 else local_row[link.joint.head.a]
        link.b = world if link.joint.head.b < 0 else local_row[link.joint.head.b]
    if s.n_links > 0:
        for k in range(s.n_bodies):
            memset(&s.riders[k], 0, sizeof(Rider))
            if s.bodies[k].row >= 0:
                s.riders[k].last_w = s.ctx.bodies[s.bodies[k].row].last_w


cdef void forget_rows(SubStep* s, int32_t* local_row) noexcept nogil:
    cdef int k
    for k in range(s.n_bodies):
        if s.bodies[k].row >= 0:
            local_row[s.bodies[k].row] = -1


cdef void scatter(SubStep* s) noexcept nogil:
    cdef const SubBody* body
    cdef Motion* motion
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        motion = &s.ctx.motions[body.row]
        motion.v, motion.w = body.v, body.w
        if s.n_links > 0:
            s.ctx.bodies[body.row].last_w = s.riders[k].last_w
        move_body(&s.ctx.bodies[body.row], body.x, body.angle, motion, &s.ctx.places[body.row])
