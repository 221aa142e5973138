"""Reading of an FMU's description from its archive; no code of the FMU runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from cranebridge.plant.description.archive import Archive, check_archive
from cranebridge.plant.description.arrays import NOT_NUMBERS
from cranebridge.plant.description.description_xml import (
    Structure2,
    Structure3,
    attribute,
    flag,
    parse_xml,
    states_of,
    unit_definitions,
    variables2,
    variables3,
)
from cranebridge.plant.description.plain_text import plain
from cranebridge.plant.description.plant_info import (
    DescriptionError,
    Interface,
    PlantInfo,
    PlantSignal,
)

__all__ = ["DescriptionError", "Interface", "PlantInfo", "PlantSignal", "describe", "inspect"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}\Z")
_INTERFACES = {"me": "ModelExchange", "cs": "CoSimulation"}


def inspect(path: Path | str, allow: Collection[str] | None = None) -> PlantInfo:
    """Read an FMU's description; no binary is loaded and nothing is unpacked.

    Parameters
    ----------
    path : Path
        The FMU.
    allow : collection of str, optional
        SHA-256 hashes of the only files that may be used.

    Raises
    ------
    ArchiveError
        If the archive is damaged, not safe or not allowed.
    DescriptionError
        If the model description is malformed or of an FMI version that is not supported.
    """
    return describe(check_archive(path, allow))


def describe(archive: Archive, structure: Mapping[str, float] | None = None) -> PlantInfo:
    """Read the description of an FMU whose archive has been checked.

    Parameters
    ----------
    archive : Archive
        The archive.
    structure : mapping of str to float, optional
        Values of structural parameters other than their start values; arrays get their sizes.
    """
    try:
        return _describe(archive, parse_xml(archive.description), structure or {})
    except DescriptionError as error:
        raise DescriptionError(f"modelDescription.xml of '{archive.path}': {error}") from None


def _describe(archive: Archive, root: Element, values: Mapping[str, float]) -> PlantInfo:
    if root.tag != "fmiModelDescription":
        raise DescriptionError(f"the root element is {root.tag[:100]!a}.")
    version = _version(root)
    variables = (variables2 if version == "2.0" else variables3)(root, values)
    signals = variables.elements()
    structure = (Structure2 if version == "2.0" else Structure3)(root, variables)
    states, rates = states_of(structure.derivatives(), variables)
    me, cs = (root.find(element) for element in _INTERFACES.values())
    first = me if me is not None else cs
    if first is None and root.find("ScheduledExecution") is not None:
        raise DescriptionError(
            "only Scheduled Execution, which is not supported: export it with Model Exchange or "
            "Co-Simulation."
        )
    if first is None:
        raise DescriptionError("neither Model Exchange nor Co-Simulation.")
    interpolates = cs is not None and version == "2.0" and flag(cs, "canInterpolateInputs")
    return PlantInfo(
        name=plain(attribute(root, "modelName")),
        fmi_version=version,
        path=archive.path,
        sha256=archive.sha256,
        states=states,
        derivatives=rates,
        inputs=_of(signals, "input"),
        outputs=_of(signals, "output"),
        parameters=_of(signals, "parameter"),
        structural=_of(signals, "structuralParameter"),
        variables=tuple(signals),
        arrays=variables.shapes,
        structure=dict(values),
        has_me=me is not None,
        has_cs=cs is not None,
        can_get_derivatives=any(
            flag(first, f"providesDirectionalDerivative{suffix}") for suffix in ("", "s")
        ),
        max_input_derivative_order=int(interpolates),
        generation_tool=plain(attribute(root, "generationTool")),
        guid=attribute(root, "guid" if version == "2.0" else "instantiationToken"),
        description=plain(attribute(root, "description"), 10_000),
        identifiers=_identifiers(root),
        event_indicators=structure.event_indicators(),
        needs_completed_step=me is not None and _needs_completed_step(me, version),
        variable_step=cs is not None and flag(cs, "canHandleVariableCommunicationStepSize"),
        intermediate_update=_can(cs, version, "providesIntermediateUpdate"),
        early_return=_can(cs, version, "mightReturnEarlyFromDoStep"),
        event_mode=_can(cs, version, "hasEventMode"),
        restores_state=cs is not None
        and any(flag(cs, f"canGetAndSetFMU{word}") for word in ("state", "State")),
        output_dependencies=structure.dependencies("output", "input"),
        initial_dependencies=structure.dependencies("initial", "parameter"),
        log_categories=tuple(
            attribute(item, "name") for item in root.iterfind("LogCategories/Category")
        ),
        units=unit_definitions(root),
        # both interfaces are one binary most of the time, and share what it can have once only
        once_per_process=any(
            element is not None and flag(element, "canBeInstantiatedOnlyOncePerProcess")
            for element in (me, cs)
        ),
    )


def _version(root: Element) -> str:
    text = attribute(root, "fmiVersion")
    if text == "2.0":
        return "2.0"
    if re.match(r"3\.0(\.|\Z)", text):
        return "3.0"
    raise DescriptionError(f"FMI version {text[:50]!a} is not supported; 2.0 and 3.0 are.")


def _identifiers(root: Element) -> dict[str, str]:
    identifiers = {}
    for key, tag in _INTERFACES.items():
        element = root.find(tag)
        if element is None:
            continue
        name = attribute(element, "modelIdentifier")
        # It becomes a file name: anything but a C identifier could lead elsewhere.
        if not _IDENTIFIER.match(name):
            raise DescriptionError(f"the model identifier {name[:100]!a} is no C identifier.")
        identifiers[key] = name
    return identifiers


def _can(cs: Element | None, version: str, name: str) -> bool:
    """Whether Co-Simulation has a capability of FMI 3."""
    return cs is not None and version == "3.0" and flag(cs, name)


def _needs_completed_step(me: Element, version: str) -> bool:
    if version == "2.0":
        return not flag(me, "completedIntegratorStepNotNeeded")
    return flag(me, "needsCompletedIntegratorStep")


def _of(signals: Iterable[PlantSignal], causality: str) -> tuple[PlantSignal, ...]:
    """Numerical variables of a causality."""
    return tuple(
        signal
        for signal in signals
        if signal.causality == causality and signal.type not in NOT_NUMBERS
    )
