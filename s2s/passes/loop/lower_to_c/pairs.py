"""Lower loads of two neighbouring floats to variables of a structure with both."""

from xdsl.dialects.builtin import f32

from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.memory import pointer
from s2s.passes.loop.lower_to_c.neighbours import position
from s2s.passes.loop.lower_to_c.operations import LOWERINGS

PAIR = c.NamedType("s2s_f32_pair")


@LOWERINGS.register(loop.LoadPairOp)
def load_pair(b: Builder, op: loop.LoadPairOp) -> None:
    """`const s2s_f32_pair w0 = s2s_f32_pair_load(&w[at]);`, of which the users read `w0.low` and `w0.high`."""
    loaded = b.call("s2s_f32_pair_load", [pointer(b, op.buffer, position(b, op))], PAIR, headers.PAIRS, reads=True)
    pair = b.add(c.VariableOp(PAIR, loaded))
    pair.name_hint = f"{op.buffer.name_hint or 'x'}_pair"
    for result, field in ((op.low, "low"), (op.high, "high")):
        b.bind(result, b.add(c.LoadOp(b.add(c.MemberOp(pair, field, f32)))))


__all__ = ["PAIR", "load_pair"]
