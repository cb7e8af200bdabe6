"""Is a state that was read from a pickle one that a world can have been in?

What any dimension has is looked at by enginecore.state_check and enginecore.head_check.
"""

from libc.math cimport INFINITY, cos, fabs, isfinite, sin
from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.body_head cimport BodyHead
from enginecore.boxes cimport Box
from enginecore.handle_table cimport Entry
from enginecore.head_check cimport (
    Items, check_body_head, check_joint_heads, check_pair_heads, check_shape_heads)
from enginecore.memory cimport address
from enginecore.mix cimport MIX_PRODUCT
from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport greater
from engine2d.arguments cimport FARTHEST, FASTEST, HEAVIEST, LIGHTEST
from engine2d.body cimport DYNAMIC, FIXED_ROTATION, STATIC, BodyData, Motion, Place
from engine2d.contact cimport Contact, Pair
from engine2d.contact_data cimport MOST_FORCE
from engine2d.collide.geometry cimport Geometry, count_features
from engine2d.joint.joint cimport (
    GEAR, MOST_ROWS, N_KINDS, PULLEY, RATCHET, JointData)
from engine2d.collide.narrow_phase cimport MOST_POINTS, Touch, AxisCache
from engine2d.pose cimport to_world
from engine2d.solve.row cimport AT_HIGH, AT_LOW
from engine2d.shape cimport Shape
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport ShapeData, bound_shape, describe_shape
from engine2d.vec2 cimport Vec2, length, sub

from engine2d.exact.ledger import ACCOUNTS
from engine2d.joint import Joint
from enginecore.state_check import (
    LISTS as _LISTS, check_boxes, check_digest, check_settings, check_tables,
    digest_of as any_digest, refuse,
    take_boxes, take_items)

# Share of the numbers at hand by which values that follow from others may differ from them: what
# a long run adds up by rounding, and more.
cdef double LONG_RUN_ROUNDING = 1e-9
cdef enum:
    MOST_PAIR_FLAGS = 4096   # flags of pairs are bits below this
cdef double LEAST_UNIT = 1e-12  # m
cdef double MOST_TIME = 1e300  # s
cdef double MOST_MARGIN = 1e300  # m; bodies that turn fast are looked for far ahead, in long steps
cdef double MOST_BOX = 1e15  # m
cdef double MOST_IMPULSE = 1e200  # N s, more than the heaviest body at the greatest speed

# The arrays of bytes and the size of what they hold.
cdef dict ITEMS = {"motions": sizeof(Motion), "places": sizeof(Place), "bodies": sizeof(BodyData),
                   "entries": sizeof(Entry), "shapes": sizeof(ShapeData),
                   "contacts": sizeof(Contact), "pairs": sizeof(Pair),
                   "context": sizeof(StepContext), "joints": sizeof(JointData),
                   "joint_entries": sizeof(Entry)}
cdef tuple VALUES = ("boxes", "gravity", "time", "steps", "sleeping", "solver", "margin",
                     "joint_span", "ledger", "extra", "resting", "time_scale", "passes",
                     "disturbed")
cdef tuple EXTRAS = ("none", "velocity", "velocity_and_distance")


def digest_of(state):
    """What tells a state from any other, whatever its data."""
    return any_digest(state, (*ITEMS, *_LISTS, *VALUES))


# ---- the parts -----------------------------------------------------------------------------------

cdef class Given:
    """A state under examination, with typed pointers into private copies of its arrays."""

    cdef dict state
    cdef Motion* motions
    cdef Place* places
    cdef BodyData* bodies
    cdef ShapeData* shapes       # with their geometry filled in where there is a Shape
    cdef Contact* contacts
    cdef Pair* pairs
    cdef JointData* joints
    cdef int32_t n_bodies
    cdef int32_t n_ids
    cdef int32_t n_shapes
    cdef int32_t n_contacts
    cdef int32_t n_pairs
    cdef int32_t n_joints
    cdef object scratch          # owns the copy of the shapes

    cdef int take(self, object given) except -1:
        """Private copies of the arrays and lists, of the right kinds and sizes."""
        state = take_items(given, ITEMS, ("context",), _LISTS, VALUES)
        self.state = state
        self.n_bodies, self.n_ids = self.count("motions"), self.count("entries")
        self.n_shapes, self.n_contacts = self.count("shapes"), self.count("contacts")
        self.n_pairs, self.n_joints = self.count("pairs"), self.count("joints")
        for name in ("places", "bodies"):
            if self.count(name) != self.n_bodies:
                refuse(f"{name} must be as many as motions", self.count(name))
        if len(state["shape_objects"]) != self.n_shapes:
            refuse("shape_objects must be as many as shapes", len(state["shape_objects"]))
        state["boxes"] = take_boxes(state["boxes"], self.n_shapes)
        self.scratch = state["shapes"].copy()
        self.motions = <Motion*> address(state["motions"])
        self.places = <Place*> address(state["places"])
        self.bodies = <BodyData*> address(state["bodies"])
        self.shapes = <ShapeData*> address(self.scratch)
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


