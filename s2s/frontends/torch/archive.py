"""Read a `.pt2` file without running any code that it may carry.

It is a zip of a program in JSON, raw weights, and pickles. torch's own reader evaluates expressions of the program as
Python, imports the classes that tree specifications name, and falls back to a pickle reader that runs code. So before
torch reads a file, everything in it is checked:

- members: no compiled libraries, no objects of classes, sizes within limits;
- pickles: torch's safe reader (`weights_only`) takes each of them;
- texts of the program: expressions are arithmetic on symbols, operators are those of torch, containers are Python's.

torch is given a new archive of the members that were checked: two readers of one zip may see different members.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2s.errors import InputError
from s2s.frontends.names import one_line
from s2s.frontends.torch.capture import import_torch
from s2s.frontends.torch.expressions import is_arithmetic

if TYPE_CHECKING:
    from torch.export import ExportedProgram

MAX_ARCHIVE_BYTES = 2**31 - 1
"""Of all members, unpacked."""
MAX_JSON_BYTES = 2**28
"""Of the text of a program."""
_TARGET = re.compile(
    r"torch\.ops\.(aten|prims|quantized_decomposed|torchao|torchvision)\.\w+\.\w+|(_operator|math)\.\w+|torch\._?sym_\w+|"
    r"torch\.ops\.higher_order\.(cond|while_loop|scan|map_impl|wrap_with_set_grad_enabled)"
)
_REGISTERED_BY = {
    "quantized_decomposed": "torch.ao.quantization.fx._decomposed",
    "torchao": "torchao.quantization",
    "torchvision": "torchvision",
}
"""By namespace of operators, the module whose import registers them."""
_CONTAINERS = frozenset(["builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict"])
_CODE = (".so", ".py", ".dll", ".dylib", ".o", ".cubin")
_PLAIN = ("archive_format", "archive_version", "byteorder", "version", ".data/version", ".data/serialization_id")
"""Members that hold a line of text."""


def read_archive(path: Path, *, trust: bool) -> ExportedProgram:
    """The program of a file; unless the user trusts it, a file that is not plain data is refused."""
    torch = import_torch()
    if not path.is_file():
        raise InputError(f"{path}: is not a file; give the path of a file that torch.export.save wrote")
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: is no archive of torch; save the program with torch.export.save")
    _refuse_modules(path)
    source = path if trust else _checked(path, torch)
    _register_operators(path)
    try:
        program = torch.export.load(source)
    except Exception as error:
        raise InputError(
            f"{path}: torch.export.load does not read it ({one_line(str(error).strip())}); save the program again with "
            "torch.export.save"
        ) from error
    _keep_ranges_of_symbols(program)
    return program


def _keep_ranges_of_symbols(program: ExportedProgram) -> None:
    """Remove the ranges of expressions, `4*s0`, from what torch knows of symbols: it writes them to a file, reads them
    as if they were symbols, and then decomposes no program that has one. The program keeps them as its constraints."""
    values = (node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder")
    sizes = (size for value in values for size in getattr(value, "shape", ()) if not isinstance(size, int))
    environments: list[Any] = [size.node.shape_env for size in sizes]
    for ranges in (environment.var_to_range for environment in environments):
        for expression in [each for each in ranges if not each.is_Symbol]:
            del ranges[expression]


def _refuse_modules(path: Path) -> None:
    """Refuse what torch.save and torch.jit.save write, trusted or not: an export needs example inputs."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name.rpartition("/")[2] for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"{path}: is damaged ({one_line(str(error))}); save the program again") from None
    if "data.pkl" in members:
        what = "a module of TorchScript" if "constants.pkl" in members else "weights or a pickled module"
        raise InputError(
            f"{path}: holds {what}, no exported program; save one with torch.export.save, or name a function that "
            "makes the module and example inputs, as in model.py:make_model"
        )


def _register_operators(path: Path) -> None:
    """Import the modules that register the operators of quantised programs, where the program calls them."""
    with zipfile.ZipFile(path) as archive:
        texts = [_limited(archive, name, path) for name in archive.namelist() if name.endswith(".json")]
    for namespace, module in _REGISTERED_BY.items():
        if any(f"torch.ops.{namespace}.".encode() in text for text in texts):
            try:
                importlib.import_module(module)
            except ImportError as error:
                raise InputError(
                    f"{path}: calls operators of {namespace}, and {module} is not installed; pip install {namespace}"
                ) from error


def _checked(path: Path, torch: Any) -> io.BytesIO:
    """An archive of the members of a file, all of which have been checked."""
    made = io.BytesIO()
    try:
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(made, "w") as copy:
            _copy(archive, copy, path, torch)
    except (zipfile.BadZipFile, OSError, ValueError, RecursionError, NotImplementedError) as error:
        raise InputError(f"{path}: is damaged ({one_line(str(error))}); save the program again") from None
    made.seek(0)
    return made


