from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self, disjoint_base

from engine2d.body import Body
from engine2d.body_shape import BodyShape
from engine2d.contact_list import ContactList
from engine2d.contact_system import ContactSystem
from engine2d.event import EventStore
from engine2d.exact.ledger import Ledger
from engine2d.joint import Joint
from engine2d.query import Found, QueryHit, Rays
from engine2d.shape import Filter, Shape
from engine2d.snapshot import Snapshot
from engine2d.vector import Vec2

BUILD_MODE: str

_Joint = TypeVar("_Joint", bound=Joint)
_Kind: TypeAlias = Literal["dynamic", "static", "kinematic"]
_Solver: TypeAlias = Literal["auto", "direct", "iterative"]
_Rule: TypeAlias = Literal["geometric", "maximum", "minimum", "average", "product"]
_Extra: TypeAlias = Literal["none", "velocity", "velocity_and_distance"]

class Energy(NamedTuple):
    """J, of all dynamic bodies; potential energy is 0 at the origin."""

    kinetic: float
    potential: float
    total: float

@disjoint_base
class World:
    """A world of bodies under gravity (m/s^2).

    solver: "direct" solves every island exactly, "iterative" every island by sweeps, "auto" small
    ones exactly and large ones by sweeps. sleeping: bodies at rest fall asleep. friction_rule and
    restitution_rule say how a pair's numbers come from its shapes': geometric (square root of the
    product), maximum, minimum, average or product.

    Worlds can be subclassed, copied and pickled, and step in threads of their own without the GIL.
    While one thread is in a step or a query of a world, calls of others on the same world raise
    a RuntimeError.
    """

    sleeping: bool
    """Whether bodies at rest fall asleep."""
    def __init__(
        self,
        gravity: ArrayLike = (0.0, -9.81),
        *,
        unit: float = 1.0,
        solver: _Solver = "auto",
        sleeping: bool = True,
        friction_rule: _Rule = "geometric",
        restitution_rule: _Rule = "maximum",
        extra: _Extra = "velocity",
        resting_gap: float | None = None,
        resting_speed: float | None = None,
    ) -> None: ...
    @property
    def unit(self) -> float:
        """m, the size of an ordinary body: lengths that count as near or deep go by it."""
    @property
    def ledger(self) -> Ledger:
        """Energy by account (J) of all that `step` and `advance` did since the world began."""
    @property
    def extra(self) -> _Extra:
        """What `advance` asks of contacts that rest in a wide band (see resting_gap).

        "none": no acceleration of the gap; "velocity": that its speed is taken back within 1/60 s;
        "velocity_and_distance": its gap too.
        """
    @extra.setter
    def extra(self, value: _Extra) -> None: ...
    @property
    def resting_gap(self) -> float | None:
        """m: under advance, contacts up to this far apart rest; None: as tight as its tolerance."""
    @resting_gap.setter
    def resting_gap(self, value: float | None) -> None: ...
    @property
    def resting_speed(self) -> float | None:
        """m/s: under advance, contacts up to this fast rest; None: only what does not move."""
    @resting_speed.setter
    def resting_speed(self, value: float | None) -> None: ...
    def advance(self, duration: float, tolerance: float = 1e-9) -> None:
        """Simulate a duration (s) exactly: smooth between events, impacts at their true time.

        tolerance (m): of places, and of how deep bodies may overlap. For few bodies, teaching and
        precise work; `step` is for games, and both can be used in turn. Sleeping is ignored; forces
        of the user act for the whole duration. `events` then has all that happened in it, `stats`
        an entry "exact" with counts. A SolverError names two bodies and a time, and leaves the
        world as it was.
        """
    @property
    def time(self) -> float:
        """Time that was simulated (s)."""
    @property
    def steps(self) -> int:
        """Steps that were made."""
    @property
    def gravity(self) -> Vec2:
        """m/s^2."""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def time_scale(self) -> float:
        """Simulated seconds to a second that step is told: below 1, slow motion."""
    @time_scale.setter
    def time_scale(self, value: float) -> None: ...
    def add_body(
        self,
        *shapes: Shape | BodyShape,
        position: ArrayLike = (0.0, 0.0),
        angle: float = 0.0,
        velocity: ArrayLike = (0.0, 0.0),
        angular_velocity: float = 0.0,
        mass: float | None = None,
        inertia: float | None = None,
        kind: _Kind = "dynamic",
        gravity_scale: float = 1.0,
        linear_damping: float = 0.0,
        angular_damping: float = 0.0,
        fixed_rotation: bool = False,
        bullet: bool = False,
        can_sleep: bool = True,
    ) -> Body:
        """Add a body made of shapes and return it.

        position (m) and angle (rad) of the frame the shapes are given in; velocity (m/s) of the
        centre of mass; angular_velocity (rad/s); mass (kg) and inertia (kg m^2, about the centre of
        mass) override what follows from the shapes' densities. kind: dynamic, static or kinematic.
        linear_damping and angular_damping (1/s): rates of decay. fixed_rotation: no impulse turns
        it. bullet: swept with all care in every step. can_sleep: may be put to sleep at rest.
        """
    def add_static(
        self, *shapes: Shape | BodyShape, position: ArrayLike = (0.0, 0.0), angle: float = 0.0
    ) -> Body:
        """Add a body that never moves and return it."""
    def add_kinematic(
        self,
        *shapes: Shape | BodyShape,
        position: ArrayLike = (0.0, 0.0),
        angle: float = 0.0,
        velocity: ArrayLike = (0.0, 0.0),
        angular_velocity: float = 0.0,
    ) -> Body:
        """Add a body that moves as its velocity says, whatever it meets, and return it."""
    def add_joint(self, joint: _Joint) -> _Joint:
        """Add a joint made for bodies of this world, as Pin(a, b, anchor), and return it."""
    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order they were added."""
    def remove(self, body: Body | Joint) -> None:
        """Remove a body with its joints, or a joint; its handle is of no more use, and what rested
        on it wakes."""
    def _settings(self) -> dict[str, Any]: ...
    def _passing(self) -> list[tuple[Body, Body]]: ...
    def ignore_until_parted(self, body_a: Body, body_b: Body) -> None:
        """Let two bodies that touch or overlap pass through each other until they have parted."""
    @property
    def contact_filter(self) -> Callable[[NDArray[np.void]], NDArray[np.bool_]] | None:
        """A function f(rows) -> mask that is asked in each step which contacts there are to be.

        rows: an array as world.contacts.arrays, of all that may touch; forces are 0. mask: a bool
        for each. It is called between the stages of a step, under `advance` at each event, and must
        not touch the world. Snapshots and copies do not have it.
        """
    @contact_filter.setter
    def contact_filter(
        self, value: Callable[[NDArray[np.void]], NDArray[np.bool_]] | None
    ) -> None: ...
    def body(self, id: int) -> Body:
        """The body with an id, as the events have it."""
    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order they were added."""
    @property
    def positions(self) -> NDArray[np.float64]:
        """Origins of the bodies' frames (n x 2, m): a view, rows as in `bodies`.

        Views are read-only and follow the world without a copy. Adding bodies may give the world
        new memory: ask for the view again after that, and after removals, which close up the rows.
        """
    @property
    def centers(self) -> NDArray[np.float64]:
        """Centres of mass (n x 2, m): a view."""
    @property
    def angles(self) -> NDArray[np.float64]:
        """Angles of the bodies' frames (n, rad): a view."""
    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities of the centres of mass (n x 2, m/s): a view."""
    @property
    def angular_velocities(self) -> NDArray[np.float64]:
        """Rates of turning (n, rad/s): a view."""
    @property
    def awake(self) -> NDArray[np.bool_]:
        """Which bodies are simulated (n, bool): a copy, rows as in `bodies`."""
    @property
    def islands(self) -> NDArray[np.int32]:
        """Which island of the last step each body was in (n, int32; -1: none): a copy."""
    @property
    def energy(self) -> Energy:
        """Kinetic, potential and total energy (J) of the dynamic bodies and of springs."""
    @property
    def events(self) -> EventStore:
        """What happened in the last step; handlers can be added to it."""
    @property
    def contacts(self) -> ContactList:
        """Contacts that touched in the last step, with their forces (N): a ContactList."""
    @property
    def stats(self) -> dict[str, Any]:
        """Of the last step: seconds by stage, and counts."""
    def contact_system(
        self, extra: _Extra = "velocity", dt: float = ..., friction: bool = False
    ) -> ContactSystem:
        """The equation a = A f + b of resting contact for the present state, and its solution.

        One row for each contact that touches: gap acceleration a (m/s^2), force f (N); extra and dt
        (s, 1/60 unless given) as in contact_force.assemble. friction=True adds a row for each
        contact's friction along z x normal, with |f| at most mu times the normal force.
        """
    def set_state(
        self,
        *,
        positions: ArrayLike | None = None,
        angles: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
    ) -> None:
        """Write the state of all bodies at once: arrays with a row for each of `bodies`.

        positions (n x 2, m), angles (n, rad), velocities (n x 2, m/s), angular_velocities (n,
        rad/s). If any number is refused, nothing is written.
        """
    def snapshot(self) -> Snapshot:
        """The whole state, contacts and their impulses included; cheap to take and to give back.

        Handlers of events are not part of it.
        """
    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot, bit for bit; of another world too, whose bodies are then copied.

        Handles of bodies that were removed since are good again, those of later ones are not.
        """
    def copy(self) -> Self:
        """A world of its own in the same state."""
    def __copy__(self) -> Self: ...
    @property
    def build_mode(self) -> str:
        """Which build of the engine is loaded."""
    def point_query(
        self, point: ArrayLike, *, filter: Filter | None = None, sensors: bool = False
    ) -> list[Found]:
        """Shapes that hold a point (m): a list of (body, shape), by age.

        filter: only shapes that one with this Filter would collide with. sensors: them too.
        """
    def box_query(
        self,
        low: ArrayLike,
        high: ArrayLike,
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> list[Found]:
        """Shapes whose boxes overlap the box from low to high (m): a list of (body, shape)."""
    def overlap_query(
        self,
        shape: Shape | BodyShape,
        pose: ArrayLike = (0.0, 0.0),
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> list[Found]:
        """Shapes that a shape at a pose (x, y, angle) touches or overlaps: (body, shape)."""
    def ray_query(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> QueryHit | None:
        """The first shape on the way from start to end (m): a QueryHit, or None.

        A ray hits a solid where it enters it: what it starts in, it leaves unnoticed.
        """
    def ray_query_all(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> list[QueryHit]:
        """All shapes on the way from start to end (m), each where it is first entered, in order."""
    def ray_query_many(
        self,
        starts: ArrayLike,
        ends: ArrayLike,
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> Rays:
        """The first shapes on many ways at once (n x 2 each, m): arrays in, arrays out (Rays).

        Either may be a single point (2) for all rays.
        """
    def cast_query(
        self,
        shape: Shape | BodyShape,
        pose: ArrayLike,
        way: ArrayLike,
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> QueryHit | None:
        """The first shape met by one that moves from a pose along way (m): a QueryHit, or None.

        What it overlaps at the start it meets at once, unless it is leaving it.
        """
    def nearest_query(
        self,
        point: ArrayLike,
        distance: float | None = None,
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> QueryHit | None:
        """The shape nearest to a point (m), within a distance (m) if given: a QueryHit, or None."""
    def step(self, dt: float, *, steps: int = 1) -> None:
        """Simulate dt seconds times time_scale, at most 1000; a long step is made in several parts.

        steps: how many such steps are made, as by so many calls, but other threads run meanwhile.
        Handlers are called after each of them; events, contacts and stats are of the last.

        OverflowError if bodies left the range of places or speeds: these are then at rest where
        they were, and everything else has made the step.
        """
