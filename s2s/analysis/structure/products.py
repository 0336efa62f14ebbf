"""Recognise sums of products `acc + (ext(x) - x_zp) * (ext(w) - w_zp)` in computations, of floats and of small
integers."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from s2s.dialects import tensor
from s2s.types.hints import isa

PACKED_NUMBER = "packed_number"
"""Attribute of an operation that adds a zero point, or is one: the number of the zero point in a kernel, if a pack of
weights brings it. Operations that one computation of the tensor level becomes, tile by tile, keep the number; equal
zero points of two tensors have two numbers, since those of a retrained model may differ."""


def number_of(op: Operation) -> int | None:
    """Return the number of the zero point that `op` adds or is; None if the pack brings none for it."""
    number = op.attributes.get(PACKED_NUMBER)
    return number.value.data if isa(number, IntegerAttr) else None


def numbered(number: int | None) -> Mapping[str, Attribute]:
    """Return the attributes of an operation that adds zero point `number`."""
    return {} if number is None else {PACKED_NUMBER: IntegerAttr(number, i64)}


class Factor(NamedTuple):
    """One factor of a product: read number `read`, extended, plus `offset`; or four bits of it, from 0 to 15."""

    read: int
    offset: int
    half: int | None = None
    """The dimension whose index says which half of a byte is taken, 0 for the lower one."""
    unsigned: bool = False
    """Whether the byte is from 0 to 255."""
    number: int | None = None
    """The number of the offset among the zero points that a pack of weights brings."""


class ProductSum(NamedTuple):
    """A computation whose reduction is `acc + left * right` in 32 bits, over elements of 8 bits, from zero."""

    left: Factor
    right: Factor
    in_range: bool = False
    """Whether the sum is known not to overflow."""

    @property
    def half(self) -> int | None:
        """The dimension that counts the halves of a byte of either factor."""
        return self.right.half if self.left.half is None else self.left.half

    @property
    def unsigned(self) -> int | None:
        """The number of the read whose bytes have no sign, whole or in halves; None if all have one."""
        return next((each.read for each in (self.left, self.right) if each.unsigned or each.half is not None), None)

    @property
    def has_offsets(self) -> bool:
        """Whether a zero point is taken off one of the factors."""
        return self.left.offset != 0 or self.right.offset != 0

    def factor_of(self, read: int) -> Factor:
        """Return the factor whose operand is read number `read`."""
        return self.left if self.left.read == read else self.right

    def other(self, read: int) -> Factor:
        """Return the factor whose operand is not read number `read`."""
        return self.right if self.left.read == read else self.left


def product_sum(op: tensor.ComputeOp) -> ProductSum | None:
    """Match the reduction of `op` as a sum of products of two different reads of bytes; None if it is none."""
    return _product_sum(op, i8)


def wide_product_sum(op: tensor.ComputeOp) -> ProductSum | None:
    """Match the reduction of `op` as a sum of products of two different reads of 16 bits, as they are; None if it is
    none."""
    found = _product_sum(op, i16)
    plain = found is not None and not found.has_offsets and found.unsigned is None
    return found if plain and all(tensor.element_type(read) == i16 for read in op.reads) else None


def _product_sum(op: tensor.ComputeOp, element: IntegerType) -> ProductSum | None:
    if op.reduce is None or len(op.reads) != 2 or len(op.inits) != 1:
        return None
    init, block = op.inits.data[0], op.reduce.block
    if not isa(init, IntegerAttr) or init.type != i32 or init.value.data != 0:
        return None
    last = block.last_op
    if not isinstance(last, tensor.YieldOp) or not isinstance(last.arguments[0].owner, arith.AddiOp):
        return None
    added = last.arguments[0].owner
    accumulator = block.args[len(op.reads)]
    product = added.rhs if added.lhs is accumulator else added.lhs
    if accumulator not in added.operands or not isinstance(product.owner, arith.MuliOp):
        return None
    left, right = (_factor(side, element) for side in (product.owner.lhs, product.owner.rhs))
    if left is None or right is None or left.read == right.read:
        return None
    return ProductSum(left, right, has_flag(added, arith.IntegerOverflowFlag.NSW))


def has_flag(op: Operation, flag: arith.IntegerOverflowFlag) -> bool:
    """Return whether `op` carries the overflow flag `flag`."""
    flags = op.properties.get("overflowFlags")
    return isinstance(flags, arith.IntegerOverflowAttr) and flag in flags.data


def _factor(value: SSAValue, element: IntegerType) -> Factor | None:
    """Match `ext(read) + offset`; the offset is 0 where there is none."""
    halves = _half_of_byte(value)
    if halves is not None:
        return halves
    offset, inner, number = 0, value, None
    owner = value.owner
    if isinstance(owner, arith.SubiOp | arith.AddiOp):
        constant = owner.rhs.owner
        if not isinstance(constant, arith.ConstantOp) or not isa(constant.value, IntegerAttr):
            return None
        amount = constant.value.value.data
        offset, inner = amount if isinstance(owner, arith.AddiOp) else -amount, owner.lhs
        number = number_of(constant)
    extension = inner.owner
    if not isinstance(extension, arith.ExtSIOp | arith.ExtUIOp) or not isinstance(extension.input, BlockArgument):
        return None
    if not isa(extension.input.type, IntegerType) or extension.input.type != element:
        return None
    unsigned = isinstance(extension, arith.ExtUIOp)
    return None if unsigned and offset else Factor(extension.input.index, offset, unsigned=unsigned, number=number)


def _half_of_byte(value: SSAValue) -> Factor | None:
    """Match `(ext(read) >> 4 * index) & 15`."""
    match value.owner:
        case arith.AndIOp(lhs=shifted, rhs=mask) if _constant(mask) == 15 and isinstance(shifted.owner, arith.ShRSIOp):
            byte, count = shifted.owner.lhs.owner, shifted.owner.rhs.owner
        case _:
            return None
    if not isinstance(byte, arith.ExtSIOp) or not isinstance(byte.input, BlockArgument) or byte.input.type != i8:
        return None
    if not isinstance(count, arith.MuliOp) or _constant(count.rhs) != 4:
        return None
    cast = count.lhs.owner
    if not isinstance(cast, arith.IndexCastOp) or not isinstance(cast.input.owner, tensor.IndexOp):
        return None
    return Factor(byte.input.index, 0, cast.input.owner.dim.value.data)


def _constant(value: SSAValue) -> int | None:
    constant = value.owner
    if not isinstance(constant, arith.ConstantOp) or not isa(constant.value, IntegerAttr):
        return None
    return constant.value.value.data


def is_sum_of_products(block: Block) -> bool:
    """Return whether the region is `acc + x * w` on floats of 32 or 64 bits."""
    if any(argument.type not in (f32, f64) for argument in block.args):
        return False
    match list(block.ops):
        case [arith.MulfOp() as times, arith.AddfOp() as plus, tensor.YieldOp() as last]:
            x, w, accumulator = block.args
            return (
                {times.lhs, times.rhs} == {x, w}
                and {plus.lhs, plus.rhs} == {times.result, accumulator}
                and last.arguments[0] is plus.result
            )
        case _:
            return False


__all__ = [
    "PACKED_NUMBER",
    "Factor",
    "ProductSum",
    "has_flag",
    "is_sum_of_products",
    "number_of",
    "numbered",
    "product_sum",
    "wide_product_sum",
]
__all__ = ["Factor", "ProductSum", "has_flag", "is_sum_of_products", "product_sum", "wide_product_sum"]
