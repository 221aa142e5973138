"""Progress of a verification that is made of some simulations, each of which reports its own."""

from __future__ import annotations

from cranebridge.progress import Progress, ignore_progress


class RunCounter:
    """Counts simulations.

    Parameters
    ----------
    total : int
        How many there will be, as far as that is known.
    progress : callable
        Called with the part that is done of all.
    """

    def __init__(self, total: int, progress: Progress) -> None:
        self._total, self._progress, self._begun = total, progress, 0

    def begin(self) -> Progress:
        """Return what is called with the part that is done of the next simulation."""
        before = self._begun
        self._begun += 1

        def report_part(part: float) -> None:
            self._progress(min((before + part) / max(self._total, self._begun), 1.0))

        report_part(0.0)
        return report_part


UNCOUNTED = RunCounter(1, ignore_progress)
"""Of what nobody watches."""
