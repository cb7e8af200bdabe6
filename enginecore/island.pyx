"""Islands: bodies that push each other, and the edges through which they do.

An island is awake if any of its bodies is: what touches something awake wakes with it.
"""

from enginecore.body_head cimport AWAKE, DYNAMIC, wake
from enginecore.memory cimport address, longer_lines


cdef inline int32_t mover(const BodyHead* heads, const Edge* e) noexcept nogil:
    """A dynamic body of an edge."""
    return e.a if heads[e.a].kind == DYNAMIC else e.b


cdef class IslandStore:

    def __cinit__(self):
        self.arrays = {}
        self.reserve(64, 128)

    cdef int reserve(self, int32_t n_bodies, int32_t n_edges) except -1 nogil:
        """Make room for the islands of that many bodies and edges."""
        if n_bodies <= self.room_bodies and n_edges <= self.room_edges:
            return 0
        return self.grow(n_bodies, n_edges)

    cdef int grow(self, int32_t n_bodies, int32_t n_edges) except -1 with gil:
        arrays = self.arrays
        if n_bodies > self.room_bodies:
            self.room_bodies = 2 * n_bodies
            for name in ("bodies", "parent", "number"):
                arrays[name] = longer_lines(None, self.room_bodies, sizeof(int32_t))
            arrays["islands"] = longer_lines(None, self.room_bodies, sizeof(Island))
            self.bodies = <int32_t*> address(arrays["bodies"])
            self.parent = <int32_t*> address(arrays["parent"])
            self.number = <int32_t*> address(arrays["number"])
            self.islands = <Island*> address(arrays["islands"])
        if n_edges > self.room_edges:
            self.room_edges = 2 * n_edges
            arrays["items"] = longer_lines(None, self.room_edges, sizeof(int32_t))
            self.items = <int32_t*> address(arrays["items"])
        return 0

    cdef void build(self, BodyHead* heads, int32_t n_bodies, const Edge* edges,
                    int32_t n_edges) noexcept nogil:
        """Awake islands, in the order of their lowest rows; wakes what they touch."""
        cdef int32_t row, k
        cdef const Edge* e
        for row in range(n_bodies):
            self.parent[row] = row
            self.number[row] = -1
        for k in range(n_edges):
            e = &edges[k]
            if heads[e.a].kind == DYNAMIC and heads[e.b].kind == DYNAMIC:
                join(self.parent, e.a, e.b)
            elif (heads[e.a].flags | heads[e.b].flags) & AWAKE:
                # what cannot be pushed is awake when it was moved: all that it meets wakes
                if not heads[mover(heads, e)].flags & AWAKE:
                    wake(&heads[mover(heads, e)])
        number_islands(self, heads, n_bodies)
        list_members(self, heads, n_bodies, edges, n_edges)


cdef void number_islands(IslandStore s, BodyHead* heads, int32_t n_bodies) noexcept nogil:
    """Numbers of the awake groups; their bodies wake."""
    cdef int32_t row, root
    cdef int32_t* awake = s.bodies     # by root, until the lists are written
    for row in range(n_bodies):
        awake[row] = 0
    for row in range(n_bodies):
        if heads[row].kind == DYNAMIC and heads[row].flags & AWAKE:
            awake[root_of(s.parent, row)] = 1
    s.n = 0
    for row in range(n_bodies):
        heads[row].island = -1
        if heads[row].kind != DYNAMIC:
            continue
        root = root_of(s.parent, row)
        if awake[root] and s.number[root] < 0:
            s.number[root] = s.n
            s.islands[s.n] = Island(0, 0, 0, 0, 0, 0)
            s.n += 1
        heads[row].island = s.number[root]
        if heads[row].island >= 0:
            s.islands[heads[row].island].n_bodies += 1
            if not heads[row].flags & AWAKE:
                wake(&heads[row])


cdef void list_members(IslandStore s, const BodyHead* heads, int32_t n_bodies, const Edge* edges,
                       int32_t n_edges) noexcept nogil:
    """The lists of bodies and edges, island after island."""
    cdef int32_t row, k, at_body = 0, at_edge = 0
    cdef Island* island
    for k in range(n_edges):
        row = heads[mover(heads, &edges[k])].island
        if row >= 0:
            s.islands[row].n_edges += 1
            s.islands[row].size += edges[k].size
    for k in range(s.n):
        island = &s.islands[k]
        island.first_body, island.first_edge = at_body, at_edge
        at_body += island.n_bodies
        at_edge += island.n_edges
        island.n_bodies = island.n_edges = 0
    for row in range(n_bodies):
        if heads[row].island >= 0:
            island = &s.islands[heads[row].island]
            s.bodies[island.first_body + island.n_bodies] = row
            island.n_bodies += 1
    for k in range(n_edges):
        row = heads[mover(heads, &edges[k])].island
        if row >= 0:
            island = &s.islands[row]
            s.items[island.first_edge + island.n_edges] = edges[k].item
            island.n_edges += 1
