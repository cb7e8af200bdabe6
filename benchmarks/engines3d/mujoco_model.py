"""A scene as a model of MuJoCo."""

import mujoco
import numpy as np


def words(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def make_model(scene, dt, solver):
    rows = [
        f'<mujoco><option timestep="{dt}" gravity="{words(scene.gravity)}" solver="{solver}"/>',
        '<size memory="1G"/>',
        f'<default><geom friction="{scene.friction} 0 0" condim="3"/></default><worldbody>',
    ]
    for normal, offset in scene.planes:
        place = [offset * x for x in normal]
        rows.append(
            f'<geom type="plane" size="0 0 1" pos="{words(place)}" zaxis="{words(normal)}"/>'
        )
    for item in scene.items:
        kind, size = ("sphere", (item.size,)) if item.is_sphere else ("box", item.size)
        rows.append(
            f'<body pos="{words(item.position)}"><freejoint/>'
            f'<geom type="{kind}" size="{words(size)}" density="{item.density}"/></body>'
        )
    rows.append("</worldbody></mujoco>")
    return mujoco.MjModel.from_xml_string("\n".join(rows))


def make_data(model, scene):
    data = mujoco.MjData(model)
    data.qpos[:] = np.concatenate([(*i.position, *i.orientation) for i in scene.items])
    data.qvel[:] = np.concatenate([(*i.velocity, *i.angular_velocity) for i in scene.items])
    mujoco.mj_forward(model, data)
    return data
