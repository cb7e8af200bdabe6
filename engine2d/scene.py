"""Scene files: worlds as JSON that can be written by hand.

    scene.save(world, "tower.json")
    world = scene.load("tower.json")

A scene has the settings of a world, its bodies and their shapes, all numbers with all their digits;
what is as usual is left out. It has no contacts: to go on bit for bit, take a snapshot.
"""

from __future__ import annotations

import os
from typing import Any

from engine2d.body import Body
from engine2d.shape import Box, Capsule, Circle, Filter, Path, Polygon, Segment, Shape
from engine2d.world import World
from enginecore import scene as files
from enginecore.scene import SceneError

__all__ = ["FORMAT", "VERSION", "SceneError", "dumps", "load", "loads", "save"]

FORMAT = "engine2d scene"
VERSION = 1

_vector = files.vector_reader(2)
_WORLD = {
    "gravity": _vector,
    "solver": files.read_text,
    "sleeping": files.read_bool,
    "friction_rule": files.read_text,
    "restitution_rule": files.read_text,
    "unit": files.read_number,
    "time_scale": files.read_number,
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
_NAMES = {kind: name for name, (kind, _) in _FORMS.items()}


def _read_filter(value: Any, where: str) -> Filter:
    fields = dict.fromkeys(("category", "mask", "group"), files.read_int)
    given: Filter = files.make(where, Filter, **files.read_fields(value, where, fields))
    return given


_MATERIAL: dict[str, files.Reader] = {
    "density": files.read_number,
    "friction": files.read_number,
    "restitution": files.read_number,
    "rolling_resistance": files.read_number,
    "surface_velocity": _vector,
    "one_way": files.optional(_vector),
    "boost": files.read_number,
    "sensor": files.read_bool,
    "filter": _read_filter,
    "tag": files.read_tag,
}
_BODY: dict[str, files.Reader] = {
    "kind": files.read_text,
    "shapes": lambda value, where: [
        _read_shape(item, f"{where}[{k}]")
        for k, item in enumerate(files.read_list(value, where, files.MOST_SHAPES))
    ],
    "position": _vector,
    "center": _vector,
    "angle": files.read_number,
    "velocity": _vector,
    "angular_velocity": files.read_number,
    "mass": files.read_number,
    "inertia": files.read_number,
    "gravity_scale": files.read_number,
    "linear_damping": files.read_number,
    "angular_damping": files.read_number,
    "fixed_rotation": files.read_bool,
    "bullet": files.read_bool,
    "can_sleep": files.read_bool,
}
_USUAL = {
    "kind": "dynamic",
    "angle": 0.0,
    "velocity": (0.0, 0.0),
    "angular_velocity": 0.0,
    "gravity_scale": 1.0,
    "linear_damping": 0.0,
    "angular_damping": 0.0,
    "fixed_rotation": False,
    "bullet": False,
    "can_sleep": True,
}


# ---- reading -------------------------------------------------------------------------------------


def _read_shape(value: Any, where: str) -> Shape:
    if not isinstance(value, dict):
        raise files.fail(where, "an object", value)
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _FORMS:
        raise files.fail(f"{where}.type", f"one of {', '.join(_FORMS)}", kind)
    form, readers = _FORMS[kind]
    rest = {name: item for name, item in value.items() if name != "type"}
    fields = files.read_fields(rest, where, {**readers, **_MATERIAL})
    shape: Shape = files.make(where, form, **fields)
    return shape


def loads(text: str | bytes) -> World:
    """The world that a scene stands for; SceneError naming the field if it is not one."""
    return _build(files.parse(text))


def load(path: str | os.PathLike[str]) -> World:
    """The world that a scene file stands for; SceneError naming the field if it is not one."""
    return _build(files.read_file(path))


def _build(value: Any) -> World:
    top = files.read_head(value, FORMAT, VERSION)
    for name in top:
        if name not in ("world", "bodies"):
            raise SceneError(f"{files.show(name)[1:-1]} is no field; there are world, bodies")
    settings = files.read_fields(top.get("world", {}), "world", _WORLD)
    pace = settings.pop("time_scale", None)
    world: World = files.make("world", World, **settings)
    if pace is not None:
        files.make("world", setattr, world, "time_scale", pace)
    bodies = files.read_list(top.get("bodies", []), "bodies", files.MOST_BODIES)
    for k, item in enumerate(bodies):
        where = f"bodies[{k}]"
        fields = files.read_fields(item, where, _BODY)
        shapes, center = fields.pop("shapes", []), fields.pop("center", None)
        body = files.make(where, world.add_body, *shapes, **fields)
        if center is not None:
            files.make(where, body._put_center, center)
    return world


# ---- writing -------------------------------------------------------------------------------------


def dumps(world: World) -> str:
    """The scene of a world as text."""
    usual = World()._settings()
    settings = {name: value for name, value in world._settings().items() if value != usual[name]}
    return files.dump(
        {
            "format": FORMAT,
            "version": VERSION,
            "world": settings,
            "bodies": [_describe(body) for body in world.bodies],
        }
    )


def save(world: World, path: str | os.PathLike[str]) -> None:
    """Write the scene of a world to a file, whole or not at all."""
    files.write_file(path, dumps(world))


def _describe(body: Body) -> dict[str, Any]:
    out: dict[str, Any] = {"shapes": [_describe_shape(part.shape) for part in body.shapes]}
    out["position"] = tuple(body.position)
    for name, usual in _USUAL.items():
        value = getattr(body, name)
        if value != usual:
            out[name] = tuple(value) if isinstance(value, tuple) else value
    out.update(body._given())
    return out


def _describe_shape(shape: Shape) -> dict[str, Any]:
    kind = type(shape)
    if kind not in _NAMES:
        raise TypeError(f"only the engine's own shapes can be saved, got {shape!r}")
    fields = shape._arguments()
    out: dict[str, Any] = {"type": _NAMES[kind]}
    for name, value in fields.items():
        if not _is_usual(kind, name, value):
            out[name] = _describe_filter(value) if name == "filter" else value
    return out


def _describe_filter(value: Filter) -> dict[str, int]:
    return {"category": value.category, "mask": value.mask, "group": value.group}


_PLAIN = Circle(1.0)


def _is_usual(kind: type[Shape], name: str, value: Any) -> bool:
    """Whether a shape that is not told this has it."""
    if name in _MATERIAL:
        return bool(value == getattr(_PLAIN, name))
    if name == "radius":
        return kind not in (Circle, Capsule) and value == 0.0
    if name in ("center", "angle"):
        return value in (0.0, (0.0, 0.0))
    return (name == "closed" and value is True) or (name == "bulges" and not any(value))
