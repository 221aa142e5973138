"""Ready scenarios, one TOML file a case; the first line of each says which."""

from __future__ import annotations

from importlib import resources


def ready_scenarios() -> dict[str, str]:
    """Return the ready scenarios: name and the sentence that describes each.

    Examples
    --------
    >>> ready_scenarios()["gantry"]
    'Workshop gantry crane for 10 t in trolley, rope length and swing angle.'
    """
    texts = {
        item.name.removesuffix(".toml"): item.read_text(encoding="utf-8")
        for item in resources.files("cranebridge.scenarios").iterdir()
        if item.name.endswith(".toml")
    }
    return {name: texts[name].splitlines()[0].lstrip("# ") for name in sorted(texts)}
