"""From Modelica to equations: one flat model for all who read Modelica."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.frontend.flat_model import (
        Action,
        Algorithm,
        Events,
        Experiment,
        Loops,
        PlantModel,
        Variable,
    )
    from cranebridge.frontend.library import ROOT, library_path, plant_models
    from cranebridge.frontend.model_files import modelica_sources, package_files
    from cranebridge.frontend.modelica_model import load_model, locate
else:
    __getattr__, __dir__ = front(__name__)
