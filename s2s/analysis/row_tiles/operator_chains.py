"""Find chains of operators that can be computed in row tiles, and compute the rows that each tile reads.

Rows are the second dimension of a tensor with one image, channels last. An operator produces rows `[a, b)` of its
result from rows `[a * stride - lo, (b - 1) * stride - lo + (kernel - 1) * dilation + 1)` of its operand. Rows outside
of the tensor become padding of the tile. A 3x3 convolution with `stride` 1 and `lo` 1 on 16 rows produces rows `[0, 4)`
from `[-1, 5)`: rows 0 to 4, and one row of padding above.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from s2s.analysis.row_tiles.windows import RowWindow
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind, rows_of
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.types.dtypes import as_tensor_type
from s2s.types.shapes.window import CHANNELS_LAST

_POINTWISE = (graph.ElementwiseOp, graph.BinaryElementwiseOp, graph.RescaleOp, graph.TableOp)


class ChainedOperator(NamedTuple):
    """An operation of a chain, and how its rows depend on the rows of its only operand that is not constant."""

    op: Operation
    operand: int
    window: RowWindow

    @property
    def x(self) -> SSAValue:
        """The operand that the previous operation produces."""
        return self.op.operands[self.operand]

    @property
    def y(self) -> SSAValue:
        """The result that the next operation reads."""
        return self.op.results[0]


class OperatorTile(NamedTuple):
    """The share of one operation in a row tile."""

    read: range
    lo: int
    """Rows of padding above."""
    hi: int
    """Rows of padding below."""
    written: range

    @property
    def form(self) -> tuple[int, int, int, int]:
        """The sizes that must be equal for two tiles to share their code."""
        return len(self.read), self.lo, self.hi, len(self.written)


class EqualTiles(NamedTuple):
    """Consecutive tiles that share their code: from tile to tile, `read` and `written` rows further on."""

    tiles: tuple[OperatorTile, ...]
    """The share of each operation in the first tile."""
    steps: int = 1
    read: int = 0
    written: int = 0


def chained_operator(op: Operation) -> ChainedOperator | None:
    """Return `op` as an operation of a chain if its rows depend on rows of one operand and on constants; else None."""
    match op:
        case graph.ConvOp() | graph.MaxPoolOp() | graph.AvgPoolOp():
            if op.data_layout != CHANNELS_LAST or not all(map(_is_constant, op.operands[1:])):
                return None
            window = op.window()
            low, reach = -int(window.pads[0]), int((window.kernel[0] - 1) * window.dilations[0])
            found = ChainedOperator(op, 0, RowWindow(int(window.strides[0]), low, low + reach))
        case _ if isinstance(op, _POINTWISE) and fusion_kind(op) <= FusionKind.BROADCAST:
            moving = [number for number, operand in enumerate(op.operands) if not _is_constant(operand)]
            if len(moving) != 1 or not _is_image(op.results[0]) or not _is_alike_in_rows(op, moving[0]):
                return None
            found = ChainedOperator(op, moving[0], RowWindow())
        case _:
            return None
    return found if all(_is_image(value) for value in (found.x, found.y)) else None


def operations(network: FuncOp) -> list[Operation]:
    """Return the operations of a network that compute something, in the numbering of `graph-tile-rows`."""
    ops = network.body.block.ops
    return [op for op in ops if not isinstance(op, graph.ConstantInterface) and not op.has_trait(IsTerminator)]


def chain(ops: Sequence[Operation], first: int, last: int) -> tuple[ChainedOperator, ...] | None:
    """Return the chain from operation `first` to operation `last`; None if they do not form one."""
    found = [chained_operator(ops[first])] if 0 <= first <= last < len(ops) else []
    while found and (end := found[-1]) is not None:
        if end.op is ops[last]:
            return tuple(each for each in found if each is not None)
        if not end.y.has_one_use():
            return None
        [use] = end.y.uses
        following = chained_operator(use.operation)
        found.append(following if following is not None and following.operand == use.index else None)
    return None


def equal_tiles(chained: Sequence[ChainedOperator], rows: int) -> tuple[EqualTiles, ...]:
    """Return the tiles of `rows` rows each of a chain's result, with consecutive tiles of one form merged."""
    total = rows_of(chained[-1].y.type)
    found: list[EqualTiles] = []
    for start in range(0, total, rows):
        tiles = _tiles_of(chained, range(start, min(start + rows, total)))
        if found and _continues(found[-1], tiles):
            equal = found[-1]
            ahead = tiles[0].read.start - equal.tiles[0].read.start, start - equal.tiles[-1].written.start
            found[-1] = EqualTiles(equal.tiles, equal.steps + 1, ahead[0] // equal.steps, ahead[1] // equal.steps)
        else:
            found.append(EqualTiles(tiles))
    return tuple(found)


def recomputed(chained: Sequence[ChainedOperator], tiles: Sequence[EqualTiles]) -> int:
    """Return the multiply-adds that tiles repeat, beyond the multiply-adds of the chain."""
    total = 0
    for number, each in enumerate(chained):
        size = rows_of(each.y.type)
        done = sum(equal.steps * len(equal.tiles[number].written) for equal in tiles)
        total += multiply_adds(each.op) // size * (done - size)
    return total


def _tiles_of(chained: Sequence[ChainedOperator], rows: range) -> tuple[OperatorTile, ...]:
    found: list[OperatorTile] = []
    for each in reversed(chained):
        wanted, size = each.window.reads(rows), rows_of(each.x.type)
        read = range(max(0, wanted.start), min(size, wanted.stop))
        found.append(OperatorTile(read, read.start - wanted.start, wanted.stop - read.stop, rows))
        rows = read
    return tuple(reversed(found))


def _continues(equal: EqualTiles, tiles: Sequence[OperatorTile]) -> bool:
    """Return whether a tile has the form of the tiles of `equal`, and lies at the next multiple of their distance."""
    if [tile.form for tile in equal.tiles] != [tile.form for tile in tiles]:
        return False
    ahead = tiles[0].read.start - equal.tiles[0].read.start
    return equal.steps == 1 or ahead == equal.read * equal.steps


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, graph.ConstantInterface)


def _is_image(value: SSAValue) -> bool:
    shape = as_tensor_type(value.type).get_shape()
    return len(shape) > 2 and shape[0] == 1


def _is_alike_in_rows(op: Operation, moving: int) -> bool:
    """Return whether an element-wise operation does the same in every row."""
    if isinstance(op, graph.RescaleOp) and op.channel_axis == 1:
        return False
    shape = as_tensor_type(op.results[0].type).get_shape()
    if as_tensor_type(op.operands[moving].type).get_shape() != shape:
        return False
    if isinstance(op, graph.RescaleOp | graph.TableOp):
        return True
    others = [as_tensor_type(value.type).get_shape() for number, value in enumerate(op.operands) if number != moving]
    return all(len(other) < len(shape) - 1 or other[1 - len(shape)] == 1 for other in others)


def is_pointwise(op: Operation) -> bool:
    """Return whether `op` is fused into the kernel of the previous operation."""
    return isinstance(op, _POINTWISE)


def anchors(chained: Sequence[ChainedOperator]) -> list[int]:
    """Return the positions at which a chain may be cut: in front of operators that begin a kernel."""
    return [number for number, each in enumerate(chained) if not number or not is_pointwise(each.op)]
