"""Units of a plant's variables: declared by its FMU or stated in ``plant.map.units``.

The twin, the scenario and all results are in SI units. A variable of the plant in other units is
converted where it is read or given: ``value in SI = factor * value + offset``. A unit is looked up
in the FMU's own definitions first, then in a table of usual ones. What is not declared, or not
known, is taken for SI, and that is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cranebridge.errors import InputError, unknown
from cranebridge.plant.description import PlantInfo, Unit, usual_unit
from cranebridge.plant.protocol import Controls, Drives

# Names in one note; the others are counted.
SHOWN = 8
# Two definitions of one unit that differ by more are not the same unit.
SAME = 1e-6
_SI = Unit()


@dataclass(frozen=True, eq=False)
class PlantUnits:
    """How the values of a plant's variables relate to SI units.

    Parameters
    ----------
    info : PlantInfo
        The plant.
    stated : mapping of str to str
        Units by variable, in place of what the plant declares.

    Raises
    ------
    InputError
        If a variable or a unit that is stated is not known.
    """

    info: PlantInfo
    stated: Mapping[str, str]

    def __post_init__(self) -> None:
        for name, text in self.stated.items():
            if name not in self._declared:
                raise unknown("variable in plant.map.units", name, self._declared)
            if not isinstance(text, str) or self._read(text) is None:
                raise InputError(
                    f"plant.map.units.{name}: the unit '{text}' is not known; use SI units with or "
                    "without prefix, such as mm, kN, kN.m, kg.m2, m/s2, or deg, rpm, bar, t, 1"
                )

    @cached_property
    def _declared(self) -> dict[str, str]:
        return {signal.name: signal.unit for signal in self.info.variables}

    def text(self, name: str) -> str:
        """Return the unit of a variable as it is written; empty where there is none."""
        return self.stated.get(name) or self._declared.get(name, "")

    def unit(self, name: str) -> Unit | None:
        """Return the unit of a variable; None where it is not declared, or not known."""
        if name not in self._known:
            text = self.text(name)
            self._known[name] = self._read(text) if text else None
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, Unit | None]:
        return {}

    def _read(self, text: str) -> Unit | None:
        return self.info.units.get(text) or usual_unit(text)

    # ------------------------------------------------------------------ conversion

    def is_converted(self, name: str) -> bool:
        """Whether the values of a variable are not those in SI units."""
        unit = self.unit(name)
        return unit is not None and (unit.factor, unit.offset) != (1.0, 0.0)

    def factor(self, name: str) -> float:
        """Return how much one unit of a variable is in SI units."""
        return (self.unit(name) or _SI).factor

    def si(self, name: str, value: Any) -> Any:
        """Return values of a variable in SI units: numbers, arrays or expressions."""
        unit = self.unit(name) or _SI
        if unit.factor == 1.0 and unit.offset == 0.0:
            return value
        return unit.factor * value + unit.offset

    def own(self, name: str, value: Any) -> Any:
        """Return SI values in the unit of a variable."""
        unit = self.unit(name) or _SI
        if unit.factor == 1.0 and unit.offset == 0.0:
            return value
        return (value - unit.offset) / unit.factor

    def own_values(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return SI values by variable, each in its unit."""
        return {name: self.own(name, value) for name, value in values.items()}

    # ------------------------------------------------------------------ what is wanted

    def require(self, name: str, wanted: str, of: str) -> None:
        """Refuse a unit that cannot be converted to the one that is wanted.

        Parameters
        ----------
        name : str
            A variable of the plant.
        wanted : str
            The SI unit, as in the twin's declarations.
        of : str
            What it is taken for, such as "input F_t of crane 'overhead'".
        """
        unit, expected = self.unit(name), usual_unit(wanted)
        if unit is None or expected is None:
            return
        text, stated = self.text(name), name in self.stated
        said = f"plant.map.units says '{text}' for" if stated else f"it declares '{text}' for"
        mend = (
            f"correct that, or take another variable in plant.map (plant '{self.info.name}')"
            if stated
            else f'where the declaration is wrong, state the unit: [plant.map.units] {name} = "..."'
            "; else take another variable in plant.map"
        )
        if _without_angle(unit) != _without_angle(expected):
            raise InputError(
                f"plant '{self.info.name}': {said} {name}, which is taken for {of} in {wanted}, "
                f"and {text} cannot be converted to {wanted}; {mend}"
            )
        angular = expected.exponents.get("rad", 0) and not unit.exponents.get("rad", 0)
        if angular and (unit.factor != 1.0 or "Hz" in text):
            raise InputError(
                f"plant '{self.info.name}': {said} {name}, which is taken for {of} in {wanted}; "
                "whether that counts turns or radians is not known, state it in [plant.map.units], "
                f'such as {name} = "rpm", "rev/s" or "rad/s"'
            )

    # ------------------------------------------------------------------ what is said

    def notes(self, used: Mapping[str, str], as_written: Collection[str] = ()) -> tuple[str, ...]:
        """Return what a user should know of the units of variables.

        Parameters
        ----------
        used : mapping of str to str
            Variables that are read or given, and the SI unit that each is taken for; empty where
            an expression decides that.
        as_written : collection of str
            Of these, those that an expression converts, or should.
        """
        plant = f"plant '{self.info.name}'"
        found = []
        converted = [name for name in used if self.is_converted(name) and name not in as_written]
        if converted:
            texts = _grouped((self._shown(name), name) for name in converted)
            found.append(
                f"units of {plant} are converted: {texts}; values of the scenario, such as "
                "plant.parameters, are in SI units"
            )
        left = [name for name in used if self.is_converted(name) and name in as_written]
        if left:
            texts = _grouped((self._shown(name), name) for name in left)
            found.append(
                f"expressions of plant.map are taken as they are written, with values of {plant} "
                f"in its own units: {texts}; convert them there, or state these units in "
                "[plant.map.units] and write the expressions in SI units"
            )
        for name in used:
            unit, usual = self.unit(name), usual_unit(self.text(name))
            if unit is None or usual is None or name in self.stated:
                continue
            if abs(usual.factor - unit.factor) > SAME * abs(unit.factor):
                found.append(
                    f"{plant} defines the unit '{self.text(name)}' of {name} as {unit.factor:g} SI "
                    f"units, and usually it is {usual.factor:g}: taken as it is defined; where "
                    "that is wrong, state another name of the unit in [plant.map.units]"
                )
        unread = [name for name in used if self.text(name) and self.unit(name) is None]
        if unread:
            texts = _grouped((f"'{self.text(name)}'", name) for name in unread)
            found.append(
                f"units of {plant} are not known: {texts}; taken for SI units, state them in "
                "[plant.map.units]"
            )
        bare = {name: unit for name, unit in used.items() if not self.text(name) and unit != "1"}
        if bare:
            texts = _grouped((unit or "SI units", name) for name, unit in bare.items())
            found.append(f"{plant} declares no units of some variables, taken for: {texts}")
        return tuple(found)

    def _shown(self, name: str) -> str:
        stated = ", stated in plant.map.units" if name in self.stated else ""
        return f"{self.text(name)}{stated}"


