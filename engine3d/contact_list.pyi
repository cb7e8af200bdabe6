from collections.abc import Iterator
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from engine3d.body import Body
from engine3d.body_shape import BodyShape
from engine3d.vector import Vec3

class ContactInfo(NamedTuple):
    """A contact point between two bodies.

    Forces are means over the last step. Those of contacts that support the same load together are
    not unique, only their sum is.
    """

    body_a: Body
    body_b: Body
    shape_a: BodyShape
    shape_b: BodyShape
    point: Vec3
    """m"""
    normal: Vec3
    """Unit, from B into A."""
    gap: float
    """m, < 0 where they overlap."""
    normal_force: float
    """N, >= 0, that pushes them apart along the normal."""
    friction_force: Vec3
    """N, on A."""

@disjoint_base
class ContactList:
    """Contacts that touched in the last step: a sequence of ContactInfo.

    `arrays` has the same as one numpy array with a row for each; bodies and shapes are ids there.
    """

    @property
    def arrays(self) -> NDArray[np.void]:
        """All contacts as one structured array."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> ContactInfo: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[ContactInfo]: ...
    def __iter__(self) -> Iterator[ContactInfo]: ...
