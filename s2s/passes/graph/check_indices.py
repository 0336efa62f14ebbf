"""Check the indices that the network computes, unless they are in range in every run.

    %y = graph.gather %x, %at {axis = 0} : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
    func.return %y
->
    %low = graph.less %at, dense<-10>        %high = graph.greater %at, dense<9>
    %outside = graph.logical_or %low, %high
    %any = graph.reduce_max (graph.cast %outside) {axes = [0], keepdims}
    %y = graph.gather %x, %at …
    graph.require %any : tensor<1xi32>
    func.return %y

An index out of range is an error in ONNX, TFLite and torch. Kernels clamp it, or leave out what it would write, so that
no input makes them leave their buffers; at its end the run tells of it: one flag for all indices. Networks in branches
return their flag, loops carry it from step to step. What the condition of a loop indexes is checked at the begin of
each step, and once behind the loop.

Along an axis whose size varies, an index is compared with the size of the run, `graph.size_values` of it.

Declined where intervals prove that all indices are in range, and for indices that are inputs or states and count along
constant axes: these are checked before the run (`graph-bound-positions`).
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.dialects import graph
from s2s.dialects.walk import walk
from s2s.passes.context import weights_of
from s2s.support.frozen import frozen


@frozen
class CheckIndicesPass(ModulePass):
    name = "graph-check-indices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        indexing = [each for each in walk(op) if isinstance(each, graph.IndexingOp)]
        if indexing:
            from s2s.passes.graph.index_flags import add_checks

            add_checks(op, indexing, weights_of(ctx))
