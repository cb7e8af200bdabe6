"""Taking the state of a world and giving it back, bit for bit, in any dimension.

A snapshot holds copies of the arrays and references to shapes and handles, which never change. To
pickle, it is written as plain arrays and shapes; handles are made anew.

Handles inside `Body.data`: worlds that are pickled or deep-copied refer to their bodies by id, so
that whatever holds one holds the copy's afterwards. Where data is shared, not copied (World.copy,
a snapshot given to another world), lists, tuples, sets and dicts that hold handles are made anew.
"""

import numpy as np

from libc.string cimport memcpy

from enginecore.handle_table cimport Entry, HandleTable
from enginecore.joint cimport JointStore
from enginecore.memory cimport address


cdef object copy_of(const void* data, Py_ssize_t size):
    out = np.empty(size, np.uint8)
    if size:
        memcpy(address(out), data, size)
    return out


cdef int fill(void* into, object data) except -1:
    if data.nbytes:
        memcpy(into, address(data), data.nbytes)
    return 0


cdef class Snapshot:
    """What snapshots of both engines have in common."""

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

    cdef tuple pickled(self):
        """Version, sizes and state, for pickle."""
        if self.state is None:
            raise ValueError("snapshot must be one that World.snapshot made")
        state = self.keeper.written(self.state)
        # handles cannot travel: in data, ids stand for them
        swap, memo = Swap(self.state, self.store, None, self.keeper.body_type), {}
        state["handles"] = [data and (carried(data[0], swap, memo),) for data in state["handles"]]
        return self.keeper.version, self.keeper.sizes, state


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

    def __cinit__(self, dict state, BodyStore source, World target, type body_type):
        self.state = state
        self.source = source
        self.origin = None if source is None or source.world is None else source.world()
        self.target = target
        self.body_type = body_type

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
        if isinstance(value, self.body_type) and value._is_of(self.source):
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
        return self.body_type(self.target.any_bodies, 0, 0) if id == -2 else self.handles[id]


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


# ---- what worlds of any dimension have ---------------------------------------------------------

cdef dict state_of(World world):
    """The state of the stores and settings that know no dimension."""
    cdef BodyStore store = world.any_bodies
    cdef JointStore joints = world.any_joints
    return {
        "entries": copy_of(store.table.entries, store.table.n * sizeof(Entry)),
        "shapes": copy_of(store.shape_heads, store.phase.boxes.n * store.shape_size),
        "pairs": copy_of(world.any_contacts.pair_heads,
                         world.any_contacts.n_pairs * world.any_contacts.pair_size),
        "joints": copy_of(joints.heads, joints.n * joints.size),
        "joint_entries": copy_of(joints.table.entries, joints.table.n * sizeof(Entry)),
        "joint_handles": list(joints.table.handles),
        "joint_free_ids": list(joints.table.free),
        "joint_gone": list(joints.table.gone),
        "joint_span": joints.span,
        "boxes": store.phase.save(),
        "handles": list(store.table.handles),
        "free_ids": list(store.table.free),
        "gone": list(store.table.gone),
        "shape_objects": store.shape_objects[:store.phase.boxes.n],
        "time": world.time, "steps": world.steps,
        "sleeping": world.sleeping, "solver": world.solver, "time_scale": world.pace,
        "disturbed": bool(store.disturbed),
        "margin": store.phase.boxes.margin,
        "passes": tuple(world.passes),
    }


