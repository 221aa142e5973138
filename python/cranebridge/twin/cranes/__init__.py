"""The built-in cranes, a file each."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.cranes.body_gantry import BodyGantry
    from cranebridge.twin.cranes.bridge import BridgeCrane
    from cranebridge.twin.cranes.cablev import Cablev
    from cranebridge.twin.cranes.cylinder_crane import CylinderCrane
    from cranebridge.twin.cranes.double_pendulum import DoublePendulumCrane
    from cranebridge.twin.cranes.flexible_jib import FlexibleJibCrane
    from cranebridge.twin.cranes.gantry import GantryCrane
    from cranebridge.twin.cranes.knuckle_boom import KnuckleBoom
    from cranebridge.twin.cranes.luffing_jib import LuffingJibCrane
    from cranebridge.twin.cranes.navy2d import NavyCrane2D
    from cranebridge.twin.cranes.navy2d_pulley import NavyCrane2DPulley
    from cranebridge.twin.cranes.navy3d import NavyCrane3D
    from cranebridge.twin.cranes.navy3d_pulley import NavyCrane3DPulley
    from cranebridge.twin.cranes.overhead import OverheadCrane
    from cranebridge.twin.cranes.portal import PortalCrane
    from cranebridge.twin.cranes.quadrotor import QuadrotorWithLoad
    from cranebridge.twin.cranes.rotary import RotaryCrane
    from cranebridge.twin.cranes.rotary_redundant import RotaryCraneRedundant
    from cranebridge.twin.cranes.rotary_rotationless import RotaryCraneRotationless
    from cranebridge.twin.cranes.rpr import RprManipulator
    from cranebridge.twin.cranes.spreader import SpreaderCrane
    from cranebridge.twin.cranes.two_mass import TwoMassOscillator
else:
    __getattr__, __dir__ = front(__name__)
