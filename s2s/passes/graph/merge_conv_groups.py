"""Merge the groups of a grouped convolution until one group fills a vector.

    %y = graph.conv %x, %w {groups = 32} : (tensor<1x128x56x56xf32>, tensor<128x4x3x3xf32>) -> …
-> for vectors of 16
    %y = graph.conv %x, %w_joined {groups = 8} : (tensor<1x128x56x56xf32>, tensor<128x16x3x3xf32>) -> …

The weights between merged groups are zeros. In the example this multiplies four times as much, but a vector then holds
channels of one group; without merging, it would have to gather its operands one by one. An infinity or NaN in one
merged group makes the results of all of them NaN, which is why `--exact` disables this pass.

8-bit integers are multiplied four times as fast, and all channels of a pixel are contiguous: all of their groups are
merged, if the weights then fit half of the L2 cache. Otherwise as many are merged as fill several vectors of outputs;
each part is then a convolution of its own, of a slice of the channels, and their results are concatenated. How many
groups are merged is a decision (`s2s/decisions/convolution_groups.py`).

Declined for depthwise convolutions, whose vectors run along the groups; for groups that do not add up to a vector,
other integers, channels last and weights that are not constant.
"""

from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, IntegerAttr, ModuleOp, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.decisions.chooser import Chooser
from s2s.decisions.convolution_groups import MERGED, ConvolutionGroupsKind, GroupedConvolution
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.dtypes import Array
from s2s.types.shapes.window import CHANNELS_FIRST
from s2s.types.weights import WeightStore


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


class MergeGroups(WeightPattern):
    """A convolution of which some groups are decided to become one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvOp, rewriter: PatternRewriter) -> None:
        merged, groups, w = op.attributes.get(MERGED), op.groups.value.data, known_value(op.w, self.store)
        if not isinstance(merged, IntegerAttr) or w is None:
            return
        count = merged.value.data
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


def _subject(op: graph.ConvOp, home: ModuleOp, store: WeightStore, target: Target) -> GroupedConvolution | None:
    """The decision about `op`, None where nothing can be merged."""
    groups, w = op.groups.value.data, known_value(op.w, store)
    if groups == 1 or w is None or op.data_layout != CHANNELS_FIRST or w.shape[0] // groups == w.shape[1] == 1:
        return None
    element = type_of(op.x).element_type
    in_lanes = element == i8 and w.dtype == np.int8 and target.has_byte_lanes
    if not in_lanes and not isinstance(element, Float32Type):
        return None
    return GroupedConvolution(
        home,
        (op,),
        groups,
        outputs=w.shape[0],
        weights=w.size,
        positions=prod(type_of(op.y).get_shape()[2:]),
        bytes_in_lanes=in_lanes,
        divisible=op.b is None or known_value(op.b, store) is not None,
    )


@frozen
class MergeConvGroupsPass(ModulePass):
    name = "graph-merge-conv-groups"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, store = target_of(ctx, self.target), weights_of(ctx)
        if target.lanes == 1:
            return
        with Chooser(given_of(ctx), target) as chooser:
            for conv in op.walk():
                subject = _subject(conv, op, store, target) if isinstance(conv, graph.ConvOp) else None
                if subject is not None:
                    chooser.choose(ConvolutionGroupsKind(), subject)
        rewrite(op, MergeGroups(store))