cdef int reserve_ids(HandleTable table, object entries) except -1:
    if entries.nbytes // sizeof(Entry) > table.room:
        table.reserve(entries.nbytes // sizeof(Entry))
    return 0


cdef int load_table(HandleTable table, object entries, list handles, object free,
                    object gone) except -1:
    table.load((entries.nbytes // sizeof(Entry), entries, handles, free, gone))
    return 0


cdef int reserve_all(World world, dict state) except -1:
    """Room for a state: nothing may fail once the first byte is written."""
    cdef JointStore joints = world.any_joints
    cdef Py_ssize_t n_pairs = state["pairs"].nbytes // world.any_contacts.pair_size
    cdef Py_ssize_t n_joints = state["joints"].nbytes // joints.size
    reserve_ids(world.any_bodies.table, state["entries"])
    reserve_ids(joints.table, state["joint_entries"])
    if n_pairs > world.any_contacts.pair_room:
        world.any_contacts.reserve_pairs(2 * n_pairs)
    if n_joints > joints.capacity:
        joints.reserve(<int32_t> n_joints)
    return 0


cdef int write_joints(JointStore store, dict state) except -1:
    """Joints as they were."""
    fill(store.heads, state["joints"])
    store.n, store.n_removed = state["joints"].nbytes // store.size, 0
    load_table(store.table, state["joint_entries"], state["joint_handles"],
               state["joint_free_ids"], state["joint_gone"])
    store.ended.clear()
    store.n_ended = 0
    store.edits += 1
    store.span = state["joint_span"]
    return 0


cdef int write_common(World world, dict state, list handles) except -1:
    """Write back what state_of took."""
    cdef BodyStore store = world.any_bodies
    cdef Py_ssize_t n_shapes = state["shapes"].nbytes // store.shape_size
    write_joints(world.any_joints, state)
    store.phase.load(state["boxes"])
    load_table(store.table, state["entries"], handles, state["free_ids"], state["gone"])
    store.shape_objects[:n_shapes] = state["shape_objects"]
    store.shape_edits += 1
    fill(store.shape_heads, state["shapes"])
    fill(world.any_contacts.pair_heads, state["pairs"])
    world.any_contacts.n_pairs = state["pairs"].nbytes // world.any_contacts.pair_size
    world.any_contacts.seen_changes = -1
    world.any_contacts.ended.n = 0
    world.time, world.steps = state["time"], state["steps"]
    world.sleeping, world.solver = state["sleeping"], state["solver"]
    world.pace = state["time_scale"]
    world.passes[:] = state["passes"]
    world.has_passes = len(world.passes) > 0
    store.phase.boxes.margin = state["margin"]
    store.n_removed = 0
    world.any_events.clear()
    store.edits += 1
    store.disturbed = state["disturbed"]
    return 0


cdef int adopt_bodies(BodyStore store) except -1:
    """Handles that were made for another store's bodies stand for this one's."""
    cdef int32_t k
    for k in range(store.table.n):
        if store.table.handles[k] is not None:
            # a generation of its own: handles that this world gave out must not mean this body
            store.table.generations += 1
            store.table.entries[k].generation = store.table.generations
            store.table.handles[k]._bind(store.table.generations)
    store.pending = None
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
            joint._attach(store, k)
            joint.data = data
            store.table.handles[k] = joint
    return 0


# ---- the keeper --------------------------------------------------------------------------------

cdef class Keeper:

    cdef int check_layout(self, object version, object sizes) except -1:
        """ValueError unless a state was written by a build with this layout of memory."""
        if version != self.version:
            raise ValueError(f"a snapshot of version {version!r} cannot be read, only "
                             f"{self.version}")
        if sizes != self.sizes:
            raise ValueError("this snapshot was written by a build with another memory layout")
        return 0

    cdef int settle(self, World world) except -1:
        return 0

    cdef dict own_state(self, World world):
        return {}

    cdef int strip(self, dict state) except -1:
        return 0

    cdef dict checked(self, object state):
        return state

    cdef int make_room(self, World world, dict state) except -1:
        return 0

    cdef int write_own(self, World world, dict state) except -1:
        return 0

    cdef int adopt_shapes(self, World world, dict state) except -1:
        return 0

    cdef int finish(self, World world) except -1:
        return 0

    cdef Snapshot rebuilt(self, object version, object sizes, object state):
        """A snapshot again, for pickle; ValueError unless all of it is sound."""
        cdef Snapshot out = self.snapshot_type.__new__(self.snapshot_type)
        self.check_layout(version, sizes)
        out.state = self.checked(state)
        out.keeper = self
        return out

    cdef dict written(self, dict state):
        """A state as it can be pickled: no addresses, no handles but their data, nothing shared.
        """
        out = {name: value.copy() if isinstance(value, np.ndarray) else value
               for name, value in state.items()}
        out["boxes"] = tuple(value.copy() if isinstance(value, np.ndarray) else value
                             for value in state["boxes"])
        out["handles"] = [body if body is None or isinstance(body, tuple) else (body.data,)
                          for body in state["handles"]]
        out["joint_handles"] = [joint if joint is None or isinstance(joint, tuple)
                                else (type(joint), joint.data) for joint in state["joint_handles"]]
        self.strip(out)
        return out

    def take(self, World world not None):
        """The state of a world as a Snapshot."""
        cdef Snapshot out = self.snapshot_type.__new__(self.snapshot_type)
        world.any_bodies.settle()
        world.any_joints.settle()
        world.any_joints.point_at_bodies()
        self.settle(world)
        out.keeper, out.store = self, world.any_bodies
        out.state = {**self.own_state(world), **state_of(world)}
        return out

    def give_back(self, World world not None, snapshot):
        """Bring a world back to a Snapshot."""
        if not isinstance(snapshot, self.snapshot_type):
            raise TypeError(f"snapshot must be a Snapshot, got {snapshot!r}")
        cdef Snapshot given = snapshot
        if given.state is None:
            raise ValueError("snapshot must be one that World.snapshot made")
        if given.store is world.any_bodies:
            self.write_state(world, given.state, given.state["handles"], False)
        else:
            swap = Swap(given.state, given.store, world, self.body_type)
            self.write_state(world, given.state,
                             self.new_handles(world.any_bodies, given.state, swap), True)

    cdef list new_handles(self, BodyStore store, dict state, Swap swap):
        """Handles of a store for the bodies of a state, with their data; generations are still to
        be given. swap: exchanges the handles in the data; None: they are right."""
        pending = store.pending or {}
        out = [None if old is None else pending.get(k) or self.body_type(store, k, 0)
               for k, old in enumerate(state["handles"])]
        memo = {}
        if swap is not None:
            swap.handles = out
        for new, old in zip(out, state["handles"]):
            if old is not None:
                data = old[0] if isinstance(old, tuple) else old.data
                new.data = data if swap is None else carried(data, swap, memo)
        return out

    cdef int write_state(self, World world, dict state, list handles, bint foreign) except -1:
        """Write a state into a world's stores; foreign: its handles and pointers are new here."""
        reserve_all(world, state)
        self.make_room(world, state)
        write_common(world, state, handles)
        self.write_own(world, state)
        if foreign:
            self.adopt_shapes(world, state)
            adopt_bodies(world.any_bodies)
            adopt_joints(world.any_joints)
        world.any_joints.list_apart()
        return self.finish(world)

    # -- copies of worlds

    def copy_world(self, World world not None):
        """A world of its own in the same state; data is shared, but what holds handles holds its
        own."""
        cdef World out
        cdef Snapshot snapshot = world.snapshot()
        kind = type(world)
        out = kind.__new__(kind)
        swap = Swap(snapshot.state, snapshot.store, out, self.body_type)
        self.write_state(out, snapshot.state,
                         self.new_handles(out.any_bodies, snapshot.state, swap), True)
        own, memo = getattr(world, "__dict__", None), {}
        if own:
            out.__dict__.update({name: carried(value, swap, memo) for name, value in own.items()})
        return out

    def reduce_world(self, World world not None):
        """A world for pickle and deepcopy: first an empty one, which its bodies can refer to."""
        cdef Snapshot snapshot = world.snapshot()
        own = getattr(world, "__dict__", None)
        return _new_world, (type(world),), (self.version, self.sizes,
                                            self.written(snapshot.state),
                                            dict(own) if own else None)

    def set_world(self, World world not None, state):
        """Give an empty world the state that was written for it; returns what its class adds."""
        if not isinstance(state, tuple) or len(state) != 4:
            raise ValueError("the state of a world must be what its pickle holds")
        version, sizes, written_state, own = state
        self.check_layout(version, sizes)
        if own is not None and (not isinstance(own, dict) or not hasattr(world, "__dict__")):
            raise ValueError(f"what a class adds to World must be a dict, got {own!r}")
        checked = self.checked(written_state)
        self.write_state(world, checked, self.new_handles(world.any_bodies, checked, None), True)
        return own

    def find_handle(self, World world not None, id):
        """The body of a world with an id, also before its state is read; -1: a removed one."""
        cdef BodyStore store = world.any_bodies
        if not isinstance(id, int) or not -1 <= id < 0x7FFFFFFF:
            raise ValueError(f"id must be that of a body, got {id!r}")
        if id == -1:
            return self.body_type(store, 0, 0)
        if store.pending is not None:
            if id not in store.pending:
                store.pending[id] = self.body_type(store, id, 0)
            return store.pending[id]
        return world.body(id)


def _new_world(kind):
    """A world whose state is still to be read."""
    cdef World world
    if not (isinstance(kind, type) and issubclass(kind, World)):
        raise ValueError(f"kind must be World or a class made from it, got {kind!r}")
    world = kind.__new__(kind)
    if world.any_bodies is None:
        raise ValueError(f"kind must be World of an engine or a class made from it, got {kind!r}")
    world.any_bodies.pending = {}
    return world
