from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

_Handler = TypeVar("_Handler", bound=Callable[[ContactEvent], Any])

class ContactEvent(NamedTuple):
    """What a handler is called with; point, normal, speed and impulse are of hits, else zero."""

    body_a: Any
    body_b: Any
    shape_a: Any
    shape_b: Any
    point: tuple[float, float, float]
    """m"""
    normal: tuple[float, float, float]
    """Unit, from B into A."""
    speed: float
    """m/s, of approach."""
    impulse: float
    """N s, of the contact in the whole step."""

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

    @property
    def begins(self) -> NDArray[np.void]:
        """Shapes that began to touch."""
    @property
    def ends(self) -> NDArray[np.void]:
        """Shapes that ceased to touch, or of which one was removed."""
    @property
    def hits(self) -> NDArray[np.void]:
        """Contacts that struck."""
    def on_begin(self, handler: _Handler) -> _Handler:
        """Have handler(ContactEvent) called after each step for every begin; returns handler."""
    def on_end(self, handler: _Handler) -> _Handler:
        """The same for ends; a removed body's handle is given as it was."""
    def on_hit(self, handler: _Handler) -> _Handler:
        """The same for hits."""
    def remove_handler(self, handler: Callable[[ContactEvent], Any]) -> None:
        """Call a handler no more."""
