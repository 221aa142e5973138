"""Formulas of a page, read as a reader does: LaTeX becomes CasADi expressions of a crane's symbols.

Read are sums, products by juxtaposition, quotients, powers, vectors in parentheses, lengths between
bars, `\\cdot`, `\\times`, sines and cosines, roots, dots for time derivatives, and sums over i from
1 to 3. A name is a coordinate, parameter, input or multiplier of the crane, or defined on the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import casadi as ca

GREEK = {"varphi": "phi", "vartheta": "theta"}
FUNCTIONS = {"sin": ca.sin, "cos": ca.cos, "tan": ca.tan, "sqrt": ca.sqrt}
LETTERS = (
    *("alpha", "beta", "gamma", "eta", "theta", "lambda", "rho", "psi", "omega", "varphi", "Phi"),
)
SPACES = r"\\[,;!]|\\quad|\\left|\\right|\\bigl|\\bigr|\\Bigl|\\Bigr|\\textstyle|&|~"
NAME = r"(?:[A-Za-z]|\\(?:" + "|".join(LETTERS) + r")(?![a-z])|\\text\{\w+\})"
SUBSCRIPT = r"(?:_(?:\{[^{}]*\}|\\text\{\w+\}|\\[a-z]+|\w))?"


def statements(text: str) -> list[tuple[str, str]]:
    """Return left and right sides of all equations in the displayed formulas of a text."""
    found = []
    for block in re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL):
        body = re.sub(r"\\(?:begin|end)\{aligned\}", "", block)
        body = re.sub(r"\\quad\s*\\text\{\([^}]*\)\}", "", body)
        for line in re.split(r"\\\\|\\qquad|,\s*&", body):
            left, equal, right = line.partition("=")
            if equal:
                sides = (re.sub(SPACES, " ", side).strip(" ,\n") for side in (left, right))
                found += [tuple(sides)]
    return found  # type: ignore[return-value]


def plain(name: str) -> str:
    """Return the name of a symbol as the crane has it."""
    text = re.sub(r"\\text\{(\w+)\}", r"\1", name.strip())
    text = re.sub(r"\\([A-Za-z]+)", lambda found: GREEK.get(found[1], found[1]), text)
    return re.sub(r"[{}\s]", "", text)


def numbered(text: str, k: int) -> str:
    """Return a text with 1, 2 or 3 in place of the index i."""
    text = re.sub(r"(?<!sum)_i(?![A-Za-z])", f"_{k}", text)
    return re.sub(r"_\{(\w*)i(\w*)\}", rf"_{{\g<1>{k}\g<2>}}", text)


class Formulas:
    """The formulas of a section.

    Parameters
    ----------
    text : str
        The section.
    symbols : mapping of str to casadi.SX
        Coordinates, parameters, inputs, multipliers, and what the page says in words.
    rates : mapping of str to casadi.SX
        Velocities by the names of their coordinates.
    q, v : casadi.SX
        All coordinates and velocities.
    """

    def __init__(
        self, text: str, symbols: Mapping[str, Any], rates: Mapping[str, Any], q: Any, v: Any
    ) -> None:
        self.symbols, self.rates, self.q, self.v = symbols, rates, q, v
        self.defined: dict[str, str] = {}
        self.zeros: list[str] = []
        for left, right in statements(text):
            if left == "0":
                self.zeros.append(right)
            elif re.fullmatch(NAME + SUBSCRIPT, left):
                # an index on the left stands for three equations; others belong to sums
                for k in (1, 2, 3) if numbered(left, 1) != left else (0,):
                    one = numbered(right, k) if k else right
                    self.defined.setdefault(plain(numbered(left, k)), one)

    def __getitem__(self, name: str) -> Any:
        """Return what the page says that a name is."""
        return self.value(self.defined[name])

    def value(self, text: str) -> Any:
        """Return the value of an expression."""
        reader = Reader(self, text)
        found = reader.sum()
        reader.end()
        return found

    def symbol(self, name: str) -> Any:
        """Return the value of a name."""
        if name in self.symbols:
            return self.symbols[name]
        if name in self.defined:
            return self[name]
        base, _, axis = name.rpartition("_")
        if base in self.defined and axis in tuple("xyz"):
            vector = self[base]
            axes = "xz" if vector.numel() == 2 else "xyz"
            return vector[axes.index(axis)]
        raise KeyError(f"'{name}' is neither a symbol of the crane nor defined on the page")

    def rate(self, name: str) -> Any:
        """Return the time derivative of a name."""
        if name in self.rates:
            return self.rates[name]
        return ca.jtimes(self.symbol(name), self.q, self.v)


class Reader:
    """Reads an expression from left to right."""

    def __init__(self, formulas: Formulas, text: str) -> None:
        self.formulas, self.text, self.at = formulas, text, 0
        self.between = False  # bars: the next one closes them

    def take(self, pattern: str) -> str | None:
        """Take what matches here."""
        found = re.compile(r"\s*(" + pattern + ")").match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[1]

    def need(self, pattern: str) -> str:
        """Take what must be here."""
        found = self.take(pattern)
        assert found is not None, f"{pattern} expected: {self.text[self.at :]!r}"
        return found

    def end(self) -> None:
        """Make sure that all was read."""
        assert not self.text[self.at :].strip(" .,\n"), f"not read: {self.text[self.at :]!r}"

    def sum(self) -> Any:
        """Read terms."""
        total = -self.product() if self.take("-") else self.product()
        while sign := self.take(r"[+-]"):
            term = self.product()
            total = total + term if sign == "+" else total - term
        return total

    def product(self) -> Any:
        """Read factors."""
        if self.take(r"\\sum_i(?![A-Za-z])"):
            rest, total = self.text[self.at :], 0.0
            terms = [Reader(self.formulas, numbered(rest, k)) for k in (1, 2, 3)]
            for term in terms:
                total = total + term.product()
            self.at += terms[0].at  # a digit is as long as the index
            return total
        total = self.factor()
        assert total is not None, f"a factor expected: {self.text[self.at :]!r}"
        while True:
            if self.take("/"):
                total = total / self.factor()
            elif self.take(r"\\cdot(?![a-z])"):
                total = ca.dot(total, self.factor())
            elif self.take(r"\\times(?![a-z])"):
                total = ca.cross(total, self.factor())
            else:
                factor = self.factor()
                if factor is None:
                    return total
                simple = ca.SX(total).is_scalar() or ca.SX(factor).is_scalar()
                total = total * factor if simple else total @ factor

    def factor(self) -> Any:
        """Read a factor with its power; None where there is none."""
        base = self.base()
        if base is not None and self.take(r"\^"):
            base = base ** self.argument()
        return base

    def argument(self) -> Any:
        """Read what stands in braces, or one digit."""
        if self.take(r"\{"):
            found = self.sum()
            self.need(r"\}")
            return found
        return float(self.need(r"\d"))

    def base(self) -> Any:
        """Read a number, a fraction, a function, a group, a length, a derivative or a name."""
        if number := self.take(r"\d+(?:\.\d+)?"):
            return float(number)
        if self.take(r"\\t?frac(?![a-z])"):
            above = self.argument()
            return above / self.argument()
        if function := self.take(r"\\(?:sin|cos|tan|sqrt)(?![a-z])"):
            power = self.argument() if self.take(r"\^") else 1.0
            inside = self.argument() if self.text[self.at :].lstrip()[:1] in "{3" else self.base()
            return FUNCTIONS[function[1:]](inside) ** power
        if self.take(r"\("):
            return self.group()
        if not self.between and self.take(r"\|"):
            self.between = True
            found = self.sum()
            self.need(r"\|")
            self.between = False
            return ca.sqrt(ca.sumsqr(found))
        if self.take(r"\\dot(?![a-z])"):
            inside = self.take(r"\{\\text\{\w+\}\}")  # LaTeX asks for the outer braces
            return self.formulas.rate(plain(inside or self.need(NAME + SUBSCRIPT)))
        if name := self.take(NAME + SUBSCRIPT):
            return self.formulas.symbol(plain(name))
        return None

    def group(self) -> Any:
        """Read what stands in parentheses: an expression, or the components of a vector."""
        parts = [self.sum()]
        while self.take(","):
            parts.append(self.sum())
        self.need(r"\)")
        return parts[0] if len(parts) == 1 else ca.vertcat(*parts)
