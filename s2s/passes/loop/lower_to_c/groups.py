"""Lower groups of small integers in lanes of 32 bits to calls of `s2s_simd_bytes.h`."""

from xdsl.ir import SSAValue

from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import LOWERINGS


@LOWERINGS.register(loop.LoadGroupsOp)
def load_groups(b: Builder, op: loop.LoadGroupsOp) -> SSAValue:
    """Load groups: contiguous, broadcast to all lanes, or by columns."""
    at = index_expression(b, op.map.data.results[0], op.indices)
    place = b.add(c.AddressOfOp(b.add(c.SubscriptOp(b.value(op.buffer), at))))
    type = op.result.type
    if op.nibbles is not None:
        name = "load_pair_nibbles" if op.group == loop.PAIR else "load_group_nibbles"
        return b.vector_call(name, [place], type, header=headers.BYTES, reads=True)
    if op.widened is not None:
        return b.vector_call("load_pairs_i8", [place], type, header=headers.BYTES, reads=True)
    if op.group == loop.PAIR:
        name = "load_pair" if op.lane_stride.value.data == 0 else "load_pairs"
        return b.vector_call(name, [place], type, header=headers.BYTES, reads=True)
    match op.lane_stride.value.data:
        case 0:
            return b.vector_call("load_group", [place], type, header=headers.BYTES, reads=True)
        case 1:
            shape = [b.literal(each.value.data, INDEX) for each in (op.stride, op.count)]
            return b.vector_call("load_columns", [place, *shape], type, header=headers.BYTES, reads=True)
        case _:
            return b.vector_call("load_groups", [place], type, header=headers.BYTES, reads=True)


@LOWERINGS.register(loop.AddPairsOp)
def add_pairs(b: Builder, op: loop.AddPairsOp) -> SSAValue:
    """Add numbers of 16 bits."""
    return b.vector_call("add_pairs", [b.value(op.a), b.value(op.b)], op.result.type, header=headers.BYTES)
