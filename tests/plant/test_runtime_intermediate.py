"""The runtime's FMI 3 Co-Simulation under a master that takes part: intermediate update, early
return, event mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.simulation import instantiate_fmu
from fmu_driver import Exported, Fmu, running, simulate_me
from test_runtime_errors import refused

DOPRI5, RODAS4 = 1, 2
both_methods = pytest.mark.parametrize("method", [DOPRI5, RODAS4])


@dataclass(frozen=True)
class Call:
    """Arguments of one callback."""

    time: float
    set: bool
    get: bool
    finished: bool
    can_return: bool


@dataclass
class Master:
    """Sets inputs when asked, and does what `act` says in each callback."""

    inputs: dict[str, Callable[[float], float]] = field(default_factory=dict)
    act: Callable[[Call], float | None] | None = None  # returns when to return early
    calls: list[Call] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)
    fmu: Fmu | None = None

    def offered(self, exported: Exported, names: list[str], **more: Any) -> dict[str, Any]:
        required = [exported.references[name] for name in names]
        return {
            "intermediateUpdate": self,
            "requiredIntermediateVariables": required,
            **{"earlyReturnAllowed": True, **more},
        }

    def __call__(self, _environment, time, set_, get, finished, can_return, stop, when) -> None:
        try:
            call = Call(time, set_, get, finished, can_return)
            self.calls.append(call)
            back = self.act(call) if self.act is not None else None
            if set_ and self.inputs:
                self.fmu.set({name: u(time) for name, u in self.inputs.items()})
            if back is not None:
                stop[0], when[0] = True, back
        except BaseException as error:  # would be lost in the C code
            self.failures.append(error)

    def step(self, t: float, size: float) -> tuple[bool, bool, bool, float]:
        result = self.fmu.raw.doStep(t, size)
        if self.failures:
            raise self.failures[0]
        return result


def wave(t: float) -> float:
    return 5.0 * np.sin(3.0 * t)


# ---------------------------------------------------------------------------- callbacks


@both_methods
def test_times_and_flags_are_those_of_the_standard(exported, method):
    master = Master({"tau": wave})
    pendulum = exported("pendulum", 3)
    with running(pendulum, "cs", **master.offered(pendulum, ["tau", "phi"])) as fmu:
        master.fmu = fmu
        fmu.set_integer("integrator.method", method)
        fmu.initialize(tolerance=1e-8)
        for begin in (0.0, 0.5):
            master.calls.clear()
            assert master.step(begin, 0.5) == (False, False, False, begin + 0.5)
            times = [call.time for call in master.calls]
            assert begin < min(times)
            assert max(times) == begin + 0.5
            last = 0.0
            for call in master.calls:
                assert call.time >= last
                assert call.set != call.finished
                assert call.can_return == (call.finished and call.time < begin + 0.5)
                if call.finished:
                    assert call.time > last
                    assert call.get
                    last = call.time
            assert last == begin + 0.5
            steps = sum(call.finished for call in master.calls)
        assert fmu.get_integer("integrator.steps") > steps > 3


def test_no_time_lies_outside_of_its_step(exported):
    # x' is so small that the first guess of the step size reaches far beyond, and the sizes are odd
    integrator, master = exported("digits", 3), Master({"u": lambda t: t})
    with running(integrator, "cs", **master.offered(integrator, ["u"])) as fmu:
        master.fmu = fmu
        fmu.initialize(parameters={"p": 1e-3, "u": 0.0})
        for i in range(1, 200):
            master.calls.clear()
            begin, end = 0.7 / 3 * 0.05 * (i - 1), 0.7 / 3 * 0.05 * i
            master.step(begin, end - begin)
            times = [call.time for call in master.calls]
            assert begin < min(times)
            assert max(times) <= begin + (end - begin)


@both_methods
@pytest.mark.parametrize("plant", ["pendulum", "overhead"])
def test_cubic_inputs_give_the_steps_of_fmi_2_with_input_derivatives(exported, plant, method):
    """The polynomial of degree 3 is known exactly in both: so is its slope at a step's begin."""

    def u(t: float) -> float:
        return 5.0 - 20.0 * t + 40.0 * t**2 - 18.0 * t**3

    def rates(t: float) -> list[float]:
        return [-20.0 + 80.0 * t - 54.0 * t**2, 80.0 - 108.0 * t, -108.0]

    # In the overhead crane the Jacobian depends on the inputs.
    inputs = {"pendulum": ["tau"], "overhead": ["F", "T"]}[plant]
    shown = {"pendulum": ["phi", "omega"], "overhead": ["s", "rope", "phi"]}[plant]
    states, counts = [], []
    with running(exported(plant, 2), "cs") as fmu:
        fmu.set_integer("integrator.method", method)
        fmu.initialize(tolerance=1e-7)
        for t in (0.0, 0.5, 1.0):
            fmu.set(dict.fromkeys(inputs, u(t)))
            for name in inputs:
                fmu.raw.setRealInputDerivatives([fmu.vr[name]] * 3, [1, 2, 3], rates(t))
            fmu.step(t, 0.5)
        states.append(fmu.get(shown))
        counts.append(fmu.get_integer("integrator.steps"))
    master, three = Master(dict.fromkeys(inputs, u)), exported(plant, 3)
    with running(three, "cs", **master.offered(three, inputs)) as fmu:
        master.fmu = fmu
        fmu.set_integer("integrator.method", method)
        fmu.initialize(tolerance=1e-7)
        for t in (0.0, 0.5, 1.0):
            fmu.set(dict.fromkeys(inputs, u(t)))
            master.step(t, 0.5)
        states.append(fmu.get(shown))
        counts.append(fmu.get_integer("integrator.steps"))
    assert counts[1] == counts[0]
    # rounding only: it goes through 40 steps at most
    assert states[1] == pytest.approx(states[0], abs=1e-12)


