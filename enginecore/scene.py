"""Scene files: what knows no dimension. Reading JSON that anybody may have written.

A file is an object with "format" and "version"; every value in it is checked before anything is
made of it, and an error names the field, the value and what was wanted. Sizes are bounded: a file
cannot take more memory or time than a scene of that size needs.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enginecore.filter import Filter

MOST_BYTES = 256 * 2**20  # of a file
MOST_BODIES = 1_000_000
MOST_SHAPES = 100_000  # of a body
MOST_POINTS = 100_000  # of a shape
LONGEST_SHOWN = 80  # characters of a value in an error
LONGEST_TOLD = 300  # characters of what a constructor says


class SceneError(ValueError):
    """A scene file that cannot be read; the message names the field."""


def show(value: Any) -> str:
    """A value for an error, not too long."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def fail(where: str, wanted: str, value: Any) -> SceneError:
    return SceneError(f"{where or 'the file'} must be {wanted}, got {show(value)}")


# ---- bytes ---------------------------------------------------------------------------------------


def parse(data: bytes | str) -> Any:
    """The value that JSON stands for; SceneError if it is none, is too large or too deep."""
    if isinstance(data, str):
        data = _encode(data)
    if len(data) > MOST_BYTES:
        raise SceneError(f"the file must be at most {MOST_BYTES} bytes, got {len(data)}")
    try:
        msgspec = _msgspec()
        if msgspec is not None:
            return msgspec.json.decode(data)
        return json.loads(data, parse_constant=_no_constant)
    except RecursionError:
        raise SceneError("the file must not be nested so deeply") from None
    except SceneError:
        raise
    except (ValueError, UnicodeDecodeError) as error:
        raise SceneError(f"the file must be JSON: {error}") from None


def _encode(text: str) -> bytes:
    """Text as UTF-8; SceneError if it has half a character (a lone surrogate)."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        wrong = text[error.start : error.end]
        raise SceneError(f"text must be of whole characters, got {wrong!r}") from None


def _no_constant(name: str) -> float:
    raise SceneError(f"numbers must be finite, got {name}")


def _msgspec() -> Any:
    """msgspec where it is installed: it reads the same, faster."""
    try:
        import msgspec
    except ImportError:
        return None
    return msgspec


def read_file(path: str | os.PathLike[str]) -> Any:
    """The value in a JSON file."""
    size = os.path.getsize(path)
    if size > MOST_BYTES:
        raise SceneError(f"{path} must be at most {MOST_BYTES} bytes, got {size}")
    return parse(Path(path).read_bytes())


def write_file(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole or not at all."""
    target = Path(path)
    part = target.with_name(target.name + ".part")
    data = _encode(text)
    try:
        part.write_bytes(data)
        os.replace(part, target)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def dump(value: Mapping[str, Any]) -> str:
    """JSON that people can read: a line for each body, numbers with all their digits."""
    head = []
    for name, item in value.items():
        if name in ("bodies", "joints"):
            rows = ",\n".join("    " + _line(body) for body in item)
            head.append(f'  "{name}": [\n{rows}\n  ]' if item else f'  "{name}": []')
        else:
            head.append(f"  {_line(name)}: {_line(item)}")
    text = "{\n" + ",\n".join(head) + "\n}\n"
    _encode(text)
    return text


