# distutils: include_dirs = engine3d/solve enginecore
"""Taking the state of a world and giving it back, bit for bit.

A snapshot holds copies of the arrays and references to shapes and handles, which never change. To
pickle, it is written as plain arrays and shapes; handles are made anew.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from enginecore.body_head cimport BodyHead
from enginecore.memory cimport address
from engine3d.body cimport BodyData, Motion, Place
from engine3d.constants cimport FAT
from engine3d.contact cimport Contact, Pair, StepContext
from engine3d.shape cimport Shape
from engine3d.joint.joint cimport JointData, JointStore
from engine3d.store cimport BodyStore, ShapeData
from engine3d.world cimport World

from engine3d.body import Body
from engine3d.joint import KINDS

# Of what is written by pickle; a state of another layout is refused.
VERSION = 3

# The sizes of all that is kept as bytes: they tell one layout from another.
cdef tuple SIZES = (sizeof(BodyHead), sizeof(Motion), sizeof(Place), sizeof(BodyData),
                    sizeof(ShapeData), sizeof(Contact), sizeof(Pair), sizeof(StepContext),
                    sizeof(JointData))


cdef class Snapshot:
    """The state of a world (World.snapshot); World.restore gives it back. Can be pickled."""

    cdef BodyStore store     # the store it was taken from; None once pickled
    cdef dict state

    def __init__(self):
        raise TypeError("snapshots are made by World.snapshot")

    @property
    def nbytes(self):
        """Bytes of the arrays it holds."""
        return sum(value.nbytes for value in (*self.state.values(), *self.state["boxes"])
                   if isinstance(value, np.ndarray))

    @property
    def time(self):
        """Simulated time when it was taken (s)."""
        return self.state["time"]

    def __repr__(self):
        return f"<Snapshot at {self.time:.6g} s, {self.nbytes} bytes>"

    def __reduce__(self):
        state = dict(self.state)
        n, entries, handles, free, gone = state["table"]
        # handles cannot travel: what users attached to them does
        handles = [body if body is None or isinstance(body, tuple) else (body.data,)
                   for body in handles]
        state["table"] = n, entries, handles, free, gone
        n, entries, handles, free, gone = state["joint_table"]
        handles = [joint if joint is None or isinstance(joint, tuple) else (joint.data,)
                   for joint in handles]
        state["joint_table"] = n, entries, handles, free, gone
        state["shapes"] = without_addresses(state["shapes"])
        return _rebuild_snapshot, (VERSION, SIZES, state)


def _rebuild_snapshot(version, sizes, state):
    """Make a snapshot again, for pickle."""
    cdef Snapshot out = Snapshot.__new__(Snapshot)
    if version != VERSION:
        raise ValueError(f"a snapshot of version {version!r} cannot be read, only {VERSION}")
    if tuple(sizes) != SIZES:
        raise ValueError("this snapshot was written by a build with another memory layout")
    out.state = state
    return out


cdef object without_addresses(object shapes):
    """A copy of shapes' bytes in which nothing depends on where memory was; `adopt` fills it in."""
    out = shapes.copy()
    cdef ShapeData* data
    cdef Py_ssize_t k
    if out.nbytes:
        data = <ShapeData*> address(out)
        for k in range(out.nbytes // sizeof(ShapeData)):
            data[k].geometry = NULL
    return out


cdef object copy_of(const void* data, Py_ssize_t size):
    """Bytes from memory, as an array."""
    out = np.empty(size, np.uint8)
    if size:
        memcpy(address(out), data, size)
    return out


def take(World world not None):
    """The state of a world as a Snapshot."""
    cdef Snapshot out = Snapshot.__new__(Snapshot)
    cdef BodyStore store = world.store
    cdef StepContext ctx = world.ctx
    # where things are in memory is no part of the state
    ctx.heads, ctx.motions, ctx.places, ctx.bodies = NULL, NULL, NULL, NULL
    ctx.shapes, ctx.pairs, ctx.contacts, ctx.apart = NULL, NULL, NULL, NULL
    world.joint_store.settle()
    store.settle()
    out.store = store
    out.state = {
        "heads": copy_of(store.heads, store.n_bodies * sizeof(BodyHead)),
        "motions": copy_of(store.motions, store.n_bodies * sizeof(Motion)),
        "places": copy_of(store.places, store.n_bodies * sizeof(Place)),
        "bodies": copy_of(store.bodies, store.n_bodies * sizeof(BodyData)),
        "shapes": copy_of(store.shapes, store.phase.boxes.n * sizeof(ShapeData)),
        "contacts": copy_of(world.contact_store.contacts,
                            world.contact_store.n_slots * sizeof(Contact)),
        "pairs": copy_of(world.contact_store.pairs, world.contact_store.n_pairs * sizeof(Pair)),
        "context": copy_of(&ctx, sizeof(StepContext)),
        "boxes": store.phase.save(),
        "table": store.table.save(),
        "shape_objects": store.shape_objects[:store.phase.boxes.n],
        "gravity": (world.pull.x, world.pull.y, world.pull.z), "unit": world.unit,
        "time": world.time, "steps": world.steps,
        "sleeping": world.sleeping, "solver": world.solver, "pace": world.pace,
        "generations": store.generations, "passes": tuple(world.passes),
        "joints": copy_of(world.joint_store.joints, world.joint_store.n * sizeof(JointData)),
        "joint_table": world.joint_store.table.save(), "span": world.joint_store.span,
    }
    return out


cdef int fill(void* into, object data) except -1:
    if data.nbytes:
        memcpy(into, address(data), data.nbytes)
    return 0


def give_back(World world not None, snapshot):
    """Bring a world back to a Snapshot."""
    if not isinstance(snapshot, Snapshot):
        raise TypeError(f"snapshot must be a Snapshot, got {snapshot!r}")
    cdef Snapshot given = snapshot
    cdef BodyStore store = world.store
    cdef dict state = given.state
    if state is None:
        raise ValueError("snapshot must be one that World.snapshot made")
    cdef int32_t n_bodies = state["heads"].nbytes // sizeof(BodyHead)
    cdef int32_t n_shapes = state["shapes"].nbytes // sizeof(ShapeData)
    cdef int64_t n_slots = state["contacts"].nbytes // sizeof(Contact)
    cdef int64_t n_pairs = state["pairs"].nbytes // sizeof(Pair)
    cdef JointStore joints = world.joint_store
    cdef int32_t n_joints = state["joints"].nbytes // sizeof(JointData)
    # all room first: nothing may fail once the first byte is written
    if n_bodies > store.capacity:
        store.reserve(n_bodies)
    if n_shapes > store.shape_capacity:
        store.reserve_shapes(n_shapes)
    if n_slots > world.contact_store.room:
        world.contact_store.reserve(2 * n_slots)
    if n_pairs > world.contact_store.pair_room:
        world.contact_store.reserve_pairs(2 * n_pairs)
    if n_joints > joints.capacity:
        joints.reserve(n_joints)
    store.phase.load(state["boxes"])
    joints.table.load(state["joint_table"])
    fill(joints.joints, state["joints"])
    joints.n, joints.n_removed, joints.span = n_joints, 0, state["span"]
    joints.edits += 1
    joints.ended.clear()
    joints.unsorted()
    store.table.load(state["table"])
    store.shape_objects[:n_shapes] = state["shape_objects"]
    store.shape_edits += 1
    fill(store.heads, state["heads"])
    fill(store.motions, state["motions"])
    fill(store.places, state["places"])
    fill(store.bodies, state["bodies"])
    fill(store.shapes, state["shapes"])
    fill(world.contact_store.contacts, state["contacts"])
    fill(world.contact_store.pairs, state["pairs"])
    fill(&world.ctx, state["context"])
    store.n_bodies, store.n_removed = n_bodies, 0
    world.contact_store.n_slots, world.contact_store.n_pairs = n_slots, n_pairs
    world.contact_store.ended.clear()
    world.pull.x, world.pull.y, world.pull.z = state["gravity"]
    world.unit, world.time, world.steps = state["unit"], state["time"], state["steps"]
    world.root = sqrt(world.unit)
    world.store.phase.boxes.margin = FAT * world.unit
    world.sleeping, world.solver = state["sleeping"], state["solver"]
    world.pace = state["pace"]
    world.passes[:] = state["passes"]
    # generations are never given out twice: handles of shapes that came since must not mean others
    store.generations = max(store.generations, state["generations"])
    store.has_renewed = True
    world.event_store.clear()
    store.edits += 1
    store.disturbed = True
    if given.store is not store:
        adopt(store, n_shapes)
        adopt_joints(joints, store)
    world.point_at_stores()


cdef int adopt(BodyStore store, int32_t n_shapes) except -1:
    """Handles and pointers of this store, in the place of those of another."""
    cdef int32_t k
    for k in range(n_shapes):
        if store.shape_objects[k] is not None:
            store.shapes[k].geometry = &(<Shape> store.shape_objects[k]).geometry
    for k in range(store.table.n):
        old = store.table.handles[k]
        if old is not None:
            # a generation of its own: handles that this world gave out must not mean this body
            store.table.generations += 1
            store.table.entries[k].generation = store.table.generations
            body = Body(store, k, store.table.generations)
            body.data = old[0] if isinstance(old, tuple) else old.data
            store.table.handles[k] = body
    return 0


cdef int adopt_joints(JointStore joints, BodyStore store) except -1:
    """Handles of joints of this store, in the place of those of another."""
    cdef int32_t k
    cdef JointData* at
    for k in range(joints.table.n):
        old = joints.table.handles[k]
        if old is None:
            continue
        joints.table.generations += 1
        joints.table.entries[k].generation = joints.table.generations
        if joints.table.entries[k].row < 0:
            joints.table.handles[k] = None
            continue
        at = &joints.joints[joints.table.entries[k].row]
        joint = KINDS[at.kind].__new__(KINDS[at.kind])
        joint._attach(joints, k, joints.table.generations)
        joint.data = old[0] if isinstance(old, tuple) else old.data
        joints.table.handles[k] = joint
        if at.body_a >= 0:
            at.born_a = store.table.entries[at.body_a].generation
        if at.body_b >= 0:
            at.born_b = store.table.entries[at.body_b].generation
    return 0


def _rebuild_world(snapshot, kind=World):
    """Make a world again, for pickle and copy."""
    cdef World world = kind.__new__(kind)
    give_back(world, snapshot)
    return world
