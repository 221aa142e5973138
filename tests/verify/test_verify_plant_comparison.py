"""Plants compared with each other where one shows no derivatives: by what they do over time."""

from __future__ import annotations

import pytest
from overhead_plants import only_co_simulation

from cranebridge.job import compare_models
from cranebridge.plant.export import cached_fmu


@pytest.mark.parametrize(("first", "second"), [(False, True), (True, False)])
def test_co_simulation_is_compared_by_a_motion(first, second, tmp_path):
    fmu = cached_fmu("OverheadCrane")
    alone = only_co_simulation(fmu, tmp_path / "alone.fmu")
    pair = [str(alone if one else fmu) for one in (first, second)]
    found = compare_models(*pair)
    assert {one.how for one in found.certificate.compared} == {"motions"}
    assert any("one offers Co-Simulation only" in note for note in found.certificate.notes)
    assert found.certificate.worst.difference < 1e-6
    assert found.exit_code == 0
