"""Replace a strided transposed convolution by ordinary convolutions, one for each phase of the result.

    %y = graph.conv_transpose %x, %w {strides = [2, 2], …} : (tensor<1x64x28x28xf32>, tensor<64x32x4x4xf32>) -> …
->
    %z = graph.conv %x, %w_phases {strides = [1, 1], …} : (…, tensor<128x64x2x2xf32>) -> tensor<1x128x29x29xf32>
    %y = the rows and columns of the 2 × 2 phases of %z, one after the other, without what padding cuts off

A result at position `stride * q + r` is a sum over every `stride`-th element of the window, from element `r` on: phase
`r` is a convolution with a shorter window. One convolution computes all phases as channels. Nothing is multiplied with
the zeros that a stride would insert; a window that is no multiple of the stride is padded with zeros.

Where the windows of the phases have different lengths, as for three taps and two phases, padding them could double the
work. Then each phase is a separate convolution, whose padding aligns its result:

    %z = graph.concat(graph.conv %x, %w_phase0 …, graph.conv %x, %w_phase1 …, …)

Which of the two is used, if any, is a decision (`s2s/decisions/transposed_convolutions.py`).

Declined without a stride, with dilations, for integers, channels last, weights that are not constant, and for outputs
that are padded beyond the last phase; for targets without vectors, which have more time than memory.
"""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.network.varying_values import VaryingValues
from s2s.analysis.numbers.known_values import known_value
from s2s.decisions.chooser import Chooser
from s2s.decisions.transposed_convolutions import (
    APART,
    AS_IT_IS,
    AT_ONCE,
    SPLIT,
    TransposedConvolution,
    TransposedConvolutionKind,
)
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.shapes.window import CHANNELS_FIRST
from s2s.types.weights import WeightStore


