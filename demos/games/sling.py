"""Sling: break every red ball with stones from a sling. python -m demos.games.sling

Pull with the mouse and let go; or aim with the arrow keys and shoot with Space. R: again. Esc: out.
"""

import math
import os
import sys

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame

    from engine2d.draw import DARK, PAPER, Camera, Renderer, mix
except ImportError as error:
    sys.exit(f"engine2d: {error}")

from engine2d import Box, Capsule, Circle, Polygon, World

SIZE, FPS = (1000, 600), 60
SLING = (1.5, 1.7)  # m
PULL = 1.4  # m at most
SPEED = 9.0  # m/s for a metre of pull
FRAGILE = 1.2  # N s that break a red ball
CALM = 0.05  # m/s: slower is at rest
PATIENCE = 6.0  # s that a shot may take
STONES = 3  # for each level
RED, STONE, WOOD, QUIET = (204, 68, 68), (90, 90, 100), (221, 190, 140), (130, 130, 130)

STONE_SHAPE = Circle(0.22, density=8.0, friction=0.5, restitution=0.2)
BALL_SHAPE = Circle(0.3, friction=0.5, rolling_resistance=0.05)
POST = Box(0.3, 1.2, density=0.6, friction=0.6)
PLANK = Box(2.2, 0.25, density=0.6, friction=0.6)
LOG = Capsule((-0.5, 0.0), (0.5, 0.0), 0.2, density=0.6, friction=0.6)
ROOF = Polygon([(-1.1, 0.0), (1.1, 0.0), (0.0, 0.8)], density=0.6, friction=0.6)


def house(x, y):
    """Two posts and a plank, with room for a ball: what it is made of, from the height y."""
    return [(POST, x - 0.8, y + 0.6), (POST, x + 0.8, y + 0.6), (PLANK, x, y + 1.325)]


# each level: its timber as (shape, x, y), and where the red balls are
LEVELS = (
    ([(POST, 9.0, 0.6), (POST, 11.0, 0.6)], [(9.0, 1.5), (11.0, 1.5)]),
    ([*house(9.5, 0.0), (LOG, 9.5, 1.65)], [(9.5, 0.3), (12.0, 0.3)]),
    ([*house(10.0, 0.0), *house(10.0, 1.45), (ROOF, 10.0, 2.9)],
     [(10.0, 0.3), (10.0, 1.75), (12.5, 0.3)]),
)  # fmt: skip


