"""The compiler's messages as one sentence with file and line, and with what a user can do.

Some messages have a place, most only a name. A :class:`Rule` says where the name is to be looked
for in the text, comments and strings blanked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cranebridge.errors import InputError
from cranebridge.frontend.compile import modelica_path, source_text, unbalanced
from cranebridge.frontend.library import library_path

_ELEMENT = (
    r"'\1' is an element of an array, which the compiler cannot change at an event: change the "
    "whole array, or use scalars or an array of components"
)


@dataclass(frozen=True)
class Rule:
    """A message of the compiler, what a user reads instead, and how its line is found.

    Attributes
    ----------
    message : str
        A pattern; its groups are ``{0}``, ``{1}``, ... in `place`.
    words : str
        The sentence, with groups as ``\\1``.
    place : str
        A pattern that is looked for in the class; empty if the line is that of the class.
    """

    message: str
    words: str
    place: str = ""


_RULES = (
    Rule(
        "duplicate reinitialization owner",
        "two when clauses give the same state a new value by reinit; write one of them",
        r"\breinit\b",
    ),
    Rule(r"state variables: ([\w.]+\[[\d,]+\]) is not a state", _ELEMENT, r"{0}"),
    Rule(r"`([\w.]+\[[\d,]+\])` is not a discrete coordinate", _ELEMENT, r"{0}"),
    Rule(
        "function-call assignment must retain",
        "reinit, assert and terminate in an algorithm are not supported; write them in equations",
        r"\b(?:reinit|assert|terminate)\b",
    ),
    Rule(
        r"base class not found: `([\w.]+)` does not exist",
        r"unknown class '\1'",
        r"\bextends\s+{0}\b",
    ),
    Rule(
        r"Duplicate class '([\w.]+)' found in '([^']+)' with non-identical definition\.?",
        r"class '\1' is in \2 as well; give yours another name",
    ),
    Rule(
        r"unbalanced model: (\d+) equations, (\d+) unknowns \(balance = (\d+)\).*",
        r"unbalanced model: \1 equations, \2 unknowns; remove \3, or declare what they determine",
    ),
    Rule(
        r"unbalanced model: (\d+) equations, (\d+) unknowns \(balance = -(\d+)\).*",
        r"unbalanced model: \1 equations, \2 unknowns; \3 more must be written, and each input of "
        "a component needs one",
    ),
    Rule(
        r"cyclic dependency in parameter binding for '([\w.]+)'.*",
        r"the value of the parameter '\1' depends on itself",
        r"\b{0}\b\s*(?:\([^;]*\))?\s*=",
    ),
    Rule(
        r"cyclic class instantiation detected: (\w+) .*-> (\w+) \((\w+)\)",
        r"a class contains itself: component '\3' of class '\2'",
        r"\b{1}\s+{2}\b",
    ),
    Rule(
        r"circular inheritance: `([\w.]+)` extends `([\w.]+)`.*",
        r"'\1' and '\2' extend each other",
        r"\bextends\s+(?:{0}|{0_last})\b",
    ),
    Rule(
        r"cannot redeclare `(\w+)`: element is declared final",
        r"'\1' is declared final and cannot be modified",
        r"[(,]\s*(?:each\s+)?{0}\s*[=(]",
    ),
    Rule(
        r"cannot redeclare `(\w+)`: element is not replaceable",
        r"'\1' cannot be redeclared: its declaration is not replaceable",
        r"\bredeclare\b[^;]*\b{0}\b",
    ),
    Rule(
        r"redeclaration of `(\w+)` violates constrainedby: `([\w.]+)` is not a subtype of "
        r"`([\w.]+)`",
        r"'\1' cannot be redeclared to '\2': the compiler does not find it compatible with '\3'; "
        "the class must extend that one, or have all of its elements itself",
        r"\bredeclare\b[^;]*\b{0}\b",
    ),
    Rule(
        r"expandable connector connection between `([\w.\[\]]+)` and `([\w.\[\]]+)` requires.*",
        r"expandable connectors are not supported by the compiler (connection of '\1' with '\2'): "
        "declare the element in a connector that is not expandable",
        r"\bconnect\s*\([^;]*(?:{0_end}|{1_end})\s*[,)]",
    ),
    Rule(
        r"connect argument '([\w.\[\]]+)' must be a connector.*",
        r"connect takes connectors, which '\1' is not",
        r"\bconnect\s*\([^;]*\b{0}\s*[,)]",
    ),
    Rule(
        r"function statement`: `([\w.]+)` contains a statement.*",
        r"function '\1' has a statement that the compiler does not support (such as while, break "
        "or return)",
        r"\b(?:{0}|{0_last})\b",
    ),
    Rule(
        r"unsupported Flat semantic owner `derivative expression`.*",
        "der(...) takes one variable: give the expression a variable of its own",
        r"\bder\s*\(\s*[\w.]*\s*[^\s\w.)\[]",
    ),
    Rule(
        r"reference to non-constant variable '(\w+)' from a lexically nested class.*",
        r"the compiler takes '\1' in a class inside this one for that of this one: declare the "
        "inner class outside, or give the element another name",
        r"\b{0}\b",
    ),
    Rule(
        r"flat variable is missing structured identity: ([\w.]+)",
        r"the compiler cannot place '\1': redeclare a component in the extends clause, as in "
        "'extends Base(redeclare ...)', not as an element",
        r"(?:^|;)\s*redeclare\b",
    ),
    Rule(
        r"canonical DAE construction rejected an invalid operation: (.*)",
        r"the compiler cannot form the equations of this model (\1)",
    ),
    Rule(
        r"unsupported Flat semantic owner `([\w ]+)`: (.*)",
        r"the compiler does not support a \1 of this model (\2)",
    ),
    Rule(
        r"`([\w.\[\],]+)` participates in a current-value dependency cycle.*",
        r"'\1' depends on itself at the same event; use pre(\1) for its value from before",
        r"(?:^|;)\s*{0}\s*=",
    ),
)
# A class that redeclares by ``redeclare model extends D`` ends the compiler's process, if it is the
# class that is compiled; as a base or a component it is read.
_CLASS_EXTENDS = re.compile(
    r"\bredeclare\s+(?:(?:final|replaceable|partial|encapsulated)\s+)*"
    r"(?:class|model|block|record|connector|package|function)\s+extends\s+(\w+)"
)
_HEAD_OR_END = re.compile(
    r"\bend\s+(?!if\b|for\b|when\b|while\b)(\w+)\s*;"
    r"|\b(?:class|model|block|record|connector|package|function|type)\s+(?:extends\s+)?(\w+)(?!\s*=)\b"
)


@dataclass(frozen=True)
class Failure:
    """What the compiler said of which class.

    Attributes
    ----------
    place : Path
        The file that the compiler read, a copy of `path`.
    """

    message: str
    place: Path
    path: Path
    text: str
    class_name: str

    def at(self, line: int | None) -> str:
        """File, line and what stands there."""
        lines = self.text.splitlines()
        shown = lines[line - 1].strip() if line and line <= len(lines) else ""
        number = f":{line}" if line else ""
        return f"{self.path}{number}: '{shown}'" if shown else f"{self.path}{number}"


def explain(failure: Failure, syntax: tuple[int, str] | None) -> InputError:
    """Make one sentence with file and line of what the compiler said."""
    if syntax is not None:
        line, reason = syntax
        return InputError(f"{failure.at(line)}: syntax error: {_plain(reason)}.")
    message = failure.message.splitlines()[0] if failure.message else "no reason given"
    return (
        _unknown_name(failure)
        or _forgotten_wind(failure, message)
        or _by_rule(failure, message)
        or _with_place(failure, message)
        or _unreadable(failure, message)
        or InputError(f"{failure.at(_class_line(failure))}: {_reason(failure, message)}.")
    )


def refuse_crashing(path: Path, text: str, class_name: str) -> None:
    """Refuse what would end the compiler's process without a word."""
    failure = Failure("", path, path, text, class_name)
    start, code = _class_code(failure)
    for match in _CLASS_EXTENDS.finditer(code):
        if _depth(code, match.start()) == 1:
            raise InputError(
                f"{failure.at(text.count(chr(10), 0, start + match.start()) + 1)}: the Modelica "
                f"compiler cannot read a redeclaration by 'extends {match.group(1)}' in the class "
                "that is compiled; write a class that extends this one, and use that."
            )


