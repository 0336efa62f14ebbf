"""Interpret casts of runs of floats to integers."""

from xdsl.dialects.builtin import MemRefType

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.interpret.numbers import float_to_integer
from s2s.types.dtypes import is_unsigned, to_numpy
from s2s.types.hints import isa


@MEANINGS.register(loop.CastRunOp)
def cast_run(scope: Scope, op: loop.CastRunOp) -> Step:
    """`loop.cast_run`."""
    places = scope.operands(op.indices)
    to, at = (position(each, places) for each in op.map.data.results)
    target, source = scope.place(op.target), scope.place(op.source)
    sizes = (length(op.target), length(op.source))
    assert isa(op.target.type, MemRefType)
    element = op.target.type.element_type
    cast = float_to_integer(to_numpy(element), unsigned=is_unsigned(element))

    def step(frame: Frame) -> None:
        starts = to(frame), at(frame)
        for start, size, buffer in zip(starts, sizes, (op.target, op.source), strict=True):
            if start < 0 or start + loop.RUN > size:
                raise CompilerBug(f"{scope.where(op)}: index {start} is outside of {buffer_name(buffer)}")
        frame[target][starts[0] : starts[0] + loop.RUN] = cast(frame[source][starts[1] : starts[1] + loop.RUN])

    return step
