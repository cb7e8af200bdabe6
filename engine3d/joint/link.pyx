"""Memory for the joints of an island; link.pxd has the contract."""

cimport cython
from libc.string cimport memset

from enginecore.memory cimport hold


@cython.final
cdef class LinkWorkspace:

    def __cinit__(self):
        memset(&self.memory, 0, sizeof(LinkMemory))
        self._arrays = {}

    cdef int reserve(self, int32_t n_riders, int32_t n_links, int32_t n_boxes,
                     int32_t n_slots) except -1:
        """Make room; call with the GIL."""
        cdef LinkMemory* m = &self.memory
        if n_riders > m.n_riders:
            m.n_riders = n_riders
            m.riders = <Rider*> hold(self._arrays, "riders", n_riders, sizeof(Rider))
            m.felt = <double*> hold(self._arrays, "felt", 18 * (n_riders + 1), sizeof(double))
        if n_links > m.n_links:
            m.n_links = n_links
            m.links = <Link*> hold(self._arrays, "links", n_links, sizeof(Link))
        if n_boxes > m.n_boxes:
            m.n_boxes = n_boxes
            m.boxes = <Bounded*> hold(self._arrays, "boxes", n_boxes, sizeof(Bounded))
            m.felt_p = <double*> hold(self._arrays, "felt_p", 9 * n_boxes, sizeof(double))
        if n_slots > m.n_slots:
            m.n_slots = n_slots
            m.diagonal = <double*> hold(self._arrays, "diagonal", 2 * n_slots, sizeof(double))
        return 0

    cdef int reserve_joints(self, int32_t n_joints) except -1:
        """Make room for so many joints of the world; call with the GIL."""
        cdef LinkMemory* m = &self.memory
        if n_joints > m.n_joints:
            m.n_joints = n_joints
            m.link_of = <int32_t*> hold(self._arrays, "link_of", n_joints, sizeof(int32_t))
        return 0
