"""Partition a network into kernels, and outline each as a function.

    func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x16x8x8xf32> {
      %w = graph.weight "w" {…} : tensor<16x3x3x3xf32>
      %a = graph.conv %x, %w {…} : …
      %y = graph.clamp %a {min = 0.0 : f64} : …
      func.return %y : …
    }
->
    func.func private @conv_3x3_relu(%x: …, %w: …) -> … attributes {kernel} { graph.conv, graph.clamp }
    func.func @main(%x: …) -> … {
      %w = graph.weight "w" {…} : …
      %y = graph.call @conv_3x3_relu(%x, %w) {node = "Conv_0, Relu_1"} : …
      func.return %y : …
    }

`partition` finds the operations that may share a kernel, the steps of an operator of integers among them; a decision
says whether they do (`s2s/decisions/fusion.py`). Afterwards `main` holds weights, calls, and reshapes, which only
rename the same bytes: a reshape at the border of a group stays in `main`, so that convolutions keep their shapes. A
scalar constant that is used elementwise is copied into the kernel; other constants become weights, which calls pass.

Declined for functions that are kernels already; operations that run networks are not outlined. Requires
`graph-copy-outputs`, so that every output is the result of a call.
`depth` is the largest number of operations in a kernel, `limits` are the arguments that a kernel of each device may
have. When not enabled, every operation but a reshape is a kernel.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import is_kernel
from s2s.analysis.numbers.known_values import known_value
from s2s.decisions.chooser import Chooser
from s2s.decisions.fusion import TOGETHER, FusionDecision
from s2s.decisions.operators import OperatorGroup
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.constants import new_weight
from s2s.passes.graph.function_args import limits_of
from s2s.passes.graph.fuse_ops.dataflow import dataflow
from s2s.passes.graph.fuse_ops.names import UniqueNames, kernel_name
from s2s.passes.graph.fuse_ops.outline import outline, placed_name, without_border_reshapes
from s2s.passes.graph.fuse_ops.partition import partition
from s2s.support.frozen import frozen
from s2s.types.weights import WeightStore


@frozen
class FuseOpsPass(ModulePass):
    """Outline groups of operations as kernels."""

    name = "graph-fuse-ops"
    depth: int = 256
    enable: bool = True
    target: str = "c"
    limits: tuple[str, ...] = ()
    """As `main=127`; no limit where a device is left out."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        functions = [function for function in op.body.block.ops if isinstance(function, FuncOp)]
        names = UniqueNames([function.sym_name.data for function in functions])
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for function in functions:
                if not is_kernel(function) and function.body.blocks:
                    self._divide(op, function, names, weights, chooser)

    def _divide(
        self, home: ModuleOp, function: FuncOp, names: UniqueNames, weights: WeightStore, chooser: Chooser
    ) -> None:
        """Outline the groups of one function, and insert the kernels before it."""
        block = function.body.block
        nodes = dataflow(function)
        module = function.parent_block()
        assert module is not None
        for members in partition(nodes, self.depth if self.enable else 1, limits_of(self.limits)):
            group = without_border_reshapes([op for index in members if (op := nodes[index].op) is not None])
            for ops in _decided(home, group, chooser):
                if ops and not (len(ops) == 1 and isinstance(ops[0], graph.StepInterface)):
                    name = names.make(placed_name(kernel_name(ops), ops))
                    module.insert_op_before(outline(name, ops, weights), function)
        _name_constants(block, weights)


def _decided(home: Operation, group: list[Operation], chooser: Chooser) -> list[list[Operation]]:
    """The kernels that a decision makes of a group of operations that may share one."""
    if len(group) < 2 or chooser.choose(FusionDecision(), OperatorGroup(home, tuple(group))) == TOGETHER:
        return [group]
    return [without_border_reshapes([op]) for op in group]


def _name_constants(block: Block, weights: WeightStore) -> None:
    """Turn the constants that calls pass into weights, and erase the constants that no call passes."""
    for op in list(block.ops):
        if isinstance(op, graph.ConstantInterface) and not op.results[0].uses:
            Rewriter.erase_op(op)
        elif isinstance(op, graph.ConstantOp):
            value = known_value(op.y, weights)
            assert value is not None
            weight = new_weight(value, op.y.name_hint or "constant", weights)
            copy_provenance(weight, op)
            Rewriter.replace_op(op, weight)
