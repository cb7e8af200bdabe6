"""Islands: bodies that push each other, and the contacts and joints through which they do.

An island is awake if any of its bodies is: what touches something awake wakes with it.
"""

import numpy as np

from enginecore.body_head cimport wake as wake_head
from enginecore.island cimport join, root_of
from enginecore.memory cimport address
from engine2d.body cimport AWAKE, DYNAMIC, head_of
from engine2d.contact cimport GONE, SENSOR, Contact


cdef inline int32_t mover(const StepContext* ctx, const Contact* c) noexcept nogil:
    """A dynamic body of a contact."""
    return c.a if ctx.bodies[c.a].kind == DYNAMIC else c.b


cdef inline bint pushes(const Contact* c) noexcept nogil:
    return not c.flags & (SENSOR | GONE)


cdef inline void wake(StepContext* ctx, int32_t row) noexcept nogil:
    if not ctx.bodies[row].flags & AWAKE:
        wake_head(head_of(&ctx.bodies[row]))


cdef inline int32_t rider(const StepContext* ctx, const JointData* joint) noexcept nogil:
    """A dynamic body of a joint; -1: none."""
    if joint.head.a >= 0 and ctx.bodies[joint.head.a].kind == DYNAMIC:
        return joint.head.a
    return joint.head.b if joint.head.b >= 0 and ctx.bodies[joint.head.b].kind == DYNAMIC else -1


