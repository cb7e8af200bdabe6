"""Small islands in and out; small_gather.pxd has the contract."""

from libc.stdint cimport int32_t
from libc.string cimport memset

from enginecore.body_head cimport DYNAMIC
from enginecore.constants cimport SPEED_RESERVE
from enginecore.scalar cimport greater
from engine3d.body cimport BodyData, Motion, Place
from engine3d.contact cimport OLD, Pair
from engine3d.joint.joint cimport JointData
from engine3d.joint.link_step cimport gather_links, scatter_links
from engine3d.quat cimport matrix_of
from engine3d.solve.cone cimport OPEN
from engine3d.solve.integrate cimport move_body, spin_of
from engine3d.solve.sub_step cimport SubBody, SubContact, set_speed, way_speed
from engine3d.vec3 cimport add_scaled, length, scaled, vec3


cdef int32_t add_sub_body(SubStep* s, int32_t row) noexcept nogil:
    cdef SubBody* body = &s.bodies[s.n_bodies]
    cdef const Motion* motion = &s.ctx.motions[row]
    cdef const Place* place = &s.ctx.places[row]
    cdef const BodyData* data = &s.ctx.bodies[row]
    memset(body, 0, sizeof(SubBody))
    body.row = row
    body.movable = s.ctx.heads[row].kind == DYNAMIC
    body.x, body.q, body.pose = place.x, place.q, place.pose
    body.v, body.w, body.L = motion.v, motion.w, motion.L
    body.local_center, body.bounding_radius = data.local_center, place.bounding_radius
    body.swept_radius = data.swept_radius
    if body.movable:
        body.inv_m = motion.inv_m
        body.root_m = data.mass ** 0.5
        body.inv_I, body.root, body.inv_root = data.inv_I, data.root, data.inv_root
    set_speed(body)
    # as boxes and margins were made
    body.allowed = (s.ctx.tol.margin + s.ctx.fall + motion.push
                    + SPEED_RESERVE * s.ctx.dt * way_speed(body))
    s.n_bodies += 1
    return s.n_bodies - 1


cdef void gather(SubStep* s, const int32_t* body_rows, int n_bodies, const int32_t* pair_numbers,
                 int n_pairs, int32_t* local_row) noexcept nogil:
    cdef Pair* pair
    cdef int k
    s.n_bodies, s.n_movable, s.n_contacts = 0, n_bodies, 0
    for k in range(n_bodies):
        local_row[body_rows[k]] = add_sub_body(s, body_rows[k])
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        if local_row[pair.a] < 0:
            local_row[pair.a] = add_sub_body(s, pair.a)
        if local_row[pair.b] < 0:
            local_row[pair.b] = add_sub_body(s, pair.b)


cdef void join(SubStep* s, const int32_t* joint_rows, int n, int32_t* local_row) noexcept nogil:
    cdef const JointData* joint
    cdef int32_t world = -1
    cdef int k
    for k in range(n):
        joint = &s.links.joints[joint_rows[k]]
        if joint.head.a >= 0 and local_row[joint.head.a] < 0:
            local_row[joint.head.a] = add_sub_body(s, joint.head.a)
        if joint.head.b >= 0 and local_row[joint.head.b] < 0:
            local_row[joint.head.b] = add_sub_body(s, joint.head.b)
        if world < 0 and (joint.head.a < 0 or joint.head.b < 0):
            world = s.n_bodies
            memset(&s.bodies[world], 0, sizeof(SubBody))
            s.bodies[world].row = -1
            s.bodies[world].q.w = 1.0
            s.bodies[world].pose.r = matrix_of(s.bodies[world].q)
            s.n_bodies += 1
    gather_links(s, joint_rows, n, local_row, world)


cdef void list_contacts(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                        const int32_t* local_row) noexcept nogil:
    cdef Pair* pair
    cdef SubContact* m
    cdef int k, i
    s.n_contacts = 0
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        for i in range(pair.n):
            m = &s.contacts[s.n_contacts]
            m.c, m.pair = &s.ctx.contacts[pair.first + i], pair
            m.a, m.b = local_row[pair.a], local_row[pair.b]
            m.time = -1.0
            if not m.c.flags & OLD:
                m.c.fn = 0.0
                m.c.ft = vec3(0.0, 0.0, 0.0)
                m.c.mode = OPEN
                m.c.flags |= OLD
            s.n_contacts += 1


cdef void scatter(SubStep* s, int32_t* local_row) noexcept nogil:
    cdef const SubBody* body
    cdef Motion* motion
    cdef int k
    if s.links != NULL:
        scatter_links(s)
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        if body.row >= 0:
            local_row[body.row] = -1
        if not body.movable:
            continue
        motion = &s.ctx.motions[body.row]
        motion.v, motion.L, motion.w = body.v, body.L, body.w
        move_body(&s.ctx.bodies[body.row], body.x, body.q, motion, &s.ctx.places[body.row])


cdef void set_forces(SubStep* s, double whole) noexcept nogil:
    cdef SubBody* body
    cdef const BodyData* data
    cdef int k
    s.force = length(s.ctx.gravity)
    s.driven = False
    s.origin = s.bodies[0].x
    for k in range(s.n_movable, s.n_bodies):
        s.driven = s.driven or s.bodies[k].speed != 0.0
    for k in range(s.n_movable):
        body = &s.bodies[k]
        data = &s.ctx.bodies[body.row]
        body.outer = add_scaled(scaled(data.gravity_scale, s.ctx.gravity), body.inv_m, data.force)
        body.torque = data.torque
        s.force = greater(s.force, length(body.outer))
        if body.torque.x != 0.0 or body.torque.y != 0.0 or body.torque.z != 0.0:
            s.driven = True
            s.force = greater(s.force, length(body.outer) + body.bounding_radius * length(
                spin_of(&body.pose.r, &body.inv_I, body.torque)))
    # what a body at rest picks up in a sub-step is no approach
    s.threshold = 2.0 * s.force * whole
