"""Run the operators that read an input row by row as its rows arrive, with rings of rows between them.

    func.func @main(%x: tensor<1x8x8x4xi8>) -> … {
      %a = graph.conv %x, … {pads = [1, 1, 1, 1], …} : … -> tensor<1x8x8x4xi32>
      %y = graph.reduce_mean %a …                                              reads all rows
->
    func.func private @rows(%x: tensor<1x1x8x4xi8>) -> tensor<1x1x8x4xi8> { … graph.identity %x
    func.func private @padding() -> tensor<1x1x8x4xi8> { …
    func.func private @rows_2(%x: tensor<1x3x8x4xi8>) -> tensor<1x1x8x4xi32> { …
      %a = graph.conv %x, … {pads = [0, 1, 0, 1], …} : … -> tensor<1x1x8x4xi32>
    func.func @main(%x: tensor<1x8x8x4xi8>) -> … {
      %ring, %a = graph.line_buffers %x (%begin) {bodies = [@rows, @padding, @rows_2], …}
      %y = graph.reduce_mean %a …

How many operators run row by row is the choice with the least memory: those behind them run once, on tensors that
are kept. Refused where no operator goes row by row, where rows do not lie one after the other in memory, and in
networks with further inputs or state.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import NAME, input_numbers, main_of, text
from s2s.analysis.network.line_buffers import line_buffers
from s2s.analysis.network.row_clocks import RowClock, clocked
from s2s.analysis.network.row_memory import least_memory
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.errors import InputError, UnsupportedError
from s2s.passes.graph.line_rewriter import LineRewriter
from s2s.support.frozen import frozen


@frozen
class BufferLinesPass(ModulePass):
    """Rewrite the operators of `main` that read the input called `input` into `graph.line_buffers`."""

    name = "graph-buffer-lines"

    input: str | None = None
    """The input whose rows are pushed; None for none."""
    axis: int = 1
    operators: int = -1
    """How many operators, from the first one on, run row by row; -1 for the number with the least memory."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.input is None:
            return
        main = main_of(op)
        x = _input(main, self.input, self.axis)
        clock = RowClock(self.axis, type_of(x).get_shape()[self.axis])
        ops = list(clocked(main.body.block.ops, x, clock))
        count = least_memory(main, x, clock, ops) if self.operators < 0 else self.operators
        plan = line_buffers(x, clock, ops[:count])
        if not any(group.ops for group in plan.groups):
            reader = next((use.operation for use in x.uses), None)
            nodes = "" if reader is None else ", ".join(graph.provenance(reader)) or reader.name
            raise UnsupportedError(
                f"--push {self.input}:{self.axis}: {nodes or 'the network'} reads all rows at once, or averages over "
                "padding that does not count; leave --push out"
            )
        LineRewriter(op, main, plan, pushed=True).run()


def _input(main: FuncOp, name: str, axis: int) -> SSAValue:
    """Return the input whose rows are pushed; raise an error where these cannot be."""
    option = f"--push {name}:{axis}"
    names = [text(attributes, NAME) or "" for attributes in main.arg_attrs or ()]
    numbers = input_numbers(main)
    if name not in [names[number] for number in numbers]:
        listed = ", ".join(repr(names[number]) for number in numbers)
        raise InputError(f"{option}: the model has no input {name!r}; its inputs are {listed}")
    if len(names) > 1:
        raise UnsupportedError(
            f"{option}: rows are pushed to networks with one input and no state; keep the others constant (--bind)"
        )
    argument = main.body.block.args[names.index(name)]
    shape = type_of(argument).get_shape()
    if not 0 <= axis < len(shape):
        raise InputError(f"{option}: the input has {len(shape)} axes; give one from 0 to {len(shape) - 1}")
    return argument
