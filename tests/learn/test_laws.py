"""Laws and models of learning against dense matrices, closed forms and each other."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from black_boxes import OVERHEAD_MODEL, lifted_matrix, overhead_record
from scipy.linalg import expm

from cranebridge.errors import InputError
from cranebridge.learn import (
    ChangeWeights,
    Frequency,
    LiftedLaw,
    Record,
    Rules,
    SampledModel,
    Transfer,
    TrialOutcome,
    answers_of,
    band_noise,
    estimate_transfer,
    learn,
    sampled,
    transfer_of,
    weights_for,
)
from cranebridge.learn.floors import find_floors

STEP = 0.02
A = np.array([[0.0, 1.0], [-9.0, -1.2]])
B, C, D = np.array([[0.0], [9.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 1))


def constant(count: int, step: float = STEP) -> SampledModel:
    A_, B_, C_, D_ = (np.broadcast_to(part, (count, *part.shape)) for part in (A, B, C, D))
    return sampled(step, A_, B_, C_, D_)


def record(error: np.ndarray, step: float = STEP) -> Record:
    names = tuple(f"y{i}" for i in range(error.shape[1]))
    return Record(
        step * np.arange(len(error)), np.zeros((len(error), 1)), 0.0 * error, error, names
    )


# ---------------------------------------------------------------------------- models


def test_sampled_model_follows_straight_lines_exactly() -> None:
    """Against the step response of the oscillator, summed over ramps: lines are what it is for."""
    model, t = constant(200), STEP * np.arange(200)
    # x' = A x + B t from rest: a closed form through the exponential of the augmented matrix
    big = np.zeros((4, 4))
    big[:2, :2], big[:2, 2:3], big[2, 3] = A, B, 1.0
    ramp = [float((expm(big * time) @ [0.0, 0.0, 0.0, 1.0])[0]) for time in t]
    assert model.respond(t[:, None])[:, 0] == pytest.approx(ramp, abs=1e-12)


def test_trace_is_that_of_the_dense_matrix() -> None:
    model = constant(60)
    assert model.trace() == pytest.approx(np.sum(lifted_matrix(model) ** 2), rel=1e-12)


# ---------------------------------------------------------------------------- lifted


@pytest.fixture(scope="module")
def crane() -> tuple[SampledModel, np.ndarray]:
    _, _, commands = overhead_record(200, begin=0.0)
    model = OVERHEAD_MODEL.model(commands)
    return model, lifted_matrix(model)


@pytest.mark.parametrize(
    ("smooth", "ridge"), [((1e-5, 3e-5), (1e-6, 2e-6)), ((0.0, 0.0), (1e-8, 1e-8))]
)
def test_recursion_solves_what_the_dense_equations_say(crane, smooth, ridge) -> None:
    model, S = crane
    error = np.random.default_rng(1).standard_normal((200, 2))
    second = np.kron(np.diff(np.eye(200), 2, axis=0) / model.step**2, np.eye(2))
    M2, M = np.tile(smooth, 198), np.tile(ridge, 200)
    H = S.T @ S + second.T @ (M2[:, None] * second) + np.diag(M)
    dense = np.linalg.solve(H, S.T @ error.ravel()).reshape(200, 2)
    found = LiftedLaw(model, ChangeWeights(np.array(smooth), np.array(ridge)))
    own = record(error, model.step)
    # the dense equations square the condition of S (1e8 here), the recursion does not
    assert found.correction(own) == pytest.approx(dense, abs=1e-7 * np.abs(dense).max())
    left = (error.ravel() - S @ dense.ravel()).reshape(200, 2)
    assert found.remaining(own) == pytest.approx(left, abs=1e-7)


def test_memory_grows_with_the_record_and_not_with_its_square() -> None:
    count = 4000
    model, error = constant(count), np.sin(np.linspace(0.0, 60.0, count))[:, None]
    law, own = LiftedLaw(model, weights_for(model, 2.0)), record(error)
    tracemalloc.start()
    law.correction(own)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.02 * 8 * count**2  # S alone has count^2 numbers of 8 bytes


def test_bandwidth_is_where_half_of_an_error_is_learned() -> None:
    """y = u: the law is then a filter 1/(1 + (f/bandwidth)^4), known in closed form."""
    count, step = 2000, 0.005
    zero = np.zeros((count, 1, 1))
    model = SampledModel(step, zero, zero, zero, np.ones((count, 1, 1)))
    law, t = LiftedLaw(model, weights_for(model, 4.0, ridge=1e-12)), step * np.arange(count)
    for frequency in (2.0, 4.0, 8.0):
        error = np.sin(2 * np.pi * frequency * t)[:, None]
        found = law.correction(record(error, step))
        middle = slice(500, 1500)  # ends of the record are ends of the filter
        gain = float(found[middle, 0] @ error[middle, 0] / (error[middle, 0] @ error[middle, 0]))
        # second differences are the second derivative up to (w h)^2/12: 1 % at 8 Hz
        assert gain == pytest.approx(1.0 / (1.0 + (frequency / 4.0) ** 4), rel=0.02)


def test_learning_with_an_exact_model_ends_after_one_trial() -> None:
    count = 300
    model, t = constant(count), STEP * np.arange(300)
    target = (0.5 - 0.5 * np.cos(2 * np.pi * t / t[-1]))[:, None]

    def run(_number: int, u: np.ndarray) -> TrialOutcome:
        return TrialOutcome(Record(t, u, model.respond(u), target, ("y",)))

    learned = learn(run, LiftedLaw(model, weights_for(model, 10.0)), np.zeros((count, 1)), Rules(3))
    assert learned.trials[1].total < 1e-4 * learned.trials[0].total


# ---------------------------------------------------------------------------- pulses


def test_answers_to_one_pulse_are_the_whole_model_of_a_plant_that_does_not_change() -> None:
    count = 300
    model = constant(count)
    u = np.random.default_rng(2).standard_normal((count, 1))
    pulses = answers_of(model.respond, np.ones((count, 1)), STEP, np.array([1e-3]), [0.0])
    inner = u.copy()
    inner[0] = 0.0  # of the first sample's half a hat the answer is half that of a hat, about
    assert pulses.respond(inner) == pytest.approx(model.respond(inner), abs=1e-9)
    y = np.random.default_rng(3).standard_normal((count, 1))
    assert np.sum(pulses.respond(u) * y) == pytest.approx(np.sum(u * pulses.transposed(y)))
    error = record(1.0 - np.cos(np.linspace(0.0, 9.0, count))[:, None])
    weights = weights_for(model, 2.0)
    by_state = LiftedLaw(model, weights).correction(error)
    by_pulses = LiftedLaw(pulses, weights).correction(error)
    # but for that first sample: one of the 25 of a period at 2 Hz
    assert by_pulses == pytest.approx(by_state, abs=0.02 * np.abs(by_state).max())


def largest_factor(number: int) -> int:
    largest = 1
    for factor in range(2, number + 1):
        while number % factor == 0:
            number, largest = number // factor, factor
        if number == 1:
            break
    return largest


def test_cost_of_pulses_grows_with_the_record_as_transforms_do(monkeypatch) -> None:
    """Numbers and lengths of the transforms, for records whose lengths are primes."""
    own = {name: getattr(np.fft, name) for name in ("rfft", "irfft")}
    costs, lengths = [], list[int]()

    def counted(name: str):
        def transform(values, n=None, axis=-1):
            lengths.append(n)
            return own[name](values, n, axis=axis)

        return transform

    for count in (503, 2011):
        model = constant(count)
        first = np.ones((count, 1))
        pulses = answers_of(model.respond, first, STEP, np.array([1e-3]), [0.0])
        lengths.clear()
        for name in own:
            monkeypatch.setattr(np.fft, name, counted(name))
        error = record(1.0 - np.cos(STEP * np.arange(count))[:, None])
        LiftedLaw(pulses, weights_for(pulses, 2.0)).correction(error)
        monkeypatch.undo()
        assert max(map(largest_factor, set(lengths))) <= 5
        assert max(lengths) < 2.2 * count
        costs.append(sum(lengths))
    # four times the record is four times the work, but for a few iterations more
    assert costs[1] < 1.5 * 2011 / 503 * costs[0]


# ---------------------------------------------------------------------------- frequency


def test_noise_finds_the_transfer_matrix_of_a_linear_plant() -> None:
    count = 40000
    u = band_noise(count, STEP, 8.0, np.array([0.3]), draw=4)
    assert np.sqrt(np.mean(u**2)) == pytest.approx(0.3)
    y = constant(count).respond(u)
    found = estimate_transfer(STEP * np.arange(count), u, y, segment=40.0, overlap=0.5)
    w = 2 * np.pi * found.frequency
    exact = 9.0 / (9.0 - w**2 + 1.2j * w)
    band = (found.frequency > 0.2) & (found.frequency < 7.0)
    # lines between samples answer with sinc^2 of the exact one: 0.94 at 7 Hz
    exact = exact * np.sinc(found.frequency * STEP) ** 2
    # Hann windows of 40 s (0.04 Hz) blur a resonance 0.2 Hz wide by (0.04/0.2)^2 of its peak
    assert np.abs(found.G[band, 0, 0] - exact[band]).max() < 0.05 * np.abs(exact).max()
    assert found.coherence is not None
    assert found.coherence[band].min() > 0.9
    # no noise, no knowledge
    assert found.coherence[found.frequency > 9.0].max() == 0.0


def test_more_outputs_than_inputs_are_learned_in_the_least_squares_sense() -> None:
    G = np.array([[[1.0], [2.0]]] * 11, dtype=complex)
    law = Frequency(Transfer(np.linspace(0.0, 5.0, 11), G), 5.0, "none")
    t = 0.1 * np.arange(100)
    wave = np.cos(2 * np.pi * t)
    # errors (3, 1): least squares of (u - 3, 2 u - 1) is u = (3 + 2)/5
    own = Record(t, np.zeros((100, 1)), np.zeros((100, 2)), np.outer(wave, [3.0, 1.0]), ("a", "b"))
    assert law.correction(own)[:, 0] == pytest.approx(wave, abs=1e-12)
    assert law.remaining(own) == pytest.approx(np.outer(wave, [2.0, -1.0]), abs=1e-12)


def test_bands_without_coherence_are_left_alone() -> None:
    frequency = np.linspace(0.0, 5.0, 51)
    transfer = Transfer(frequency, np.ones((51, 1, 1), complex), (frequency < 1.5)[:, None] * 1.0)
    t = 0.1 * np.arange(100)
    slow, fast = np.cos(2 * np.pi * t), np.cos(2 * np.pi * 3.0 * t)
    law = Frequency(transfer, 5.0, "none", coherence=0.8)
    assert law.correction(record((slow + fast)[:, None], 0.1))[:, 0] == pytest.approx(slow)


def test_transfer_is_the_closed_form() -> None:
    frequency = np.array([0.0, 0.5, 3.0])
    w = 2 * np.pi * frequency
    found = transfer_of(A, B, C, D, frequency).G[:, 0, 0]
    assert found == pytest.approx(9.0 / (9.0 - w**2 + 1.2j * w))


# ---------------------------------------------------------------------------- going on and ending


def plant(wanted: float, slope: float = 1.0):
    """y = slope u, and what learning makes of it with a model y = u."""
    t = STEP * np.arange(50)
    target = np.full((50, 1), wanted)

    def run(_number: int, u: np.ndarray) -> TrialOutcome:
        return TrialOutcome(Record(t, u, slope * u, target, ("y",)))

    zero = np.zeros((50, 1, 1))
    model = SampledModel(STEP, zero, zero, zero, np.ones((50, 1, 1)))
    return run, LiftedLaw(model, ChangeWeights(np.zeros(1), np.full(1, 1e-12)))


def test_plant_that_answers_three_times_as_strongly_is_learned_with_less_gain() -> None:
    # e -> (1 - 3 gain) e: -2 with gain 1, -0.5 with 0.5
    run, law = plant(1.0, slope=3.0)
    learned = learn(run, law, np.zeros((50, 1)), Rules(4))
    assert [trial.status for trial in learned.trials] == ["learned", "undone", *["learned"] * 3]
    totals = [trial.total for trial in learned.trials]
    assert totals == pytest.approx([1.0, 2.0, 0.5, 0.25, 0.125])
    assert learned.trials[1].note == "the error grew from 1 to 2: undone, gain halved to 0.5"


def test_plant_that_answers_the_wrong_way_is_given_up() -> None:
    run, law = plant(1.0, slope=-1.0)
    learned = learn(run, law, np.zeros((50, 1)), Rules(20))
    assert learned.stopped
    assert learned.best == 0
    assert "whatever the gain: the model is wrong in this band" in learned.ended


def test_broken_limit_ends_learning_with_the_best_controls_so_far() -> None:
    run, law = plant(1.0, slope=0.5)

    def limited(number: int, u: np.ndarray) -> TrialOutcome:
        found = run(number, u)
        broken = ("u is 1.5, above 1.4",) if u.max() > 1.4 else ()
        return TrialOutcome(found.record, broken)

    learned = learn(limited, law, np.zeros((50, 1)), Rules(9))
    # u = 0, 1, 1.5: the third breaks the limit
    assert [trial.status for trial in learned.trials] == ["learned", "learned", "limit"]
    assert learned.stopped
    assert learned.ended == "trial 2 breaks a limit: u is 1.5, above 1.4"
    assert learned.record is not None
    assert learned.record.inputs == pytest.approx(np.ones((50, 1)))


def test_first_controls_that_break_a_limit_are_not_learned_on_from() -> None:
    run, law = plant(1.0, slope=0.5)
    given: list[float] = []

    def limited(number: int, u: np.ndarray) -> TrialOutcome:
        given.append(float(u.max()))
        return TrialOutcome(
            run(number, u).record, ("u is 1.6, above 1.4",) if u.max() > 1.4 else ()
        )

    learned = learn(limited, law, np.full((50, 1), 1.6), Rules(9))
    # the next ones would be 1.6 + (1 - 0.8) = 1.8
    assert given == [1.6]
    assert [trial.status for trial in learned.trials] == ["limit"]
    assert (learned.stopped, learned.best) == (True, 0)
    assert learned.ended == "trial 0 breaks a limit: u is 1.6, above 1.4"
    assert learned.record is not None
    assert learned.record.inputs == pytest.approx(np.full((50, 1), 1.6))


def test_undone_trial_goes_on_from_the_best_one_and_not_from_the_last() -> None:
    """Errors by trial: an error that grew by 3 % is gone on from, and is not the best."""
    t, errors, given = STEP * np.arange(50), [1.0, 1.03, 2.0, 0.5], []

    def run(number: int, u: np.ndarray) -> TrialOutcome:
        given.append(u[0, 0])
        return TrialOutcome(
            Record(t, u, np.full((50, 1), -errors[number]), np.zeros((50, 1)), ("y",))
        )

    _, law = plant(1.0)
    learned = learn(run, law, np.zeros((50, 1)), Rules(3))
    assert [trial.status for trial in learned.trials] == ["learned", "learned", "undone", "learned"]
    # the correction is the error: 0, 0 + 1, 1 + 1.03, and from the best with half the gain 0 + 1/2
    assert given == pytest.approx([0.0, 1.0, 2.03, 0.5])


def test_plant_that_fails_is_undone_and_one_that_fails_at_once_ends_it() -> None:
    run, law = plant(1.0)

    def fails(number: int, u: np.ndarray) -> TrialOutcome:
        return run(number, u) if u.max() < 0.7 else TrialOutcome(None, failed="a rope is slack")

    learned = learn(fails, law, np.zeros((50, 1)), Rules(2))
    assert "did not come to the end (a rope is slack): undone" in learned.trials[1].note
    assert learned.trials[2].total == pytest.approx(0.5)
    nothing = learn(fails, law, np.ones((50, 1)), Rules(2))
    assert (nothing.record, nothing.stopped) == (None, True)


def test_output_that_no_input_reaches_is_a_floor_with_its_cause() -> None:
    t = STEP * np.arange(400)
    model = constant(400)
    blind = SampledModel(
        STEP,
        model.A,
        model.B,
        np.concatenate([model.C, np.zeros_like(model.C)], axis=1),
        np.concatenate([model.D, np.zeros_like(model.D)], axis=1),
    )
    target = np.column_stack([1 - np.cos(t), 0.3 * np.sin(t)])

    def run(_number: int, u: np.ndarray) -> TrialOutcome:
        return TrialOutcome(Record(t, u, blind.respond(u), target, ("seen", "unseen")))

    law = LiftedLaw(blind, weights_for(blind, 5.0))
    learned = learn(run, law, np.zeros((400, 1)), Rules(6))
    assert learned.ended == "the error does not fall any more"
    floor = next(floor for floor in learned.floors if floor.output == "unseen")
    assert floor.cause == "band"
    assert floor.size == pytest.approx(np.sqrt(np.mean(target[:, 1] ** 2)))
    assert "no input brings it in this band" in floor.message


def test_floor_is_no_larger_than_the_error_of_which_it_is_a_part() -> None:
    """A law whose own model says that its correction makes it worse after the start."""
    t, error = STEP * np.arange(50), np.full((50, 1), 2.0)
    own = Record(t, np.zeros((50, 1)), 0.0 * error, error, ("y",))
    (floor,) = [f for f in find_floors(own, 3.0 * error, own) if f.cause == "band"]
    assert floor.size == pytest.approx(2.0)


def test_start_that_an_input_reaches_directly_is_no_floor() -> None:
    # y = u: wrong at the first time, too, and right there after one trial
    run, law = plant(1.0, slope=0.5)
    for trials in (0, 1):
        assert learn(run, law, np.zeros((50, 1)), Rules(trials)).floors == ()


def test_goal_ends_learning() -> None:
    run, law = plant(1.0, slope=0.5)
    learned = learn(run, law, np.zeros((50, 1)), Rules(20, goal=0.1))
    assert len(learned.trials) == 5  # 1, 0.5, 0.25, 0.125, 0.0625
    assert not learned.stopped


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: record(np.zeros((3, 1))), "four times"),
        (lambda: weights_for(constant(9), 0.0), "above 0 Hz"),
        (lambda: ChangeWeights(np.zeros(1), np.zeros(1)), "ridge above zero"),
        (lambda: Frequency(transfer_of(A, B, C, D, np.ones(1)), 1.0, "cosin"), "cosine"),
        (lambda: band_noise(100, 0.01, 0.5, np.ones(1), 1), "no frequency"),
        (
            lambda: estimate_transfer(np.arange(9.0), np.ones((9, 1)), np.ones((9, 1)), 8.0),
            "excite longer",
        ),
    ],
)
def test_wrong_values_are_refused_with_a_sentence(call, words) -> None:
    with pytest.raises(InputError, match=words):
        call()
