"""Is a state that was read from a pickle one that a world can have been in?

Everything that a step, a query or an event uses as an index is within its array, every list ends,
every number is finite and within its bounds, and what follows from other numbers agrees with them.
A digest over all of it comes first: what was changed by accident is refused whatever it means.
"""

import hashlib

import numpy as np

from libc.math cimport INFINITY, cos, fabs, isfinite, sin
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp

from enginecore.boxes cimport Box, set_nowhere
from enginecore.handle_table cimport Entry
from enginecore.memory cimport address
from enginecore.mix cimport MIX_PRODUCT
from enginecore.pair_table cimport low_of
from enginecore.scalar cimport greater
from engine2d.arguments cimport FARTHEST, FASTEST, HEAVIEST, LIGHTEST
from engine2d.body cimport DYNAMIC, FIXED_ROTATION, STATIC, BodyData, Motion, Place
from engine2d.contact cimport Contact, Pair, Scene
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

# Share of the numbers at hand by which values that follow from others may differ from them: what
# a long run adds up by rounding, and more.
cdef double LONG_RUN_ROUNDING = 1e-9
cdef enum:
    MOST_FLAGS = 64          # body flags are bits below this
    MOST_PAIR_FLAGS = 4096   # and those of pairs below this
    MOST_IDS = 1 << 29
cdef double LEAST_UNIT = 1e-12  # m
cdef double MOST_TIME = 1e300  # s
cdef double MOST_MARGIN = 1e300  # m; bodies that turn fast are looked for far ahead, in long steps
cdef double MOST_IMPULSE = 1e200  # N s, more than the heaviest body at the greatest speed

# The arrays of bytes and the size of what they hold.
cdef dict ITEMS = {"motions": sizeof(Motion), "places": sizeof(Place), "bodies": sizeof(BodyData),
                   "entries": sizeof(Entry), "shapes": sizeof(ShapeData),
                   "contacts": sizeof(Contact), "pairs": sizeof(Pair), "scene": sizeof(Scene),
                   "context": sizeof(StepContext), "joints": sizeof(JointData),
                   "joint_entries": sizeof(Entry)}
cdef tuple LISTS = ("handles", "free_ids", "gone", "shape_objects", "joint_handles",
                    "joint_free_ids", "joint_gone")
cdef tuple VALUES = ("boxes", "gravity", "time", "steps", "sleeping", "solver", "margin",
                     "joint_span", "ledger", "extra", "resting", "time_scale", "passes",
                     "disturbed")
cdef tuple EXTRAS = ("none", "velocity", "velocity_and_distance")


cdef int refuse(str what, object value=None) except -1:
    raise ValueError(f"this snapshot is not sound: {what}" if value is None
                     else f"this snapshot is not sound: {what}, got {value!r}")


def digest_of(state):
    """What tells a state from any other, whatever its data."""
    h = hashlib.blake2b(digest_size=16)
    for name in (*ITEMS, *LISTS, *VALUES):
        h.update(name.encode())
        feed(h, [item is None for item in state[name]] if name in ("handles", "joint_handles")
             else state[name])
    return h.hexdigest()


cdef int feed(object h, object value) except -1:
    """Add a value to a digest: the bytes of arrays, the text of all else."""
    if isinstance(value, np.ndarray):
        h.update(str(value.shape).encode())
        h.update(np.ascontiguousarray(value).data)
    elif isinstance(value, (list, tuple)):
        h.update(f"[{len(value)}".encode())
        for item in value:
            feed(h, item)
    else:
        h.update(repr(value).encode())
    return 0


# ---- the parts -----------------------------------------------------------------------------------

