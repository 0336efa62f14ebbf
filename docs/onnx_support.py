"""The page of what is read of ONNX: versions, element types, attributes, and how many of ONNX's tests pass.

What no program reads off the code is found by `benchmarks.support` and stored in `docs/onnx_support.json`: the types
with which ONNX's node tests can be imported, and how many of these tests pass.
"""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

FOUND = Path(__file__).with_name("onnx_support.json")
CONTRIB = Path(__file__).with_name("contrib_support.json")
MICROSOFT = "com.microsoft"
NOTICE = "<!-- Written by docs/generate.py; change the docstrings in the code, then `make docs`. -->\n"
CONSTANTS = (
    "`constants` are operands that may have to be constants, or computed from constants and shapes: where they come at "
    "run time, the operator is refused, in some forms of it at least, unless they follow from the shape that the model "
    "declares for its result."
)
_INTRODUCTION = (
    "Opsets {oldest} to {newest}. `versions` are those of the operator that are read. `types` are the element types of "
    "its first operand (of its result, where it has none) with which a node test of ONNX {onnx} can be imported: i8 is "
    "int8, u8 uint8, f16 float16, bf16 bfloat16. ~~Types~~ that the standard allows and s2s refuses are struck out, "
    "but for texts and complex numbers, which it refuses everywhere. `attributes` in italics have no effect on the "
    "result. `tests` are ONNX's node tests of the operator alone that pass, of those that apply to tensors of known "
    "size. "
)
_OTHERS = (
    "\nOperators that the newest opset does not have any more. ONNX has no tests of theirs; `tests/frontends/onnx` "
    "compares them with onnxruntime.\n"
)
_CONTRIB = (
    "\n## onnxruntime's operators (com.microsoft)\n\n"
    "All that onnxruntime {version} declares, and so all that its quantiser and its optimiser write. `types` are those "
    "of the first operand with which the cases of `benchmarks/contrib_cases.py` can be imported, `cases` how many "
    "results agree with onnxruntime's kernels for CPUs, of those that have one. Where there are none, onnxruntime runs "
    "the operator on accelerators alone, and tests compare it with numpy.\n"
)
_CONTRIB_REFUSED = "\nRefused:\n"
_TYPES = {
    "bool": "bool",
    **{f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)},
    "float16": "f16",
    "bfloat16": "bf16",
    "float": "f32",
    "double": "f64",
    "float4e2m1": "f4",
    **{f"float8{kind}": f"f8{kind}" for kind in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0")},
    **{f"float6{kind}": f"f6{kind}" for kind in ("e2m3", "e3m2")},
}
"""ONNX's names of types as the page has them, in its order; others are refused everywhere."""


