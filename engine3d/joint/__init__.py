"""Joints: what two bodies have in common. One file a kind, behind one table (joint.pxd)."""

from engine3d.joint.ball import Ball
from engine3d.joint.drag import Drag
from engine3d.joint.hinge import Hinge
from engine3d.joint.joint import Joint
from engine3d.joint.rod import Rod
from engine3d.joint.rope import Rope
from engine3d.joint.slider import Slider
from engine3d.joint.spring import Spring
from engine3d.joint.weld import Weld

# in the order of joint.pxd
KINDS = (Ball, Hinge, Weld, Slider, Rod, Rope, Spring, Drag)

__all__ = ["Ball", "Drag", "Hinge", "Joint", "Rod", "Rope", "Slider", "Spring", "Weld"]