def _depth(code: str, position: int) -> int:
    """How many classes are open at a position."""
    depth = 0
    for match in _HEAD_OR_END.finditer(code, 0, position):
        depth += -1 if match.group(1) else 1
    return depth


def _unknown_name(failure: Failure) -> InputError | None:
    names = re.findall(r"unresolved [\w ]+: '([^']+)'", failure.message)
    if not names:
        return None
    for name in names:
        lost = modelica_path.missing(name)
        if lost is not None:
            line = source_text.line_of_name(failure.text, modelica_path.STANDARD)
            return InputError(f"{failure.at(line)}: {lost}.")
    library = modelica_path.missing_library(failure.text)
    if library is not None:
        name, reason = library
        line = source_text.line_of_name(failure.text, name)
        return InputError(f"{failure.at(line)}: {reason}.")
    line = source_text.line_of_name(failure.text, names[0])
    if line is None:
        return None
    renamed = re.sub(r"^Modelica\.SIunits\b", "Modelica.Units.SI", names[0])
    hint = f" (from version 4 of the library on: {renamed})" if renamed != names[0] else ""
    return InputError(f"{failure.at(line)}: unknown name '{names[0]}'{hint}.")


def _forgotten_wind(failure: Failure, message: str) -> InputError | None:
    found = unbalanced.forgotten_wind(message, failure.text, _has_wind)
    if found is None:
        return None
    line, hint = found
    counted = re.search(r"(\d+) equations, (\d+) unknowns", message)
    words = (
        f"unbalanced model: {counted[1]} equations, {counted[2]} unknowns" if counted else message
    )
    return InputError(f"{failure.at(line)}: {words}; {hint}.")