def scaled(controls: Controls, factors: Sequence[float], offsets: Sequence[float]) -> Controls:
    """Return ``factor * signal + offset`` of each signal."""
    coefficients = controls.coefficients * np.asarray(factors)
    coefficients[-1] += np.asarray(offsets)
    return replace(controls, coefficients=coefficients)


def drives_in_units(drives: Drives, units: PlantUnits) -> Drives:
    """Return loops of drives between SI units as loops between variables of the plant."""

    def parts(names: Sequence[str]) -> tuple[list[float], list[float], list[float]]:
        found = [units.unit(name) or _SI for name in names]
        factors = [unit.factor for unit in found]
        offsets = [-unit.offset / unit.factor for unit in found]
        return factors, [1.0 / factor for factor in factors], offsets

    u, per_u, _ = parts(drives.inputs)
    p, per_p, p_offset = parts(drives.positions)
    v, per_v, v_offset = parts(drives.velocities)
    if {*u, *p, *v} == {1.0} and not any((*p_offset, *v_offset)):
        return drives
    return replace(
        drives,
        kp=tuple(np.array(drives.kp) * p * per_u),
        kv=tuple(np.array(drives.kv) * v * per_u),
        reference=scaled(drives.reference, per_p, p_offset),
        rate=scaled(drives.velocity, per_v, v_offset),
    )


def _without_angle(unit: Unit) -> dict[str, int]:
    """Return the exponents that must agree: radians are 1."""
    return {base: power for base, power in unit.exponents.items() if base != "rad" and power}


def _grouped(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names by what is said of them: "x, z (mm), F (kN)"."""
    groups: dict[str, list[str]] = {}
    for said, name in pairs:
        groups.setdefault(said, []).append(name)
    return ", ".join(f"{_some(names)} ({said})" for said, names in groups.items())


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
