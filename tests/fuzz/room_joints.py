"""Random joints of every kind for rooms: what they hold, and the books of their energy."""

import math
from dataclasses import dataclass

import engine2d

KINDS = (
    "Pin", "Weld", "Slider", "Rod", "Rope", "Spring", "RotarySpring", "Wheel", "Motor", "Gear",
    "Ratchet", "AngleLimit", "Pulley", "Drag",
)  # fmt: skip


@dataclass
class Tie:
    """A joint to be: its kind, the keys of its bodies (None: the world), arguments and options."""

    kind: str
    a: int | None
    b: int
    args: tuple
    options: dict

    def make(self, bodies):
        """The joint of these bodies (by key), not yet in a world; None: one of them is gone."""
        if self.b not in bodies or (self.a is not None and self.a not in bodies):
            return None
        a = None if self.a is None else bodies[self.a]
        first = (bodies[self.b],) if self.kind == "Drag" else (a, bodies[self.b])
        return getattr(engine2d, self.kind)(*first, *self.args, **self.options)


def maybe(rng, share, **options):
    """Options that a joint has or has not."""
    return options if rng.uniform() < share else {}


def draw_options(rng, kind, mass, unit):
    """Limits, springs, motors and friction of a kind, in the sizes of a body of a mass (kg)."""
    weight, turn = 9.81 * mass, 9.81 * mass * unit
    spring = {"hertz": float(10 ** rng.uniform(-0.3, 2)), "damping_ratio": float(rng.uniform(0, 1))}
    rate = float(rng.uniform(-5, 5))
    along = {"low": -float(rng.uniform(0, 1)) * unit, "high": float(rng.uniform(0, 1)) * unit}
    angles = {"low": -float(rng.uniform(0, 2)), "high": float(rng.uniform(0, 2))}
    if kind == "Pin":
        return {
            **maybe(rng, 0.3, **angles),
            **maybe(rng, 0.3, rate=rate, max_torque=float(rng.uniform(0, 2)) * turn),
            **maybe(rng, 0.3, friction=float(rng.uniform(0, 0.3)) * turn),
            **maybe(rng, 0.3, **spring),
        }
    if kind == "Slider":
        return {
            "free_rotation": bool(rng.integers(2)),
            **maybe(rng, 0.5, **along),
            **maybe(rng, 0.3, rate=rate * unit, max_force=float(rng.uniform(0, 3)) * weight),
            **maybe(rng, 0.3, friction=float(rng.uniform(0, 0.5)) * weight),
            **maybe(rng, 0.3, **spring),
        }
    if kind == "Wheel":
        return {
            **spring,
            **maybe(rng, 0.5, **along),
            **maybe(rng, 0.5, rate=rate, max_torque=float(rng.uniform(0, 2)) * turn),
        }
    if kind in ("Spring", "RotarySpring"):
        return spring
    if kind == "Motor":
        return {"max_torque": float(rng.uniform(0, 2)) * turn}
    if kind == "Drag":
        return {**spring, **maybe(rng, 0.5, max_force=float(rng.uniform(0.5, 5)) * weight)}
    return {}


def draw_tie(rng, parts, half, unit):
    """A joint between two bodies of a room, or one of them and the world."""
    kind = KINDS[rng.integers(len(KINDS))]
    i, j = rng.choice(len(parts), 2, replace=False)
    alone = kind != "Gear" and kind != "Pulley" and rng.uniform() < 0.3
    a, b = parts[i], parts[j]
    pa, pb = a.options["position"], b.options["position"]
    if alone:
        pa = tuple((rng.uniform(-0.7, 0.7, 2) * half).tolist())
    middle = tuple(0.5 * (x + y) for x, y in zip(pa, pb))
    turn = float(rng.uniform(0, 2 * math.pi))
    args = {
        "Pin": (middle,),
        "Weld": (middle,),
        "Slider": (middle, (math.cos(turn), math.sin(turn))),
        "Wheel": (middle, (math.cos(turn), math.sin(turn))),
        "Rod": (pa, pb),
        "Rope": (pa, pb),
        "Spring": (pa, pb),
        "Motor": (float(rng.uniform(-5, 5)),),
        "Gear": (float(rng.choice([-2.0, -1.0, 0.5, 1.0])),),
        "Ratchet": (float(rng.choice([-1, 1]) * rng.uniform(0.1, 1)),),
        "AngleLimit": (-float(rng.uniform(0, 2)), float(rng.uniform(0, 2))),
        "Pulley": (pa, pb, (pa[0], 0.9 * half), (pb[0], 0.9 * half)),
        "Drag": (pb, pa),
    }.get(kind, ())
    mass = sum(shape.mass for shape in b.shapes)
    options = draw_options(rng, kind, mass, unit)
    if kind != "Drag" and rng.integers(2):
        options["collide_connected"] = True
    return Tie(kind, None if alone or kind == "Drag" else a.key, b.key, args, options)


def draw_ties(rng, parts, half, unit, n):
    """n joints between random bodies."""
    return [draw_tie(rng, parts, half, unit) for _ in range(n)] if len(parts) > 1 else []


def pull_energy(drag):
    """J, of the spring of a drag: it pulls with k d, and with its force beyond."""
    d = math.dist(drag.point_b, drag.target)
    k, most = drag.stiffness, drag.max_force
    return 0.5 * k * d * d if k * d <= most else most * d - 0.5 * most**2 / k


def joint_energy(joints):
    """J: what springs hold, without what motors have done and with what friction took."""
    total = 0.0
    for joint in joints:
        if joint.removed:
            continue
        total += pull_energy(joint) if isinstance(joint, engine2d.Drag) else joint.energy
        total -= joint.work
    return total
