"""Pictures put shapes and contacts where they are."""

import math
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from engine2d import Box, Circle, Path, Segment, svg


class Contact(NamedTuple):
    point: tuple[float, float]
    normal: tuple[float, float]


def numbers_of(text):
    return [float(word) for word in text.replace(",", " ").split()]


def test_a_pose_moves_and_turns_an_outline():
    assert svg.outline(Segment((0, 0), (2, 0)), (5.0, 1.0, math.pi / 2)) == "M5 1 L5 3"
    # the arc keeps its radius and the way it turns
    half = Path([(-1, 0), (1, 0)], [1, 0])
    start, arc, *_ = svg.outline(half, (0.0, 0.0, math.pi)).split("A")
    assert numbers_of(start[1:])[0] == 1.0
    assert numbers_of(arc.split("L")[0])[:5] == [1, 1, 0, 0, 1]


def test_a_contact_is_a_dot_and_an_arrow_along_its_normal():
    root = ElementTree.fromstring(svg.arrow(Contact((1.0, 2.0), (0.6, 0.8)), 0.5))
    dot, head = root.find("circle"), numbers_of(root.find("polygon").get("points"))
    assert (float(dot.get("cx")), float(dot.get("cy"))) == (1.0, 2.0)
    assert head[2:4] == pytest.approx([1.3, 2.4])


def test_the_picture_holds_all_shapes_at_their_poses():
    poses = [(0.0, 0.0, 0.0), (10.0, -3.0, 0.7)]
    touching = [Contact((5.0, 0.0), (1.0, 0.0))]
    text = svg.draw([Circle(1), Box(2, 1)], poses=poses, contacts=touching)
    root = ElementTree.fromstring(text)
    x, y, width, height = numbers_of(root.get("viewBox"))
    corners = svg.place(Box(2, 1), poses[1])
    assert x < -1
    assert x + width > corners[:, 0].max()
    assert y < -1
    assert y + height > -corners[:, 1].min()
    assert len(root.findall(".//{*}circle")) == 1


def test_bounds_at_a_pose_hold_the_points():
    low, high = svg.bound(Box(2, 1), (3.0, 4.0, 1.0))
    points = svg.place(Box(2, 1), (3.0, 4.0, 1.0))
    assert np.allclose(low, points.min(axis=0))
    assert np.allclose(high, points.max(axis=0))


def test_as_many_poses_as_shapes():
    with pytest.raises(ValueError, match="poses must be as many as shapes, 2, got 1"):
        svg.draw([Circle(1), Circle(2)], poses=[(0, 0, 0)])
