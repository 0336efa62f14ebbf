"""Lower intrinsics to calls of the C functions that their attributes name."""

from xdsl.dialects.builtin import StringAttr, UnitAttr, VectorType, i32
from xdsl.ir import SSAValue

from s2s.dialects import c, loop
from s2s.dialects.loop.checks import lanes_of
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.passes.loop.lower_to_c.products import is_widened_by_product, product_of_bytes


@LOWERINGS.register(loop.IntrinsicOp)
def intrinsic(b: Builder, op: loop.IntrinsicOp) -> SSAValue:
    """Lower products of registers, added to accumulators. Bytes that nothing else widens are widened with them."""
    function, (acc, x, w) = op.intrinsic.function_for(lanes_of(op.result.type) or 1), op.operands
    if isinstance(w.owner, loop.ExtendOp | loop.PairsOp) and is_widened_by_product(w.owner):
        function, w = product_of_bytes(w.owner), w.owner.vector
    call = c.CallOp(function, [b.value(each) for each in (acc, x, w)], op.result.type, pure=True)
    return b.add(_declared(call, op.intrinsic))


@LOWERINGS.register(loop.IntrinsicRowsOp)
def intrinsic_rows(b: Builder, op: loop.IntrinsicRowsOp) -> SSAValue:
    """Lower the products of one row in memory with several rows of constants."""
    rows = _factors(b, op)
    steps = b.literal(op.steps.value.data, INDEX)
    result = VectorType(i32, [op.lanes])
    call = c.CallOp(op.intrinsic.function_for(op.lanes), [*rows, steps], result, reads=True)
    return b.add(_declared(call, op.intrinsic))


def _factors(b: Builder, op: loop.IntrinsicRowsOp) -> list[SSAValue]:
    """Return pointers to both factors in memory."""
    return [
        b.add(c.AddressOfOp(b.add(c.SubscriptOp(b.value(buffer), index_expression(b, expr, op.indices)))))
        for buffer, expr in zip((op.x, op.w), op.map.data.results, strict=True)
    ]


def _declared(call: c.CallOp, intrinsic: loop.IntrinsicAttr) -> c.CallOp:
    """Mark the call of an intrinsic, and attach the header that declares the function."""
    call.properties |= {"header": StringAttr(f'"{intrinsic.header.data}"'), "intrinsic": UnitAttr()}
    return call
