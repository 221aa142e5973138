"""The built-in cranes by name, and a user's own crane from a Python file."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from cranebridge.errors import InputError, unknown
from cranebridge.regular_files import require_regular
from cranebridge.twin import cranes, validation
from cranebridge.twin.language import Crane, with_motions

if TYPE_CHECKING:
    from cranebridge.twin.modelica import ServoChoice

_CLASSES = {
    "overhead": "OverheadCrane",
    "rotary": "RotaryCrane",
    "rotary-redundant": "RotaryCraneRedundant",
    "rotary-rotationless": "RotaryCraneRotationless",
    "navy2d": "NavyCrane2D",
    "navy2d-pulley": "NavyCrane2DPulley",
    "navy3d": "NavyCrane3D",
    "navy3d-pulley": "NavyCrane3DPulley",
    "cablev": "Cablev",
    "gantry": "GantryCrane",
    "double-pendulum": "DoublePendulumCrane",
    "quadrotor": "QuadrotorWithLoad",
    "luffing-jib": "LuffingJibCrane",
    "flexible-jib": "FlexibleJibCrane",
    "bridge": "BridgeCrane",
    "two-mass": "TwoMassOscillator",
    "rpr": "RprManipulator",
    "body-gantry": "BodyGantry",
    "cylinder-crane": "CylinderCrane",
    "knuckle-boom": "KnuckleBoom",
    "portal": "PortalCrane",
    "spreader": "SpreaderCrane",
}
"""The class of each crane in `cranebridge.twin.cranes`."""


class _Cranes(Mapping[str, type[Crane]]):
    """The classes of the built-in cranes by name; a crane's file is read when it is asked for."""

    def __getitem__(self, name: str) -> type[Crane]:
        crane: type[Crane] = getattr(cranes, _CLASSES[name])
        return crane

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


CRANES: Mapping[str, type[Crane]] = _Cranes()

IN_MEMORY = "memory:"
"""How the name of a crane begins that has no file; see `cranebridge.twin.in_memory`."""


_CHECK: ContextVar[Callable[[Path, bytes], None] | None] = ContextVar("_CHECK", default=None)


@contextmanager
def checked_files(check: Callable[[Path, bytes], None]) -> Iterator[None]:
    """Have users' files looked at before they are executed: the very contents that are.

    Parameters
    ----------
    check : callable
        Given file and contents; raises where they must not be executed.
    """
    before = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(before)


def known_cranes() -> dict[str, str]:
    """Return the built-in cranes: name and the sentence that describes each.

    Examples
    --------
    >>> known_cranes()["overhead"]
    'planar overhead crane: trolley, winch and load'
    """
    return {name: crane.description for name, crane in CRANES.items()}


def find_crane(model: str, folder: Path | None = None, choice: ServoChoice | None = None) -> Crane:
    """Return the crane called `model`.

    Parameters
    ----------
    model : str
        A built-in name, ``"file.py:Class"`` for a crane of the user's, or ``"file.mo:Class"`` for
        one that is read from Modelica.
    folder : pathlib.Path, optional
        Where a relative file name starts from; the current folder by default.
    choice : ServoChoice, optional
        Inputs, outputs and ropes of a crane that is read from Modelica.
    """
    if is_modelica(model):
        from cranebridge.twin.modelica import ServoChoice, crane_from_modelica

        source = str((folder or Path.cwd()) / model)
        return crane_from_modelica(source, choice or ServoChoice())
    if choice is not None and (choice.inputs or choice.outputs or choice.ropes):
        raise InputError(
            f"crane.inputs, outputs and ropes are for cranes read from Modelica (FILE.mo:Class); "
            f"crane '{model}' has its own"
        )
    if model in CRANES:
        return with_motions(CRANES[model])()
    file, colon, class_name = model.rpartition(":")
    if colon and file.endswith(".py"):
        return _from_file((folder or Path.cwd()) / file, class_name)
    if model.endswith(".py"):
        found = crane_classes((folder or Path.cwd()) / model)
        known = ", ".join(f"'{model}:{name}'" for name in found) or "it has none"
        raise InputError(f"crane '{model}' names a file; add the class: {known}")
    if model.startswith(IN_MEMORY):
        class_name = file.removeprefix(IN_MEMORY)
        raise InputError(
            f"crane class {class_name} was made in memory, in a notebook's cell or a script; save "
            f'it to a file and name it, such as crane.model = "my_crane.py:{class_name}"'
        )
    raise unknown("crane", model, CRANES)


