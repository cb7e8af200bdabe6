"""Everything scoped to one step; stages take it and nothing else hides between their calls."""

from libc.stdint cimport int32_t, int64_t

from engine2d.body cimport BodyData, Motion, Place
from engine2d.contact cimport Contact
from engine2d.vec2 cimport Vec2

# Lengths and speeds below which things count as touching or at rest, for bodies of about a metre.
ctypedef struct Tolerances:
    double touch     # m, gaps up to this are contact
    double slop      # m, overlap that is left alone
    double flat      # slope below which several points are struck as one face
    double gamma     # share of a gap that a sub-step closes

# What happened, for world.stats.
ctypedef struct Counters:
    int64_t strikes          # impacts solved
    int64_t strike_limit     # times the bound on them was met
    int64_t direct_solves    # small islands solved
    int64_t direct_kept      # of these: last impulses still held
    int64_t direct_fallbacks  # Newton did not settle, sweeps did
    int64_t direct_failures  # nothing did: the best found was used
    int64_t sweeps           # passes of the iterative solver over its contacts
    int64_t projections      # position corrections of small islands

ctypedef struct StepContext:
    double dt                # s
    Vec2 gravity             # m/s^2
    double strike_speed      # m/s; contacts that approach slower rest; <= 0: 2 |g| h
    Tolerances tol
    Motion* motions          # n_bodies of each, same order
    Place* places
    BodyData* bodies
    int32_t n_bodies
    Contact* contacts
    int32_t n_contacts
    int32_t n_buried         # of them, of shapes that were put into each other
    Counters counters

# Bodies and contacts that push each other. Static and kinematic bodies belong to none.
ctypedef struct Island:
    int32_t first_body       # into the list of body rows
    int32_t n_bodies
    int32_t first_contact    # into the list of contact indices, ascending
    int32_t n_contacts
