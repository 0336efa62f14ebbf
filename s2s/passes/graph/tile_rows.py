"""Compute chains of operators in row tiles, so that intermediate tensors never exist whole.

    func.func @main(%x: tensor<1x32x32x8xi8>) -> … {
      %a = graph.conv %x, … {strides = [1, 1], …} : … -> tensor<1x32x32x48xi32>
      %y = graph.conv %a, … {pads = [1, 1, 1, 1], …} : … -> tensor<1x32x32x48xi32>
-> with `first=0 last=1 rows=4`
    func.func private @row_tile(%x: tensor<1x5x32x8xi8>) -> tensor<1x4x32x48xi32> { … pads = [1, 1, 0, 1] … }
    func.func private @row_tile_2(%x: tensor<1x6x32x8xi8>) -> tensor<1x4x32x48xi32> { … pads = [0, 1, 0, 1] … }
    func.func private @row_tile_3(%x: tensor<1x5x32x8xi8>) -> tensor<1x4x32x48xi32> { … pads = [0, 1, 1, 1] … }
    func.func @main(%x: tensor<1x32x32x8xi8>) -> … {
      %y = graph.row_tiles %x {bodies = [@row_tile, @row_tile_2, @row_tile_3], steps = array<i64: 1, 6, 1>, …} : …

Rows that two tiles need are computed twice. `first`, `last` and `rows` give, for each chain, its first and last
operation, counted in `main` without constants, and the height of a tile in rows of its result: what a budget of RAM
asks for. Which chains are tiled is a decision (`s2s/decisions/operator_row_tiles.py`).

Declined for operations that form no chain: a value between the two has another use, or an operation is no
convolution, pool or elementwise operation with constants, channels last, on one image; for chains with a single
tile, and for windows that read only padding. The attribute `recomputed` of the new operation counts the
multiply-adds of the rows computed twice.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntegerType, ModuleOp, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.row_tiles.operator_chains import (
    ChainedOperator,
    EqualTiles,
    OperatorTile,
    chain,
    equal_tiles,
    operations,
    recomputed,
)
from s2s.decisions.chooser import Chooser
from s2s.decisions.operator_row_tiles import OperatorRowTilesKind, TiledNetwork
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance, rows_of, with_rows
from s2s.dialects.graph.base import integer
from s2s.dialects.graph.control import RECOMPUTED
from s2s.passes.context import given_of, target_of
from s2s.passes.graph.constants import copied_constant
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.support.frozen import frozen
from s2s.types.symbols import function_named


@frozen
class TileRowsPass(ModulePass):
    """Rewrite chains of `main` into `graph.row_tiles`."""

    name = "graph-tile-rows"

    target: str = "c"
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = function_named(op, "main")
        if main is None:
            return
        wished = tuple(zip(self.first, self.last, self.rows, strict=True))
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            wanted = chooser.choose(OperatorRowTilesKind(), TiledNetwork(op, wished))
        ops = operations(main)
        names = UniqueNames([function.sym_name.data for function in op.ops if isinstance(function, FuncOp)])
        for chained, rows in [(chain(ops, first, last), rows) for first, last, rows in wanted]:
            if chained is not None and 0 < rows < rows_of(chained[-1].y.type):
                _tile(main, chained, rows, names)


def _tile(main: FuncOp, chained: Sequence[ChainedOperator], rows: int, names: UniqueNames) -> None:
    module = main.parent_block()
    assert module is not None
    tiles = equal_tiles(chained, rows)
    if not all(tile.read for equal in tiles for tile in equal.tiles):
        return
    pieces: list[graph.RowTileBody] = []
    for equal in tiles:
        name = names.make("row_tile")
        module.insert_op_before(_body(name, chained, equal), main)
        first, last = equal.tiles[0], equal.tiles[-1]
        pieces.append(
            graph.RowTileBody(name, equal.steps, first.read.start, equal.read, last.written.start, equal.written)
        )
    last = chained[-1].op
    made = graph.RowTilesOp(chained[0].x, pieces, chained[-1].y.type)
    made.y.name_hint = chained[-1].y.name_hint
    made.attributes[RECOMPUTED] = integer(recomputed(chained, tiles))
    copy_provenance(made, *(each.op for each in chained))
    Rewriter.replace_op(last, made)
    for each in reversed(chained[:-1]):
        Rewriter.erase_op(each.op)


def _body(name: str, chained: Sequence[ChainedOperator], equal: EqualTiles) -> FuncOp:
    """Build the network that computes one tile."""
    x = with_rows(chained[0].x.type, len(equal.tiles[0].read))
    block = Block(arg_types=[x])
    value: SSAValue = block.args[0]
    value.name_hint = chained[0].x.name_hint
    for each, tile in zip(chained, equal.tiles, strict=True):
        operands = [copied_constant(operand, block) for operand in each.op.operands if operand is not each.x]
        operands.insert(each.operand, value)
        made = type(each.op).create(
            operands=operands,
            result_types=[with_rows(each.y.type, len(tile.written))],
            properties=_properties(each.op, tile),
            attributes=dict(each.op.attributes),
        )
        block.add_op(made)
        value = made.results[0]
        value.name_hint = each.y.name_hint
    block.add_op(ReturnOp(value))
    kind = FunctionType.from_lists([x], [value.type])
    return FuncOp(name, kind, Region(block), visibility="private")


def _properties(op: Operation, tile: OperatorTile) -> dict[str, Attribute]:
    """The properties of `op`, with the padding of a tile."""
    found = dict(op.properties)
    if isinstance(op, graph.ConvOp | graph.MaxPoolOp | graph.AvgPoolOp):
        found["pads"] = _padded(op.pads, tile)
    if isinstance(op, graph.AvgPoolOp):
        found["counted_pads"] = _padded(op.counted_pads, tile, at_most=True)
    return found


def _padded(pads: DenseArrayBase[IntegerType], tile: OperatorTile, *, at_most: bool = False) -> Attribute:
    """`pads` with the padding of a tile along the rows; with `at_most`, limited to its value in `pads`."""
    values = [int(each) for each in pads.get_values()]
    half = len(values) // 2
    for place, rows in ((0, tile.lo), (half, tile.hi)):
        values[place] = min(values[place], rows) if at_most else rows
    return DenseArrayBase.from_list(i64, values)
