"""Where the two roads meet: certificate, tracking and error budget."""

from cranebridge.verify.certificate import Certificate, certify
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.tracking import Tracking, verify
from cranebridge.verify.twin import verify_twin

__all__ = ["Certificate", "PlantMap", "Tracking", "certify", "verify", "verify_twin"]
