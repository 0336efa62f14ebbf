"""One step of a sum of products whose one factor is staged."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.passes.tensor.lower_to_loop.stage import StagedOperand
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint


def add_product(
    emitter: Emitter,
    staged: StagedOperand,
    constant: Operand,
    loads: Loads,
    place: tuple[Sequence[AffineExpr], TilePoint],
    acc: SSAValue,
) -> SSAValue:
    """`acc + staged * (constant + its offset)` at a place of the domain."""
    dims, point = place
    plan = staged.plan
    x = Operand(staged.buffer, staged.access, staged.shape, staged.element)
    x_value = loads.load_at(x, staged.position(dims))
    left = loads.widened(x_value, i32)
    right = loads.widened(loads.load(constant, dims, point), i32)
    offset = plan.products.other(plan.read).offset
    if offset:
        amount = emitter.constant(IntegerAttr(offset, i32))
        right = emitter.add(arith.AddiOp(right, amount)).result
    product = emitter.add(arith.MuliOp(left, right)).result
    return emitter.add(arith.AddiOp(acc, product), acc.name_hint).result
