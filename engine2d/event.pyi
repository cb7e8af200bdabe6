from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from engine2d.body import Body
from engine2d.body_shape import BodyShape
from engine2d.joint import Joint
from engine2d.vector import Vec2

_Handler = TypeVar("_Handler", bound=Callable[[ContactEvent], Any])
_HitHandler = TypeVar("_HitHandler", bound=Callable[[HitEvent], Any])
_Tags: TypeAlias = tuple[int | str | None, int | str | None]

class ContactEvent(NamedTuple):
    """What handlers of begins and ends are called with; there is no one point to these."""

    body_a: Body
    body_b: Body
    shape_a: BodyShape
    shape_b: BodyShape
    point: Vec2 | None = None
    normal: Vec2 | None = None
    speed: float = 0.0
    impulse: float = 0.0

class HitEvent(NamedTuple):
    """What handlers of hits are called with."""

    body_a: Body
    body_b: Body
    shape_a: BodyShape
    shape_b: BodyShape
    point: Vec2
    """m, at the moment of the blow; of several in the step, the fastest."""
    normal: Vec2
    """Unit, from B into A, at that moment."""
    speed: float
    """m/s, of approach."""
    impulse: float
    """N s, of the contact in the whole step."""

class JointEnd(NamedTuple):
    """A joint that is no more; reason: removed, body removed or broken."""

    joint: Joint
    reason: str

@disjoint_base
class EventStore:
    """The events of the last step, as arrays, and the handlers that are called with them.

    begin, end: two shapes began or ceased to touch. hit: they struck each other. Each is a numpy
    array with the fields body_a, body_b, shape_a, shape_b (ids) and, for hits, point (m), normal
    (from B into A), speed of approach (m/s) and impulse (N s), in the order of shape ids.
    World.body gives the body of an id. After World.advance hits have, in the order of time, also
    time (s), friction (N s, impulse on A along z x normal), loss (J), settles (s: when endless
    bouncing is over that this blow cut short, else NaN) and branch (of the closed form; -1: solved
    together with others; -2: an impulse without collision).

    Handlers are called when the step is over, in the order they were added, and may change the
    world in any way, but not step it. If any raises, the others are called all the same, and the
    first error goes to the caller of step.
    """

    def __init__(self, store: Any) -> None: ...
    changes: NDArray[np.void]
    """What contacts and joints did under World.advance: time (s), what, body_a, body_b (ids; -1:
    the world), point (m). what: begins, leaves, slips, sticks, rolls and halts (where rolling is
    resisted), feature (passes on to another edge, corner or arc); of joints limit (one is met),
    taut, frees (no longer bears), slips and sticks (of motors), tooth, breaks."""
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
    def joint_ends(self) -> list[JointEnd]:
        """Joints that broke in the last step, or were removed before it: a list of JointEnd."""
    def on_joint_end(self, handler: Callable[[JointEnd], Any]) -> Callable[[JointEnd], Any]:
        """Have handler(JointEnd) called after each step for every joint that is no more."""
    @overload
    def on_begin(self, handler: _Handler, *, tags: _Tags | None = None) -> _Handler: ...
    @overload
    def on_begin(self, handler: None = None, *, tags: _Tags) -> Callable[[_Handler], _Handler]:
        """Have handler(ContactEvent) called after each step for every begin; returns handler.

        tags=(a, b): only for shapes with these tags, A and B in this order; None: any shape.
        Without a handler it is a decorator: @world.events.on_begin(tags=("ball", "goal")).
        """
    @overload
    def on_end(self, handler: _Handler, *, tags: _Tags | None = None) -> _Handler: ...
    @overload
    def on_end(self, handler: None = None, *, tags: _Tags) -> Callable[[_Handler], _Handler]:
        """The same for ends; a removed body's handle is given as it was."""
    @overload
    def on_hit(self, handler: _HitHandler, *, tags: _Tags | None = None) -> _HitHandler: ...
    @overload
    def on_hit(self, handler: None = None, *, tags: _Tags) -> Callable[[_HitHandler], _HitHandler]:
        """The same for hits, with a HitEvent."""
    def remove_handler(self, handler: Callable[..., Any]) -> None:
        """Call a handler no more, not for what is left of the last step either."""