cdef int check_own_settings(dict state) except -1:
    """Numbers of the world itself that other worlds do not have."""
    ledger, resting = state["ledger"], state["resting"]
    if (type(ledger) is not dict or set(ledger) != set(ACCOUNTS)
            or not all(type(value) is float and value == value for value in ledger.values())):
        refuse("ledger must be numbers by account", ledger)
    if state["extra"] not in EXTRAS:
        refuse(f"extra must be one of {', '.join(EXTRAS)}", state["extra"])
    if type(resting) is not tuple or len(resting) != 2 or not all(
            value is None or (type(value) is float and 0.0 <= value <= FARTHEST)
            for value in resting):
        refuse("resting must be two numbers >= 0, or None", resting)
    return 0


cdef int check_context(const StepContext* ctx) except -1:
    """What the last step left for the next."""
    for value in (ctx.cover, ctx.margin, ctx.fall, ctx.dt, ctx.tol.touch, ctx.tol.slop,
                  ctx.tol.flat, ctx.tol.baumgarte, ctx.whole, ctx.begun):
        if not 0.0 <= value <= FARTHEST:
            refuse("times and tolerances must be >= 0 and within bounds", value)
    for value in (ctx.gravity.x, ctx.gravity.y, ctx.strike_speed):
        if not fabs(value) <= FASTEST:
            refuse("gravity and speeds must be within bounds", value)
    if not (LEAST_UNIT <= ctx.unit <= FARTHEST
            and fabs(ctx.root * ctx.root / ctx.unit - 1.0) <= LONG_RUN_ROUNDING):
        refuse("the unit of lengths must be > 0 and within bounds", ctx.unit)
    for rule in (ctx.mix_friction, ctx.mix_restitution):
        if not 0 <= rule <= MIX_PRODUCT:
            refuse("rules must be those there are", rule)
    return 0


cdef inline bint is_within(Vec2 v, double most) noexcept nogil:
    return fabs(v.x) <= most and fabs(v.y) <= most


cdef int check_shapes(Given g) except -1:
    """Shapes are whole, their numbers within bounds, and bodies have those that are theirs."""
    cdef int32_t id
    cdef ShapeData want
    cdef ShapeData* shape
    check_shape_heads(g.items("bodies"), g.items("shapes"),
                      <const uint8_t*> address(g.state["boxes"][3]), g.state["shape_objects"],
                      Shape)
    for id in range(g.n_shapes):
        shape, item = &g.shapes[id], g.state["shape_objects"][id]
        if item is None:
            continue
        describe_shape(<Shape> item, &want)
        shape.geometry = want.geometry
        if shape.body < 0:
            continue
        if (shape.thickness != want.thickness or not 0 <= shape.sensor <= 1
                or not 0.0 <= shape.friction < INFINITY or not 0.0 <= shape.restitution <= 1.0
                or not 0.0 <= shape.rolling < INFINITY or not 0.0 <= shape.boost < INFINITY
                or not is_within(shape.surface, FASTEST) or not is_within(shape.through, 2.0)):
            refuse(f"the numbers of shape {id} must be those of a shape")
        if not length(want.geometry.middle) + want.geometry.bounding_radius <= FARTHEST:
            refuse(f"shape {id} must be within bounds")
    return 0


