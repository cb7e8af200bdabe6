"""What World.advance does around the exact clock: events, contacts and the ledger."""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from enginecore.event cimport Event, EventList
from engine2d.contact cimport PASSING, Contact, Pair
from engine2d.contact_find cimport find_all
from engine2d.joint.joint cimport JointData
from engine2d.solve.step_context cimport Counters
from engine2d.world cimport World

from engine2d.event import _CHANGE
from engine2d.exact.clock import CHANGES, Clock

# s: forces of contacts are kept as impulses of a step; this one if no step was made yet.
cdef double SOME_STEP = 1.0 / 60.0


def advance(World world not None, double duration, double tolerance):
    """Carry a world through a duration (s); returns counts of what was done."""
    clock = Clock(world, tolerance)
    clock.go(duration)
    world.store.wake_all()
    world.event_store.clear()
    memset(&world.ctx.counters, 0, sizeof(Counters))
    find_contacts(world, clock)
    write_joints(world, clock)
    write_hits(world, clock)
    write_changes(world, clock)
    world.ledger.add(clock.work)
    return clock.counts


cdef int find_contacts(World world, clock) except -1:
    """Contacts of this moment, with the forces of the links; begins and ends."""
    cdef double dt = world.ctx.dt if world.ctx.dt > 0.0 else SOME_STEP
    cdef int32_t k
    cdef Contact* c
    world.begin_step(dt)
    world.begin_part(dt)
    # nothing is to move: what a fast body may meet within a step is no contact yet
    world.ctx.cover = world.ctx.fall = 0.0
    world.find_pairs()
    look_again(world, clock.passing)
    forces = {}
    for link in clock.links:
        a, b, _, _ = clock.pair_at(link["pair"])
        forces[(a << 32) + b, link["f1"], link["f2"]] = (link["normal_force"],
                                                         link["friction_force"])
    for k in range(world.contact_store.n):
        c = &world.contact_store.contacts[k]
        key = world.contact_store.pairs[c.pair].key
        normal, friction = forces.get((key, c.at.f1, c.at.f2), (0.0, 0.0))
        c.sum_n, c.sum_t = dt * normal, dt * friction
        c.fn, c.ft = normal, friction
    world.event_store.collect(&world.ctx, world.contact_store, world.log)
    return 0


cdef int look_again(World world, dict passing) except -1:
    """The stage narrow_phase, with what the run has let through and what has parted in it."""
    cdef Pair* pair
    cdef int64_t at
    world.match_pairs()
    for at in range(world.contact_store.n_pairs):
        pair = &world.contact_store.pairs[at]
        if pair.key in passing:
            pair.flags &= ~<int32_t>PASSING
            if passing[pair.key]:
                pair.flags |= PASSING
            pair.recycling_margin = -1.0
    world.passes.clear()
    find_all(world.contact_store, &world.ctx)
    world.filter_contacts(0)
    world.point_at_stores()
    return 0


cdef int write_joints(World world, clock) except -1:
    """Forces that joints bear, and those that broke."""
    cdef double dt = world.joint_store.span
    cdef JointData* joint
    broken = []
    for row, x, y, torque, is_broken in clock.joints:
        joint = &world.joint_store.joints[<int32_t> row]
        joint.force.x, joint.force.y, joint.torque = dt * x, dt * y, dt * torque
        if is_broken:
            broken.append(row)
    for row in broken:
        world.joint_store.drop(row, "broken")
    world.note_joint_ends()
    return 0


cdef int write_hits(World world, clock) except -1:
    """The blows as events."""
    cdef EventList hits = world.event_store.hit
    cdef Event* event
    rows = clock.hits
    hits.reserve(len(rows))
    for row in rows:
        shape_a, shape_b, body_a, body_b = clock.pair_at(row["pair"])
        event = hits.note(body_a, body_b, (<int64_t> shape_a << 32) | <int64_t> shape_b)
        event.point[0], event.point[1] = row["point"]
        event.normal[0], event.normal[1] = row["normal"]
        px, py = row["impulse"]
        event.impulse = px * event.normal[0] + py * event.normal[1]
        event.friction = py * event.normal[0] - px * event.normal[1]
        event.speed, event.loss = row["speed"], row["loss"]
        event.time = world.time + row["time"]
        event.settles = NAN if row["settles"] < 0.0 else world.time + row["settles"]
        event.branch = row["path"]
    return 0


cdef int write_changes(World world, clock) except -1:
    """What contacts did."""
    rows = clock.changes
    out = np.zeros(len(rows), _CHANGE)
    for into, row in zip(out, rows):
        if row["joint"] >= 0:
            body_a, body_b = clock.joint_bodies(row["joint"])
        else:
            _, _, body_a, body_b = clock.pair_at(row["pair"])
        into["time"] = world.time + row["time"]
        into["what"] = CHANGES[row["kind"]]
        into["body_a"], into["body_b"] = body_a, body_b
        into["point"] = row["point"]
    world.event_store.changes = out
    return 0
