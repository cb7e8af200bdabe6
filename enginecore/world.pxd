"""A world as its users see it, and the step as a list of stages, in any dimension.

An engine's World derives from this one: it knows vectors, what bodies and contacts are, and what
its stages do.
"""

from libc.stdint cimport int32_t, int64_t

from enginecore.body_store cimport BodyStore
from enginecore.contact cimport ContactStore
from enginecore.event cimport EventStore
from enginecore.joint cimport JointStore

# The stages of a step that World.stats times, in their order.
cdef enum Stage:
    STAGE_EDITS = 0
    STAGE_BROAD_PHASE = 1
    STAGE_NARROW_PHASE = 2
    STAGE_ISLAND = 3
    STAGE_SOLVE = 4
    STAGE_EVENT = 5
    N_STAGES = 6

cdef class World:
    cdef object __weakref__
    # The engine's stores, as any dimension knows them.
    cdef BodyStore any_bodies
    cdef ContactStore any_contacts
    cdef JointStore any_joints
    cdef EventStore any_events
    cdef object any_query        # Query
    cdef type body_type          # Body and Joint of the engine
    cdef type joint_type
    cdef str joint_example       # how a joint is made, for errors
    cdef double size             # m, of an ordinary body
    cdef double root             # its root: times and speeds go by it
    cdef readonly double time    # s, that was simulated
    cdef readonly int64_t steps
    cdef public bint sleeping    # whether bodies at rest fall asleep
    cdef int solver              # Solver
    cdef object filter           # the user's contact_filter; None: all contacts are
    cdef bint has_filter         # whether it is one
    cdef list passes             # pairs of ids of bodies that pass until they have parted
    cdef bint has_passes         # whether there may be any
    cdef double pace             # simulated seconds to one that step is told
    cdef double[6] seconds       # of the last step's stages
    cdef int64_t seen_edits      # of the bodies, when pairs were last matched
    cdef bint calling            # handlers of the last step
    cdef int32_t runaways        # bodies that the last step had to stop

    cdef int adopt_stores(self, BodyStore bodies, ContactStore contacts, JointStore joints,
                          EventStore events, object query) except -1
    cdef int read_settings(self, object unit, object solver, object sleeping) except -1
    cdef dict settings_of(self, int mix_friction, int mix_restitution)
    cdef int enter(self, str what) except -1
    cdef void wake_dynamic(self) noexcept
    cdef object add_handle(self, int32_t id)
    cdef int check_body(self, object body) except -1
    cdef object view(self, str name, int32_t width, int32_t first, int32_t count)
    cdef int write_all(self, dict wanted) except -1
    cdef int note_joint_ends(self) except -1 with gil
    cdef list read_calls(self)
    cdef int call_handlers(self, list calls) except -1
    # One call of several steps of dt seconds each, until a handler is to be called; returns how
    # many.
    cdef int64_t run_call(self, double dt, int64_t most) except -1
    cdef int64_t run_steps(self, double h, int parts, int64_t most) except -1 nogil
    cdef int step_part(self, double dt) except -1 nogil
    cdef int match_pairs(self) except -1 nogil
    cdef int let_pass(self) except -1 with gil
    cdef object ask_filter(self, object rows, int64_t n)

    # -- what an engine's own does
    # Insert a body that was read and checked (the engine's BodyInput); returns its id.
    cdef int32_t insert_body(self, tuple shapes, const void* given) except -1
    cdef object _add(self, tuple shapes, const void* given)
    # Contacts of the last step as users see them; body: an id, whose contacts only; < 0: all.
    cdef object list_contacts(self, int32_t body)
    cdef int64_t count_contacts(self) noexcept
    cdef int32_t count_islands(self) noexcept
    cdef dict counts(self)
    # Kinetic and potential energy (J) of bodies and springs.
    cdef void sum_energy(self, double* kinetic, double* potential) noexcept
    # Write arrays that were checked into the rows of all bodies.
    cdef int write_rows(self, dict given) except -1
    # What there is once a call of step, with the interpreter.
    cdef int begin_call(self) except -1
    # The pairs of the contacts as the broad phase has them.
    cdef int match(self, bint edited) except -1 nogil
    # The stages. They run without the interpreter; who needs it, to make arrays longer, to plan a
    # factor or to ask the user's filter, asks for it there and gives it back.
    cdef int begin_step(self, double whole) except -1 nogil
    cdef int begin_part(self, double dt) except -1 nogil
    cdef int find_pairs(self) except -1 nogil
    cdef int find_contacts(self) except -1 nogil
    cdef int build_islands(self) except -1 nogil
    cdef int solve(self) except -1 nogil
    cdef int finish_part(self) except -1 nogil
    cdef int finish_step(self) except -1 nogil


# Arguments of worlds: MixRule, BodyKind.
cdef int read_rule(object value, str name) except -1
cdef int read_kind(object value) except -1
