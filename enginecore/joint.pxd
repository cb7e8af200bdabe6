"""The joints of a world and the handles users hold, in any dimension.

An engine's JointStore and Joint derive from these: they know the rows of joints, where bodies are,
and vectors.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t

from enginecore.assembly_store cimport AssemblyStore, JointEdge
from enginecore.body_store cimport BodyStore
from enginecore.handle_table cimport HandleTable
from enginecore.joint_head cimport JointHead


cdef class JointStore:
    """The joints of a world: rows in the order of adding, and their handles."""

    cdef BodyStore owner         # whose bodies they join
    cdef char* heads             # of row 0; those of others follow, `size` bytes apart
    cdef Py_ssize_t size
    cdef int32_t n               # rows, removed ones among them until they are settled
    cdef int32_t n_removed
    cdef int32_t capacity
    cdef object arrays           # numpy arrays by name: they own the memory
    cdef HandleTable table
    cdef list ended              # (handle, reason) of joints that ended and were not told of yet
    cdef int32_t n_ended         # how many
    cdef int64_t edits           # grows when joints come, go or change which rows they have
    cdef double span             # s, of the last step: forces are means over it
    cdef int64_t* apart          # pairs of body ids, low << 32 | high, that do not collide
    cdef int32_t n_apart
    cdef bint stale              # the list of them is; list_apart makes it anew
    cdef AssemblyStore assemblies
    cdef JointEdge* edges        # of the joints, scratch of list_assemblies
    cdef int32_t room_edges
    cdef int64_t seen_edits      # of joints and bodies, when assemblies were last listed
    cdef int64_t seen_bodies
    cdef int pulled              # the kind whose spring is the user's

    # few_blocks: of AssemblyStore
    cdef int prepare(self, BodyStore owner, Py_ssize_t size, int few_blocks, int pulled) except -1
    cdef int reserve(self, int32_t capacity) except -1
    cdef int32_t insert(self, const JointHead* given, object handle) except -1
    cdef int drop(self, int32_t row, str reason) except -1
    cdef int drop_of_body(self, int32_t body) except -1
    cdef int break_joints(self) except -1 nogil
    cdef int break_joint(self, int32_t row) except -1 with gil
    cdef void settle(self) noexcept nogil
    cdef void point_at_bodies(self) noexcept nogil
    cdef void unsorted(self) noexcept
    cdef int list_apart(self) except -1 with gil
    cdef int list_assemblies(self) except -1 nogil
    cdef int list_edges(self) except -1 with gil
    cdef bint is_movable(self, int32_t row) noexcept nogil
    cdef bint is_awake(self, int32_t row) noexcept nogil
    cdef void wake(self, const JointHead* joint) noexcept
    cdef void changed(self, int32_t row) noexcept
    cdef void begin_step(self, double whole) noexcept nogil
    cdef double energy(self) noexcept nogil
    # -- an engine's own
    # The array is new.
    cdef void point_at_rows(self) noexcept
    # Whether a joint bore more in the last step than it can.
    cdef bint is_spent(self, int32_t row) noexcept nogil
    # Whether there are functions of a kind.
    cdef bint is_kind(self, int kind) noexcept
    # What follows from where the bodies are: anchors, axes, reference, stiffness.
    cdef int settle_joint(self, JointHead* joint, dict given) except -1
    # How many rows its settings give a joint, and a bit for each that is hard.
    cdef int count_rows(self, const JointHead* joint, int* hard) noexcept
    # Begin without forces: the rows are others.
    cdef void forget_forces(self, JointHead* joint) noexcept
    # Multiply force and torque, sums over the last step; by 0.0: they are 0.
    cdef void scale_sums(self, JointHead* joint, double factor) noexcept nogil
    # Add the energy (J) of a joint's springs.
    cdef void add_energy(self, const JointHead* joint, double* sum) noexcept nogil


cdef inline JointHead* joint_at(JointStore store, int32_t row) noexcept nogil:
    """The head of the joint in a row."""
    return <JointHead*> (store.heads + row * store.size)

cdef inline int32_t row_of(BodyStore store, int32_t id) noexcept nogil:
    """The row of a body by its id; -1 is the world."""
    return store.table.entries[id].row if id >= 0 else -1

# Whether two bodies (ids) are held apart by no contact: joined, and not to collide.
cdef bint is_apart(const int64_t* apart, int32_t n, int32_t a, int32_t b) noexcept nogil

# The id and the generation of a body that a joint was made with; -1 for the world (None).
cdef int find_body(BodyStore store, object body, str name, int32_t* id,
                   uint32_t* born) except -1


cdef class Joint:
    """What the handles of both engines have: settings, bodies, life in a world."""

    cdef JointHead* own_head     # of what it was made with, until it is added
    cdef JointStore joints       # the store, as any dimension knows it; None until it is added
    cdef object given_a          # bodies that it was made with
    cdef object given_b
    cdef object given            # anchors and more that are read when it is added
    cdef readonly int32_t id
    cdef readonly uint32_t generation
    cdef public object data      # anything of the user's

    cdef void begin(self, JointHead* own, int kind) noexcept
    cdef JointHead* head(self) except NULL
    cdef JointHead* writable_head(self, str what) except NULL
    cdef JointHead* added_head(self, str what) except NULL
    # -- an engine's own; which: 0 of body_a, 1 of body_b
    # Stiffness and damping of a spring from its frequency.
    cdef int stiffen_head(self, double hertz, double ratio) except -1
    # Its anchors, in the frame of the body; where they are now.
    cdef object anchor_of(self, const JointHead* at, int which)
    cdef int put_anchor(self, JointHead* at, int which, object point) except -1
    cdef object point_of(self, const JointHead* at, int which)
    # m or rad: length or angle now.
    cdef double measure(self, const JointHead* at) except? -1.0
    # Force (N) and torque (N m) on body_b, means over a step of `span` (s) if that is above 0.
    cdef object force_of(self, const JointHead* at, double span)
    cdef object torque_of(self, const JointHead* at, double span)
