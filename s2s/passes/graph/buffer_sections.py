"""Run sections of operators row by row in line buffers, so that the tensors between them never exist whole.

    func.func @main(%x: tensor<1x32x32x8xi8>) -> … {
      %a = graph.conv %x, … {strides = [1, 1], …} : … -> tensor<1x32x32x48xi32>
      %y = graph.conv %a, … {pads = [1, 1, 1, 1], …} : … -> tensor<1x32x32x48xi32>
-> with `first=0 last=1`
    func.func private @rows(%x: tensor<1x1x32x8xi8>) -> tensor<1x1x32x48xi32> { … graph.conv … }
    func.func private @padding() -> tensor<1x1x32x48xi32> { …
    func.func private @rows_2(%a: tensor<1x3x32x48xi32>) -> tensor<1x1x32x48xi32> { … graph.conv … }
    func.func @main(%x: tensor<1x32x32x8xi8>) -> … {
      %a, %y = graph.line_buffers %x (%begin) {bodies = [@rows, @padding, @rows_2], steps = [32, 1, 32], …}

Each row is computed once; what a later row reads again is kept in a ring. `first` and `last` give, for each section,
its first and last operation, counted in `main` without constants: what a budget of RAM asks for. Which sections there
are is a decision (`s2s/decisions/line_buffers.py`).

Declined for operations that read more than one tensor from outside, or whose rows do not depend on a few rows of it
(`s2s/analysis/network/row_clocks.py`), and for rows that do not lie one after the other in memory.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.analysis.network.buffered_sections import operations, section
from s2s.decisions.chooser import Chooser
from s2s.decisions.line_buffers import BufferedNetwork, LineBuffersKind
from s2s.passes.context import given_of, target_of
from s2s.passes.graph.line_rewriter import LineRewriter
from s2s.support.frozen import frozen
from s2s.types.symbols import function_named


@frozen
class BufferSectionsPass(ModulePass):
    """Rewrite sections of `main` into `graph.line_buffers`."""

    name = "graph-buffer-sections"

    target: str = "c"
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = function_named(op, "main")
        if main is None:
            return
        wished = tuple(zip(self.first, self.last, strict=True))
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            wanted = chooser.choose(LineBuffersKind(), BufferedNetwork(op, wished))
        ops = operations(main)
        for first, last in reversed(wanted):
            if (plan := section(ops, first, last)) is not None:
                LineRewriter(op, main, plan, pushed=False).run()
