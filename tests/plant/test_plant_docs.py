"""The example of docs/plant-simulation.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "plant-simulation.md"


def test_example_of_the_docs_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, str(DOCS), "exec"), names)
    assert "theta_1" in capsys.readouterr().out
    assert names["linear"].A.shape == (10, 10)
    assert names["rates"].shape == (6, 10)
    assert names["speeds"].exact
    assert names["speeds"].output_rates.shape == (6, 3)
    assert names["run"].column("T_cable")[0] == pytest.approx(981.0, rel=0.01)
