"""How far two models of a crane agree: what was compared, in sentences and for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cranebridge.verify import Certificate, CommonSource, Comparison


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """How far two models agree.

    Attributes
    ----------
    first, second : str
        What was compared, as it was named.
    certificate : Certificate
        What was compared with the first one's values of parameters, and what could not be.
    values : mapping of str to tuple of float
        Parameters whose own values differ.
    common_source : CommonSource or None
        The Modelica source that both come from.
    """

    first: str
    second: str
    certificate: Certificate
    values: Mapping[str, tuple[float, float]]
    common_source: CommonSource | None = None

    @property
    def exit_code(self) -> int:
        """0 they agree, 1 they differ, 2 not all that makes the machine could be compared."""
        if self.certificate.status == "different" or self.values:
            return 1
        return 0 if self.certificate.same else 2

    def sentence(self) -> str:
        """Return the finding in a sentence."""
        found, pair = self.certificate, f"{self.first} and {self.second}"
        missing = "; ".join(f"{one.quantity} ({one.reason})" for one in found.not_compared)
        if not found.compared:
            return f"{pair} cannot be compared: {missing}"
        if found.status == "different":
            return f"{pair} differ most in the {_measured(found.worst)}{_in(found)}"
        of_values = ""
        if self.values:
            of_values = f"; with equal values of parameters, but {', '.join(self.values)} differ"
        if missing:
            return f"{pair} agree in what was compared{of_values}; not compared: {missing}"
        what = "a motion" if found.worst.how == "motions" else f"{found.samples} states"
        return f"{pair} agree in {what}, worst in the {_measured(found.worst)}{of_values}"

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each variable, and for each parameter of another value."""
        for one in self.certificate.compared:
            yield f"{one.quantity}: {'agrees' if one.agrees else 'DIFFERS'}, {_size(one)}"
        for name, (mine, theirs) in self.values.items():
            yield f"parameter {name}: {mine:.9g} in {self.first}, {theirs:.9g} in {self.second}"

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        common = self.common_source
        return {
            "first": self.first,
            "second": self.second,
            "exit_code": self.exit_code,
            "sentence": self.sentence(),
            "values": {name: list(pair) for name, pair in self.values.items()},
            **({} if common is None else {"common_source": common.as_dict()}),
            "comparison": self.certificate.as_dict(),
        }


def _in(found: Certificate) -> str:
    return f", equation of motion of {found.equation}" if found.equation else ""


def _measured(one: Comparison) -> str:
    return f"{one.quantity}: {_size(one)}"


def _size(one: Comparison) -> str:
    place = f" {one.where}" if one.where else ""
    return f"{one.difference:.1e} of {one.scale:.3g}{place} (limit {one.threshold:g} by {one.how})"
