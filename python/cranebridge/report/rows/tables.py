"""The tables of the report, as texts: verdicts, certificate, errors, ropes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cranebridge.limits import Verdict
from cranebridge.report.report_motion import ShownMotion
from cranebridge.report.rows.least_forces import rope_forces
from cranebridge.report.rows.number_texts import quantity
from cranebridge.report.rows.sentences import detail
from cranebridge.verify import Verified

NONE = "–"


def verdict_rows(verdicts: Iterable[Verdict], partial: str = "") -> list[dict[str, str]]:
    """Return all verdicts; those that did not pass with what was found.

    `partial` is what is to be said of a certificate that passed.
    """
    return [
        {
            "name": verdict.name,
            "status": verdict.status,
            "detail": _detail(verdict, partial),
            "time": _time(verdict.time),
            **{
                key: _number(getattr(verdict, key), verdict.unit)
                for key in ("value", "limit", "margin")
            },
        }
        for verdict in verdicts
    ]


def _detail(verdict: Verdict, partial: str) -> str:
    """Return what is written below a verdict, whose name is above."""
    if not verdict.passed:
        return detail(verdict).removeprefix(f"{verdict.name}: ")
    return partial if verdict.name == "certificate" else ""


def certificate_table(verified: Verified) -> dict[str, Any] | None:
    """Return what of twin and plant was compared and what not; None without a certificate."""
    certificate = verified.certificate
    if certificate is None:
        return None
    compared = [
        {
            "quantity": entry.quantity,
            "difference": quantity(entry.difference, "1", 2),
            "threshold": quantity(entry.threshold, "1", 2),
            "how": entry.how,
            "agrees": entry.agrees,
        }
        for entry in certificate.compared
    ]
    missing = [(entry.quantity, entry.reason) for entry in certificate.not_compared]
    sentence = certificate.sentence().rstrip(".")
    return {
        "status": certificate.status,
        "same": certificate.same,
        "sentence": f"{sentence[:1].upper()}{sentence[1:]}.",
        "compared": compared,
        "not_compared": missing,
        "notes": certificate.notes,
    }


def error_rows(verified: Verified) -> list[dict[str, str]]:
    """Return largest and mean error of each output."""
    tracking = verified.tracking
    if tracking is None:
        return []
    largest, mean = tracking.max_error, tracking.rms_error
    return [
        {
            "name": part.name,
            "meaning": part.meaning,
            "largest": quantity(largest[part.name], part.unit),
            "rms": quantity(mean[part.name], part.unit),
        }
        for part in verified.feedforward.problem.crane.outputs
    ]


def variant_rows(verified: Verified) -> list[dict[str, Any]]:
    """Return the largest errors on other plants, the plant itself first."""
    tracking = verified.tracking
    if tracking is None or not tracking.variants:
        return []
    outputs = verified.feedforward.problem.crane.outputs
    plants: Mapping[str, Mapping[str, float]] = {
        "as modelled": tracking.max_error,
        **tracking.variants,
    }
    return [
        {
            "name": name,
            "errors": [quantity(errors.get(part.name), part.unit) for part in outputs],
            "failed": tracking.failed_variants.get(name, ""),
        }
        for name, errors in plants.items()
    ]


def controller_table(verified: Verified) -> dict[str, Any] | None:
    """Return what the plant does without and with a sampled controller, and what that takes."""
    tracking = verified.tracking
    if tracking is None or not tracking.compared:
        return None
    crane = verified.feedforward.problem.crane
    rows = []
    for name, figures in tracking.compared.items():
        errors = [quantity(figures.max_error.get(part.name), part.unit) for part in crane.outputs]
        peaks = [quantity(figures.peak.get(part.name), part.unit) for part in crane.inputs]
        after = [quantity(x, "m") for x in (figures.residual_swing, figures.lasting_offset)]
        rows.append({"name": name, "values": [*errors, *after, *peaks], "failed": figures.failed})
    return {
        "title": tracking.controller[0],
        "told": tracking.notes,
        "inputs": [part.name for part in crane.inputs],
        "rows": rows,
        "estimated": [one.describe() for one in tracking.estimated],
    }


def loop_tables(verified: Verified) -> dict[str, Any] | None:
    """Return poles and margins of the closed loop; None where they were not looked at."""
    loop = verified.loop
    if loop is None:
        return None
    tables = [(titles, rows) for titles, rows in (loop.pole_table(), loop.margin_table()) if rows]
    sensors = [f"sensors, {line}" for line in loop.observed_lines()]
    return {"title": loop.title, "tables": tables, "notes": [*sensors, *loop.notes]}


def rope_rows(shown: ShownMotion) -> list[dict[str, Any]]:
    """Return the least force of each rope and when."""
    return [
        {
            "name": force.name,
            "meaning": force.meaning,
            "least": quantity(force.least, "N", 4),
            "pushes": force.pushes,
            "time": _time(force.time),
        }
        for force in rope_forces(shown.motion)
    ]


def _number(value: float | None, unit: str) -> str:
    return NONE if value is None else quantity(value, unit, 4)


def _time(time: float | None) -> str:
    return "" if time is None else f"{time:.2f} s"
