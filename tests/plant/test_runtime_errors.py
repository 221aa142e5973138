"""Wrong calls: an error status and a message, never a crash, and the instance stays usable."""

from __future__ import annotations

import math

import pytest
from fmpy.fmi1 import FMICallException
from fmu_driver import Fmu, running


def refused(fmu: Fmu, words: str, call, *arguments) -> None:
    with pytest.raises(FMICallException) as raised:
        call(*arguments)
    assert raised.value.status == 3
    category, message = fmu.messages[-1]
    assert category == "logStatusError"
    assert words in message


@pytest.mark.parametrize("fmi", [2, 3])
def test_wrong_parameters_are_refused_with_their_name(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        refused(fmu, "parameter length = -1 is not between", fmu.set, {"length": -1.0})
        refused(fmu, "value for m is not finite", fmu.set, {"m": math.nan})
        refused(fmu, "phi is calculated from parameters", fmu.set, {"phi": 1.0})
        refused(fmu, "der(omega) is calculated", fmu.set, {"der(omega)": 1.0})
        refused(fmu, "energy cannot be set", fmu.set, {"energy": 1.0})
        refused(fmu, "integrator.method is 1", fmu.set_integer, "integrator.method", 3)
        assert fmu.get(["length"])[0] == 1.5


@pytest.mark.parametrize("fmi", [2, 3])
def test_wrong_value_among_right_ones_changes_nothing(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        refused(fmu, "length", fmu.set, {"m": 5.0, "length": -1.0})
        assert fmu.get(["m", "length"]).tolist() == [2.0, 1.5]


@pytest.mark.parametrize("fmi", [2, 3])
def test_zero_mass_is_found_at_initialization_and_can_be_corrected(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        refused(fmu, "omega is not finite", fmu.initialize, None, None, {"m": 0.0})
        fmu.set({"m": 1.0})
        fmu.raw.exitInitializationMode()
        fmu.step(0.0, 0.1)


@pytest.mark.parametrize("fmi", [2, 3])
def test_calls_in_the_wrong_mode_are_refused(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        refused(fmu, "instantiated mode of Co-Simulation", fmu.step, 0.0, 0.1)
        refused(fmu, "instantiated mode", fmu.raw.exitInitializationMode)
        fmu.initialize(stop=1.0)
        refused(fmu, "step mode", fmu.raw.exitInitializationMode)
        refused(fmu, "m is fixed after initialization", fmu.set, {"m": 1.0})
        refused(fmu, "omega cannot be set during Co-Simulation", fmu.set, {"omega": 1.0})
        refused(fmu, "fixed after initialization", fmu.set_integer, "integrator.method", 2)
        fmu.set({"d": 0.2})
        fmu.step(0.0, 0.1)
        fmu.raw.terminate()
        refused(fmu, "terminated mode", fmu.step, 0.1, 0.1)
        assert math.isfinite(fmu.get(["energy"])[0])


@pytest.mark.parametrize("fmi", [2, 3])
def test_wrong_steps_and_inputs_are_refused(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        fmu.initialize(stop=1.0)
        refused(fmu, "step size is 0", fmu.step, 0.0, 0.0)
        refused(fmu, "step size is -0.1", fmu.step, 0.0, -0.1)
        refused(fmu, "must be positive", fmu.step, 0.0, math.nan)
        refused(fmu, "communication point is 0.5", fmu.step, 0.5, 0.1)
        refused(fmu, "beyond the stop time", fmu.step, 0.0, 1.5)
        refused(fmu, "value for tau is not finite", fmu.set, {"tau": math.inf})
        fmu.step(0.0, 1.0)
        refused(fmu, "beyond the stop time", fmu.step, 1.0, 0.1)


@pytest.mark.parametrize("fmi", [2, 3])
def test_unknown_value_references_are_refused(exported, fmi):
    with running(exported("pendulum", fmi), "me") as fmu:
        fmu.vr = fmu.vr | {"nothing": 4711}
        fmu.initialize()
        refused(fmu, "value reference 4711", fmu.get, ["nothing"])
        refused(fmu, "value reference 4711", fmu.set, {"nothing": 1.0})
        refused(fmu, "not an unknown", fmu.directional, ["nothing"], ["phi"], [1.0])
        refused(fmu, "not a known", fmu.directional, ["energy"], ["energy"], [1.0])
        refused(fmu, "no integer", fmu.get_integer, "phi")
        getter = fmu.raw.getBoolean
        refused(fmu, "no variables of that type", getter, [0])


@pytest.mark.parametrize("fmi", [2, 3])
def test_wrong_tolerance_and_times_are_refused(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        refused(fmu, "tolerance is -1", fmu.initialize, -1.0)
        refused(fmu, "stop time -1 is not after", fmu.initialize, None, -1.0)
        fmu.initialize(tolerance=1e-6)


@pytest.mark.parametrize("fmi", [2, 3])
def test_damaged_serialized_state_is_refused(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        fmu.initialize()
        state = fmu.save()
        data = bytearray(fmu.serialize(state))
        data[-3] ^= 1
        refused(fmu, "damaged", fmu.deserialize, bytes(data))
        refused(fmu, "bytes are needed", fmu.deserialize, bytes(data[:100]))
        data[0] ^= 1
        refused(fmu, "not a state of this FMU", fmu.deserialize, bytes(data))
        fmu.release(state)


@pytest.mark.parametrize("fmi", [2, 3])
def test_state_of_another_plant_is_refused_though_it_is_as_long(exported, fmi):
    """Both have one state, one input and no parameters."""
    with (
        running(exported("edge", fmi), "cs") as one,
        running(exported("integrator", fmi), "cs") as other,
    ):
        saved = []
        for fmu in (one, other):
            fmu.initialize()
            state = fmu.save()
            saved.append(fmu.serialize(state))
            fmu.release(state)
        assert len(saved[0]) == len(saved[1])
        refused(other, "not a state of this FMU", other.deserialize, saved[0])


def test_log_categories_select_messages(exported):
    with running(exported("pendulum", 2), "cs") as fmu:
        fmu.raw.setDebugLogging(True, ["logEvents"])
        fmu.initialize()
        assert fmu.messages == [("logEvents", "Initialized at time 0.")]
        refused(
            fmu,
            "unknown log category 'logNonsense'",
            fmu.raw.setDebugLogging,
            True,
            ["logNonsense"],
        )
    with running(exported("pendulum", 2), "cs") as fmu:
        fmu.initialize()
        assert fmu.messages == []


def test_wrong_guid_gives_no_instance(exported):
    fmu = exported("pendulum", 2)
    with running(fmu, "cs") as one:
        one.raw.guid = "{00000000-0000-0000-0000-000000000000}"
        component = one.raw.component
        with pytest.raises(Exception, match="instantiate"):
            one.raw.instantiate()
        one.raw.component = component