@both_methods
def test_values_in_the_callback_are_those_of_its_time(exported, method):
    names = ["phi", "omega", "alpha"]
    pendulum = exported("pendulum", 3)
    final: list[tuple[float, np.ndarray]] = []
    tentative: list[bool] = []

    def look(call: Call) -> None:
        values = master.fmu.get([*names, "der(phi)"]) if call.get else None
        if call.finished:
            final.append((call.time, values[:3]))
        elif call.get:
            # der(phi) is omega at whatever state is shown
            tentative.append(values[3] == values[1])

    master = Master({"tau": wave}, look)
    offered = master.offered(pendulum, [*names, "der(phi)", "tau"])
    with running(pendulum, "cs", **offered) as fmu:
        master.fmu = fmu
        fmu.set_integer("integrator.method", method)
        fmu.initialize(tolerance=1e-11)
        fmu.set({"tau": wave(0.0)})
        master.step(0.0, 1.0)
        final.append((1.0, fmu.get(names)))
    times = np.array([t for t, _ in final])
    unique, first = np.unique(times, return_index=True)
    exact = simulate_me(pendulum, np.append(0.0, unique), names, lambda t: {"tau": wave(t)})[1:]
    assert len(unique) > 10
    assert np.array([values for _, values in final])[first] == pytest.approx(exact, abs=1e-8)
    assert len(tentative) > 50
    assert all(tentative)


@both_methods
def test_reading_changes_no_digit(exported, method):
    pendulum, results = exported("pendulum", 3), []

    def look(call: Call) -> None:
        if call.get:
            fmu = master.fmu
            fmu.get(["phi", "alpha", "der(omega)"])
            fmu.raw.getOutputDerivatives([fmu.vr["alpha"]], [1])

    for act in (None, look):
        master = Master({"tau": wave}, act)
        offered = master.offered(pendulum, ["tau", "phi", "alpha", "der(omega)"])
        with running(pendulum, "cs", **offered) as fmu:
            master.fmu = fmu
            fmu.set_integer("integrator.method", method)
            fmu.initialize(tolerance=1e-6)
            master.step(0.0, 1.0)
            results.append([*fmu.get(["phi", "omega"]), fmu.get_integer("integrator.steps")])
    assert results[0] == results[1]


