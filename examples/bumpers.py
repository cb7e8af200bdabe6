"""Pinball bumpers: blows that give more than they take, and say so."""

from window import play

from engine2d import Circle, HitEvent, Path, World

world = World((0, -3))
world.add_static(
    Path([(-5, 0), (5, 0), (5, 10), (-5, 10)], closed=False, restitution=0.5, friction=0.2),
    Path([(-5, 10), (-5, 0)], closed=False, restitution=0.5),
)
for x, y in ((-2.5, 3), (0, 5), (2.5, 3), (0, 1.5)):
    world.add_static(Circle(0.7, restitution=0.8, boost=0.4, tag="bumper"), position=(x, y))
ball = world.add_body(Circle(0.25, restitution=0.5, tag="ball"), position=(0.3, 8), bullet=True)
points = 0


@world.events.on_hit(tags=("ball", "bumper"))
def count(hit: HitEvent) -> None:
    global points
    points += max(1, round(10 * hit.speed))


play(world, lambda: world.step(1 / 60), 15)
print(f"{points} points, {world.energy.total:.3f} J")
