"""Find chains of operators that can be computed in row tiles, and compute the rows that each tile reads.

Rows are the second dimension of a tensor with one image, channels last. An operator produces rows `[a, b)` of its
result from rows `[a * stride - lo, (b - 1) * stride - lo + (kernel - 1) * dilation + 1)` of its operand. Rows outside
of the tensor become padding of the tile. A 3x3 convolution with `stride` 1 and `lo` 1 on 16 rows produces rows `[0, 4)`
from `[-1, 5)`: rows 0 to 4, and one row of padding above.
"""

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from s2s.analysis.cost.operators import multiply_adds
from s2s.analysis.row_tiles.windows import RowWindow
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind, rows_of
from s2s.support.dataclass import dataclass
from s2s.types.dtypes import as_tensor_type
from s2s.types.shapes.window import CHANNELS_LAST

_POINTWISE = (graph.ElementwiseOp, graph.BinaryElementwiseOp, graph.RescaleOp, graph.TableOp)


@dataclass(frozen=True)
class Link:
    """An operation of a chain, and how its rows depend on those of its only operand that is not constant."""

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


@dataclass(frozen=True)
class Part:
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


@dataclass(frozen=True)
class Run:
    """Consecutive tiles that share their code: from tile to tile, `read` and `written` rows further on."""

    parts: tuple[Part, ...]
    """The parts of the first tile."""
    steps: int = 1
    read: int = 0
    written: int = 0


def link(op: Operation) -> Link | None:
    """Return `op` as a link of a chain if its rows depend on rows of one operand and on constants; else None."""
    match op:
        case graph.ConvOp() | graph.MaxPoolOp() | graph.AvgPoolOp():
            if op.data_layout != CHANNELS_LAST or not all(map(_is_constant, op.operands[1:])):
                return None
            window = op.window()
            low, reach = -int(window.pads[0]), int((window.kernel[0] - 1) * window.dilations[0])
            found = Link(op, 0, RowWindow(int(window.strides[0]), low, low + reach))
        case _ if isinstance(op, _POINTWISE) and fusion_kind(op) <= FusionKind.BROADCAST:
            moving = [number for number, operand in enumerate(op.operands) if not _is_constant(operand)]
            if len(moving) != 1 or not _is_image(op.results[0]) or not _is_alike_in_rows(op, moving[0]):
                return None
            found = Link(op, moving[0], RowWindow())
        case _:
            return None
    return found if all(_is_image(value) for value in (found.x, found.y)) else None


def operations(network: FuncOp) -> list[Operation]:
    """Return the operations of a network that compute something, in the numbering of `graph-tile-rows`."""
    constants = graph.WeightOp | graph.ConstantOp
    return [op for op in network.body.block.ops if not isinstance(op, constants) and not op.has_trait(IsTerminator)]


def chain(ops: Sequence[Operation], first: int, last: int) -> tuple[Link, ...] | None:
    """Return the links from operation `first` to operation `last`; None if they form no chain."""
    found = [link(ops[first])] if 0 <= first <= last < len(ops) else []
    while found and (end := found[-1]) is not None:
        if end.op is ops[last]:
            return tuple(each for each in found if each is not None)
        if not end.y.has_one_use():
            return None
        [use] = end.y.uses
        following = link(use.operation)
        found.append(following if following is not None and following.operand == use.index else None)
    return None


def runs(links: Sequence[Link], rows: int) -> tuple[Run, ...]:
    """Return the tiles of `rows` rows each of a chain's result, with consecutive tiles of one form merged into runs."""
    total = rows_of(links[-1].y.type)
    found: list[Run] = []
    for start in range(0, total, rows):
        parts = _parts(links, range(start, min(start + rows, total)))
        if found and _continues(found[-1], parts):
            run = found[-1]
            ahead = parts[0].read.start - run.parts[0].read.start, start - run.parts[-1].written.start
            found[-1] = Run(run.parts, run.steps + 1, ahead[0] // run.steps, ahead[1] // run.steps)
        else:
            found.append(Run(parts))
    return tuple(found)


def recomputed(links: Sequence[Link], tiles: Sequence[Run]) -> int:
    """Return the multiply-adds that tiles repeat, beyond those of the chain."""
    total = 0
    for number, each in enumerate(links):
        size = rows_of(each.y.type)
        done = sum(run.steps * len(run.parts[number].written) for run in tiles)
        total += multiply_adds(each.op) // size * (done - size)
    return total


def _parts(links: Sequence[Link], rows: range) -> tuple[Part, ...]:
    found: list[Part] = []
    for each in reversed(links):
        wanted, size = each.window.reads(rows), rows_of(each.x.type)
        read = range(max(0, wanted.start), min(size, wanted.stop))
        found.append(Part(read, read.start - wanted.start, wanted.stop - read.stop, rows))
        rows = read
    return tuple(reversed(found))


def _continues(run: Run, parts: Sequence[Part]) -> bool:
    """Return whether a tile has the form of the tiles of `run`, and lies at the next multiple of their distance."""
    if [part.form for part in run.parts] != [part.form for part in parts]:
        return False
    ahead = parts[0].read.start - run.parts[0].read.start
    return run.steps == 1 or ahead == run.read * run.steps


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, graph.WeightOp | graph.ConstantOp)


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


def anchors(links: Sequence[Link]) -> list[int]:
    """Return the positions at which a chain may be cut: the links that are not fused into the previous link's
    kernel."""
    return [number for number, each in enumerate(links) if not number or not is_pointwise(each.op)]