def test_slopes_of_outputs_contain_those_of_moving_inputs(exported):
    """y = 3 u + x t, so y' = 3 u' + (u + sin t) t + x; a parabola has exact slopes."""
    integrator = exported("integrator", 3)
    seen: list[tuple[float, float, float]] = []

    def look(call: Call) -> None:
        if call.finished:
            slope = master.fmu.raw.getOutputDerivatives([master.fmu.vr["y"]], [1])[0]
            seen.append((call.time, master.fmu.get(["x"])[0], slope))

    master = Master({"u": lambda t: 1.0 + 2.0 * t + 4.0 * t**2}, look)
    with running(integrator, "cs", **master.offered(integrator, ["u", "x", "y"])) as fmu:
        master.fmu = fmu
        fmu.initialize()
        fmu.set({"u": 1.0})
        master.step(0.0, 1.0)
        slope = fmu.raw.getOutputDerivatives([fmu.vr["y"]], [1])[0]
        seen.append((1.0, fmu.get(["x"])[0], slope))
    assert len(seen) > 3
    for t, x, slope in seen:
        wanted = 3.0 * (2.0 + 8.0 * t) + (1.0 + 2.0 * t + 4.0 * t**2 + np.sin(t)) * t + x
        # differences of inputs over a tenth of an internal step lose some digits
        assert slope == pytest.approx(wanted, rel=1e-8)


def test_a_callback_without_variables_changes_no_digit(exported):
    results = []
    pendulum = exported("pendulum", 3)
    for master in (None, Master()):
        offered = {} if master is None else master.offered(pendulum, [])
        with running(pendulum, "cs", **offered) as fmu:
            fmu.initialize()
            for i in range(10):
                fmu.step(0.1 * i, 0.1)
            results.append([*fmu.get(["phi", "omega"]), fmu.get_integer("integrator.steps")])
        if master is not None:
            assert not any(call.set or call.get for call in master.calls)
            assert sum(call.finished for call in master.calls) >= 10
    assert results[0] == results[1]


def test_plant_without_states_takes_its_input_at_the_end_of_the_step(exported):
    gain, master = exported("gain", 3), Master({"u": lambda t: t**2})
    with running(gain, "cs", **master.offered(gain, ["u", "y"])) as fmu:
        master.fmu = fmu
        fmu.initialize()
        master.step(0.0, 2.0)
        assert fmu.get(["y"])[0] == 12.0
    assert [(call.time, call.finished) for call in master.calls] == [(2.0, False), (2.0, True)]


def test_state_that_is_restored_repeats_the_step(exported):
    pendulum, master = exported("pendulum", 3), Master({"tau": wave})
    with running(pendulum, "cs", **master.offered(pendulum, ["tau"])) as fmu:
        master.fmu = fmu
        fmu.initialize()
        master.step(0.0, 0.2)
        state = fmu.save()
        first = []
        for _ in range(2):
            fmu.restore(state)
            master.step(0.2, 0.3)
            first.append(fmu.get(["phi", "omega"]).tolist())
        fmu.release(state)
    assert first[0] == first[1]


# ---------------------------------------------------------------------------- early return


@pytest.mark.parametrize(("back", "wanted"), [(0.37, 0.37), (0.0, None), (9.0, 1.0)])
def test_step_ends_early_where_the_master_wants_it(exported, back, wanted):
    pendulum = exported("pendulum", 3)

    def once(call: Call) -> float | None:
        asked = call.can_return and call.time > 0.2 and not stopped
        if asked:
            stopped.append(call.time)
        return back if asked else None

    stopped: list[float] = []
    master = Master({"tau": wave}, once)
    with running(pendulum, "cs", **master.offered(pendulum, ["tau"])) as fmu:
        master.fmu = fmu
        fmu.initialize(tolerance=1e-10)
        _, _, early, last = master.step(0.0, 1.0)
        # a time that has passed already means at once
        assert last == (stopped[0] if wanted is None else wanted)
        assert early == (last < 1.0)
        assert fmu.get(["time"])[0] == last
        if early:
            assert master.step(last, 1.0 - last)[2:] == (False, 1.0)
        end = fmu.get(["phi", "omega"])
    exact = simulate_me(
        pendulum, np.array([0.0, 1.0]), ["phi", "omega"], lambda t: {"tau": wave(t)}
    )
    assert end == pytest.approx(exact[-1], abs=1e-7)


