"""Write the tables of sizes for the graph executor, and the function that derives sizes from others.

static void derive_sizes(int32_t *sizes) { sizes[1] = (sizes[0] + 1) / 2; }
static const int32_t extents_c_1[] = {-1, 1};
static const int32_t *const output_extents[] = {extents_c_1};
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, SymbolRefAttr, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.dialects import c
from s2s.passes.loop.lower_to_c.affine import index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.size_rows import SizeRows
from s2s.types.dtypes import to_dense, ui32
from s2s.types.sizes import Extents

_INDEX = IndexType()


def derive_sizes(rows: SizeRows) -> list[c.FuncOp]:
    """Write the function that computes the derived sizes; none without any."""
    if not rows.derived:
        return []
    types = [c.PtrType(_INDEX)]
    block = Block(arg_types=types)
    b = Builder(block)
    (values,) = block.args
    first = len(rows.sizes) - len(rows.derived)
    known = {dim: _loaded(b, values, dim, rows) for dim in sorted({d for map in rows.derived for d in map.used_dims()})}
    some = next(iter(known.values()))
    for number, map in enumerate(rows.derived, first):
        operands = [known.get(dim, some) for dim in range(first)]
        value = index_expression(b, map.results[0], operands)
        block.add_op(c.AssignOp(b.add(c.SubscriptOp(values, b.literal(number, _INDEX))), value))
    return [c.FuncOp("derive_sizes", types, body=block, parameters=["values"], static=True)]


def _loaded(b: Builder, values: SSAValue, number: int, rows: SizeRows) -> SSAValue:
    value = b.add(c.LoadOp(b.add(c.SubscriptOp(values, b.literal(number, _INDEX)))))
    b.values[value], b.ranges[value] = value, (rows.sizes[number].least, rows.sizes[number].most)
    return value


def size_tables(rows: SizeRows, parameters: int) -> list[c.GlobalOp]:
    """Write the table of sizes and the tables of the axes of inputs, which `parameters` follow, and outputs."""
    if not rows.sizes:
        return []
    sizes: list[Attribute] = [
        ArrayAttr(
            [
                StringAttr(size.name),
                IntegerAttr(size.least, i32),
                IntegerAttr(size.most, i32),
                IntegerAttr(size.step, i32),
                SymbolRefAttr(f"S2S_SIZE_{size.origin}"),
            ]
        )
        for size in rows.sizes
    ]
    listed = list(dict.fromkeys(found for each in (*rows.inputs, *rows.outputs) if (found := rows.extents(each))))
    made = [_table("sizes", ArrayAttr(sizes), c.NamedType("s2s_graph_size"), len(sizes))]
    made += [_table(_name(each), to_dense(np.asarray(each, np.int32)), i32, len(each)) for each in listed]
    made.append(_extents("input_extents", rows, [*rows.inputs, *((),) * parameters]))
    if rows.outputs:
        made.append(_extents("output_extents", rows, rows.outputs))
    return made


def size_fields(rows: SizeRows) -> dict[str, Attribute]:
    """Return the fields of `s2s_graph` about sizes; none if no size varies."""
    if not rows.sizes:
        return {}
    fields: dict[str, Attribute] = {"sizes": SymbolRefAttr("sizes"), "num_sizes": IntegerAttr(len(rows.sizes), ui32)}
    if rows.derived:
        fields["derive_sizes"] = SymbolRefAttr("derive_sizes")
    fields["input_extents"] = SymbolRefAttr("input_extents")
    if rows.outputs:
        fields["output_extents"] = SymbolRefAttr("output_extents")
    return fields


def _extents(name: str, rows: SizeRows, ports: Sequence[Extents]) -> c.GlobalOp:
    symbols = [SymbolRefAttr(_name(found) if (found := rows.extents(each)) else "NULL") for each in ports]
    return _table(name, ArrayAttr(symbols), c.PtrType(i32, const=True), len(ports))


def _name(extents: Sequence[int]) -> str:
    return "_".join(["extents", *("c" if number < 0 else str(number) for number in extents)])


def _table(name: str, value: Attribute, element: Attribute, count: int) -> c.GlobalOp:
    return c.GlobalOp(name, c.ArrayType(count, element), value=value, static=True)


def size_argument(block: Block, number: int) -> Operation:
    """Append `((const int32_t *)args[number])[0]` to `block`, whose argument is `args`; return the load."""
    pointer = c.CastOp(argument(block, number), c.PtrType(_INDEX, const=True))
    zero = c.LiteralOp(IntegerAttr(0, _INDEX))
    place = c.SubscriptOp(pointer, zero)
    value = c.LoadOp(place)
    block.add_ops([pointer, zero, place, value])
    return value


def argument(block: Block, number: int) -> Operation:
    """Append `args[number]` to `block`; return the load."""
    at = c.LiteralOp(IntegerAttr(number, _INDEX))
    place = c.SubscriptOp(block.args[0], at)
    value = c.LoadOp(place)
    block.add_ops([at, place, value])
    return value


def equal_sizes(block: Block, sizes: Mapping[Operation, int]) -> Operation:
    """Append the test whether all loaded sizes have these values; return its result."""
    tests: list[Operation] = []
    for size, value in sizes.items():
        literal = c.LiteralOp(IntegerAttr(value, _INDEX))
        tests.append(c.BinaryOp("==", size, literal))
        block.add_ops([literal, tests[-1]])
    result = tests[0]
    for test in tests[1:]:
        result = c.BinaryOp("&&", result, test)
        block.add_op(result)
    return result


def store_size(block: Block) -> None:
    """Append `((int32_t *)args[0])[0] = ((const int32_t *)args[1])[0]`: a size that a kernel has computed."""
    value = size_argument(block, 1)
    pointer = c.CastOp(argument(block, 0), c.PtrType(_INDEX))
    zero = c.LiteralOp(IntegerAttr(0, _INDEX))
    place = c.SubscriptOp(pointer, zero)
    block.add_ops([pointer, zero, place, c.AssignOp(place, value)])
