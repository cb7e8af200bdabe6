from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self, disjoint_base

from engine3d.body import Body, _Kind
from engine3d.body_shape import BodyShape
from engine3d.contact_list import ContactList
from engine3d.contact_system import ContactSystem
from engine3d.joint import Joint
from engine3d.query import Found, QueryHit, Rays
from engine3d.shape import Shape
from engine3d.snapshot import Snapshot
from engine3d.vector import Vec3
from enginecore.event import EventStore
from enginecore.filter import Filter

BUILD_MODE: str
_Joint = TypeVar("_Joint", bound=Joint)
_Solver: TypeAlias = Literal["auto", "direct", "iterative"]
_MixRule: TypeAlias = Literal["geometric", "maximum", "minimum", "average", "product"]

class Energy(NamedTuple):
    """J, of all dynamic bodies; potential energy is 0 at the origin."""

    kinetic: float
    potential: float
    total: float

@disjoint_base
class World:
    """A world of bodies under gravity (m/s^2), without a window.

    unit: the length of a typical body (m): tolerances follow it. solver: "direct" solves every
    island exactly, "iterative" islands by sweeps, unless something fast is part of a small one,
    "auto" small ones exactly and large ones by sweeps. sleeping: bodies at rest fall asleep.
    friction_rule and restitution_rule say how a pair's numbers come from its shapes': geometric
    (square root of the product), maximum, minimum, average or product. friction_cone: k
    directions of a polyhedral cone in the place of isotropic friction, solved as one linear
    complementarity problem for each island: for small worlds.
    """

    sleeping: bool
    """Whether bodies at rest fall asleep."""
    time_scale: float
    """Simulated seconds to a second that step is told: below 1, slow motion."""
    @property
    def unit(self) -> float:
        """m, the length of a typical body."""
    @property
    def time(self) -> float:
        """s, that was simulated."""
    @property
    def steps(self) -> int:
        """Steps made."""
    def __init__(
        self,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        *,
        unit: float = 1.0,
        solver: _Solver = "auto",
        sleeping: bool = True,
        friction_rule: _MixRule = "geometric",
        restitution_rule: _MixRule = "maximum",
        friction_cone: int = 0,
    ) -> None: ...
    @property
    def gravity(self) -> Vec3:
        """m/s^2."""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    def add_body(
        self,
        *shapes: Shape | BodyShape,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        kind: _Kind = "dynamic",
        gravity_scale: float = 1.0,
        linear_damping: float = 0.0,
        angular_damping: float = 0.0,
        fixed_rotation: bool = False,
        bullet: bool = False,
        can_sleep: bool = True,
    ) -> Body:
        """Add a body made of shapes and return it.

        position (m) and orientation (w, x, y, z) of the frame the shapes are given in; velocity
        (m/s) of the centre of mass; angular_velocity (rad/s) in the world's axes; mass (kg) and
        inertia (kg m^2, 3 moments or 3 x 3, about the centre of mass in the frame of the shapes)
        override what follows from the shapes' densities. kind: dynamic, static or kinematic.
        """
    def add_static(
        self,
        *shapes: Shape | BodyShape,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    ) -> Body:
        """Add a body that never moves and return it."""
    def add_kinematic(
        self,
        *shapes: Shape | BodyShape,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a body that moves as its velocity says, whatever it meets, and return it."""
    def add_joint(self, joint: _Joint) -> _Joint:
        """Add a joint made for bodies of this world, as Ball(a, b, anchor), and return it."""
    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order they were added."""
    def remove(self, body: Body | Joint) -> None:
        """Remove a body with its joints, or a joint; its handle is of no more use, and what rested
        on it wakes."""
    def _passing(self) -> list[tuple[Body, Body]]: ...
    def ignore_until_parted(self, body_a: Body, body_b: Body) -> None:
        """Let two bodies that touch or overlap pass through each other until they have parted."""
    @property
    def contact_filter(self) -> Callable[[NDArray[np.void]], NDArray[np.bool_]] | None:
        """A function f(rows) -> mask that is asked in each step which contacts there are to be.

        rows: an array as world.contacts.arrays, of all that may touch; forces are 0. mask: a bool
        for each. It is called between the stages of a step, and must not touch the world. Snapshots
        and copies do not have it.
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
        """Origins of the bodies' frames (n x 3, m): a view, rows as in `bodies`."""
    @property
    def centers(self) -> NDArray[np.float64]:
        """Centres of mass (n x 3, m): a view."""
    @property
    def orientations(self) -> NDArray[np.float64]:
        """Unit quaternions (n x 4; w, x, y, z) of the bodies' frames: a view."""
    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities of the centres of mass (n x 3, m/s): a view."""
    @property
    def angular_velocities(self) -> NDArray[np.float64]:
        """Rates of turning (n x 3, rad/s), in the world's axes: a view."""
    @property
    def angular_momenta(self) -> NDArray[np.float64]:
        """Of the dynamic bodies, each about its centre of mass (n x 3, kg m^2/s): a view."""
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
        self,
        extra: Literal["none", "velocity", "velocity_and_distance"] = "velocity",
        dt: float = ...,
        friction: int = 0,
        method: Literal["auto", "lemke", "dantzig", "minmap", "pgs"] = "auto",
    ) -> ContactSystem:
        """The equation a = A f + b of resting contact for the present state, and its solution.

        One row for each contact that touches: gap acceleration a (m/s^2), force f (N); extra and dt
        (s) as in the plane: none, velocity, velocity_and_distance. friction=k adds k rows for each
        contact, directions evenly round its normal: a polyhedral cone. method: of enginecore.lcp.
        Returns a ContactSystem.
        """
    def set_state(
        self,
        *,
        positions: ArrayLike | None = None,
        orientations: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
    ) -> None:
        """Write the state of all bodies at once: arrays with a row for each of `bodies`."""
    @property
    def build_mode(self) -> str:
        """Which build of the engine is loaded."""
    def snapshot(self) -> Snapshot:
        """The whole state, contacts and their forces included; cheap to take and to give back.

        Handlers of events are not part of it.
        """
    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot, bit for bit; of another world too, whose bodies are then copied.

        Handles of bodies that were removed since are good again, those of later ones are not.
        """
    def copy(self) -> Self:
        """A world of its own in the same state."""
    def __copy__(self) -> Self: ...
    def point_query(
        self, point: ArrayLike, *, filter: Filter | None = None, sensors: bool = False
    ) -> list[Found]:
        """Shapes that hold a point (m): a list of (body, shape), by age."""
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
        pose: Any = (0.0, 0.0, 0.0),
        *,
        filter: Filter | None = None,
        sensors: bool = False,
    ) -> list[Found]:
        """Shapes that a shape at a pose touches or overlaps: a list of (body, shape).

        A pose is a position or (position, orientation).
        """
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
        """The first shapes on many ways at once (n x 3 each, m): arrays in, arrays out (Rays)."""
    def cast_query(
        self,
        shape: Shape | BodyShape,
        pose: Any,
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