def test_early_return_that_is_not_allowed_is_neither_offered_nor_made(exported):
    pendulum = exported("pendulum", 3)
    master = Master({"tau": wave}, lambda _call: 0.1)  # asks for it in every call
    offered = master.offered(pendulum, ["tau"], earlyReturnAllowed=False)
    with running(pendulum, "cs", **offered) as fmu:
        master.fmu = fmu
        fmu.initialize()
        assert master.step(0.0, 1.0) == (False, False, False, 1.0)
    assert not any(call.can_return for call in master.calls)


# ---------------------------------------------------------------------------- refusals


def test_wrong_calls_in_the_callback_are_refused_and_change_nothing(exported):
    pendulum = exported("pendulum", 3)
    done: list[bool] = []

    def misbehave(call: Call) -> None:
        fmu = master.fmu
        raw, mode = fmu.raw, "intermediate update mode of Co-Simulation"
        refused(fmu, mode, raw.doStep, 0.0, 0.1)
        refused(fmu, mode, raw.getFMUState)
        refused(fmu, mode, raw.reset)
        refused(fmu, mode, raw.terminate)
        refused(fmu, mode, raw.enterEventMode)
        refused(fmu, mode, raw.enterStepMode)
        refused(fmu, mode, raw.updateDiscreteStates)
        refused(fmu, mode, raw.setDebugLogging, True, [])
        refused(fmu, mode, fmu.get_integer, "integrator.steps")
        refused(fmu, mode, fmu.directional, ["energy"], ["phi"], [1.0])
        refused(fmu, "was not among the required", fmu.get, ["energy"])
        refused(fmu, "was not among the required", fmu.get, ["m"])
        before = len(fmu.messages)
        raw.fmi3FreeInstance(raw.component)
        assert mode in fmu.messages[before][1]
        if call.set:
            refused(fmu, "was not among the required", fmu.set, {"d": 0.5})
            refused(fmu, "phi cannot be set during Co-Simulation", fmu.set, {"phi": 0.5})
            refused(fmu, "value for tau is not finite", fmu.set, {"tau": np.nan})
        else:
            refused(fmu, "must not be set in this intermediate update", fmu.set, {"tau": 1.0})
        done.append(call.finished)

    results = []
    for act in (None, misbehave):
        master = Master({"tau": wave}, act)
        with running(pendulum, "cs", **master.offered(pendulum, ["tau", "phi"])) as fmu:
            master.fmu = fmu
            fmu.initialize()
            master.step(0.0, 0.3)
            results.append(fmu.get(["phi", "omega", "energy"]).tolist())
    assert {True, False} == set(done)
    assert results[0] == results[1]


def test_reading_while_the_implicit_method_looks_ahead_is_refused(exported):
    """RODAS asks for inputs at times for which it has no state yet."""
    pendulum, seen = exported("pendulum", 3), []

    def look(call: Call) -> None:
        if not call.get:
            words = "must not be read in this intermediate update"
            refused(master.fmu, words, master.fmu.get, ["phi"])
            seen.append(call.time)

    master = Master({"tau": wave}, look)
    with running(pendulum, "cs", **master.offered(pendulum, ["tau", "phi"])) as fmu:
        master.fmu = fmu
        fmu.set_integer("integrator.method", RODAS4)
        fmu.initialize()
        master.step(0.0, 0.3)
    assert seen


