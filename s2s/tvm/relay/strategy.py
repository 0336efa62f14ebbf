"""Strategies: other implementations of operators, with conditions and priorities, under TVM's names.

    @register_strategy("nn.conv2d")
    def pointwise(op: graph.ConvOp, target: Target) -> OpStrategy:
        strategy = OpStrategy()
        is_pointwise = op.window().kernel == (1, 1)
        strategy.add_implementation(by_matmul, name="matmul", plevel=15, condition=is_pointwise)
        return strategy

    def by_matmul(op: graph.ConvOp, data: Expr, weight: Expr) -> Expr: …

An implementation computes the operator by other ones, which may be operators of a package with a lowering of their own
(`s2s.passes.operators.register_operator`). The compiler's own implementation has priority 10 and wins over equal ones.
What was chosen is a decision: `s2s inspect --why` shows it, and a file of decisions changes it. A package registers
strategies where it registers operators, in its entry point of the group `s2s.operators`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block

from s2s.decisions import implementation as decision
from s2s.decisions.implementation import OWN, OWN_LEVEL, Implementation, add_strategy, implementations_of
from s2s.dialects import graph
from s2s.dialects.graph import Graph
from s2s.dialects.graph.base import GraphOp
from s2s.errors import InputError
from s2s.frontends.builder import Builder
from s2s.targets import Target as TargetData
from s2s.tvm.relay.expr import Expr, Var
from s2s.tvm.relay.lowering import emitted
from s2s.tvm.target import Target, resolve
from s2s.types.dtypes import as_tensor_type
from s2s.types.weights import WeightStore

Compute = Callable[..., Expr]
"""Builds an operator: takes the operation and its operands as expressions, and returns its result."""

OPERATIONS: dict[str, type[GraphOp]] = {
    "nn.conv1d": graph.ConvOp,
    "nn.conv2d": graph.ConvOp,
    "nn.conv3d": graph.ConvOp,
    "nn.conv2d_transpose": graph.ConvTransposeOp,
    "nn.dense": graph.MatmulOp,
    "nn.batch_matmul": graph.MatmulOp,
    "nn.max_pool2d": graph.MaxPoolOp,
    "nn.avg_pool2d": graph.AvgPoolOp,
    "nn.softmax": graph.SoftmaxOp,
    "nn.layer_norm": graph.LayerNormOp,
}
"""Operations of operators of relay; all others go by the names of the dialect."""


class OpStrategy(decision.OpStrategy):
    """The implementations of an operator on a target."""

    def add_implementation(self, compute: Compute, name: str, plevel: int = OWN_LEVEL, condition: bool = True) -> None:
        """Add an implementation; of implementations whose `condition` holds, one of the highest `plevel` is taken."""
        self.add(Implementation(name, partial(_block, compute), plevel, condition))


def register_strategy(
    op_name: str | type[GraphOp], fstrategy: Callable[[Any, TargetData], OpStrategy] | None = None
) -> Callable[..., Any]:
    """Ask a function for implementations of an operator; without `fstrategy`, the decorator that does.

    The operator goes by its name in relay (`nn.conv2d`) or in the dialect (`graph.conv`), or by its class.
    """
    kind = _operation(op_name)

    def register(strategy: Callable[[Any, TargetData], OpStrategy]) -> Callable[[Any, TargetData], OpStrategy]:
        add_strategy(kind, strategy)
        return strategy

    return register if fstrategy is None else register(fstrategy)


def select_implementation(op: GraphOp, target: str | Target | TargetData) -> str:
    """The name of the implementation that priorities choose for `op`, `s2s` for the compiler's own."""
    own = [(OWN_LEVEL, OWN)]
    found = [(each.plevel, each.name) for each in implementations_of(op, resolve(target)) if each.condition]
    return max([*own, *found], key=lambda each: each[0])[1]


def _operation(name: str | type[GraphOp]) -> type[GraphOp]:
    if not isinstance(name, str):
        return name
    found = OPERATIONS.get(name) or next((each for each in Graph.operations if each.name == name), None)
    if found is None or not issubclass(found, GraphOp):
        known = ", ".join(OPERATIONS)
        raise InputError(f"register_strategy: operator {name!r} is not known; give {known}, or graph.…, or a class")
    return found


def _block(compute: Compute, op: GraphOp, store: WeightStore) -> Block:
    """The operations that `compute` asks for."""
    block = Block(arg_types=[operand.type for operand in op.operands])
    builder = Builder(block, store)
    builder.node = ", ".join(graph.provenance(op)) or op.name
    operands = [Var(f"operand{number}", as_tensor_type(argument.type)) for number, argument in enumerate(block.args)]
    values = {id(each): builder.computed(argument) for each, argument in zip(operands, block.args, strict=True)}
    [result] = emitted(builder, [compute(op, *operands)], values)
    block.add_op(ReturnOp(result))
    return block
