# distutils: include_dirs = engine3d/solve enginecore
"""Is a state of space that was read from a pickle one that a world can have been in?

What any dimension has is looked at by enginecore.state_check and enginecore.head_check.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t


from enginecore.body_head cimport DYNAMIC, FIXED_ROTATION, STATIC, BodyHead
from enginecore.constants cimport LARGEST_UNIT, SMALLEST_UNIT
from enginecore.handle_table cimport Entry
from enginecore.head_check cimport (
    Items, check_body_head, check_joint_heads, check_pair_heads, check_shape_heads)
from enginecore.memory cimport address
from enginecore.mix cimport MIX_PRODUCT
from enginecore.pair_table cimport high_of, low_of
from engine3d.arguments cimport FARTHEST, FASTEST, HEAVIEST, LIGHTEST
from engine3d.body cimport BodyData, Motion, Place
from engine3d.collide.geometry cimport PLANE
from engine3d.collide.narrow_phase cimport FACE_RIM, MOST_POINTS, AxisCache, Touch
from engine3d.contact cimport Contact, Pair, StepContext
from engine3d.joint.joint cimport MOST_HARD, MOST_ROWS, N_KINDS, JointData
from engine3d.mass cimport from_principal, principal
from engine3d.pose cimport to_world
from engine3d.quat cimport Quat, matrix_of
from engine3d.shape cimport Shape
from engine3d.solve.cone cimport SLIDE
from engine3d.store cimport ShapeData
from engine3d.vec3 cimport Mat3, Vec3, diagonal, length, sub, vec3

from engine3d.joint import Joint
from enginecore.state_check import (
    LISTS as _LISTS, check_boxes, check_digest, check_settings, check_tables,
    digest_of as any_digest, refuse,
    take_boxes, take_items)

# Share of the numbers at hand by which values that follow from others may differ from them.
cdef double ROUNDING = 1e-9
cdef double MOST_TIME = 1e300    # s
cdef double MOST_FORCE = 1e250   # N, N s, J: beyond, squares leave the range of doubles
cdef double MOST_BOX = 1e15      # m
cdef enum:
    MOST_PAIR_FLAGS = 8192   # flags of pairs are bits below this
    MOST_CONTACT_FLAGS = 4

# The arrays of bytes and the size of what they hold.
cdef dict ITEMS = {"heads": sizeof(BodyHead), "motions": sizeof(Motion), "places": sizeof(Place),
                   "bodies": sizeof(BodyData), "entries": sizeof(Entry),
                   "shapes": sizeof(ShapeData), "contacts": sizeof(Contact),
                   "pairs": sizeof(Pair), "context": sizeof(StepContext),
                   "joints": sizeof(JointData), "joint_entries": sizeof(Entry)}
cdef tuple VALUES = ("boxes", "gravity", "unit", "time", "steps", "sleeping", "solver",
                     "time_scale", "margin", "generations", "joint_span", "passes",
                     "disturbed")


def digest_of(state):
    """What tells a state from any other, whatever its data."""
    return any_digest(state, (*ITEMS, *_LISTS, *VALUES))


cdef inline bint is_within(Vec3 v, double most) noexcept nogil:
    """Whether no component exceeds a bound; false for NaN."""
    return fabs(v.x) <= most and fabs(v.y) <= most and fabs(v.z) <= most


cdef inline bint is_near(const Mat3* a, const Mat3* b) noexcept nogil:
    """Whether two matrices are the same to rounding."""
    cdef double size = length(b.x) + length(b.y) + length(b.z)
    return (length(sub(a.x, b.x)) + length(sub(a.y, b.y)) + length(sub(a.z, b.z))
            <= ROUNDING * size)


cdef class Given:
    """A state under examination, with typed pointers into private copies of its arrays."""

    cdef dict state
    cdef BodyHead* heads
    cdef Motion* motions
    cdef Place* places
    cdef BodyData* bodies
    cdef ShapeData* shapes
    cdef Contact* contacts
    cdef Pair* pairs
    cdef JointData* joints
    cdef int32_t n_bodies
    cdef int32_t n_ids
    cdef int32_t n_shapes
    cdef int32_t n_slots
    cdef int32_t n_pairs
    cdef int32_t n_joints

    cdef int take(self, object given) except -1:
        state = take_items(given, ITEMS, ("context",), _LISTS, VALUES)
        self.state = state
        self.n_bodies, self.n_ids = self.count("heads"), self.count("entries")
        self.n_shapes, self.n_slots = self.count("shapes"), self.count("contacts")
        self.n_pairs, self.n_joints = self.count("pairs"), self.count("joints")
        for name in ("motions", "places", "bodies"):
            if self.count(name) != self.n_bodies:
                refuse(f"{name} must be as many as heads", self.count(name))
        if len(state["shape_objects"]) != self.n_shapes:
            refuse("shape_objects must be as many as shapes", len(state["shape_objects"]))
        state["boxes"] = take_boxes(state["boxes"], self.n_shapes)
        self.heads = <BodyHead*> address(state["heads"])
        self.motions = <Motion*> address(state["motions"])
        self.places = <Place*> address(state["places"])
        self.bodies = <BodyData*> address(state["bodies"])
        self.shapes = <ShapeData*> address(state["shapes"])
        self.contacts = <Contact*> address(state["contacts"])
        self.pairs = <Pair*> address(state["pairs"])
        self.joints = <JointData*> address(state["joints"])
        return 0

    cdef int32_t count(self, str name) except -1:
        return self.state[name].nbytes // ITEMS[name]

    cdef Items items(self, str name):
        """The items of an array by their heads."""
        cdef Items out
        out.first, out.size = <char*> address(self.state[name]), ITEMS[name]
        out.n = self.count(name)
        return out


# ---- the world --------------------------------------------------------------------------------

cdef int check_own_settings(dict state) except -1:
    """Numbers of the world itself that other worlds do not have."""
    if type(state["unit"]) is not float or not SMALLEST_UNIT <= state["unit"] <= LARGEST_UNIT:
        refuse("unit must be a number within bounds", state["unit"])
    if type(state["generations"]) is not int or not 0 <= state["generations"] < 1 << 32:
        refuse("generations must be a whole number >= 0", state["generations"])
    return 0


cdef int check_context(StepContext* ctx) except -1:
    """What the last step left for the next. Addresses in it are not looked at, and new in a world.
    """
    if ctx.friction_cone != 0 and not 3 <= ctx.friction_cone <= 64:
        refuse("friction_cone must be 0 or from 3 to 64", ctx.friction_cone)
    for rule in (ctx.mix_friction, ctx.mix_restitution):
        if not 0 <= rule <= MIX_PRODUCT:
            refuse("rules must be those there are", rule)
    for value in (ctx.dt, ctx.fall, ctx.tol.touch, ctx.tol.slop, ctx.tol.margin, ctx.tol.near):
        if not 0.0 <= value <= FARTHEST:
            refuse("times and tolerances must be >= 0 and within bounds", value)
    if not is_within(ctx.gravity, FASTEST):
        refuse("gravity must be within bounds")
    return 0


# ---- bodies and shapes ------------------------------------------------------------------------

cdef int check_shapes(Given g) except -1:
    """Shapes are whole, their numbers within bounds, and bodies have those that are theirs."""
    cdef int32_t id
    cdef ShapeData* shape
    check_shape_heads(g.items("heads"), g.items("shapes"),
                      <const uint8_t*> address(g.state["boxes"][3]), g.state["shape_objects"],
                      Shape)
    for id in range(g.n_shapes):
        shape, item = &g.shapes[id], g.state["shape_objects"][id]
        shape.geometry = NULL if item is None else &(<Shape> item).geometry
        if not 0 <= shape.sensor <= 1 or not 0 <= shape.renewed <= 1:
            refuse(f"shape {id} must be a sensor or none")
        if not (0.0 <= shape.friction < INFINITY and 0.0 <= shape.restitution <= 1.0
                and 0.0 <= shape.rolling < INFINITY and 0.0 <= shape.spinning < INFINITY
                and 0.0 <= shape.boost < INFINITY and is_within(shape.surface, FASTEST)
                and is_within(shape.through, 2.0)):
            refuse(f"the numbers of shape {id} must be those of a shape")
        if shape.body >= 0 and shape.geometry.kind < PLANE and not (
                length(shape.geometry.middle) + shape.geometry.bounding_radius <= FARTHEST):
            refuse(f"shape {id} must be within bounds")
    return 0


cdef int check_bodies(Given g) except -1:
    """Numbers of the bodies: within bounds, and in agreement with each other."""
    cdef int32_t row
    cdef const BodyHead* head
    cdef const BodyData* body
    cdef const Motion* motion
    for row in range(g.n_bodies):
        head, body, motion = &g.heads[row], &g.bodies[row], &g.motions[row]
        check_body_head(head, row)
        if not (is_within(motion.v, FASTEST) and is_within(motion.w, FASTEST)
                and is_within(motion.d, 4.0 * FARTHEST) and is_within(motion.L, MOST_FORCE)
                and 0.0 <= motion.push <= MOST_TIME):
            refuse(f"the motion of body {row} must be within bounds")
        if head.kind == STATIC and (length(motion.v) != 0.0 or length(motion.w) != 0.0):
            refuse(f"body {row} is static and must not move")
        if not (fabs(body.gravity_scale) <= FASTEST and 0.0 <= body.linear_damping < INFINITY
                and 0.0 <= body.angular_damping < INFINITY
                and is_within(body.force, MOST_FORCE) and is_within(body.torque, MOST_FORCE)
                and is_within(body.last_w, 4.0 * FASTEST)
                and is_within(body.local_center, FARTHEST)):
            refuse(f"the settings of body {row} must be within bounds")
        check_mass(g, row)
        check_place(g, row)
    return 0


cdef int check_mass(Given g, int32_t row) except -1:
    """Mass and inertia, and the tensors that the solvers use, which follow from them."""
    cdef const BodyData* body = &g.bodies[row]
    cdef const Mat3* I = &body.inertia
    cdef bint moves = g.heads[row].kind == DYNAMIC
    cdef bint turns = moves and not g.heads[row].flags & FIXED_ROTATION
    cdef Mat3 axes, inverse, root, inv_root
    cdef Vec3 m
    if not (0.0 <= body.mass < INFINITY and is_within(I.x, HEAVIEST * 1e12)
            and is_within(I.y, HEAVIEST * 1e12) and is_within(I.z, HEAVIEST * 1e12)):
        refuse(f"the mass of body {row} must be finite and >= 0", body.mass)
    if moves and not LIGHTEST <= body.mass <= HEAVIEST:
        refuse(f"the mass of body {row}, which is dynamic, must be within bounds", body.mass)
    if g.motions[row].inv_m != (1.0 / body.mass if moves else 0.0):
        refuse(f"the inverse mass of body {row} must be that of its mass")
    inverse = root = inv_root = diagonal(0.0, 0.0, 0.0)
    if turns:
        if not (fabs(I.x.y - I.y.x) + fabs(I.x.z - I.z.x) + fabs(I.y.z - I.z.y)
                <= ROUNDING * (I.x.x + I.y.y + I.z.z)):
            refuse(f"the inertia of body {row} must be symmetric")
        principal(I, &m, &axes)
        if not (LIGHTEST <= m.x <= HEAVIEST and LIGHTEST <= m.y <= HEAVIEST
                and LIGHTEST <= m.z <= HEAVIEST):
            refuse(f"the moments of inertia of body {row} must be within bounds", (m.x, m.y, m.z))
        inverse = from_principal(&axes, vec3(1.0 / m.x, 1.0 / m.y, 1.0 / m.z))
        m = vec3(m.x ** 0.5, m.y ** 0.5, m.z ** 0.5)
        inv_root = from_principal(&axes, m)
        root = from_principal(&axes, vec3(1.0 / m.x, 1.0 / m.y, 1.0 / m.z))
    if not (is_near(&body.inv_I, &inverse) and is_near(&body.root, &root)
            and is_near(&body.inv_root, &inv_root)):
        refuse(f"the inverse inertia of body {row} must be that of its inertia")
    return 0


cdef int check_place(Given g, int32_t row) except -1:
    """Where a body is: centre, frame and orientation agree, and its shapes are within its reach."""
    cdef const Place* place = &g.places[row]
    cdef const BodyData* body = &g.bodies[row]
    cdef int32_t id = g.heads[row].first_shape
    cdef const Quat* q = &place.q
    cdef Mat3 turned
    cdef Vec3 x
    cdef double reach = 0.0, least = INFINITY
    if not (is_within(place.x, FARTHEST) and is_within(place.pose.p, 3.0 * FARTHEST)
            and is_within(place.pose.r.x, 2.0) and is_within(place.pose.r.y, 2.0)
            and is_within(place.pose.r.z, 2.0)
            and fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) <= ROUNDING):
        refuse(f"the place of body {row} must be within bounds")
    turned = matrix_of(q[0])
    if not is_near(&place.pose.r, &turned):
        refuse(f"the frame of body {row} must be turned by its orientation")
    x = to_world(&place.pose, body.local_center)
    if not length(sub(x, place.x)) <= ROUNDING * (1.0 + length(x) + length(body.local_center)):
        refuse(f"the centre of body {row} must be where its frame says")
    while id != -1:
        least = min(least, g.shapes[id].geometry.thickness)
        if g.shapes[id].geometry.kind < PLANE:
            reach = max(reach, g.shapes[id].geometry.bounding_radius + length(
                sub(g.shapes[id].geometry.middle, body.local_center)))
        id = g.shapes[id].next_shape
    if not (reach * (1.0 - ROUNDING) <= place.bounding_radius <= 4.0 * FARTHEST
            and 0.0 <= body.swept_radius <= place.bounding_radius * (1.0 + ROUNDING)
            and 0.0 <= body.thickness <= least):
        refuse(f"the reach of body {row} must be that of its shapes",
               (place.bounding_radius, body.swept_radius, body.thickness))
    return 0


# ---- pairs and contacts -----------------------------------------------------------------------

cdef bint is_axis_cache(const AxisCache* cache) noexcept nogil:
    return (0 <= cache.known <= 1 and is_within(cache.axis, 2.0) and cache.clear == cache.clear
            and cache.beside == cache.beside)


cdef int check_pairs(Given g) except -1:
    """Pairs are of two shapes, and what they remember is within bounds."""
    cdef int32_t k
    cdef Pair* pair
    check_pair_heads(g.items("pairs"), g.n_ids, g.n_slots, MOST_POINTS, MOST_PAIR_FLAGS, True,
                     g.state["shape_objects"])
    for k in range(g.n_pairs):
        pair = &g.pairs[k]
        if not (0.0 <= pair.rolling < INFINITY and 0.0 <= pair.spinning < INFINITY
                and is_within(pair.surface_a, FASTEST)
                and is_within(pair.surface_b, FASTEST) and is_within(pair.torque, MOST_FORCE)
                and is_within(pair.cached_pose.p, 1e14) and is_within(pair.cached_pose.r.x, 2.0)
                and is_within(pair.cached_pose.r.y, 2.0) and is_within(pair.cached_pose.r.z, 2.0)
                and fabs(pair.gone.sum_n) <= MOST_FORCE and fabs(pair.gone.speed) <= MOST_FORCE
                and is_within(pair.gone.point, MOST_FORCE) and is_within(pair.gone.normal, 2.0)
                and is_axis_cache(&pair.cache)):
            refuse(f"the numbers of pair {k} must be within bounds")
        # rows are found anew by the next step
        pair.a = max(0, g.shapes[low_of(pair.key)].body)
        pair.b = max(0, g.shapes[high_of(pair.key)].body)
    return 0


cdef bint is_touch(const Touch* at) noexcept nogil:
    """Whether a contact is one that can be brought up to date: features of known kinds."""
    return (0 <= at.kind <= FACE_RIM and is_within(at.point, 4.0 * FARTHEST)
            and fabs(length(at.normal) - 1.0) <= 1e-6 and fabs(at.gap) <= 4.0 * FARTHEST
            and is_within(at.c1, 4.0 * FARTHEST) and is_within(at.c2, 4.0 * FARTHEST)
            and is_within(at.d1, 2.0) and is_within(at.d2, 2.0)
            and fabs(at.r1) <= FARTHEST and fabs(at.r2) <= FARTHEST)


cdef int check_contacts(Given g) except -1:
    """Contacts have features of known kinds and finite forces."""
    cdef int64_t k
    cdef int32_t i
    cdef const Contact* c
    for k in range(g.n_pairs):
        for i in range(g.pairs[k].first, g.pairs[k].first + g.pairs[k].n):
            c = &g.contacts[i]
            if not 0 <= c.mode <= SLIDE or not 0 <= c.flags < MOST_CONTACT_FLAGS:
                refuse(f"mode and flags of contact {i} must be those there are", (c.mode, c.flags))
            if not (0.0 <= c.fn <= MOST_FORCE and is_within(c.ft, MOST_FORCE)
                    and fabs(c.sum_n) <= MOST_FORCE and is_within(c.sum_t, MOST_FORCE)
                    and 0.0 <= c.hit_speed <= MOST_FORCE and 0 <= c.hit):
                refuse(f"the numbers of contact {i} must be within bounds")
            if not is_touch(&c.at):
                refuse(f"contact {i} must be between features of its shapes")
    return 0


# ---- joints -----------------------------------------------------------------------------------

cdef int check_joints(Given g) except -1:
    """Joints have bodies of the state and numbers within bounds."""
    cdef int32_t k, i
    cdef JointData* at
    cdef double turned
    cdef const Entry* entries = <const Entry*> address(g.state["entries"])
    check_joint_heads(g.items("joints"), g.items("entries"), N_KINDS, MOST_ROWS, FARTHEST)
    for k in range(g.n_joints):
        at = &g.joints[k]
        if bin(at.head.hard).count("1") > MOST_HARD:
            refuse(f"joint {k} must be of a kind", at.head.kind)
        # rows are found anew by the next step
        at.head.a = entries[at.head.body_a].row if at.head.body_a >= 0 else -1
        at.head.b = entries[at.head.body_b].row if at.head.body_b >= 0 else -1
        turned = (at.turn.w * at.turn.w + at.turn.x * at.turn.x + at.turn.y * at.turn.y
                  + at.turn.z * at.turn.z)
        if not (is_within(at.anchor_a, FARTHEST) and is_within(at.anchor_b, FARTHEST)
                and is_within(at.axis, 2.0) and is_within(at.axis_b, 2.0) and turned <= 2.0):
            refuse(f"numbers of joint {k} must be within bounds")
        if not (is_within(at.force, MOST_FORCE) and is_within(at.torque, MOST_FORCE)):
            refuse(f"forces of joint {k} must be finite")
        for i in range(MOST_ROWS):
            if not fabs(at.f[i]) <= MOST_FORCE:
                refuse(f"forces of joint {k} must be finite", at.f[i])
    return 0


# ---- the whole --------------------------------------------------------------------------------

def check_state(given):
    """A private copy of a state that was read from a pickle; ValueError unless all of it is sound.
    """
    cdef Given g = Given()
    cdef int32_t k
    g.take(given)
    check_digest(g.state, (*ITEMS, *_LISTS, *VALUES))
    check_settings(g.state, 3, FARTHEST, FASTEST)
    check_own_settings(g.state)
    check_context(<StepContext*> address(g.state["context"]))
    check_tables(g.state, [g.heads[k].id for k in range(g.n_bodies)],
                 [g.joints[k].head.id for k in range(g.n_joints)], sizeof(Entry), Joint)
    check_shapes(g)
    check_bodies(g)
    check_boxes(g.state["boxes"], MOST_BOX)
    check_pairs(g)
    check_contacts(g)
    check_joints(g)
    for k in range(g.n_shapes):
        # where memory is, is no part of a state
        g.shapes[k].geometry = NULL
    return g.state
