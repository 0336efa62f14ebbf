"""Assign functions and tables to C files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute

from s2s.analysis.network.functions import DEVICE, HOOK
from s2s.dialects import c
from s2s.dialects.walk import walk
from s2s.emit.headers import headers_named_by, headers_of
from s2s.emit.statements import FunctionWriter, global_definition, spelt_header, struct_definition
from s2s.errors import CompilerBug
from s2s.passes.c.place_constants import PACKED, is_placed
from s2s.types.devices import MAIN
from s2s.types.hints import isa

MAX_UNIT_LINES = 1200
"""Lines of kernels in one file; more go to further files, which compile in parallel."""

_SYSTEM_FIRST = ("<", '"')


class Unit(NamedTuple):
    """The contents of one C file: includes and definitions."""

    headers: tuple[str, ...]
    text: str
    named: frozenset[str] = frozenset()
    """The tables and weights that the functions name themselves; others are passed."""


class Program(NamedTuple):
    """The C of a network by role: exported functions and tables, kernels, helpers."""

    entry: tuple[c.FuncOp, ...]
    """Functions that a caller may call."""
    graph: c.GlobalOp | None
    """The exported table of the graph executor."""
    callers: tuple[c.FuncOp, ...]
    """The static functions that the entry functions or the table call."""
    kernels: tuple[c.FuncOp, ...]
    """Of all devices."""
    hooks: tuple[c.FuncOp, ...]
    """The default definitions of copies to and from devices, and of what is done around their kernels."""
    callbacks: tuple[c.FuncOp, ...]
    """Prototypes of functions that the user supplies."""
    weights: tuple[c.GlobalOp, ...]
    packed: tuple[c.GlobalOp, ...]
    """The weights of the pack."""
    tables: tuple[c.GlobalOp, ...]
    overlays: tuple[c.OverlayOp, ...]
    """The types of the functions' parameters."""
    structs: tuple[c.StructOp, ...]
    """The same."""
    helpers: Mapping[c.FuncOp, tuple[c.StructOp | c.FuncOp, ...]]
    """The structure and static functions of each divided kernel, in order."""
    headers: tuple[str, ...]
    """Headers of `c.include` operations: every header of the tree includes them first."""

    @staticmethod
    def of(module: ModuleOp) -> "Program":
        """Sort the operations of a c module by role.

        A function with `extents` is the network's face; a table that is not static is, for the graph executor. The
        static functions belong to these.
        """
        functions = [op for op in module.ops if isinstance(op, c.FuncOp)]
        tables = [op for op in module.ops if isinstance(op, c.GlobalOp)]
        includes = [op for op in module.ops if isinstance(op, c.IncludeOp)]
        overlays = [op for op in module.ops if isinstance(op, c.OverlayOp)]
        structs = [op for op in module.ops if isinstance(op, c.StructOp)]
        if len(functions) + len(tables) + len(includes) + len(overlays) + len(structs) != len(list(module.ops)):
            raise CompilerBug("the module holds operations that are no C; lower it first")
        exported = [table for table in tables if table.weight is None and table.static is None]
        helpers = {kernel: _helpers(kernel) for kernel in functions if _is_kernel(kernel)}
        helping = {helper for each in helpers.values() for helper in each}
        return Program(
            entry=tuple(func for func in functions if func.extents is not None),
            graph=exported[0] if exported else None,
            callers=tuple(func for func in functions if func.static is not None and func not in helping),
            kernels=tuple(func for func in functions if _is_kernel(func)),
            hooks=tuple(func for func in functions if HOOK in func.attributes),
            callbacks=tuple(func for func in functions if not func.body.blocks),
            weights=tuple(table for table in tables if is_placed(table)),
            packed=tuple(table for table in tables if PACKED in table.attributes),
            tables=tuple(table for table in tables if table.weight is None and table not in exported),
            overlays=tuple(overlays),
            structs=tuple(struct for struct in structs if struct not in helping),
            helpers=helpers,
            headers=tuple(spelt_header(op) for op in includes),
        )

    @property
    def public_types(self) -> list[Attribute]:
        """The types that the network's header names: of parameters, and of what unions and structures hold."""
        parameters = [type for func in self.entry for type in func.function_type.inputs]
        return [*parameters, *(type for held in (*self.overlays, *self.structs) for type in held.types)]

    def graph_unit(self, own_headers: Sequence[str]) -> Unit:
        """The tables of the graph executor, and the functions that they lead to."""
        assert self.graph is not None
        named: list[c.GlobalOp] = []
        _add_named(self.graph, {table.sym_name.data: table for table in self.tables}, named)
        blocks = [FunctionWriter(func).definition() for func in self.callers]
        blocks += [global_definition(table) for table in named]
        assert self.graph.value is not None
        needed = set(headers_named_by(self.graph)).union(*map(headers_of, self.callers))
        ordered = sorted(needed - {'"s2s.h"'}, key=lambda header: (_SYSTEM_FIRST.index(header[0]), header))
        return Unit((*own_headers, *ordered), _joined(blocks))

    def kernel_units(self, own_header: str, device: str = MAIN) -> list[Unit]:
        """Split the kernels of a device into files of readable length, each with the tables that it reads."""
        parts: list[list[c.FuncOp]] = [[]]
        texts = {kernel: self._kernel(kernel) for kernel in self.kernels if owner_of(kernel) == device}
        length = 0
        for kernel, lines in texts.items():
            if parts[-1] and length + len(lines) > MAX_UNIT_LINES:
                parts.append([])
                length = 0
            parts[-1].append(kernel)
            length += len(lines) + 1
        return [self._unit({kernel: texts[kernel] for kernel in part}, [own_header]) for part in parts if part]

    def hook_unit(self, own_headers: Sequence[str], device: str) -> Unit:
        """The hooks of a device."""
        mine = [hook for hook in self.hooks if owner_of(hook) == device]
        return self._unit({hook: FunctionWriter(hook).definition() for hook in mine}, own_headers)

    @property
    def hooked(self) -> list[str]:
        """The devices, and the pools, that have hooks."""
        return list(dict.fromkeys(map(owner_of, self.hooks)))

    @property
    def devices(self) -> list[str]:
        """The devices beside the first one that run kernels."""
        return [device for device in dict.fromkeys(map(owner_of, self.kernels)) if device != MAIN]

    def _kernel(self, kernel: c.FuncOp) -> list[str]:
        """Write a kernel, preceded by its helpers."""
        lines: list[str] = []
        for helper in self.helpers[kernel]:
            text = struct_definition(helper) if isinstance(helper, c.StructOp) else FunctionWriter(helper).definition()
            lines += [*text, ""]
        return [*lines, *FunctionWriter(kernel).definition()]

    def entry_unit(self, own_headers: Sequence[str]) -> Unit:
        """Write the exported functions, preceded by the functions that they call."""
        functions = (*self.callers, *self.entry)
        return self._unit({func: FunctionWriter(func).definition() for func in functions}, own_headers)

    def _unit(self, functions: Mapping[c.FuncOp, Sequence[str]], own_headers: Sequence[str]) -> Unit:
        """Create a file of functions with their text and the includes that they need; our own headers include s2s.h."""
        every = [*functions, *(each for func in functions for each in self.helpers.get(func, ()))]
        needed = {header for func in every if isinstance(func, c.FuncOp) for header in headers_of(func)}
        wanted = needed - {'"s2s.h"', *own_headers}
        ordered = sorted(wanted, key=lambda header: (_SYSTEM_FIRST.index(header[0]), header))
        named = frozenset(op.symbol.data for func in every for op in walk(func) if isinstance(op, c.SymbolOp))
        tables = [global_definition(table) for table in self.tables if table.sym_name.data in named]
        return Unit((*own_headers, *ordered), _joined([*tables, *functions.values()]), named)


