"""What the page says of verdicts, certificate and budget is what was verified."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from report_page import Page, plain, rows
from rich.console import Console

from cranebridge.job import verify_on_twin
from cranebridge.job.summaries import summary
from cranebridge.limits import solution_motion
from cranebridge.report import render
from cranebridge.report.rows.budget_rows import budget_table
from cranebridge.report.rows.least_forces import rope_forces
from cranebridge.report.rows.number_texts import quantity
from cranebridge.terminal import show_verified
from cranebridge.verify.certificate.outcome import Omission

# A real crane as plant: another machine, whose load comes near enough.
FAILED = ("overhead", "plant.model=OverheadCraneReal", "limits.tracking=1")
# The jerk of the solution is 14.6 m/s^3; of this plant it is not known.
NOT_JUDGED = ("overhead", "plant.interface=cs", "limits.jerk={x = 20.0}")
KINDS = {"passed": "ok", "failed": "nok", "not judged": "open"}


def text(value, unit="m"):
    return plain(quantity(value, unit))


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        (("overhead",), "passed"),
        (("rotary",), "passed"),
        (("navy2d",), "failed"),
        (FAILED, "failed"),
        (NOT_JUDGED, "failed"),
    ],
)
def test_page_says_what_the_exit_code_says(verified, settings, status):
    scenario, result = verified(*settings)
    assert result.exit_code == (0 if status == "passed" else 1)
    page = render(scenario, result)
    assert f'<div class="card verdict {status}" role="status">' in page
    assert f'<span class="word">{status}</span>' in page
    listed = [row for row in rows(page, "Verdicts") if len(row[0]) == 6]
    assert [(cells[0], cells[1]) for cells, _ in listed] == [
        (verdict.name, verdict.status) for verdict in result.verdicts
    ]
    assert [kinds[1] for _, kinds in listed] == [KINDS[v.status] for v in result.verdicts]


def test_solution_alone_is_not_called_passed(solved):
    header = Page(render(*solved("rotary"))).header
    assert "solved: the feedforward was computed and not yet verified" in header
    assert "passed" not in header


def test_verdict_stands_at_the_top_with_its_numbers(verified):
    scenario, result = verified("rotary")
    tracking, header = result.tracking, Page(render(scenario, result)).header
    name = max(tracking.max_error, key=tracking.max_error.get)
    # sentences do not tell sizes below a micrometre; the tables do
    below = "< 1 µm"
    assert 0.0 < tracking.max_error[name] < 1e-6
    assert f"passed: the load follows the path within 1 µm (in {name}; 1 mm allowed)" in header
    told = "sampling, integrator, model and what they do not explain"
    assert f"error budget: {told} {below} each" in header
    assert f"residual swing after the end {below}" in header
    assert text(tracking.max_error[name]) in Page(render(scenario, result)).words
    assert "all ropes pull, T_cable least with 972.5 N at 17.50 s" in header


def test_other_machine_is_called_so_at_the_top(verified):
    scenario, result = verified(*FAILED)
    page = render(scenario, result)
    assert "failed twin and plant are different machines" in Page(page).header
    assert f"1 of {len(result.verdicts)} verdicts failed" in Page(page).header
    assert "error budget" not in Page(page).header
    compared = rows(page, "Certificate")
    assert {tuple(cells) for cells, _ in compared} == {
        (
            entry.quantity,
            f"{entry.difference:.2g}".replace("-", "−"),
            f"{entry.threshold:.2g}".replace("-", "−"),
            entry.how,
        )
        for entry in result.certificate.compared
    }
    for cells, kinds in compared:
        agrees = next(e.agrees for e in result.certificate.compared if e.quantity == cells[0])
        assert kinds[1] == ("number " if agrees else "number nok")


def test_what_was_not_judged_is_told_with_its_reason(verified):
    scenario, result = verified(*NOT_JUDGED)
    verdict = next(verdict for verdict in result.verdicts if verdict.status == "not judged")
    reason = verdict.message.split("because ")[1]
    page = render(scenario, result)
    header = Page(page).header
    assert f"1 of {len(result.verdicts)} verdicts could not be judged" in header
    assert f"not judged {verdict.name}: {reason}." in header
    listed = [cells for cells, _ in rows(page, "Verdicts")]
    place = next(i for i, cells in enumerate(listed) if cells[0] == verdict.name)
    assert listed[place] == [verdict.name, "not judged", "–", "–", "–", ""]
    assert listed[place + 1] == [reason]


def incomplete(result, **changes):
    """Return a result whose certificate could not compare a rope."""
    missing = Omission("force of rope T_cable", "the plant does not put it out")
    compared = tuple(c for c in result.certificate.compared if "rope" not in c.quantity)
    assert len(compared) < len(result.certificate.compared)
    certificate = replace(result.certificate, compared=compared, not_compared=(missing,))
    return replace(result, certificate=certificate, **changes)


def test_incomplete_certificate_fails_and_tells_what_is_missing(verified):
    scenario, result = verified("overhead")
    result = incomplete(result)
    page = render(scenario, result)
    header = Page(page).header
    assert result.status == "failed"
    assert "not judged twin and plant agree in what was compared" in header
    assert "but not everything was: force of rope T_cable (the plant does not put it out)" in header
    assert 'Certificate: <span class="open">incomplete</span>' in page
    missing = ["force of rope T_cable", "the plant does not put it out"]
    assert (missing, ["open", ""]) in rows(page, "Certificate")


def test_accepted_partial_certificate_is_told_at_the_top(verified):
    scenario, result = verified("overhead")
    result = incomplete(result, partial=True)
    page = render(scenario, result)
    assert result.status == "passed"
    notice = "Partial certificate: twin and plant agree in what was compared"
    assert notice in Page(page).header
    assert "accepted, because plant.certify = 'partial'" in Page(page).header
    assert any(notice in cells[0] for cells, _ in rows(page, "Verdicts"))
    assert "Partial certificate" not in render(*verified("overhead"))


def test_plant_that_was_not_compared_is_told_at_the_top(verified):
    page = render(*verified("overhead", "plant.certify=false"))
    assert "Twin and plant were not compared" in Page(page).header
    assert "<h2>Certificate" not in page


def test_twin_as_plant_is_told_at_the_top(verified):
    scenario, _ = verified("overhead")
    page = Page(render(scenario, verify_on_twin(scenario)))
    assert "The plant is the twin itself" in page.header
    assert "the twin's own equations of motion" in page.words


def test_certificate_that_promises_less_is_told_alike_in_terminal_summary_and_report(verified):
    scenario, result = verified("overhead")
    _, off = verified("overhead", "plant.certify=false")
    cases = {
        "Twin and plant were not compared: plant.certify is off.": off,
        "Partial certificate: twin and plant agree in what": incomplete(result, partial=True),
        "The plant is the twin itself:": verify_on_twin(scenario),
    }
    for words, told in cases.items():
        terminal = io.StringIO()
        show_verified(Console(file=terminal, width=10_000), scenario, told, None)
        assert f"note: {words}" in terminal.getvalue()
        sentence = summary(scenario, told)["certificate_notice"]
        assert sentence.startswith(words)
        assert sentence in terminal.getvalue()
        assert plain(sentence) in Page(render(scenario, told)).header
    # nothing is said of one that is whole, nor beside one that is no promise anyway
    for silent in (result, incomplete(result)):
        assert "certificate_notice" not in summary(scenario, silent)


def test_pushing_rope_fails_with_rope_and_time(verified):
    scenario, result = verified("navy2d")
    solution, page = result.feedforward, Page(render(scenario, result))
    pushed = solution.time[solution.ropes[:, 0] < -1.0]
    for who in ("", "on the plant, "):
        told = re.search(
            rf"failed {who}rope T_cable1_A would have to push from (\S+) s to (\S+) s", page.header
        )
        # the solution's step is 0.01 s, the verdict looks in between
        assert [float(t) for t in told.groups()] == pytest.approx(pushed[[0, -1]], abs=0.011)
    assert "all ropes pull" not in page.words


@pytest.mark.parametrize("settings", [("navy2d", "plant.step=0.7"), ("overhead", "plant.step=0.7")])
def test_least_rope_force_is_that_of_the_verdict_and_not_of_the_samples(verified, settings):
    scenario, result = verified(*settings)
    judged = {v.name: v for v in result.tracking.verdicts}
    listed = {cells[0].split()[0]: cells for cells, _ in rows(render(scenario, result), "Rope")}
    sampled = dict(
        zip([rope.name for rope in scenario.crane.ropes], result.tracking.ropes.T, strict=True)
    )
    for force in rope_forces(result.tracking.motion):
        verdict = judged[f"plant rope {force.name} pulls"]
        assert (force.least, force.time) == (verdict.value, verdict.time)
        assert listed[force.name][1] == plain(quantity(verdict.value, "N", 4))
        # the samples miss it by far, so that this test would see them
        assert sampled[force.name].min() > verdict.value + 5.0


def test_ropes_of_a_solution_are_those_of_its_verdicts(solved):
    scenario, result = solved("navy2d", "solve.step=0.5")
    found = {force.name: force for force in rope_forces(_motion(result))}
    for verdict in result.of_solution:
        name = verdict.name.removeprefix("rope ").removesuffix(" pulls")
        assert found[name].least == pytest.approx(verdict.value, rel=1e-9)
    assert "failed rope T_cable1_A would have to push" in Page(render(scenario, result)).header


def test_pushing_rope_is_told_where_ropes_are_not_judged(solved):
    scenario, result = solved("navy2d", "limits.ropes='ignore'")
    header = Page(render(scenario, result)).header
    assert result.status == "solved"
    assert "rope T_cable1_A would have to push with up to 442.2 N" in header
    assert "all ropes pull" not in header


def _motion(result):
    signals = [signal for signal, _ in result.limits.in_force(result.feedforward.problem.crane)]
    return solution_motion(result.feedforward, signals)


def test_rope_that_pushes_by_rounding_only_pulls_with_nothing(verified):
    scenario, result = verified("overhead")
    motion = result.tracking.motion
    for size, pushes in ((1e-13, False), (1.0, True)):
        force = motion.values["rope.T_cable"].copy()
        force[-1] = -size
        changed = replace(motion, values={**motion.values, "rope.T_cable": force})
        assert rope_forces(changed)[0].pushes is pushes
        page = render(scenario, replace(result, tracking=replace(result.tracking, motion=changed)))
        (cells, _), *_ = rows(page, "Rope forces")
        assert cells[1] == ("−1 N" if pushes else "0 N")


def test_error_budget_is_ordered_on_a_logarithmic_axis(verified):
    _, result = verified("rotary")
    places = {row.kind: row.place for row in budget_table(result, result.tracking).rows[3:]}
    model = budget_table(result, result.tracking).rows[2]
    assert model.label == "difference between twin and plant"
    assert 0.0 <= model.place < places["measured"] < places["limit"] <= 100.0


def test_unexplained_error_and_the_budgets_uncertainty_are_shown(verified):
    scenario, result = verified("overhead")
    budget = replace(result.tracking.budget, error=2e-3)
    result = replace(result, tracking=replace(result.tracking, budget=budget))
    listed = dict(cells for cells, _ in rows(render(scenario, result), "Error budget"))
    assert listed["not explained by these"] == "2 mm"
    assert listed["uncertainty of the budget"] == text(budget.uncertainty)


def test_error_budget_with_unknown_and_zero_parts_is_shown(verified):
    scenario, result = verified("rotary")
    budget = replace(result.tracking.budget, sampling=0.0, integrator=None, model=None)
    odd = replace(result, tracking=replace(result.tracking, budget=budget))
    listed = {row.label: row for row in budget_table(odd, odd.tracking).rows}
    assert listed["integrator of the plant"].text == "not known"
    assert listed["not explained by these"].text == "not known"
    assert listed["sampling and interpolation of the controls"].place is None
    assert "integrator not known" in Page(render(scenario, odd)).header
