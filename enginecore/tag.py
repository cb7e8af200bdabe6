"""Tags: what users call shapes, so that handlers of events can be told apart by them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

LONGEST = 100  # characters: tags are names, not data
GREATEST = 0x7FFFFFFF


def read_tag(value: Any) -> int | str:
    """A tag at the door: a small integer or a short string."""
    if isinstance(value, str) and len(value) <= LONGEST:
        return str(value)
    if (
        isinstance(value, (int, np.integer))
        and not isinstance(value, bool)
        and abs(int(value)) <= GREATEST
    ):
        return int(value)
    raise ValueError(
        f"tag must be a string of at most {LONGEST} characters or an integer "
        f"within +-{GREATEST}, got {value!r}"
    )


def read_tags(tags: Any) -> tuple[int | str | None, int | str | None]:
    """Two tags at the door; None stands for any."""
    if not isinstance(tags, (tuple, list)) or len(tags) != 2:
        raise ValueError(f"tags must be two tags (a, b), got {tags!r}")
    first, second = (None if tag is None else read_tag(tag) for tag in tags)
    return first, second


def in_order(told: list[Any], tags: tuple[int | str | None, int | str | None]) -> Iterator[Any]:
    """The events between shapes of two tags, turned so that A has the first."""
    first, second = tags
    for event in told:
        a, b = event.shape_a.tag, event.shape_b.tag
        if (first is None or a == first) and (second is None or b == second):
            yield event
        elif (first is None or b == first) and (second is None or a == second):
            yield event._replace(
                body_a=event.body_b,
                body_b=event.body_a,
                shape_a=event.shape_b,
                shape_b=event.shape_a,
                normal=None if event.normal is None else -event.normal,
            )
