"""Add up products of bytes with fewer instructions where the weights allow it: constants in pairs of 16 bits.

    tensor.compute [125, 64 | 64] reads(%x …, %w …) epilogue(%bias …)
      schedule #tensor.schedule<[… cache_read<1 packed […, 1 floordiv 4, 1 floordiv 1 mod 2, 1 floordiv 2 mod 2]>,
                                 cache_read<0 at 0 as i16>, tensorize<"smlad">]>
->
    tensor.compute [125, 64 | 64] reads(%x …, %w …) epilogue(%bias …)
      schedule #tensor.schedule<[… cache_read<1 packed […, 1 floordiv 4, 1 mod 4]>,
                                 cache_read<0 at 0 as i16>, tensorize<"smlad-pairs">]>

Four constants are two numbers of 16 bits as they lie in memory, so that one instruction widens them instead of two
(`loop.pairs`); sums are 256 times as large, and their initial value takes off what the encoding adds. A tile of four
points or more by several channels takes one half of these numbers for all points before the other (`smlad-points`).

Declined where the target has no such intrinsic, where a sum may exceed 2^23 or starts from no bias of its own, where a
constant is -128, where groups of four bytes are not neighbours, and for windows and reductions in blocks.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.passes import ModulePass

from s2s.analysis.affine.strides import moves
from s2s.analysis.network.constants import calls_of, constant_values
from s2s.analysis.numbers.integer_ranges import apply_intervals
from s2s.analysis.structure.biases import bias_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.analysis.structure.roles import Roles, constant_axes, roles_of
from s2s.dialects import tensor
from s2s.passes.context import target_of, weights_of
from s2s.schedules.directives import CacheRead, Tensorize
from s2s.support.frozen import frozen
from s2s.targets.intrinsic import Intrinsic
from s2s.types.dtypes import Array

GROUP = 4
LIMIT = 2**23
"""Sums below this keep their sign when they are 256 times as large."""

POINTS = 4
"""The points of a tile from which on halves of groups are taken for all of them."""

MIN = -128
"""The constant that has no negative one of 8 bits."""

Values = Mapping[SSAValue, Sequence[Array]]
"""The constant arguments of a kernel, with their values in each call."""


@frozen
class ShortenProductsPass(ModulePass):
    name = "tensor-shorten-products"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        forms = [*target.intrinsics_of("dot_pairs")[:1], *target.intrinsics_of("dot_points")[:1]]
        if not forms or forms[0].form != "dot_pairs":
            return
        calls = calls_of(op)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                values = constant_values(func, calls, weights_of(ctx))
                for compute in func.body.block.ops:
                    if isinstance(compute, tensor.ComputeOp):
                        _shorten(compute, forms, values)


def _shorten(op: tensor.ComputeOp, forms: Sequence[Intrinsic], values: Values) -> None:
    """Let the schedule of `op` take its constants in pairs, where that is legal."""
    schedule, roles = op.schedule, roles_of(op, frozenset(values))
    state = None if schedule is None else schedule.on(op)
    if schedule is None or state is None or roles is None or state.form != "dot" or state.fused or state.blocks:
        return
    axes = _in_order(op, roles, state)
    if axes is None or not _reads_groups(op, roles, state) or not _is_bounded(op, roles, values):
        return
    intrinsic = forms[-1] if _is_square(op, roles) else forms[0]
    op.properties["schedule"] = tensor.ScheduleAttr.of(_directives(schedule, roles, axes, intrinsic))


def _is_square(op: tensor.ComputeOp, roles: Roles) -> bool:
    """Return whether the sums of a tile, of pairs of points by several channels, leave no registers for both halves of
    its constants."""
    plan = CopyPlan.of(op)
    return plan is not None and plan.points >= POINTS and plan.points % 2 == 0 and plan.tiles[roles.w_only[0]] > 1


def _directives(
    schedule: tensor.ScheduleAttr, roles: Roles, axes: Sequence[tensor.PackedAxis], intrinsic: Intrinsic
) -> Iterator[tensor.Directive]:
    """Return the directives of `schedule` with constants as `axes`, and another intrinsic."""
    for each in schedule:
        if isinstance(each, CacheRead) and each.is_packed and each.operand.data == roles.w:
            yield CacheRead.packed(roles.w, axes)
        else:
            yield Tensorize.of(intrinsic) if isinstance(each, Tensorize) else each


def _in_order(op: tensor.ComputeOp, roles: Roles, state: tensor.ScheduleState) -> list[tensor.PackedAxis] | None:
    """Return the layout of the constants with groups in the order of the reduction; None if they are not packed in
    groups."""
    if roles.both or len(roles.w_only) != 1:
        return None
    found, layout = constant_axes(op, roles.w, roles.w_only[0]), dict(state.packs).get(roles.w)
    if found is None or layout is None:
        return None
    reduced = found[1]
    outer = [axis for axis in layout if axis.axes != reduced or axis.divisor >= GROUP]
    inner = [axis for axis in layout if axis.axes == reduced and axis.divisor < GROUP]
    digits = sorted((axis.divisor, axis.modulus) for axis in inner)
    if digits not in ([(1, GROUP)], [(1, 2), (2, 2)]) or layout[len(outer) :] != tuple(inner):
        return None
    return [*outer, tensor.PackedAxis(reduced, 1, GROUP)]


def _reads_groups(op: tensor.ComputeOp, roles: Roles, state: tensor.ScheduleState) -> bool:
    """Return whether the other factor is read in groups of neighbouring bytes: in place, or from copies of rows whose
    innermost reduction has whole groups."""
    if state.cached is None:
        return True
    plan = CopyPlan.of(op)
    last = next((dim for dim in reversed(range(op.rank, len(op.sizes))) if op.sizes[dim] > 1), None)
    if plan is None or not plan.is_rows or state.cached.read != roles.x or last is None:
        return False
    return op.sizes[last] % GROUP == 0 and moves(op, last).reads[roles.x] == 1


def _is_bounded(op: tensor.ComputeOp, roles: Roles, values: Values) -> bool:
    """Return whether sums with their bias can be 256 times as large, and constants are negated in 8 bits."""
    bias = bias_of(op)
    if bias is None or roles.w_offset or any(int(each.min()) == MIN for each in values[op.reads[roles.w]]):
        return False
    operand, access = op.epilogue[bias.number], op.epilogue_accesses[bias.number].map.data.results
    known = operand in values and operand.has_one_use() and op.reads[roles.w].has_one_use()
    if not known or access != (AffineDimExpr(roles.w_only[0]),) or shape_of(operand) != (op.sizes[roles.w_only[0]],):
        return False
    low, high = apply_intervals(op, values).get(bias.addition.results[0], (-LIMIT, LIMIT))
    return low > -LIMIT and high < LIMIT
