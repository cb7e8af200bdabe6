"""Queries about the shapes of a world: what they find, in any dimension."""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int64_t

from enginecore.arguments cimport FARTHEST
from enginecore.body_store cimport head_at, shape_at
from enginecore.box_query cimport find_overlaps
from enginecore.memory cimport address

from enginecore.arguments import as_rows


class QueryHit(NamedTuple):
    """A shape that a ray or a moving shape meets, or the nearest to a point.

    point (m) of its boundary, normal (unit) out of it there; fraction of the way, 0 to 1 (0 for the
    nearest); distance (m) along the way, or to the nearest, < 0 inside it.
    """

    body: object
    shape: object
    point: tuple
    normal: tuple
    fraction: float
    distance: float


class Found(NamedTuple):
    """A shape that holds a point, or overlaps something."""

    body: object
    shape: object


class Rays(NamedTuple):
    """First hits of many rays, a row each; where there is none, fraction is inf and ids are -1."""

    body: np.ndarray
    shape: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    fraction: np.ndarray


cdef object read_points(object value, str name, int axes):
    points = as_rows(name, value, (axes,))
    if not (np.abs(points) <= FARTHEST).all():
        raise ValueError(f"{name} must be finite and within {FARTHEST:g} m of the origin")
    return points


cdef class Query:

    def __cinit__(self, BodyStore store not None):
        self.rows = store
        self.ids = np.zeros(64, np.int32)

    cdef object ids_in(self, const Tree* tree, const Box* tight, const Box* box):
        cdef int64_t n
        while True:
            n = find_overlaps(tree, tight, box, <int32_t*> address(self.ids), self.ids.size)
            if n <= self.ids.size:
                break
            self.ids = np.zeros(2 * n, np.int32)
        return np.sort(self.ids[:n])

    cdef object shape_of_id(self, int32_t id, object body):
        return None

    cdef object body_of(self, int32_t id):
        """The handle of the body of a shape."""
        return self.rows.table.handles[head_at(self.rows, shape_at(self.rows, id).body).id]

    cdef object found(self, int32_t id):
        """A shape as users see it."""
        body = self.body_of(id)
        return Found(body, self.shape_of_id(id, body))

    cdef object hit(self, int32_t id, object point, object normal, double fraction,
                    double distance):
        """The best shape of a search, as users see it."""
        body = self.body_of(id)
        return QueryHit(body, self.shape_of_id(id, body), point, normal, fraction, distance)
