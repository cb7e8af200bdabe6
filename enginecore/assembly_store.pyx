"""Assemblies and the plans of their factors; assembly_store.pxd has the contract."""

import numpy as np

from libc.math cimport NAN
from libc.string cimport memcmp, memcpy

from enginecore.assembly cimport BlockFactor, find_block
from enginecore.island cimport join, root_of
from enginecore.memory cimport address


cdef class AssemblyStore:

    def __cinit__(self, int few_blocks=0):
        self.few_blocks = few_blocks
        self.arrays, self.plans = {}, {}
        self.n_edges = -1

    cdef int refresh(self, const JointEdge* edges, int32_t n, int32_t n_bodies) except -1:
        if n == self.n_edges and memcmp(edges, self.edges, n * sizeof(JointEdge)) == 0:
            return 0
        self.n_edges = -1
        self.arrays = {}
        self.edges = <JointEdge*> self.hold("edges", n, sizeof(JointEdge))
        memcpy(self.edges, edges, n * sizeof(JointEdge))
        self.number(n, n_bodies)
        self.list_members(n)
        self.n_edges = n
        return 0

    cdef void* hold(self, str name, Py_ssize_t n, Py_ssize_t size) except NULL:
        self.arrays[name] = np.zeros(max(n, 1) * size, np.uint8)
        return address(self.arrays[name])

    cdef int number(self, int32_t n, int32_t n_bodies) except -1:
        """Which assembly each joint belongs to, in the order of their first joints."""
        cdef int32_t[::1] parent = np.arange(max(n_bodies, 1), dtype=np.int32)
        cdef int32_t[::1] number = np.full(max(n_bodies, 1), -1, np.int32)
        cdef const JointEdge* edge
        cdef int32_t k, row
        for k in range(n):
            edge = &self.edges[k]
            if edge.a >= 0 and edge.b >= 0:
                join(&parent[0], edge.a, edge.b)
        self.of_joint = <int32_t*> self.hold("of_joint", n, sizeof(int32_t))
        self.n = 0
        for k in range(n):
            edge = &self.edges[k]
            self.of_joint[k] = -1
            if edge.a < 0 and edge.b < 0:
                continue
            row = root_of(&parent[0], edge.a if edge.a >= 0 else edge.b)
            if number[row] < 0:
                number[row] = self.n
                self.n += 1
            self.of_joint[k] = number[row]
        return 0

    cdef int list_members(self, int32_t n) except -1:
        """The joints of each assembly."""
        cdef int32_t[::1] first = np.zeros(self.n + 2, np.int32)
        cdef int32_t k
        for k in range(n):
            if self.of_joint[k] >= 0:
                first[self.of_joint[k] + 2] += 1
        for k in range(self.n):
            first[k + 2] += first[k + 1]
        self.members = <int32_t*> self.hold("members", n, sizeof(int32_t))
        for k in range(n):
            if self.of_joint[k] >= 0:
                self.members[first[self.of_joint[k] + 1]] = k
                first[self.of_joint[k] + 1] += 1
        self.assemblies = <Assembly*> self.hold("assemblies", self.n, sizeof(Assembly))
        for k in range(self.n):
            self.assemblies[k].first = first[k]
            self.assemblies[k].n = first[k + 1] - first[k]
        self.arrays["used"] = {}
        return 0

    cdef int plan(self, int32_t k) except -1 nogil:
        return self.adopt_plan(k) if self.assemblies[k].f == NULL else 0

    cdef int adopt_plan(self, int32_t k) except -1 with gil:
        cdef Assembly* a = &self.assemblies[k]
        cdef int32_t i
        cdef const JointEdge* edge
        joints = []
        for i in range(a.n):
            edge = &self.edges[self.members[a.first + i]]
            joints.append((edge.a, edge.b, edge.hard))
        # the same joints, rows and bodies: the same plan
        name = np.array(joints, np.int32).tobytes()
        plan = self.plans.get(name)
        if plan is None:
            plan = make_plan(joints, self.few_blocks)
            if len(self.plans) > 4 * self.n + 16:
                self.plans.clear()
            self.plans[name] = plan
        # held for as long as the assembly points at it
        self.arrays["used"][k] = plan
        factor, couplings, count, x, systems = plan
        a.f = &(<BlockFactor> factor).f
        a.couplings = <Coupling*> address(couplings)
        a.n_couplings = count
        a.x = <double*> address(x)
        a.is_dear = len(systems) > 0
        if a.is_dear:
            # what is in them may be of an earlier plan's end: neither is taken to be factored
            systems.fill(NAN)
            a.n_system = systems.shape[1]
            a.system = <double*> address(systems)
            a.factored = a.system + a.n_system
        return 0


def make_plan(joints, few_blocks=0):
    """The factor of an assembly: joints are (row of a, row of b, bits of hard rows), -1 for what no
    force moves. Returns the factor, the couplings, how many there are, room for x and, of a factor
    that is dear, for two systems."""
    cdef BlockFactor factor = BlockFactor()
    cdef Coupling* out
    cdef int32_t n = len(joints), i, j, count = 0
    cdef int64_t at = 0
    cdef int32_t[::1] width, first, member
    width = np.array([int(hard).bit_count() for _, _, hard in joints], np.int32)
    sides = {}
    for k, pair in enumerate(joints):
        for side in (0, 1):
            # a joint without rows in the factor couples nothing
            if pair[side] >= 0 and pair[2]:
                sides.setdefault(pair[side], []).append((k, side))
    bodies = [sides[row] for row in sorted(sides)]
    first = np.concatenate([[0], np.cumsum([len(body) for body in bodies])]).astype(np.int32)
    member = np.array([k for body in bodies for k, _ in body] or [0], np.int32)
    factor.plan(n, &width[0], len(bodies), &first[0], &member[0])
    total = sum(len(body) * (len(body) - 1) // 2 for body in bodies)
    couplings = np.zeros(max(total, 1) * sizeof(Coupling), np.uint8)
    out = <Coupling*> address(couplings)
    for body in bodies:
        for p, (one, side_one) in enumerate(body):
            for two, side_two in body[:p]:
                i, j = one, two
                if width[i] == 0 or width[j] == 0:
                    continue
                side_i, side_j = side_one, side_two
                if factor.f.place[i] < factor.f.place[j]:
                    i, j, side_i, side_j = j, i, side_two, side_one
                out[count] = Coupling(find_block(&factor.f, i, j), i, j, side_i, side_j, at)
                at += width[i] * width[j]
                count += 1
    is_dear = 0 < few_blocks * n < factor.f.n_lower
    systems = np.empty((2, factor.f.diagonal[n] + at)) if is_dear else ()
    return factor, couplings, count, np.zeros(max(factor.f.rows, 1)), systems
