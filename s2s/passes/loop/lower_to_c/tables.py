"""Lower the network to constant tables that the runtime's graph executor walks (`s2s_graph.h`)."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation

from s2s.analysis.network.functions import HEADERS
from s2s.c_syntax import headers
from s2s.c_syntax.identifiers import c_macro
from s2s.c_syntax.types import dlpack_of
from s2s.dialects import c
from s2s.passes.loop.lower_to_c.size_tables import (
    argument,
    derive_sizes,
    equal_sizes,
    size_argument,
    size_fields,
    size_tables,
    store_size,
)
from s2s.passes.loop.lower_to_c.state_tables import state_fields, state_tables
from s2s.passes.loop.lower_to_c.table_rows import Call, Rows, Tensor
from s2s.types.dtypes import to_dense, ui32

STAGED_SIZE = "staged_size"
SLOTS = "slots"
SIZES = "sizes"
"""Attributes of the exported table, for the header."""

_ARGUMENTS = c.PtrType(c.PtrType(c.VOID), const=True)


def graph_tables(rows: Rows) -> list[Operation]:
    """Return the caller function of each kernel, the tables, and the exported table that refers to them."""
    called = {_caller_name(rows, call): call for call in rows.calls}
    shapes = list(dict.fromkeys(tensor.shape for tensor in rows.tensors if tensor.shape))
    made: list[Operation] = [_caller(name, call) for name, call in called.items()]
    made += derive_sizes(rows.sizes)
    made += [_table(_shape_name(shape), to_dense(np.asarray(shape, np.int64)), i64, len(shape)) for shape in shapes]
    made += _rows_table("tensors", "s2s_graph_tensor", [_tensor(tensor) for tensor in rows.tensors])
    arguments = [number for call in rows.calls for number in call.arguments]
    if arguments:
        made.append(_table("args", to_dense(np.asarray(arguments, np.uint32)), ui32, len(arguments)))
    made += _rows_table("nodes", "s2s_graph_node", _nodes(rows))
    offsets, staged = rows.staging
    first_output = rows.inputs + rows.parameters
    inputs = [_port(number, offsets[number] if number < rows.inputs else None) for number in range(first_output)]
    outputs = [_port(first_output + number, offsets[rows.inputs + number]) for number in range(rows.outputs)]
    made += _rows_table("inputs", "s2s_graph_port", inputs)
    made += _rows_table("outputs", "s2s_graph_port", outputs)
    if rows.devices:
        sizes = ArrayAttr([_count(each.size) for each in rows.devices])
        made.append(_table("device_arenas", sizes, c.NamedType("size_t"), len(rows.devices)))
    made += size_tables(rows.sizes, rows.parameters)
    made += state_tables(rows.state)
    exported = c.GlobalOp(f"{rows.prefix}_graph", c.NamedType("s2s_graph"), value=_graph(rows))
    if rows.status is not None:
        exported.attributes[HEADERS] = ArrayAttr([StringAttr(headers.PACKED)])
    exported.attributes |= {STAGED_SIZE: IntegerAttr(staged, i64), SLOTS: IntegerAttr(rows.slots, i64)}
    exported.attributes[SIZES] = IntegerAttr(len(rows.sizes.sizes), i64)
    return [*made, exported]


def _caller(name: str, call: Call) -> c.FuncOp:
    """`static void call_relu(void *const *args) { net_relu(args[0], args[1]); }`"""
    block = Block(arg_types=[_ARGUMENTS])
    if call.reads_size:
        store_size(block)
    else:
        _call(block, call)
    return c.FuncOp(name, [_ARGUMENTS], body=block, parameters=["args"], static=True)


def _call(block: Block, call: Call) -> None:
    """Call a kernel with its buffers and sizes; in runs of the sizes of a clone, that one."""
    buffers = len(call.arguments) if call.buffers is None else call.buffers
    passed = [argument(block, number) for number in range(buffers)]
    for number in call.numbers:
        passed.append(c.LiteralOp(IntegerAttr(number, IndexType())))
        block.add_op(passed[-1])
    sizes = {number: size_argument(block, number) for number in range(buffers, len(call.arguments))}
    made: Operation = c.CallOp(call.kernel, [*passed, *(sizes[number] for number in call.sizes)], header=call.header)
    for choice in reversed(call.choices):
        test = equal_sizes(block, {sizes[number]: value for number, value in choice.at.items()})
        clone = c.CallOp(choice.kernel, [*passed, *(sizes[number] for number in choice.sizes)])
        made = c.IfOp(test, Block([clone]), Block([made]))
    block.add_op(made)


def _caller_name(rows: Rows, call: Call) -> str:
    return "_".join(["call", call.kernel.removeprefix(f"{rows.prefix}_"), *map(str, call.numbers)])


def _shape_name(shape: Sequence[int]) -> str:
    return "shape_" + "x".join(map(str, shape))


def _tensor(tensor: Tensor) -> Attribute:
    """`{"x", shape_2x3, NULL, 0u, S2S_PLACE_INPUT, 2, {S2S_DTYPE_FLOAT, 32, 1}}`"""
    return ArrayAttr(
        [
            StringAttr(tensor.name) if tensor.name is not None else _symbol("NULL"),
            _symbol(_shape_name(tensor.shape) if tensor.shape else "NULL"),
            _symbol(tensor.weight or "NULL"),
            _count(tensor.position),
            _symbol(f"S2S_PLACE_{tensor.place}" + (f" + {tensor.device}" if tensor.device else "")),
            IntegerAttr(len(tensor.shape), i32),
            _dtype(tensor.element),
        ]
    )


def _dtype(element: Attribute) -> Attribute:
    """Return an element type as a DLPack descriptor."""
    code, bits = dlpack_of(element)
    return ArrayAttr([_symbol(code), IntegerAttr(bits, i32), IntegerAttr(1, i32)])


def _nodes(rows: Rows) -> list[Attribute]:
    found: list[Attribute] = []
    first = 0
    for call in rows.calls:
        found.append(_node(rows, call, first))
        first += len(call.arguments)
    return found


def _node(rows: Rows, call: Call, first: int) -> Attribute:
    nodes = StringAttr(call.nodes) if call.nodes else _symbol("NULL")
    kernel = _symbol(_caller_name(rows, call))
    return ArrayAttr([kernel, _count(first), _count(len(call.arguments)), nodes])


def _port(tensor: int, staging: int | None) -> Attribute:
    return ArrayAttr([_count(tensor), _symbol("S2S_NO_STAGING") if staging is None else _count(staging)])


def _graph(rows: Rows) -> DictionaryAttr:
    """Return the fields of `s2s_graph`; empty tables are left out, since C has none."""
    macro = c_macro(rows.prefix)
    arguments = sum(len(call.arguments) for call in rows.calls)
    counts = {
        "nodes": len(rows.calls),
        "args": arguments,
        "tensors": len(rows.tensors),
        "inputs": rows.inputs + rows.parameters,
        "outputs": rows.outputs,
    }
    return DictionaryAttr(
        {
            "name": StringAttr(rows.prefix),
            **{table: _symbol(table if count else "NULL") for table, count in counts.items()},
            **{f"num_{table}": _count(count) for table, count in counts.items()},
            "max_args": _count(rows.max_arguments),
            "arena_size": _symbol(f"{macro}_ARENA_SIZE") if not rows.devices else _count(rows.arena_size),
            "staged_size": _symbol(f"{macro}_GRAPH_STAGED_SIZE"),
            "arena_align": _symbol(f"{macro}_ARENA_ALIGN"),
            **({"status": _symbol(rows.status)} if rows.status else {}),
            **({"device_arenas": _symbol("device_arenas")} if rows.devices else {}),
            **({"num_devices": _count(len(rows.devices))} if rows.devices else {}),
            **size_fields(rows.sizes),
            **state_fields(rows.state),
        }
    )


def _table(name: str, value: Attribute, element: Attribute, count: int) -> c.GlobalOp:
    return c.GlobalOp(name, c.ArrayType(count, element), value=value, static=True)


def _rows_table(name: str, type: str, rows: Sequence[Attribute]) -> list[c.GlobalOp]:
    return [_table(name, ArrayAttr(rows), c.NamedType(type), len(rows))] if rows else []


def _count(value: int) -> IntegerAttr:
    return IntegerAttr(value, ui32)


def _symbol(name: str) -> SymbolRefAttr:
    return SymbolRefAttr(name)
