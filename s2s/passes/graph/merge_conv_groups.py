"""Merge the groups of a grouped convolution until one group fills a vector.

    %y = graph.conv %x, %w {groups = 32} : (tensor<1x128x56x56xf32>, tensor<128x4x3x3xf32>) -> …
-> for vectors of 16
    %y = graph.conv %x, %w_joined {groups = 8} : (tensor<1x128x56x56xf32>, tensor<128x16x3x3xf32>) -> …

The weights between merged groups are zeros. In the example this multiplies four times as much, but a vector then holds
channels of one group; without merging, it would have to gather its operands one by one. An infinity or NaN in one
merged group makes the results of all of them NaN, which is why `--exact` disables this pass.

8-bit integers are multiplied four times as fast, and all channels of a pixel are contiguous: all of their groups are
merged, if the weights then fit half of the L2 cache. Otherwise as many are merged as fill several vectors of outputs;
each part is then a convolution of its own, of a slice of the channels, and their results are concatenated.

Declined for depthwise convolutions, whose vectors run along the groups; for groups that do not add up to a vector,
other integers, channels last and weights that are not constant.
"""

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, ModuleOp, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.context import target_of, weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import rewrite
from s2s.targets import Target
from s2s.types.dtypes import Array
from s2s.types.shapes.window import CHANNELS_FIRST
from s2s.types.weights import WeightStore

PART = 4
"""Minimum vectors of outputs in each part of an 8-bit convolution: fewer do too little work per loaded input."""


def joined(w: Array, groups: int, count: int, zero: int = 0) -> Array:
    """The weights `w[O, C, k…]` of a convolution with `groups` groups, after merging each `count` of them; `zero` is
    the weight between merged groups."""
    outputs, inputs, *window = w.shape
    each = outputs // groups
    wide = np.full((outputs, count * inputs, *window), zero, w.dtype)
    for output in range(outputs):
        first = output // each % count * inputs
        wide[output, first : first + inputs] = w[output]
    return wide


@dataclass(frozen=True)
class NarrowGroups(RewritePattern):
    """A convolution whose groups have fewer outputs than a vector has lanes."""

    store: WeightStore
    target: Target

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvOp, rewriter: PatternRewriter) -> None:
        groups, w = op.groups.value.data, known_value(op.w, self.store)
        if groups == 1 or w is None or op.data_layout != CHANNELS_FIRST or w.shape[0] // groups == w.shape[1] == 1:
            return
        count = self._count(type_of(op.x).element_type, w, groups)
        if count < 2:
            return
        wide = joined(w, groups, count, op.accumulation.w_zp)
        if type_of(op.x).element_type == i8 and count < groups:
            self._in_parts(op, wide, groups // count, rewriter)
            return
        weight = rewriter.insert(new_constant(wide, name_for(op, "joined"), self.store))
        rewriter.replace(op, self._with(op, op.x, weight.y, op.b, groups // count))

    def _with(self, op: graph.ConvOp, x: SSAValue, w: SSAValue, b: SSAValue | None, groups: int) -> graph.ConvOp:
        """`op` with other operands and groups."""
        conv = graph.ConvOp(
            x,
            w,
            b,
            strides=op.strides.get_values(),
            pads=op.pads.get_values(),
            dilations=op.dilations.get_values(),
            groups=groups,
            input_zp=op.accumulation.x_zp,
            weight_zp=op.accumulation.w_zp,
            acc_type=op.acc_type,
        )
        copy_provenance(conv, op)
        return conv

    def _in_parts(self, op: graph.ConvOp, w: Array, parts: int, rewriter: PatternRewriter) -> None:
        bias = None if op.b is None else known_value(op.b, self.store)
        if op.b is not None and bias is None:
            return
        shape = type_of(op.x).get_shape()
        inputs, outputs = shape[1] // parts, w.shape[0] // parts
        made: list[SSAValue] = []
        for part in range(parts):
            starts, sizes = [0] * len(shape), list(shape)
            starts[1], sizes[1] = part * inputs, inputs
            x = rewriter.insert(graph.SliceOp(op.x, starts=starts, sizes=sizes, strides=[1] * len(shape)))
            copy_provenance(x, op)
            here = slice(part * outputs, (part + 1) * outputs)
            weight = rewriter.insert(new_constant(w[here], name_for(op, "part"), self.store))
            b = None if bias is None else rewriter.insert(new_constant(bias[here], name_for(op, "bias"), self.store)).y
            made.append(rewriter.insert(self._with(op, x.y, weight.y, b, 1)).y)
        whole = graph.ConcatOp(made, axis=1)
        copy_provenance(whole, op)
        rewriter.replace(op, whole)

    def _count(self, element: Attribute, w: Array, groups: int) -> int:
        """The number of groups to merge; 1 for no merging."""
        if element == i8 and w.dtype == np.int8 and self.target.has_byte_lanes:
            fitting = [each for each in range(2, groups + 1) if groups % each == 0]
            enough = [each for each in fitting if each * w.shape[0] >= PART * self.target.lanes * groups]
            return groups if 2 * groups * w.size <= self.target.l2_bytes else min(enough, default=groups)
        if not isinstance(element, Float32Type):
            return 1
        count, rest = divmod(self.target.lanes, w.shape[0] // groups)
        return 1 if rest or groups % max(count, 1) else count


@dataclass(frozen=True)
class MergeConvGroupsPass(ModulePass):
    name = "graph-merge-conv-groups"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        if target.lanes > 1:
            rewrite(op, NarrowGroups(weights_of(ctx), target))
