"""Count the arithmetic operations and the bytes of each kernel, to compare its run time with the roofline."""

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, Region, SSAValue

from s2s.analysis.network.functions import KERNEL, meaning_of
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, tensor
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.dialects.walk import walk
from s2s.support.frozen import frozen
from s2s.types.dtypes import as_tensor_type, is_bool, size_in_bytes
from s2s.types.hints import isa

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
"""Constants, selections and conversions, which do not count as arithmetic."""
_ARITHMETIC = ("arith.", "math.")
_TWOFOLD = ("math.fma", "tensor.rescale")
"""Operations that count as a multiplication and an addition."""


@frozen
class Operations:
    """Numbers of arithmetic operations by type; a multiply-add counts as two, a function such as `exp` as one."""

    floats: int = 0
    integers: int = 0

    def __add__(self, other: "Operations") -> "Operations":
        return Operations(self.floats + other.floats, self.integers + other.integers)

    def times(self, count: int) -> "Operations":
        """Return these numbers multiplied by `count`."""
        return Operations(self.floats * count, self.integers * count)


class KernelCost(NamedTuple):
    """The arithmetic and the bytes of one call of a kernel."""

    operations: Operations
    constants: int
    """Bytes of weights and tables that the kernel reads."""
    activations: int
    """Bytes of activations that the kernel reads and writes."""

    @property
    def bytes(self) -> int:
        """Bytes that the kernel reads and writes, each counted once."""
        return self.constants + self.activations


def kernel_costs(module: ModuleOp) -> dict[str, KernelCost]:
    """Return the cost of each kernel of a tensor-level module, by the kernel's name."""
    kernels = [op for op in module.ops if isinstance(op, FuncOp) and KERNEL in op.attributes and op.body.blocks]
    constant = _constant_parameters(module)
    found = {
        kernel.sym_name.data: kernel_cost(kernel, constant.get(kernel.sym_name.data, frozenset())) for kernel in kernels
    }
    declared = [op for op in module.ops if isinstance(op, FuncOp) and op.is_declaration]
    meanings = {op.sym_name.data: meaning for op in declared if (meaning := meaning_of(op)) is not None}
    return found | {
        name: _external_cost(meaning, constant.get(name, frozenset())) for name, meaning in meanings.items()
    }


def _external_cost(meaning: FuncOp, constant: Iterable[int]) -> KernelCost:
    """Return the cost of a C function of a code generator: the multiply-adds of its operators, and its tensors once."""
    weights = set(constant)
    ops = list(meaning.body.block.ops)
    floats = isinstance(as_tensor_type(meaning.function_type.outputs.data[0]).element_type, AnyFloat)
    count = 2 * sum(map(multiply_adds, ops))
    own = sum(_bytes(op.y) for op in ops if isinstance(op, graph.WeightOp))
    passed = sum(_bytes(argument) for argument in meaning.args if argument.index in weights)
    read = sum(_bytes(argument) for argument in meaning.args if argument.index not in weights)
    written = sum(_bytes(value) for op in ops if isinstance(op, ReturnOp) for value in op.operands)
    return KernelCost(Operations(count, 0) if floats else Operations(0, count), own + passed, read + written)


def kernel_cost(kernel: FuncOp, constant: Iterable[int]) -> KernelCost:
    """Return the cost of a kernel; `constant` lists the parameters that are weights."""
    computations = [op for op in walk(kernel) if isinstance(op, tensor.Computation)]
    scatters = [op for op in walk(kernel) if isinstance(op, tensor.ScatterOp)]
    weights = set(constant)
    sizes = {argument: _bytes_read(argument, computations) for argument in kernel.args}
    results = [value for op in walk(kernel) if isinstance(op, ReturnOp) for value in op.operands]
    return KernelCost(
        operations=sum(map(operations_of, [*computations, *scatters]), Operations()),
        constants=sum(size for argument, size in sizes.items() if argument.index in weights),
        activations=sum(size for argument, size in sizes.items() if argument.index not in weights)
        + sum(_bytes(value) for value in results if not isinstance(value, BlockArgument)),
    )


def operations_of(op: tensor.Computation | tensor.ScatterOp) -> Operations:
    """Return the number of arithmetic operations of a computation: operations of its regions times the points of their
    domains."""
    if isinstance(op, tensor.TransformOp):
        return _of_transform(op)
    if isinstance(op, tensor.ScatterOp):
        return _body(op.apply).times(prod(op.sizes))
    reduced = Operations() if op.reduce is None else _body(op.reduce).times(prod(op.sizes) // _skipped(op))
    return reduced + _body(op.apply).times(prod(op.parallel_sizes))


def _skipped(op: tensor.ComputeOp) -> int:
    """Return how many points of the domain there are for each that a reduction does not skip, since a divided index
    lies on an element of its operand: 4 for a transposed convolution with a stride of 2."""
    return max((prod(access.division) for access in list(op.accesses)[: len(op.reads)]), default=1)


def _of_transform(op: tensor.TransformOp) -> Operations:
    """Count one multiply-add for each nonzero element of the transform matrices, applied to the columns, then to the
    rows."""
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
    """Return the bytes of a tensor that the computations read: no more than one element for each point of their
    domains."""
    points = 0
    for op in computations:
        if isinstance(op, tensor.TransformOp):
            points += prod(op.read_sizes) if op.x is argument else 0
            points += sum(prod(op.write_sizes) for value in op.epilogue if value is argument)
            continue
        points += sum(prod(op.sizes) for value in op.reads if value is argument)
        points += sum(prod(op.parallel_sizes) for value in (*op.epilogue, *op.tables) if value is argument)
    others = any(not isinstance(use.operation, tensor.Computation) for use in argument.uses)
    whole = _bytes(argument)
    return whole if others else min(whole, points * size_in_bytes(as_tensor_type(argument.type).element_type))


def _bytes(value: SSAValue) -> int:
    return prod(shape_of(value)) * size_in_bytes(as_tensor_type(value.type).element_type)


def _constant_parameters(module: ModuleOp) -> dict[str, frozenset[int]]:
    """Return for each kernel the indices of the parameters that are weights in every call."""
    found: dict[str, frozenset[int]] = {}
    for op in walk(module):
        if isinstance(op, graph.CallOp):
            numbers = frozenset(
                number for number, value in enumerate(op.operands) if isinstance(value.owner, graph.ConstantInterface)
            )
            name = op.callee.root_reference.data
            found[name] = found.get(name, numbers) & numbers
    return found
