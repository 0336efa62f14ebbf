"""Run a Python file of the user's that makes a model: `s2s compile model.py:make_model`."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2s.errors import InputError
from s2s.frontends.names import one_line
from s2s.frontends.torch.capture import export, import_torch
from s2s.frontends.torch.snapshot import snapshot

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_WAY_OUT = "return a module and a tuple of example inputs, or an exported program"


def make(path: Path, name: str) -> ExportedProgram:
    """Run the file, call its function, and export what that returns; once for each text of the file, as weights may be
    random."""
    try:
        text = path.read_bytes()
    except OSError:
        raise InputError(f"{path}: is no Python file; give FILE.py:FUNCTION") from None
    return _made(path, name, path.absolute(), text)


@lru_cache(maxsize=1)
def _made(path: Path, name: str, _place: Path, _text: bytes) -> ExportedProgram:
    """The program that function `name` of the file makes, whose tensors no module of the user's shares; another file or
    another text makes another one."""
    return snapshot(_program(path, name))


def _program(path: Path, name: str) -> ExportedProgram:
    torch = import_torch()
    made = _called(path, name)
    where = f"{path}:{name}"
    if isinstance(made, torch.export.ExportedProgram):
        return made
    if not isinstance(made, tuple) or not 2 <= len(made) <= 3 or not isinstance(made[0], torch.nn.Module):
        raise InputError(f"{where}: returns {type(made).__name__}; {_WAY_OUT}")
    module: Any = made[0]
    inputs: Any = made[1]
    dynamic_shapes: Any = made[2] if len(made) == 3 else None
    if isinstance(inputs, torch.Tensor):
        inputs = (inputs,)
    if isinstance(inputs, Mapping):
        return export(module.eval(), (), inputs, dynamic_shapes)
    if not isinstance(inputs, Sequence):
        raise InputError(f"{where}: its example inputs are {type(inputs).__name__}; {_WAY_OUT}")
    return export(module.eval(), inputs, None, dynamic_shapes)


def _called(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"s2s_model_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"{path}: is no Python file; give FILE.py:FUNCTION")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.absolute().parent))
    try:
        spec.loader.exec_module(module)
        function = getattr(module, name, None)
        if not callable(function):
            raise InputError(f"{path}: has no function {name}; give FILE.py:FUNCTION")
        return function()
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{path}:{name}: fails with {type(error).__name__} ({one_line(str(error))}); make it run by itself"
        ) from error
    finally:
        sys.path.pop(0)
