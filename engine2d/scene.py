"""Scene files: worlds as JSON that can be written by hand.

    scene.save(world, "tower.json")
    world = scene.load("tower.json")

A scene has the settings of a world, its bodies with their shapes, and its joints, all numbers with
all their digits; what is as usual is left out. It has no contacts: to go on bit for bit, take a
snapshot.
"""

from __future__ import annotations

import os
from typing import Any

from engine2d.body import Body
from engine2d.joint import (
    AngleLimit,
    Drag,
    Gear,
    Joint,
    Motor,
    Pin,
    Pulley,
    Ratchet,
    Rod,
    Rope,
    RotarySpring,
    Slider,
    Spring,
    Weld,
    Wheel,
)
from engine2d.shape import Box, Capsule, Circle, Path, Polygon, Segment, Shape
from engine2d.vector import Vec2
from engine2d.world import World
from enginecore import scene as files
from enginecore.scene import SceneError

__all__ = ["FORMAT", "VERSION", "SceneError", "dumps", "load", "loads", "save"]

FORMAT = "engine2d scene"
VERSION = 1

_vector = files.vector_reader(2)
_WORLD = {
    **files.world_fields(_vector),
    "extra": files.read_text,
    "resting_gap": files.optional(files.read_number),
    "resting_speed": files.optional(files.read_number),
}
_FORMS: dict[str, tuple[type[Shape], dict[str, files.Reader]]] = {
    "circle": (Circle, {"radius": files.read_number, "center": _vector}),
    "box": (
        Box,
        {
            "width": files.read_number,
            "height": files.read_number,
            "center": _vector,
            "angle": files.read_number,
            "radius": files.read_number,
        },
    ),
    "polygon": (Polygon, {"vertices": files.points_reader(2), "radius": files.read_number}),
    "capsule": (Capsule, {"a": _vector, "b": _vector, "radius": files.read_number}),
    "segment": (Segment, {"a": _vector, "b": _vector, "radius": files.read_number}),
    "path": (
        Path,
        {
            "points": files.points_reader(2),
            "bulges": files.optional(files.read_numbers),
            "closed": files.read_bool,
        },
    ),
}
_REQUIRED: dict[str, tuple[str, ...]] = {
    "circle": ("radius",),
    "box": ("width", "height"),
    "polygon": ("vertices",),
    "capsule": ("a", "b", "radius"),
    "segment": ("a", "b"),
    "path": ("points",),
    "gear": ("ratio",),
    "ratchet": ("tooth",),
    "pulley": ("ground_a", "ground_b"),
    "motor": ("rate",),
    "angle_limit": ("low", "high"),
}


_MATERIAL = files.material_fields(_vector)
_BODY: dict[str, files.Reader] = {
    **files.body_fields(_vector),
    "center": _vector,
    **dict.fromkeys(("angle", "angular_velocity", "inertia"), files.read_number),
}
_USUAL = files.usual_fields(angle=0.0, velocity=(0.0, 0.0), angular_velocity=0.0)

_number, _bound, _most = files.read_number, files.optional(files.read_number), files.read_strength
_ALL = {"break_force": _most, "break_torque": _most, "collide_connected": files.read_bool}
_LOCAL = {"anchor_a": _vector, "anchor_b": _vector}
_SPRING = {"stiffness": _number, "damping": _number}
_LIMITS = {"low": _bound, "high": _bound}
_TURNS = {"rate": _number, "max_torque": _most}
_RUBS = {"friction": _number}
_ZERO = {"reference": _number}
_KINDS: dict[str, tuple[type[Joint], dict[str, files.Reader]]] = {
    "pin": (Pin, {**_LOCAL, **_LIMITS, **_TURNS, **_SPRING, **_RUBS, **_ZERO}),
    "weld": (Weld, {**_LOCAL, **_ZERO}),
    "slider": (
        Slider,
        {
            **_LOCAL,
            "axis": _vector,
            "free_rotation": files.read_bool,
            **_LIMITS,
            "rate": _number,
            "max_force": _most,
            **_SPRING,
            **_RUBS,
            **_ZERO,
        },
    ),
    "rod": (Rod, {**_LOCAL, "length": _number}),
    "rope": (Rope, {**_LOCAL, "length": _number}),
    "spring": (Spring, {**_LOCAL, "length": _number, **_SPRING}),
    "rotary_spring": (RotarySpring, {**_SPRING, **_ZERO}),
    "wheel": (
        Wheel,
        {**_LOCAL, "axis": _vector, **_LIMITS, **_TURNS, **_SPRING, **_RUBS, **_ZERO},
    ),
    "motor": (Motor, {**_TURNS}),
    "gear": (Gear, {"ratio": _number, "phase": _number}),
    "ratchet": (Ratchet, {"tooth": _number, **_ZERO, "held": _number}),
    "angle_limit": (AngleLimit, {**_LIMITS, **_ZERO}),
    "pulley": (
        Pulley,
        {
            **_LOCAL,
            "ground_a": _vector,
            "ground_b": _vector,
            "ratio": _number,
            "length": _number,
            "slack": files.read_bool,
        },
    ),
    "drag": (Drag, {**_LOCAL, "max_force": _most, **_SPRING}),
}
_JOINT_NAMES = {kind: name for name, (kind, _) in _KINDS.items()}
_NEVER = float("inf")
# What a joint has that is not told it. What is not listed here is always written.
_JOINT_USUAL = {
    "break_force": _NEVER,
    "break_torque": _NEVER,
    "collide_connected": False,
    "low": None,
    "high": None,
    "rate": 0.0,
    "max_torque": 0.0,
    "max_force": 0.0,
    "stiffness": 0.0,
    "damping": 0.0,
    "friction": 0.0,
    "free_rotation": False,
    "slack": False,
}


