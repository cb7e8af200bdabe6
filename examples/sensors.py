"""Sensors and filters: balls are counted as they fall through a gate that only sees red ones."""

from window import play

from engine2d import Circle, ContactEvent, Filter, Segment, Vec2, World

RED, BLUE = 1, 2

world = World()
world.add_static(Segment((-9, 0), (9, 0)), Segment((-9, 0), (-9, 9)), Segment((9, 0), (9, 9)))
world.add_static(
    Segment((-8, 4), (8, 4), radius=0.1, sensor=True, filter=Filter(RED, RED), tag="gate")
)
for k in range(30):
    colour = RED if k % 3 else BLUE
    place = Vec2(-7, 6) + Vec2.polar(1.0, 0.7 * k) + (0.45 * k, 0.1 * (k % 7))
    world.add_body(
        Circle(0.25, filter=Filter(colour | 4, 0xFFFFFFFF), tag="red" if colour == RED else "blue"),
        position=place,
    )
seen = 0


@world.events.on_begin(tags=("gate", None))
def note(event: ContactEvent) -> None:
    global seen
    seen += 1


play(world, lambda: world.step(1 / 60), 6)
print(f"{seen} balls passed the gate, {len(world.bodies)} bodies, nearest to the middle:")
nearest = world.nearest_query((0, 0.5))
if nearest is not None:
    print(f"{nearest.shape.tag} at {nearest.point.x:.3f}, {nearest.point.y:.3f}")