cdef int check_bodies(Given g) except -1:
    """Numbers of the bodies: within bounds, and in agreement with each other."""
    cdef int32_t row
    cdef const BodyData* body
    cdef const Motion* motion
    for row in range(g.n_bodies):
        body, motion = &g.bodies[row], &g.motions[row]
        check_body_head(<const BodyHead*> body, row)
        if not (is_within(motion.v, FASTEST) and fabs(motion.w) <= FASTEST
                and is_within(motion.d, 2.0 * FARTHEST) and fabs(motion.turned) <= 2.0 * FARTHEST):
            refuse(f"the motion of body {row} must be within bounds")
        if body.kind == STATIC and (motion.v.x != 0.0 or motion.v.y != 0.0 or motion.w != 0.0):
            refuse(f"body {row} is static and must not move")
        if not (0.0 <= body.push <= FARTHEST
                and fabs(body.gravity_scale) <= FASTEST and 0.0 <= body.linear_damping < INFINITY
                and 0.0 <= body.angular_damping < INFINITY):
            refuse(f"the settings of body {row} must be within bounds")
        if not (isfinite(body.force.x) and isfinite(body.force.y) and isfinite(body.torque)
                and isfinite(body.a.x) and isfinite(body.a.y) and isfinite(body.alpha)
                and is_within(body.local_center, FARTHEST) and is_within(body.rock_at, FARTHEST)
                and isfinite(body.rock_angle) and isfinite(body.rock_path)
                and isfinite(body.rock_wander) and 0.0 <= body.rock_time < INFINITY):
            refuse(f"the forces of body {row} must be finite")
        check_mass(body, motion, row)
        check_place(g, row)
    return 0


cdef int check_mass(const BodyData* body, const Motion* motion, int32_t row) except -1:
    """Mass and inertia, and their inverses, which the solvers use."""
    cdef bint moves = body.kind == DYNAMIC
    cdef bint turns = moves and not body.flags & FIXED_ROTATION
    if not (0.0 <= body.mass < INFINITY and 0.0 <= body.inertia < INFINITY):
        refuse(f"the mass of body {row} must be finite and >= 0")
    if (moves and not LIGHTEST <= body.mass <= HEAVIEST) or (
            turns and not LIGHTEST <= body.inertia <= HEAVIEST):
        refuse(f"the mass of body {row}, which is dynamic, must be within bounds")
    if (motion.inv_m != (1.0 / body.mass if moves else 0.0)
            or motion.inv_I != (1.0 / body.inertia if turns else 0.0)):
        refuse(f"the inverse mass of body {row} must be that of its mass")
    return 0


cdef int check_place(Given g, int32_t row) except -1:
    """Where a body is: centre, frame and angle agree, and its shapes are within its reach."""
    cdef const Place* place = &g.places[row]
    cdef const BodyData* body = &g.bodies[row]
    cdef int32_t id = body.first_shape
    cdef Vec2 x
    cdef double arm, reach = 0.0, least = INFINITY
    if not (is_within(place.x, FARTHEST) and is_within(place.pose.p, 3.0 * FARTHEST)
            and fabs(place.angle) <= FARTHEST):
        refuse(f"the place of body {row} must be within bounds")
    if not (fabs(place.pose.q.x - cos(place.angle)) <= LONG_RUN_ROUNDING * (1.0 + fabs(place.angle))
            and fabs(place.pose.q.y - sin(place.angle)) <= LONG_RUN_ROUNDING * (
                1.0 + fabs(place.angle))
            and fabs(length(place.pose.q) - 1.0) <= LONG_RUN_ROUNDING):
        refuse(f"the frame of body {row} must be turned by its angle")
    x = to_world(&place.pose, body.local_center)
    if not length(sub(x, place.x)) <= LONG_RUN_ROUNDING * (
            1.0 + fabs(place.x.x) + fabs(place.x.y) + length(body.local_center)):
        refuse(f"the centre of body {row} must be where its frame says")
    while id != -1:
        arm = length(sub(g.shapes[id].geometry.middle, body.local_center))
        reach = greater(reach, arm + g.shapes[id].geometry.bounding_radius)
        least = min(least, g.shapes[id].thickness)
        id = g.shapes[id].next_shape
    if not (reach * (1.0 - LONG_RUN_ROUNDING) <= place.bounding_radius <= 4.0 * FARTHEST
            and 0.0 <= body.swept_radius <= place.bounding_radius * (1.0 + LONG_RUN_ROUNDING)
            and 0.0 <= body.thickness <= least):
        refuse(f"the reach of body {row} must be that of its shapes")
    return 0


