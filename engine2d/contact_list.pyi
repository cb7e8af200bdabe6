from collections.abc import Iterator
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from engine2d.body import Body
from engine2d.body_shape import BodyShape
from engine2d.vector import Vec2

class ContactInfo(NamedTuple):
    """A contact point between two bodies.

    Forces are means over the last step. Those of contacts that support the same load together are
    not unique, only their sum is; see docs/maths/fixed_step.md.
    """

    body_a: Body
    body_b: Body
    shape_a: BodyShape
    shape_b: BodyShape
    point: Vec2
    """m"""
    normal: Vec2
    """Unit, from B into A."""
    gap: float
    """m, < 0 where they overlap."""
    normal_force: float
    """N, >= 0, that pushes them apart along the normal."""
    friction_force: float
    """N, on A along z x normal."""
    r1: float
    """m, signed radius of A's edge: corner 0, convex > 0, concave < 0, straight inf."""
    r2: float
    """m, of B's edge."""

@disjoint_base
class ContactList:
    """Contacts that touched in the last step: a sequence of ContactInfo.

    `arrays` has the same as one numpy array with a row for each; bodies and shapes are ids there.
    """

    @property
    def arrays(self) -> NDArray[np.void]:
        """All contacts as one structured array; bodies and shapes are ids there."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> ContactInfo: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[ContactInfo]: ...
    def __iter__(self) -> Iterator[ContactInfo]: ...
