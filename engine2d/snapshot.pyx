"""Taking the state of a world of the plane and giving it back, bit for bit: what this engine has
besides what any dimension has (enginecore.snapshot).

What is read back from a pickle is checked in full (engine2d.snapshot_check) before any of it is
used.
"""

from libc.stdint cimport int32_t
from libc.string cimport memset

from enginecore.handle_table cimport Entry
from enginecore.memory cimport address
from enginecore.pair_table cimport high_of, low_of
from enginecore.snapshot cimport Keeper as AnyKeeper
from enginecore.snapshot cimport Snapshot as AnySnapshot
from enginecore.snapshot cimport copy_of, fill
from enginecore.world cimport World as AnyWorld
from engine2d.body cimport BodyData, Motion, Place
from engine2d.contact cimport Contact, Pair
from engine2d.collide.geometry cimport Geometry
from engine2d.joint.joint cimport JointData
from engine2d.shape cimport Shape
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport MOST_TOUCHED, BodyStore, ShapeData
from engine2d.world cimport World

from engine2d.body import Body
from engine2d.snapshot_check import check_state, digest_of

# Of what is written by pickle; a state of another layout is refused.
VERSION = 7


cdef class Snapshot(AnySnapshot):
    """The state of a world (World.snapshot); World.restore gives it back. Can be pickled."""

    def __reduce__(self):
        return _rebuild_snapshot, self.pickled()


def _rebuild_snapshot(version, sizes, state):
    """Make a snapshot again, for pickle; ValueError unless all of it is sound."""
    return (<Keeper> KEEPER).rebuilt(version, sizes, state)


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


cdef class Keeper(AnyKeeper):

    def __cinit__(self):
        self.version = VERSION
        self.sizes = (sizeof(Motion), sizeof(Place), sizeof(BodyData), sizeof(Entry),
                      sizeof(ShapeData), sizeof(Contact), sizeof(Pair),
                      sizeof(StepContext), sizeof(JointData), sizeof(Entry))
        self.snapshot_type, self.body_type = Snapshot, Body

    cdef int settle(self, AnyWorld world) except -1:
        set_rows(world)
        return 0

    cdef dict own_state(self, AnyWorld any_world):
        cdef World world = any_world
        cdef BodyStore store = world.store
        cdef StepContext ctx = world.ctx
        # where things are in memory is no part of the state
        ctx.motions, ctx.places, ctx.bodies, ctx.contacts = NULL, NULL, NULL, NULL
        ctx.left, ctx.moved, ctx.before, ctx.pairs, ctx.shapes = NULL, NULL, NULL, NULL, NULL
        ctx.apart, ctx.hits, ctx.glides = NULL, NULL, NULL
        return {
            "motions": copy_of(store.motions, store.n_bodies * sizeof(Motion)),
            "places": copy_of(store.places, store.n_bodies * sizeof(Place)),
            "bodies": copy_of(store.bodies, store.n_bodies * sizeof(BodyData)),
            "contacts": copy_of(world.contact_store.contacts,
                                world.contact_store.n * sizeof(Contact)),
            "context": copy_of(&ctx, sizeof(StepContext)),
            "gravity": (world.pull.x, world.pull.y),
            "ledger": dict(world.ledger), "extra": world.extra,
            "resting": (world.resting_gap, world.resting_speed),
        }

    cdef int strip(self, dict state) except -1:
        """Nothing may depend on where memory was; `adopt_shapes` fills it in."""
        cdef ShapeData* data = <ShapeData*> address(state["shapes"])
        cdef Py_ssize_t k
        for k in range(state["shapes"].nbytes // sizeof(ShapeData)):
            memset(&data[k].geometry, 0, sizeof(Geometry))
        state["digest"] = digest_of(state)
        return 0

    cdef dict checked(self, object state):
        return check_state(state)

    cdef int make_room(self, AnyWorld any_world, dict state) except -1:
        cdef World world = any_world
        cdef int32_t n_bodies = state["motions"].nbytes // sizeof(Motion)
        cdef int32_t n_shapes = state["shapes"].nbytes // sizeof(ShapeData)
        cdef int32_t n_contacts = state["contacts"].nbytes // sizeof(Contact)
        if n_bodies > world.store.capacity:
            world.store.reserve(n_bodies)
        if n_shapes > world.store.shape_capacity:
            world.store.reserve_shapes(n_shapes)
        if n_contacts > world.contact_store.room:
            world.contact_store.reserve(2 * n_contacts)
        return 0

    cdef int write_own(self, AnyWorld any_world, dict state) except -1:
        cdef World world = any_world
        cdef BodyStore store = world.store
        cdef Py_ssize_t k
        fill(store.motions, state["motions"])
        fill(store.places, state["places"])
        fill(store.bodies, state["bodies"])
        fill(world.contact_store.contacts, state["contacts"])
        fill(&world.ctx, state["context"])
        # shapes that came later
        for k in range(state["shapes"].nbytes // sizeof(ShapeData), store.phase.boxes.n):
            store.shapes[k].body = store.shapes[k].next_shape = -1
        store.has_renewed = True
        store.n_bodies = state["motions"].nbytes // sizeof(Motion)
        world.contact_store.n = state["contacts"].nbytes // sizeof(Contact)
        world.size, world.root = world.ctx.unit, world.ctx.root
        world.pull.x, world.pull.y = state["gravity"]
        world.ledger.clear()
        world.ledger.add(state["ledger"])
        world.extra = state["extra"]
        world.resting_gap, world.resting_speed = state["resting"]
        world.query.fresh = False
        store.n_touched = MOST_TOUCHED + 1
        return 0

    cdef int adopt_shapes(self, AnyWorld any_world, dict state) except -1:
        cdef BodyStore store = (<World> any_world).store
        cdef int32_t k
        for k in range(<int32_t> (state["shapes"].nbytes // sizeof(ShapeData))):
            if store.shape_objects[k] is not None:
                store.shapes[k].geometry = (<Shape> store.shape_objects[k]).geometry
                store.table.generations += 1
                store.shapes[k].generation = store.table.generations
                store.note_rules(&store.shapes[k])
        return 0

    cdef int finish(self, AnyWorld any_world) except -1:
        (<World> any_world).point_at_stores()
        return 0


KEEPER = Keeper()
take, give_back = KEEPER.take, KEEPER.give_back
