"""Random sequences of public calls on worlds of space, joints among them.

    python -m tests.fuzz.calls3d FIRST COUNT

tests/fuzz/calls.py says what must hold.
"""

import sys
from functools import partial

from tests.fuzz import calls

HEAD = """\
import copy, pickle
import numpy as np
from engine3d import *
from engine3d import scene
nan, inf = float("nan"), float("inf")
"""
SHAPES = (
    "Sphere({0})",
    "Sphere({0}, center=({1}, 0, 0), restitution=1)",
    "Box({0}, {1}, {0})",
    "Capsule((-{0}, 0, 0), ({0}, 0, 0), {1})",
    "Cylinder({0}, {1})",
    "Cylinder({0}, {1}, rolling_resistance=0.1, spin_resistance=0.1)",
    "Polyhedron([(-{0}, 0, 0), ({0}, 0, 0), (0, {1}, 0), (0, 0, {0})])",
    "Box({0}, {1}, 1, restitution=1, friction=0)",
    "Box({0}, {1}, 1, sensor=True)",
    "Box({0}, 2, {1}, surface_velocity=({0}, 0, 0), one_way=(0, 0, {1}))",
    "Sphere({0}, boost={1}, filter=Filter(2, 5, -1))",
    "HollowSphere({0})",
)
SETTABLE = (
    ("position", "({x}, {y}, {x})"),
    ("velocity", "({v}, {v}, 0)"),
    ("orientation", "({v}, {x}, 1, {y})"),
    ("angular_velocity", "({v}, {x}, {v})"),
    ("mass", "{s}"),
    ("inertia", "({s}, {s}, {s})"),
    ("kind", "{k}"),
    ("gravity_scale", "{v}"),
    ("linear_damping", "{s}"),
    ("angular_damping", "{s}"),
    ("fixed_rotation", "{f}"),
    ("bullet", "{f}"),
    ("can_sleep", "{f}"),
    ("force", "({v}, {v}, {v})"),
    ("torque", "({v}, {v}, {v})"),
    ("data", "[b, w]"),
)
CALLS = (
    "b[{i}].apply_impulse(({v}, {v}, 0), ({x}, {y}, 0))",
    "b[{i}].apply_force(({v}, {v}, {v}), ({x}, {y}, 0))",
    "b[{i}].wake()",
    "w.remove(b.pop({i}))",
    "w.remove(w.joints[{j}])",
    "w.gravity = ({v}, 0, {v})",
    "w.sleeping = {f}",
    "w.time_scale = {s}",
    "w.step({dt})",
    "w.step({dt})",
    "for _ in range({n}): w.step(1 / 60)",
    "w.point_query(({x}, {y}, 0))",
    "w.box_query(({x}, {y}, -1), ({x} + {s}, {y} + {s}, 1), sensors={f})",
    "w.ray_query(({x}, {y}, 0), ({y}, {x}, {v}))",
    "w.ray_query_all(({x}, {y}, 0), ({y}, {x}, {v}))",
    "w.ray_query_many([({x}, {y}, 0)] * 3, ({y}, {x}, 1), filter=Filter(2))",
    "w.overlap_query({shape}, (({x}, {y}, 0), (1, {v}, 0, 0)))",
    "w.cast_query({shape}, ({x}, {y}, {v}), ({v}, {v}, 0))",
    "w.nearest_query(({x}, {y}, 0), {s})",
    "list(w.contacts), w.events.begins, w.events.hits, w.stats, w.energy, w.islands, w.awake",
    "[(q.shapes, repr(q), q.velocity_at((0, 0, 0)), q.row, q.principal) for q in w.bodies]",
    "[(q.force, q.torque, q.error, q.energy, q.work, repr(q)) for q in w.joints]",
    "s = w.snapshot()",
    "w.restore(s); b = w.bodies",
    "w = w.copy(); b = w.bodies",
    "w = copy.deepcopy(w); b = w.bodies",
    "w = pickle.loads(pickle.dumps(w)); b = w.bodies",
    "w = scene.loads(scene.dumps(w)); b = w.bodies",
    "s = pickle.loads(pickle.dumps(s))",
    "w.set_state(positions=w.positions + {s}, velocities=-w.velocities)",
    "w.set_state(orientations=w.orientations * {v}, angular_velocities=w.velocities)",
    "w.contact_system()",
    "w.contact_system(friction={j})",
    "b[{i}].shapes[0].shape = {shape}",
    "b[{i}].shapes[0].friction = {s}",
    "b[{i}].add_shape({shape})",
    "b[{i}].shapes[-1].remove()",
    "w.ignore_until_parted(b[{i}], b[{j}])",
    "w.add_joint(Ball(b[{i}], b[{j}], ({x}, {y}, 0)))",
    "w.add_joint(Hinge(b[{i}], None, ({x}, {y}, 0), (0, {v}, 1), low=-{s}, high={s}))",
    "w.add_joint(Hinge(b[{i}], b[{j}], ({x}, 0, 0), rate={v}, max_torque={s}, friction={s}))",
    "w.add_joint(Weld(b[{i}], b[{j}], ({x}, {y}, 0), break_force={s}))",
    "w.add_joint(Slider(None, b[{i}], ({x}, {y}, 0), (1, {v}, 0), rate={v}, max_force={s}))",
    "w.add_joint(Rod(b[{i}], b[{j}], ({x}, 0, 0), (0, {y}, 0), collide_connected={f}))",
    "w.add_joint(Rope(b[{i}], None, ({x}, 0, 0), (0, {y}, 0), length={s}))",
    "w.add_joint(Spring(b[{i}], b[{j}], ({x}, 0, 0), (0, {y}, 0), stiffness={v}, damping={s}))",
    "w.add_joint(Drag(b[{i}], ({x}, {y}, 0), ({y}, {x}, 0), max_force={s}, max_torque={s}))",
    "w.joints[{j}].break_torque = {s}",
    "w.joints[{j}].anchor_a = ({x}, {y}, {v})",
    "[setattr(q, 'limits', (-{s}, {v})) for q in w.joints[{j}:] if hasattr(q, 'limits')]",
    "[setattr(q, 'length', {s}) for q in w.joints[{j}:] if hasattr(q, 'length')]",
    "[q.set_hertz({s}, {s}) for q in w.joints[{j}:] if hasattr(q, 'set_hertz')]",
)
SPACE = calls.Language(
    HEAD,
    SHAPES,
    SETTABLE,
    CALLS,
    (
        "w, b = World(solver={solver!r}), []",
        "b.append(w.add_static(Box(12, 12, 1), position=(0, 0, -2.5)))",
        "b.append(w.add_static(Plane((0, 0, 1), offset=-2.5)))",
        "s = w.snapshot()",
    ),
    "b.append(w.add_body({shape}, position=({x}, {y}, {y}), velocity=({v}, 0, {x}), kind={k}))",
    12,
    calls.SAFE,
)

run_case = partial(calls.run_case, language=SPACE)


if __name__ == "__main__":
    sys.exit(calls.main(sys.argv[1:], run_case, SPACE))
