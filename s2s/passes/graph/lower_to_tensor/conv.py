"""Lower convolutions. Padding is a guarded access that misses its operand: the reduction skips these points.

    %y = graph.conv %x, %w, %b {strides = [2], pads = [1, 1], dilations = [1], groups = 1} : …
->
    %y = tensor.compute [N, O, P | C, K]
           reads(%x at #tensor.access<affine_map<(n, o, p, c, k) -> (n, c, p * 2 + k - 1)>, guarded>,
                 %w at #tensor.access<affine_map<(n, o, p, c, k) -> (o, c, k)>>)
           epilogue(%b at #tensor.access<affine_map<(n, o, p) -> (o)>>)
           inits [0.0 : f32] reduce { acc + x * w } apply { acc + b }

With channels last the domain is [N, P, O | K, C]. In a grouped convolution output channel `o` belongs to group
`o floordiv (O / groups)`. If every group has one input channel, there is no dimension `c`. A transposed convolution
reads `x` at `(p + lo - k * dilation) / stride` and skips points where the division leaves a remainder. Zero points are
subtracted from both factors first.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.passes.graph.lower_to_tensor.compute import Operand, at, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.products import product_step
from s2s.types.shapes.window import CHANNELS_FIRST, Layout, Window, spatial_axes
from s2s.types.sizes import REDUCES, extents_of


def window_names(prefix: str, window: Window) -> list[str]:
    """Names for the dimensions of a window, like the names of the spatial dimensions: depth, height, width."""
    return [prefix + letter for letter in "dhw"[-window.rank :]]


class ConvDomain(NamedTuple):
    """The domain of a convolution: `[n, o, places… | c, taps…]`, or `[n, places…, o | taps…, c]`."""

    layout: Layout
    reduction: list[int]
    names: list[str]
    n: AffineExpr
    o: AffineExpr
    c: AffineExpr
    places: tuple[AffineExpr, ...]
    taps: tuple[AffineExpr, ...]

    @staticmethod
    def of(window: Window, groups: int, channels: int, layout: Layout) -> ConvDomain:
        """The domain for groups of `channels` input channels."""
        depthwise = groups > 1 and channels == 1
        inner = [] if depthwise else [channels]
        d = dims(2 + 2 * window.rank + len(inner))
        parallel, reduced = d[: 2 + window.rank], d[2 + window.rank :]
        places, taps = window_names("o", window), window_names("k", window)
        ic = [] if depthwise else ["ic"]
        if layout == CHANNELS_FIRST:
            c = AffineConstantExpr(0) if depthwise else reduced[0]
            names, reduction = ["n", "oc", *places, *ic, *taps], [*inner, *window.kernel]
            return ConvDomain(layout, reduction, names, d[0], d[1], c, parallel[2:], reduced[len(inner) :])
        c = AffineConstantExpr(0) if depthwise else reduced[-1]
        names, reduction = ["n", *places, "oc", *taps, *ic], [*window.kernel, *inner]
        return ConvDomain(layout, reduction, names, d[0], parallel[-1], c, parallel[1:-1], reduced[: window.rank])

    def image(
        self, value: SSAValue, channel: AffineExpr, spatial: Sequence[AffineExpr], divisors: Sequence[int]
    ) -> Operand:
        """The element of an input image at `channel` and `spatial / divisors`."""
        return image_at(value, self.n, channel, spatial, self.layout, divisors)


def image_at(
    value: SSAValue,
    n: AffineExpr,
    channel: AffineExpr,
    spatial: Sequence[AffineExpr],
    layout: Layout,
    divisors: Sequence[int] | None = None,
) -> Operand:
    """An element of a tensor whose channel axis is where `layout` says."""
    divided = list(divisors or [1] * len(spatial))
    if layout == CHANNELS_FIRST:
        return at(value, n, channel, *spatial, divisors=[1, 1, *divided])
    return at(value, n, *spatial, channel, divisors=[1, *divided, 1])


def may_reach_behind(op: graph.ConvOp | PoolOp) -> bool:
    """Whether windows may read behind the end of an axis of varying size. With a stride of 2 and padding of 1 behind
    the end, windows of 3 read all of 9 elements, and of 8 elements one more."""
    window, rank = op.window(), len(shape_of(op.x))
    names = extents_of(op.attributes.get(REDUCES), rank)
    axes = zip(spatial_axes(op.data_layout, rank), window.high, window.strides, strict=True)
    return any(names[axis] and high > 0 and stride > 1 for axis, high, stride in axes)


class LowerConv(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvOp, rewriter: PatternRewriter) -> None:
        window, groups = op.window(), op.groups.value.data
        out_channels, channels = shape_of(op.w)[:2]
        d = ConvDomain.of(window, groups, channels, op.data_layout)
        channel = (d.o // (out_channels // groups)) * channels + d.c
        spatial = [
            place * stride + tap * dilation - low
            for place, stride, tap, dilation, low in zip(
                d.places, window.strides, d.taps, window.dilations, window.low, strict=True
            )
        ]
        x = d.image(op.x, channel, spatial, [1] * window.rank)
        x = x._replace(guarded=may_reach_behind(op))
        lower(rewriter, op, d, [x, at(op.w, d.o, d.c, *d.taps)])


class LowerConvTranspose(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvTransposeOp, rewriter: PatternRewriter) -> None:
        window, groups = op.window(), op.groups.value.data
        all_channels, group_outputs = shape_of(op.w)[:2]
        channels = all_channels // groups
        d = ConvDomain.of(window, groups, channels, op.data_layout)
        channel = (d.o // group_outputs) * channels + d.c
        spatial = [
            place + low - tap * dilation
            for place, low, tap, dilation in zip(d.places, window.low, d.taps, window.dilations, strict=True)
        ]
        x = d.image(op.x, channel, spatial, window.strides)
        lower(rewriter, op, d, [x, at(op.w, channel, d.o % group_outputs, *d.taps)])


def lower(
    rewriter: PatternRewriter,
    op: graph.ConvFamilyOp,
    d: ConvDomain,
    reads: Sequence[Operand],
) -> None:
    """Replace `op` by the sum of products of `reads`, and the bias."""
    element = op.y.type.element_type
    factors = type_of(op.x).element_type, type_of(op.w).element_type
    y = compute(
        rewriter,
        op,
        op.y.type.get_shape(),
        d.reduction,
        reads=reads,
        epilogue=[] if op.b is None else [at(op.b, d.o)],
        inits=[(0, widened(element))],
        reduce=product_step(*factors, element, op.accumulation, prod(d.reduction)),
        apply=(lambda s, acc: acc) if op.b is None else (lambda s, acc, b: acc + b),
        names=d.names,
    )
    rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (LowerConv(), LowerConvTranspose())
