"""What the shell offers for an argument or option when the user presses Tab."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from cranebridge.scenarios import ready_scenarios

Offers = list[tuple[str, str]]


def scenario_offers(incomplete: str) -> Offers:
    """Return ready scenarios and TOML files that begin so; nothing heavy is imported."""
    ready = [item for item in ready_scenarios().items() if item[0].startswith(incomplete)]
    return [*ready, *_files(incomplete, ".toml", "file")]


def model_offers(incomplete: str) -> Offers:
    """Return plants of the Modelica library and Modelica files that begin so."""
    from cranebridge.job.page import choices_of

    models = [item for item in choices_of("model").items() if item[0].startswith(incomplete)]
    return [*models, *_files(incomplete, ".mo", "file, followed by :Class")]


def comparable_offers(incomplete: str) -> Offers:
    """Return what can be compared: scenarios, Modelica models, FMUs."""
    known = (*scenario_offers(incomplete), *model_offers(incomplete))
    return [*dict.fromkeys((*known, *_files(incomplete, ".fmu", "file")))]


def offers_of(what: str) -> Callable[[str], Offers]:
    """Return what completes names of `job.offered`."""

    def offers(incomplete: str) -> Offers:
        from cranebridge.job.page import choices_of

        return [item for item in choices_of(what).items() if item[0].startswith(incomplete)]

    return offers


def _files(incomplete: str, suffix: str, meaning: str) -> Iterator[tuple[str, str]]:
    """Yield files of a kind, and the folders on the way to others."""
    before, slash, name = incomplete.rpartition("/")
    folder = Path(before + slash or ".")
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(name) or entry.name.startswith(".") > name.startswith("."):
            continue
        if entry.is_dir() and incomplete:
            yield f"{before}{slash}{entry.name}/", "folder"
        elif entry.suffix == suffix:
            yield f"{before}{slash}{entry.name}", meaning
