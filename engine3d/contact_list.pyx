"""Contacts as users see them: a list, and the same as arrays."""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from enginecore.pair_table cimport high_of, low_of
from enginecore.body_shape cimport shape_then
from engine3d.contact cimport FAST, IGNORED, SENSING, Contact, Pair
from engine3d.collide.geometry cimport Geometry
from engine3d.collide.gjk cimport Nearest, find_nearest
from engine3d.collide.narrow_phase cimport Touch, refresh
from engine3d.collide.time_of_impact cimport radius_of
from engine3d.pose cimport Pose, rotate, seen_from, to_world
from engine3d.store cimport ShapeData
from engine3d.vec3 cimport Vec3 as Triple
from engine3d.vec3 cimport add_scaled, vec3

from engine3d.vector import Vec3

_ROW = np.dtype([(name, np.int32) for name in ("body_a", "body_b", "shape_a", "shape_b")]
                + [("point", np.float64, 3), ("normal", np.float64, 3), ("gap", np.float64),
                   ("normal_force", np.float64), ("friction_force", np.float64, 3),
                   ("friction", np.float64), ("restitution", np.float64)])

_FEATURE = np.dtype([(name, np.float64, 3) for name in ("c1", "c2", "d1", "d2")]
                    + [("kind", np.int64)])

cdef packed struct FeatureRow:
    double[3] c1
    double[3] c2
    double[3] d1
    double[3] d2
    int64_t kind


cdef packed struct ContactRow:
    int32_t body_a
    int32_t body_b
    int32_t shape_a
    int32_t shape_b
    double[3] point
    double[3] normal
    double gap
    double normal_force
    double[3] friction_force
    double mu
    double e


class ContactInfo(NamedTuple):
    """A contact point between two bodies.

    normal (unit, from B into A); gap (m); normal_force (N, >= 0) that pushes them apart along it;
    friction_force (N, a vector) on A; both are means over the last step. Forces of contacts that
    support the same load together are not unique, only their sum is.
    """

    body_a: object
    body_b: object
    shape_a: object
    shape_b: object
    point: tuple
    normal: tuple
    gap: float
    normal_force: float
    friction_force: tuple


cdef class ContactList(AnyList):
    """Contacts that touched in the last step: a sequence of ContactInfo.

    `arrays` has the same as one numpy array with a row for each; bodies and shapes are ids there.
    """

    cdef object shape(self, int32_t id, object body):
        return shape_then(self.store, id, self.generations[id], self.bodies[body], self.shapes[id])

    cdef object info(self, object row):
        return ContactInfo(
            *self.ends(row), Vec3(row["point"]), Vec3(row["normal"]), float(row["gap"]),
            float(row["normal_force"]), Vec3(row["friction_force"]))


cdef void write_feature(FeatureRow* out, Triple c1, Triple c2, Triple d1, Triple d2,
                        int32_t kind) noexcept:
    cdef int k
    for k in range(3):
        out.c1[k], out.c2[k], out.d1[k], out.d2[k] = ((&c1.x)[k], (&c2.x)[k], (&d1.x)[k],
                                                      (&d2.x)[k])
    out.kind = kind


cdef void write_row(ContactRow* into, BodyStore store, const Pair* pair, Triple point,
                    Triple normal, double gap) noexcept:
    """A contact of a pair as users see it, but for its forces."""
    into.shape_a, into.shape_b = low_of(pair.key), high_of(pair.key)
    into.body_a = store.heads[store.shapes[into.shape_a].body].id
    into.body_b = store.heads[store.shapes[into.shape_b].body].id
    into.point[0], into.point[1], into.point[2] = point.x, point.y, point.z
    into.normal[0], into.normal[1], into.normal[2] = normal.x, normal.y, normal.z
    into.gap, into.mu, into.e = gap, pair.mu, pair.e


cdef void turn_round(ContactRow* row) noexcept:
    """Let A be B."""
    cdef int k
    row.body_a, row.body_b = row.body_b, row.body_a
    row.shape_a, row.shape_b = row.shape_b, row.shape_a
    for k in range(3):
        row.normal[k] = -row.normal[k]
        row.friction_force[k] = -row.friction_force[k]


cdef ContactList read_contacts(BodyStore store, ContactStore contacts, const StepContext* ctx,
                               int32_t body):
    cdef ContactList out = ContactList.__new__(ContactList)
    cdef ShapeData one
    cdef const Pair* pair
    cdef const Contact* c
    cdef Touch at
    cdef int64_t k
    cdef int32_t i, j, row, n = 0
    rows = np.zeros(contacts.n_slots, _ROW)
    features = np.zeros(contacts.n_slots, _FEATURE)
    cdef ContactRow[::1] into = rows
    cdef FeatureRow[::1] feature = features
    cdef const Pose* pa
    cdef const Pose* pb
    for k in range(contacts.n_pairs):
        pair = &contacts.pairs[k]
        i = low_of(pair.key)
        j = high_of(pair.key)
        if pair.flags & (IGNORED | SENSING) or store.shapes[i].body < 0 or store.shapes[j].body < 0:
            continue
        if body >= 0 and pair.body_a != body and pair.body_b != body:
            continue
        for row in range(pair.first, pair.first + pair.n):
            c = &contacts.contacts[row]
            at = c.at
            pa = &store.places[store.shapes[i].body].pose
            pb = &store.places[store.shapes[j].body].pose
            refresh(&at, pa, pb)
            if not (c.sum_n > 0.0 or at.gap <= ctx.tol.touch):
                continue
            write_feature(&feature[n], to_world(pa, at.c1), to_world(pb, at.c2),
                          rotate(pa, at.d1), rotate(pb, at.d2), at.kind)
            write_row(&into[n], store, pair, at.point, at.normal, at.gap)
            into[n].normal_force = c.sum_n / ctx.dt
            into[n].friction_force[0] = c.sum_t.x / ctx.dt
            into[n].friction_force[1] = c.sum_t.y / ctx.dt
            into[n].friction_force[2] = c.sum_t.z / ctx.dt
            if body >= 0 and into[n].body_a != body:
                turn_round(&into[n])
            n += 1
    out.store = store
    out.keep_handles(store, <char*> &one.generation - <char*> &one)
    out.rows, out._features = rows[:n], features[:n]
    return out


cdef object read_candidates(BodyStore store, ContactStore contacts):
    cdef const Pair* pair
    cdef const Touch* at
    cdef const Geometry* g
    cdef Nearest near
    cdef Pose rel
    cdef const Pose* pb
    cdef int64_t k
    cdef int32_t row, n = 0
    rows = np.zeros(contacts.count_candidates(), _ROW)
    cdef ContactRow[::1] into = rows
    for k in range(contacts.n_pairs):
        pair = &contacts.pairs[k]
        for row in range(pair.first, pair.first + pair.n):
            at = &contacts.contacts[row].at
            write_row(&into[n], store, pair, at.point, at.normal, at.gap)
            n += 1
        if pair.n == 0 and pair.flags & FAST:
            g = store.shapes[low_of(pair.key)].geometry
            pb = &store.places[pair.b].pose
            rel = seen_from(pb, &store.places[pair.a].pose)
            memset(&near, 0, sizeof(Nearest))
            find_nearest(g, store.shapes[high_of(pair.key)].geometry, &rel,
                         vec3(0.0, 0.0, 0.0), &near)
            write_row(&into[n], store, pair,
                      to_world(pb, add_scaled(near.on_a, -radius_of(g), near.normal)),
                      rotate(pb, near.normal), near.distance - radius_of(g)
                      - radius_of(store.shapes[high_of(pair.key)].geometry))
            n += 1
    return rows
