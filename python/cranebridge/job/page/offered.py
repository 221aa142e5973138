"""What a user can choose from on the command line, name and sentence, as the packages state it."""

from __future__ import annotations

from cranebridge.deliver import FORMATS
from cranebridge.frontend import plant_models
from cranebridge.inverse import COORDINATES, METHODS, SCHEMES
from cranebridge.plan.task import METHODS as PLANNING
from cranebridge.plant import FMI_VERSIONS, PLATFORMS
from cranebridge.study import KINDS
from cranebridge.twin import known_cranes


def choices_of(what: str) -> dict[str, str]:
    """Return the names that can be chosen, with what each is.

    Parameters
    ----------
    what : {"crane", "model", "method", "scheme", "coordinates", "planning", "format", "study", \
"fmi", "platform"}
        Of which kind.
    """
    if what == "crane":
        return known_cranes()
    if what == "model":
        return plant_models()
    words = {
        "method": METHODS,
        "scheme": SCHEMES,
        "coordinates": COORDINATES,
        "planning": PLANNING,
        "format": {name: one.description for name, one in FORMATS.items()},
        "study": dict.fromkeys(KINDS, ""),
        "fmi": {name[0]: sentence for name, sentence in FMI_VERSIONS.items()},
        "platform": dict.fromkeys(PLATFORMS, ""),
    }
    return dict(words[what])
