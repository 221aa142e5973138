"""The content of ``summary.json``, made from what was verified."""

from __future__ import annotations

from typing import Any

from cranebridge.scenario import Scenario
from cranebridge.verify import Verified
from cranebridge.version_info import versions


def summary(scenario: Scenario, verified: Verified) -> dict[str, Any]:
    """Return the content of ``summary.json``; keys that do not apply are absent."""
    solution = verified.feedforward
    result: dict[str, Any] = {
        "scenario": scenario.name,
        "crane": scenario.crane.name,
        "method": scenario.tables.solve.method,
        "step": scenario.tables.solve.step,
        "status": verified.status,
        "structure": verified.structure.as_dict(),
        "solve": {
            "how": solution.method,
            "points": solution.points,
            "max_residual": solution.max_residual,
            "residuals": solution.residual,
            "order": solution.order,
            "interpolation_order": solution.interpolation_order,
            "seconds": solution.seconds,
            "notes": list(solution.notes),
        },
    }
    if scenario.planned is not None:
        result["plan"] = scenario.planned.as_dict()
    result |= solution.moving_states()
    if solution.friction is not None:
        result["friction"] = dict(solution.friction)
    if solution.internal is not None:
        result["internal_dynamics"] = dict(solution.internal)
    if verified.plant is not None:
        plant = verified.plant
        result["plant"] = {
            "fmu": plant.name,
            "sha256": plant.sha256,
            "interface": plant.interface,
            "twin": plant.interface == "twin",
        }
        if plant.backend:
            result["plant"]["backend"] = plant.backend
        if plant.units:
            result["plant"]["units"] = list(plant.units)
        if plant.containment is not None:
            result["plant"]["containment"] = plant.containment.as_dict()
    if verified.certificate is not None:
        result["certificate"] = verified.certificate.as_dict()
    if verified.notice:
        result["certificate_notice"] = verified.notice
    if verified.loop is not None:
        result["control"] = verified.loop.as_dict()
    if verified.tracking is not None:
        result["tracking"] = verified.tracking.as_dict()
    result["verdicts"] = [verdict.as_dict() for verdict in verified.verdicts]
    result["versions"] = versions()
    return result
