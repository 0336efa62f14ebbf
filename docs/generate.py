"""Write the pages of docs/reference/ from the code they describe.

    python -m docs.generate          (or: make docs)

A test compares the pages with what this writes, so they are never older than the code.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, OpDef, OptionalDef, VariadicDef
from xdsl.passes import get_pass_option_infos

from docs.c_api import c_page
from docs.error_messages import PARTIAL, STAGES, Message, messages
from docs.metadata_fields import metadata_page
from docs.onnx_support import NOTICE, onnx_page
from docs.package_checks import packages_page
from docs.scikit_learn import scikit_learn_page
from docs.tflite_support import tflite_page
from docs.torch_axes import columns, stored_rows, summary
from docs.tvm_names import tvm_page
from docs.varying_axes import varying_axes_page
from s2s import errors, registry
from s2s.cli import main as cli
from s2s.dialects.c import C
from s2s.dialects.graph import Graph
from s2s.dialects.loop import Loop
from s2s.dialects.tensor import Tensor
from s2s.options import CompileOptions, DebugOptions, UserOptions
from s2s.options.declaration import declaration, flagged, flags_of, given_type
from s2s.targets.file import BASE, toml_value
from s2s.targets.intrinsic import INTRINSIC_KEYS, Intrinsic
from s2s.targets.intrinsics import INTRINSICS
from s2s.targets.keys import Key
from s2s.targets.target import KEYS, Target

FOLDER = Path(__file__).parent / "reference"
DIALECTS = (Graph, Tensor, Loop, C)


def dialects_page() -> str:
    """Every operation, type and attribute of our dialects."""
    sections = map(dialect_section, DIALECTS)
    intro = (
        "A network goes down through four dialects; `arith`, `math`, `func` and the types of `builtin` are xDSL's own."
        " A name followed by `?` may be left out, by `…` may be repeated."
    )
    return "\n".join([NOTICE, "# Dialects\n", intro, "", *sections])


def dialect_section(dialect: Dialect) -> str:
    """A heading, the docstring of the dialect, its types and attributes, its operations by file."""
    package = importlib.import_module(f"s2s.dialects.{dialect.name}")
    lines = [f"## {dialect.name}\n", inspect.getdoc(package) or "", ""]
    for attribute in sorted(dialect.attributes, key=lambda each: each.name):
        lines.append(f"- `{attribute.name}`: {one_line(attribute.__doc__)}")
    modules: dict[str, list[type[Operation]]] = {}
    for operation in dialect.operations:
        modules.setdefault(operation.__module__, []).append(operation)
    for module, operations in modules.items():
        lines += ["", f"### {module.rpartition('.')[2]}\n", one_line(importlib.import_module(module).__doc__), ""]
        lines += ["| operation | from | with | to | what it does |", "|---|---|---|---|---|"]
        lines += [operation_row(each) for each in sorted(operations, key=lambda each: each.name)]
    return "\n".join(lines) + "\n"


def operation_row(operation: type[Operation]) -> str:
    """One line of the table of a file."""
    assert issubclass(operation, IRDLOperation)
    definition = operation.get_irdl_definition()
    operands = ", ".join(marked(name, each) for name, each in definition.operands)
    results = ", ".join(marked(name, each) for name, each in definition.results)
    cells = (f"`{operation.name}`", operands, ", ".join(attributes(definition)), results, one_line(operation.__doc__))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def attributes(definition: OpDef) -> Iterator[str]:
    """Names of properties, attributes and regions, the optional ones marked."""
    for name, each in {**definition.properties, **definition.attributes}.items():
        if name != "operandSegmentSizes":
            yield marked(name, each)
    for name, each in definition.regions:
        yield marked(name, each) + " (region)"


def marked(name: str, definition: object) -> str:
    """The name in code type, with `?` when it may be left out and `…` when it may be repeated."""
    repeated = isinstance(definition, VariadicDef) and not isinstance(definition, OptionalDef)
    return f"`{name}{'…' if repeated else '?' if isinstance(definition, OptionalDef) else ''}`"


def passes_page() -> str:
    """Every pass, level by level."""
    lines = [NOTICE, "# Passes\n", "Each runs alone with `s2s-opt -p NAME`, or `-p NAME{option=value}`.\n"]
    for name in registry.PASSES:
        options = get_pass_option_infos(registry.load_pass(name))
        doc = inspect.getdoc(importlib.import_module(registry.module_name(name))) or ""
        lines += [f"## {name}\n", doc, ""]
        lines += [f"- `{each.name}`: {each.expected_type}, by default `{each.default_value}`" for each in options]
    return "\n".join(lines).rstrip() + "\n"


def one_line(doc: str | None) -> str:
    """The prose of a docstring as one paragraph; examples of code do not fit a table."""
    paragraphs = inspect.cleandoc(doc or "").split("\n\n")
    return " ".join(" ".join(each for each in paragraphs if not each.startswith("    ")).split())


def pytorch_page() -> str:
    """Every core overload of ATen in the installed torch, and what s2s does with it."""
    import torch

    from s2s.frontends.torch.core import core_overloads
    from s2s.frontends.torch.table import IMPORTERS, KEPT, importer_of, refusal_of

    core = [f"aten.{name}" for name in core_overloads()]
    varying = stored_rows()
    listed = sorted({*core, *(f"aten.{name}" for name in varying)})
    imported = [name for name in core if importer_of(name) is not None]
    version = ".".join(torch.__version__.split(".")[:2])
    kept = ", ".join(f"`{name}`" for name in KEPT)
    others = ", ".join(
        f"`{name}`" for space, name in sorted(IMPORTERS) if space in ("higher_order", "quantized_decomposed", "torchao")
    )
    lines = [
        NOTICE,
        "# PyTorch\n",
        f"The {len(core)} overloads that torch {version} tags as core ATen: {len(imported)} are supported,"
        f" {len(core) - len(imported)} refused. Operators that are not core are decomposed to these by torch, but for"
        f" those that are imported whole: {kept}. Of other namespaces are read: {others}.\n",
        summary(varying),
        "| overload | | shape | varies | fixed | refused |",
        "|---|---|---|---|---|---|",
    ]
    for name in listed:
        status = f"refused: {'; '.join(refusal_of(name))}" if name in core and name not in imported else "supported"
        short = name.removeprefix("aten.")
        lines.append(f"| `{short}` | {status} | {columns(varying.get(short))} |")
    return "\n".join(lines) + "\n"


def keys_table(keys: Mapping[str, Key], described: type[Target] | type[Intrinsic]) -> Iterator[str]:
    """A table of the keys of a file."""
    yield from ("", "| key | value | by default | meaning |", "|---|---|---|---|")
    defaults = {each.name: each.default for each in fields(described) if each.default is not MISSING}
    for name, key in keys.items():
        default = f"`{toml_value(defaults[name])}`" if name in defaults else ""
        yield f"| `{name}` | {key.kind.words} | {default} | {key.says} |".replace("  ", " ")


def targets_page() -> str:
    """Every key of a target file."""
    intro = (
        "A target file is TOML; [how to add a target](../how-to/add-a-target.md) says where it goes."
        f" Its key `{BASE}` names a target that tells what the file leaves out."
    )
    about = "Tables `[[intrinsic]]` define instructions that add up several products of small integers."
    lines = [NOTICE, "# Target files\n", intro, *keys_table(KEYS, Target)]
    lines += ["", "## Intrinsics\n", about, *keys_table(INTRINSIC_KEYS, Intrinsic), "", "Those of s2s:", ""]
    lines += ["| name | form | factors | group | lanes | meaning |", "|---|---|---|---|---|---|"]
    for each in INTRINSICS.values():
        lanes = ", ".join(map(str, each.lanes))
        factors = f"{each.x} × {each.w}"
        lines.append(f"| `{each.name}` | `{each.form}` | {factors} | {each.group} | {lanes} | {each.description} |")
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """Every command with its arguments and options, and the exit codes."""
    codes = inspect.getdoc(cli) or ""
    exits = " ".join(codes[codes.index("Exit codes:") :].split())
    intro = f"`s2s COMMAND --help` prints the same. {exits}"
    with cli.app.make_context("s2s", ["compile"], resilient_parsing=True) as context:
        sections = [
            command_section(f"s2s {name}", cli.app.get_command(context, name), context)
            for name in cli.app.list_commands(context)
        ]
    return "\n".join([NOTICE, "# The command line\n", intro, "", *sections, *contradictions()]) + "\n"


def command_section(name: str, command: Any, context: Any) -> str:
    """A command, or the commands of a group."""
    if hasattr(command, "commands"):
        inner = [command_section(f"{name} {each}", found, context) for each, found in command.commands.items()]
        return f"## {name}\n\n{cell(command.help)}\n\n" + "\n".join(inner)
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join([name, "[OPTIONS]", *(each.metavar or each.name.upper() for each in arguments)])
    description = inspect.cleandoc(command.help or "").replace("\n\n\b\nExample: ", "\n\n    ")
    lines = [f"## {name}\n", f"    {usage}\n", *description.splitlines(), ""]
    lines += ["| option | what it does |", "|---|---|"]
    lines += [option_row(each, context) for each in command.params if not getattr(each, "hidden", False)]
    return "\n".join(lines) + "\n"


def option_row(parameter: Any, context: Any) -> str:
    """One line of the table of a command."""
    names, told = parameter.get_help_record(context)
    return f"| `{cell(names)}` | {cell(told)} |"


def python_page() -> str:
    """The names of the package `s2s` with their types and docstrings."""
    package: Any = importlib.import_module("s2s")
    found: dict[str, Any] = {name: getattr(package, name) for name in package.__all__ if not name.startswith("__")}
    modules = [name for name, each in found.items() if inspect.ismodule(each)]
    functions = [name for name, each in found.items() if inspect.isfunction(each)]
    classes = [name for name, each in found.items() if inspect.isclass(each)]
    lines = [NOTICE, "# Python\n", "`import s2s` gives these names; each is imported when it is first used.", ""]
    lines += ["## Functions\n", *(line for name in functions for line in function_section(name, found[name]))]
    lines += ["## Classes\n", *(line for name in classes for line in class_section(name, found[name]))]
    lines += ["## Modules\n", "| module | what it is |", "|---|---|"]
    lines += [f"| `s2s.{name}` | {cell(one_line(found[name].__doc__))} |" for name in modules]
    return "\n".join(lines) + "\n"


def definition_of(found: object) -> ast.AST:
    """The definition of a function or class in its source."""
    return ast.parse(textwrap.dedent(inspect.getsource(cast(Any, found)))).body[0]


def options_table(described: type) -> Iterator[str]:
    """A table of the options that a class declares, with what a caller in Python gives."""
    yield from ("| option | type | default | what it does |", "|---|---|---|---|")
    written = meanings(described)
    for each in fields(described):
        kind = given_type(each)
        text = kind if isinstance(kind, str) else inspect.formatannotation(kind).replace("s2s.options.passes.", "")
        says = (written.get(each.name) or declaration(each).help or "").rstrip(".")
        yield f"| `{each.name}` | `{cell(text)}` | `{each.default!r}` | {cell(says)}. |"
    yield ""


def meanings(described: type) -> dict[str, str]:
    """The texts under the fields of a class, by the names of the fields."""
    node = definition_of(described)
    assert isinstance(node, ast.ClassDef)
    return {
        ast.unparse(field.target): text.value.value
        for field, text in pairwise(node.body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(text.value.value, str)
    }


def contradictions() -> Iterator[str]:
    """A table of what is said where options contradict each other."""
    yield from ("## Options that contradict others\n", "| option | what is said |", "|---|---|")
    for each in flagged(UserOptions):
        for _, message in declaration(each).refused:
            yield f"| `{flags_of(each)[0]}` | {cell(message)} |"


def function_section(name: str, found: object) -> Iterator[str]:
    """A heading, the docstring, and a table of the parameters with their types and defaults."""
    if name == "compile":
        yield from (f"### {name}\n", (inspect.getdoc(found) or ""), "", *options_table(UserOptions))
        yield from ("Returns `Artifact`.", "")
        return
    node = definition_of(found)
    assert isinstance(node, ast.FunctionDef)
    yield from (f"### {name}\n", (inspect.getdoc(found) or ""), "")
    rows = list(parameters(node))
    if rows:
        yield from ("| parameter | type | default |", "|---|---|---|")
    for argument, default in rows:
        shown = "" if default is None else f"`{cell(ast.unparse(default))}`"
        yield f"| `{argument.arg}` | {annotation(argument.annotation)} | {shown} |"
    yield from ("", f"Returns {annotation(node.returns)}.", "")


def annotation(node: ast.expr | None) -> str:
    """A type as the source has it."""
    if node is None:
        return ""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
    return f"`{cell(text)}`"


def class_section(name: str, found: type[Any]) -> Iterator[str]:
    """A heading, the docstring, and tables of fields and methods."""
    yield from (f"### {name}\n", (inspect.getdoc(found) or "").partition("\n\n")[0], "")
    if issubclass(found, DebugOptions):
        yield from options_table(found)
        return
    body = [] if not isinstance(node := definition_of(found), ast.ClassDef) else node.body
    body = [] if found is CompileOptions else body  # `compile` has them
    fields_of = [each for each in body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    if fields_of:
        yield from ("| field | type | default |", "|---|---|---|")
        for each in fields_of:
            default = "" if each.value is None else f"`{cell(ast.unparse(each.value))}`"
            yield f"| `{ast.unparse(each.target)}` | {annotation(each.annotation)} | {default} |"
        yield ""
    methods = [each for each in body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")]
    if methods:
        yield from ("| method | what it does |", "|---|---|")
        for each in methods:
            is_property = any(ast.unparse(mark) == "property" for mark in each.decorator_list)
            given = parameters(each)
            shown = [name.arg if default is None else f"{name.arg}={ast.unparse(default)}" for name, default in given]
            call = each.name if is_property else f"{each.name}({', '.join(shown)})"
            yield f"| `{cell(call)}` | {cell(one_line(ast.get_docstring(each)))} |"
        yield ""


def parameters(function: ast.FunctionDef) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """The parameters of a function, of a method without `self`, with their defaults."""
    plain, named = function.args.args, function.args.kwonlyargs
    defaults = [None] * (len(plain) - len(function.args.defaults)) + list(function.args.defaults)
    for each in (*zip(plain, defaults, strict=True), *zip(named, function.args.kw_defaults, strict=True)):
        if each[0].arg not in ("self", "cls"):
            yield each


def errors_page() -> str:
    """Every message of an error, with its way out and the exit code."""
    intro = (
        "A message names the place, the fact and the way out: `s2s: error: PLACE: FACT; WAY OUT`. Names in braces"
        " stand for what varies; search this page for the other words of a message. In Python a message is that of"
        f" an exception of a subclass of `s2s.errors.{errors.S2SError.__name__}`."
    )
    exits = inspect.getdoc(cli) or ""
    lines = [NOTICE, "# Errors\n", intro, "", "## Kinds\n", "| class | exit code | meaning |", "|---|---|---|"]
    kinds = [each for each in vars(errors).values() if inspect.isclass(each) and issubclass(each, errors.S2SError)]
    lines += [f"| `{each.__name__}` | {each.exit_code} | {cell(each.__doc__)} |" for each in kinds]
    lines += ["", " ".join(exits[exits.index("Exit codes:") :].split()), ""]
    for stage in STAGES:
        lines += message_table(stage, [each for each in messages() if each.stage == stage])
    return "\n".join(lines).rstrip() + "\n"


def message_table(stage: str, found: Sequence[Message]) -> Iterator[str]:
    """The messages of one stage: first whole ones, then messages to which a place is added."""
    whole = [each for each in found if each.kind not in PARTIAL]
    partial = [each for each in found if each.kind in PARTIAL]
    yield from (f"## {stage}\n", "| message | way out |", "|---|---|") if whole else (f"## {stage}\n",)
    yield from (f"| {plain(each.fact)} | {plain(each.way_out)} |" for each in whole)
    if partial:
        yield from ("", "After the name of a node, kernel or computation, and a colon:", "")
        yield from ("| message | way out |", "|---|---|")
        yield from (f"| {plain(each.fact)} | {plain(each.way_out or OF_PARTIAL[each.kind])} |" for each in partial)
    yield ""


OF_PARTIAL = {
    "ShapeError": "check the shapes and attributes of this node",
    "ScheduleError": "leave the directive out, or give another schedule",
    "TypesChangeError": "keep the types",
}
"""The way out of errors that state a fact alone."""


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_<>\[\]#])", r"\\\1", cell(text))


def cell(text: str | None) -> str:
    """Text in one line, for a table."""
    return " ".join((text or "").split()).replace("|", "\\|").replace("<path>", "").strip()


PAGES = {
    "c.md": lambda: NOTICE + "\n" + c_page(),
    "cli.md": cli_page,
    "python.md": python_page,
    "dialects.md": dialects_page,
    "errors.md": errors_page,
    "metadata.md": lambda: NOTICE + "\n" + metadata_page(),
    "onnx.md": onnx_page,
    "packages.md": lambda: NOTICE + "\n" + packages_page(),
    "passes.md": passes_page,
    "pytorch.md": pytorch_page,
    "targets.md": targets_page,
    "scikit-learn.md": scikit_learn_page,
    "sizes.md": varying_axes_page,
    "tflite.md": tflite_page,
    "tvm.md": lambda: NOTICE + "\n" + tvm_page(),
}
"""File in docs/reference/, and what writes it."""


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for file, page in PAGES.items():
        (FOLDER / file).write_text(page())


if __name__ == "__main__":
    main()