cdef class Given:
    """A state under examination, with typed pointers into private copies of its arrays."""

    cdef dict state
    cdef Motion* motions
    cdef Place* places
    cdef BodyData* bodies
    cdef Entry* entries
    cdef ShapeData* shapes       # with their geometry filled in where there is a Shape
    cdef Contact* contacts
    cdef Pair* pairs
    cdef const uint8_t* live     # by shape id: whether there is such a shape
    cdef int32_t n_bodies
    cdef int32_t n_ids
    cdef int32_t n_shapes
    cdef int32_t n_contacts
    cdef int32_t n_pairs
    cdef object scratch          # owns the copy of the shapes

    cdef int take(self, object given) except -1:
        """Private copies of the arrays and lists, of the right kinds and sizes."""
        if type(given) is not dict or set(given) != {*ITEMS, *LISTS, *VALUES, "digest"}:
            refuse("it must be a dict with the entries of a state")
        state = {name: taken(given[name], name, np.uint8) for name in ITEMS}
        for name, size in ITEMS.items():
            if state[name].nbytes % size:
                refuse(f"{name} must be whole items of {size} bytes", state[name].nbytes)
        for name in ("scene", "context"):
            if state[name].nbytes != ITEMS[name]:
                refuse(f"{name} must be one item", state[name].nbytes)
        for name in LISTS:
            if type(given[name]) is not list:
                refuse(f"{name} must be a list", given[name])
            state[name] = list(given[name])
        for name in (*VALUES, "digest"):
            state[name] = given[name]
        self.state = state
        self.n_bodies = self.count("motions")
        self.n_ids, self.n_shapes = self.count("entries"), self.count("shapes")
        self.n_contacts, self.n_pairs = self.count("contacts"), self.count("pairs")
        for name in ("places", "bodies"):
            if self.count(name) != self.n_bodies:
                refuse(f"{name} must be as many as motions", self.count(name))
        if len(state["handles"]) != self.n_ids or len(state["shape_objects"]) != self.n_shapes:
            refuse("handles and shape_objects must be as many as entries and shapes")
        self.scratch = state["shapes"].copy()
        self.motions = <Motion*> address(state["motions"])
        self.places = <Place*> address(state["places"])
        self.bodies = <BodyData*> address(state["bodies"])
        self.entries = <Entry*> address(state["entries"])
        self.shapes = <ShapeData*> address(self.scratch)
        self.contacts = <Contact*> address(state["contacts"])
        self.pairs = <Pair*> address(state["pairs"])
        return 0

    cdef int32_t count(self, str name) except -1:
        n = self.state[name].nbytes // ITEMS[name]
        if n >= MOST_IDS:
            refuse(f"{name} are too many", n)
        return n


cdef object taken(object value, str name, object kind):
    """A private, contiguous copy of an array of one axis."""
    if type(value) is not np.ndarray or value.dtype != kind or value.ndim != 1:
        refuse(f"{name} must be an array of {np.dtype(kind)}", value)
    return np.array(value, order="C")


cdef int check_settings(dict state) except -1:
    """Numbers of the world itself."""
    pull, steps = state["gravity"], state["steps"]
    if (type(pull) is not tuple or len(pull) != 2
            or not all(type(g) is float and fabs(g) <= FASTEST for g in pull)):
        refuse("gravity must be two numbers within bounds", pull)
    if type(state["time"]) is not float or not 0.0 <= state["time"] <= MOST_TIME:
        refuse("time must be a number >= 0", state["time"])
    if type(steps) is not int or not 0 <= steps < 1 << 62:
        refuse("steps must be a whole number >= 0", steps)
    if type(state["margin"]) is not float or not 0.0 <= state["margin"] <= FARTHEST:
        refuse("margin must be a number >= 0", state["margin"])
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
    if type(state["sleeping"]) is not bool and state["sleeping"] not in (0, 1):
        refuse("sleeping must be True or False", state["sleeping"])
    if type(state["disturbed"]) is not bool:
        refuse("disturbed must be True or False", state["disturbed"])
    if type(state["time_scale"]) is not float or not 0.0 < state["time_scale"] < INFINITY:
        refuse("time_scale must be a number > 0", state["time_scale"])
    if type(state["solver"]) is not int or not 0 <= state["solver"] <= 2:
        refuse("solver must be 0, 1 or 2", state["solver"])
    if type(state["passes"]) is not tuple or not all(
            type(ids) is tuple and len(ids) == 2
            and all(type(id) is int and 0 <= id < len(state["handles"]) for id in ids)
            for ids in state["passes"]):
        refuse("passes must be pairs of ids of bodies", state["passes"])
    return 0


