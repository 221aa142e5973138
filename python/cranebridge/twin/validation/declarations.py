"""Whether the declarations of a user's crane are complete: names, tuples of quantities, units."""

from __future__ import annotations

import difflib
import re

from cranebridge.errors import InputError, unknown
from cranebridge.twin.language import (
    Crane,
    Parameter,
    Quantity,
    acceleration_of,
    crane_units,
    names,
)
from cranebridge.twin.validation.error_places import shown, wrong

DECLARATIONS = ("coordinates", "parameters", "inputs", "outputs", "multipliers", "ropes")
_DOMAINS = ("positive", "non-negative", "real")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ALMOST = 0.85
"""How alike two names are of which one is taken for a misspelt other (difflib's ratio)."""


def require_declarations(crane: Crane) -> None:
    """Raise an InputError if a declaration is missing or is not what it must be."""
    wanted = ("name", "description", *DECLARATIONS)
    missing = [attribute for attribute in wanted if not hasattr(crane, attribute)]
    if missing:
        raise wrong(crane, "", f"declares no {', '.join(missing)}; every crane needs them")
    _require_no_misspelling(crane)
    for attribute in ("name", "description"):
        value = getattr(crane, attribute)
        if not isinstance(value, str) or not value.strip():
            what = f"{attribute} must be text in quotes, got {shown(value)}"
            raise wrong(crane, attribute, what)
    for group in DECLARATIONS:
        _require_group(crane, group)
    _require_distinct(crane)


def require_motions(kind: type[Crane]) -> None:
    """Raise an InputError if what a class says of motions cannot stand beside its other names.

    Parameters
    ----------
    kind : type
        A crane's class before its motions are added to coordinates, inputs and outputs.
    """
    if kind.motions == () or "_motions_added" in vars(kind):
        return
    crane = object.__new__(kind)
    _require_group(crane, "motions")
    require_declarations(crane)
    for motion in kind.motions:
        for group in ("coordinates", "parameters", "inputs", "outputs"):
            if motion.name in names(getattr(kind, group)):
                what = f"'{motion.name}' is in motions and in {group}; rename one"
                raise wrong(crane, "motions", what, entry=motion.name)
        own = acceleration_of(motion).name
        if own in names((*kind.inputs, *kind.parameters)):
            what = f"motions: '{motion.name}' has the acceleration '{own}' as an input; rename "
            raise wrong(crane, "motions", f"{what}what else is called so", entry=motion.name)


def misspelt(crane: Crane, name: str) -> str | None:
    """Return what a class calls almost as it should call `name`, or None."""
    base = set(vars(Crane)) | {"name", "description", *DECLARATIONS}
    own = [
        key
        for kind in type(crane).__mro__
        if kind not in (Crane, object)
        for key in vars(kind)
        if key not in base and not key.startswith("_")
    ]
    close = difflib.get_close_matches(name, own, n=1, cutoff=_ALMOST)
    return close[0] if close else None


def _require_no_misspelling(crane: Crane) -> None:
    """Refuse what looks like an optional part under another name: it would count for nothing."""
    optional = (
        "multipliers",
        "ropes",
        "motions",
        "other_forces",
        "constraints",
        "rope_forces",
        "massless",
    )
    for name in (*optional, "rope_forces_in_motion", "rest", "scene"):
        found = misspelt(crane, name)
        if found is not None and getattr(type(crane), name) is getattr(Crane, name):
            raise wrong(crane, found, f"has '{found}', which means nothing; write '{name}'")


def _require_group(crane: Crane, group: str) -> None:
    kind = Parameter if group == "parameters" else Quantity
    value = getattr(crane, group)
    if not isinstance(value, tuple):
        hint = "a comma behind the only one" if isinstance(value, Quantity) else "in parentheses"
        what = f"{group} must be a tuple of {kind.__name__}(...), {hint}, got {shown(value)}"
        raise wrong(crane, group, what)
    for entry in value:
        if not isinstance(entry, kind):
            entry_name = entry if isinstance(entry, str) else getattr(entry, "name", "")
            what = f"{group} must hold {kind.__name__}(...) only, got {shown(entry)}"
            raise wrong(crane, group, what, entry=entry_name)
        _require_quantity(crane, group, entry)
    if not value and group in ("coordinates", "inputs", "outputs"):
        raise wrong(crane, group, f"{group} must not be empty")
    repeated = [name for name in names(value) if names(value).count(name) > 1]
    if repeated:
        what = f"{group} has the name '{repeated[0]}' twice"
        raise wrong(crane, group, what, entry=repeated[0])


def _require_quantity(crane: Crane, group: str, entry: Quantity) -> None:
    def refuse(what: str) -> InputError:
        return wrong(crane, group, what, entry=entry.name if isinstance(entry.name, str) else "")

    if not isinstance(entry.name, str) or not _NAME.fullmatch(entry.name):
        raise refuse(f"{shown(entry.name)} in {group} is no name: letters, digits and _")
    where = f"{group}: '{entry.name}'"
    if not isinstance(entry.meaning, str):
        raise refuse(f"{where} needs a meaning in words, got {shown(entry.meaning)}")
    mixed = group == "multipliers" and entry.unit == "SI"  # of a constraint without a meaning
    if not isinstance(entry.unit, str) or not (mixed or crane_units.is_si(entry.unit)):
        given = entry.unit if isinstance(entry.unit, str) else shown(entry.unit)
        raise refuse(f"{where} has the unit '{given}', not SI; {crane_units.advice(str(given))}")
    if isinstance(entry, Parameter):
        if entry.domain not in _DOMAINS:
            raise refuse(str(unknown(f"domain of {where}:", str(entry.domain), _DOMAINS)))
        try:
            entry.check(entry.value)
        except InputError as error:
            raise refuse(f"default of {error}") from error


def _require_distinct(crane: Crane) -> None:
    """Refuse a name of two meanings: expressions of a scenario's map could not tell them apart."""
    for group, other in (("parameters", "coordinates"), ("parameters", "inputs")):
        for name in names(getattr(crane, group)):
            if name in names(getattr(crane, other)):
                what = f"'{name}' is in {group} and in {other}; rename one"
                raise wrong(crane, group, what, entry=name)
