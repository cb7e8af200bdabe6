"""What several test files share: golden files, families of impacts, mechanics by hand."""

import functools
import json
from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

GOLDEN = Path(__file__).parent / "golden"


def load_golden(name):
    """The parsed contents of tests/golden/NAME.json."""
    return json.loads((GOLDEN / f"{name}.json").read_text())


MET = Counter()  # cases of the test under way that got as far as an assertion, by name


def counts(**least):
    """Above @given: fail unless the examples met each name in MET so many times.

    A law that is asked under a condition is worth something only if the condition holds.
    """

    def wrap(test):
        @functools.wraps(test)
        def run(*args, **options):
            MET.clear()
            test(*args, **options)
            for name, wanted in least.items():
                assert MET[name] >= wanted, f"{name}: {MET[name]} cases, expected {wanted}"

        return run

    return wrap


def numbers(low, high):
    """Floats in [low, high], but none so small that its square is lost in a sum of squares."""
    return st.floats(low, high).map(lambda x: x if abs(x) > 1e-60 else 0.0)


def powers(low, high):
    """Positive numbers, spread evenly over the decades from 10**low to 10**high."""
    return numbers(low, high).map(lambda exponent: 10.0**exponent)


def vectors(width, size):
    """Vectors with each component in [-size, size]."""
    return st.lists(numbers(-size, size), min_size=width, max_size=width).map(np.array)


def unit(vector):
    return vector / np.linalg.norm(vector)


def spin(w, r):
    """w x r in the plane (w a number) or in space."""
    return np.array([-w * r[1], w * r[0]]) if len(r) == 2 else np.cross(w, r)


def moment(r, p):
    """r x p in the plane (a number) or in space."""
    return r[0] * p[1] - r[1] * p[0] if len(r) == 2 else np.cross(r, p)


def is_fixed(mass):
    return mass is None or np.isinf(mass)


class Mechanics:
    """Textbook quantities of one impact, from its input (a dict) and its outcome."""

    def __init__(self, given, impact):
        self.given, self.impact = given, impact
        self.f = np.asarray(given["f"], float)

    def body(self, which, after):
        """m, I, r, v, w of body "A" or "B"."""
        g = self.given
        source = self.impact._asdict() if after else g
        return (
            g["m" + which],
            g["I" + which],
            np.asarray(g["r" + which], float),
            np.asarray(source["v" + which], float),
            np.asarray(source["w" + which], float),
        )

    def contact_velocity(self, after):
        """Velocity of A relative to B at the contact."""
        (_, _, ra, va, wa), (_, _, rb, vb, wb) = self.body("A", after), self.body("B", after)
        return va + spin(wa, ra) - vb - spin(wb, rb)

    def speed_scale(self):
        """The sum of the speeds that meet at the contact: what rounding is relative to."""
        return sum(
            np.linalg.norm(v) + np.linalg.norm(w) * np.linalg.norm(r)
            for after in (False, True)
            for _, _, r, v, w in (self.body("A", after), self.body("B", after))
        )

    def momentum(self, after):
        return sum(m * v for m, _, _, v, _ in (self.body("A", after), self.body("B", after)))

    def momentum_scale(self):
        return sum(
            m * np.linalg.norm(v)
            for after in (False, True)
            for m, _, _, v, _ in (self.body("A", after), self.body("B", after))
        )

    def angular_momentum(self, which, after):
        """Of one movable body about the contact: the impact exerts no moment about it."""
        m, I, r, v, w = self.body(which, after)
        return np.dot(I, w) - m * moment(r, v)

    def angular_scale(self, which):
        return sum(
            np.linalg.norm(I) * np.linalg.norm(w) + m * np.linalg.norm(r) * np.linalg.norm(v)
            for after in (False, True)
            for m, I, r, v, w in [self.body(which, after)]
        )

    def frame(self):
        """Velocity of an immovable body at the contact; zero if there is none."""
        for which in "AB":
            m, _, r, v, w = self.body(which, False)
            if is_fixed(m):
                return v + spin(w, r)
        return np.zeros(len(self.f))

    def energy(self, after):
        """Kinetic energy of the movable bodies, seen from an immovable one's contact point."""
        frame = self.frame()
        return sum(
            0.5 * m * np.dot(v - frame, v - frame) + 0.5 * np.dot(w, np.dot(I, w))
            for m, I, _, v, w in (self.body("A", after), self.body("B", after))
            if not is_fixed(m)
        )

    def energy_scale(self):
        """What energy is rounded relative to: that of the speeds as they are given."""
        frame = np.linalg.norm(self.frame())
        return sum(
            0.5 * m * (np.linalg.norm(v) + frame) ** 2
            + 0.5 * np.linalg.norm(I) * np.linalg.norm(w) ** 2
            for after in (False, True)
            for m, I, _, v, w in (self.body("A", after), self.body("B", after))
            if not is_fixed(m)
        )

    def normal_impulse(self):
        return float(np.dot(self.impact.p, self.f))

    def tangential_impulse(self):
        p = np.asarray(self.impact.p)
        return float(np.linalg.norm(p - np.dot(p, self.f) * self.f))


def outcome(impact):
    """All velocities after an impact, in one array."""
    return np.concatenate([np.ravel(x) for x in (impact.vA, impact.wA, impact.vB, impact.wB)])


def make_approaching(arguments):
    """Turn the motions of an impact round if its contact opens."""
    if Mechanics(arguments, None).contact_velocity(False) @ arguments["f"] < 0.0:
        return arguments
    return {
        name: -value if name in ("vA", "wA", "vB", "wB") else value
        for name, value in arguments.items()
    }
