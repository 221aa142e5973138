"""The formulas of docs/cranes.md, read from the page and compared with the twins' own."""

from __future__ import annotations

import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from cranebridge.twin import find_crane
from cranebridge.twin.catalogue import CRANES
from cranebridge.twin.language.crane import Components, names
from formulas import Formulas

PAGE = (Path(__file__).parents[1] / "docs" / "cranes.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def turned(angle: ca.SX) -> ca.SX:
    """A rotation in the plane."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(c, -s), ca.horzcat(s, c))


def about(axis: int, angle: ca.SX) -> ca.SX:
    """A rotation about an axis of space, by Rodrigues' formula."""
    e = ca.DM.eye(3)[:, axis]
    return ca.cos(angle) * ca.DM.eye(3) + ca.sin(angle) * ca.skew(e) + (1 - ca.cos(angle)) * e @ e.T


def in_words(name: str, q: Components) -> dict[str, ca.SX]:
    """What the page says in words: rotations, and bodies whose vectors are coordinates."""
    if name == "cablev":
        return {"R": about(0, q.phi_1) @ about(1, q.phi_2) @ about(2, q.phi_3)}
    if name == "rpr":
        quarter = ca.DM([[0, -1], [1, 0]])
        return {"R_b": turned(q.psi_b), "R_p": turned(q.psi), "Q": quarter}
    if name == "spreader":
        R = about(2, q.yaw) @ about(1, q.pitch) @ about(0, q.roll)
        return {"R": R, "Q": about(2, q.theta)}
    if name == "rotary-rotationless":
        vectors = {}
        for k in (1, 2, 3):
            parts = [f"phi{k}", *(f"d{k}{j}" for j in (1, 2, 3))]
            titles = [f"phi_{k}", *(f"d_{k}{j}" for j in (1, 2, 3))]
            for part, title in zip(parts, titles, strict=True):
                vectors[title] = ca.vertcat(*(q[f"{part}_{axis}"] for axis in "xyz"))
        return vectors
    return {}


class Compared:
    """Symbols of a crane, its formulas on the page, and a random state to compare them at."""

    def __init__(self, name: str) -> None:
        self.crane = crane = find_crane(name)
        self.parts = {
            "q": names(crane.coordinates),
            "v": names(crane.coordinates),
            "u": names(crane.inputs),
            "p": names(crane.parameters),
            "lam": names(crane.multipliers),
        }
        self.symbols = {part: ca.SX.sym(part, len(own)) for part, own in self.parts.items()}
        made = {key: Components(own, self.symbols[key]) for key, own in self.parts.items()}
        self.q, self.v, self.u, self.p, self.lam = made.values()
        known = {one: made[key][one] for key in ("q", "u", "p", "lam") for one in self.parts[key]}
        rates = {one: self.v[one] for one in self.parts["q"]}
        known |= in_words(name, self.q)
        self.page = Formulas(section(name), known, rates, self.symbols["q"], self.symbols["v"])

    def same(self, shown: object, own: object) -> None:
        """Compare two expressions at random states."""
        both = ca.Function("both", [*self.symbols.values()], [ca.SX(shown), ca.SX(own)])
        draw = np.random.default_rng(1)
        for _ in range(3):
            state = [draw.uniform(0.5, 1.5, symbol.shape) for symbol in self.symbols.values()]
            one, other = (np.array(value) for value in both(*state))
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.fixture(scope="module", params=CRANES)
def compared(request) -> Compared:
    return Compared(request.param)


def test_energies_and_power_of_the_page_are_the_twins(compared: Compared) -> None:
    crane, q, v, u, p = compared.crane, compared.q, compared.v, compared.u, compared.p
    compared.same(compared.page["T"], crane.kinetic_energy(q, v, p))
    compared.same(compared.page["V"], crane.potential_energy(q, p))
    compared.same(compared.page["power"], crane.drive_power(q, v, u, p))


def test_constraints_of_the_page_are_the_twins(compared: Compared) -> None:
    crane, q, p, lam = compared.crane, compared.q, compared.p, compared.lam
    own = crane.constraints(q, p)
    if crane.name == "rotary-rotationless":  # of the 37 the rope's; the others are families
        own = {"lambda_cable": own["lambda_cable"]}
    titles = [name for name in compared.page.defined if re.fullmatch(r"constraint|Phi_\w+", name)]
    assert len(titles) == len(own)
    for title, value in zip(titles, own.values(), strict=True):
        compared.same(compared.page[title], value)
    balances = crane.massless(q, lam, p)
    assert len(compared.page.zeros) == len(balances)
    for text, value in zip(compared.page.zeros, balances.values(), strict=True):
        compared.same(compared.page.value(text), value)


def test_deliberate_fault_of_a_formula_is_found() -> None:
    compared = Compared("overhead")
    compared.page.defined["T"] = compared.page.defined["T"].replace("m_t", "2 m_t")
    with pytest.raises(AssertionError):
        compared.same(
            compared.page["T"], compared.crane.kinetic_energy(compared.q, compared.v, compared.p)
        )