cdef class IslandStore:

    def __cinit__(self):
        self.arrays = {}
        self.reserve(64, 128, 32)

    cdef int reserve(self, int32_t n_bodies, int32_t n_contacts, int32_t n_joints) except -1 nogil:
        """Make room for the islands of that many bodies, contacts and joints."""
        if (n_bodies <= self.room_bodies and n_contacts <= self.room_contacts
                and n_joints <= self.room_joints):
            return 0
        return self.grow(n_bodies, n_contacts, n_joints)

    cdef int grow(self, int32_t n_bodies, int32_t n_contacts, int32_t n_joints) except -1 with gil:
        arrays = self.arrays
        if n_bodies > self.room_bodies:
            self.room_bodies = 2 * n_bodies
            for name in ("bodies", "rows", "parent", "number", "first_of", "begin", "end", "rank",
                         "queue"):
                arrays[name] = np.zeros(self.room_bodies, np.int32)
            arrays["islands"] = np.zeros(self.room_bodies * sizeof(Island), np.uint8)
            arrays["is_large"] = np.zeros(self.room_bodies, np.uint8)
            arrays["piece"] = np.zeros(self.room_bodies)
            arrays["start"] = np.zeros(self.room_bodies)
            arrays["held"] = np.zeros(self.room_bodies)
            arrays["gone"] = np.zeros(self.room_bodies)
            arrays["met"] = np.zeros(self.room_bodies)
            arrays["given"] = np.zeros(self.room_bodies)
            arrays["ahead"] = np.zeros(self.room_bodies * sizeof(Momentum), np.uint8)
            self.is_large = <uint8_t*> address(arrays["is_large"])
            self.piece = <double*> address(arrays["piece"])
            self.start = <double*> address(arrays["start"])
            self.held = <double*> address(arrays["held"])
            self.gone = <double*> address(arrays["gone"])
            self.met = <double*> address(arrays["met"])
            self.given = <double*> address(arrays["given"])
            self.ahead = <Momentum*> address(arrays["ahead"])
            self.bodies = <int32_t*> address(arrays["bodies"])
            self.rows = <int32_t*> address(arrays["rows"])
            self.parent = <int32_t*> address(arrays["parent"])
            self.number = <int32_t*> address(arrays["number"])
            self.first_of = <int32_t*> address(arrays["first_of"])
            self.begin = <int32_t*> address(arrays["begin"])
            self.end = <int32_t*> address(arrays["end"])
            self.rank = <int32_t*> address(arrays["rank"])
            self.queue = <int32_t*> address(arrays["queue"])
            self.islands = <Island*> address(arrays["islands"])
        if n_contacts > self.room_contacts:
            self.room_contacts = 2 * n_contacts
            arrays["contacts"] = np.zeros(self.room_contacts, np.int32)
            self.contacts = <int32_t*> address(arrays["contacts"])
            arrays["movers"] = np.zeros(self.room_contacts, np.int32)
            self.movers = <int32_t*> address(arrays["movers"])
            arrays["neighbour"] = np.zeros(2 * self.room_contacts, np.int32)
            self.neighbour = <int32_t*> address(arrays["neighbour"])
        if n_joints > self.room_joints:
            self.room_joints = 2 * n_joints
            arrays["joints"] = np.zeros(self.room_joints, np.int32)
            self.joints = <int32_t*> address(arrays["joints"])
        return 0

    cdef void build(self, StepContext* ctx, const JointData* joints,
                    int32_t n_joints) noexcept nogil:
        """The stage: awake islands, in the order of their lowest rows; wakes what they touch."""
        cdef int32_t row
        self.n_rows = 0
        for row in range(ctx.n_bodies):
            self.parent[row] = self.number[row] = -1
            if ctx.bodies[row].kind == DYNAMIC:
                self.parent[row] = row
                self.rows[self.n_rows] = row
                self.n_rows += 1
            else:
                ctx.bodies[row].island = -1
        self.join_contacts(ctx, 0)
        self.join_linked(ctx, joints, n_joints)
        self.fill(ctx, 0)
        self.list_joints(ctx, joints, n_joints)

    cdef void build_again(self, StepContext* ctx, int32_t first, const JointData* joints,
                          int32_t n_joints) noexcept nogil:
        cdef int32_t row, k, island
        cdef bint grows = n_joints > 0
        cdef const Contact* c
        # who has time left, and whom they touch
        for row in range(ctx.n_bodies):
            self.number[row] = 1 if ctx.left[row] > 0.0 else 0
        for k in range(first, ctx.n_contacts):
            c = &ctx.contacts[k]
            if pushes(c):
                self.number[c.a] = self.number[c.b] = 1
        while grows:                   # and whom joints hold to these
            grows = False
            for k in range(n_joints):
                if joints[k].head.a >= 0 and joints[k].head.b >= 0 and (
                        self.number[joints[k].head.a] != self.number[joints[k].head.b]):
                    row = joints[k].head.b if self.number[joints[k].head.a] else joints[k].head.a
                    if (ctx.bodies[row].kind == DYNAMIC
                            and ctx.bodies[joints[k].head.a + joints[k].head.b
                                           - row].kind == DYNAMIC):
                        self.number[row] = 1
                        grows = True
        self.n_rows = 0
        for row in range(ctx.n_bodies):
            if self.number[row] and ctx.bodies[row].kind == DYNAMIC:
                self.rows[self.n_rows] = row
                self.n_rows += 1
                self.parent[row] = row
            else:
                self.parent[row] = -1
            self.number[row] = -1
        # one clock for those who shared one
        for k in range(self.n):
            self.first_of[k] = -1
        for k in range(self.n_rows):
            row = self.rows[k]
            island = ctx.bodies[row].island
            if island < 0 or not ctx.left[row] > 0.0:
                continue
            if self.first_of[island] < 0:
                self.first_of[island] = row
            else:
                join(self.parent, row, self.first_of[island])
        self.join_contacts(ctx, first)
        self.join_linked(ctx, joints, n_joints)
        self.fill(ctx, first)
        self.list_joints(ctx, joints, n_joints)

    cdef void join_contacts(self, StepContext* ctx, int32_t first) noexcept nogil:
        """Join who touches by the contacts from `first` on; wake what is met by what was moved.
        Notes their movers."""
        cdef int32_t k
        cdef bint a_moves, b_moves
        cdef const Contact* c
        for k in range(first, ctx.n_contacts):
            c = &ctx.contacts[k]
            if not pushes(c):
                self.movers[k] = -1
                continue
            # of the bodies of such contacts the dynamic ones have parents
            a_moves, b_moves = self.parent[c.a] >= 0, self.parent[c.b] >= 0
            self.movers[k] = c.a if a_moves else c.b
            if a_moves and b_moves:
                join(self.parent, c.a, c.b)
            elif (ctx.bodies[c.a].flags | ctx.bodies[c.b].flags) & AWAKE:
                # what cannot be pushed is awake when it was moved: all that it meets wakes
                wake(ctx, mover(ctx, c))

    cdef void join_linked(self, StepContext* ctx, const JointData* joints,
                          int32_t n_joints) noexcept nogil:
        """Join what joints connect; what is not dynamic and was moved wakes what it holds."""
        cdef int32_t k, row, other
        for k in range(n_joints):
            row = rider(ctx, &joints[k])
            if row < 0:
                continue
            other = joints[k].head.b if row == joints[k].head.a else joints[k].head.a
            if other < 0:
                continue
            if ctx.bodies[other].kind != DYNAMIC:
                if ctx.bodies[other].flags & AWAKE:
                    wake(ctx, row)
            elif self.parent[row] >= 0 and self.parent[other] >= 0:
                join(self.parent, row, other)

    cdef void fill(self, StepContext* ctx, int32_t first) noexcept nogil:
        """Number the awake groups of self.rows, and write their lists."""
        cdef int32_t row, k, root, at_body = 0, at_contact = 0, last = -1, n = 0
        cdef int32_t* awake = self.bodies     # by root, until the lists are written
        # number the awake ones
        for k in range(self.n_rows):
            awake[self.rows[k]] = 0
        for k in range(self.n_rows):
            if ctx.bodies[self.rows[k]].flags & AWAKE:
                awake[root_of(self.parent, self.rows[k])] = 1
        self.n = 0
        for k in range(self.n_rows):
            root = root_of(self.parent, self.rows[k])
            if awake[root] and self.number[root] < 0:
                self.number[root] = self.n
                self.islands[self.n] = Island(0, 0, 0, 0, 0, 0, 0)
                self.n += 1
        # count, then write the lists
        for k in range(self.n_rows):
            row = self.rows[k]
            # from here on by row, which is the same at the root
            root = self.number[row] = self.number[root_of(self.parent, row)]
            ctx.bodies[row].island = root
            if root >= 0:
                self.islands[root].n_bodies += 1
                wake(ctx, row)
        for k in range(first, ctx.n_contacts):
            row = self.movers[k]
            root = self.number[row] if row >= 0 else -1
            if root != last:
                # most often the next one is of the same island: counted in a register
                if last >= 0:
                    self.islands[last].n_contacts += n
                last, n = root, 0
            n += 1
        if last >= 0:
            self.islands[last].n_contacts += n
        for k in range(self.n):
            self.islands[k].first_body = at_body
            self.islands[k].first_contact = at_contact
            at_body += self.islands[k].n_bodies
            at_contact += self.islands[k].n_contacts
            self.islands[k].n_bodies = self.islands[k].n_contacts = 0
        for k in range(self.n_rows):
            row = self.rows[k]
            root = self.number[row]
            if root >= 0:
                self.bodies[self.islands[root].first_body + self.islands[root].n_bodies] = row
                self.islands[root].n_bodies += 1
        last = -1
        for k in range(first, ctx.n_contacts):
            row = self.movers[k]
            root = self.number[row] if row >= 0 else -1
            if root != last:
                if last >= 0:
                    self.islands[last].n_contacts = n
                last = root
                if root >= 0:
                    n = self.islands[root].n_contacts
                    at_contact = self.islands[root].first_contact
            if root >= 0:
                self.contacts[at_contact + n] = k
                n += 1
        if last >= 0:
            self.islands[last].n_contacts = n

    cdef bint is_listed(self, StepContext* ctx, int32_t row) noexcept nogil:
        """Whether a dynamic body is in an island of this round."""
        return self.parent[row] >= 0 and ctx.bodies[row].island >= 0

    cdef void list_joints(self, StepContext* ctx, const JointData* joints,
                          int32_t n_joints) noexcept nogil:
        """The joints of each island."""
        cdef int32_t k, row, at = 0
        cdef Island* island
        for k in range(n_joints):
            row = rider(ctx, &joints[k])
            if row >= 0 and self.is_listed(ctx, row):
                self.islands[ctx.bodies[row].island].n_joints += 1
        for k in range(self.n):
            self.islands[k].first_joint = at
            at += self.islands[k].n_joints
            self.islands[k].n_joints = 0
        for k in range(n_joints):
            row = rider(ctx, &joints[k])
            if row >= 0 and self.is_listed(ctx, row):
                island = &self.islands[ctx.bodies[row].island]
                self.joints[island.first_joint + island.n_joints] = k
                island.n_joints += 1
                island.n_joint_rows += joints[k].head.n_rows

    cdef int32_t walk(self, int32_t start, int32_t count) noexcept nogil:
        """Rank the bodies that are joined to this row, from `count` on, the nearest first; one more
        than the last rank."""
        cdef int32_t head = count, k, u
        self.rank[start] = count
        self.queue[count] = start
        count += 1
        while head < count:
            k = self.queue[head]
            head += 1
            for u in range(self.begin[k], self.end[k]):
                if self.rank[self.neighbour[u]] < 0:
                    self.rank[self.neighbour[u]] = count
                    self.queue[count] = self.neighbour[u]
                    count += 1
        return count

    cdef int32_t find_band(self, const StepContext* ctx, const Island* island) noexcept nogil:
        cdef int32_t k, row, low, high, total = 0, most = 0
        cdef const Contact* c
        cdef const int32_t* bodies = &self.bodies[island.first_body]
        cdef const int32_t* contacts = &self.contacts[island.first_contact]
        for k in range(island.n_bodies):
            self.end[bodies[k]] = 0
            self.rank[bodies[k]] = -1
        for k in range(island.n_contacts):
            c = &ctx.contacts[contacts[k]]
            if ctx.bodies[c.a].kind == DYNAMIC and ctx.bodies[c.b].kind == DYNAMIC:
                self.end[c.a] += 1
                self.end[c.b] += 1
        for k in range(island.n_bodies):
            row = bodies[k]
            self.begin[row] = total
            total += self.end[row]
            self.end[row] = self.begin[row]
        for k in range(island.n_contacts):
            c = &ctx.contacts[contacts[k]]
            if ctx.bodies[c.a].kind == DYNAMIC and ctx.bodies[c.b].kind == DYNAMIC:
                self.neighbour[self.end[c.a]] = c.b
                self.end[c.a] += 1
                self.neighbour[self.end[c.b]] = c.a
                self.end[c.b] += 1
        # a walk from anywhere ends at an end
        total = self.walk(bodies[0], 0)
        row = self.queue[total - 1]
        for k in range(island.n_bodies):
            self.rank[bodies[k]] = -1
        total = self.walk(row, 0)
        if total < island.n_bodies:
            return island.n_contacts
        # contacts by the later of their bodies: how many there are up to each rank
        for k in range(total):
            self.begin[k] = 0
            self.end[k] = k
        for k in range(island.n_contacts):
            c = &ctx.contacts[contacts[k]]
            low = self.rank[c.a] if ctx.bodies[c.a].kind == DYNAMIC else self.rank[c.b]
            high = self.rank[c.b] if ctx.bodies[c.b].kind == DYNAMIC else low
            if low > high:
                low, high = high, low
            self.begin[high] += 1
            self.end[low] = max(self.end[low], high)
        for k in range(1, total):
            self.begin[k] += self.begin[k - 1]
        for k in range(total):
            most = max(most, self.begin[self.end[k]] - (self.begin[k - 1] if k else 0))
        return most
