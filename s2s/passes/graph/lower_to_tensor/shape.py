"""Lower operators that move elements: each becomes one computation, whose access maps say where elements come from.

    %y = graph.transpose %x {perm = [1, 0]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
->
    %y = tensor.compute [8, 4] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d1, d0)>>) apply { yield }

A concatenation reads every input at an offset and selects the one whose guarded access is in bounds. Padding by
mirrored or repeated elements has no affine access map: the index is computed, and the element extracted.

A concatenation of more inputs than `MAX_JOINED` is one of concatenations: to lower a computation takes time that grows
with the square of its operands.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import isqrt

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.dialects.graph.shape import InjectiveOp
from s2s.errors import CompilerBug
from s2s.passes.graph.lower_to_tensor.compute import Operand, aligned, at, compute, dims, move
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.types.affine import delinearize, flat_index

MAX_JOINED = 128
"""The most operands of a concatenation by one computation."""


def _replace(rewriter: PatternRewriter, op: InjectiveOp, source: Operand) -> None:
    """Replace `op` by the elements of `source`."""
    rewriter.replace(op, [], [move(rewriter, op, op.y.type.get_shape(), [source])])


class LowerReshape(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ReshapeOp, rewriter: PatternRewriter) -> None:
        shape = op.y.type.get_shape()
        position = flat_index(dims(len(shape)), shape)
        _replace(rewriter, op, at(op.x, *delinearize(position, shape_of(op.x))))


class LowerBroadcastTo(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BroadcastToOp, rewriter: PatternRewriter) -> None:
        _replace(rewriter, op, aligned(op.x, dims(len(op.y.type.get_shape()))))


class LowerTranspose(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TransposeOp, rewriter: PatternRewriter) -> None:
        perm = op.perm.get_values()
        d = dims(len(perm))
        _replace(rewriter, op, at(op.x, *(d[perm.index(axis)] for axis in range(len(perm)))))


class LowerSlice(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SliceOp, rewriter: PatternRewriter) -> None:
        starts, strides = op.starts.get_values(), op.strides.get_values()
        places = zip(dims(len(starts)), strides, starts, strict=True)
        _replace(rewriter, op, at(op.x, *(d * stride + start for d, stride, start in places)))


class LowerTile(RewritePattern):
    """Repeats are dimensions of their own, so that no index wraps around: rows of `x` are copied as they are."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TileOp, rewriter: PatternRewriter) -> None:
        domain, own = list[int](), list[int]()
        for repeat, size in zip(op.repeats.get_values(), shape_of(op.x), strict=True):
            domain += [size] if repeat == 1 else [repeat] if size == 1 else [repeat, size]
            own.append(-1 if size == 1 else len(domain) - 1)
        d = dims(len(domain))
        source = at(op.x, *(0 if dim < 0 else d[dim] for dim in own))
        shape = op.y.type.get_shape()
        y = compute(rewriter, op, domain, epilogue=[source], apply=lambda s, x: x, widen=False, shape=shape)
        rewriter.replace(op, [], [y])


class LowerConcat(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConcatOp, rewriter: PatternRewriter) -> None:
        axis = op.axis.value.data
        inputs = [x for x in op.inputs if shape_of(x)[axis] > 0]
        if len(inputs) > MAX_JOINED:
            size = isqrt(len(inputs) - 1) + 1
            parts = [inputs[start : start + size] for start in range(0, len(inputs), size)]
            inputs = [_joined(rewriter, op, part, axis) for part in parts]
        rewriter.replace(op, [], [_joined(rewriter, op, inputs, axis)])


def _joined(rewriter: PatternRewriter, op: graph.ConcatOp, inputs: Sequence[SSAValue], axis: int) -> SSAValue:
    """Concatenate `inputs` by one computation."""
    shape = list(op.y.type.get_shape())
    *offsets, shape[axis] = accumulate((shape_of(x)[axis] for x in inputs), initial=0)
    epilogue: list[Operand] = []
    for x, offset in zip(inputs, offsets, strict=True):
        indices = list(dims(len(shape)))
        indices[axis] = indices[axis] - offset
        epilogue.append(at(x, *indices))
    return move(rewriter, op, shape, epilogue, apply=_the_one_in_bounds)


def _the_one_in_bounds(s: Scalars, *values: Scalar) -> Scalar:
    """Select the value that is in bounds; exactly one is."""
    chosen = values[-1]
    for value in reversed(values[:-1]):
        chosen = s.select(s.in_bounds(value), value, chosen)
    return chosen


class LowerPad(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.PadOp, rewriter: PatternRewriter) -> None:
        low, shape = op.low.get_values(), op.y.type.get_shape()
        d = dims(len(shape))
        if shape == shape_of(op.x):
            return _replace(rewriter, op, at(op.x, *d))
        match op.mode.data:
            case "constant":
                value = number(op.value)
                assert value is not None
                source = at(op.x, *(place - before for place, before in zip(d, low, strict=True)))
                y = move(rewriter, op, shape, [source], apply=lambda s, x: s.select(s.in_bounds(x), x, value))
            case "wrap":
                return _replace(rewriter, op, at(op.x, *_wrapped(d, low, shape_of(op.x))))
            case _:
                y = move(rewriter, op, shape, [], tables=[op.x], apply=lambda s, x: _border(s, op, x))
        return rewriter.replace(op, [], [y])


def _wrapped(d: tuple[AffineExpr, ...], low: tuple[int, ...], sizes: tuple[int, ...]) -> list[AffineExpr]:
    """The indices of a tensor repeated periodically."""
    return [(place + (-before) % size) % size for place, before, size in zip(d, low, sizes, strict=True)]


def _border(s: Scalars, op: graph.PadOp, table: Scalar) -> Scalar:
    """The element of `table` that pads the current position: the same one if in bounds, else an inner one."""
    inside = {"edge": _nearest, "reflect": _mirrored}
    if op.mode.data not in inside:
        raise CompilerBug(f"{op.name}: mode {op.mode.data} has no lowering")
    places: list[Scalar] = []
    for axis, (size, before, padded) in enumerate(
        zip(shape_of(op.x), op.low.get_values(), op.y.type.get_shape(), strict=True)
    ):
        if padded == size:
            places.append(s.index(axis))
        else:
            places.append(inside[op.mode.data](s, s.position(axis) - before, size))
    return s.extract(table, places)


def _nearest(s: Scalars, place: Scalar, size: int) -> Scalar:
    return s.minimum(s.maximum(place, 0), size - 1)


def _mirrored(s: Scalars, place: Scalar, size: int) -> Scalar:
    """`last - |last - |place||`: the index reflected at the first and at the last element."""
    beyond = (size - 1) - s.maximum(place, -place)
    return (size - 1) - s.maximum(beyond, -beyond)


class LowerIota(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.IotaOp, rewriter: PatternRewriter) -> None:
        axis, element = op.axis.value.data, op.y.type.element_type
        y = compute(rewriter, op, op.y.type.get_shape(), apply=lambda s: s.cast(s.index(axis), element))
        rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (
    LowerReshape(),
    LowerBroadcastTo(),
    LowerTranspose(),
    LowerSlice(),
    LowerTile(),
    LowerConcat(),
    LowerPad(),
    LowerIota(),
)
