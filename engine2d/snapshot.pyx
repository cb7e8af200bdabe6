"""Taking the state of a world and giving it back, bit for bit.

A snapshot holds copies of the arrays and references to shapes and handles, which never change. To
pickle, it is written as plain arrays and shapes; handles are made anew. What is read back from a
pickle is checked in full (engine2d.snapshot_check) before any of it is used.

Handles inside `Body.data`: worlds that are pickled or deep-copied refer to their bodies by id, so
that whatever holds one holds the copy's afterwards. Where data is shared, not copied (World.copy,
a snapshot given to another world), lists, tuples, sets and dicts that hold handles are made anew.
"""

import numpy as np

from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from enginecore.handle_table cimport Entry
from enginecore.memory cimport address
from enginecore.pair_table cimport high_of, low_of
from engine2d.body cimport BodyData, Motion, Place
from engine2d.contact cimport Contact, Pair, Scene
from engine2d.collide.geometry cimport Geometry
from engine2d.joint.joint cimport JointData, JointStore
from engine2d.shape cimport Shape
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport MOST_TOUCHED, BodyStore, ShapeData
from engine2d.world cimport World

from engine2d.body import Body
from engine2d.snapshot_check import check_state, digest_of

# Of what is written by pickle; a state of another layout is refused.
VERSION = 4

# The sizes of all that is kept as bytes: they tell one layout from another.
cdef tuple SIZES = (sizeof(Motion), sizeof(Place), sizeof(BodyData), sizeof(Entry),
                    sizeof(ShapeData), sizeof(Contact), sizeof(Pair), sizeof(Scene),
                    sizeof(StepContext), sizeof(JointData), sizeof(Entry))


cdef class Snapshot:
    """The state of a world (World.snapshot); World.restore gives it back. Can be pickled."""

    cdef BodyStore store     # the store it was taken from; None once pickled
    cdef dict state

    def __init__(self):
        raise TypeError("snapshots are made by World.snapshot")

    @property
    def nbytes(self):
        """Bytes of the arrays it holds."""
        if self.state is None:
            return 0
        return sum(value.nbytes for value in (*self.state.values(), *self.state["boxes"])
                   if isinstance(value, np.ndarray))

    @property
    def time(self):
        """Simulated time when it was taken (s)."""
        if self.state is None:
            raise ValueError("snapshot must be one that World.snapshot made")
        return self.state["time"]

    def __repr__(self):
        if self.state is None:
            return "<Snapshot of nothing>"
        return f"<Snapshot at {self.time:.6g} s, {self.nbytes} bytes>"

    def __reduce__(self):
        if self.state is None:
            raise ValueError("snapshot must be one that World.snapshot made")
        state = written(self.state)
        # handles cannot travel: in data, ids stand for them
        swap, memo = Swap(self.state, self.store, None), {}
        state["handles"] = [data and (carried(data[0], swap, memo),) for data in state["handles"]]
        return _rebuild_snapshot, (VERSION, SIZES, state)


def _rebuild_snapshot(version, sizes, state):
    """Make a snapshot again, for pickle; ValueError unless all of it is sound."""
    cdef Snapshot out = Snapshot.__new__(Snapshot)
    check_layout(version, sizes)
    out.state = check_state(state)
    return out


cdef int check_layout(object version, object sizes) except -1:
    """ValueError unless a state was written by a build with this layout of memory."""
    if version != VERSION:
        raise ValueError(f"a snapshot of version {version!r} cannot be read, only {VERSION}")
    if sizes != SIZES:
        raise ValueError("this snapshot was written by a build with another memory layout")
    return 0


cdef dict written(dict state):
    """A state as it can be pickled: no addresses, no handles but their data, nothing shared."""
    out = {name: value.copy() if isinstance(value, np.ndarray) else value
           for name, value in state.items()}
    out["boxes"] = tuple(value.copy() if isinstance(value, np.ndarray) else value
                         for value in state["boxes"])
    out["handles"] = [body if body is None or isinstance(body, tuple) else (body.data,)
                      for body in state["handles"]]
    out["joint_handles"] = [joint if joint is None or isinstance(joint, tuple)
                            else (type(joint), joint.data) for joint in state["joint_handles"]]
    out["shapes"] = without_addresses(state["shapes"])
    out["digest"] = digest_of(out)
    return out