def _has_wind(model: str) -> bool:
    file = library_path() / f"{model}.mo"
    if not file.is_file():
        return False
    text = file.read_text(encoding="utf-8")
    return re.search(r"\bextends Interfaces\.\w*Wind\b", text) is not None


def _by_rule(failure: Failure, message: str) -> InputError | None:
    for rule in _RULES:
        found = re.search(rule.message, message)
        if found:
            line = _line_in_message(failure, message) or _line(failure, rule, found)
            return InputError(f"{failure.at(line)}: {found.expand(rule.words).rstrip('.; ')}.")
    return None


def _line(failure: Failure, rule: Rule, found: re.Match[str]) -> int | None:
    """Line of what a rule looks for: in the class, then in the file; else that of the class."""
    if rule.place:
        names: dict[str, str] = {}
        for number, group in enumerate(found.groups()):
            names[f"{{{number}}}"] = re.escape(group)
            names[f"{{{number}_last}}"] = re.escape(group.rsplit(".", 1)[-1])
            names[f"{{{number}_end}}"] = re.escape(".".join(group.split(".")[1:]) or group)
        pattern = rule.place
        for key, value in names.items():
            pattern = pattern.replace(key, value)
        start, code = _class_code(failure)
        for offset, part in ((start, code), (0, source_text.blank(failure.text))):
            match = re.search(pattern, part, re.MULTILINE)
            if match:
                text = match.group()
                position = offset + match.end() - len(text.lstrip("; \n\t"))
                return failure.text.count("\n", 0, position) + 1
        library_line = _line_of_library_class(failure, found.group(1)) if found.groups() else None
        if library_line is not None:
            return library_line
    return _class_line(failure)


def _line_of_library_class(failure: Failure, name: str) -> int | None:
    """Line that names a class of a library in whose text a function is called."""
    for used in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+", source_text.blank(failure.text)):
        if name in modelica_path.class_text(used):
            return source_text.line_of_name(failure.text, used)
    return None


def _with_place(failure: Failure, message: str) -> InputError | None:
    line = _line_in_message(failure, message)
    if line is None:
        return None
    before = message[: message.index(f"[{failure.place}")]
    return InputError(f"{failure.at(line)}: {_reason(failure, before)}.")


def _line_in_message(failure: Failure, message: str) -> int | None:
    found = re.search(rf"\[{re.escape(str(failure.place))}:(\d+)(?::\d+)?\]", message)
    return int(found.group(1)) if found else None


def _unreadable(failure: Failure, message: str) -> InputError | None:
    if "resolve/parse failed" not in message:
        return None
    names = source_text.class_names(failure.text)
    if failure.class_name.rsplit(".", 1)[-1] in names:
        return InputError(
            f"{failure.at(_class_line(failure))}: the compiler cannot read '{failure.class_name}' "
            "and says no more; a class that it uses may be missing or wrong."
        )
    known = ", ".join(names) or "none"
    return InputError(f"no class '{failure.class_name}' in {failure.path}. Classes in it: {known}.")


def _reason(failure: Failure, message: str) -> str:
    """Cut what is said twice from messages such as ``todae failed: D failed in ToDae: reason``."""
    text = re.sub(r"^\w+ failed: [\w.]+ failed in \w+: ", "", message.strip())
    text = re.sub(r"^([\w.]+) could not be compiled: ", "", text)
    return _plain(text).replace(str(failure.place), str(failure.path))


def _plain(text: str) -> str:
    text = re.sub(r"^parse error: ", "", text)
    text = re.sub(r"\s*\(first declared at\s*\Z", "", text.rstrip(".; "))
    return text.rstrip(".; ")


def _class_code(failure: Failure) -> tuple[int, str]:
    """Where the text of the class begins, and that text with comments and strings blanked."""
    part = source_text.class_text(failure.text, failure.class_name.rsplit(".", 1)[-1])
    return failure.text.find(part.text), part.code


def _class_line(failure: Failure) -> int | None:
    start, _ = _class_code(failure)
    return failure.text.count("\n", 0, start) + 1 if start > 0 else 1
