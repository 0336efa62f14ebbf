"""Lower casts of runs of floats to calls of the runtime."""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from s2s.c_syntax import headers
from s2s.c_syntax.types import element_name
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.memory import pointer
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.types.hints import isa


@LOWERINGS.register(loop.CastRunOp)
def cast_run(b: Builder, op: loop.CastRunOp) -> None:
    """`s2s_f64_to_i32_x16(&y[i], &x[i]);`."""
    target, source = (_element(each) for each in (op.target, op.source))
    places = [
        pointer(b, buffer, index_expression(b, place, op.indices))
        for buffer, place in zip((op.target, op.source), op.map.data.results, strict=True)
    ]
    b.block.add_op(c.CallOp(f"s2s_{source}_to_{target}_x{loop.RUN}", places, header=headers.CAST_RUNS))


def _element(buffer: SSAValue) -> str:
    assert isa(buffer.type, MemRefType)
    return element_name(buffer.type.element_type)


__all__ = ["cast_run"]
