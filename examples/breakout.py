"""Breakout: bricks that vanish when the ball hits them, by tags and handlers.

Handlers run after the step, so that anything may be removed in them.
"""

from window import play

from engine2d import Box, Circle, HitEvent, Segment, World

world = World((0, 0))
walls = [((-6, 0), (-6, 10)), ((-6, 10), (6, 10)), ((6, 10), (6, 0))]
for a, b in walls:
    world.add_static(Segment(a, b, radius=0.1, restitution=1, friction=0, tag="wall"))
for row in range(4):
    for column in range(9):
        brick = Box(1.1, 0.4, restitution=1, friction=0, tag="brick")
        world.add_static(brick, position=(1.2 * (column - 4), 6 + 0.6 * row))
paddle = world.add_kinematic(Box(2, 0.3, restitution=1, friction=0, tag="paddle"), position=(0, 1))
ball = world.add_body(
    Circle(0.2, restitution=1, friction=0, tag="ball"), position=(0.3, 2), velocity=(3, 7)
)
score = 0


@world.events.on_hit(tags=("ball", "brick"))
def break_it(hit: HitEvent) -> None:
    global score
    if not hit.body_b.removed:
        world.remove(hit.body_b)
        score += 1


def step() -> None:
    # the paddle follows the ball, as quickly as it can
    way = ball.position.x - paddle.position.x
    paddle.velocity = (max(-8.0, min(8.0, 20 * way)), 0)
    world.step(1 / 60)


play(world, step, 20)
print(f"{score} bricks, the ball at {ball.velocity.length:.6f} m/s")