def phases_of(w: Array, groups: int, strides: Sequence[int]) -> Array:
    """`w[C, O / groups, k…]` as the weights of a convolution, one output for each group, phase and channel."""
    inputs, outputs, *window = w.shape
    taps = [-(-side // stride) for side, stride in zip(window, strides, strict=True)]
    ends = [(0, tap * stride - side) for tap, stride, side in zip(taps, strides, window, strict=True)]
    whole = np.pad(w, [(0, 0), (0, 0), *ends])
    sides = [each for pair in zip(taps, strides, strict=True) for each in pair]
    apart = whole.reshape(groups, inputs // groups, outputs, *sides)
    rank = len(window)
    tap_axes, phase_axes = [3 + 2 * n for n in range(rank)], [4 + 2 * n for n in range(rank)]
    reversed_taps = np.flip(apart.transpose(0, *phase_axes, 2, 1, *tap_axes), axis=tuple(range(3 + rank, 3 + 2 * rank)))
    return np.asarray(reversed_taps.reshape(groups * prod(strides) * outputs, inputs // groups, *taps), order="C")


class Phase(NamedTuple):
    """The convolution for every `stride`-th result from one offset on."""

    weights: Array
    pads: tuple[int, ...]
    results: int

    @property
    def work(self) -> int:
        """Multiply-adds."""
        return self.weights.size * self.results


def _phases_apart(op: graph.ConvTransposeOp, w: Array, strides: Sequence[int]) -> list[Phase] | None:
    """The phases of the result in order; None if one has no taps or does not read all of the input."""
    rank, (x, y) = len(strides), (type_of(value).get_shape()[2:] for value in (op.x, op.y))
    before = op.pads.get_values()[:rank]
    sizes = [-(-size // stride) for size, stride in zip(y, strides, strict=True)]
    found: list[Phase] = []
    for phase in product(*(range(stride) for stride in strides)):
        first = [(place + low) % stride for place, low, stride in zip(phase, before, strides, strict=True)]
        ahead = [(place + low) // stride for place, low, stride in zip(phase, before, strides, strict=True)]
        taps = w[(..., *(slice(start, None, stride) for start, stride in zip(first, strides, strict=True)))]
        low = [side - 1 - step for side, step in zip(taps.shape[2:], ahead, strict=True)]
        high = [size - 1 + step - (have - 1) for size, step, have in zip(sizes, ahead, x, strict=True)]
        if not taps.size or min(*low, *high) < 0:
            return None
        reversed_taps = np.flip(taps, axis=tuple(range(2, 2 + rank))).swapaxes(0, 1)
        found.append(Phase(np.asarray(reversed_taps, order="C"), (*low, *high), prod(sizes)))
    return found


def _work_at_once(op: graph.ConvTransposeOp, phases: Array) -> int:
    """Multiply-adds of the one convolution that computes all phases."""
    sizes = zip(type_of(op.x).get_shape()[2:], phases.shape[2:], strict=True)
    return phases.size * prod(size + taps - 1 for size, taps in sizes)


def _is_covered(op: graph.ConvTransposeOp, strides: Sequence[int], window: Sequence[int]) -> bool:
    """Whether the phases cover all of the result."""
    x, y = (type_of(value).get_shape()[2:] for value in (op.x, op.y))
    before = op.pads.get_values()[: len(strides)]
    ends = [stride * (size - 1 - -side // stride) for stride, size, side in zip(strides, x, window, strict=True)]
    return all(low + size <= end for low, size, end in zip(before, y, ends, strict=True))


def _strides(op: graph.ConvTransposeOp) -> list[int]:
    return [int(each) for each in op.strides.get_values()]


def _subject(op: graph.ConvTransposeOp, home: ModuleOp, store: WeightStore) -> TransposedConvolution | None:
    """The decision about `op`, None where it cannot be split."""
    strides, w = _strides(op), known_value(op.w, store)
    plain = op.data_layout == CHANNELS_FIRST and isinstance(type_of(op.x).element_type, Float32Type)
    if not plain or max(strides) == 1 or max(op.dilations.get_values()) > 1 or w is None:
        return None
    if (op.b is not None and known_value(op.b, store) is None) or not _is_covered(op, strides, w.shape[2:]):
        return None
    groups = op.groups.value.data
    work = {
        AS_IT_IS: w.size * prod(type_of(op.y).get_shape()[2:]),
        AT_ONCE: _work_at_once(op, phases_of(w, groups, strides)),
    }
    apart = _phases_apart(op, w, strides) if groups == 1 else None
    if apart is not None:
        work[APART] = sum(each.work for each in apart)
    return TransposedConvolution(home, (op,), work)


class SplitTransposedConv(WeightPattern):
    """A transposed convolution that is decided to be split."""

    def __init__(self, store: WeightStore, varying: VaryingValues) -> None:
        super().__init__(store)
        self.varying = varying

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvTransposeOp, rewriter: PatternRewriter) -> None:
        way, w = op.attributes.get(SPLIT), known_value(op.w, self.store)
        if way is None or w is None:
            return
        strides, groups = _strides(op), op.groups.value.data
        bias = None if op.b is None else known_value(op.b, self.store)
        apart = _phases_apart(op, w, strides) if way == StringAttr(APART) else None
        if apart is not None:
            rewriter.replace(op, [], [self._joined(op, apart, bias, strides, rewriter)])
            return
        phases = phases_of(w, groups, strides)
        operands: list[SSAValue] = [op.x, rewriter.insert(new_constant(phases, name_for(op, "phases"), self.store)).y]
        if bias is not None:
            repeated = np.repeat(bias.reshape(groups, 1, -1), prod(strides), axis=1).reshape(-1)
            operands.append(rewriter.insert(new_constant(repeated, name_for(op, "bias"), self.store)).y)
        ones = [1] * len(strides)
        pads = [side - 1 for side in phases.shape[2:]] * 2
        conv = graph.ConvOp(*operands, strides=ones, pads=pads, dilations=ones, groups=groups)
        copy_provenance(rewriter.insert(conv), op)
        cut = op.pads.get_values()[: len(strides)]
        rewriter.replace(op, [], [self._interleaved(op, conv.y, strides, cut, rewriter)])

    def _joined(
        self,
        op: graph.ConvTransposeOp,
        apart: Sequence[Phase],
        bias: Array | None,
        strides: Sequence[int],
        rewriter: PatternRewriter,
    ) -> SSAValue:
        """Build the result from a separate convolution for each phase."""
        ones = [1] * len(strides)
        parts: list[SSAValue] = []
        for phase in apart:
            arrays = [phase.weights, *([] if bias is None else [bias])]
            constants = [rewriter.insert(new_constant(array, name_for(op, "phase"), self.store)).y for array in arrays]
            conv = graph.ConvOp(op.x, *constants, strides=ones, pads=phase.pads, dilations=ones, groups=1)
            copy_provenance(rewriter.insert(conv), op)
            parts.append(conv.y)
        joined = graph.ConcatOp(parts, axis=1)
        copy_provenance(rewriter.insert(joined), op)
        return self._interleaved(op, joined.y, strides, [0] * len(strides), rewriter)

    def _interleaved(
        self,
        op: graph.ConvTransposeOp,
        phases: SSAValue,
        strides: Sequence[int],
        cut: Sequence[int],
        rewriter: PatternRewriter,
    ) -> SSAValue:
        """`[N, groups × phases × O, Q…]` as `[N, groups × O, Q × stride…]`, cropped from `cut` on to the result."""
        groups, rank = op.groups.value.data, len(strides)
        images, channels, *sizes = type_of(phases).get_shape()
        outputs = channels // groups // prod(strides)
        apart = graph.ReshapeOp(phases, (images, groups, *strides, outputs, *sizes))
        order = [0, 1, 2 + rank]
        for axis in range(rank):
            order += [3 + rank + axis, 2 + axis]
        transposed = graph.TransposeOp(apart.y, perm=order)
        whole = (images, groups * outputs, *(size * stride for size, stride in zip(sizes, strides, strict=True)))
        joined = graph.ReshapeOp(transposed.y, whole)
        starts = [0, 0, *cut]
        result = self._cropped(op, joined.y, starts)
        for made in (apart, transposed, joined, result):
            copy_provenance(rewriter.insert(made), op)
        return result.results[0]

    def _cropped(self, op: graph.ConvTransposeOp, whole: SSAValue, starts: Sequence[int]) -> Operation:
        """The part of `whole` from `starts` on that is the result; it has the sizes of the result in each run."""
        sizes, strides = type_of(op.y).get_shape(), [1] * len(starts)
        extents = self.varying.extents_of(op.y) or ()
        if not any(extents):
            return graph.SliceOp(whole, starts=starts, sizes=sizes, strides=strides)
        begins = ("",) * len(starts)
        return graph.DynamicSliceOp(whole, starts=starts, sizes=sizes, strides=strides, begins=begins, extents=extents)


@frozen
class SplitTransposedConvPass(ModulePass):
    name = "graph-split-transposed-conv"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, store = target_of(ctx, self.target), weights_of(ctx)
        if target.lanes == 1:
            return
        varying = VaryingValues(op)
        with Chooser(given_of(ctx), target) as chooser:
            for conv in op.walk():
                is_known = isinstance(conv, graph.ConvTransposeOp) and varying.extents_of(conv.y) is not None
                subject = _subject(conv, op, store) if isinstance(conv, graph.ConvTransposeOp) and is_known else None
                if subject is not None:
                    chooser.choose(TransposedConvolutionKind(), subject)
        rewrite(op, SplitTransposedConv(store, varying))
