"""Settings that several kinds of joints share, as properties; all can be changed at any time."""


class Limited:
    """Limits of an angle (rad) or of a way (m)."""

    __slots__ = ()

    @property
    def low(self):
        """The least angle (rad) or way (m); None: no limit."""
        return self._get_bound("low")

    @low.setter
    def low(self, value):
        self._set("low", "low", value)

    @property
    def high(self):
        """The largest angle (rad) or way (m); None: no limit."""
        return self._get_bound("high")

    @high.setter
    def high(self, value):
        self._set("high", "high", value)

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

    @property
    def rate(self):
        """Rate that the motor turns body_b against body_a at (rad/s)."""
        return self._get("rate")

    @rate.setter
    def rate(self, value):
        self._set("rate", "rate", value)

    @property
    def max_torque(self):
        """The most that the motor gives (N m); 0: there is no motor."""
        return self._get("most")

    @max_torque.setter
    def max_torque(self, value):
        self._set("most", "max_torque", value)


class DrivenAlong:
    """A motor that pushes along an axis."""

    __slots__ = ()

    @property
    def rate(self):
        """Speed that the motor moves body_b along the axis at (m/s)."""
        return self._get("rate")

    @rate.setter
    def rate(self, value):
        self._set("rate", "rate", value)

    @property
    def max_force(self):
        """The most that the motor gives (N); 0: there is no motor."""
        return self._get("most")

    @max_force.setter
    def max_force(self, value):
        self._set("most", "max_force", value)


class Sprung:
    """A spring and a damper."""

    __slots__ = ()

    @property
    def stiffness(self):
        """Of the spring (N/m, or N m/rad where it turns)."""
        return self._get("stiffness")

    @stiffness.setter
    def stiffness(self, value):
        self._set("stiffness", "stiffness", value)

    @property
    def damping(self):
        """Of the spring (N s/m, or N m s/rad where it turns)."""
        return self._get("damping")

    @damping.setter
    def damping(self, value):
        self._set("damping", "damping", value)

    def set_hertz(self, hertz, damping_ratio=0.0):
        """Set stiffness and damping by the frequency (Hz) that its two bodies would swing at with
        the masses they have now; damping_ratio 1 is critical."""
        self._set_hertz(hertz, damping_ratio)


class Rubbing:
    """Friction in the joint."""

    __slots__ = ()

    @property
    def friction(self):
        """Force (N) or torque (N m) that it takes to move it; 0: none."""
        return self._get("friction")

    @friction.setter
    def friction(self, value):
        self._set("friction", "friction", value)


class Turning:
    """An angle of body_b against body_a."""

    __slots__ = ()

    @property
    def reference(self):
        """The angle of body_b minus that of body_a that counts as zero (rad)."""
        return self._get("reference")

    @reference.setter
    def reference(self, value):
        self._set("reference", "reference", value)

    @property
    def angle(self):
        """Angle of body_b against body_a now (rad), from the reference; turns count."""
        return self._measure() - self.reference


class Long:
    """A length between two anchors."""

    __slots__ = ()
    _least_length = 1e-6  # m: a rod or a rope shorter than this has no direction

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
