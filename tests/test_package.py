"""What `import cranebridge` offers, and that it costs nothing."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

import cranebridge
from cranebridge import face, inverse, limits, scenario, twin, verify
from cranebridge.errors import unknown

OFFERED = {
    "load": (face, "load"),
    "Scenario": (face, "Scenario"),
    "Solution": (face, "Solution"),
    "Planned": (face, "Planned"),
    "Verification": (face, "Verification"),
    "ready_scenarios": (scenario, "ready_scenarios"),
    "cranes": (twin, "known_cranes"),
    "Crane": (twin, "Crane"),
    "Parameter": (twin, "Parameter"),
    "Quantity": (twin, "Quantity"),
    "Feedforward": (inverse, "Feedforward"),
    "Structure": (inverse, "Structure"),
    "Limits": (limits, "Limits"),
    "Verdict": (limits, "Verdict"),
    "Certificate": (verify, "Certificate"),
    "Tracking": (verify, "Tracking"),
    "Verified": (verify, "Verified"),
}


@pytest.mark.parametrize("name", sorted(OFFERED))
def test_name_is_that_of_its_package(name: str) -> None:
    package, attribute = OFFERED[name]
    if name == "Verified" and not hasattr(verify, "Verified"):
        pytest.skip("cranebridge.verify has no Verified yet")
    assert getattr(cranebridge, name) is getattr(package, attribute)
    assert name in dir(cranebridge)


def test_all_is_what_is_offered() -> None:
    assert set(cranebridge.__all__) == {*OFFERED, "__version__"}


def test_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        cranebridge.lode  # noqa: B018


def test_import_waits_for_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import cranebridge; cranebridge.__version__;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"casadi", "numpy", "scipy", "rich", "typer"}
    loaded = set(done.stdout.split())
    assert not loaded & heavy
    assert {name for name in loaded if name.startswith("cranebridge")} == {"cranebridge"}


def test_check_imports_nothing_that_it_does_not_need() -> None:
    # Each of these takes 5 ms and more, of the 0.3 s of a check; benchmarks/start.py has the whole.
    code = (
        "import sys; from cranebridge.cli import main; sys.argv = ['cranebridge', 'check', "
        "'rotary']\ntry: main()\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "cranebridge.inverse.checking" in loaded
    needless = {"scipy", "matplotlib", "pydantic", "numpy.random", "importlib.resources.readers"}
    ours = {"plan.flat", "plant.child", "inverse.friction.evolution", "path.reading.motion_tables"}
    assert not loaded & needless
    assert not loaded & {f"cranebridge.{name}" for name in ours}


def test_example_of_the_docstring_runs() -> None:
    found = doctest.testmod(cranebridge)
    assert found.attempted > 3
    assert found.failed == 0


def test_version_can_be_read_without_importing() -> None:
    # setuptools reads it so; an expression would make it import the package while building it.
    tree = ast.parse(Path(cranebridge.__file__).read_text(encoding="utf-8"))
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__"
    ]
    assert ast.literal_eval(value) == cranebridge.__version__


def test_every_extra_installs_something() -> None:
    file = Path(__file__).parents[1] / "pyproject.toml"
    extras = tomllib.loads(file.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert [name for name, libraries in extras.items() if not libraries] == []


def test_installation_in_place_is_found_in_any_folder_and_locale() -> None:
    # Python reads such files in the locale's encoding: with C, ASCII alone is understood.
    files = list(Path(sysconfig.get_path("purelib")).glob("__editable__.cranebridge-*.pth"))
    if not files:
        pytest.skip("cranebridge is not installed in place")
    for file in files:
        way = file.read_bytes().decode("ascii").strip()
        assert not Path(way).is_absolute()
        assert (file.parent / way).resolve() == Path(cranebridge.__file__).parents[1].resolve()


def test_message_names_all_that_is_known_or_what_is_alike_and_plain() -> None:
    few = str(unknown("signal", "trolley.v", ["a", "trolley.s"]))
    assert few == "unknown signal 'trolley.v'. Did you mean 'trolley.s'? Known: a, trolley.s."
    inner = [f"rope.segment[{i}].frame_a.r_0[1]" for i in range(500)]
    many = str(unknown("signal", "trolley.v", [*inner, "x", "trolley.s"]))
    assert "Known: " in many
    shown = many.split("Known: ")[1].split(" and ")[0].split(", ")
    assert {"x", "trolley.s"} <= set(shown)
    assert many.endswith(f" and {502 - len(shown)} more.")
    assert len(many) < 1500
