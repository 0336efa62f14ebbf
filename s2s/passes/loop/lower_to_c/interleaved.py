"""Lower interleaved vector stores."""

from xdsl.dialects.builtin import VectorType, i8
from xdsl.ir import SSAValue

from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression
from s2s.passes.loop.lower_to_c.builder import Builder, vector_name
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.types.hints import isa


@LOWERINGS.register(loop.StoreInterleavedOp)
def store_interleaved(b: Builder, op: loop.StoreInterleavedOp) -> None:
    """Lower an interleaved store; the float function takes as many vectors as lanes, so the last one is repeated."""
    at = index_expression(b, op.map.data.results[0], op.indices)
    place = b.add(c.AddressOfOp(b.add(c.SubscriptOp(b.value(op.buffer), at))))
    vectors = [b.value(value) for value in op.values]
    type = op.values[0].type
    assert isa(type, VectorType)
    if type.element_type == i8:
        name, shape = f"store_i8_by_{len(vectors)}", list[SSAValue]()
    else:
        name, shape = (
            "store_interleaved",
            [b.literal(each, INDEX) for each in (op.lane_stride, op.active, len(vectors))],
        )
        vectors += [vectors[-1]] * (type.get_shape()[0] - len(vectors))
    b.block.add_op(c.CallOp(f"{vector_name(vectors[0].type)}_{name}", [place, *shape, *vectors]))
