"""Merge equal kernels, so that their calls share one function.

    func.func private @conv_3x3_relu(…) …
    func.func private @conv_3x3_relu_2(…) …
->
    func.func private @conv_3x3_relu(…) …

Two kernels are equal if they have the same operations in the same order, with the same attributes, constants and
types; names of values and source nodes do not matter. The calls keep their nodes.

Quantised kernels that differ only in the multipliers and shifts of a rescale are merged too: these constants become
arguments.

    func.func private @matmul_rescale(%a, %b) { %m = graph.constant dense<1374389535> … graph.rescale %y, %m, %s … }
    func.func private @matmul_rescale_2(%a, %b) { %m = graph.constant dense<1503238554> … graph.rescale %y, %m, %s … }
->
    func.func private @matmul_rescale(%a, %b, %multiplier) { … graph.rescale %y, %multiplier, %s … }

With `zero_points=apart` (`--weights pack`) kernels are merged only where their zero points are limits of a type, as
behind a ReLU. Others may be equal in one model and differ in a retrained one, whose code has to be the same.

Declined for functions that are not kernels; constants remain in kernels without a sum of products, where passing them
costs more than sharing saves.
"""

from collections import defaultdict
from collections.abc import Hashable

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import is_kernel
from s2s.dialects import graph
from s2s.dialects.graph.traits import DESCRIPTIVE
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_weight
from s2s.support.frozen import frozen
from s2s.types.dtypes import from_dense
from s2s.types.hints import isa
from s2s.types.weights import WeightStore

ZERO_POINTS = ("input_zp", "output_zp", "weight_zp", "a_zp", "b_zp")
"""Properties of operators that hold a zero point."""
LIMITS = (-128, 0, 127)
"""Zero points that follow from the kind of an activation: the limits of bytes, and 0 for symmetric numbers."""


@frozen
class ShareKernelsPass(ModulePass):
    """Keep the first of each set of equal kernels."""

    name = "graph-share-kernels"

    zero_points: str = "equal"
    """`equal`: kernels with equal zero points are merged; `apart`: only if these are limits."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _pass_factors(op, weights_of(ctx))
        first: dict[Hashable, FuncOp] = {}
        kept: dict[str, FuncOp] = {}
        for function in list(op.body.block.ops):
            if isinstance(function, FuncOp) and is_kernel(function):
                if self.zero_points == "apart" and _has_free_zero_point(function):
                    continue
                original = first.setdefault(_structure(function), function)
                if original is not function:
                    kept[function.sym_name.data] = original
                    Rewriter.erase_op(function)
        references = {kernel: SymbolRefAttr(kernel.sym_name) for kernel in dict.fromkeys(kept.values())}
        for name, calls in calls_of(op).items():
            if name in kept:
                for call in calls:
                    call.callee = references[kept[name]]


def _pass_factors(module: ModuleOp, weights: WeightStore) -> None:
    """Turn the multipliers and shifts into arguments where kernels differ in nothing else."""
    alike: dict[Hashable, list[FuncOp]] = defaultdict(list)
    for function in module.body.block.ops:
        if not isinstance(function, FuncOp) or not is_kernel(function):
            continue
        if _factors(function) and _sums_products(function):
            alike[_structure(function, blind=True)].append(function)
    calls = calls_of(module)
    for kernels in alike.values():
        rows = [_factors(kernel) for kernel in kernels]
        differing = [
            place for place, column in enumerate(zip(*rows, strict=True)) if len({op.value for op in column}) > 1
        ]
        for kernel, row in zip(kernels, rows, strict=True):
            for place in differing:
                _pass_factor(kernel, row[place], calls[kernel.sym_name.data], weights)


def _has_free_zero_point(kernel: FuncOp) -> bool:
    """Return whether a zero point of the kernel may be another one in a retrained model."""
    points = [op.properties.get(name) for op in kernel.body.block.ops for name in ZERO_POINTS]
    return any(isa(point, IntegerAttr) and point.value.data not in LIMITS for point in points)


def _sums_products(kernel: FuncOp) -> bool:
    return any(isinstance(op, graph.LayerOp) for op in kernel.body.block.ops)


def _factors(kernel: FuncOp) -> list[graph.ConstantOp]:
    """The constants that are only used as multipliers or shifts, in order."""
    return [op for op in kernel.body.block.ops if isinstance(op, graph.ConstantOp) and _is_factor(op)]


def _is_factor(op: graph.ConstantOp) -> bool:
    return all(isinstance(use.operation, graph.RescaleOp) and use.index > 0 for use in op.y.uses)


def _pass_factor(kernel: FuncOp, factor: graph.ConstantOp, calls: list[graph.CallOp], weights: WeightStore) -> None:
    """Make `factor` the last argument of `kernel`, and pass it in every call."""
    use = next(iter(factor.y.uses))
    body = kernel.body.block
    argument = body.insert_arg(factor.y.type, len(body.args))
    argument.name_hint = "multiplier" if use.index == 1 else "shift"
    value = from_dense(factor.value)
    factor.y.replace_all_uses_with(argument)
    Rewriter.erase_op(factor)
    inputs, outputs = kernel.function_type.inputs.data, kernel.function_type.outputs.data
    kernel.function_type = FunctionType.from_lists([*inputs, argument.type], outputs)
    for number, call in enumerate(calls):
        weight = new_weight(value, name_for(call, argument.name_hint), weights)
        weight.y.name_hint = name if SSAValue.is_valid_name(name := weight.weight_name.data) else None
        made = graph.CallOp(kernel.sym_name.data, [*call.operands, weight.y], call.result_types)
        made.attributes |= call.attributes
        for old, new in zip(call.results, made.results, strict=True):
            new.name_hint = old.name_hint
        Rewriter.replace_op(call, [weight, made], made.results)
        calls[number] = made


def _structure(kernel: FuncOp, *, blind: bool = False) -> Hashable:
    """A key that is equal for equal kernels: values are numbered in order; `blind` ignores the values of factors."""
    numbers: dict[SSAValue, int] = {argument: at for at, argument in enumerate(kernel.body.block.args)}
    ops: list[Hashable] = []
    for op in kernel.body.block.ops:
        attributes = frozenset((name, value) for name, value in op.attributes.items() if name not in DESCRIPTIVE)
        operands = tuple(numbers[operand] for operand in op.operands)
        hidden = blind and isinstance(op, graph.ConstantOp) and _is_factor(op)
        properties = frozenset(() if hidden else op.properties.items())
        ops.append((op.name, operands, properties, attributes, tuple(op.result_types)))
        for result in op.results:
            numbers[result] = len(numbers)
    attributes = frozenset(kernel.attributes.items())
    return (kernel.function_type, attributes, tuple(ops))
