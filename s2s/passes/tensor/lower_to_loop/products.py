"""Emit steps of sums of byte products."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.structure.products import Factor, ProductSum, numbered, product_sum, wide_product_sum
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


def cached_element(copied: CopiedOperand, loads: Loads, dims: Sequence[AffineExpr]) -> SSAValue:
    """Return the element of a copy at a point of the domain."""
    x = Operand(copied.buffer, copied.access, copied.shape, copied.element)
    return loads.load_at(x, copied.position(dims))


def padding(emitter: Emitter, products: ProductSum, read: int) -> SSAValue:
    """Return what padding of `read` counts as among bytes that are multiplied as they are stored: its zero point."""
    factor = products.factor_of(read)
    return emitter.constant(IntegerAttr(-factor.offset, i32), numbered(factor.number))


def offset_of(emitter: Emitter, factor: Factor) -> SSAValue:
    """Return what is added to each byte of a factor."""
    return emitter.constant(IntegerAttr(factor.offset, i32), numbered(factor.number))


def add_product(
    nest: NestState,
    loads: Loads,
    place: tuple[Sequence[AffineExpr], TilePoint],
    products: ProductSum,
    x: tuple[int, SSAValue],
    acc: SSAValue,
) -> SSAValue:
    """`acc + x * (constant + its offset)` at a point of the domain, for the number of a read and its value, which is
    taken as it is."""
    (dims, point), (read, value), emitter = place, x, nest.emitter
    constant = products.other(read)
    loaded = loads.load(nest.reads[constant.read], dims, point)
    left, right = (loads.splat(loads.widened(each, i32), point.lanes) for each in (value, loaded))
    if constant.offset:
        amount = loads.splat(offset_of(emitter, constant), point.lanes)
        right = emitter.add(arith.AddiOp(right, amount, overflow=IN_RANGE)).result
    return accumulate(emitter, products, acc, left, right)