cdef int check_context(const Scene* scene, const StepContext* ctx) except -1:
    """What the last step left for the next."""
    for value in (scene.dt, scene.margin, scene.fall, ctx.dt, ctx.tol.touch, ctx.tol.slop,
                  ctx.tol.flat, ctx.tol.baumgarte, ctx.whole, ctx.begun):
        if not 0.0 <= value <= FARTHEST:
            refuse("times and tolerances must be >= 0 and within bounds", value)
    for value in (scene.gravity.x, scene.gravity.y, ctx.gravity.x, ctx.gravity.y,
                  ctx.strike_speed):
        if not fabs(value) <= FASTEST:
            refuse("gravity and speeds must be within bounds", value)
    if not (LEAST_UNIT <= ctx.unit <= FARTHEST and scene.unit == ctx.unit
            and fabs(ctx.root * ctx.root / ctx.unit - 1.0) <= LONG_RUN_ROUNDING):
        refuse("the unit of lengths must be > 0 and within bounds", ctx.unit)
    for rule in (scene.mix_friction, scene.mix_restitution):
        if not 0 <= rule <= MIX_PRODUCT:
            refuse("rules must be those there are", rule)
    return 0


cdef inline bint is_within(Vec2 v, double most) noexcept nogil:
    return fabs(v.x) <= most and fabs(v.y) <= most


cdef int check_ids(Given g) except -1:
    """Entries and bodies point at each other; free ids are those without a body."""
    cdef int32_t id, row, n = 0
    spare = [*g.state["free_ids"], *g.state["gone"]]
    if not all(type(item) is int and 0 <= item < g.n_ids for item in spare):
        refuse("free ids must be ids", spare)
    if len(set(spare)) != len(spare):
        refuse("free ids must be given once each", spare)
    for id in range(g.n_ids):
        row = g.entries[id].row
        if row < 0:
            n += 1
            continue
        if row >= g.n_bodies or g.bodies[row].id != id:
            refuse(f"the entry of id {id} must be that of its body", row)
        if g.state["handles"][id] is None:
            refuse(f"the body with id {id} must have a handle")
    if g.n_ids - n != g.n_bodies or n != len(spare):
        refuse("there must be an id for each body, and the others free")
    for item in spare:
        if g.entries[<int32_t> item].row >= 0:
            refuse("a free id must have no body", item)
    for item in g.state["free_ids"]:
        if g.state["handles"][item] is not None:
            refuse("a free id must have no handle", item)
    for item in g.state["handles"]:
        if item is not None and (type(item) is not tuple or len(item) != 1):
            refuse("handles must be given by their data", item)
    return 0


cdef int check_shapes(Given g) except -1:
    """Shapes are whole, and every one that is there is in the list of one body."""
    cdef int32_t id, row, n = 0, n_live = 0
    cdef ShapeData want
    cdef ShapeData* shape
    for id in range(g.n_shapes):
        shape = &g.shapes[id]
        item = g.state["shape_objects"][id]
        if item is not None and (not isinstance(item, Shape) or (<Shape> item).filter is None):
            refuse(f"shape {id} must be a shape", item)
        if not -1 <= shape.body < g.n_bodies or not -1 <= shape.next_shape < g.n_shapes:
            refuse(f"shape {id} must be of a body")
        if (shape.body >= 0) != (g.live[id] != 0):
            refuse(f"shape {id} must have a box if it is there, and none if it is not")
        if item is not None:
            describe_shape(<Shape> item, &want)
            shape.geometry = want.geometry
        if shape.body < 0:
            continue
        n_live += 1
        if item is None:
            refuse(f"shape {id} must be there")
        if (shape.thickness != want.thickness or not 0 <= shape.sensor <= 1
                or not 0.0 <= shape.friction < INFINITY or not 0.0 <= shape.restitution <= 1.0):
            refuse(f"the numbers of shape {id} must be those of a shape")
        if not length(want.geometry.middle) + want.geometry.bounding_radius <= FARTHEST:
            refuse(f"shape {id} must be within bounds")
    for row in range(g.n_bodies):
        id = g.bodies[row].first_shape
        while id != -1:
            # a list that comes back to itself goes on for longer than there are shapes
            if not 0 <= id < g.n_shapes or g.shapes[id].body != row or n >= n_live:
                refuse(f"the shapes of body {row} must be its own, each once")
            n += 1
            id = g.shapes[id].next_shape
    if n != n_live:
        refuse("every shape must be one of its body's")
    return 0


