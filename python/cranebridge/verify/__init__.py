"""Where the two roads meet: certificate, tracking and error budget."""

from cranebridge.verify.certificate import Certificate
from cranebridge.verify.comparison import certify
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.on_plant import track_plant
from cranebridge.verify.on_twin import track_twin
from cranebridge.verify.settings import DriveLoop, Feedback, Sensing, Settings
from cranebridge.verify.tracking import Tracking
from cranebridge.verify.verified import PlantFacts, Verified

__all__ = [
    "Certificate",
    "DriveLoop",
    "Feedback",
    "PlantFacts",
    "PlantMap",
    "Sensing",
    "Settings",
    "Tracking",
    "Verified",
    "certify",
    "track_plant",
    "track_twin",
]
