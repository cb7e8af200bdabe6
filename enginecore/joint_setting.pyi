def setting(field: str, name: str, doc: str) -> property:
    """A property of joints: a number that is kept as a field; its name is for errors."""

def bound(field: str, doc: str) -> property:
    """A property of joints: a limit of the same name as its field, or None."""

class Limited:
    """Limits of an angle (rad) or of a way (m)."""

    @property
    def low(self) -> float | None:
        """The least angle (rad) or way (m); None: no limit."""
    @low.setter
    def low(self, value: float | None) -> None: ...
    @property
    def high(self) -> float | None:
        """The largest angle (rad) or way (m); None: no limit."""
    @high.setter
    def high(self, value: float | None) -> None: ...
    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Both at once."""
    @limits.setter
    def limits(self, value: tuple[float | None, float | None]) -> None: ...

class Driven:
    """A motor that turns."""

    @property
    def rate(self) -> float:
        """Rate that the motor turns body_b against body_a at (rad/s)."""
    @rate.setter
    def rate(self, value: float) -> None: ...
    @property
    def max_torque(self) -> float:
        """The most that the motor gives (N m); 0: there is no motor."""
    @max_torque.setter
    def max_torque(self, value: float) -> None: ...

class DrivenAlong:
    """A motor that pushes along an axis."""

    @property
    def rate(self) -> float:
        """Speed that the motor moves body_b along the axis at (m/s)."""
    @rate.setter
    def rate(self, value: float) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that the motor gives (N); 0: there is no motor."""
    @max_force.setter
    def max_force(self, value: float) -> None: ...

class Sprung:
    """A spring and a damper."""

    @property
    def stiffness(self) -> float:
        """Of the spring (N/m, or N m/rad where it turns)."""
    @stiffness.setter
    def stiffness(self, value: float) -> None: ...
    @property
    def damping(self) -> float:
        """Of the spring (N s/m, or N m s/rad where it turns)."""
    @damping.setter
    def damping(self, value: float) -> None: ...
    def set_hertz(self, hertz: float, damping_ratio: float = 0.0) -> None:
        """Set stiffness and damping by the frequency (Hz) that its two bodies would swing at with
        the masses they have now; damping_ratio 1 is critical."""

class Rubbing:
    """Friction in the joint."""

    @property
    def friction(self) -> float:
        """Force (N) or torque (N m) that it takes to move it; 0: none."""
    @friction.setter
    def friction(self, value: float) -> None: ...

class Turning:
    """An angle of body_b against body_a."""

    @property
    def reference(self) -> float:
        """The angle of body_b minus that of body_a that counts as zero (rad)."""
    @reference.setter
    def reference(self, value: float) -> None: ...
    @property
    def angle(self) -> float:
        """Angle of body_b against body_a now (rad), from the reference; turns count."""

class Long:
    """A length between two anchors."""

    @property
    def length(self) -> float:
        """The length that it has or may have (m)."""
    @length.setter
    def length(self, value: float) -> None: ...
    @property
    def distance(self) -> float:
        """How far the anchors are apart now (m)."""
