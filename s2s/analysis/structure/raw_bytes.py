"""Decide whether the zero point of bytes that are multiplied as they are stored can be taken off the sums.

sum over k of x[k] * w[k]  -  zero point * sum over k of w[k]        the second sum is a constant where w is one
"""

from math import prod

from xdsl.ir import BlockArgument, SSAValue

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.products import product_sum
from s2s.analysis.structure.roles import constant_axes, roles_of
from s2s.dialects import tensor


def fault_of_raw_bytes(
    op: tensor.ComputeOp, state: tensor.ScheduleState, constants: frozenset[SSAValue], x: int | None = None
) -> str | None:
    """Return why the zero point of raw bytes cannot be folded into the initial value of the sums of `op`; None if it
    can be, has been, or need not be. `constants` are the constant arguments of the kernel; `x` is the read whose raw
    bytes are multiplied, where nothing is copied and that is known."""
    products = product_sum(op)
    if state.init_from is not None or not state.takes_raw_bytes:
        return None
    if products is not None and not state.is_unsigned and not products.has_offsets:
        return None
    named = named_read(state)
    x = x if named is None else named
    if x is not None and products is not None and zero_point(op, state, x) == 0:
        return None
    roles = roles_of(op, constants)
    if products is None or roles is None or (named is not None and named != roles.x):
        return (
            "bytes are multiplied as they are stored, zero point included, but not by a constant of this kernel alone; "
            "copy them as i16, and leave tensorize out"
        )
    if zero_point(op, state, roles.x) == 0:
        return None
    channels = [*roles.both, *roles.w_only]
    if len(channels) != 1:
        return (
            f"bytes are multiplied as they are stored, but {len(channels)} dimensions move along the constant, not "
            "one; copy them as i16, and leave tensorize out"
        )
    w, axes = op.reads[roles.w], constant_axes(op, roles.w, channels[0])
    whole = axes is not None and prod(shape_of(w)) == op.sizes[channels[0]] * prod(op.reduction_sizes)
    if not whole or not isinstance(w, BlockArgument):
        return (
            "bytes are multiplied as they are stored, but the constant is not used as a whole; copy them as i16, and "
            "leave tensorize out"
        )
    return None


def named_read(state: tensor.ScheduleState) -> int | None:
    """Return the read that a schedule copies or takes in place as it is stored; None where an intrinsic settles it."""
    return state.raw if state.cached is None else state.cached.read


def zero_point(op: tensor.ComputeOp, state: tensor.ScheduleState, x: int) -> int:
    """Return the number that has to be added to each raw byte of read `x`: minus its zero point, and minus 128 if the
    bytes are flipped."""
    products = product_sum(op)
    offset = 0 if products is None else products.factor_of(x).offset
    return offset - (128 if state.is_unsigned else 0)