cdef object without_addresses(object shapes):
    """A copy of shapes' bytes in which nothing depends on where memory was; `adopt` fills it in."""
    out = shapes.copy()
    cdef ShapeData* data = <ShapeData*> address(out)
    cdef Py_ssize_t k
    for k in range(out.nbytes // sizeof(ShapeData)):
        memset(&data[k].geometry, 0, sizeof(Geometry))
    return out


# ---- handles inside of data --------------------------------------------------------------------

class _Mark:
    """Stands in a pickled snapshot for a body by its id, or for the world (-1), or for a body that
    was removed (-2)."""

    __slots__ = ("id",)

    def __init__(self, id):
        self.id = id

    def __reduce__(self):
        return _Mark, (self.id,)


cdef class Swap:
    """Exchanges handles of a snapshot for marks, or for the handles of a world that it goes to."""

    cdef dict state          # the snapshot's
    cdef BodyStore source    # the store that its handles are of; None: they are marks
    cdef object origin       # its World, if it lives
    cdef World target        # whose handles take their place; None: marks do
    cdef list handles        # the target's to be, by id

    def __cinit__(self, dict state, BodyStore source, World target):
        self.state = state
        self.source = source
        self.origin = None if source is None or source.world is None else source.world()
        self.target = target

    cdef int32_t id_of(self, object value) except -4:
        """The id that a handle or mark stands for; -1: the world, -2: a removed body, -3: neither.
        """
        cdef Entry* entries = <Entry*> address(self.state["entries"])
        cdef int32_t n = self.state["entries"].nbytes // sizeof(Entry), id
        if isinstance(value, _Mark):
            if self.source is not None:
                return -3
            id = value.id if isinstance(value.id, int) and -2 <= value.id < n else -2
            return id if id < 0 or entries[id].row >= 0 else -2
        if self.source is None:
            return -3
        if self.origin is not None and value is self.origin:
            return -1
        if isinstance(value, Body) and value._is_of(self.source):
            id = value.id
            # by generation: the id may have gone to another since, or before
            if id < n and entries[id].row >= 0 and entries[id].generation == value.generation:
                return id
            return -2
        return -3

    cdef object other(self, int32_t id):
        """What stands for an id on the other side."""
        if self.target is None:
            return _Mark(id)
        if id == -1:
            return self.target
        return Body(self.target.store, 0, 0) if id == -2 else self.handles[id]


cdef bint holds_handles(object value, Swap swap, set seen) except -1:
    """Whether a handle is reached from a value through lists, tuples, sets and dicts."""
    kind = type(value)
    if kind is list or kind is tuple or kind is set or kind is frozenset or kind is dict:
        if id(value) in seen:
            return False
        seen.add(id(value))
        items = [*value.keys(), *value.values()] if kind is dict else list(value)
        for item in items:
            if holds_handles(item, swap, seen):
                return True
        return False
    return swap.id_of(value) >= -2


cdef object carried(object value, Swap swap, dict memo):
    """A value with its handles exchanged; itself if there are none in it."""
    if not holds_handles(value, swap, set()):
        return value
    return rebuilt(value, swap, memo)


cdef object rebuilt(object value, Swap swap, dict memo):
    """A value with its containers made anew and its handles exchanged."""
    cdef int32_t found = swap.id_of(value)
    if found >= -2:
        return swap.other(found)
    kind = type(value)
    if kind not in (list, tuple, set, frozenset, dict):
        return value
    if id(value) in memo:
        return memo[id(value)][0]
    if kind is list:
        out = []
        memo[id(value)] = (out, value)       # the value too: its id must not be given to another
        out.extend([rebuilt(item, swap, memo) for item in value])
    elif kind is dict:
        out = {}
        memo[id(value)] = (out, value)
        for key, item in list(value.items()):
            out[rebuilt(key, swap, memo)] = rebuilt(item, swap, memo)
    elif kind is set:
        out = set()
        memo[id(value)] = (out, value)
        out.update([rebuilt(item, swap, memo) for item in value])
    else:
        out = kind([rebuilt(item, swap, memo) for item in value])
        memo[id(value)] = (out, value)
    return out


# ---- taking ------------------------------------------------------------------------------------

cdef object copy_of(const void* data, Py_ssize_t size):
    """Bytes from memory, as an array."""
    out = np.empty(size, np.uint8)
    memcpy(address(out), data, size)
    return out


cdef void set_rows(World world) noexcept:
    """Bring the rows that contacts hold up to date with removals; the next step would."""
    cdef int32_t k
    cdef Contact* c
    cdef const ShapeData* shapes = world.store.shapes
    cdef const Pair* pairs = world.contact_store.pairs
    for k in range(world.contact_store.n):
        c = &world.contact_store.contacts[k]
        c.a = shapes[low_of(pairs[c.pair].key)].body
        c.b = shapes[high_of(pairs[c.pair].key)].body


def take(World world not None):
    """The state of a world as a Snapshot."""
    cdef Snapshot out = Snapshot.__new__(Snapshot)
    cdef BodyStore store = world.store
    cdef StepContext ctx = world.ctx
    cdef Scene scene = world.scene
    # where things are in memory is no part of the state
    ctx.motions, ctx.places, ctx.bodies, ctx.contacts = NULL, NULL, NULL, NULL
    ctx.left, ctx.moved, ctx.before, ctx.pairs, ctx.shapes = NULL, NULL, NULL, NULL, NULL
    scene.shapes, scene.motions, scene.places, scene.bodies = NULL, NULL, NULL, NULL
    scene.apart = NULL
    scene.left = NULL
    store.settle()
    world.joint_store.settle()
    world.joint_store.point_at_bodies()
    set_rows(world)
    boxes = store.phase.save()
    out.store = store
    out.state = {
        "motions": copy_of(store.motions, store.n_bodies * sizeof(Motion)),
        "places": copy_of(store.places, store.n_bodies * sizeof(Place)),
        "bodies": copy_of(store.bodies, store.n_bodies * sizeof(BodyData)),
        "entries": copy_of(store.table.entries, store.table.n * sizeof(Entry)),
        "shapes": copy_of(store.shapes, store.phase.boxes.n * sizeof(ShapeData)),
        "contacts": copy_of(world.contact_store.contacts, world.contact_store.n * sizeof(Contact)),
        "pairs": copy_of(world.contact_store.pairs, world.contact_store.n_pairs * sizeof(Pair)),
        "scene": copy_of(&scene, sizeof(Scene)),
        "context": copy_of(&ctx, sizeof(StepContext)),
        "joints": copy_of(world.joint_store.joints, world.joint_store.n * sizeof(JointData)),
        "joint_entries": copy_of(world.joint_store.table.entries,
                                 world.joint_store.table.n * sizeof(Entry)),
        "joint_handles": list(world.joint_store.table.handles),
        "joint_free_ids": list(world.joint_store.table.free),
        "joint_gone": list(world.joint_store.table.gone),
        "joint_span": world.joint_store.span,
        "boxes": boxes,
        "handles": list(store.table.handles),
        "free_ids": list(store.table.free),
        "gone": list(store.table.gone),
        "shape_objects": store.shape_objects[:store.phase.boxes.n],
        "gravity": (world.pull.x, world.pull.y),
        "time": world.time, "steps": world.steps,
        "sleeping": world.sleeping, "solver": world.solver, "time_scale": world.pace,
        "margin": store.phase.boxes.margin,
        "ledger": dict(world.ledger), "extra": world.extra,
        "resting": (world.resting_gap, world.resting_speed),
        "passes": tuple(world.passes),
    }
    return out


# ---- giving back ---------------------------------------------------------------------------------

cdef int fill(void* into, object data) except -1:
    memcpy(into, address(data), data.nbytes)
    return 0


def give_back(World world not None, snapshot):
    """Bring a world back to a Snapshot."""
    if not isinstance(snapshot, Snapshot):
        raise TypeError(f"snapshot must be a Snapshot, got {snapshot!r}")
    cdef Snapshot given = snapshot
    if given.state is None:
        raise ValueError("snapshot must be one that World.snapshot made")
    if given.store is world.store:
        write_state(world, given.state, given.state["handles"], False)
    else:
        swap = Swap(given.state, given.store, world)
        write_state(world, given.state, new_handles(world.store, given.state, swap), True)


cdef list new_handles(BodyStore store, dict state, Swap swap):
    """Handles of a store for the bodies of a state, with their data; generations are still to be
    given. swap: exchanges the handles in the data; None: they are right."""
    pending = store.pending or {}
    out = [None if old is None else pending.get(k) or Body(store, k, 0)
           for k, old in enumerate(state["handles"])]
    memo = {}
    if swap is not None:
        swap.handles = out
    for new, old in zip(out, state["handles"]):
        if old is not None:
            data = old[0] if isinstance(old, tuple) else old.data
            new.data = data if swap is None else carried(data, swap, memo)
    return out


cdef int write_state(World world, dict state, list handles, bint foreign) except -1:
    """Write a state into a world's stores; foreign: its handles and pointers are new here."""
    cdef BodyStore store = world.store
    cdef int32_t n_bodies = state["motions"].nbytes // sizeof(Motion)
    cdef int32_t n_ids = state["entries"].nbytes // sizeof(Entry)
    cdef int32_t n_shapes = state["shapes"].nbytes // sizeof(ShapeData)
    cdef int32_t n_contacts = state["contacts"].nbytes // sizeof(Contact)
    cdef int32_t n_pairs = state["pairs"].nbytes // sizeof(Pair)
    cdef Py_ssize_t k
    # all room first: nothing may fail once the first byte is written
    if n_bodies > store.capacity:
        store.reserve(n_bodies)
    if n_ids > store.table.room:
        store.table.reserve(n_ids)
    if n_shapes > store.shape_capacity:
        store.reserve_shapes(n_shapes)
    if n_contacts > world.contact_store.room:
        world.contact_store.reserve(2 * n_contacts)
    if n_pairs > world.contact_store.pair_room:
        world.contact_store.reserve_pairs(2 * n_pairs)
    give_back_joints(world.joint_store, state)
    store.phase.load(state["boxes"])
    store.table.load((n_ids, state["entries"], handles, state["free_ids"], state["gone"]))
    store.shape_objects[:n_shapes] = state["shape_objects"]
    fill(store.motions, state["motions"])
    fill(store.places, state["places"])
    fill(store.bodies, state["bodies"])
    fill(store.shapes, state["shapes"])
    fill(world.contact_store.contacts, state["contacts"])
    fill(world.contact_store.pairs, state["pairs"])
    fill(&world.scene, state["scene"])
    fill(&world.ctx, state["context"])
    for k in range(n_shapes, store.phase.boxes.n):      # shapes that came later
        store.shapes[k].body = store.shapes[k].next_shape = -1
    store.renewed[:] = [k for k in range(n_shapes) if store.shapes[k].renewed]
    store.n_bodies, store.n_removed = n_bodies, 0
    world.contact_store.n, world.contact_store.n_pairs = n_contacts, n_pairs
    world.contact_store.ended.clear()
    world.pull.x, world.pull.y = state["gravity"]
    world.time, world.steps = state["time"], state["steps"]
    world.sleeping, world.solver = state["sleeping"], state["solver"]
    world.pace = state["time_scale"]
    store.phase.boxes.margin = state["margin"]
    world.ledger.clear()
    world.ledger.add(state["ledger"])
    world.extra = state["extra"]
    world.resting_gap, world.resting_speed = state["resting"]
    world.passes[:] = state["passes"]
    world.query.fresh = False
    store.n_touched = MOST_TOUCHED + 1
    world.event_store.clear()
    store.edits += 1
    store.disturbed = True
    if foreign:
        adopt(store, n_shapes)
        adopt_joints(world.joint_store)
    world.joint_store.list_apart()
    world.point_at_stores()
    return 0


cdef int give_back_joints(JointStore store, dict state) except -1:
    """Joints as they were."""
    cdef int32_t n = state["joints"].nbytes // sizeof(JointData)
    cdef int32_t n_ids = state["joint_entries"].nbytes // sizeof(Entry)
    if n > store.capacity:
        store.reserve(n)
    if n_ids > store.table.room:
        store.table.reserve(n_ids)
    fill(store.joints, state["joints"])
    store.n, store.n_removed = n, 0
    store.table.load((n_ids, state["joint_entries"], state["joint_handles"],
                      state["joint_free_ids"], state["joint_gone"]))
    store.ended.clear()
    store.edits += 1
    store.span = state["joint_span"]
    return 0


cdef int adopt_joints(JointStore store) except -1:
    """Handles of this store, in the place of those of another."""
    cdef int32_t k
    for k in range(store.table.n):
        old = store.table.handles[k]
        if old is not None:
            store.table.generations += 1
            store.table.entries[k].generation = store.table.generations
            kind, data = old if isinstance(old, tuple) else (type(old), old.data)
            joint = kind.__new__(kind)
            joint._attach(store, k, store.table.generations)
            joint.data = data
            store.table.handles[k] = joint
    return 0


cdef int adopt(BodyStore store, int32_t n_shapes) except -1:
    """Generations and pointers of this store, in the place of those of another."""
    cdef int32_t k
    for k in range(n_shapes):
        if store.shape_objects[k] is not None:
            store.shapes[k].geometry = (<Shape> store.shape_objects[k]).geometry
            store.table.generations += 1
            store.shapes[k].generation = store.table.generations
            store.note_rules(&store.shapes[k])
    for k in range(store.table.n):
        if store.table.handles[k] is not None:
            # a generation of its own: handles that this world gave out must not mean this body
            store.table.generations += 1
            store.table.entries[k].generation = store.table.generations
            store.table.handles[k]._bind(store.table.generations)
    store.pending = None
    return 0


# ---- copies of worlds ---------------------------------------------------------------------------

def copy_world(World world not None):
    """A world of its own in the same state; data is shared, but what holds handles holds its own.
    """
    cdef World out
    cdef Snapshot snapshot = world.snapshot()
    kind = type(world)
    out = kind.__new__(kind)
    swap = Swap(snapshot.state, snapshot.store, out)
    write_state(out, snapshot.state, new_handles(out.store, snapshot.state, swap), True)
    own, memo = getattr(world, "__dict__", None), {}
    if own:
        out.__dict__.update({name: carried(value, swap, memo) for name, value in own.items()})
    return out


def reduce_world(World world not None):
    """A world for pickle and deepcopy: first an empty one, which its bodies can refer to."""
    cdef Snapshot snapshot = world.snapshot()
    own = getattr(world, "__dict__", None)
    return _new_world, (type(world),), (VERSION, SIZES, written(snapshot.state),
                                        dict(own) if own else None)


def _new_world(kind):
    """A world whose state is still to be read."""
    cdef World world
    if not (isinstance(kind, type) and issubclass(kind, World)):
        raise ValueError(f"kind must be World or a class made from it, got {kind!r}")
    world = kind.__new__(kind)
    world.store.pending = {}
    return world


def set_world(World world not None, state):
    """Give an empty world the state that was written for it; returns what its class adds."""
    if not isinstance(state, tuple) or len(state) != 4:
        raise ValueError("the state of a world must be what its pickle holds")
    version, sizes, written_state, own = state
    check_layout(version, sizes)
    if own is not None and (not isinstance(own, dict) or not hasattr(world, "__dict__")):
        raise ValueError(f"what a class adds to World must be a dict, got {own!r}")
    checked = check_state(written_state)
    write_state(world, checked, new_handles(world.store, checked, None), True)
    return own


def find_handle(World world not None, id):
    """The body of a world with an id, also before its state is read; -1: a removed one."""
    cdef BodyStore store = world.store
    if not isinstance(id, int) or not -1 <= id < 0x7FFFFFFF:
        raise ValueError(f"id must be that of a body, got {id!r}")
    if id == -1:
        return Body(store, 0, 0)
    if store.pending is not None:
        if id not in store.pending:
            store.pending[id] = Body(store, id, 0)
        return store.pending[id]
    return world.body(id)
