"""Unsaved work, kept until it is saved or thrown away: the server may be killed at any time."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import platformdirs

from cranebridge.errors import InputError
from cranebridge.workbench.scenario_folder import put_text, text_hash


class Recovery:
    """The unsaved text of one scenario.

    Parameters
    ----------
    scenario : str
        Which: its full path, or the name of a ready one with the folder.
    folder : pathlib.Path, optional
        Where it is kept; the user's own by default.
    """

    def __init__(self, scenario: str, folder: Path | None = None) -> None:
        kept = folder or Path(platformdirs.user_state_dir("cranebridge")) / "workbench"
        self._file, self._scenario = kept / f"{text_hash(scenario)}.json", scenario

    def keep(self, text: str) -> None:
        """Keep a text; what is wrong with the disk must not stop the work."""
        with suppress(OSError, InputError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            put_text(self._file, json.dumps({"scenario": self._scenario, "text": text}))
            self._file.chmod(0o600)

    def found(self) -> str | None:
        """Return the text that was kept, if there is one."""
        try:
            return str(json.loads(self._file.read_text(encoding="utf-8"))["text"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def forget(self) -> None:
        """Throw it away."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