def owner_of(op: c.FuncOp | c.GlobalOp) -> str:
    """Return the device that a kernel, a hook or a constant belongs to."""
    device = op.attributes.get(DEVICE)
    return device.data if isinstance(device, StringAttr) else MAIN


def _is_kernel(func: c.FuncOp) -> bool:
    return func.extents is None and func.static is None and bool(func.body.blocks) and HOOK not in func.attributes


def _helpers(kernel: c.FuncOp) -> tuple[c.StructOp | c.FuncOp, ...]:
    """Return the structure and the static functions directly before a kernel."""
    found: list[c.StructOp | c.FuncOp] = []
    op = kernel.prev_op
    while isinstance(op, c.FuncOp) and op.static is not None:
        found.insert(0, op)
        op = op.prev_op
    return (op, *found) if isinstance(op, c.StructOp) and found else ()


def _joined(blocks: Sequence[Sequence[str]]) -> str:
    """Definitions with a blank line between them."""
    return "\n\n".join("\n".join(lines) for lines in blocks)


def _add_named(table: c.GlobalOp, known: Mapping[str, c.GlobalOp], found: list[c.GlobalOp]) -> None:
    """Append `table`, preceded by the tables that it refers to, directly or indirectly."""
    assert table.value is not None
    for name in _symbols(table.value):
        if name in known and known[name] not in found:
            _add_named(known[name], known, found)
    found.append(table)


def _symbols(value: Attribute) -> Iterator[str]:
    """Yield the symbols in an initialiser, in order."""
    if isinstance(value, SymbolRefAttr):
        yield value.root_reference.data
    elif isa(value, ArrayAttr[Attribute]):
        for item in value:
            yield from _symbols(item)
    elif isa(value, DictionaryAttr):
        for item in value.data.values():
            yield from _symbols(item)