@pytest.mark.parametrize(
    ("plant", "names", "callback", "words"),
    [
        ("pendulum", ["m"], True, "not a variable with intermediateUpdate"),
        ("pendulum", ["integrator.steps"], True, "not a variable with intermediateUpdate"),
        ("pendulum", ["tau"], False, "there is no callback"),
        ("stairs", ["y"], True, "this FMU has no intermediate updates"),
    ],
)
def test_wrong_intermediate_variables_give_no_instance(exported, plant, names, callback, words):
    fmu, messages = exported(plant, 3), []
    offered = Master().offered(fmu, names)
    if not callback:
        offered["intermediateUpdate"] = None
    with running(fmu, "cs") as one:
        component, log = one.raw.component, one.raw.logMessage
        offered["logMessage"] = lambda _e, _status, _category, text: messages.append(text)
        with pytest.raises(Exception, match="instantiate"):
            one.raw.instantiate(**offered)
        one.raw.component, one.raw.logMessage = component, log
    assert words in messages[-1].decode()


# ---------------------------------------------------------------------------- event mode


def test_event_mode_is_entered_and_left_as_the_standard_says(exported):
    mode = "event mode of Co-Simulation"
    with running(exported("pendulum", 3), "cs", eventModeUsed=True) as fmu:
        fmu.raw.enterInitializationMode()
        refused(fmu, "initialization mode", fmu.raw.enterStepMode)
        fmu.raw.exitInitializationMode()
        refused(fmu, mode, fmu.step, 0.0, 0.1)
        refused(fmu, mode, fmu.raw.enterEventMode)
        refused(fmu, mode, fmu.raw.fmi3EnterContinuousTimeMode, fmu.raw.component)
        refused(fmu, mode, fmu.raw.fmi3SetTime, fmu.raw.component, 1.0)
        refused(fmu, "omega cannot be set during Co-Simulation", fmu.set, {"omega": 1.0})
        assert fmu.raw.updateDiscreteStates()[:5] == (False, False, False, False, False)
        fmu.raw.enterStepMode()
        refused(fmu, "step mode", fmu.raw.enterStepMode)
        refused(fmu, "step mode", fmu.raw.updateDiscreteStates)
        fmu.step(0.0, 0.1)
        fmu.raw.enterEventMode()
        fmu.set({"tau": 1.0, "d": 0.2})
        fmu.raw.updateDiscreteStates()
        fmu.raw.enterStepMode()
        fmu.step(0.1, 0.1)
    with running(exported("pendulum", 3), "cs") as fmu:
        fmu.initialize()
        refused(fmu, "made with eventModeUsed = false", fmu.raw.enterEventMode)
    with running(exported("pendulum", 3), "me") as fmu:
        fmu.raw.enterInitializationMode()
        fmu.raw.exitInitializationMode()
        enter = fmu.raw.fmi3EnterStepMode
        refused(fmu, "event mode of Model Exchange", enter, fmu.raw.component)


def test_jump_in_event_mode_is_the_jump_at_a_communication_point(exported):
    ends = []
    for events in (False, True):
        with running(exported("pendulum", 3), "cs", eventModeUsed=events) as fmu:
            fmu.initialize()
            if events:
                fmu.raw.enterStepMode()
            fmu.step(0.0, 0.3)
            if events:
                fmu.raw.enterEventMode()
            fmu.set({"tau": 4.0})
            if events:
                fmu.raw.updateDiscreteStates()
                fmu.raw.enterStepMode()
            fmu.step(0.3, 0.3)
            ends.append(fmu.get(["phi", "omega"]).tolist())
    assert ends[0] == ends[1]


def test_algorithm_ends_its_step_at_its_event_and_acts_in_event_mode(exported):
    offered = {"eventModeUsed": True, "earlyReturnAllowed": True}
    with running(exported("stairs", 3), "cs", **offered) as fmu:
        fmu.initialize()
        assert fmu.raw.updateDiscreteStates() == (False, False, False, False, True, 0.3)
        fmu.raw.enterStepMode()
        assert fmu.raw.doStep(0.0, 0.2) == (False, False, False, 0.2)
        assert fmu.raw.doStep(0.2, 0.2) == (True, False, True, 0.3)
        assert fmu.get(["y"])[0] == 0.0
        refused(fmu, "discrete input twice can change in event mode", fmu.set, {"twice": 1.0})
        fmu.raw.enterEventMode()
        fmu.set({"twice": 1.0})
        assert fmu.raw.updateDiscreteStates()[4:] == (True, 0.6)
        assert fmu.get(["y"])[0] == 2.0
        fmu.raw.enterStepMode()
        # an event at the very end of a step is no early return
        assert fmu.raw.doStep(0.3, 0.3) == (True, False, False, 0.6)