# ---- boxes --------------------------------------------------------------------------------------

cdef int check_flat(Given g) except -1:
    """Boxes are of the plane; those of what does not move are around its shapes."""
    cdef const Box* fat = <const Box*> address(g.state["boxes"][1])
    cdef int32_t id
    cdef Vec2 low, high
    for array in g.state["boxes"][:3]:
        boxes = array.reshape(-1, 6)
        # beside 0, what is nowhere
        if not ((boxes[:, 2] == 0.0) & (boxes[:, 5] == 0.0) | (boxes[:, 2] == INFINITY)).all():
            refuse("boxes must be of the plane")
    for id in range(g.n_shapes):
        if g.shapes[id].body < 0 or g.bodies[g.shapes[id].body].kind != STATIC:
            continue
        bound_shape(&g.shapes[id], &g.places[g.shapes[id].body], &low, &high)
        if not (fat[id].low[0] <= low.x and high.x <= fat[id].high[0]
                and fat[id].low[1] <= low.y and high.y <= fat[id].high[1]):
            refuse(f"box {id} must be around its shape")
    return 0


# ---- pairs and contacts --------------------------------------------------------------------------

cdef bint is_axis_cache(const AxisCache* cache, const Geometry* a,
                        const Geometry* b) noexcept nogil:
    """Whether the narrow phase can go on from here: its edges are edges of one of the two."""
    cdef int32_t most = a.n_core if a.n_core > b.n_core else b.n_core
    if not 0 <= cache.known < 128 or not is_within(cache.axis, 2.0):
        return False
    if cache.feature != 0 and not 0 <= cache.feature < most:
        return False
    return fabs(cache.clear) <= MOST_MARGIN


cdef bint is_touch(const Touch* at, const Geometry* a, const Geometry* b) noexcept nogil:
    """Whether a contact is between features that the two have, where they have them."""
    cdef double far_a = 2.0 * (length(a.middle) + a.bounding_radius) + (
        a.flattest if isfinite(a.flattest) else 0.0)
    cdef double far_b = 2.0 * (length(b.middle) + b.bounding_radius) + (
        b.flattest if isfinite(b.flattest) else 0.0)
    if not (0 <= at.f1 < count_features(a) and 0 <= at.f2 < count_features(b)):
        return False
    if not (length(at.c1) <= far_a * 2.0 and length(at.c2) <= far_b * 2.0
            and (fabs(at.r1) <= far_a or at.r1 == INFINITY)
            and (fabs(at.r2) <= far_b or at.r2 == INFINITY)):
        return False
    if at.r1 == INFINITY and at.r2 == INFINITY:
        return False
    if (at.r1 == INFINITY or at.r2 == INFINITY) and not fabs(length(at.n) - 1.0) <= 1e-6:
        return False
    return (is_within(at.point, 4.0 * FARTHEST) and fabs(length(at.normal) - 1.0) <= 1e-6
            and fabs(at.gap) <= 4.0 * FARTHEST)


cdef bint is_renewed(Given g, const Pair* pair) noexcept:
    """Whether a shape of a pair has another form since the last step: what is kept of the pair is
    of the old one, and forgotten before it is used."""
    return g.shapes[low_of(pair.key)].renewed or g.shapes[high_of(pair.key)].renewed


cdef int check_pairs(Given g) except -1:
    """Pairs are of two shapes, and what they remember is of these."""
    cdef int32_t k
    cdef const Pair* pair
    check_pair_heads(g.items("pairs"), g.n_ids, g.n_contacts, MOST_POINTS, MOST_PAIR_FLAGS, False,
                     g.state["shape_objects"])
    for k in range(g.n_pairs):
        pair = &g.pairs[k]
        if not (fabs(pair.recycling_margin) <= MOST_MARGIN
                and is_within(pair.cached_pose.p, 4.0 * FARTHEST)
                and is_within(pair.cached_pose.q, 2.0) and 0.0 <= pair.rolling < INFINITY
                and fabs(pair.roll) <= MOST_FORCE and is_within(pair.surface_a, FASTEST)
                and is_within(pair.surface_b, FASTEST)):
            refuse(f"the numbers of pair {k} must be within bounds",
                   (pair.recycling_margin, pair.cached_pose, pair.rolling, pair.roll))
        if not (is_renewed(g, pair) or is_axis_cache(&pair.cache,
                                                     &g.shapes[low_of(pair.key)].geometry,
                                                     &g.shapes[high_of(pair.key)].geometry)):
            refuse(f"what pair {k} remembers must be of its shapes")
    return 0


