"""Join groups of a convolution that are narrower than a vector.

    %y = graph.conv %x, %w {groups = 32} : (tensor<1x128x56x56xf32>, tensor<128x4x3x3xf32>) -> …
-> for vectors of 16
    %y = graph.conv %x, %w_joined {groups = 8} : (tensor<1x128x56x56xf32>, tensor<128x16x3x3xf32>) -> …

The weights between the groups that are joined are zeros. That multiplies four times as much, but a vector then holds
neighbours of one group: without, a vector would have to collect its operands one by one. An infinity or NaN in one of
the joined groups makes NaNs of the results of all of them, which is why `--exact` leaves this pass out.

Bytes are multiplied four times as fast, and lie with all channels of a pixel side by side: all of their groups are
joined, as long as the weights then fit half of the second cache.

Declined for depthwise convolutions, whose vectors run along the groups; for groups that do not fit together to a
vector, other integers, channels last and weights that are not known.
"""

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, ModuleOp, i8
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.dtypes import Array
from s2s.analysis.known_values import known_value
from s2s.analysis.shapes.window import CHANNELS_FIRST
from s2s.context import weights_of
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import rewrite
from s2s.targets import Target, get_target
from s2s.weights import WeightStore


def joined(w: Array, groups: int, count: int, zero: int = 0) -> Array:
    """The weights of `groups` groups, `w[O, C, k…]`, as those of groups that are `count` of them each; `zero` is what
    nothing is multiplied by."""
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
        rule = op.accumulation
        wide = joined(w, groups, count, rule.w_zp)
        weight = rewriter.insert(new_constant(wide, name_for(op, "joined"), self.store))
        operands = [op.x, weight.y, *([op.b] if op.b is not None else [])]
        conv = graph.ConvOp(
            *operands,
            strides=op.strides.get_values(),
            pads=op.pads.get_values(),
            dilations=op.dilations.get_values(),
            groups=groups // count,
            input_zp=rule.x_zp,
            weight_zp=rule.w_zp,
            acc_type=op.acc_type,
        )
        copy_provenance(conv, op)
        rewriter.replace(op, conv)

    def _count(self, element: Attribute, w: Array, groups: int) -> int:
        """How many groups are joined; 1 for none."""
        if element == i8 and w.dtype == np.int8 and self.target.byte_dot is not None:
            return groups if 2 * groups * w.size <= self.target.l2_bytes else 1
        if not isinstance(element, Float32Type):
            return 1
        count, rest = divmod(self.target.lanes, w.shape[0] // groups)
        return 1 if rest or groups % max(count, 1) else count


@dataclass(frozen=True)
class WidenGroupsPass(ModulePass):
    name = "graph-widen-groups"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(self.target)
        if target.lanes > 1:
            rewrite(op, NarrowGroups(weights_of(ctx), target))
