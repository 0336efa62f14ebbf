"""Lower interleaved vector stores."""

from xdsl.dialects.builtin import VectorType, i8

from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression
from s2s.passes.loop.lower_to_c.builder import Builder, header_of_vectors, vector_name
from s2s.passes.loop.lower_to_c.memory import vector_pointer
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.types.hints import isa


@LOWERINGS.register(loop.StoreInterleavedOp)
def store_interleaved(b: Builder, op: loop.StoreInterleavedOp) -> None:
    """Lower an interleaved store: to the function for a pair of vectors, or for a few of bytes, that leave nothing out,
    or to the one that takes as many vectors as lanes, where the last one is repeated."""
    type, count = op.values[0].type, len(op.values)
    assert isa(type, VectorType)
    place = vector_pointer(b, op.buffer, index_expression(b, op.map.data.results[0], op.indices))
    vectors = [b.value(value) for value in op.values]
    lanes, name = type.get_shape()[0], vector_name(vectors[0].type)
    is_bytes = type.element_type == i8
    header = headers.BYTES if is_bytes else header_of_vectors(vectors[0].type)
    if count == op.lane_stride <= (loop.GROUP if is_bytes else loop.INTERLEAVED_PAIR) and op.active == lanes:
        b.block.add_op(
            c.CallOp(f"{name}_store{'_i8' if is_bytes else ''}_by_{count}", [place, *vectors], header=header)
        )
        return
    shape = [b.literal(each, INDEX) for each in (op.lane_stride, op.active, count)]
    function = f"{name}_store{'_i8' if is_bytes else ''}_interleaved"
    arguments = [place, *shape, *vectors, *vectors[-1:] * (lanes - count)]
    b.block.add_op(c.CallOp(function, arguments, header=header))
