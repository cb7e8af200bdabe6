"""Contact forces: a scale made of a plate reads the weight on it, while crates are put there."""

from window import play

from engine2d import Box, Segment, World

world = World()
world.add_static(Segment((-9, 0), (9, 0)))
plate = world.add_body(Box(4, 0.2, density=5), position=(0, 0.1))
readings: list[float] = []


def step() -> None:
    k = round(60 * world.time)
    if k % 120 == 0 and k < 480:
        world.add_body(Box(0.8, 0.8, density=1 + k / 60), position=(-1.2 + 0.8 * (k // 120), 0.61))
    world.step(1 / 60)
    if k % 120 == 110:
        load = sum(c.normal_force for c in plate.contacts if c.normal.y < -0.5)
        readings.append(load / 9.81)


play(world, step, 8)
print("the scale reads", ", ".join(f"{mass:.3f}" for mass in readings), "kg")
