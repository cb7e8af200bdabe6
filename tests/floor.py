"""A world of the plane with a floor, and time that goes by in it."""

from engine2d import Segment, World

DT = 1 / 60
FLOOR = Segment((-20, 0), (20, 0), friction=0.6)


def floor_world(*, gravity=(0, -10), **options):
    world = World(gravity, **options)
    world.add_static(FLOOR)
    return world


def run(world, seconds, dt=DT):
    for _ in range(round(seconds / dt)):
        world.step(dt)
