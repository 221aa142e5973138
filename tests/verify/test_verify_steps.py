"""What a foreign plant does between two steps: they are bounded, and a second run has others."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from overhead_plants import overhead_fmu

from cranebridge.errors import InputError
from cranebridge.job import verify_scenario
from cranebridge.limits.verdict import Verdict
from cranebridge.scenario import load_scenario
from cranebridge.verify.budget import Budget, steps_verdict

LOOSE = ["plant.certify=false", "limits.tracking=1.0"]


def foreign(path: Path) -> Path:
    """The same FMU, as if another tool had made it."""
    other = path.with_name(f"foreign-{path.name}")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "modelDescription.xml":
                changed = content.replace(b'generationTool="cranebridge', b'generationTool="Other')
                assert changed != content
                content = changed
            target.writestr(name, content)
    return other


def steps(fmu: Path, *more: str) -> tuple[list[Verdict], dict[str, float]]:
    verified = verify_scenario(load_scenario("overhead", [*LOOSE, f"plant.fmu='{fmu}'", *more]))
    found = [v for v in verified.verdicts if v.name == "integrator steps"]
    assert not found or verified.exit_code == 1
    return found, verified.tracking.max_error


@pytest.fixture(scope="module")
def kicked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1 kN for 2 ms on the trolley of 10 kg in its middle, which the plant does not announce."""
    return overhead_fmu(tmp_path_factory.mktemp("kicked"), "kicked", push=(1.5, 1.502))


def test_kick_between_long_steps_is_met_with_the_default_of_a_foreign_plant(kicked: Path) -> None:
    # Without a bound, as for our own exports, which announce such things, it is passed over.
    _, own = steps(kicked)
    verdicts, bounded = steps(foreign(kicked))
    # 2 Ns: the trolley alone gets 0.2 m/s, and hands it on to the load within some tenths of a
    # second; with all of 110 kg it would be 0.018 m/s, 27 mm in the 1.5 s that are left
    assert own["x"] < 1e-6
    assert 0.018 * 1.4 < bounded["x"] < 0.04
    assert verdicts == []


def test_runs_with_other_steps_that_differ_are_told(kicked: Path) -> None:
    (verdict,), _ = steps(kicked, "plant.max_step=0.05")
    assert verdict.status == "not judged"
    assert "largest steps of 0.05 s and 0.0185 s differ by" in verdict.message
    assert "plant.max_step" in verdict.message


def test_kick_after_the_end_is_told_too(tmp_path: Path) -> None:
    fmu = overhead_fmu(tmp_path, "late", push=(3.6, 3.603))
    assert [v.status for v in steps(fmu, "plant.max_step=0.2")[0]] == ["not judged"]


def test_differences_are_told_from_ten_thousand_tolerances_or_a_hundredth_of_the_limit() -> None:
    def told(found: float, max_step: float | None = 0.1, limit: float = 1e-3) -> int:
        budget = Budget(1e-3, 0.0, 0.0, None, between_steps=found)
        return len(steps_verdict(budget, max_step, 1e-10, 20.0, limit))

    assert [told(1.9e-5), told(2.1e-5)] == [0, 1]
    assert [told(0.9e-3, limit=0.1), told(1.1e-3, limit=0.1)] == [0, 1]
    assert told(1.0, max_step=None) == 0


def test_largest_step_is_refused_where_the_plant_integrates_itself() -> None:
    with pytest.raises(InputError, match=r"plant.max_step is for Model Exchange.*plant.step"):
        verify_scenario(load_scenario("overhead", ["plant.interface=cs", "plant.max_step=0.1"]))