def test_event_inside_a_step_is_told_at_its_end_without_early_return(exported):
    with running(exported("stairs", 3), "cs", eventModeUsed=True) as fmu:
        fmu.initialize()
        fmu.raw.updateDiscreteStates()
        fmu.raw.enterStepMode()
        assert fmu.raw.doStep(0.0, 0.4) == (True, False, False, 0.4)


def test_algorithm_without_event_mode_acts_at_communication_points_as_before(exported):
    with running(exported("stairs", 3), "cs") as fmu:
        fmu.initialize()
        seen = []
        for i in range(5):
            assert fmu.raw.doStep(0.2 * i, 0.2)[:3] == (False, False, False)
            seen.append(fmu.get(["y"])[0])
    assert seen == [0.0, 1.0, 2.0, 2.0, 3.0]


# ---------------------------------------------------------------------------- FMPy's master


@pytest.mark.parametrize("events", [False, True])
def test_fmpy_drives_it_with_our_callback(exported, events):
    """FMPy makes the steps and hands the callback on; what to do in it is the user's part."""
    pendulum = exported("pendulum", 3)
    reference = pendulum.references["tau"]

    def update(_environment, time, set_, _get, _finished, _can_return, _stop, _when) -> None:
        if set_:
            fmu.setFloat64([reference], [wave(time)])

    fmu = instantiate_fmu(
        str(pendulum.directory),
        pendulum.description,
        fmi_type="CoSimulation",
        early_return_allowed=True,
        event_mode_used=events,
        intermediate_update=update,
        required_intermediate_variables=[reference],
    )
    result = fmpy.simulate_fmu(
        str(pendulum.directory),
        model_description=pendulum.description,
        fmi_type="CoSimulation",
        fmu_instance=fmu,
        stop_time=1.0,
        output_interval=0.1,
        relative_tolerance=1e-10,
        output=["phi", "omega"],
        early_return_allowed=True,
        use_event_mode=events,
    )
    exact = simulate_me(
        pendulum, np.linspace(0.0, 1.0, 11), ["phi", "omega"], lambda t: {"tau": wave(t)}
    )
    assert np.column_stack([result["phi"], result["omega"]]) == pytest.approx(exact, abs=1e-7)


def test_fmpy_handles_the_events_of_an_algorithm(exported):
    stairs = exported("stairs", 3)
    result = fmpy.simulate_fmu(
        str(stairs.directory),
        model_description=stairs.description,
        fmi_type="CoSimulation",
        stop_time=2.0,
        output_interval=0.5,
        early_return_allowed=True,
        use_event_mode=True,
        output=["y"],
    )
    times, first = np.unique(result["time"][::-1], return_index=True)
    assert 0.3 in times
    after = result["y"][::-1][first]
    assert after == pytest.approx(np.floor(times / 0.3 + 1e-9))


def test_validation_is_clean(exported):
    for name in ("pendulum", "gain", "stairs"):
        problems = fmpy.validation.validate_fmu(str(exported(name, 3).path))
        assert problems == []


def test_instance_whose_step_fails_is_as_it_was(exported):
    """x ends at t = 1; the callback has been called on the way there."""
    edge, master = exported("edge", 3), Master({"u": lambda t: t})
    with running(edge, "cs", **master.offered(edge, ["u", "x"])) as fmu:
        master.fmu = fmu
        fmu.initialize()
        fmu.set({"u": 0.5})
        with pytest.raises(FMICallException):
            master.step(0.0, 1.5)
        assert master.calls
        assert fmu.get(["time", "x", "u"]).tolist() == [0.0, 1.0, 0.5]
        master.step(0.0, 0.5)
        assert fmu.get(["x"])[0] == pytest.approx(np.sqrt(0.5), abs=1e-7)
