"""Random contents of a scenario: a scenario or a sentence, never another exception."""

from __future__ import annotations

import copy
import datetime
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cranebridge.errors import CranebridgeError
from cranebridge.path.kinds import KINDS, PROFILES
from cranebridge.scenario import Scenario, load_scenario, ready_scenarios
from cranebridge.scenario.key_reference import keys
from cranebridge.twin import CRANES

BASES = ("rotary", "overhead-real", "cablev-general", "navy3d-pulley", "rotary-redundant")
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-3, 30),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.sampled_from(
        [0.0, -0.0, 1e-300, 1e300, 1e-7, 0.01, 5.0, 20.0, 10**400, -(10**400), datetime.date.min]
    ),
    st.sampled_from(
        ["", "pull", "line", "me", "2.0", "partial", "csv", "x", "1/0", "a b", "é", "."]
    ),
    st.sampled_from([*KINDS, *PROFILES, *CRANES, "a.py:B", "x.mo:Y", "\0", "/", "~"]),
    st.text(st.characters(codec="utf-8"), max_size=8),
)
NAMES = st.one_of(
    st.sampled_from(sorted({key.name for key in keys()})),
    st.sampled_from(["m", "s", "F_t", "M_b", "x", "T_cable", "phi", "v.x", "", "payload +20 %"]),
    st.text(st.characters(codec="utf-8"), max_size=5),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
PLACES = st.sampled_from([*sorted({(*key.table.split("."), key.name) for key in keys()})])
NUMBERS = st.one_of(st.floats(), st.integers(-5, 25), st.sampled_from([1e308, -1e308, 1e-308]))


def outcome(content: dict[str, Any]) -> Scenario | str:
    """Load a content as a file; a sentence for a user's mistake, other exceptions go through."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random.toml"
        file.write_bytes(tomli_w.dumps(content).encode("utf-8"))
        try:
            scenario = load_scenario(str(file))
            scenario.complete()
            assert scenario.files[0] == file.resolve()
            return scenario
        except CranebridgeError as error:
            return str(error)


def require_outcome(found: Scenario | str) -> None:
    if isinstance(found, str):
        assert found
        assert "\n" not in found
    else:
        assert found.limits.tracking > 0.0


CONTENTS = {name: load_scenario(name).complete() for name in BASES}
SETTINGS = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SETTINGS
@given(st.sampled_from(BASES), st.lists(st.tuples(PLACES, VALUES), min_size=1, max_size=3))
def test_random_values_of_keys(base: str, changes: list[tuple[tuple[str, ...], Any]]) -> None:
    content = copy.deepcopy(CONTENTS[base])
    for place, value in changes:
        table = content
        for part in place[:-1]:
            name = "F_t" if part == "NAME" else part
            if not isinstance(table.setdefault(name, {}), dict):
                table[name] = {}
            table = table[name]
        table[place[-1]] = value
    require_outcome(outcome(content))


@SETTINGS
@given(
    st.sampled_from(sorted(KINDS)),
    st.dictionaries(
        st.sampled_from([*sorted({key.name for key in keys("path")}), "x"]),
        st.one_of(NUMBERS, st.lists(NUMBERS, max_size=4), st.lists(st.lists(NUMBERS), max_size=4)),
    ),
    st.sampled_from(["polynomial", "three-phase", "s-curve"]),
)
def test_random_paths(kind: str, table: dict[str, Any], profile: str) -> None:
    path = {"duration": 20.0, "profile": profile} | table | {"kind": kind}
    require_outcome(outcome({"crane": {"model": "rotary"}, "path": path}))


@SETTINGS
@given(
    st.dictionaries(st.sampled_from(["speed", "acceleration", "jerk"]), NUMBERS, min_size=1),
    st.lists(NUMBERS, max_size=3),
    st.lists(NUMBERS, min_size=3, max_size=3),
)
@example({"speed": 1e-29, "acceleration": 1e29, "jerk": 1e-29}, [], [1, 2, 3])
@example({"speed": 1e29, "jerk": 1e29}, [1e29, 1e-29, 1e29], [1e29, 2, 3])
@example({"speed": 1e-29, "jerk": 1e-29}, [1e-29, 1e-29, 1e-29], [1e29, 2, 3])
@example({"acceleration": 1e29}, [1e29, 1e29, 1e29], [5.0, 1e-29, -5.0])
def test_random_s_curves(limits: dict[str, Any], higher: list[Any], goal: list[Any]) -> None:
    path = {"kind": "line", "start": [5.0, 0.0, -5.0], "goal": goal, "profile": "s-curve"}
    path |= limits | ({"higher": higher} if higher else {})
    require_outcome(outcome({"crane": {"model": "rotary"}, "path": path}))


@SETTINGS
@given(st.dictionaries(NAMES, VALUES, max_size=5))
@example({"crane": {"model": "rotary"}, "path": {"kind": "line"}})
@example({"crane": {"model": "rotary"}, "path": []})
def test_random_contents(content: dict[str, Any]) -> None:
    require_outcome(outcome(content))


@SETTINGS
@given(st.lists(st.text(max_size=20), min_size=1, max_size=2))
@example(["crane.m=\n[x]"])
@example(["limits.u.M_b=[1"])
@example(["path.start.x=1"])
@example(['"a.b".c=1'])
@example([".=."])
def test_random_overrides(given_settings: list[str]) -> None:
    try:
        load_scenario("rotary", given_settings)
    except CranebridgeError as error:
        assert str(error)  # noqa: PT017 - both outcomes are right, other exceptions are not


@SETTINGS
@given(st.text(max_size=12))
def test_random_names(name: str) -> None:
    if name not in ready_scenarios():
        with pytest.raises(CranebridgeError):
            load_scenario(name)
