"""Where the two roads meet: certificate, tracking and error budget."""

from cranebridge.verify.certificate import Certificate, certify
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.tracking import Tracking, verify

__all__ = ["Certificate", "PlantMap", "Tracking", "certify", "verify"]
