"""Check a crane without a scenario: its equations and structure, and what to do next."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any

from cranebridge.errors import StructureError
from cranebridge.inverse import Structure, analyse
from cranebridge.twin import Crane, crane_classes, equations_of_motion, find_crane
from cranebridge.twin.language import Equations, followed
from cranebridge.twin.printing import EquationText, equation_texts, used_parameters


@dataclass(frozen=True, eq=False)
class CheckedCrane:
    """What can be said of a crane before there is a path.

    Attributes
    ----------
    model : str
        What a scenario calls it, ``FILE.py:Class``.
    crane : Crane
        The crane.
    equations : tuple of EquationText
        Motion, constraints, outputs and rope forces.
    unused : tuple of str
        Parameters that no equation contains.
    structure : Structure or None
        Its structure, if it has one.
    problem : str
        Why it has none, in a sentence.
    """

    model: str
    crane: Crane
    equations: tuple[EquationText, ...]
    unused: tuple[str, ...]
    structure: Structure | None
    problem: str = ""

    @property
    def exit_code(self) -> int:
        """0 sound, 2 not solvable."""
        return 2 if self.structure is None else 0

    @property
    def advice(self) -> str:
        """What to do next, in a sentence."""
        if self.structure is None:
            return "Mend the crane; then check it again."
        if self.structure.flat:
            return (
                "Flat: a path decides everything. Write a scenario, with your start and goal, as:"
            )
        return (
            f"Not flat: along a path {self.structure.internal_dynamics} values stay free, and "
            "whether they settle depends on path and parameters. Choose other outputs, or check a "
            'scenario with solve.method = "inversion", with your start and goal, as:'
        )

    @property
    def scenario(self) -> str:
        """A scenario to start from, as TOML; empty where there is nothing to solve."""
        if self.structure is None:
            return ""
        wanted = followed(self.crane)
        outputs = ", ".join(f"{output.name} [{output.unit}]" for output in wanted)
        zeros = ", ".join("0.0" for _ in wanted)
        smoothness = max(self.structure.path_derivatives[output.name] for output in wanted)
        motions = "".join(
            f'[crane.motion.{motion.name}]\nkind = "harmonic"\namplitude = 0.0  # {motion.unit}\n'
            "frequency = 0.1  # Hz\n\n"
            for motion in self.crane.motions
        )
        return (
            f'[crane]\nmodel = "{self.model}"\n\n{motions}[path]\nkind = "line"\n'
            f"start = [{zeros}]  # {outputs}\ngoal = [{zeros}]\nduration = 10.0\n"
            f'profile = "polynomial"\nsmoothness = {smoothness}\n'
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        crane = self.crane
        groups = ["coordinates", "inputs", "outputs", "parameters", "multipliers", "ropes"]
        groups += ["motions"] if crane.motions else []
        return {
            "crane": crane.name,
            "model": self.model,
            "description": crane.description,
            **{group: [asdict(entry) for entry in getattr(crane, group)] for group in groups},
            "unused_parameters": list(self.unused),
            "remarks": list(crane.remarks()),
            "equations": [
                {"group": entry.group, "name": entry.name, "text": entry.text()}
                for entry in self.equations
            ],
            "structure": None if self.structure is None else self.structure.as_dict(),
            "problems": [self.problem] if self.problem else [],
            "next": self.advice,
            "scenario": self.scenario,
        }


def check_crane(model: str) -> CheckedCrane:
    """Check a crane of a user's file.

    Parameters
    ----------
    model : str
        ``FILE.py:Class``; the class can be left out where the file has one crane.
    """
    if model.endswith(".py"):
        found = crane_classes(FilePath(model))
        model = f"{model}:{found[0]}" if len(found) == 1 else model
    crane = find_crane(model)
    return checked(model, crane, *_structure(crane))


def checked(
    model: str, crane: Crane, structure: Structure | None, problem: str = ""
) -> CheckedCrane:
    """Return what can be said of a crane whose structure is known."""
    equations = equations_of_motion(crane)
    return CheckedCrane(
        model=model,
        crane=crane,
        equations=equation_texts(equations),
        unused=_unused(equations),
        structure=structure,
        problem=problem,
    )


def _structure(crane: Crane) -> tuple[Structure | None, str]:
    try:
        return analyse(crane), ""
    except StructureError as error:
        return None, str(error)


def _unused(equations: Equations) -> tuple[str, ...]:
    used = used_parameters(equations)
    return tuple(entry.name for entry in equations.crane.parameters if entry.name not in used)