def _line(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


# ---- fields --------------------------------------------------------------------------------------

Reader = Callable[[Any, str], Any]


def read_number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise fail(where, "a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise fail(where, "a finite number", value)
    return number


def read_bool(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise fail(where, "true or false", value)
    return value


def read_int(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise fail(where, "an integer", value)
    return value


def read_tag(value: Any, where: str) -> int | str | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, str))):
        raise fail(where, "a string, an integer or null", value)
    return value


def read_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise fail(where, "a string", value)
    return value


def read_list(value: Any, where: str, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise fail(where, "a list", value)
    if len(value) > most:
        raise SceneError(f"{where} must have at most {most} items, got {len(value)}")
    return value


def vector_reader(axes: int) -> Reader:
    """A reader of vectors with so many numbers."""

    def read(value: Any, where: str) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) != axes:
            raise fail(where, f"a list of {axes} numbers", value)
        return tuple(read_number(item, f"{where}[{k}]") for k, item in enumerate(value))

    return read


def optional(reader: Reader) -> Reader:
    """The same reader, with null for None."""
    return lambda value, where: None if value is None else reader(value, where)


def points_reader(axes: int) -> Reader:
    """A reader of lists of points."""
    read_point = vector_reader(axes)

    def read(value: Any, where: str) -> list[tuple[float, ...]]:
        items = read_list(value, where, MOST_POINTS)
        return [read_point(item, f"{where}[{k}]") for k, item in enumerate(items)]

    return read


def read_numbers(value: Any, where: str) -> list[float]:
    items = read_list(value, where, MOST_POINTS)
    return [read_number(item, f"{where}[{k}]") for k, item in enumerate(items)]


def read_fields(value: Any, where: str, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """An object's fields, each by its reader; unknown ones are refused."""
    if not isinstance(value, dict):
        raise fail(where, "an object", value)
    out = {}
    for name, item in value.items():
        at = f"{where}.{name}" if where else name
        if name not in readers:
            raise SceneError(f"{show(at)[1:-1]} is no field; there are {', '.join(readers)}")
        out[name] = readers[name](item, at)
    return out


def require(fields: Mapping[str, Any], where: str, names: tuple[str, ...]) -> None:
    """SceneError naming the first of some fields that is not there."""
    for name in names:
        if name not in fields:
            raise SceneError(f"{where}.{name} is missing; there must be {', '.join(names)}")


def read_type(value: Any, where: str, kinds: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Which of some kinds an object is, by its field "type", and its other fields as they are."""
    if not isinstance(value, dict):
        raise fail(where, "an object", value)
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in kinds:
        raise fail(f"{where}.type", f"one of {', '.join(kinds)}", kind)
    return kind, {name: item for name, item in value.items() if name != "type"}


def take_ends(fields: dict[str, Any], where: str, bodies: list[Any]) -> list[Any]:
    """The two bodies of a joint, taken from its fields: null is the world, a number a body."""
    ends = []
    for side in ("body_a", "body_b"):
        at = fields.pop(side, None)
        if at is not None and (
            isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < len(bodies)
        ):
            raise fail(f"{where}.{side}", "null or the number of a body", at)
        ends.append(None if at is None else bodies[at])
    return ends


def ignore_pairs(world: Any, bodies: list[Any], value: Any) -> None:
    """Let pairs of numbers of bodies pass through each other until they have parted."""
    name = "ignored_until_parted"
    for k, item in enumerate(read_list(value, name, MOST_BODIES)):
        where = f"{name}[{k}]"
        if not isinstance(item, list) or len(item) != 2:
            raise fail(where, "a list of 2 numbers of bodies", item)
        pair = take_ends({"body_a": item[0], "body_b": item[1]}, where, bodies)
        make(where, world.ignore_until_parted, *pair)


def read_strength(value: Any, where: str) -> float:
    """A largest force or torque; null: without bound."""
    return math.inf if value is None else read_number(value, where)


def make(where: str, call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call something that checks its own arguments; its errors get the field in front."""
    try:
        return call(*args, **options)
    except SceneError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        text = str(error)
        shown = text if len(text) <= LONGEST_TOLD else text[: LONGEST_TOLD - 3] + "..."
        raise SceneError(f"{where}: {shown}") from None


def read_head(value: Any, kind: str, version: int) -> dict[str, Any]:
    """Check what a file says it is; the fields without that."""
    if not isinstance(value, dict):
        raise fail("", "an object", value)
    if value.get("format") != kind:
        raise fail("format", repr(kind), value.get("format"))
    given = value.get("version")
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= version:
        raise fail("version", f"an integer from 1 to {version}", given)
    return {name: item for name, item in value.items() if name not in ("format", "version")}


def read_filter(value: Any, where: str) -> Filter:
    fields = dict.fromkeys(("category", "mask", "group"), read_int)
    given: Filter = make(where, Filter, **read_fields(value, where, fields))
    return given


def describe_filter(value: Filter) -> dict[str, int]:
    return {"category": value.category, "mask": value.mask, "group": value.group}


# ---- fields of any dimension ---------------------------------------------------------------------


def world_fields(vector: Reader) -> dict[str, Reader]:
    """Settings of worlds; a vector reads one of the engine's."""
    texts = ("solver", "friction_rule", "restitution_rule")
    return {
        "gravity": vector,
        "sleeping": read_bool,
        **dict.fromkeys(texts, read_text),
        **dict.fromkeys(("unit", "time_scale"), read_number),
    }


def material_fields(vector: Reader) -> dict[str, Reader]:
    """What all shapes have."""
    numbers = ("density", "friction", "restitution", "rolling_resistance", "boost")
    return {
        **dict.fromkeys(numbers, read_number),
        "surface_velocity": vector,
        "one_way": optional(vector),
        "sensor": read_bool,
        "filter": read_filter,
        "tag": read_tag,
    }


def body_fields(vector: Reader) -> dict[str, Reader]:
    """What bodies have besides shapes, angle and inertia."""
    numbers = ("mass", "gravity_scale", "linear_damping", "angular_damping")
    return {
        "kind": read_text,
        **dict.fromkeys(("position", "velocity"), vector),
        **dict.fromkeys(numbers, read_number),
        **dict.fromkeys(("fixed_rotation", "bullet", "can_sleep"), read_bool),
    }


def usual_fields(**motion: Any) -> dict[str, Any]:
    """What a body has that is not told it; motion: how it is turned and moves."""
    return {
        "kind": "dynamic",
        **motion,
        "gravity_scale": 1.0,
        **dict.fromkeys(("linear_damping", "angular_damping"), 0.0),
        **dict.fromkeys(("fixed_rotation", "bullet"), False),
        "can_sleep": True,
    }


# ---- the layout of an engine's files -------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """What the scene files of an engine hold, and how worlds are made of them."""

    format: str
    version: int
    world: type[Any]
    settings: Mapping[str, Reader]  # of a world
    forms: Mapping[str, tuple[type[Any], Mapping[str, Reader]]]  # of shapes, by type
    required: Mapping[str, tuple[str, ...]]  # fields of shapes that must be there, by type
    material: Mapping[str, Reader]  # fields that all shapes have
    plain: Any  # a shape that was told no material
    is_usual_form: Callable[[type[Any], str, Any], bool]  # whether a field need not be told
    body: Mapping[str, Reader]  # fields of bodies besides shapes
    usual: Mapping[str, Any]  # of bodies: what they have that are not told it
    add_joint: Callable[[Any, list[Any], Any, str], None]  # to a world with these bodies
    describe_joint: Callable[[Any, dict[int, int]], dict[str, Any]]  # bodies: numbers by id

    # -- reading

    def read_shape(self, value: Any, where: str) -> Any:
        kind, rest = read_type(value, where, self.forms)
        form, readers = self.forms[kind]
        fields = read_fields(rest, where, {**readers, **self.material})
        require(fields, where, self.required[kind])
        return make(where, form, **fields)

    def read_shapes(self, value: Any, where: str) -> list[Any]:
        items = read_list(value, where, MOST_SHAPES)
        return [self.read_shape(item, f"{where}[{k}]") for k, item in enumerate(items)]

    def build(self, value: Any) -> Any:
        """The world that a file's value stands for."""
        top = read_head(value, self.format, self.version)
        names = ("world", "bodies", "joints", "ignored_until_parted")
        for name in top:
            if name not in names:
                raise SceneError(f"{show(name)[1:-1]} is no field; there are {', '.join(names)}")
        settings = read_fields(top.get("world", {}), "world", self.settings)
        pace = settings.pop("time_scale", None)
        world = make("world", self.world, **settings)
        if pace is not None:
            make("world", setattr, world, "time_scale", pace)
        readers = {"shapes": self.read_shapes, **self.body}
        bodies: list[Any] = []
        for k, item in enumerate(read_list(top.get("bodies", []), "bodies", MOST_BODIES)):
            where = f"bodies[{k}]"
            fields = read_fields(item, where, readers)
            shapes, center = fields.pop("shapes", []), fields.pop("center", None)
            bodies.append(make(where, world.add_body, *shapes, **fields))
            if center is not None:
                make(where, bodies[-1]._put_center, center)
        for k, item in enumerate(read_list(top.get("joints", []), "joints", MOST_BODIES)):
            self.add_joint(world, bodies, item, f"joints[{k}]")
        ignore_pairs(world, bodies, top.get("ignored_until_parted", []))
        return world

    # -- writing

    def dumps(self, world: Any) -> str:
        """The scene of a world as text."""
        usual = self.world()._settings()
        settings = {name: item for name, item in world._settings().items() if item != usual[name]}
        bodies = world.bodies
        numbers = {body.id: k for k, body in enumerate(bodies)}
        out: dict[str, Any] = {
            "format": self.format,
            "version": self.version,
            "world": settings,
            "bodies": [self.describe(body) for body in bodies],
        }
        if world.joints:
            out["joints"] = [self.describe_joint(joint, numbers) for joint in world.joints]
        if passing := world._passing():
            out["ignored_until_parted"] = [[numbers[a.id], numbers[b.id]] for a, b in passing]
        return dump(out)

    def describe(self, body: Any) -> dict[str, Any]:
        """A body's fields, but for what is as usual."""
        out: dict[str, Any] = {"shapes": [self.describe_shape(part.shape) for part in body.shapes]}
        out["position"] = tuple(body.position)
        for name, usual in self.usual.items():
            value = getattr(body, name)
            if value != usual:
                out[name] = tuple(value) if isinstance(value, tuple) else value
        out.update(body._given())
        return out

    def describe_shape(self, shape: Any) -> dict[str, Any]:
        kind = next((name for name, (form, _) in self.forms.items() if form is type(shape)), None)
        if kind is None:
            raise TypeError(f"only the engine's own shapes can be saved, got {shape!r}")
        out: dict[str, Any] = {"type": kind}
        for name, value in shape._arguments().items():
            if name in self.material:
                is_usual = bool(value == getattr(self.plain, name))
            else:
                is_usual = self.is_usual_form(type(shape), name, value)
            if not is_usual:
                out[name] = describe_filter(value) if name == "filter" else value
        return out
