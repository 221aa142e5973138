"""Which part of a library it is that the compiler cannot form: each is compiled alone.

What the compiler says of a whole model (that it has an equation too many, that a parameter cannot
be evaluated) may come from inside a part of a library, where a user can change nothing. A part by
itself is balanced: flanges that nothing is connected to have no flow, inputs are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cranebridge.errors import InputError
from cranebridge.frontend.compile import modelica_path, source_text
from cranebridge.frontend.compile.compiler_messages import Failure

_FROM_INSIDE = re.compile(
    r"unbalanced model: (\d+ equations, \d+ unknowns) \(balance = \d"
    r"|canonical DAE construction rejected an invalid operation: (.*)"
    r"|unsupported Flat semantic owner (?!`function statement`)(.*)"
    r"|(reference to non-constant variable '\w+' from a lexically nested class)"
)
"""What the compiler says where it cannot form equations, be they the user's or a library's."""

_PART = re.compile(r"(?<![\w.])([A-Za-z_]\w*(?:\.\w+)+)\s+([A-Za-z_]\w*)\s*[;(\[=,]")
_NO_PARTS = {"Units", "Interfaces", "Icons", "Types"}
PROBE = "cranebridge_probe"


def faulty_part(failure: Failure, fault_alone: Callable[[str], str | None]) -> InputError | None:
    """Find the part of a library that has the model's fault when it is compiled alone, and say so.

    Parameters
    ----------
    failure : Failure
        What the compiler said of the whole model.
    fault_alone : callable
        What the compiler says of the text of a model named `PROBE`; ``None`` if nothing.
    """
    fault = _FROM_INSIDE.search(failure.message)
    if fault is None:
        return None
    for class_name, name in _parts(failure).items():
        # as a base class, so that inputs are those of the model
        message = fault_alone(f"model {PROBE}\n  extends {class_name};\nend {PROBE};\n")
        found = _FROM_INSIDE.search(message or "")
        if found is not None and _kind(found) == _kind(fault):
            reason = str(found[found.lastindex or 0]).rstrip(".; ")
            line = source_text.line_of_name(failure.text, class_name)
            return InputError(
                f"{failure.at(line)}: the Modelica compiler cannot form the equations of "
                f"'{class_name}' ({name}), not even of it alone ({reason}): take another part, "
                "or write its equations in a class of your own."
            )
    return None


def _kind(fault: re.Match[str]) -> tuple[int | None, str]:
    """Return which fault it is, without names and numbers."""
    return fault.lastindex, re.sub(r"`[^`]*`|'[^']*'|\d+", "", str(fault[fault.lastindex or 0]))


def _parts(failure: Failure) -> dict[str, str]:
    """Return what a class takes from libraries: full class name, and a component's name."""
    found: dict[str, str] = {}
    for code in _codes(failure):
        for class_name, name in _PART.findall(code):
            if not _NO_PARTS & set(class_name.split(".")) and modelica_path.class_text(class_name):
                found.setdefault(class_name, name)
    return found


def _codes(failure: Failure) -> Iterator[str]:
    """Yield the code of a class, and of those of its file that it names, theirs too."""
    known = source_text.class_names(failure.text)
    waiting, seen = [failure.class_name.rsplit(".", 1)[-1]], set()
    while waiting:
        name = waiting.pop(0)
        seen.add(name)
        code = source_text.class_text(failure.text, name).code
        yield code
        words = set(re.findall(r"\b[A-Za-z_]\w*\b", code))
        waiting += [other for other in known if other in words and other not in {*seen, *waiting}]
