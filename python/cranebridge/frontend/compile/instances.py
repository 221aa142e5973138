"""Which modifiers a model's variables have by the language: an independent reading of the classes.

A class is instantiated as Modelica 3.6 says (5.6; modifiers 7.2, redeclarations 7.3), only to know
for each variable the modifiers that are for it, outer ones before inner ones (7.2.3), and for each
component the classes that it is made of. Nothing is evaluated: a modifier is a place in the source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cranebridge.frontend.compile.class_tree import (
    ClassDeclaration,
    ClassTree,
    ComponentDeclaration,
)
from cranebridge.frontend.compile.modifier_text import Modification

MOST_LEVELS = 40
"""Components inside components; more are taken for a class that contains itself."""

_PREDEFINED = ("Real", "Integer", "Boolean", "String")
_NO_CLASS = -1  # number of a predefined type that is named in a redeclaration

Path = tuple[str, ...]


@dataclass(frozen=True)
class NameScope:
    """Where the names in a modifier are looked up: an instance, and what is redeclared in it."""

    class_number: int
    instance: Path
    replaced: Mapping[int, Replacement] = field(default_factory=dict)


@dataclass(frozen=True)
class ScopedModifier:
    """A modifier, what is left of its path, and where its names are looked up."""

    modification: Modification
    path: Path
    scope: NameScope
    origin: ModifierOrigin

    def below(self) -> ScopedModifier:
        """The same modifier, seen from inside the first element of its path."""
        return replace(self, path=self.path[1:])


@dataclass(frozen=True)
class ModifierOrigin:
    """How a modifier came to its element, for the message.

    Attributes
    ----------
    redeclaration : Modification or None
        The redeclaration whose class it modifies.
    is_constraint : bool
        It stands behind ``constrainedby``.
    is_dropped : bool
        It is of a declaration that was replaced, and counts no more.
    """

    redeclaration: Modification | None = None
    is_constraint: bool = False
    is_dropped: bool = False


@dataclass(frozen=True)
class Replacement:
    """What a replaceable class is in an instance."""

    number: int
    modifiers: tuple[ScopedModifier, ...]
    scope: NameScope | None
    by: Modification | None


@dataclass(frozen=True)
class VariableInstance:
    """A variable of a predefined type: its declaration and its modifiers, the first one counts."""

    number: int
    modifiers: tuple[ScopedModifier, ...]


@dataclass(frozen=True)
class ReplacedClass:
    """A component, the redeclaration that it is under, and the class that it had without it."""

    by: ScopedModifier
    was: int


@dataclass
class InstanceTree:
    """Variables by their names without indices, and the classes of all components."""

    variables: dict[Path, VariableInstance] = field(default_factory=dict)
    classes: dict[Path, frozenset[int]] = field(default_factory=dict)
    replaced: dict[Path, ReplacedClass] = field(default_factory=dict)
    modified_packages: list[Modification] = field(default_factory=list)
    unread: list[ScopedModifier] = field(default_factory=list)


def instantiate(tree: ClassTree, class_name: str, functions: Collection[Path] = ()) -> InstanceTree:
    """Instantiate a class of the tree.

    Parameters
    ----------
    functions : collection of Path
        Functions of instances, such as ``("world", "gravity")``, whose inputs count as variables.
    """
    found = InstanceTree()
    top = tree.number(tuple(class_name.split(".")))
    if top is not None:
        _Instantiation(tree, found, functions).fill(top, (), (), {}, top)
    return found


@dataclass(frozen=True)
class _InheritanceLevel:
    """A class or one of its bases, with the modifiers that reach it."""

    declaration: ClassDeclaration
    modifiers: tuple[ScopedModifier, ...]


class _Instantiation:
    """The classes of one model, walked from its top."""

    def __init__(self, tree: ClassTree, found: InstanceTree, functions: Collection[Path]) -> None:
        self._tree = tree
        self._found = found
        self._functions = functions

    def fill(
        self,
        number: int | None,
        modifiers: Sequence[ScopedModifier],
        path: Path,
        replaced: Mapping[int, Replacement],
        declaration: int,
    ) -> None:
        """Instantiate a class at a path; of predefined types only the modifiers are kept."""
        if number not in self._tree.classes:
            self._found.variables[path] = VariableInstance(declaration, tuple(modifiers))
            return
        if len(path) > MOST_LEVELS:
            return
        levels = list(self._levels(number, tuple(modifiers), path, replaced))
        last = levels[-1]
        if self._is_type(last.declaration):
            own = (m for base in last.declaration.bases for m in base.modifiers)
            scope = NameScope(last.declaration.number, path, replaced)
            everything = (*last.modifiers, *_scoped(tuple(own), scope, ModifierOrigin()))
            self._found.variables[path] = VariableInstance(declaration, everything)
            return
        self._found.classes[path] = frozenset(level.declaration.number for level in levels)
        inside = self._redeclared_classes(levels, path, replaced)
        self._inputs_of_functions(levels, path, inside)
        done: set[str] = set()
        for level in levels:
            for component in level.declaration.components:
                if component.name not in done:
                    done.add(component.name)
                    self._component(component, level, levels, path, inside)

    def _inputs_of_functions(
        self,
        levels: Sequence[_InheritanceLevel],
        path: Path,
        inside: Mapping[int, Replacement],
    ) -> None:
        for level in levels:
            for name, number in level.declaration.classes.items():
                if (*path, name) in self._functions:
                    one = inside.get(number, Replacement(number, (), None, None))
                    self.fill(one.number, one.modifiers, (*path, name), inside, one.number)

    def _is_type(self, declaration: ClassDeclaration) -> bool:
        """Whether a class is another name of a predefined type, or an enumeration."""
        bases = [base.number for base in declaration.bases]
        return declaration.kind in ("type", "connector") and not (
            declaration.components or any(number in self._tree.classes for number in bases)
        )

    def _levels(
        self,
        number: int,
        modifiers: tuple[ScopedModifier, ...],
        path: Path,
        replaced: Mapping[int, Replacement],
        seen: frozenset[int] = frozenset(),
    ) -> Iterator[_InheritanceLevel]:
        declaration = self._tree.classes[number]
        yield _InheritanceLevel(declaration, modifiers)
        scope = NameScope(number, path, replaced)
        for base in declaration.bases:
            if base.number in self._tree.classes and base.number not in seen:
                own = _scoped(base.modifiers, scope, ModifierOrigin())
                yield from self._levels(
                    base.number, (*modifiers, *own), path, replaced, seen | {number}
                )

    # --- redeclarations ------------------------------------------------------------------------

    def _redeclared_classes(
        self, levels: Sequence[_InheritanceLevel], path: Path, around: Mapping[int, Replacement]
    ) -> dict[int, Replacement]:
        """What the nested classes of an instance are in it."""
        result = dict(around)
        for depth, level in enumerate(levels):
            for name, number in level.declaration.classes.items():
                scope = NameScope(level.declaration.number, path, around)
                nested = self._tree.classes[number]
                constraint = self._class_constraint(nested, scope)
                found = _collect(name, level.modifiers)
                derived = self._derived_class(name, levels[:depth])
                if found.redeclaration is not None:
                    by = found.redeclaration
                    target, replacement_scope = self._resolve(by)
                    if target is None:
                        self._found.unread.append(by)
                        continue
                    modifiers = (*found.modifiers, *constraint)
                    if nested.kind == "package" and _has_values(by):
                        self._found.modified_packages.append(by.modification)
                    result[number] = Replacement(
                        target, modifiers, replacement_scope, by.modification
                    )
                elif derived is not None and derived != number:
                    result[number] = Replacement(derived, constraint, scope, None)
                elif found.modifiers or (nested.constraint and constraint):
                    result[number] = Replacement(
                        number, (*found.modifiers, *constraint), scope, None
                    )
        return result

    def _derived_class(self, name: str, levels: Sequence[_InheritanceLevel]) -> int | None:
        for level in levels:
            number = level.declaration.classes.get(name)
            if number is not None and self._tree.classes[number].is_redeclaration:
                return number
        return None

    def _class_constraint(
        self, nested: ClassDeclaration, scope: NameScope
    ) -> tuple[ScopedModifier, ...]:
        """Modifiers that every redeclaration of a class keeps (7.3.2)."""
        kept = nested.constraint
        if kept is None:
            # Without a constraining clause it is the short class definition itself.
            kept = nested.bases[0].modifiers if nested.is_short and nested.bases else ()
        return _scoped(kept, scope, ModifierOrigin(is_constraint=True))

    def _resolve(self, by: ScopedModifier) -> tuple[int | None, NameScope | None]:
        """Find the class that a redeclaration names."""
        redeclaration = by.modification.redeclaration
        assert redeclaration is not None
        number, replaced = self._look_up(redeclaration.type_name, by.scope)
        return number, NameScope(by.scope.class_number, by.scope.instance, replaced)

    def _look_up(
        self, name: Path, scope: NameScope
    ) -> tuple[int | None, Mapping[int, Replacement]]:
        first, *rest = name
        number: int | None = None
        for around in self._tree.lexical(scope.class_number):
            number = self._tree.member(around.number, first)
            if number is None:
                number = self._imported(first, around)
            if number is not None:
                break
        if number is None:
            number = self._tree.top.get(first)
        if number is None and not rest and first in _PREDEFINED:
            number = _NO_CLASS
        for part in rest:
            if number is not None and number in scope.replaced:
                number = scope.replaced[number].number
            number = None if number is None else self._tree.member(number, part)
        return number, scope.replaced

    def _imported(self, name: str, around: ClassDeclaration) -> int | None:
        if name in around.imports:
            return self._tree.number(around.imports[name])
        packages = (self._tree.number(path) for path in around.open_imports)
        found = (self._tree.member(one, name) for one in packages if one is not None)
        return next((number for number in found if number is not None), None)

    # --- components ----------------------------------------------------------------------------

    def _component(
        self,
        component: ComponentDeclaration,
        level: _InheritanceLevel,
        levels: Sequence[_InheritanceLevel],
        path: Path,
        inside: Mapping[int, Replacement],
    ) -> None:
        if component.is_outer:
            return  # its variables are those of the inner one
        scope = NameScope(level.declaration.number, path, inside)
        name, here = component.name, (*path, component.name)
        found = _collect(name, level.modifiers)
        declared = _scoped(component.modifiers, scope, ModifierOrigin())
        constraint: tuple[ScopedModifier, ...] = ()
        for origin_level, origin in self._origins(component, levels):
            origin_scope = NameScope(origin_level.declaration.number, path, inside)
            if origin is not component:
                found = _joined(found, _collect(name, origin_level.modifiers))
            kept = origin.modifiers if origin.constraint is None else origin.constraint
            if origin is not component or found.redeclaration or origin.constraint is not None:
                constraint += _scoped(kept, origin_scope, ModifierOrigin(is_constraint=True))
        number, lookup = component.type_number, inside
        if found.redeclaration is not None:
            target, target_scope = self._resolve(found.redeclaration)
            if target is None:
                self._found.unread.append(found.redeclaration)
                return
            if number is not None and number != target:
                self._found.replaced[here] = ReplacedClass(found.redeclaration, number)
            number, lookup = target, target_scope.replaced if target_scope else {}
            dropped = (replace(m, origin=ModifierOrigin(is_dropped=True)) for m in declared)
            modifiers = [*found.modifiers, *constraint, *dropped]
        else:
            modifiers = [*found.modifiers, *declared, *constraint]
        number, lookup = self._through_replaced(number, component, scope, lookup, here, modifiers)
        # What is redeclared around a class holds in it, too, and only there.
        nested = here in self._found.replaced or self._is_inside(number, levels)
        self.fill(number, modifiers, here, lookup if nested else {}, component.number)

    def _is_inside(self, number: int | None, levels: Sequence[_InheritanceLevel]) -> bool:
        instance = {level.declaration.number for level in levels}
        return number in self._tree.classes and any(
            around.number in instance
            for around in self._tree.lexical(self._tree.classes[number].parent)
        )

    def _origins(
        self, component: ComponentDeclaration, levels: Sequence[_InheritanceLevel]
    ) -> list[tuple[_InheritanceLevel, ComponentDeclaration]]:
        """Declarations of the same component in all bases, if the first one redeclares it."""
        same = [
            (level, one)
            for level in levels
            for one in level.declaration.components
            if one.name == component.name
        ]
        first = [entry for entry in same if entry[1] is component]
        return same if component.is_redeclaration else first

    def _through_replaced(
        self,
        number: int | None,
        component: ComponentDeclaration,
        scope: NameScope,
        lookup: Mapping[int, Replacement],
        here: Path,
        modifiers: list[ScopedModifier],
    ) -> tuple[int | None, Mapping[int, Replacement]]:
        """Follow a type to the class that it is redeclared to, and add what modifies it there."""
        if len(component.type_name) > 1:
            first, _ = self._look_up(component.type_name[:1], scope)
            if first in scope.replaced:
                number, _ = self._look_up(component.type_name, scope)
        seen: set[int] = set()
        while number is not None and number in lookup and number not in seen:
            seen.add(number)
            one = lookup[number]
            modifiers += one.modifiers
            if one.by is not None and one.number != number:
                by = ScopedModifier(one.by, (), one.scope or scope, ModifierOrigin())
                self._found.replaced[here] = ReplacedClass(by, number)
            number = one.number
            lookup = one.scope.replaced if one.scope is not None else lookup
        return number, lookup


@dataclass(frozen=True)
class _Collected:
    """Modifiers of one element and the redeclaration that counts."""

    modifiers: tuple[ScopedModifier, ...]
    redeclaration: ScopedModifier | None


def _collect(name: str, modifiers: Sequence[ScopedModifier]) -> _Collected:
    """What is said of one element, a redeclaration's own modifiers in its place."""
    result: list[ScopedModifier] = []
    redeclared: ScopedModifier | None = None
    for modifier in modifiers:
        if not modifier.path or modifier.path[0] != name:
            continue
        redeclaration = modifier.modification.redeclaration
        if len(modifier.path) > 1 or redeclaration is None:
            result.append(modifier.below())
        elif redeclared is None:
            redeclared = modifier
            origin = ModifierOrigin(redeclaration=modifier.modification)
            result += _scoped(redeclaration.modifiers, modifier.scope, origin)
    return _Collected(tuple(result), redeclared)


def _has_values(by: ScopedModifier) -> bool:
    redeclaration = by.modification.redeclaration
    return redeclaration is not None and any(m.value for m in redeclaration.modifiers)


def _joined(first: _Collected, second: _Collected) -> _Collected:
    more = tuple(m for m in second.modifiers if m not in first.modifiers)
    return _Collected((*first.modifiers, *more), first.redeclaration or second.redeclaration)


def _scoped(
    modifications: Sequence[Modification], scope: NameScope, origin: ModifierOrigin
) -> tuple[ScopedModifier, ...]:
    return tuple(ScopedModifier(m, m.path, scope, origin) for m in modifications)