def _copy(archive: zipfile.ZipFile, copy: zipfile.ZipFile, path: Path, torch: Any) -> None:
    members = archive.infolist()
    names = [member.filename for member in members]
    if sum(member.file_size for member in members) > MAX_ARCHIVE_BYTES:
        raise InputError(f"{path}: holds over {MAX_ARCHIVE_BYTES} bytes; split the model")
    if not any("/models/" in name and name.endswith(".json") for name in names):
        raise InputError(f"{path}: holds no exported program; save one with torch.export.save")
    if len(set(names)) != len(names) or any(".." in name.split("/") for name in names):
        raise _untrusted(path, "two members have one name, or a name leads out of the archive")
    raw = _raw_tensors(archive, path)
    for member in members:
        data = archive.read(member)
        name = member.filename
        if name.endswith(".json"):
            data = _checked_json(data, name, path)
        else:
            _check_member(data, name, name in raw, path, torch)
        copy.writestr(name, data)


def _raw_tensors(archive: zipfile.ZipFile, path: Path) -> frozenset[str]:
    """The members that hold the bytes of a tensor, which torch reads as they are."""
    raw: set[str] = set()
    pickled: set[str] = set()
    for name in archive.namelist():
        if not name.endswith("_config.json"):
            continue
        config = json.loads(_limited(archive, name, path)).get("config", {})
        for entry in config.values():
            member = f"{name.rpartition('/')[0]}/{entry['path_name']}"
            (pickled if entry["use_pickle"] is not False else raw).add(member)
    return frozenset(raw - pickled)


def _limited(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    size = archive.getinfo(name).file_size
    if size > MAX_JSON_BYTES:
        raise InputError(f"{path}: {one_line(name)} has {size} bytes; split the model")
    return archive.read(name)


def _check_member(data: bytes, name: str, is_raw: bool, path: Path, torch: Any) -> None:
    """Refuse code, and pickles that are more than tensors and containers."""
    if name.endswith(_CODE) or "aotinductor" in name:
        raise _untrusted(path, f"{one_line(name)} is code")
    if "custom_obj" in name or "opaque_obj" in name:
        raise _untrusted(path, f"{one_line(name)} is an object of a class")
    if is_raw or name.partition("/")[2] in _PLAIN:
        return
    try:
        torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
    except Exception as error:
        raise _untrusted(path, f"{one_line(name)} holds more than tensors") from error


def _checked_json(data: bytes, name: str, path: Path) -> bytes:
    """A program or a table of weights, without the checks of inputs that torch would run as Python."""
    if len(data) > MAX_JSON_BYTES:
        raise InputError(f"{path}: {one_line(name)} has {len(data)} bytes; split the model")
    found = json.loads(data)
    if isinstance(found, dict) and "guards_code" in found:
        found["guards_code"] = []
    _check_value(found, "", path)
    return json.dumps(found).encode()


def _check_value(value: Any, key: str, path: Path) -> None:
    """Check all texts of a JSON value, by the keys that they stand behind."""
    if isinstance(value, str):
        _check_text(key, value, path)
    elif isinstance(value, list):
        for each in value:
            _check_value(each, key, path)
    elif isinstance(value, dict):
        for name, each in value.items():
            if key == "range_constraints":
                _check_text("expr_str", name, path)
            _check_value(each, name, path)


def _check_text(key: str, text: str, path: Path) -> None:
    if key == "expr_str" and not is_arithmetic(text):
        raise _untrusted(path, f"expression {one_line(text)!r} is more than arithmetic on sizes")
    is_operator = key == "target" and "." in text and text.startswith(("torch", "_operator", "math", "#"))
    if is_operator and not _TARGET.fullmatch(text):
        raise _untrusted(path, f"operator {one_line(text)!r} is none of torch's")
    if key in ("in_spec", "out_spec") and text:
        _check_specification(text, path)


def _check_specification(text: str, path: Path) -> None:
    """How inputs or outputs nest: only containers of Python, whose classes need no import."""
    types = re.findall(r'"type":\s*"([^"]*)"', text)
    foreign = [name for name in types if name not in _CONTAINERS]
    if foreign or "__enum__" in text or "\\u" in text:
        raise _untrusted(path, f"its inputs or outputs are of class {one_line(foreign[0] if foreign else 'Enum')}")


def _untrusted(path: Path, fact: str) -> InputError:
    return InputError(f"{path}: {fact}; if you know where the file comes from, give --trust-model")