def onnx_page() -> str:
    """Every operator of the newest opset that s2s reads, and what it does with it."""
    import onnx

    from s2s.frontends.limits import MAX_OPSET, MIN_OPSET
    from s2s.frontends.onnx.operators import IMPORTERS

    found: Mapping[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))
    versions = versions_of_operators(MIN_OPSET, MAX_OPSET)
    lines = [
        NOTICE,
        "# ONNX\n",
        _INTRODUCTION.format(oldest=MIN_OPSET, newest=MAX_OPSET, onnx=found["onnx"]) + CONSTANTS + "\n",
        "| operator | versions | types | attributes | tests | constants | |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, since in versions.items():
        name, status = ".".join(filter(None, key)), status_of(key, since[-1])
        if status.startswith("refused"):
            lines.append(f"| `{name}` | | | | | | {status} |")
            continue
        entry = found["operators"].get(name, {})
        schema = onnx.defs.get_schema(key[1], since[-1], key[0])
        tests = f"{entry['passed']} of {entry['passed'] + entry['failed']}" if entry else "none"
        columns = (
            ", ".join(map(str, since)),
            types_of(entry),
            attributes_of(sorted(schema.attributes), IMPORTERS.get(key)),
            tests,
            ", ".join(constant_operands(IMPORTERS.get(key))),
            "" if status == "supported" else status,
        )
        lines.append(f"| `{name}` | {' | '.join(columns)} |".replace("|  |", "| |"))
    lines += [_OTHERS, "| operator | attributes | constants |", "|---|---|---|"]
    for key in sorted(each for each in set(IMPORTERS) - set(versions) if each[0] != MICROSOFT):
        constants = ", ".join(constant_operands(IMPORTERS[key]))
        lines.append(f"| `{'.'.join(filter(None, key))}` | {read_attributes(IMPORTERS[key])} | {constants} |")
    return "\n".join([*lines, *contrib_section()]) + "\n"


def contrib_section() -> list[str]:
    """The table of onnxruntime's own operators: read ones, then refused ones."""
    from s2s.frontends.onnx.microsoft import IMPORTERS as READ
    from s2s.frontends.onnx.microsoft_refusals import NCHWC, REFUSALS, refusal_of

    found: Mapping[str, Any] = json.loads(CONTRIB.read_text(encoding="utf-8"))
    lines = [
        _CONTRIB.format(version=found["onnxruntime"]),
        "| operator | types | attributes | cases | constants |",
        "|---|---|---|---|---|",
    ]
    for name in sorted(set(READ) & set(found["all"])):
        entry = found["operators"].get(name, {"types": [], "cases": 0, "passed": 0})
        cases = f"{entry['passed']} of {entry['cases']}" if entry["cases"] else "none"
        types = types_of(entry) if entry["types"] else ""
        constants = ", ".join(constant_operands(READ[name]))
        lines.append(f"| `{name}` | {types} | {read_attributes(READ[name])} | {cases} | {constants} |")
    lines += [_CONTRIB_REFUSED, "| operators | |", "|---|---|"]
    groups: dict[tuple[str, str], list[str]] = {}
    for name in REFUSALS:
        groups.setdefault(REFUSALS[name], []).append(f"`{name}`")
    for reason, names in groups.items():
        lines.append(f"| {', '.join(names)} | {'; '.join(reason)} |")
    lines.append(f"| all of `{NCHWC}` | {'; '.join(refusal_of(NCHWC, '') or ())} |")
    return lines


def types_of(entry: Mapping[str, Any]) -> str:
    """The types that are read, then the ones that are not."""
    read = [short for name, short in _TYPES.items() if name in entry.get("types", ())]
    return " ".join([*read, *(f"~~{short}~~" for name, short in _TYPES.items() if name in entry.get("refused", ()))])


def versions_of_operators(oldest: int, newest: int) -> dict[tuple[str, str], list[int]]:
    """The versions of each operator of ONNX in the opsets that are read, in order, without deprecated operators."""
    from onnx.defs import get_all_schemas_with_history

    found: dict[tuple[str, str], list[int]] = {}
    dropped: set[tuple[str, str]] = set()
    for schema in sorted(get_all_schemas_with_history(), key=lambda each: (each.domain, each.name, each.since_version)):
        key, version = (schema.domain, schema.name), schema.since_version
        if schema.domain not in ("", "ai.onnx.ml") or (not schema.domain and version > newest):
            continue
        earlier = found.setdefault(key, [])
        if not schema.domain and version <= oldest:
            earlier.clear()
        earlier.append(version)
        (dropped.add if schema.deprecated else dropped.discard)(key)
    return {key: versions for key, versions in found.items() if key not in dropped}


def status_of(key: tuple[str, str], version: int) -> str:
    """Whether an operator is supported, or why it is not."""
    from s2s.frontends.onnx.schema_functions import has_function_body
    from s2s.frontends.onnx.table import REFUSALS, importer_of

    if importer_of(*key) is not None:
        return "supported"
    if key not in REFUSALS and has_function_body(*key, version):
        return "supported where the operators of its ONNX definition are"
    fact, way_out = REFUSALS.get(key, ("not supported yet", "replace it by other operators"))
    return f"refused: {fact}; {way_out}"


def attributes_of(names: Sequence[str], importer: Any) -> str:
    """The attributes of an operator, in italics the ones that its importer does not read."""
    patterns = [re.compile(each) for each in texts_of(importer)]
    read = {name for name in names if importer is None or any(each.fullmatch(name) for each in patterns)}
    return ", ".join(name if name in read else f"*{name}*" for name in names)


def read_attributes(importer: Any) -> str:
    """The attributes that an importer asks for: the texts given to methods of its node."""
    readers = ("choice", "flag", "integer", "integers", "real", "reals", "tensor", "text", "texts", "has")
    found: dict[str, None] = {}
    for function in functions_of(importer):
        for call in _calls(function):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            reads = isinstance(call.func, ast.Attribute) and call.func.attr in readers and call.args
            if reads and isinstance(owner, ast.Name) and owner.id == "node" and (text := _text(call.args[0])):
                found[text] = None
    return ", ".join(sorted(found))


def texts_of(importer: Any) -> set[str]:
    """Regular expressions of the texts in the functions of an importer."""
    found: set[str] = {re.escape(each) for each in _arguments_of(importer) if isinstance(each, str)}
    for function in functions_of(importer):
        for node in _nodes(function.__code__):
            if isinstance(node, ast.JoinedStr):
                found.add("".join(re.escape(_text(each)) or ".+" for each in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(re.escape(node.value))
            elif isinstance(node, ast.Name) and isinstance(function.__globals__.get(node.id), tuple | list):
                found.update(re.escape(str(each)) for each in function.__globals__[node.id])
    return found - {".+"}


def _arguments_of(importer: Any) -> list[Any]:
    return [*importer.args, *_arguments_of(importer.func)] if isinstance(importer, partial) else []


def functions_of(importer: Any) -> list[Callable[..., Any]]:
    """An importer and the functions of the frontends that it calls or names, as far as they can be followed."""
    found: dict[Any, None] = {}

    def visit(function: Any) -> None:
        while isinstance(function, partial):
            for argument in function.args:
                visit(argument)
            function = function.func
        if not inspect.isfunction(function) or function in found or not function.__module__.startswith("s2s.frontends"):
            return
        found[function] = None
        for named in _named_in(function):
            visit(named)

    visit(importer)
    return list(found)


@cache
def _named_in(function: Any) -> tuple[Any, ...]:
    """What a function calls by name, has in its closure, or calls as a method of a class of its own module."""
    return tuple(_names_in(function))


def _names_in(function: Any) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        yield cell.cell_contents
    own = [
        each
        for each in function.__globals__.values()
        if inspect.isclass(each) and each.__module__ == function.__module__
    ]
    for node in _nodes(function.__code__):
        if isinstance(node, ast.Name):
            yield function.__globals__.get(node.id)
        elif isinstance(node, ast.Attribute):
            yield from (vars(each).get(node.attr) for each in own)


def constant_operands(importer: Any) -> list[str]:
    """What an importer calls the operands that it asks for their values: the texts given to `node.known…`, by the
    importer itself and by the functions of the frontends that it calls."""
    found: dict[str, None] = {}
    for function in functions_of(importer):
        for call in _calls(function):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if "known" in name:
                found.update(dict.fromkeys(filter(None, map(_text, call.args))))
    return list(found)


def _text(argument: ast.expr) -> str:
    """A text as it stands in the code, `…` for what it is filled with; nothing of other arguments."""
    if isinstance(argument, ast.JoinedStr):
        return "".join(_text(each) or "…" for each in argument.values)
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else ""


def _calls(function: Callable[..., Any]) -> list[ast.Call]:
    return [node for node in _nodes(function.__code__) if isinstance(node, ast.Call)]


@cache
def _nodes(code: CodeType) -> tuple[ast.AST, ...]:
    """The syntax of a function, node by node; nothing for a lambda, whose source is the statement around it.

    Kept, since operators share most of the functions that their importers call.
    """
    if code.co_name == "<lambda>":
        return ()
    return tuple(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(code)))))
