from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

from engine3d.body_shape import BodyShape
from engine3d.contact_list import ContactList
from engine3d.shape import Shape
from engine3d.vector import Vec3

_Kind: TypeAlias = Literal["static", "kinematic", "dynamic"]

@disjoint_base
class Body:
    """A body of a world: its state can be read and written at any time.

    position is the origin of the frame its shapes were given in, orientation a unit quaternion
    (w, x, y, z), center the centre of mass; velocity is the centre's, angular_velocity is in the
    world's axes. Worlds make bodies (World.add_body); once removed, all but `removed`, `id` and
    `data` raise a ValueError.
    """

    data: Any
    """Anything of the user's."""
    @property
    def id(self) -> int:
        """Its number in the world, free again when it is removed."""
    @property
    def generation(self) -> int:
        """Tells it from others that had the number."""
    @property
    def removed(self) -> bool:
        """Whether it is no longer in its world."""
    @property
    def row(self) -> int:
        """Its place in world.bodies and in the world's arrays."""
    @property
    def position(self) -> Vec3:
        """Origin of the frame its shapes were given in (m)."""
    @position.setter
    def position(self, value: ArrayLike) -> None: ...
    @property
    def orientation(self) -> tuple[float, float, float, float]:
        """Unit quaternion (w, x, y, z) that turns its frame into the world's axes."""
    @orientation.setter
    def orientation(self, value: ArrayLike) -> None: ...
    @property
    def rotation(self) -> NDArray[np.float64]:
        """Rotation matrix of its frame into the world's axes (3 x 3)."""
    @property
    def center(self) -> Vec3:
        """Centre of mass (m)."""
    @property
    def local_center(self) -> Vec3:
        """Centre of mass in the frame of its shapes (m)."""
    @property
    def velocity(self) -> Vec3:
        """Velocity of the centre of mass (m/s)."""
    @velocity.setter
    def velocity(self, value: ArrayLike) -> None: ...
    @property
    def angular_velocity(self) -> Vec3:
        """Rate of turning (rad/s), a vector of the world's axes."""
    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None: ...
    @property
    def angular_momentum(self) -> Vec3:
        """About the centre of mass (kg m^2/s), in the world's axes; 0 unless it is dynamic."""
    @property
    def mass(self) -> float:
        """kg; infinite unless it is dynamic."""
    @mass.setter
    def mass(self, value: float) -> None: ...
    @property
    def inertia(self) -> NDArray[np.float64]:
        """Inertia tensor about the centre of mass, in the frame of its shapes (3 x 3, kg m^2);
        infinite unless it can turn."""
    @inertia.setter
    def inertia(self, value: ArrayLike) -> None: ...
    @property
    def principal(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Principal moments (3, kg m^2) and their axes, the columns of a rotation (3 x 3)."""
    @property
    def kind(self) -> _Kind:
        """static, kinematic or dynamic."""
    @kind.setter
    def kind(self, value: _Kind) -> None: ...
    @property
    def shapes(self) -> tuple[BodyShape, ...]:
        """Its shapes, in the order they were given."""
    def add_shape(self, shape: Shape | BodyShape) -> BodyShape:
        """Give it one more shape, in its frame, and return that; its mass follows."""
    def remove_shape(self, shape: BodyShape) -> None:
        """Take one of its shapes off; its mass follows."""
    @property
    def contacts(self) -> ContactList:
        """Its contacts of the last step, with their forces (N): it is body A of each."""
    @property
    def gravity_scale(self) -> float:
        """How much of the world's gravity it feels."""
    @gravity_scale.setter
    def gravity_scale(self, value: float) -> None: ...
    @property
    def linear_damping(self) -> float:
        """Rate (1/s) at which its velocity decays."""
    @linear_damping.setter
    def linear_damping(self, value: float) -> None: ...
    @property
    def angular_damping(self) -> float:
        """Rate (1/s) at which its angular momentum decays."""
    @angular_damping.setter
    def angular_damping(self, value: float) -> None: ...
    @property
    def fixed_rotation(self) -> bool:
        """Whether no impulse turns it."""
    @fixed_rotation.setter
    def fixed_rotation(self, value: bool) -> None: ...
    @property
    def bullet(self) -> bool:
        """Whether it is swept with all care in every step, however slow."""
    @bullet.setter
    def bullet(self, value: bool) -> None: ...
    @property
    def can_sleep(self) -> bool:
        """Whether it may be put to sleep when it rests."""
    @can_sleep.setter
    def can_sleep(self, value: bool) -> None: ...
    @property
    def awake(self) -> bool:
        """Whether it is simulated; bodies at rest fall asleep together with what they touch."""
    def wake(self) -> None:
        """Wake it, and with the next step all that it touches."""
    @property
    def force(self) -> Vec3:
        """Force of the user that acts in the next step (N)."""
    @force.setter
    def force(self, value: ArrayLike) -> None: ...
    @property
    def torque(self) -> Vec3:
        """Torque of the user that acts in the next step (N m)."""
    @torque.setter
    def torque(self, value: ArrayLike) -> None: ...
    def apply_force(self, force: ArrayLike, point: ArrayLike | None = None) -> None:
        """Add a force (N) for the next step, at a point of the world (m) or at the centre."""
    def apply_torque(self, torque: ArrayLike) -> None:
        """Add a torque (N m) for the next step."""
    def apply_impulse(self, impulse: ArrayLike, point: ArrayLike | None = None) -> None:
        """Change its motion at once by an impulse (N s) at a point of the world (m) or the
        centre."""
    def apply_angular_impulse(self, impulse: ArrayLike) -> None:
        """Change its angular momentum at once (N m s)."""
    def to_world(self, point: ArrayLike) -> Vec3:
        """A point of its frame (m), in the world."""
    def to_local(self, point: ArrayLike) -> Vec3:
        """A point of the world (m), in its frame."""
    def velocity_at(self, point: ArrayLike) -> Vec3:
        """Velocity (m/s) of the body at a point of the world (m)."""
    @property
    def kinetic_energy(self) -> float:
        """J; 0 unless it is dynamic."""
