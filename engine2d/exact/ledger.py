"""Where the energy of a world has gone: every joule that a clock moved has an account."""

from collections.abc import Mapping

import numpy as np

# Their order is that of engine2d/solve/books.pxd, which a step writes.
ACCOUNTS = {
    "impacts": "lost in blows",
    "friction": "lost where contacts slide and joints rub",
    "damping": "lost by linear and angular damping",
    "applied": "work of the users' forces and torques",
    "motors": "work of motors in joints",
    "driven": "work of kinematic bodies, of surfaces that run and of bumpers",
    "springs": "lost in the dampers of springs; what springs hold is energy still",
    "normal": "work of what holds contacts and joints: 0 but for extra acceleration in a wide band",
    "projection": "added by holding contacts together",
    "integrator": "left unexplained: errors of integration",
}

PLACES = {name: k for k, name in enumerate(ACCOUNTS)}

# Of the plot: distinct to colour-blind eyes (Paul Tol's "bright").
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


class Ledger(Mapping):
    """Energy by account (J), added up over all calls of step and advance; a mapping from names.

    The accounts add up to the change of world.energy.total that these calls made. `normal`,
    `projection` and `integrator` are no physics: how small they are tells how good the run was.
    """

    def __init__(self, values=None):
        # in the order of ACCOUNTS; a world writes here, and the array stays the same one
        self._sums = np.zeros(len(ACCOUNTS))
        for name, value in (values or {}).items():
            if name not in ACCOUNTS:
                raise ValueError(f"there is no account {name!r}")
            self._sums[PLACES[name]] = float(value)

    def __getitem__(self, name):
        return float(self._sums[PLACES[name]])

    def __iter__(self):
        return iter(ACCOUNTS)

    def __len__(self):
        return len(ACCOUNTS)

    def __repr__(self):
        return f"Ledger({dict(self)!r})"

    @property
    def total(self):
        """Sum of all accounts (J): the change of energy."""
        return float(self._sums.sum())

    def add(self, work):
        """Book work (J) by account."""
        for name, value in work.items():
            self._sums[PLACES[name]] += value

    def clear(self):
        """Begin again at zero."""
        self._sums[:] = 0.0

    @staticmethod
    def plot(history, axes=None):
        """Draw a stacked plot of what each account has taken or given over time; needs matplotlib.

        history: pairs (time in s, the ledger then), as [(world.time, dict(world.ledger)), ...]
        taken after each call. What gives energy is stacked above 0, what takes it below; accounts
        that moved nothing are left out. Returns the axes, new ones unless given.
        """
        rows = [(float(time), dict(sums)) for time, sums in history]
        if len(rows) < 2:
            raise ValueError(f"history must have at least two entries, got {len(rows)}")
        if axes is None:
            from matplotlib.figure import Figure

            axes = Figure(figsize=(8.0, 4.0), layout="constrained").subplots()
        times = [time for time, _ in rows]
        most = max(abs(value) for _, sums in rows for value in sums.values())
        shown = [name for name in ACCOUNTS
                 if max(abs(sums[name]) for _, sums in rows) > 1e-6 * most]  # fmt: skip
        for k, sign in enumerate((1.0, -1.0)):
            parts = [[max(sign * sums[name], 0.0) * sign for _, sums in rows] for name in shown]
            colours = [COLOURS[i % len(COLOURS)] for i in range(len(shown))]
            if parts:
                axes.stackplot(times, parts, colors=colours, labels=shown if k == 0 else ())
        total = [sum(sums.values()) for _, sums in rows]
        axes.plot(times, total, color="black", label="change of energy")
        axes.set(xlabel="time (s)", ylabel="J")
        axes.legend(fontsize="small")
        return axes

    def table(self) -> str:
        """The accounts as lines of text."""
        lines = [f"{name:<12}{value:>16.6e} J  {ACCOUNTS[name]}" for name, value in self.items()]
        return "\n".join([*lines, f"{'sum':<12}{self.total:>16.6e} J  change of energy"])
