"""A study of a scenario, made and written."""

from __future__ import annotations

from pathlib import Path

from cranebridge.job.folder import open_folder, require_usable
from cranebridge.job.running import job_key
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario import Scenario
from cranebridge.study import KINDS, Study, make_study, study_files

__all__ = ["KINDS", "study_into"]


def study_into(
    kind: str,
    scenario: Scenario,
    folder: Path,
    force: bool = False,
    progress: Progress = ignore_progress,
) -> Study:
    """Make a study and write it into a folder.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    scenario : Scenario
        Of what.
    folder : pathlib.Path
        Gets its files.
    force : bool
        Replace an earlier result.
    progress : callable
        Called with the fraction that is done.
    """
    key = job_key(scenario, f"study {kind}")
    require_usable(folder, force, key)
    result = make_study(kind, scenario, progress)
    with open_folder(folder, key, force) as results:
        for name, content in study_files(result).items():
            results.write_bytes(name, content)
        results.finish()
    return result
