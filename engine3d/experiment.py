"""n spheres fall in a hollow sphere: by this engine, and by the textbook method it can be held to.

The textbook method knows translation alone: friction acts at the spheres' centres, in a cone of k
directions; each step is one linear complementarity problem (docs/maths/solver3d.md).
"""

import numpy as np

from engine3d.shape import HollowSphere, Sphere
from engine3d.world import World
from enginecore import lcp

GRAVITY = 9.81  # m/s^2
LEAST, MOST = 0.7, 1.2  # m, radii of spheres
NEWTON_STEPS = 40  # of the textbook method: 95 % of the problems it solves take 17; then Lemke
SOLVED = 1e-6  # residual over the largest entry of b
TRIES = 20000  # places drawn for a sphere before the hollow counts as full


def draw_spheres(n, radius=None, seed=0):
    """Radii (n, m), centres (n x 3, m) and the hollow's radius (m): uniform in it, no overlaps."""
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n!r}")
    rng = np.random.default_rng(seed)
    radii = rng.uniform(LEAST, MOST, n)
    hollow = 2.2 * float((radii**3).sum()) ** (1 / 3) + MOST if radius is None else float(radius)
    if not hollow > radii.max():
        raise ValueError(f"radius must be above {radii.max():g} m, got {radius!r}")
    centers = np.empty((n, 3))
    for k in range(n):
        for _ in range(TRIES):
            way = rng.normal(size=3)
            # the cube root makes places uniform in the ball
            place = way / np.linalg.norm(way) * (hollow - radii[k]) * rng.uniform() ** (1 / 3)
            if (np.linalg.norm(centers[:k] - place, axis=1) > radii[:k] + radii[k]).all():
                centers[k] = place
                break
        else:
            raise ValueError(f"radius {hollow:g} m is too small for {n} spheres without overlaps")
    return radii, centers, hollow


def run(start, seconds, dt=1 / 240, friction=0.5, method="world", directions=4, progress=None):
    """Trajectory as arrays: times, positions, orientations, energy (J), contacts; radii, hollow.

    Of the document's method also "solves": how many problems Newton and Lemke's method solved, and
    the worst residual.
    """
    radii, centers, hollow = start
    steps = round(seconds / dt)
    if method == "world":
        model = EngineModel(radii, centers, hollow, friction)
    elif method == "document":
        model = DocumentModel(radii, centers, hollow, friction, directions)
    else:
        raise ValueError(f"method must be world or document, got {method!r}")
    every = max(1, round(1 / 60 / dt))
    frames = []
    for step in range(steps + 1):
        if step % every == 0 or step == steps:
            x, q = model.places()
            frames.append((step * dt, x.copy(), q.copy(), model.energy(), model.contacts()))
            if progress is not None:
                progress(
                    step / steps if steps else 1.0,
                    f"energy {frames[-1][3]:.4g} J, {frames[-1][4]} contacts",
                )
        if step < steps:
            model.step(dt)
    names = ("times", "positions", "orientations", "energy", "contacts")
    out = {**dict(zip(names, map(np.array, zip(*frames)))), "radii": radii, "hollow": hollow}
    if method == "document":
        out["solves"] = model.solves
    return out


class EngineModel:
    """The spheres as bodies of a World."""

    def __init__(self, radii, centers, hollow, friction):
        self.world = World(gravity=(0, 0, -GRAVITY))
        self.world.add_static(HollowSphere(hollow, friction=friction))
        for radius, center in zip(radii, centers):
            self.world.add_body(Sphere(radius, friction=friction), position=center)

    def step(self, dt):
        self.world.step(dt)

    def places(self):
        return self.world.positions[1:], self.world.orientations[1:]

    def energy(self):
        return self.world.energy.total

    def contacts(self):
        return len(self.world.contacts)


class DocumentModel:
    """Semi-implicit steps of points with radii: v' = v + M^-1 (h f + J^T p), one LCP a step."""

    def __init__(self, radii, centers, hollow, friction, directions):
        if directions < 3:
            raise ValueError(f"directions must be at least 3, got {directions!r}")
        self.radii, self.x, self.hollow = radii, centers.copy(), hollow
        self.mass = 4 / 3 * np.pi * radii**3
        self.v = np.zeros_like(centers)
        self.mu, self.k = friction, directions
        self.found = []
        self.solves = np.zeros(3)  # by Newton, by Lemke; the worst residual

    def find(self):
        """Contacts (i, j, normal into i, gap); j = -1 is the hollow sphere."""
        out = []
        for i in range(len(self.radii)):
            away = np.linalg.norm(self.x[i])
            gap = self.hollow - self.radii[i] - away
            if gap <= 0.0 and away > 0.0:
                out.append((i, -1, -self.x[i] / away, gap))
            for j in range(i):
                apart = self.x[i] - self.x[j]
                size = np.linalg.norm(apart)
                if size <= self.radii[i] + self.radii[j]:
                    out.append((i, j, apart / size, size - self.radii[i] - self.radii[j]))
        return out

    def step(self, dt):
        self.found = self.find()
        n, m, k = len(self.radii), len(self.found), self.k
        v = self.v + dt * np.array((0, 0, -GRAVITY))
        if m:
            J, T = np.zeros((m, 3 * n)), np.zeros((m * k, 3 * n))
            for row, (i, j, normal, _) in enumerate(self.found):
                u = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
                u /= np.linalg.norm(u)
                w = np.cross(normal, u)
                for block, line in [(J[row], normal)] + [
                    (T[row * k + a], np.cos(t) * u + np.sin(t) * w)
                    for a, t in enumerate(2 * np.pi * np.arange(k) / k)
                ]:
                    block[3 * i : 3 * i + 3] += line
                    if j >= 0:
                        block[3 * j : 3 * j + 3] -= line
            v = self.solve(J, T, v.ravel(), dt).reshape(n, 3)
        self.v = v
        self.x = self.x + dt * v

    def solve(self, J, T, v, dt):
        """Velocities after the impulses of [normal, friction, beta]."""
        m, k = len(J), self.k
        weight = np.repeat(1 / self.mass, 3)
        both = np.vstack((J, T))
        A = np.zeros((m * (k + 2),) * 2)
        A[: m * (k + 1), : m * (k + 1)] = (both * weight) @ both.T
        share = np.repeat(np.eye(m), k, axis=0)
        A[m : m * (k + 1), m * (k + 1) :] = share
        A[m * (k + 1) :, :m] = self.mu * np.eye(m)
        A[m * (k + 1) :, m : m * (k + 1)] = -share.T
        # overlaps are taken back within a few steps
        gaps = np.array([gap for _, _, _, gap in self.found])
        b = np.concatenate((J @ v + 0.2 * gaps / dt, T @ v, np.zeros(m)))
        bar = SOLVED * max(1.0, np.abs(b).max())
        answer = lcp.solve(A, b, method="minmap", max_iterations=NEWTON_STEPS)
        stalled = answer.residual > bar
        if stalled:
            answer = lcp.solve(A, b, method="lemke")
        self.solves[int(stalled)] += 1
        self.solves[2] = max(self.solves[2], answer.residual)
        return v + weight * (both.T @ answer.x[: m * (k + 1)])

    def places(self):
        return self.x, np.tile((1.0, 0, 0, 0), (len(self.x), 1))

    def energy(self):
        return float(
            0.5 * (self.mass * (self.v**2).sum(1)).sum()
            + GRAVITY * (self.mass * self.x[:, 2]).sum()
        )

    def contacts(self):
        return len(self.found)
