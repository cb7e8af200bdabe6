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

from engine3d.body import Body
from engine3d.joint import Ball, Drag, Hinge, Joint, Rod, Rope, Slider, Spring, Weld
from engine3d.shape import (
    Box,
    Capsule,
    Cylinder,
    HollowSphere,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
)
from engine3d.world import World
from enginecore import scene as files
from enginecore.scene import SceneError

__all__ = ["FORMAT", "VERSION", "SceneError", "dumps", "load", "loads", "save"]

FORMAT = "engine3d scene"
VERSION = 1

_vector, _turn = files.vector_reader(3), files.vector_reader(4)
_WORLD = {**files.world_fields(_vector), "friction_cone": files.read_int}
_PLACED = {"center": _vector, "orientation": _turn}
_FORMS: dict[str, tuple[type[Shape], dict[str, files.Reader]]] = {
    "sphere": (Sphere, {"radius": files.read_number, "center": _vector}),
    "box": (Box, {**dict.fromkeys("xyz", files.read_number), **_PLACED}),
    "capsule": (Capsule, {"a": _vector, "b": _vector, "radius": files.read_number}),
    "cylinder": (
        Cylinder,
        {"radius": files.read_number, "height": files.read_number, **_PLACED},
    ),
    "polyhedron": (Polyhedron, {"points": files.points_reader(3)}),
    "plane": (Plane, {"normal": _vector, "offset": files.read_number}),
    "hollow_sphere": (HollowSphere, {"radius": files.read_number, "center": _vector}),
}
_REQUIRED: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "box": ("x", "y", "z"),
    "capsule": ("a", "b", "radius"),
    "cylinder": ("radius", "height"),
    "polyhedron": ("points",),
    "plane": ("normal",),
    "hollow_sphere": ("radius",),
}


_MATERIAL = {**files.material_fields(_vector), "spin_resistance": files.read_number}


def _read_inertia(value: Any, where: str) -> Any:
    """Three principal moments, or three rows."""
    items = files.read_list(value, where, 3)
    if items and isinstance(items[0], list):
        return [_vector(item, f"{where}[{k}]") for k, item in enumerate(items)]
    return _vector(value, where)


_BODY: dict[str, files.Reader] = {
    **files.body_fields(_vector),
    "orientation": _turn,
    "angular_velocity": _vector,
    "inertia": _read_inertia,
}
_USUAL = files.usual_fields(
    orientation=(1.0, 0.0, 0.0, 0.0),
    velocity=(0.0, 0.0, 0.0),
    angular_velocity=(0.0, 0.0, 0.0),
)
_number, _bound = files.read_number, files.optional(files.read_number)
_LOCAL = {"anchor_a": _vector, "anchor_b": _vector}
_BREAK = {"break_force": _bound, "break_torque": _bound, "collide_connected": files.read_bool}
_SPRING = {"stiffness": _number, "damping": _number}
_MOVES = {"low": _bound, "high": _bound, "rate": _number, "friction": _number, **_SPRING}
_AXIS = {"axis": _vector, "axis_b": _vector, "turn": _turn}
_KINDS: dict[str, tuple[type[Joint], dict[str, files.Reader]]] = {
    "ball": (Ball, {**_LOCAL, **_BREAK, "friction": _number}),
    "hinge": (
        Hinge,
        {**_LOCAL, **_BREAK, **_AXIS, **_MOVES, "max_torque": _bound, "reference": _number},
    ),
    "weld": (Weld, {**_LOCAL, **_BREAK, "turn": _turn}),
    "slider": (
        Slider,
        {
            **_LOCAL,
            **_BREAK,
            **_AXIS,
            **_MOVES,
            "max_force": _bound,
            "free_rotation": files.read_bool,
        },
    ),
    "rod": (Rod, {**_LOCAL, **_BREAK, "length": _number}),
    "rope": (Rope, {**_LOCAL, **_BREAK, "length": _number}),
    "spring": (Spring, {**_LOCAL, **_BREAK, **_SPRING, "length": _number}),
    "drag": (
        Drag,
        {
            **_LOCAL,
            **_SPRING,
            **dict.fromkeys(("break_force", "break_torque"), _bound),
            "max_force": _bound,
            "max_torque": _bound,
            "turn_stiffness": _number,
            "turn_damping": _number,
            "orientation": files.optional(_turn),
        },
    ),
}
_JOINT_NAMES = {kind: name for name, (kind, _) in _KINDS.items()}


# ---- reading -------------------------------------------------------------------------------------


def _add_joint(world: World, bodies: list[Body], value: Any, where: str) -> None:
    """A joint as the file has it: anchors and axes in the frames of its bodies."""
    kind, rest = files.read_type(value, where, _KINDS)
    made, readers = _KINDS[kind]
    ends = files.take_ends(rest, where, bodies)
    fields = files.read_fields(rest, where, readers)
    for name in ("break_force", "break_torque", "max_force", "max_torque"):
        if name in fields and fields[name] is None:
            fields[name] = float("inf")
    own = {name: fields.pop(name) for name in ("axis", "axis_b", "turn") if name in fields}
    anchors = fields.pop("anchor_a", (0.0, 0.0, 0.0)), fields.pop("anchor_b", (0.0, 0.0, 0.0))
    if made is Drag:
        if ends[1] is None:
            raise files.fail(f"{where}.body_b", "the number of a body", None)
        turn = fields.pop("orientation", None)
        if turn is not None:
            fields["orientation"] = turn
        point = files.make(where, ends[1].to_world, anchors[1])
        joint = files.make(where, Drag, ends[1], point, anchors[0], **fields)
    else:
        joint = files.make(where, made, *ends, local_anchors=anchors, **fields)
    files.make(where, world.add_joint, joint)
    if made is Drag:
        files.make(where, setattr, joint, "anchor_b", anchors[1])
    if own:
        files.make(where, joint._put_frames, own)


# ---- writing -------------------------------------------------------------------------------------


def _describe_joint(joint: Joint, numbers: dict[int, int]) -> dict[str, Any]:
    kind = _JOINT_NAMES[type(joint)]
    ends = {"body_a": joint.body_a, "body_b": joint.body_b}
    out: dict[str, Any] = {"type": kind}
    out.update({side: None if body is None else numbers[body.id] for side, body in ends.items()})
    own = joint._frames()
    for name in _KINDS[kind][1]:
        value = own[name] if name in ("axis", "axis_b", "turn") else getattr(joint, name)
        if isinstance(value, tuple):
            value = tuple(value)
        out[name] = None if value == float("inf") else value
    return out


def _is_usual_form(kind: type[Shape], name: str, value: Any) -> bool:
    """Whether a shape that is not told this has it."""
    return (name == "center" and value == (0.0, 0.0, 0.0)) or (
        name == "orientation" and value == (1.0, 0.0, 0.0, 0.0)
    )


# ---- files ---------------------------------------------------------------------------------------

_LAYOUT = files.Layout(
    FORMAT,
    VERSION,
    World,
    _WORLD,
    _FORMS,
    _REQUIRED,
    _MATERIAL,
    Sphere(1.0),
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
