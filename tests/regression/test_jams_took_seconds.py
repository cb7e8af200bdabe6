"""Bodies pressed between kinematic ones without room: a step was cut 400 times, each cut with a
solve that nothing settled, and took seconds."""

from engine3d import Box, Cylinder, HollowSphere, Plane, Polyhedron, World


def test_jams_are_given_up_soon():
    world = World(gravity=(0.44, 0, 0.44), solver="iterative")
    world.add_static(Box(12, 12, 1), position=(0, 0, -2.5))
    world.add_static(Plane((0, 0, 1), offset=-2.5))
    world.add_body(
        Box(0.587, 2, 1.287, surface_velocity=(0.587, 0, 0), one_way=(0, 0, 1.287)),
        position=(-1.33, -0.68, -0.73),
        velocity=(0.25, 0, -1.67),
    )
    world.add_body(
        Polyhedron([(-0.19, 0, 0), (0.19, 0, 0), (0, 0.167, 0), (0, 0, 0.19)]),
        position=(-2.49, -4.43, -4.33),
        velocity=(-2.97, -0.14, 0.62),
        angular_velocity=(-0.19, 3.44, -0.1),
    )
    world.add_body(Cylinder(0.61, 0.187), position=(-4.428, -3.961, -3.961), velocity=(0, 0, -4.4))
    for radius, place, speed in (
        (1.085, (2.023, 3.716, 3.716), (2.4, 0, 2)),
        (0.887, (-1.353, -4.591, -4.591), (-40.2, 0, -1.35)),
        (0.971, (-3.531, -4.405, -4.405), (0.005, 0, 0)),
    ):
        world.add_kinematic(HollowSphere(radius), position=place, velocity=speed)
    for _ in range(10):
        world.step(1 / 60)
        assert world.stats["direct_failures"] < 150
