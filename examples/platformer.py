"""A player who walks, jumps and drops: one-way platforms, running surfaces, a belt.

The player walks by letting the surface of his feet run back: friction does the rest.
"""

from window import play

from engine2d import Box, Capsule, Segment, Vec2, World

world = World()
world.add_static(Segment((-12, 0), (12, 0), friction=1))
platform = world.add_static(Box(4, 0.2, one_way=(0, 1), friction=1), position=(0, 2))
world.add_static(Box(5, 0.3, surface_velocity=(-1.5, 0), friction=1, tag="belt"), position=(7, 1))
player = world.add_body(
    Capsule((0, 0.3), (0, 0.9), 0.3, friction=1, tag="player"), position=(-4, 0.1),
    fixed_rotation=True,
)  # fmt: skip
feet = player.shapes[0]


def on_ground() -> bool:
    return any(contact.normal.y > 0.5 for contact in player.contacts)


def step() -> None:
    t = world.time
    # to the right for two seconds, a jump onto the platform, then down through it
    feet.surface_velocity = Vec2(-2, 0) if t < 2.0 else Vec2(0, 0)
    if 1.9 < t < 2.0 and on_ground():
        player.apply_impulse(Vec2(0, 7) * player.mass)
    if 5.0 < t < 5.05:
        world.ignore_until_parted(player, platform)
    world.step(1 / 60)
    if round(60 * world.time) == 270:
        print(f"on the platform, feet at {player.position.y:.3f} m")


play(world, step, 7)
print(f"on the ground, feet at {player.position.y:.3f} m")
