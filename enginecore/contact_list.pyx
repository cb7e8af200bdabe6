"""Contacts as users see them, in any dimension: a list, and the same as arrays."""

import operator

import numpy as np

from libc.stdint cimport uint32_t


cdef class ContactList:
    """What lists of contacts of both engines have in common."""

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self.info(row) for row in self.rows[index]]
        return self.info(self.rows[operator.index(index)])

    def __iter__(self):
        return (self.info(row) for row in self.rows)

    def __repr__(self):
        return f"<{len(self)} contacts>"

    @property
    def arrays(self):
        """All contacts as one structured array."""
        return self.rows

    cdef int keep_handles(self, BodyStore store, Py_ssize_t generation_at) except -1:
        self.bodies, self.shapes = list(store.table.handles), list(store.shape_objects)
        rows = store.arrays["shapes"].view(np.uint8).reshape(-1, store.shape_size)
        self.generations = rows[:, generation_at:generation_at + sizeof(uint32_t)].copy().view(
            np.uint32)[:, 0]
        return 0

    cdef tuple ends(self, object row):
        """The bodies and shapes of a row."""
        return (self.bodies[row["body_a"]], self.bodies[row["body_b"]],
                self.shape(row["shape_a"], row["body_a"]),
                self.shape(row["shape_b"], row["body_b"]))

    cdef object info(self, object row):
        return row

    cdef object shape(self, int32_t id, object body):
        return None
