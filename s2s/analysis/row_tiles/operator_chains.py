"""Chains of operators that can be computed in row tiles, and which rows each tile takes.

Rows are the second dimension of a tensor with one image, channels last. An operator makes rows `[a, b)` of its result
from rows `[a * stride - lo, (b - 1) * stride - lo + (kernel - 1) * dilation + 1)` of what it reads; what of them lies
outside of the tensor is padding of the tile.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from s2s.analysis.cost.operators import multiply_adds
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind, rows_of
from s2s.types.dtypes import as_tensor_type
from s2s.types.shapes.window import CHANNELS_LAST

_POINTWISE = (graph.ElementwiseOp, graph.BinaryElementwiseOp, graph.RescaleOp, graph.TableOp)


@dataclass(frozen=True)
class Link:
    """An operation of a chain, and how its rows depend on those of the operand that is not constant."""

    op: Operation
    operand: int
    kernel: int = 1
    stride: int = 1
    dilation: int = 1
    lo: int = 0

    @property
    def x(self) -> SSAValue:
        """What comes from the operation in front."""
        return self.op.operands[self.operand]

    @property
    def y(self) -> SSAValue:
        """What goes to the next one."""
        return self.op.results[0]

    def reads(self, rows: range) -> range:
        """The rows that `rows` of the result depend on, those of the padding included."""
        first = rows.start * self.stride - self.lo
        return range(first, first + (len(rows) - 1) * self.stride + (self.kernel - 1) * self.dilation + 1)


@dataclass(frozen=True)
class Part:
    """What one operation does in a tile."""

    read: range
    lo: int
    """Rows of padding above."""
    hi: int
    """Rows of padding below."""
    written: range

    @property
    def form(self) -> tuple[int, int, int, int]:
        """What must be equal for tiles to share their code."""
        return len(self.read), self.lo, self.hi, len(self.written)


@dataclass(frozen=True)
class Run:
    """Tiles that share their code: each but the first one lies `read` and `written` rows further."""

    parts: tuple[Part, ...]
    """Those of the first tile."""
    steps: int = 1
    read: int = 0
    written: int = 0


def link(op: Operation) -> Link | None:
    """`op` as part of a chain, if its rows depend on rows of one operand, and constants."""
    match op:
        case graph.ConvOp() | graph.MaxPoolOp() | graph.AvgPoolOp():
            if op.data_layout != CHANNELS_LAST or not all(map(_is_constant, op.operands[1:])):
                return None
            window = op.window()
            shape = window.kernel[0], window.strides[0], window.dilations[0], window.pads[0]
            found = Link(op, 0, *map(int, shape))
        case _ if isinstance(op, _POINTWISE) and fusion_kind(op) <= FusionKind.BROADCAST:
            moving = [number for number, operand in enumerate(op.operands) if not _is_constant(operand)]
            if len(moving) != 1 or not _is_image(op.results[0]) or not _is_alike_in_rows(op, moving[0]):
                return None
            found = Link(op, moving[0])
        case _:
            return None
    return found if all(_is_image(value) for value in (found.x, found.y)) else None


def operations(network: FuncOp) -> list[Operation]:
    """The operations of a network that compute something, as `graph-tile-rows` numbers them."""
    constants = graph.WeightOp | graph.ConstantOp
    return [op for op in network.body.block.ops if not isinstance(op, constants) and not op.has_trait(IsTerminator)]


def chain(ops: Sequence[Operation], first: int, last: int) -> tuple[Link, ...] | None:
    """The links from operation `first` to operation `last`; None if they are no chain."""
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
    """The tiles of `rows` rows of the result of a chain, those of one form put together."""
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
    """Multiply-adds that tiles carry out beyond those of the chain."""
    total = 0
    for number, each in enumerate(links):
        size = rows_of(each.y.type)
        done = sum(run.steps * len(run.parts[number].written) for run in tiles)
        total += multiply_adds(each.op) // size * (done - size)
    return total


def _parts(links: Sequence[Link], rows: range) -> tuple[Part, ...]:
    found: list[Part] = []
    for each in reversed(links):
        wanted, size = each.reads(rows), rows_of(each.x.type)
        read = range(max(0, wanted.start), min(size, wanted.stop))
        found.append(Part(read, read.start - wanted.start, wanted.stop - read.stop, rows))
        rows = read
    return tuple(reversed(found))


def _continues(run: Run, parts: Sequence[Part]) -> bool:
    """Whether a tile has the form of the ones before it, and lies as far behind them as they are apart."""
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
    """Whether an element-wise operation does the same in every row."""
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
    """Whether `op` joins the kernel of the operation in front."""
    return isinstance(op, _POINTWISE)


def anchors(links: Sequence[Link]) -> list[int]:
    """Where a chain may be cut: the links that are no element-wise part of the kernel of the one in front."""
    return [number for number, each in enumerate(links) if not number or not is_pointwise(each.op)]
