"""Joints: what two bodies have in common. Each kind is a file of its own behind one table."""

from engine2d.joint.angle_limit import AngleLimit
from engine2d.joint.drag import Drag
from engine2d.joint.gear import Gear
from engine2d.joint.joint import Joint
from engine2d.joint.motor import Motor
from engine2d.joint.pin import Pin
from engine2d.joint.pulley import Pulley
from engine2d.joint.ratchet import Ratchet
from engine2d.joint.rod import Rod
from engine2d.joint.rope import Rope
from engine2d.joint.rotary_spring import RotarySpring
from engine2d.joint.slider import Slider
from engine2d.joint.spring import Spring
from engine2d.joint.weld import Weld
from engine2d.joint.wheel import Wheel

__all__ = [
    "AngleLimit",
    "Drag",
    "Gear",
    "Joint",
    "Motor",
    "Pin",
    "Pulley",
    "Ratchet",
    "Rod",
    "Rope",
    "RotarySpring",
    "Slider",
    "Spring",
    "Weld",
    "Wheel",
]
