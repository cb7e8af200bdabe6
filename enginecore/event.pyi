from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

class ContactEvent(NamedTuple):
    """What handlers of begins and ends are called with; there is no one point to these."""

    body_a: Any
    body_b: Any
    shape_a: Any
    shape_b: Any
    point: Any = None
    normal: Any = None
    speed: float = 0.0
    impulse: float = 0.0

class HitEvent(NamedTuple):
    """What handlers of hits are called with."""

    body_a: Any
    body_b: Any
    shape_a: Any
    shape_b: Any
    point: Any
    """m, at the moment of the blow; of several in the step, the fastest."""
    normal: Any
    """Unit, from B into A, at that moment."""
    speed: float
    """m/s, of approach."""
    impulse: float
    """N s, of the contact in the whole step."""

class JointEnd(NamedTuple):
    """A joint that is no more; reason: removed, body removed or broken."""

    joint: Any
    reason: str

@disjoint_base
class EventStore:
    """The events of the last step, as arrays, and the handlers that are called with them.

    begin, end: two shapes began or ceased to touch. hit: they struck each other. Each is a numpy
    array with the fields body_a, body_b, shape_a, shape_b (ids) and, for hits, point (m), normal
    (from B into A), speed of approach (m/s) and impulse (N s), in the order of shape ids.
    World.body gives the body of an id.

    Handlers are called when the step is over, in the order they were added, and may change the
    world in any way, but not step it. If any raises, the others are called all the same, and the
    first error goes to the caller of step.
    """

    def __init__(self, bodies: list[Any], shapes: Any, vector: Any = ...) -> None: ...
    @property
    def begins(self) -> NDArray[np.void]:
        """Shapes that began to touch."""
    @property
    def ends(self) -> NDArray[np.void]:
        """Shapes that ceased to touch, or of which one was removed."""
    @property
    def hits(self) -> NDArray[np.void]:
        """Contacts that struck."""
    @property
    def joint_ends(self) -> list[Any]:
        """Joints that broke in the last step, or were removed before it: a list of JointEnd."""
    def on_joint_end(self, handler: Any) -> Any:
        """Have handler(JointEnd) called after each step for every joint that is no more."""
    def on_begin(self, handler: Any = None, *, tags: Any = None) -> Any:
        """Have handler(ContactEvent) called after each step for every begin; returns handler.

        tags=(a, b): only for shapes with these tags, A and B in this order; None: any shape.
        Without a handler it is a decorator: @world.events.on_begin(tags=("ball", "goal")).
        """
    def on_end(self, handler: Any = None, *, tags: Any = None) -> Any:
        """The same for ends; a removed body's handle is given as it was."""
    def on_hit(self, handler: Any = None, *, tags: Any = None) -> Any:
        """The same for hits, with a HitEvent."""
    def remove_handler(self, handler: Any) -> None:
        """Call a handler no more, not for what is left of the last step either."""

def event_dtype(axes: int, last: str) -> np.dtype[np.void]:
    """Events of a world with so many axes, up to the field `last`."""

def read_tags(tags: Any) -> tuple[int | str | None, int | str | None]:
    """Two tags at the API boundary; None stands for any."""
