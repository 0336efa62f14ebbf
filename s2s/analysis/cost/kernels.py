"""What a kernel computes and moves, read off its computations: the figures that its time is held against."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.network.functions import KERNEL
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, tensor
from s2s.types.dtypes import as_tensor_type, is_bool, size_in_bytes

_FREE = frozenset(
    f"arith.{name}"
    for name in (
        "bitcast",
        "constant",
        "extf",
        "extsi",
        "extui",
        "fptosi",
        "fptoui",
        "index_cast",
        "select",
        "sitofp",
        "truncf",
        "trunci",
        "uitofp",
    )
)
"""Constants, choices and conversions: nobody counts them as arithmetic."""
_ARITHMETIC = ("arith.", "math.")
_TWOFOLD = ("math.fma", "tensor.rescale")
"""A multiplication and an addition."""


@dataclass(frozen=True)
class Operations:
    """Arithmetic by the kind of number; a multiply-add is two operations, a function such as `exp` is one."""

    floats: int = 0
    integers: int = 0

    def __add__(self, other: "Operations") -> "Operations":
        return Operations(self.floats + other.floats, self.integers + other.integers)

    def times(self, count: int) -> "Operations":
        """So many of these."""
        return Operations(self.floats * count, self.integers * count)


@dataclass(frozen=True)
class KernelCost:
    """One call of a kernel."""

    operations: Operations
    constants: int
    """Bytes of weights and tables that it reads."""
    activations: int
    """Bytes of tensors that it reads and writes."""

    @property
    def bytes(self) -> int:
        """Everything that it reads and writes, each byte once."""
        return self.constants + self.activations


def kernel_costs(module: ModuleOp) -> dict[str, KernelCost]:
    """The cost of each kernel of a module at the tensor level, by name."""
    kernels = [op for op in module.ops if isinstance(op, FuncOp) and KERNEL in op.attributes and op.body.blocks]
    constant = _constant_parameters(module)
    return {
        kernel.sym_name.data: kernel_cost(kernel, constant.get(kernel.sym_name.data, frozenset())) for kernel in kernels
    }


def kernel_cost(kernel: FuncOp, constant: Iterable[int]) -> KernelCost:
    """The cost of a kernel whose parameters numbered `constant` are weights."""
    computations = [op for op in kernel.walk() if isinstance(op, tensor.Computation)]
    weights = set(constant)
    sizes = {argument: _bytes_read(argument, computations) for argument in kernel.args}
    results = [value for op in kernel.walk() if isinstance(op, ReturnOp) for value in op.operands]
    return KernelCost(
        operations=sum(map(operations_of, computations), Operations()),
        constants=sum(size for argument, size in sizes.items() if argument.index in weights),
        activations=sum(size for argument, size in sizes.items() if argument.index not in weights)
        + sum(_bytes(value) for value in results if not isinstance(value, BlockArgument)),
    )


def operations_of(op: tensor.Computation) -> Operations:
    """The arithmetic of a computation: its bodies, as often as they are carried out."""
    if isinstance(op, tensor.TransformOp):
        return _of_transform(op)
    reduced = Operations() if op.reduce is None else _body(op.reduce).times(prod(op.sizes))
    return reduced + _body(op.apply).times(prod(op.parallel_sizes))


def _of_transform(op: tensor.TransformOp) -> Operations:
    """A multiply-add for each number of the matrices that is not zero, down the columns, then along the rows."""
    left, right = (sum(value != 0 for row in matrix for value in row) for matrix in op.matrices)
    adds = left * op.window[1] + op.outputs[0] * right
    return Operations(floats=2 * adds).times(prod(op.sizes)) + _body(op.apply).times(prod(op.write_sizes))


def _body(region: Region) -> Operations:
    return sum(map(_one, region.walk()), Operations())


def _one(op: Operation) -> Operations:
    if op.name in _FREE or not (op.name.startswith(_ARITHMETIC) or op.name in _TWOFOLD):
        return Operations()
    count = 2 if op.name in _TWOFOLD else 1
    type = op.results[0].type
    if isinstance(type, AnyFloat):
        return Operations(floats=count)
    return Operations(integers=count if isa(type, IntegerType) and not is_bool(type) else 0)


def _bytes_read(argument: SSAValue, computations: Iterable[tensor.Computation]) -> int:
    """Bytes of a tensor, or as many of them as computations have points that read it."""
    points = 0
    for op in computations:
        if isinstance(op, tensor.TransformOp):
            points += prod(op.read_sizes) if op.x is argument else 0
            points += sum(prod(op.write_sizes) for value in op.points if value is argument)
            continue
        points += sum(prod(op.sizes) for value in op.reads if value is argument)
        points += sum(prod(op.parallel_sizes) for value in (*op.points, *op.tables) if value is argument)
    others = any(not isinstance(use.operation, tensor.Computation) for use in argument.uses)
    whole = _bytes(argument)
    return whole if others else min(whole, points * size_in_bytes(as_tensor_type(argument.type).element_type))


def _bytes(value: SSAValue) -> int:
    return prod(shape_of(value)) * size_in_bytes(as_tensor_type(value.type).element_type)


def _constant_parameters(module: ModuleOp) -> dict[str, frozenset[int]]:
    """For each kernel the numbers of the parameters that are weights in every call."""
    found: dict[str, frozenset[int]] = {}
    for op in module.walk():
        if isinstance(op, graph.CallOp):
            numbers = frozenset(
                number
                for number, value in enumerate(op.operands)
                if isinstance(value.owner, graph.WeightOp | graph.ConstantOp)
            )
            name = op.callee.root_reference.data
            found[name] = found.get(name, numbers) & numbers
    return found
