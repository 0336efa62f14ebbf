"""Carry out the schedules: turn every kernel of tensor computations into loops over flat buffers.

    func.func private @k(%x: tensor<4x8xf32>) -> tensor<4xf32> { %y = tensor.compute [4 | 8] … }
->
    func.func private @k(%y: memref<4xf32>, %x: memref<32xf32>) { loop.for %i = 0 to 4 { … } }

The new arguments are the results, the old arguments, then one scratch buffer for every tensor that lives only inside the
kernel. `main` is left for `loop-plan-memory`. A computation without a schedule is a bug of the pipeline.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass

from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.nest import emit_nest


def buffer_type(type: Attribute) -> MemRefType[Attribute]:
    """The flat buffer that holds a tensor."""
    assert isinstance(type, TensorType)
    count = 1
    for size in type.get_shape():
        count *= size
    return MemRefType(type.element_type, [count])


def dim_names(op: tensor.ComputeOp) -> list[str]:
    """Names for the loops of `op`: its attribute `dims`, or letters in order."""
    named = op.attributes.get("dims")
    if named is not None:
        words = str(named).strip('"').split()
        if len(words) == len(op.sizes):
            return words
    reduction = [f"r{n}" if len(op.reduction_sizes) > 1 else "r" for n in range(len(op.reduction_sizes))]
    letters = "ijklmnop"
    return [*(letters[n % len(letters)] for n in range(op.rank)), *reduction]


class LowerKernel:
    """Rebuilds one kernel function over buffers."""

    def __init__(self, func: FuncOp) -> None:
        self.func = func
        self.computes = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
        terminator = func.body.block.last_op
        if not isinstance(terminator, ReturnOp):
            raise CompilerBug(f"kernel {func.sym_name.data} does not end in func.return")
        self.returned = list(terminator.arguments)

    def run(self) -> None:
        """Replace the body and the signature."""
        inputs = list(self.func.body.block.args)
        inner = [r for op in self.computes for r in op.res if r not in self.returned]
        order: list[SSAValue] = [*self.returned, *inputs, *inner]
        if len(set(order)) != len(order):
            raise CompilerBug(f"kernel {self.func.sym_name.data} returns an argument or a value twice")
        types = [buffer_type(value.type) for value in order]
        block = Block(arg_types=types)
        for argument, value, number in zip(block.args, order, range(len(order)), strict=True):
            argument.name_hint = self._name(value, number)
        buffers = dict(zip(order, block.args, strict=True))
        for op in self.computes:
            emit_nest(op, dim_names(op), buffers, block)
        block.add_op(ReturnOp())
        self.func.body.detach_block(self.func.body.block)
        self.func.body.add_block(block)
        self.func.function_type = FunctionType.from_lists(types, [])
        self.func.arg_attrs = None
        self.func.res_attrs = None

    def _name(self, value: SSAValue, number: int) -> str:
        if number < len(self.returned):
            return "y" if len(self.returned) == 1 else f"y{number}"
        return value.name_hint or ("scratch" if number >= len(self.returned) + len(self.func.body.block.args) else "x")


@dataclass(frozen=True)
class LowerToLoopPass(ModulePass):
    name = "tensor-lower-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in list(op.ops):
            if isinstance(func, FuncOp) and any(isinstance(inner, tensor.ComputeOp) for inner in func.body.block.ops):
                LowerKernel(func).run()


__all__ = ["LowerToLoopPass"]
