"""Lowers convolutions. Padding is an access that misses its operand: the reduction skips it.

    %y = graph.conv %x, %w, %b {strides = [2], pads = [1, 1], dilations = [1], groups = 1} : …
->
    %y = tensor.compute [N, O, P | C, K]
           reads(%x at #tensor.access<affine_map<(n, o, p, c, k) -> (n, c, p * 2 + k - 1)>, guarded>,
                 %w at #tensor.access<affine_map<(n, o, p, c, k) -> (o, c, k)>>)
           points(%b at #tensor.access<affine_map<(n, o, p) -> (o)>>)
           inits [0.0 : f32] reduce { acc + x * w } apply { acc + b }

In a grouped convolution output channel `o` belongs to group `o floordiv (O / groups)`. Where every group has one input
channel, there is no dimension `c`. A transposed convolution reads `x` at `(p + lo - k * dilation) / stride` and skips
what the stride does not divide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.compute import shape_of
from s2s.analysis.shapes.window import Window
from s2s.dialects import graph
from s2s.passes.graph.lower_to_tensor.compute import Operand, at, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.linear import multiply_add


def window_names(prefix: str, window: Window) -> list[str]:
    """Names of dimensions that go with the spatial ones: depth, height, width."""
    return [prefix + letter for letter in "dhw"[-window.rank :]]


@dataclass(frozen=True)
class ConvDomain:
    """The dimensions `[n, o, places… | c, taps…]` that a convolution runs over."""

    reduction: list[int]
    names: list[str]
    n: AffineExpr
    o: AffineExpr
    c: AffineExpr
    places: tuple[AffineExpr, ...]
    taps: tuple[AffineExpr, ...]

    @staticmethod
    def of(window: Window, groups: int, channels: int) -> ConvDomain:
        """The domain for groups of `channels` input channels."""
        depthwise = groups > 1 and channels == 1
        reduction = [*([] if depthwise else [channels]), *window.kernel]
        n, o, *rest = dims(2 + window.rank + len(reduction))
        places, inner = rest[: window.rank], rest[window.rank :]
        c = AffineConstantExpr(0) if depthwise else inner[0]
        names = ["n", "oc", *window_names("o", window), *([] if depthwise else ["ic"]), *window_names("k", window)]
        return ConvDomain(reduction, names, n, o, c, tuple(places), tuple(inner[-window.rank :]))


class LowerConv(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvOp, rewriter: PatternRewriter) -> None:
        window, groups = op.window(), op.groups.value.data
        out_channels, channels = shape_of(op.w)[:2]
        d = ConvDomain.of(window, groups, channels)
        channel = (d.o // (out_channels // groups)) * channels + d.c
        spatial = [
            place * stride + tap * dilation - low
            for place, stride, tap, dilation, low in zip(
                d.places, window.strides, d.taps, window.dilations, window.low, strict=True
            )
        ]
        lower(rewriter, op, d, [at(op.x, d.n, channel, *spatial), at(op.w, d.o, d.c, *d.taps)])


class LowerConvTranspose(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvTransposeOp, rewriter: PatternRewriter) -> None:
        window, groups = op.window(), op.groups.value.data
        all_channels, group_outputs = shape_of(op.w)[:2]
        channels = all_channels // groups
        d = ConvDomain.of(window, groups, channels)
        channel = (d.o // group_outputs) * channels + d.c
        spatial = [
            place + low - tap * dilation
            for place, low, tap, dilation in zip(d.places, window.low, d.taps, window.dilations, strict=True)
        ]
        x = at(op.x, d.n, channel, *spatial, divisors=[1, 1, *window.strides])
        lower(rewriter, op, d, [x, at(op.w, channel, d.o % group_outputs, *d.taps)])


def lower(
    rewriter: PatternRewriter,
    op: graph.ConvOp | graph.ConvTransposeOp,
    d: ConvDomain,
    reads: Sequence[Operand],
) -> None:
    """Replace `op` by the sum of products of `reads`, and the bias."""
    y = compute(
        rewriter,
        op,
        op.y.type.get_shape(),
        d.reduction,
        reads=reads,
        points=[] if op.b is None else [at(op.b, d.o)],
        inits=[(0, widened(op.y.type.element_type))],
        reduce=multiply_add,
        apply=(lambda s, acc: acc) if op.b is None else (lambda s, acc, b: acc + b),
        names=d.names,
    )
    rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (LowerConv(), LowerConvTranspose())
