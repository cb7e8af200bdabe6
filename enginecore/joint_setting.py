"""Settings that several kinds of joints share, as properties; all can be changed at any time."""


def setting(field, name, doc):
    """A property of joints: a number that is kept as a field; its name is for errors."""

    def read(self):
        return self._get(field)

    def write(self, value):
        self._set(field, name, value)

    return property(read, write, doc=doc)


def bound(field, doc):
    """A property of joints: a limit of the same name as its field, or None."""

    def read(self):
        return self._get_bound(field)

    def write(self, value):
        self._set(field, field, value)

    return property(read, write, doc=doc)


class Limited:
    """Limits of an angle (rad) or of a way (m)."""

    __slots__ = ()

    low = bound("low", "The least angle (rad) or way (m); None: no limit.")
    high = bound("high", "The largest angle (rad) or way (m); None: no limit.")

    @property
    def limits(self):
        """Both at once."""
        return self.low, self.high

    @limits.setter
    def limits(self, value):
        try:
            low, high = value
        except (TypeError, ValueError):
            raise ValueError(f"limits must be two, low and high, got {value!r}") from None
        self._set_limits(low, high)


class Driven:
    """A motor that turns."""

    __slots__ = ()

    rate = setting("rate", "rate", "Rate that the motor turns body_b against body_a at (rad/s).")
    max_torque = setting(
        "most", "max_torque", "The most that the motor gives (N m); 0: there is no motor."
    )


class DrivenAlong:
    """A motor that pushes along an axis."""

    __slots__ = ()

    rate = setting("rate", "rate", "Speed that the motor moves body_b along the axis at (m/s).")
    max_force = setting(
        "most", "max_force", "The most that the motor gives (N); 0: there is no motor."
    )


class Sprung:
    """A spring and a damper."""

    __slots__ = ()

    stiffness = setting("stiffness", "stiffness", "Of the spring (N/m, or N m/rad where it turns).")
    damping = setting("damping", "damping", "Of the spring (N s/m, or N m s/rad where it turns).")

    def set_hertz(self, hertz, damping_ratio=0.0):
        """Set stiffness and damping by the frequency (Hz) that its two bodies would swing at with
        the masses they have now; damping_ratio 1 is critical."""
        self._set_hertz(hertz, damping_ratio)


class Rubbing:
    """Friction in the joint."""

    __slots__ = ()

    friction = setting(
        "friction", "friction", "Force (N) or torque (N m) that it takes to move it; 0: none."
    )


class Turning:
    """An angle of body_b against body_a."""

    __slots__ = ()

    reference = setting(
        "reference",
        "reference",
        "The angle of body_b minus that of body_a that counts as zero (rad).",
    )

    @property
    def angle(self):
        """Angle of body_b against body_a now (rad), from the reference; turns count."""
        return self._measure() - self.reference


class Long:
    """A length between two anchors."""

    __slots__ = ()

    _least_length = 1e-6  # m: a rod or a rope shorter than this has no direction

    def _between(self, kind, ends, anchors, local_anchors, length, strength, collide_connected):
        """What rods, ropes and springs are told: bodies, anchors, a length, what breaks them."""
        self._start(kind, *ends, *strength, collide_connected)
        self._anchors(*anchors, local_anchors)
        self._reference(length, "length")
        if length is not None:
            self.length = length

    @property
    def length(self):
        """The length that it has or may have (m)."""
        return self._get("reference")

    @length.setter
    def length(self, value):
        self._set("reference", "length", value, self._least_length)

    @property
    def distance(self):
        """How far the anchors are apart now (m)."""
        return self._measure()