cdef int check_bodies(Given g) except -1:
    """Numbers of the bodies: within bounds, and in agreement with each other."""
    cdef int32_t row
    cdef const BodyData* body
    cdef const Motion* motion
    for row in range(g.n_bodies):
        body, motion = &g.bodies[row], &g.motions[row]
        if body.kind > DYNAMIC or body.flags >= MOST_FLAGS:
            refuse(f"kind and flags of body {row} must be those there are", (body.kind, body.flags))
        if not 0 <= body.id < g.n_ids or not -1 <= body.island < g.n_bodies:
            refuse(f"id and island of body {row} must be those there are")
        if not (is_within(motion.v, FASTEST) and fabs(motion.w) <= FASTEST
                and is_within(motion.d, 2.0 * FARTHEST) and fabs(motion.turned) <= 2.0 * FARTHEST):
            refuse(f"the motion of body {row} must be within bounds")
        if body.kind == STATIC and (motion.v.x != 0.0 or motion.v.y != 0.0 or motion.w != 0.0):
            refuse(f"body {row} is static and must not move")
        if not (0.0 <= body.still <= MOST_TIME and 0.0 <= body.push <= FARTHEST
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

cdef bint is_box(const Box* box) noexcept nogil:
    """Whether a box is one of the plane, within what sweeps can make of places within bounds."""
    cdef int axis
    for axis in range(2):
        if not -1e15 <= box.low[axis] <= box.high[axis] <= 1e15:
            return False
    return box.low[2] == 0.0 and box.high[2] == 0.0


cdef bint is_nowhere(const Box* box) noexcept nogil:
    cdef Box nowhere
    set_nowhere(&nowhere)
    return memcmp(box, &nowhere, sizeof(Box)) == 0


cdef bint is_around(const Box* fat, const Box* tight) noexcept nogil:
    """Whether a box holds another."""
    cdef int axis
    for axis in range(3):
        if not (fat.low[axis] <= tight.low[axis] and tight.high[axis] <= fat.high[axis]):
            return False
    return True


cdef int take_boxes(Given g) except -1:
    """Private copies of the broad phase's arrays, of the right sizes."""
    given = g.state["boxes"]
    if type(given) is not tuple or len(given) != 6:
        refuse("boxes must be what the broad phase saved")
    *arrays, live, free, removed = given
    arrays = [taken(array, "boxes", np.float64) for array in arrays]
    live = taken(live, "boxes", np.uint8)
    if live.size != g.n_shapes or any(array.size != 6 * g.n_shapes for array in arrays):
        refuse("there must be as many boxes as shapes", live.size)
    if live.size and live.max() > 1:
        refuse("boxes must be there or not")
    for ids in (free, removed):
        if type(ids) is not tuple or not all(type(k) is int and 0 <= k < g.n_shapes for k in ids):
            refuse("free boxes must be ids", ids)
    spare = [*free, *removed]
    if len(set(spare)) != len(spare) or len(spare) != live.size - int(live.sum()) or any(
            live[k] for k in spare):
        refuse("every id without a box must be free, once", spare)
    g.state["boxes"] = (*arrays, live, free, removed)
    g.live = <const uint8_t*> address(live)
    return 0


cdef int check_boxes(Given g) except -1:
    """Boxes are boxes, of those shapes that are there; those that do not move have their own."""
    tight_array, fat_array, before_array, _, free, _ = g.state["boxes"]
    cdef const Box* tight = <const Box*> address(tight_array)
    cdef const Box* fat = <const Box*> address(fat_array)
    cdef const Box* before = <const Box*> address(before_array)
    cdef int32_t id, row
    cdef Vec2 low, high
    cdef Box box
    for id in range(g.n_shapes):
        if not is_box(&before[id]) and not is_nowhere(&before[id]):
            refuse(f"box {id} must be a box")
        if not g.live[id]:
            if not (is_nowhere(&tight[id]) and is_nowhere(&fat[id])):
                refuse(f"box {id} must be nowhere")
            continue
        if not (is_box(&tight[id]) and is_box(&fat[id]) and is_around(&fat[id], &tight[id])):
            refuse(f"box {id} must be a box")
        row = g.shapes[id].body
        if g.bodies[row].kind == STATIC:
            bound_shape(&g.shapes[id], &g.places[row], &low, &high)
            box.low[0], box.low[1], box.low[2] = low.x, low.y, 0.0
            box.high[0], box.high[1], box.high[2] = high.x, high.y, 0.0
            if not is_around(&fat[id], &box):
                refuse(f"box {id} must be around its shape")
    for item in free:
        if not is_nowhere(&before[<int32_t> item]):
            refuse(f"box {item} is free and must be nowhere")
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


cdef inline int64_t first_of(const Pair* pair) noexcept nogil:
    """The shape id of a pair's A."""
    return low_of(pair.key)


cdef inline int64_t second_of(const Pair* pair) noexcept nogil:
    """The shape id of its B."""
    return pair.key & <int64_t> 0xFFFFFFFF


cdef bint is_renewed(Given g, const Pair* pair) noexcept:
    """Whether a shape of a pair has another form since the last step: what is kept of the pair is
    of the old one, and forgotten before it is used."""
    return g.shapes[first_of(pair)].renewed or g.shapes[second_of(pair)].renewed


cdef int check_pairs(Given g) except -1:
    """Pairs are of two shapes, in their order, and share the contacts out among them."""
    cdef int32_t k, first = 0
    cdef int64_t i, j, last = -1
    cdef const Pair* pair
    for k in range(g.n_pairs):
        pair = &g.pairs[k]
        if pair.key <= last:
            refuse("pairs must be in the order of their shapes")
        last = pair.key
        i, j = first_of(pair), second_of(pair)
        if not 0 <= i < j < g.n_shapes:
            refuse(f"pair {k} must be of two shapes", (i, j))
        if not (0 <= pair.body_a < g.n_ids and 0 <= pair.body_b < g.n_ids):
            refuse(f"pair {k} must be of two bodies", (pair.body_a, pair.body_b))
        if pair.first != first or not 0 <= pair.n <= MOST_POINTS or first > g.n_contacts - pair.n:
            refuse(f"the contacts of pair {k} must be its own", (pair.first, pair.n))
        first += pair.n
        if not 0 <= pair.flags < MOST_PAIR_FLAGS:
            refuse(f"flags of pair {k} must be those there are", pair.flags)
        if not (0.0 <= pair.mu < INFINITY and 0.0 <= pair.e <= 1.0
                and fabs(pair.recycling_margin) <= MOST_MARGIN
                and is_within(pair.cached_pose.p, 4.0 * FARTHEST)
                and is_within(pair.cached_pose.q, 2.0)):
            refuse(f"the numbers of pair {k} must be within bounds",
                   (pair.mu, pair.e, pair.recycling_margin, pair.cached_pose))
        if g.state["shape_objects"][i] is None or g.state["shape_objects"][j] is None:
            refuse(f"pair {k} must be of two shapes", (i, j))
        if not (is_renewed(g, pair) or is_axis_cache(&pair.cache, &g.shapes[i].geometry,
                                                     &g.shapes[j].geometry)):
            refuse(f"what pair {k} remembers must be of its shapes")
    if first != g.n_contacts:
        refuse("every contact must be that of a pair", g.n_contacts)
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
        i, j = first_of(pair), second_of(pair)
        if c.a != g.shapes[i].body or c.b != g.shapes[j].body:
            refuse(f"contact {k} must be between the bodies of its shapes", (c.a, c.b))
        if not (AT_LOW <= c.mode_n <= AT_HIGH and AT_LOW <= c.mode_t <= AT_HIGH):
            refuse(f"modes of contact {k} must be those there are")
        if not (0.0 <= c.mu < INFINITY and 0.0 <= c.e <= 1.0 and 0.0 <= c.pn <= MOST_IMPULSE
                and fabs(c.pt) <= MOST_IMPULSE and 0.0 <= c.sum_n <= MOST_IMPULSE
                and fabs(c.sum_t) <= MOST_IMPULSE and fabs(c.toi) <= MOST_TIME
                and 0.0 <= c.hit_speed <= 4.0 * FASTEST * 1e3):
            refuse(f"the numbers of contact {k} must be within bounds")
        if not (is_renewed(g, pair) or is_touch(&c.at, &g.shapes[i].geometry,
                                                &g.shapes[j].geometry)):
            refuse(f"contact {k} must be between features of its shapes", c.at)
    return 0


cdef int check_joint(Given g, const JointData* joint, const Entry* entries,
                     int32_t n_ids, int32_t row) except -1:
    """One joint: its place in the table, its bodies, its numbers."""
    if not 0 <= joint.id < n_ids or entries[joint.id].row != row:
        refuse("joints must be where their entries say", joint.id)
    if joint.kind >= N_KINDS or not 0 <= joint.n_rows <= MOST_ROWS:
        refuse("joints must be of a kind", joint.kind)
    for body in (joint.body_a, joint.body_b):
        if body != -1 and not (0 <= body < g.n_ids and g.entries[<int32_t> body].row >= 0):
            refuse("joints must have bodies of the state", body)
    if joint.body_a == joint.body_b:
        refuse("joints must have two bodies", joint.body_a)
    for value in (joint.anchor_a.x, joint.anchor_a.y, joint.anchor_b.x, joint.anchor_b.y,
                  joint.axis.x, joint.axis.y, joint.ground_a.x, joint.ground_a.y,
                  joint.ground_b.x, joint.ground_b.y, joint.reference, joint.ratio, joint.rate,
                  joint.held):
        if not fabs(value) <= FARTHEST:
            refuse("numbers of joints must be within bounds", value)
    for value in (joint.stiffness, joint.damping, joint.friction, joint.most,
                  joint.break_force, joint.break_torque):
        if not value >= 0.0:
            refuse("strengths of joints must be >= 0", value)
    for value in (joint.stiffness, joint.damping, joint.force.x, joint.force.y, joint.torque,
                  joint.work, *[joint.p[k] for k in range(sizeof(joint.p) // sizeof(double))]):
        if not isfinite(value):
            refuse("forces of joints must be finite", value)
    if joint.kind in (GEAR, RATCHET, PULLEY) and joint.ratio == 0.0:
        refuse("ratios of joints must not be 0")
    if not joint.low <= joint.high:
        refuse("limits of joints must be in order", joint.low)
    return 0


cdef int check_joints(Given g) except -1:
    """The joints, their table and their handles."""
    state = g.state
    cdef int32_t n = g.count("joints"), n_ids = g.count("joint_entries"), k, live = 0
    cdef const JointData* joints = <const JointData*> address(state["joints"])
    cdef const Entry* entries = <const Entry*> address(state["joint_entries"])
    if len(state["joint_handles"]) != n_ids:
        refuse("joint_handles must be as many as joint_entries")
    for k in range(n):
        check_joint(g, &joints[k], entries, n_ids, k)
    for k in range(n_ids):
        if entries[k].row >= 0:
            live += 1
        handle = state["joint_handles"][k]
        if handle is None and entries[k].row >= 0:
            refuse("joints must have handles", k)
        if handle is not None and not (type(handle) is tuple and len(handle) == 2
                                       and isinstance(handle[0], type)
                                       and issubclass(handle[0], Joint)):
            refuse("joint_handles must be kinds and data", handle)
    if live != n:
        refuse("joint_entries must be as many as joints", live)
    if sorted([*state["joint_free_ids"], *state["joint_gone"]]) != [
            k for k in range(n_ids) if entries[k].row < 0]:
        refuse("ids of joints must be free, gone or in use")
    if type(state["joint_span"]) is not float or not 0.0 <= state["joint_span"] <= FARTHEST:
        refuse("joint_span must be a number >= 0", state["joint_span"])
    return 0


# ---- the whole -----------------------------------------------------------------------------------

def check_state(given):
    """A private copy of a state that was read from a pickle; ValueError unless all of it is sound.
    """
    cdef Given g = Given()
    g.take(given)
    take_boxes(g)
    try:
        known = digest_of(g.state) == g.state["digest"]
    except Exception:
        known = False
    if not known:
        refuse("its digest is not that of what it holds")
    check_settings(g.state)
    check_context(<const Scene*> address(g.state["scene"]),
                  <const StepContext*> address(g.state["context"]))
    check_ids(g)
    check_shapes(g)
    check_bodies(g)
    check_boxes(g)
    check_pairs(g)
    check_contacts(g)
    check_joints(g)
    return g.state
