"""The demos, one small file each; a new one is a file here and its name below."""

import importlib

NAMES = (
    "stack",
    "pyramid",
    "upright",
    "jitter",
    "both_clocks",
    "zeno",
    "ladder",
    "hump",
    "flat_drops",
    "heavy",
    "cradle",
    "incline",
    "rocking",
    "bowl",
    "arch",
    "bullets",
    "circles",
    "bridge",
    "wrecking_ball",
    "car",
    "ragdoll",
    "straight_line",
    "joint_zoo",
    "particles",
    "impact_lab",
    "impact3d",
    "spheres3d",
    "boxes3d",
    "top3d",
    "wall3d",
)


def load(name):
    """The class of a demo."""
    if name not in NAMES:
        raise ValueError(f"there is no demo {name!r}; there are: {', '.join(NAMES)}")
    return importlib.import_module(f"demos.shows.{name}").Show