# ---- reading -------------------------------------------------------------------------------------


def _joint_readers(kind: str) -> dict[str, files.Reader]:
    """The fields of a kind of joint; springs may also be told by hertz, anchors by one point."""
    own = {**_KINDS[kind][1], **_ALL}
    if kind == "drag":
        del own["collide_connected"]
    if "stiffness" in own:
        own |= {"hertz": _number, "damping_ratio": _number}
    if kind in ("pin", "weld", "slider", "wheel"):
        own["anchor"] = _vector
    return own


def _read_joint(bodies: list[Body], value: Any, where: str) -> tuple[Joint, dict[str, Any]]:
    """A joint as the file has it, and what is to be set when it is added."""
    kind, rest = files.read_type(value, where, _KINDS)
    ends = files.take_ends(rest, where, bodies)
    fields = files.read_fields(rest, where, _joint_readers(kind))
    files.require(fields, where, _REQUIRED.get(kind, ()))
    if "anchor" in fields and ("anchor_a" in fields or "anchor_b" in fields):
        raise SceneError(f"{where} must have anchor, or anchor_a and anchor_b, not both")
    later: dict[str, Any] = {name: fields.pop(name) for name in ("axis", "held") if name in fields}
    if "axis" in later:
        turn = 0.0 if ends[0] is None else ends[0].angle
        fields["axis"] = Vec2(later["axis"]).rotated(turn)
    if kind == "drag":
        later["anchor_b"] = fields.pop("anchor_b", (0.0, 0.0))
        if ends[1] is None or ends[0] is not None:
            raise SceneError(f"{where}: a drag must have body_b, a number, and no body_a")
        point = files.make(where, ends[1].to_world, later["anchor_b"])
        joint = files.make(where, Drag, ends[1], point, fields.pop("anchor_a", point), **fields)
        return joint, later
    if "anchor_a" in _KINDS[kind][1] and "anchor" not in fields:
        zero = (0.0, 0.0)
        fields["local_anchors"] = fields.pop("anchor_a", zero), fields.pop("anchor_b", zero)
    return files.make(where, _KINDS[kind][0], *ends, **fields), later


def _add_joint(world: World, bodies: list[Body], value: Any, where: str) -> None:
    joint, later = _read_joint(bodies, value, where)
    files.make(where, world.add_joint, joint)
    if "anchor_b" in later:
        files.make(where, setattr, joint, "anchor_b", later.pop("anchor_b"))
    if later:
        files.make(where, joint._put_frames, later)


# ---- writing -------------------------------------------------------------------------------------


def _describe_joint(joint: Joint, numbers: dict[int, int]) -> dict[str, Any]:
    kind = _JOINT_NAMES.get(type(joint))
    if kind is None:
        raise TypeError(f"only the engine's own joints can be saved, got {joint!r}")
    out: dict[str, Any] = {"type": kind}
    for side, body in (("body_a", joint.body_a), ("body_b", joint.body_b)):
        if body is not None:
            out[side] = numbers[body.id]
    own = joint._frames()
    unbound = ("max_force", "max_torque") if kind in ("motor", "drag") else ()
    for name in {**_KINDS[kind][1], **_ALL}:
        value = own[name] if name in ("axis", "held") else getattr(joint, name)
        usual = _NEVER if name in unbound else _JOINT_USUAL.get(name, ...)
        needed = name in _REQUIRED.get(kind, ())
        if (needed or value != usual) and (kind, name) != ("drag", "collide_connected"):
            out[name] = None if value == _NEVER else value
    return out


def _is_usual_form(kind: type[Shape], name: str, value: Any) -> bool:
    """Whether a shape that is not told this has it."""
    if name == "radius":
        return kind not in (Circle, Capsule) and value == 0.0
    if name in ("center", "angle"):
        return value in (0.0, (0.0, 0.0))
    return (name == "closed" and value is True) or (name == "bulges" and not any(value))


# ---- files ---------------------------------------------------------------------------------------

_LAYOUT = files.Layout(
    FORMAT,
    VERSION,
    World,
    _WORLD,
    _FORMS,
    _REQUIRED,
    _MATERIAL,
    Circle(1.0),
    _is_usual_form,
    _BODY,
    _USUAL,
    _add_joint,
    _describe_joint,
)


def loads(text: str | bytes) -> World:
    """The world that a scene stands for; SceneError naming the field if it is not one."""
    world: World = _LAYOUT.build(files.parse(text))
    return world


def load(path: str | os.PathLike[str]) -> World:
    """The world that a scene file stands for; SceneError naming the field if it is not one."""
    world: World = _LAYOUT.build(files.read_file(path))
    return world


def dumps(world: World) -> str:
    """The scene of a world as text."""
    return _LAYOUT.dumps(world)


def save(world: World, path: str | os.PathLike[str]) -> None:
    """Write the scene of a world to a file, whole or not at all."""
    files.write_file(path, dumps(world))
