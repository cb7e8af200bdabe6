"""A face of a heavy body without load: the step of its friction was infinite times nothing."""

import numpy as np
import pytest

from engine3d import Box, HollowSphere, World


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e9, 1e15])
def test_a_face_without_load_is_not_thrown(mass):
    world = World(unit=1000.0, solver="iterative")
    world.add_static(HollowSphere(3220.0372164083406, restitution=0.3))
    box = world.add_body(
        Box(1176.994102118252, 1012.2851954820037, 279.6595952750798, friction=0.3),
        position=(432.02007402968104, -229.87867103699398, -2944.800496458753),
        orientation=(0.11897677071409259, -0.07670450011706755, 0.02969112423154, 0.98948440353251),
        mass=mass,
    )
    world.step(1e-3)
    assert np.linalg.norm(box.velocity) < 0.02
