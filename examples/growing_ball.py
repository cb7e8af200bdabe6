"""Shapes that change: a ball grows under a pile, bricks turn to ice, then it shrinks again."""

from window import play

from engine2d import Box, Circle, World

world = World()
world.add_static(Box(30, 1), position=(0, -0.5))
for x in (-3.2, 3.2):
    world.add_static(Box(0.4, 8), position=(x, 4))
ball = world.add_body(Circle(0.5), position=(0, 0.5))
bricks = [
    world.add_body(Box(0.9, 0.5), position=(-2.4 + 1.2 * (k % 5), 1.8 + 0.8 * (k // 5)))
    for k in range(20)
]


def step() -> None:
    t = world.time
    radius = 0.5 + 0.5 * min(max(t - 2, 0), 2) / 2 - 0.5 * min(max(t - 6, 0), 2) / 2
    part = ball.shapes[0]
    if abs(radius - part.radius) > 1e-9:
        part.shape = Circle(radius, density=part.density)
    if abs(t - 5) < 1e-6:
        for brick in bricks:
            brick.shapes[0].friction = 0.02
    world.step(1 / 60)


play(world, step, 10)
top = max(brick.position.y for brick in bricks)
print(f"the ball weighs {ball.mass:.4f} kg, the pile is {top:.2f} m high")
