"""Emit steps of sums of byte products."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.structure.products import ProductSum, product_sum, wide_product_sum
from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.copied_operand import CopiedOperand
from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint

IN_RANGE = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))


def products_of(nest: NestState) -> ProductSum:
    """Return the sum of products that `nest` computes; its schedule tensorizes it, or copies a factor."""
    products = product_sum(nest.op) or wide_product_sum(nest.op)
    if products is None:
        raise CompilerBug("tensorize or cache_read names what is no sum of products; the verifier refuses that")
    return products


def check_zero_point(schedule: tensor.ScheduleState, products: ProductSum, x: int) -> None:
    """Refuse sums over the raw bytes of read `x` where no initial value takes their zero point off."""
    zero = (128 if schedule.is_unsigned else 0) - products.factor_of(x).offset
    if zero and schedule.takes_raw_bytes and schedule.init_from is None:
        raise CompilerBug(
            f"read {x} is multiplied as it is stored, with the zero point {zero}, which no initial value takes "
            "off; the verifier refuses that"
        )


def accumulate(emitter: Emitter, products: ProductSum, acc: SSAValue, left: SSAValue, right: SSAValue) -> SSAValue:
    """`acc + left * right`: the product always fits; the sum is marked as not overflowing where that is proven."""
    product = emitter.add(arith.MuliOp(left, right, overflow=IN_RANGE)).result
    total = arith.AddiOp(acc, product, overflow=IN_RANGE) if products.in_range else arith.AddiOp(acc, product)
    return emitter.add(total, acc.name_hint).result


def add_product(
    emitter: Emitter,
    copied: CopiedOperand,
    constant: Operand,
    loads: Loads,
    place: tuple[Sequence[AffineExpr], TilePoint],
    acc: SSAValue,
) -> SSAValue:
    """`acc + cached * (constant + its offset)` at a point of the domain."""
    dims, point = place
    plan = copied.plan
    x = Operand(copied.buffer, copied.access, copied.shape, copied.element)
    x_value = loads.load_at(x, copied.position(dims))
    left = loads.widened(x_value, i32)
    right = loads.widened(loads.load(constant, dims, point), i32)
    offset = plan.products.other(plan.read).offset
    if offset:
        amount = emitter.constant(IntegerAttr(offset, i32))
        right = emitter.add(arith.AddiOp(right, amount, overflow=IN_RANGE)).result
    return accumulate(emitter, plan.products, acc, left, right)