class Game:
    """The whole game: `frame` is one turn of its loop."""

    def __init__(self):
        pygame.display.init()
        self.screen = pygame.display.set_mode(SIZE)
        pygame.display.set_caption("Sling")
        self.camera = Camera(SIZE, center=(7.2, 3.7), scale=68)
        self.renderer = Renderer(self.screen, self.camera, grid=False, sleep=False)
        self.kept = self.level = 0  # kept: the score before this level
        self.running = True
        self.start()

    def start(self):
        """Build the level anew."""
        self.world = World()
        self.world.add_static(Box(80, 8, friction=0.7), position=(7, -4))
        timber, balls = LEVELS[self.level]
        self.timber = [self.world.add_body(shape, position=(x, y)) for shape, x, y in timber]
        self.balls = [self.world.add_body(BALL_SHAPE, position=at) for at in balls]
        self.world.events.on_hit(self.break_ball)
        self.stones, self.stone = STONES, None
        self.aim, self.pulling = (-1.0, -0.5), False  # m, from the sling
        self.state, self.since, self.score = "aim", 0.0, self.kept
        self.renderer.paint = dict.fromkeys(self.timber, WOOD) | dict.fromkeys(self.balls, RED)

    def break_ball(self, hit):
        """Called after a step for everything that struck: hard hits break red balls."""
        for body in (hit.body_a, hit.body_b):
            if hit.impulse > FRAGILE and body in self.balls:
                self.balls.remove(body)
                self.renderer.paint.pop(body)
                self.world.remove(body)
                self.score += 100

    # -- what the player does

    def handle(self, event):
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.KEYDOWN:
            self.press(event.key)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self.pulling = self.state == "aim"
            if self.state in ("won", "lost"):
                self.go_on()
        if event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEMOTION) and self.pulling:
            self.set_aim(*(self.camera.to_world(event.pos) - SLING))
        elif event.type == pygame.MOUSEBUTTONUP and self.pulling:
            self.pulling = False
            self.shoot()

    def press(self, key):
        angle, pull = math.atan2(self.aim[1], self.aim[0]), math.hypot(*self.aim)
        if key == pygame.K_ESCAPE:
            self.running = False
        elif key == pygame.K_r:
            self.start()
        elif key == pygame.K_SPACE:
            self.shoot() if self.state == "aim" else self.go_on()
        elif key in (pygame.K_UP, pygame.K_DOWN):
            angle += math.radians(1.5 if key == pygame.K_UP else -1.5)
        elif key in (pygame.K_LEFT, pygame.K_RIGHT):
            pull = max(pull + (0.05 if key == pygame.K_LEFT else -0.05), 0.1)
        self.set_aim(pull * math.cos(angle), pull * math.sin(angle))

    def set_aim(self, x, y):
        """Pull the sling to a place, as far as it stretches."""
        share = min(1.0, PULL / max(math.hypot(x, y), 1e-9))
        self.aim = (x * share, y * share)

    def shoot(self):
        velocity = [-SPEED * pull for pull in self.aim]
        self.stone = self.world.add_body(STONE_SHAPE, position=SLING, velocity=velocity)
        self.renderer.paint[self.stone] = STONE
        self.stones -= 1
        self.state, self.since = "fly", 0.0

    def go_on(self):
        """After a level: the next one, or the same again; after the last, the first."""
        if self.state == "won":
            self.level = (self.level + 1) % len(LEVELS)
            self.kept = self.score if self.level else 0
        if self.state in ("won", "lost"):
            self.start()

    def update(self):
        self.world.step(1.0 / FPS)
        self.since += 1.0 / FPS
        if self.state == "fly" and not self.balls:
            self.score += 50 * self.stones
            self.state = "won"
        elif self.state == "fly" and self.is_over():
            self.world.remove(self.stone)
            self.state = "aim" if self.stones else "lost"

    def is_over(self):
        """Whether the shot has done what it will do."""
        calm = abs(self.world.velocities).max() < CALM or abs(self.stone.position[0]) > 40.0
        return self.since > PATIENCE or (self.since > 0.5 and calm)

    def draw(self):
        self.renderer.draw(self.world)
        self.renderer.line([(SLING[0], 0.0), SLING], DARK, 5)
        if self.state == "aim":
            hand = (SLING[0] + self.aim[0], SLING[1] + self.aim[1])
            self.renderer.line([SLING, hand], RED, 3)
            self.renderer.discs([hand, *self.path()], [0.22] + [0.05] * 12, [STONE] * 13)
        stones = f"{self.stones} stone{'' if self.stones == 1 else 's'}"
        self.renderer.write(f"level {self.level + 1}   {stones}   score {self.score}", (16, 14), 20)
        self.renderer.write("pull and let go, or arrow keys and Space", (16, 44), 13, QUIET)
        if self.state in ("won", "lost"):
            last = self.level == len(LEVELS) - 1
            words = (
                "No stones left." if self.state == "lost" else "All done!" if last else "Well shot!"
            )
            box = pygame.Rect(SIZE[0] // 2 - 180, 115, 360, 90)
            pygame.draw.rect(self.screen, PAPER, box, border_radius=8)
            pygame.draw.rect(self.screen, mix(PAPER, DARK, 0.3), box, 1, border_radius=8)
            self.renderer.write(words, box.move(0, 16).midtop, 26, anchor="midtop")
            self.renderer.write("click or press Space", box.move(0, 56).midtop, 14, anchor="midtop")
        pygame.display.flip()

    def path(self):
        """Where the stone will be in the first part of its flight."""
        vx, vy = (-SPEED * pull for pull in self.aim)
        half, times = 0.5 * self.world.gravity[1], [0.05 * (k + 1) for k in range(12)]
        return [(SLING[0] + vx * t, SLING[1] + vy * t + half * t * t) for t in times]

    def frame(self):
        for event in pygame.event.get():
            self.handle(event)
        self.update()
        self.draw()


def main():
    try:
        game, clock = Game(), pygame.time.Clock()
    except pygame.error as error:
        sys.exit(f"engine2d: cannot open a window ({error})")
    while game.running:
        game.frame()
        clock.tick(FPS)
    pygame.quit()


if __name__ == "__main__":
    main()
