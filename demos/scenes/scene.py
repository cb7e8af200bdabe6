"""Scenes as data: bodies with shapes, places and speeds. Any engine can be given one."""

from dataclasses import dataclass, field

from engine2d import Pin


@dataclass(frozen=True)
class Body:
    """A body to be: shapes in its own frame, and where that frame is."""

    shapes: tuple
    position: tuple[float, float] = (0.0, 0.0)  # m
    angle: float = 0.0  # rad
    velocity: tuple[float, float] = (0.0, 0.0)  # m/s
    angular_velocity: float = 0.0  # rad/s
    kind: str = "dynamic"  # or "static", "kinematic"


@dataclass(frozen=True)
class Hinge:
    """A pin to be, at a point (m, in the world) of two bodies, by their numbers in the scene; None:
    the world. The two do not collide. low, high: limits of the angle (rad) of b against a."""

    a: int | None
    b: int | None
    point: tuple[float, float]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Scene:
    """Bodies, their hinges, and the gravity (m/s^2) they live in. Friction and restitution of its
    shapes are a pair's."""

    name: str
    bodies: tuple[Body, ...]
    gravity: tuple[float, float] = (0.0, -10.0)
    sizes: dict = field(default_factory=dict)  # what tests and benchmarks ask about it
    hinges: tuple[Hinge, ...] = ()

    @property
    def moving(self):
        """Indices of the dynamic bodies."""
        return [k for k, body in enumerate(self.bodies) if body.kind == "dynamic"]


def add_scene(world, scene):
    """Put a scene's bodies and hinges into a world of engine2d; the bodies, in its order."""
    add = {
        "dynamic": world.add_body,
        "static": world.add_static,
        "kinematic": world.add_kinematic,
    }
    made = []
    for body in scene.bodies:
        motion = {}
        if body.kind != "static":
            motion = {"velocity": body.velocity, "angular_velocity": body.angular_velocity}
        made.append(
            add[body.kind](*body.shapes, position=body.position, angle=body.angle, **motion)
        )
    for hinge in scene.hinges:
        a, b = (None if k is None else made[k] for k in (hinge.a, hinge.b))
        world.add_joint(Pin(a, b, hinge.point, low=hinge.low, high=hinge.high))
    return made
