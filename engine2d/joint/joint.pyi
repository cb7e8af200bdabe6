from typing import Any

from numpy.typing import ArrayLike
from typing_extensions import disjoint_base

from engine2d.body import Body
from engine2d.vector import Vec2

@disjoint_base
class JointStore:
    """The joints of a world: rows in the order of adding, and their handles."""

    def add(self, joint: Joint) -> Joint:
        """Take a joint that was made for bodies of this world."""
    def remove(self, joint: Joint) -> None:
        """Remove a joint of this world."""
    def in_order(self) -> list[Joint]:
        """All joints, in the order they were added."""

@disjoint_base
class Joint:
    """What two bodies have in common; the kinds are Pin, Weld, Slider and so on.

    Made for two bodies, of which one may be None, the world, and then added by World.add_joint.
    Settings can be changed at any time; once removed, all but `removed`, `id` and `data` raise a
    ValueError.
    """

    data: Any
    """Anything of the user's."""
    def __init__(self, *args: Any, **options: Any) -> None: ...
    def _frames(self) -> dict[str, Any]: ...
    def _put_frames(self, given: dict[str, Any]) -> None: ...
    @property
    def id(self) -> int:
        """Its number in the world, free again when it is removed; -1 until it is added."""
    @property
    def generation(self) -> int:
        """Tells it from others that had the number."""
    @property
    def removed(self) -> bool:
        """Whether it was removed from its world, or broke."""
    @property
    def added_to_world(self) -> bool:
        """Whether it is in a world."""
    @property
    def body_a(self) -> Body | None:
        """Its first body, or None for the world."""
    @property
    def body_b(self) -> Body | None:
        """Its second body, or None for the world."""
    @property
    def anchor_a(self) -> Vec2:
        """Where it holds body_a (m), in the frame of that body; of the world if that is None."""
    @anchor_a.setter
    def anchor_a(self, value: ArrayLike) -> None: ...
    @property
    def anchor_b(self) -> Vec2:
        """Where it holds body_b (m), in the frame of that body; of the world if that is None."""
    @anchor_b.setter
    def anchor_b(self, value: ArrayLike) -> None: ...
    @property
    def point_a(self) -> Vec2:
        """Where it holds body_a now (m, in the world)."""
    @property
    def point_b(self) -> Vec2:
        """Where it holds body_b now (m, in the world)."""
    @property
    def force(self) -> Vec2:
        """Force of the joint on body_b at its anchor (N), mean over the last step."""
    @property
    def torque(self) -> float:
        """Torque of the joint on body_b about its anchor (N m), mean over the last step."""
    @property
    def work(self) -> float:
        """What its motor and its friction have done since it was added (J)."""
    @property
    def energy(self) -> float:
        """Energy of its spring (J)."""
    @property
    def error(self) -> float:
        """How far it is from what it should hold exactly (m or rad): 0 if all is well."""
    @property
    def break_force(self) -> float:
        """The force beyond which it breaks (N); infinite: never."""
    @break_force.setter
    def break_force(self, value: float) -> None: ...
    @property
    def break_torque(self) -> float:
        """The torque beyond which it breaks (N m); infinite: never."""
    @break_torque.setter
    def break_torque(self, value: float) -> None: ...
    @property
    def collide_connected(self) -> bool:
        """Whether its two bodies collide with each other."""
    @collide_connected.setter
    def collide_connected(self, value: bool) -> None: ...
