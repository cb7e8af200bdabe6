"""What joints and contacts gave to an island; assembly_audit.pxd has the contract."""

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater
from engine2d.body cimport Motion
from engine2d.joint.assembly_step cimport shift
from engine2d.joint.joint cimport frame_of
from engine2d.joint.link cimport Rider, forget_piece, position_rows
from engine2d.joint.swept cimport look_at
from engine2d.solve.energy cimport Frame as EnergyFrame
from engine2d.solve.energy cimport (
    Momentum, add_momentum, kinetic_energy, no_momentum, rigid_frame, standing_frame, velocity_in,
)
from engine2d.solve.integrate cimport turn_by
from engine2d.vec2 cimport Vec2, add, dot, scaled, sub

# m or rad: errors that joints do not come to by themselves.
cdef double TORN = 1e-3
# And the share of them that corrections leave, at most.
cdef double MENDED = 0.5
# Times the energy that external forces give from rest in a step: what a piece may hold too much of
# for its bodies not to be set back.
cdef double UNREST = 4.0
# Of the kinetic energy when a piece begins: what is solved never gains so much.
cdef double WILD = 1.0
# Of the kinetic energy when it ends: nor is most of that made from nothing.
cdef double MADE = 0.5
# Of the kinetic energy: what a piece may gain. What swings gains and loses by turns, less than so.
cdef double PIECE_GAIN = 2e-4


cdef double kinetic_of(const Linked* s) noexcept nogil:
    """J, of the bodies that can be pushed."""
    cdef int32_t k
    cdef const Rider* body
    cdef double sum = 0.0
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        sum += kinetic_energy(body.m, body.inertia, body.v, body.w)
    return sum


cdef double outer_work(const Linked* s, double* forced) noexcept nogil:
    """J, that gravity and the user did on the way from where bodies were when the piece began;
    writes m a^2 (N^2/kg) of them."""
    cdef int32_t k
    cdef const Rider* body
    cdef double sum = 0.0
    forced[0] = 0.0
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        sum += body.m * dot(body.pull, sub(body.start.x, s.ctx.places[body.row].x))
        sum += body.inertia * body.twist * (body.start.angle - s.ctx.places[body.row].angle)
        forced[0] += body.m * dot(body.pull, body.pull)
    return sum


cdef EnergyFrame support_of(const Linked* s) noexcept nogil:
    """The motion of what the island leans on; of one that leans on nothing, its own."""
    cdef Momentum sum
    cdef int32_t k
    cdef const Rider* body
    if s.n_riders > s.n_movable:
        return standing_frame()
    sum = no_momentum(s.m.riders[0].start.x)
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        add_momentum(body.m, body.inertia, body.start.x, body.v, body.w, &sum)
    return rigid_frame(&sum)


cdef inline double error_of(const Linked* s) noexcept nogil:
    """m or rad, the largest error of what is held."""
    return position_rows(s.m.links, s.n_links, s.m.riders, NULL)


cdef void audit(Linked* s, double duration) noexcept nogil:
    """Whatever the sweeps did not settle, a piece gains no energy: what is too much is taken from
    the motion against the support. All rates are scaled alike, so that joints hold. Where there is
    not enough motion for what bodies were lifted, they stand back."""
    cdef double forced, limit, gain_left, energy = 0.0, share
    cdef double gain = kinetic_of(s) - s.kinetic - s.work - outer_work(s, &forced)
    cdef EnergyFrame frame
    cdef Rider* body
    cdef int32_t k
    limit = 0.5 * duration * s.ctx.dt * forced + PIECE_GAIN * s.kinetic
    if gain <= limit:
        return
    s.ctx.counters.energy_audits += 1
    share = WILD * s.kinetic + UNREST * duration * s.ctx.dt * forced
    if not isfinite(gain) or (gain > share and gain > MADE * kinetic_of(s)):
        # nothing solved it: places mean no more than velocities
        forget_velocities(s, duration)
        frame = support_of(s)
        stand_back(s, &frame, duration)
        return
    frame = support_of(s)
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        energy += kinetic_energy(body.m, body.inertia,
                                 sub(body.v, velocity_in(&frame, body.start.x)), body.w - frame.w)
    gain_left = gain - energy
    if s.torn > TORN * s.ctx.unit and not error_of(s) > MENDED * s.torn:
        # where users put bodies: corrections may lift, and load springs; what cannot all hold is
        # as far apart as it was
        gain_left -= greater(s.lifted, 0.0)
    if gain_left > limit + UNREST * 0.5 * duration * s.ctx.dt * forced:
        stand_back(s, &frame, duration)
    if not energy > 0.0:
        return
    share = sqrt(1.0 - gain / energy) - 1.0 if energy > gain else -1.0
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        body.v = add(body.v, scaled(share, sub(body.v, velocity_in(&frame, body.start.x))))
        if body.inv_I > 0.0:
            body.w += share * (body.w - frame.w)


cdef void forget_velocities(Linked* s, double duration) noexcept nogil:
    """Of an island that nothing holds the rigid motion that it had, and what it fell since; of
    others none."""
    cdef Momentum sum = no_momentum(s.ctx.places[s.m.riders[0].row].x)
    cdef EnergyFrame was = standing_frame()
    cdef Rider* body
    cdef const Motion* motion
    cdef int32_t k
    cdef bint floats = s.n_riders == s.n_movable
    for k in range(0 if not floats else s.n_movable):
        body, motion = &s.m.riders[k], &s.ctx.motions[s.m.riders[k].row]
        add_momentum(body.m, body.inertia, s.ctx.places[body.row].x, motion.v, motion.w, &sum)
    if floats:
        was = rigid_frame(&sum)
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        body.start.x = s.ctx.places[body.row].x
        body.v, body.w = velocity_in(&was, body.start.x), was.w
        if floats and not body.through:
            body.v = add(body.v, scaled(duration, body.pull))


cdef void stand_back(Linked* s, const EnergyFrame* frame, double duration) noexcept nogil:
    """Bodies back where they were when the piece began, as far as they do not move freely as one:
    time has passed, and nothing was solved."""
    cdef Momentum sum = no_momentum(s.ctx.places[s.m.riders[0].row].x)
    cdef EnergyFrame was = standing_frame()
    cdef Rider* body
    cdef const Motion* motion
    cdef Vec2 way, arm
    cdef int32_t k
    cdef bint floats = s.n_riders == s.n_movable
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        motion = &s.ctx.motions[body.row]
        add_momentum(body.m, body.inertia, s.ctx.places[body.row].x, motion.v, motion.w, &sum)
        floats = floats and not body.through
    if floats:
        was = rigid_frame(&sum)
        way = scaled(0.5 * duration, add(was.v, frame.v))
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        body.start = frame_of(s.ctx.places, s.ctx.bodies, body.row)
        if floats:
            arm = sub(body.start.x, was.x)
            shift(body, sub(add(way, turn_by(arm, duration * frame.w)), arm), duration * frame.w)
    for k in range(s.n_swept):
        look_at(s, &s.m.swept[k], &s.m.rows[s.n_rows + 2 * k])
    forget_piece(s.m.links, s.n_links)
