"""Contacts as users see them: a list, and the same as arrays."""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int32_t, int64_t

from enginecore.pair_table cimport high_of, low_of
from enginecore.body_shape cimport shape_then
from engine2d.contact cimport SENSOR, VOID, Contact, ContactStore
from engine2d.collide.facing cimport faces, find_nearest
from engine2d.collide.narrow_phase cimport Touch, refresh
from engine2d.pose cimport Pose
from engine2d.store cimport ShapeData

from engine2d.vector import Vec2

_ROW = np.dtype([(name, np.int32) for name in ("body_a", "body_b", "shape_a", "shape_b")]
                + [("point", np.float64, 2), ("normal", np.float64, 2)]
                + [(name, np.float64) for name in ("gap", "normal_force", "friction_force",
                                                   "r1", "r2", "friction",
                                                   "restitution")])

cdef packed struct ContactRow:
    int32_t body_a
    int32_t body_b
    int32_t shape_a
    int32_t shape_b
    double[2] point
    double[2] normal
    double gap
    double normal_force
    double friction_force
    double r1
    double r2
    double mu
    double e


class ContactInfo(NamedTuple):
    """A contact point between two bodies.

    normal (unit, from B into A); gap (m); normal_force (N, >= 0) that pushes them apart along it;
    friction_force (N) on A along z x normal; both are means over the last step. r1, r2: signed
    radii of the two edges (m). Forces of contacts that support the same load together are not
    unique, only their sum is; see docs/maths/fixed_step.md.
    """

    body_a: object
    body_b: object
    shape_a: object
    shape_b: object
    point: tuple
    normal: tuple
    gap: float
    normal_force: float
    friction_force: float
    r1: float
    r2: float


cdef class ContactList(AnyList):
    """Contacts that touched in the last step: a sequence of ContactInfo.

    `arrays` has the same as one numpy array with a row for each; bodies and shapes are ids there.
    """

    cdef object shape(self, int32_t id, object body):
        return shape_then(self.store, id, self.generations[id], self.bodies[body], self.shapes[id])

    cdef object info(self, object row):
        return ContactInfo(
            *self.ends(row), Vec2(row["point"]), Vec2(row["normal"]), float(row["gap"]),
            float(row["normal_force"]), float(row["friction_force"]),
            float(row["r1"]), float(row["r2"]))


cdef void write_row(ContactRow* into, BodyStore store, const Contact* c, const Touch* at,
                    int32_t i, int32_t j, double whole) noexcept:
    """A contact of the shapes i (A) and j as users see it."""
    into.body_a = store.bodies[store.shapes[i].body].id
    into.body_b = store.bodies[store.shapes[j].body].id
    into.shape_a, into.shape_b = i, j
    into.point[0], into.point[1] = at.point.x, at.point.y
    into.normal[0], into.normal[1] = at.normal.x, at.normal.y
    into.gap = at.gap
    into.normal_force, into.friction_force = c.sum_n / whole, c.sum_t / whole
    into.r1, into.r2, into.mu, into.e = at.r1, at.r2, c.mu, c.e


cdef void turn_round(ContactRow* row) noexcept:
    """Let A be B. T turns with the normal, so that friction on the new A is what it was."""
    row.body_a, row.body_b = row.body_b, row.body_a
    row.shape_a, row.shape_b = row.shape_b, row.shape_a
    row.normal[0], row.normal[1] = -row.normal[0], -row.normal[1]
    row.r1, row.r2 = row.r2, row.r1


cdef ContactList read_contacts(BodyStore store, ContactStore contacts, const StepContext* ctx,
                               int32_t body):
    cdef ContactList out = ContactList.__new__(ContactList)
    cdef ShapeData one
    cdef const Contact* c
    cdef const Pose* pose_a
    cdef const Pose* pose_b
    cdef Contact now
    cdef Touch at
    cdef int32_t k, i, j, n = 0
    rows = np.zeros(contacts.n, _ROW)
    cdef ContactRow[::1] into = rows
    for k in range(contacts.n):
        c = &contacts.contacts[k]
        i = low_of(contacts.pairs[c.pair].key)
        j = high_of(contacts.pairs[c.pair].key)
        if c.flags & SENSOR or store.shapes[i].body < 0 or store.shapes[j].body < 0:
            continue
        if body >= 0 and (store.bodies[store.shapes[i].body].id != body
                          and store.bodies[store.shapes[j].body].id != body):
            continue
        now = c[0]
        pose_a = &store.places[store.shapes[i].body].pose
        pose_b = &store.places[store.shapes[j].body].pose
        refresh(&now.at, pose_a, pose_b)
        if now.at.gap < 0.0 and not faces(ctx, &now, pose_a, pose_b):
            # what it was made of is no longer there: how far apart they are now
            find_nearest(ctx, &now, pose_a, pose_b, &now.at)
        at = now.at
        if not (c.sum_n > 0.0 or (at.gap <= ctx.tol.touch and c.is_void != VOID)):
            continue
        write_row(&into[n], store, c, &at, i, j, ctx.whole)
        if body >= 0 and into[n].body_a != body:
            turn_round(&into[n])
        n += 1
    out.store = store
    out.keep_handles(store, <char*> &one.generation - <char*> &one)
    out.rows = rows[:n]
    return out


cdef object read_candidates(BodyStore store, ContactStore contacts, int32_t first):
    cdef const Contact* c
    cdef int64_t key
    cdef int32_t k
    rows = np.zeros(contacts.n - first, _ROW)
    cdef ContactRow[::1] into = rows
    for k in range(first, contacts.n):
        c = &contacts.contacts[k]
        key = contacts.pairs[c.pair].key
        write_row(&into[k - first], store, c, &c.at, low_of(key),
                  high_of(key), 1.0)
        into[k - first].normal_force = into[k - first].friction_force = 0.0
    return rows
