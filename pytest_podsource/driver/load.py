"""
From what ``--podsource-impl`` names to a driver.

A target is ``module``, ``module:attribute``, ``path/to/file.py``, the same with
``:attribute``, or ``cmd:program``. Rule 1: what is wrong is found here, not in the
first case. Rule 2: the error says what to write instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from difflib import get_close_matches
from functools import reduce
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

from pytest_podsource.driver.base import Abilities, Driver, Offer
from pytest_podsource.driver.compose import SOURCES
from pytest_podsource.driver.inprocess import (
    FACTORIES,
    FUNCTIONS,
    METHODS,
    InProcessDriver,
)
from pytest_podsource.driver.trace import Trace
from pytest_podsource.exceptions import CannotLoad
from pytest_podsource.known import NEWEST

TimeMode = Literal["env", "patched", "real"]

_ARGUMENTS = dict.fromkeys(FACTORIES.values(), ("config", "env")) | {
    name: METHODS[name] for names in FUNCTIONS.values() for name in names
}
_ABILITIES = {
    "env": Abilities(),
    "patched": Abilities(http="loopback"),
    "real": Abilities(time="real", watch="native", http="loopback"),
}


def load_driver(
    target: str,
    as_: str | None = None,
    *,
    kubelet: str = NEWEST,
    time: TimeMode = "env",
) -> Driver:
    """
    Return what reaches *target*.

    Args:
        target: A module, a file, an attribute of either, or ``cmd:`` and a program.
        as_: The name of the contract that a function stands for.
        kubelet: The kubelet that a program is told to behave like.
        time: Whose time a module lives in: the environment's, patched, or real.

    Raises:
        CannotLoad: There is no such thing, or it doesn't fit the contract.
    """
    return driver_of(load(target, as_), target, kubelet=kubelet, time=time)


def load(target: str, as_: str | None = None) -> Any:
    """
    Return the object whose attributes are factories; ``cmd:program`` as it stands.

    Raises:
        CannotLoad: There is no such thing, or it has another shape.
    """
    if target.startswith("cmd:"):
        return target
    return _shaped(target, _found(target), as_)


def driver_of(
    implementation: Any,
    name: str,
    *,
    kubelet: str = NEWEST,
    time: TimeMode = "env",
    folder: str = "",
    trace: Trace | None = None,
) -> Driver:
    """
    Return what reaches *implementation*, an object with factories or ``cmd:program``.

    Args:
        implementation: What :func:`load` gives, or an object of one's own.
        name: Its name, for headers and errors.
        kubelet: The kubelet that a program is told to behave like.
        time: Whose time an object lives in: the environment's, patched, or real.
        folder: Where a program is started, empty for the current folder.
        trace: Where the dialogue with a program is written down.

    Raises:
        CannotLoad: It doesn't fit the contract, or can't be started.
    """
    if isinstance(implementation, str):
        from pytest_podsource.driver.stdio import launch  # noqa: PLC0415 - only if asked

        command = implementation.removeprefix("cmd:")
        return launch(command, kubelet, folder=folder, trace=trace)
    offered = [each for each in _ARGUMENTS if hasattr(implementation, each)]
    remarks = _near_misses(implementation)
    if not offered:
        raise CannotLoad(name, _nothing_offered(implementation, remarks))
    for each in offered:
        _bind(name, each, getattr(implementation, each))
    offer = Offer(
        name=name,
        version=str(getattr(implementation, "__version__", "")),
        components=_components(frozenset(offered)),
        features=_features(name, implementation),
        abilities=_ABILITIES[time],
        remarks=tuple(remarks),
    )
    return InProcessDriver(implementation, offer)


def _found(target: str) -> Any:
    place, _, attribute = target.partition(":")
    if place.endswith(".py") or os.sep in place:
        module = _file(target, Path(place))
    else:
        module = _module(target, place)
    if not attribute:
        return module
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError:
        raise CannotLoad(target, _no_attribute(place, attribute, module)) from None


def _module(target: str, name: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise CannotLoad(target, _no_module(name)) from None
        raise CannotLoad(target, _import_fails(error)) from error
    except Exception as error:
        raise CannotLoad(target, _import_fails(error)) from error


def _file(target: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise CannotLoad(
            target, f"there is no file {str(path)!r} in {str(Path.cwd())!r}."
        )
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CannotLoad(target, "is no Python file; its name must end with .py.")
    if str(path.parent.absolute()) not in sys.path:
        sys.path.insert(0, str(path.parent.absolute()))
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before
        raise CannotLoad(target, _import_fails(error)) from error
    return module


def _shaped(target: str, found: Any, as_: str | None) -> Any:
    """
    Return the object whose attributes are factories.
    """
    if as_ is not None or inspect.isroutine(found):
        return _function(target, found, as_)
    if not inspect.isclass(found):
        return found
    if not any(hasattr(found, name) for name in _ARGUMENTS):
        raise CannotLoad(target, _other_shape(found))
    try:
        return found()
    except TypeError as error:
        raise CannotLoad(
            target,
            f"the class has factories, but can't be made without arguments: {error}. "
            "Name an object of it, or a module.",
        ) from None


def _function(target: str, function: Any, as_: str | None) -> Any:
    name = as_ or function.__name__
    if name not in _ARGUMENTS:
        near = _near(name)
        raise CannotLoad(
            target,
            f"{name!r} is no name of the contract. {near}Name the one that the function "
            "stands for, such as --podsource-as diff_snapshots. "
            f"Known names: {', '.join(_ARGUMENTS)}.",
        )
    if not callable(function):
        raise CannotLoad(target, f"{function!r} can't be called; {name} is a function.")
    return SimpleNamespace(**{name: function})


def _bind(target: str, name: str, factory: Any) -> None:
    wanted = _ARGUMENTS[name]
    if not callable(factory):
        raise CannotLoad(target, f"{name} is {factory!r}, which can't be called.")
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*wanted)
    except TypeError:
        raise CannotLoad(
            target,
            f"{name}{signature} can't be called with ({', '.join(wanted)}). "
            f"Write: def {name}({', '.join(wanted)}).",
        ) from None


def _components(offered: frozenset[str]) -> frozenset[str]:
    parts = {name for name, factory in FACTORIES.items() if factory in offered}
    parts |= {name for name, wanted in FUNCTIONS.items() if offered & {*wanted}}
    if "podconfig" in parts and parts & {*SOURCES}:
        parts.add("sources")
    return frozenset(parts)


def _features(target: str, implementation: Any) -> frozenset[str] | None:
    """
    Return the levels that ``FEATURES`` names; without it all may be tried.
    """
    named = getattr(implementation, "FEATURES", None)
    if named is None:
        return None
    if isinstance(named, (list, tuple, set, frozenset)) and all(
        isinstance(each, str) for each in named
    ):
        return frozenset(named)
    raise CannotLoad(
        target,
        f"FEATURES is {named!r}. It must be a list of names, "
        'such as ["back-pressure", "logs"].',
    )


def _near_misses(implementation: Any) -> list[str]:
    public = [name for name in dir(implementation) if not name.startswith("_")]
    return [
        f"{name!r} is no name of the contract; did you mean {near[0]!r}?"
        for name in public
        if name not in _ARGUMENTS
        and (near := get_close_matches(_snake(name), _ARGUMENTS, n=1, cutoff=0.85))
        and not hasattr(implementation, near[0])
        and callable(getattr(implementation, name, None))
    ]


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _near(name: str) -> str:
    near = get_close_matches(_snake(name), _ARGUMENTS, n=1)
    return f"Did you mean {near[0]!r}? " if near else ""


def _nothing_offered(implementation: Any, remarks: list[str]) -> str:
    return " ".join(
        [
            "offers none of the contract's factories and functions.",
            *remarks,
            f"Known names: {', '.join(_ARGUMENTS)}.",
        ]
    )


def _no_attribute(place: str, attribute: str, module: ModuleType) -> str:
    public = [name for name in vars(module) if not name.startswith("_")]
    near = get_close_matches(attribute, public, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return f"{place!r} has no attribute {attribute!r}. {hint}".strip()


def _no_module(name: str) -> str:
    return (
        f"there is no module {name!r}, in {str(Path.cwd())!r} or installed. "
        "Name a module, module:attribute, path/to/file.py or cmd:program."
    )


def _import_fails(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"its import fails: {text} ({last.filename}, line {last.lineno})."


def _other_shape(found: type) -> str:
    return (
        "this class has none of the contract's factories. Write an adapter:\n\n"
        f"    from {found.__module__} import {found.__name__}\n\n"
        "    def new_file_source(config, env):\n"
        f"        source = {found.__name__}(config.path)\n"
        "        ...  # let it wait by env.clock and send by env.send\n"
        "        return source  # with start() and stop()\n\n"
        "and name that module instead."
    )
