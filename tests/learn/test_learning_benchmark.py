"""The benchmark of learning on a black box: figures of independent code, table by table.

Those programs simulated and learned with code of their own; ours differ only in how the equations
are solved, so that tables are met to the digits that are printed. The issue asks for 2 % where an
error is above 1e-3 and for the order of magnitude below; noise by its order of magnitude.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from black_boxes import (
    OSCILLATOR,
    OVERHEAD_MODEL,
    OVERHEAD_REAL,
    BlackBox,
    oscillator_matrices,
    oscillator_target,
    overhead_record,
)

from cranebridge.learn import (
    ChangeWeights,
    Frequency,
    LiftedLaw,
    Record,
    Rules,
    Transfer,
    TrialOutcome,
    TrialSeries,
    band_noise,
    estimate_transfer,
    learn,
    transfer_of,
)
from further import mostly_further

TIME = OSCILLATOR.step * np.arange(400)
TARGET = oscillator_target(TIME)
LISTED = (0, 1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 39)


def oscillator_trial(_number: int, u: np.ndarray) -> TrialOutcome:
    with np.errstate(all="ignore"):
        y = OSCILLATOR(u)
    # beyond this the numbers of the benchmark say "diverged"
    if not np.isfinite(y).all() or np.abs(y).max() > 1e3:
        return TrialOutcome(None, failed="diverged")
    return TrialOutcome(Record(TIME, u, y, TARGET, ("y1", "y2")))


def relative(learned: TrialSeries) -> list[float]:
    """Largest rms error of an output relative to its target, trial by trial."""
    scale = np.sqrt(np.mean(TARGET**2, axis=0))
    return [
        max(np.array(list(trial.rms_error.values())) / scale) if trial.rms_error else np.inf
        for trial in learned.trials
    ]


def frequency_row(transfer: Transfer, cut: float, gain: float, undo: bool = False) -> list[float]:
    law = Frequency(transfer, cut, "none")
    first = law.inputs_for(TARGET, OSCILLATOR.step)
    return relative(learn(oscillator_trial, law, first, Rules(39, gain, undo=undo)))


def linearised(coupling: float) -> Transfer:
    frequency = np.fft.rfftfreq(len(TIME), OSCILLATOR.step)
    return transfer_of(*oscillator_matrices(coupling), frequency)


ROWS = {
    (0.0, 0.2): (
        0.508,
        0.442,
        0.392,
        0.353,
        0.322,
        0.296,
        0.238,
        0.208,
        0.157,
        0.127,
        0.088,
        0.147,
    ),
    (100.0, 1.0): (
        *(0.529, 0.379, 0.375, 0.219, 0.211, 0.154, 0.103, 0.0749, 0.0347, 0.0139, 0.00277),
        0.000547,
    ),
    (100.0, 0.5): (
        *(0.529, 0.314, 0.25, 0.227, 0.179, 0.124, 0.0531, 0.0336, 0.021, 0.0134, 0.00583, 0.003),
    ),
}


@pytest.mark.parametrize(("coupling", "gain"), ROWS)
def test_frequency_law_learns_the_oscillator_as_listed(coupling: float, gain: float) -> None:
    found = frequency_row(linearised(coupling), 20.0, gain)
    assert [found[k] for k in LISTED] == pytest.approx(ROWS[coupling, gain], rel=0.02)


def test_frequency_law_with_the_stiffness_at_rest_diverges_as_listed() -> None:
    found = frequency_row(linearised(0.0), 20.0, 1.0)
    # at k = 15 and later the motion is chaotic in size: those figures are not compared
    assert found[:6] == pytest.approx([0.508, 0.327, 0.43, 0.821, 1.17, 1.53], rel=0.02)
    assert found[8] > 3.0
    assert len(found) < 40
    assert found[-1] == np.inf


def test_that_divergence_is_found_and_undone() -> None:
    law = Frequency(linearised(0.0), 20.0, "none")
    first = law.inputs_for(TARGET, OSCILLATOR.step)
    learned = learn(oscillator_trial, law, first, Rules(12))
    undone = [trial for trial in learned.trials if trial.status == "undone"]
    assert undone
    assert undone[0].number == 2
    assert "undone, gain halved to 0.5" in undone[0].note
    totals = [trial.total for trial in learned.trials]
    # the table's row with gain 0.2 says what smaller steps reach; 0.327 is where it went wrong
    assert min(totals) == totals[learned.best]
    assert relative(learned)[learned.best] < 0.25


def test_gauss_newton_learns_the_oscillator_as_listed() -> None:
    def law(record: Record) -> LiftedLaw:
        model = OSCILLATOR.model(record.inputs)
        return LiftedLaw(model, ChangeWeights(np.zeros(2), np.full(2, 1e-6 * model.trace() / 800)))

    found = relative(learn(oscillator_trial, law, np.zeros((400, 2)), Rules(8, undo=False)))
    assert found[:5] == pytest.approx([1.71, 0.492, 0.224, 0.0671, 0.0069], rel=0.02)
    assert 1e-5 < found[5] < 1e-3
    assert 1e-9 < found[8] < 1e-7


@pytest.fixture(scope="module")
def noisy() -> Transfer:
    count = 400 * 400
    u = band_noise(count, OSCILLATOR.step, 10.0, np.full(2, 4e-3), draw=1)
    y = replace(OSCILLATOR, start=(0.0, 0.0, 0.0, 0.0))(u)
    # the in-phase mode is not damped: the benchmark's noise run drifts to 70 mm rms, too
    assert np.sqrt(np.mean(y**2)) == pytest.approx(0.07, rel=0.5)
    return estimate_transfer(OSCILLATOR.step * np.arange(count), u, y, segment=2.0)


def test_estimate_from_noise_converges_slowly_with_half_the_gain(noisy: Transfer) -> None:
    half = frequency_row(noisy, 9.0, 0.5)
    # k = 0 and k = 39 of the listed row, by their order of magnitude
    assert 0.2 < half[0] < 2.0
    assert 0.00816 / 5 < half[-1] < 0.00816 * 5


def test_estimate_from_noise_diverges_with_the_whole_gain(noisy: Transfer) -> None:
    assert frequency_row(noisy, 9.0, 1.0)[-1] > 1e3
    law = Frequency(noisy, 9.0, "none")
    first = law.inputs_for(TARGET, OSCILLATOR.step)
    kept = learn(oscillator_trial, law, first, Rules(12))
    # the divergence is undone: with half the gain, as above, it is learned
    assert next(trial.gain for trial in kept.trials if trial.status == "undone") == 1.0
    assert max(t.total for t in kept.trials if t.status == "learned") == kept.trials[0].total
    assert kept.trials[kept.best].total < 0.5 * kept.trials[0].total


def test_noise_on_what_is_not_linear_shows_in_the_coherence(noisy: Transfer) -> None:
    assert noisy.coherence is not None
    band = (noisy.frequency > 1.0) & (noisy.frequency < 9.0)
    assert noisy.coherence[band].min() < 0.5


# ---------------------------------------------------------------------------- overhead crane

CRANE_TIME, CRANE_TARGET, COMMANDS = overhead_record()


def crane_trial(_number: int, u: np.ndarray) -> TrialOutcome:
    y = OVERHEAD_REAL(u)
    if not np.isfinite(y).all():
        return TrialOutcome(None, failed="diverged")
    return TrialOutcome(Record(CRANE_TIME, u, y, CRANE_TARGET, ("x", "z")))


def crane_figures(learned: TrialSeries, trial: int) -> list[float]:
    found = learned.trials[trial]
    return [*found.rms_error.values(), max(found.max_error.values())]


LIFTED = (
    (0.01863, 0.0113, 0.05646),
    (0.00134, 0.0005625, 0.004905),
    (0.0003431, 0.00047, 0.004905),
    (9.77e-05, 0.0004661, 0.004905),
    (3.942e-05, 0.0004638, 0.004905),
    (2.268e-05, 0.0004621, 0.004905),
    (1.785e-05, 0.0004607, 0.004905),
    (1.61e-05, 0.0004595, 0.004905),
    (1.509e-05, 0.0004584, 0.004905),
)
RIDGES = {
    1e-4: {1: (0.001341, 0.0004737), 3: (0.0001369, 0.0005649), 8: (7.762e-05, 0.003837)},
    1e-2: {1: (0.0014, 0.0005433), 3: (0.0001169, 0.0005168), 8: (3.312e-05, 0.001635)},
    1e-8: {1: (0.001352, 0.0004492), 3: (0.0001522, 0.0005496), 8: (0.0006157, 0.003887)},
}


@pytest.fixture(scope="module")
def crane_model():
    return OVERHEAD_MODEL.model(COMMANDS)


def test_commands_are_the_exact_inverse_of_the_model(crane_model) -> None:
    error = OVERHEAD_MODEL(COMMANDS) - CRANE_TARGET
    assert np.sqrt(np.mean(error**2, axis=0)) == pytest.approx([6.0e-5, 2.8e-5], rel=0.02)


def test_lifted_law_learns_the_overhead_crane_as_listed(crane_model) -> None:
    law = LiftedLaw(crane_model, ChangeWeights(np.full(2, 1e-5), np.full(2, 1e-6)))
    learned = learn(crane_trial, law, COMMANDS, Rules(8, undo=False))
    for k, listed in enumerate(LIFTED):
        assert crane_figures(learned, k) == pytest.approx(listed, rel=0.01)
    # what is left is the sag at the start: nothing before it could be learned
    starts = {floor.output: floor for floor in learned.floors if floor.cause == "start"}
    assert set(starts) == {"z"}
    assert starts["z"].size == pytest.approx(0.004905, rel=1e-3)


def test_the_start_does_not_count_where_errors_are_judged_after_it(crane_model) -> None:
    law = LiftedLaw(crane_model, ChangeWeights(np.full(2, 1e-5), np.full(2, 1e-6)))
    learned = learn(crane_trial, law, COMMANDS, Rules(5, after=1.0))
    assert max(learned.trials[5].max_error.values()) < 5e-4


@pytest.mark.parametrize("ridge", mostly_further(RIDGES, 1e-4))
def test_a_ridge_alone_diverges_as_listed_and_is_undone(crane_model, ridge: float) -> None:
    law = LiftedLaw(crane_model, ChangeWeights(np.zeros(2), np.full(2, ridge)))
    followed = learn(crane_trial, law, COMMANDS, Rules(8, undo=False))
    for k, listed in RIDGES[ridge].items():
        assert crane_figures(followed, k)[:2] == pytest.approx(listed, rel=0.02)
    kept = learn(crane_trial, law, COMMANDS, Rules(8))
    undone = [trial.number for trial in kept.trials if trial.status == "undone"]
    assert undone
    # and what is kept is no worse than the best that was met on the way into divergence
    assert kept.trials[kept.best].total <= min(trial.total for trial in followed.trials)


def loop_matrices(length: float) -> tuple[np.ndarray, ...]:
    x, u = ca.SX.sym("x", 6), ca.SX.sym("u", 2)
    rate = OVERHEAD_MODEL.f(x, u)
    matrices = ca.Function("A", [x, u], [ca.jacobian(rate, x), ca.jacobian(rate, u)])
    A, B = map(np.array, matrices([0.0, 0.0, length, 0.0, 0.0, 0.0], [0.0, length]))
    return A, B, np.eye(2, 6, 1), np.zeros((2, 2))


FREQUENCY = {
    (1.0, 3.0): {1: (0.02199, 0.007211, 0.05037), 3: (0.2201, 0.06354, 0.5861)},
    (0.5, 3.0): {2: (0.01354, 0.003777, 0.03919), 5: (0.1697, 0.031, 0.3369)},
    (0.5, 1.5): {
        1: (0.01233, 0.004219, 0.03342),
        5: (0.006939, 0.00111, 0.014),
        15: (0.006271, 0.0014, 0.01217),
        24: (0.004478, 0.00129, 0.009146),
    },
}


@pytest.mark.parametrize(("gain", "cut"), FREQUENCY)
def test_frequency_law_on_the_overhead_crane_as_listed(gain: float, cut: float) -> None:
    A, B, C, D = loop_matrices(2.5)
    poles = sorted(np.linalg.eigvals(A).real)
    assert poles == pytest.approx(
        [-74.0703, -15.6692, -11.6036, -5.8713, -0.0292, -0.0292], rel=2e-3
    )
    law = Frequency(transfer_of(A, B, C, D, np.fft.rfftfreq(1000, 0.01)), cut)
    listed = FREQUENCY[gain, cut]
    learned = learn(crane_trial, law, COMMANDS, Rules(max(listed), gain, undo=False))
    for k, figures in listed.items():
        assert crane_figures(learned, k) == pytest.approx(figures, rel=0.02)


def test_frequency_law_that_diverges_on_the_crane_is_undone() -> None:
    law = Frequency(transfer_of(*loop_matrices(2.5), np.fft.rfftfreq(1000, 0.01)), 3.0)
    learned = learn(crane_trial, law, COMMANDS, Rules(8))
    # with the whole gain trial 1 is worse than trial 0 already
    assert [trial.status for trial in learned.trials[:2]] == ["learned", "undone"]
    assert learned.trials[learned.best].total < 0.9 * learned.trials[0].total


def test_frequency_law_with_half_the_gain_that_diverges_on_the_crane_is_undone() -> None:
    """Gain 0.5, cut at 3 Hz: the table has it fall for two trials and then grow tenfold."""
    law = Frequency(transfer_of(*loop_matrices(2.5), np.fft.rfftfreq(1000, 0.01)), 3.0)
    learned = learn(crane_trial, law, COMMANDS, Rules(8, 0.5))
    undone = [trial for trial in learned.trials if trial.status == "undone"]
    assert undone
    assert "gain halved to 0.25" in undone[0].note
    # never as bad as the fifth trial of the table (0.17 m rms), and better than its second
    assert max(trial.rms_error["x"] for trial in learned.trials) < 0.1
    assert learned.trials[learned.best].rms_error["x"] <= FREQUENCY[0.5, 3.0][2][0] * 1.02


def test_ramp_itself_is_never_transformed_but_the_error_of_good_controls() -> None:
    """A motion of 5 m that ends elsewhere is no period of anything; its error is."""
    law = Frequency(transfer_of(*loop_matrices(2.5), np.fft.rfftfreq(1000, 0.01)), 1.5)
    by_ramp = law.inputs_for(CRANE_TARGET, 0.01)
    good = crane_trial(0, COMMANDS).record
    assert good is not None
    corrected = crane_trial(1, COMMANDS + 0.5 * law.correction(good)).record
    from_ramp = crane_trial(1, by_ramp).record
    assert corrected is not None
    # the jump from 5 m to 0 at the record's ends rings through all of it: metres, not millimetres
    assert from_ramp is None or from_ramp.total_error() > 0.3
    assert corrected.total_error() < good.total_error() < 0.03


def test_forces_of_a_crane_without_loops_are_refused_by_the_frequency_law() -> None:
    # a trolley and a drum that nothing holds: two double integrators
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    B = np.vstack([np.zeros((2, 2)), np.eye(2)])
    with pytest.raises(Exception, match=r"the plant integrates: 4 of its poles are zero.*drives"):
        transfer_of(A, B, np.eye(2, 4), np.zeros((2, 2)), np.array([0.0, 1.0]))


def test_record_that_ends_in_motion_leaks() -> None:
    """The transform takes the record as periodic: cut off in motion, its correction is wrong."""
    box = BlackBox(
        f=lambda x, u: ca.vertcat(x[1], -4.0 * x[0] - 2.0 * x[1] + 4.0 * u),
        h=lambda x: x[0],
        states=2,
        inputs=1,
        step=0.02,
        parts=2,
        start=(0.0, 0.0),
    )
    A, B = np.array([[0.0, 1.0], [-4.0, -2.0]]), np.array([[0.0], [4.0]])

    def learned_error(end: float) -> float:
        t = box.step * np.arange(round(end / box.step))
        target = np.where(t < 4.0, 0.5 - 0.5 * np.cos(np.pi * t / 2.0), 0.0)[:, None]
        transfer = transfer_of(
            A, B, np.eye(1, 2), np.zeros((1, 1)), np.fft.rfftfreq(t.size, box.step)
        )
        law = Frequency(transfer, 10.0, "none")
        u = law.inputs_for(target, box.step)
        return Record(t, u, box(u), target, ("y",)).total_error()

    # with 6 s of rest what is left has died out (exp(-6)), without it the end leaks to the start
    assert learned_error(10.0) < 0.02 * learned_error(3.0)
