"""Lower operators that move elements: each becomes one computation, whose access maps say where elements come from.

    %y = graph.transpose %x {perm = [1, 0]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
->
    %y = tensor.compute [8, 4] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d1, d0)>>) apply { yield }

A concatenation reads every input at an offset and selects the one whose guarded access is in bounds. Padding by
mirrored or repeated elements has no affine access map: the index is computed, and the element extracted.

A concatenation of more inputs than `MAX_JOINED` is one of concatenations: to lower a computation takes time that grows
with the square of its operands.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, product
from math import isqrt

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.dialects.graph.shape import InjectiveOp
from s2s.errors import CompilerBug
from s2s.passes.graph.lower_to_tensor.compute import Operand, aligned, at, compute, dims, move
from s2s.passes.graph.lower_to_tensor.scalars import REM, Scalar, Scalars
from s2s.types.affine import delinearize, flat_index
from s2s.types.sizes import PARTS, REDUCES, Extents, extents_of

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
        names = extents_of(op.attributes.get(REDUCES), len(shape_of(op.x)))
        if any(name and count > 1 for name, count in zip(names, op.repeats.get_values(), strict=True)):
            return rewriter.replace(op, [], [_repeated_at_run_time(rewriter, op, names)])
        domain, own = list[int](), list[int]()
        for repeat, size in zip(op.repeats.get_values(), shape_of(op.x), strict=True):
            domain += [size] if repeat == 1 else [repeat] if size == 1 else [repeat, size]
            own.append(-1 if size == 1 else len(domain) - 1)
        d = dims(len(domain))
        source = at(op.x, *(0 if dim < 0 else d[dim] for dim in own))
        shape = op.y.type.get_shape()
        y = compute(rewriter, op, domain, epilogue=[source], apply=lambda s, x: x, widen=False, shape=shape)
        return rewriter.replace(op, [], [y])


def _repeated_at_run_time(rewriter: PatternRewriter, op: graph.TileOp, names: Extents) -> SSAValue:
    """Repeat elements along axes whose size is known at run time: the position is divided by it, with a remainder."""

    def read(s: Scalars, x: Scalar) -> Scalar:
        places = list[Scalar]()
        for axis, (size, count, name) in enumerate(zip(shape_of(op.x), op.repeats.get_values(), names, strict=True)):
            place = s.position(axis)
            places.append(place if count == 1 else s.binary(REM, place, s.size(name) if name else size))
        return s.extract(x, places)

    return move(rewriter, op, op.y.type.get_shape(), [], tables=[op.x], apply=read)


class LowerConcat(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConcatOp, rewriter: PatternRewriter) -> None:
        axis = op.axis.value.data
        if PARTS in op.attributes:
            return rewriter.replace(op, [], [_joined_at_run_time(rewriter, op, axis)])
        inputs = [x for x in op.inputs if shape_of(x)[axis] > 0]
        if len(inputs) > MAX_JOINED:
            size = isqrt(len(inputs) - 1) + 1
            parts = [inputs[start : start + size] for start in range(0, len(inputs), size)]
            inputs = [_joined(rewriter, op, part, axis) for part in parts]
        return rewriter.replace(op, [], [_joined(rewriter, op, inputs, axis)])


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


def _joined_at_run_time(rewriter: PatternRewriter, op: graph.ConcatOp, axis: int) -> SSAValue:
    """Concatenate inputs whose sizes along `axis` are known at run time, so that no access map says where each begins.

    Of parts with `n` and 3 rows, row `i` is row `i` of the first if `i < n`, else row `i - n` of the second.
    """
    shape, every = op.y.type.get_shape(), extents_of(op.attributes[PARTS], len(op.inputs))
    parts = [(x, shape_of(x)[axis], name) for x, name in zip(op.inputs, every, strict=True) if shape_of(x)[axis] > 0]

    def chosen(s: Scalars, *tables: Scalar) -> Scalar:
        place = s.position(axis)
        found = list[tuple[Scalar, Scalar]]()
        for table, (_, size, name) in zip(tables, parts, strict=True):
            rows = s.size(name) if name else s.like(place, size)
            own = s.maximum(s.minimum(place, rows - 1), 0)
            read = s.extract(table, [own if dim == axis else s.index(dim) for dim in range(len(shape))])
            found.append((s.less(place, rows), read))
            place = place - rows
        value = found[-1][1]
        for inside, read in reversed(found[:-1]):
            value = s.select(inside, read, value)
        return value

    return move(rewriter, op, shape, [], tables=[x for x, _, _ in parts], apply=chosen)


def _the_one_in_bounds(s: Scalars, *values: Scalar) -> Scalar:
    """Select the value that is in bounds; exactly one is."""
    chosen = values[-1]
    for value in reversed(values[:-1]):
        chosen = s.select(s.in_bounds(value), value, chosen)
    return chosen


MAX_PEELED = 2
"""Along more axes, what pads a tensor is found by computed indices: each axis triples the loops."""


class LowerPad(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.PadOp, rewriter: PatternRewriter) -> None:
        low, shape = op.low.get_values(), op.y.type.get_shape()
        d = dims(len(shape))
        if shape == shape_of(op.x):
            return _replace(rewriter, op, at(op.x, *d))
        if op.mode.data != "constant" and any(_names_of_padded(op)):
            y = move(rewriter, op, shape, [], tables=[op.x], apply=lambda s, x: _border(s, op, x))
            return rewriter.replace(op, [], [y])
        match op.mode.data:
            case "constant":
                value = number(op.value)
                assert value is not None
                source = at(op.x, *(place - before for place, before in zip(d, low, strict=True)))
                y = move(rewriter, op, shape, [source], apply=lambda s, x: s.select(s.in_bounds(x), x, value))
            case "reflect" if _is_narrow(op, most=-1):
                sources = [at(op.x, *places) for places in _reflections(op)]
                y = move(rewriter, op, shape, sources, apply=_the_one_in_bounds)
            case "edge" if _is_narrow(op, most=0):
                sources = [at(op.x, *places) for places in (*_probes(op), *_edges(op))]
                y = move(rewriter, op, shape, sources, apply=_by_probes)
            case "wrap":
                return _replace(rewriter, op, at(op.x, *_wrapped(d, low, shape_of(op.x))))
            case _:
                y = move(rewriter, op, shape, [], tables=[op.x], apply=lambda s, x: _border(s, op, x))
        return rewriter.replace(op, [], [y])


def _padded(op: graph.PadOp) -> list[int]:
    """The axes along which a tensor is padded."""
    return [
        axis for axis, (size, padded) in enumerate(zip(shape_of(op.x), shape_of(op.y), strict=True)) if size != padded
    ]


def _is_narrow(op: graph.PadOp, most: int) -> bool:
    """Whether few axes are padded, each on either side by at most its size and `most` elements."""
    axes, low, sizes, shape = _padded(op), op.low.get_values(), shape_of(op.x), shape_of(op.y)
    widths = ((max(low[axis], shape[axis] - low[axis] - sizes[axis]), sizes[axis] + most) for axis in axes)
    return len(axes) <= MAX_PEELED and all(width <= limit for width, limit in widths)


def _images(
    op: graph.PadOp, before: Callable[[AffineExpr, int, int], tuple[AffineExpr, AffineExpr]]
) -> list[list[AffineExpr]]:
    """The indices of a tensor for each region of the result: inside, in front and behind, for all padded axes.

    `before` gives those in front and behind for a place, the count of elements in front, and the size of an axis.
    """
    axes, options = _padded(op), list[list[AffineExpr]]()
    for axis, (place, low, size) in enumerate(
        zip(dims(len(shape_of(op.x))), op.low.get_values(), shape_of(op.x), strict=True)
    ):
        options.append([place - low, *(before(place, low, size) if axis in axes else ())])
    return [list(places) for places in product(*options)]


def _reflections(op: graph.PadOp) -> list[list[AffineExpr]]:
    """Mirror images at the first and at the last element, which are in bounds where they belong.

    low = 2, size = 5:  i - 2  in bounds for 2 <= i <= 6,  2 - i  for i <= 2,  10 - i  for 6 <= i
    """
    return _images(op, lambda place, low, size: (place * -1 + low, place * -1 + (2 * (size - 1) + low)))


def _edges(op: graph.PadOp) -> list[list[AffineExpr]]:
    """The first and the last element of each padded axis."""
    return _images(op, lambda place, low, size: (AffineConstantExpr(0), AffineConstantExpr(size - 1)))


def _probes(op: graph.PadOp) -> list[list[AffineExpr]]:
    """For each padded axis an access that is in bounds inside, and one that is so behind."""
    found: list[list[AffineExpr]] = []
    for axis in _padded(op):
        inside = dims(len(shape_of(op.x)))[axis] - op.low.get_values()[axis]
        for place in (inside, inside - shape_of(op.x)[axis]):
            zeros: list[AffineExpr] = [AffineConstantExpr(0)] * len(shape_of(op.x))
            zeros[axis] = place
            found.append(zeros)
    return found


def _by_probes(s: Scalars, *values: Scalar) -> Scalar:
    """Select an image by two probes for each axis; there are three images for each."""
    count = next(n for n in range(len(values)) if 2 * n + 3**n == len(values))
    probes, images = values[: 2 * count], list(values[2 * count :])
    for inside, behind in zip(probes[-2::-2], probes[::-2], strict=True):
        images = [
            s.select(s.in_bounds(inside), within, s.select(s.in_bounds(behind), after, before))
            for within, before, after in zip(images[::3], images[1::3], images[2::3], strict=True)
        ]
    return images[0]


def _wrapped(d: tuple[AffineExpr, ...], low: tuple[int, ...], sizes: tuple[int, ...]) -> list[AffineExpr]:
    """The indices of a tensor repeated periodically."""
    return [(place + (-before) % size) % size for place, before, size in zip(d, low, sizes, strict=True)]


def _border(s: Scalars, op: graph.PadOp, table: Scalar) -> Scalar:
    """The element of `table` that pads the current position: the same one if in bounds, else an inner one."""
    inside = {"edge": _nearest, "reflect": _mirrored, "wrap": _from_other_end}
    names = extents_of(op.attributes.get(REDUCES), len(shape_of(op.x)))
    if op.mode.data not in inside:
        raise CompilerBug(f"{op.name}: mode {op.mode.data} has no lowering")
    places: list[Scalar] = []
    for axis, (size, before, padded, name) in enumerate(
        zip(shape_of(op.x), op.low.get_values(), op.y.type.get_shape(), names, strict=True)
    ):
        if padded == size:
            places.append(s.index(axis))
        else:
            last = s.size(name) - 1 if name else size - 1
            places.append(inside[op.mode.data](s, s.position(axis) - before, last))
    return s.extract(table, places)


def _names_of_padded(op: graph.PadOp) -> list[str]:
    """The sizes that padded axes have in a run, empty for constant ones."""
    names = extents_of(op.attributes.get(REDUCES), len(shape_of(op.x)))
    return [names[axis] for axis in _padded(op)]


def _nearest(s: Scalars, place: Scalar, last: Scalar | int) -> Scalar:
    return s.minimum(s.maximum(place, 0), last)


def _mirrored(s: Scalars, place: Scalar, last: Scalar | int) -> Scalar:
    """`last - |last - |place||`: the index reflected at the first and at the last element."""
    beyond = last - s.maximum(place, -place)
    return last - s.maximum(beyond, -beyond)


def _from_other_end(s: Scalars, place: Scalar, last: Scalar | int) -> Scalar:
    """The index of a periodic repetition; what is in front of the first element is less than a period away."""
    size = s.like(place, last) + 1
    return s.binary(REM, place + size, size)


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