def is_modelica(model: str) -> bool:
    """Return whether a crane is read from a Modelica file."""
    return model.endswith(".mo") or ".mo:" in model


def model_name(model: str) -> str:
    """Return what a crane's model is called for short: its class, if it is read from Modelica."""
    if not is_modelica(model):
        return model
    file, class_name = model.rsplit(":", 1) if ".mo:" in model else (model, "")
    return class_name.rpartition(".")[2] or Path(file).stem


def crane_classes(file: Path) -> tuple[str, ...]:
    """Return the names of the crane classes that a user's file defines, in its order."""
    return tuple(_classes(_imported(file)))


def _classes(module: ModuleType) -> dict[str, type[Crane]]:
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and issubclass(value, Crane)
        and value.__module__ == module.__name__
    }


def _from_file(file: Path, class_name: str) -> Crane:
    """Import a user's file and make the crane of the class named, after checking all of it."""
    module = _imported(file)
    classes = _classes(module)
    if class_name not in classes:
        other = getattr(module, class_name, None)
        if inspect.isclass(other) and other.__module__ == module.__name__:
            line = validation.class_line(other, file)
            raise InputError(
                f"class {class_name} in {file}, line {line}, is no crane; "
                f"derive it: class {class_name}(Crane)"
            )
        raise unknown(f"crane class in {file.name}", class_name, classes)
    kind = classes[class_name]
    validation.require_motions(kind)
    try:
        crane: Crane = with_motions(kind)()
    except Exception as error:  # the user's own code can raise anything
        raise InputError(
            f"crane class {class_name} in {file}{_line_of(error, file)} cannot be made without "
            f"arguments: {type(error).__name__}: {_first_line(error)}"
        ) from error
    validation.validate(crane)
    return crane


def file_contents(file: Path) -> bytes:
    """Return the contents of a user's file that will be executed, here or by others.

    Raises
    ------
    InputError
        If it cannot be read, or `checked_files` refuses it.
    """
    require_regular(f"crane file '{file}'", file)
    try:
        source = file.read_bytes()
    except (OSError, ValueError):
        raise InputError(f"crane file '{file}' does not exist or cannot be read") from None
    check = _CHECK.get()
    if check is not None:
        check(file, source)
    return source


def _imported(file: Path) -> ModuleType:
    source = file_contents(file)
    # The text is compiled here and not by the import system, whose cache of compiled files takes a
    # file that was changed twice within a second for the same.
    module = ModuleType(f"cranebridge_user_{file.stem}")
    module.__file__ = str(file)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, str(file), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:  # the user's own code can raise anything
        if before is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = before
        raise InputError(
            f"crane file '{file}'{_line_of(error, file)} fails: {type(error).__name__}: "
            f"{_first_line(error)}{_place_of_cranes(error)}{_known_keywords(error, module)}"
        ) from error
    return module


def _known_keywords(error: BaseException, module: ModuleType) -> str:
    """Say which keywords a part or a quantity takes, where another one was given."""
    found = re.match(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'", str(error))
    kind = getattr(module, found[1], None) if found else None
    if not found or not dataclasses.is_dataclass(kind):
        return ""
    known = [one.name for one in dataclasses.fields(kind) if one.init]
    return f". {unknown('keyword', found[2], known)}"


def _place_of_cranes(error: BaseException) -> str:
    """Say where built-in cranes are to a file that asks for them where they were."""
    name = (error.name if isinstance(error, ModuleNotFoundError) else None) or ""
    if not name.startswith("cranebridge.twin."):
        return ""
    return ". Cranes are imported from their package: from cranebridge.twin.cranes import ..."


def _line_of(error: BaseException, file: Path) -> str:
    """Return ", line N" where the user's file is part of what went wrong."""
    import traceback

    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file)
    ]
    if isinstance(error, SyntaxError) and error.filename == str(file):
        lines.append(error.lineno)
    return f", line {lines[-1]}" if lines and lines[-1] is not None else ""


def _first_line(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return (text.strip().splitlines() or ["no message"])[0]
