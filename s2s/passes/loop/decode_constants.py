"""Write kernels that decode constants of codes and tables into a buffer, before another kernel reads it.

    %w = loop.alloc : memref<36864xi8>
    func.call @decode(%w, %codes) : (memref<36864xi8>, memref<19456xi8>) -> ()

The numbers are written as the other kernel takes them: with `pairs`, in pairs of bytes.
"""

from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from s2s.analysis.network.arguments import IN_PLACE
from s2s.analysis.network.functions import DOC, KERNEL
from s2s.dialects import loop
from s2s.passes.loop.code_tables import Tables

OF_NUMBER, OF_PAIR = 5, 13
"""Instructions that decode a number, or two that are written as a pair, as counted on Cortex-M4."""
CODE_BYTES = 200
"""Bytes of the instructions that decode a constant."""
AT_ONCE = 4
"""The neighbours of one channel that one pass of a loop decodes."""


def instructions(tables: Tables, *, pairs: bool) -> int:
    """Return how many instructions decode a constant."""
    return tables.numbers // 2 * OF_PAIR if pairs else tables.numbers * OF_NUMBER


def decoder(name: str, tables: Tables, *, pairs: bool) -> FuncOp:
    """Return the kernel `name` that decodes constants with these tables."""
    types = [MemRefType(i8, [tables.numbers]), MemRefType(i8, [tables.bytes])]
    block = Block(arg_types=types)
    y, x = block.args
    y.name_hint, x.name_hint = "y", "x"
    blocks, turns = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])
    at_once = _at_once(tables)
    turns.add_ops([*_turn(tables, y, x, [blocks.args[0], turns.args[0]], at_once, pairs=pairs), loop.YieldOp()])
    blocks.add_ops([loop.ForOp(0, tables.block, turns, step=at_once), loop.YieldOp()])
    block.add_ops([loop.ForOp(0, tables.numbers // tables.block, blocks), ReturnOp()])
    made = FuncOp(name, FunctionType.from_lists(types, []), Region(block), visibility="private")
    made.attributes[KERNEL] = UnitAttr()
    made.attributes[IN_PLACE] = DenseArrayBase.from_list(i64, [])
    made.attributes[DOC] = StringAttr(_text(tables))
    return made


def _at_once(tables: Tables) -> int:
    """Return how many numbers one pass decodes: a turn of all channels, or a few of one channel."""
    turn = tables.channels * tables.unit
    return turn if turn > 1 else next(each for each in (AT_ONCE, 2, 1) if tables.block % each == 0)


def _turn(
    tables: Tables, y: SSAValue, x: SSAValue, indices: list[SSAValue], count: int, *, pairs: bool
) -> Iterator[Operation]:
    """Decode the numbers at `block * d0 + d1` and behind."""
    found: list[loop.LookUpOp] = []
    at = AffineExpr.dimension(0) * tables.block + AffineExpr.dimension(1)
    for number in range(count):
        channel = number // tables.unit % tables.channels
        table = AffineExpr.dimension(0) * (tables.channels * tables.values) + tables.first + channel * tables.values
        found.append(loop.LookUpOp(x, AffineMap(2, 0, (at + number, table)), indices, values=tables.values))
        found[-1].result.name_hint = "w"
    yield from found
    values: list[SSAValue] = [each.result for each in found]
    if pairs:
        for first in range(0, count, 2):
            coded, ops = _pair(values[first], values[first + 1])
            yield from ops
            values[first], values[first + 1] = values[first + 1], coded
    for number, value in enumerate(values):
        yield loop.StoreOp(value, y, AffineMap(2, 0, (at + number,)), indices)


def _pair(first: SSAValue, second: SSAValue) -> tuple[SSAValue, list[Operation]]:
    """Return the high byte of a pair, `-first - (second < 0)`, and the operations that compute it."""
    wide = [arith.ExtSIOp(each, i32) for each in (first, second)]
    bits = arith.ConstantOp(IntegerAttr(31, i32))
    sign = arith.ShRSIOp(wide[1].result, bits.result)
    coded = arith.SubiOp(sign.result, wide[0].result)
    byte = arith.TruncIOp(coded.result, i8)
    return byte.result, [*wide, bits, sign, coded, byte]


def _text(tables: Tables) -> str:
    """Return the comment above the C function."""
    return (
        f"y = {tables.numbers} constants by their codes of four bits in x, two in a byte, from {tables.text} behind "
        f"these\ny[{tables.numbers}], x[{tables.bytes}]"
    )