cdef int check_contacts(Given g) except -1:
    """Contacts are between features of their pair's shapes, with finite impulses."""
    cdef int32_t k
    cdef int64_t i, j
    cdef const Contact* c
    cdef const Pair* pair
    for k in range(g.n_contacts):
        c = &g.contacts[k]
        if not 0 <= c.pair < g.n_pairs:
            refuse(f"contact {k} must be that of a pair", c.pair)
        pair = &g.pairs[c.pair]
        if not pair.first <= k < pair.first + pair.n:
            refuse(f"contact {k} must be one of its pair's", c.pair)
        i, j = low_of(pair.key), high_of(pair.key)
        if c.a != g.shapes[i].body or c.b != g.shapes[j].body:
            refuse(f"contact {k} must be between the bodies of its shapes", (c.a, c.b))
        if not (AT_LOW <= c.mode_n <= AT_HIGH and AT_LOW <= c.mode_t <= AT_HIGH):
            refuse(f"modes of contact {k} must be those there are")
        if not (0.0 <= c.mu < INFINITY and 0.0 <= c.e <= 1.0 and 0.0 <= c.fn <= MOST_FORCE
                and fabs(c.ft) <= MOST_FORCE and 0.0 <= c.sum_n <= MOST_IMPULSE
                and fabs(c.sum_t) <= MOST_IMPULSE and fabs(c.toi) <= MOST_TIME
                and 0 <= c.hit and c.unused == 0):
            refuse(f"the numbers of contact {k} must be within bounds")
        if not (is_renewed(g, pair) or is_touch(&c.at, &g.shapes[i].geometry,
                                                &g.shapes[j].geometry)):
            refuse(f"contact {k} must be between features of its shapes", c.at)
    return 0


cdef int check_joints(Given g) except -1:
    """Joints have bodies of the state and numbers within bounds."""
    cdef int32_t row, k
    cdef const JointData* joint
    check_joint_heads(g.items("joints"), g.items("entries"), N_KINDS, MOST_ROWS, FARTHEST)
    for row in range(g.n_joints):
        joint = &g.joints[row]
        if not (is_within(joint.anchor_a, FARTHEST) and is_within(joint.anchor_b, FARTHEST)
                and is_within(joint.axis, FARTHEST) and is_within(joint.ground_a, FARTHEST)
                and is_within(joint.ground_b, FARTHEST)):
            refuse(f"numbers of joint {row} must be within bounds")
        for value in (joint.force.x, joint.force.y, joint.torque,
                      *[joint.f[k] for k in range(MOST_ROWS)]):
            if not isfinite(value):
                refuse(f"forces of joint {row} must be finite", value)
        if joint.head.kind in (GEAR, RATCHET, PULLEY) and joint.head.ratio == 0.0:
            refuse(f"the ratio of joint {row} must not be 0")
    return 0


# ---- the whole -----------------------------------------------------------------------------------

def check_state(given):
    """A private copy of a state that was read from a pickle; ValueError unless all of it is sound.
    """
    cdef Given g = Given()
    cdef int32_t k
    g.take(given)
    check_digest(g.state, (*ITEMS, *_LISTS, *VALUES))
    check_settings(g.state, 2, FARTHEST, FASTEST)
    check_own_settings(g.state)
    check_context(<const StepContext*> address(g.state["context"]))
    check_tables(g.state, [g.bodies[k].id for k in range(g.n_bodies)],
                 [g.joints[k].head.id for k in range(g.n_joints)], sizeof(Entry), Joint)
    check_shapes(g)
    check_bodies(g)
    check_boxes(g.state["boxes"], MOST_BOX)
    check_flat(g)
    check_pairs(g)
    check_contacts(g)
    check_joints(g)
    return g.state
