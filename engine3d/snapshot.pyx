# distutils: include_dirs = engine3d/solve enginecore
"""Taking the state of a world of space and giving it back, bit for bit: what this engine has
besides what any dimension has (enginecore.snapshot).

What is read back from a pickle is checked in full (engine3d.snapshot_check) before any of it is
used.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t

from enginecore.body_head cimport BodyHead
from enginecore.handle_table cimport Entry
from enginecore.memory cimport address
from enginecore.snapshot cimport Keeper as AnyKeeper
from enginecore.snapshot cimport Snapshot as AnySnapshot
from enginecore.snapshot cimport copy_of, fill
from enginecore.world cimport World as AnyWorld
from engine3d.body cimport BodyData, Motion, Place
from engine3d.contact cimport Contact, Pair, StepContext
from engine3d.joint.joint cimport JointData
from engine3d.shape cimport Shape
from engine3d.store cimport BodyStore, ShapeData
from engine3d.world cimport World

from engine3d.body import Body
from engine3d.snapshot_check import check_state, digest_of

# Of what is written by pickle; a state of another layout is refused.
VERSION = 7


cdef class Snapshot(AnySnapshot):
    """The state of a world (World.snapshot); World.restore gives it back. Can be pickled."""

    def __reduce__(self):
        return _rebuild_snapshot, self.pickled()


def _rebuild_snapshot(version, sizes, state):
    """Make a snapshot again, for pickle."""
    return (<Keeper> KEEPER).rebuilt(version, sizes, state)


cdef class Keeper(AnyKeeper):

    def __cinit__(self):
        self.version = VERSION
        self.sizes = (sizeof(BodyHead), sizeof(Motion), sizeof(Place), sizeof(BodyData),
                      sizeof(ShapeData), sizeof(Contact), sizeof(Pair), sizeof(StepContext),
                      sizeof(JointData), sizeof(Entry))
        self.snapshot_type, self.body_type = Snapshot, Body

    cdef dict own_state(self, AnyWorld any_world):
        cdef World world = any_world
        cdef BodyStore store = world.store
        cdef StepContext ctx = world.ctx
        # where things are in memory is no part of the state
        ctx.heads, ctx.motions, ctx.places, ctx.bodies = NULL, NULL, NULL, NULL
        ctx.shapes, ctx.pairs, ctx.contacts, ctx.apart = NULL, NULL, NULL, NULL
        ctx.need, ctx.hits = NULL, NULL
        return {
            "heads": copy_of(store.heads, store.n_bodies * sizeof(BodyHead)),
            "motions": copy_of(store.motions, store.n_bodies * sizeof(Motion)),
            "places": copy_of(store.places, store.n_bodies * sizeof(Place)),
            "bodies": copy_of(store.bodies, store.n_bodies * sizeof(BodyData)),
            "contacts": copy_of(world.contact_store.contacts,
                                world.contact_store.n_slots * sizeof(Contact)),
            "context": copy_of(&ctx, sizeof(StepContext)),
            "gravity": (world.pull.x, world.pull.y, world.pull.z), "unit": world.size,
            "generations": store.generations,
        }

    cdef int strip(self, dict state) except -1:
        """Nothing may depend on where memory was; `adopt_shapes` fills it in."""
        cdef ShapeData* data = <ShapeData*> address(state["shapes"])
        cdef Py_ssize_t k
        for k in range(state["shapes"].nbytes // sizeof(ShapeData)):
            data[k].geometry = NULL
        state["digest"] = digest_of(state)
        return 0

    cdef dict checked(self, object state):
        return check_state(state)

    cdef int make_room(self, AnyWorld any_world, dict state) except -1:
        cdef World world = any_world
        cdef int32_t n_bodies = state["heads"].nbytes // sizeof(BodyHead)
        cdef int32_t n_shapes = state["shapes"].nbytes // sizeof(ShapeData)
        cdef int64_t n_slots = state["contacts"].nbytes // sizeof(Contact)
        if n_bodies > world.store.capacity:
            world.store.reserve(n_bodies)
        if n_shapes > world.store.shape_capacity:
            world.store.reserve_shapes(n_shapes)
        if n_slots > world.contact_store.room:
            world.contact_store.reserve(2 * n_slots)
        return 0

    cdef int write_own(self, AnyWorld any_world, dict state) except -1:
        cdef World world = any_world
        cdef BodyStore store = world.store
        cdef Py_ssize_t k
        fill(store.heads, state["heads"])
        fill(store.motions, state["motions"])
        fill(store.places, state["places"])
        fill(store.bodies, state["bodies"])
        fill(world.contact_store.contacts, state["contacts"])
        fill(&world.ctx, state["context"])
        # shapes that came later
        for k in range(state["shapes"].nbytes // sizeof(ShapeData), store.phase.boxes.n):
            store.shapes[k].body = store.shapes[k].next_shape = -1
        store.n_bodies = state["heads"].nbytes // sizeof(BodyHead)
        world.contact_store.n_slots = state["contacts"].nbytes // sizeof(Contact)
        world.size, world.root = state["unit"], sqrt(state["unit"])
        world.pull.x, world.pull.y, world.pull.z = state["gravity"]
        # generations are never given out twice: handles of shapes that came since must not mean
        # others
        store.generations = max(store.generations, state["generations"])
        store.has_renewed = True
        return 0

    cdef int adopt_shapes(self, AnyWorld any_world, dict state) except -1:
        cdef BodyStore store = (<World> any_world).store
        cdef int32_t k
        for k in range(<int32_t> (state["shapes"].nbytes // sizeof(ShapeData))):
            if store.shape_objects[k] is not None:
                store.shapes[k].geometry = &(<Shape> store.shape_objects[k]).geometry
        return 0

    cdef int finish(self, AnyWorld any_world) except -1:
        (<World> any_world).point_at_stores()
        return 0


KEEPER = Keeper()
take, give_back = KEEPER.take, KEEPER.give_back
