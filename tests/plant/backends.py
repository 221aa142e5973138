"""Where PyFMI can be imported, plants are tested with it too."""

from __future__ import annotations

import importlib.util

import pytest

needs_pyfmi = pytest.mark.skipif(
    importlib.util.find_spec("pyfmi") is None, reason="PyFMI is not installed"
)
BACKENDS = ["own"] if importlib.util.find_spec("pyfmi") is None else ["own", "pyfmi"]
