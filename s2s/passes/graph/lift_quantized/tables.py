"""Replace a function of one 8-bit tensor by a look-up table.

    %r = graph.sigmoid %x_real            (or any elementwise operations, as long as %x is the only thing they read)
    %y = cast(clamp(round(%r / y_scale) + y_zp))
->
    %y = graph.table %x, %values

The 256 entries are what these operations compute for each value of %x.
"""

from typing import NamedTuple

import numpy as np
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.numbers.quantised_values import rounded
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.interpret.graph import can_evaluate, evaluate
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern
from s2s.types.dtypes import Array, as_tensor_type, is_integer, size_in_bytes, tensor_type, to_numpy
from s2s.types.weights import WeightStore

MAX_OPERATIONS = 64
ENTRIES = 256


class FunctionOfBytes(NamedTuple):
    """Elementwise operations from an 8-bit tensor to its quantised result."""

    store: WeightStore
    root: Operation
    argument: SSAValue
    operations: tuple[Operation, ...]
    """The operations in dataflow order."""

    def values(self) -> Array:
        """Evaluate the function for all values of the argument, from the lowest."""
        dtype = to_numpy(as_tensor_type(self.argument.type).element_type)
        limits = np.iinfo(dtype)
        known: dict[SSAValue, Array] = {self.argument: np.arange(limits.min, limits.max + 1, dtype=dtype)}
        for op in self.operations:
            operands = [known[value] if value in known else self._constant(value) for value in op.operands]
            known[op.results[0]] = _computed(op, operands)
        return known[self.root.results[0]]

    def _constant(self, value: SSAValue) -> Array:
        found = known_value(value, self.store)
        assert found is not None
        return found.reshape(())


def _computed(op: Operation, operands: list[Array]) -> Array:
    """Evaluate `op` on other operands than its own."""
    elements = [as_tensor_type(operand.type).element_type for operand in op.operands]
    types = [tensor_type(element, array.shape) for element, array in zip(elements, operands, strict=True)]
    made = type(op).create(
        operands=Block(arg_types=types).args,
        result_types=[tensor_type(as_tensor_type(op.results[0].type).element_type, (ENTRIES,))],
        properties=dict(op.properties),
    )
    return evaluate(made, operands)[0]


def function_of_bytes(root: Operation, store: WeightStore) -> FunctionOfBytes | None:
    """The function of one 8-bit tensor and scalars that `root` computes; None if it reads anything else."""
    shape = as_tensor_type(root.results[0].type).get_shape()
    found: dict[Operation, None] = {}
    arguments: dict[SSAValue, None] = {}
    pending: list[tuple[Operation, bool]] = [(root, False)]
    while pending:
        op, is_ready = pending.pop()
        if is_ready or op in found:
            found.setdefault(op)
            continue
        if len(found) + len(pending) > MAX_OPERATIONS or not _is_elementwise(op, shape):
            return None
        pending.append((op, True))
        for operand in op.operands:
            if _is_byte(operand, shape):
                arguments.setdefault(operand)
            elif isinstance(operand.owner, Block):
                return None
            elif not _is_number(operand, store):
                pending.append((operand.owner, False))
    if len(arguments) != 1:
        return None
    return FunctionOfBytes(store, root, next(iter(arguments)), tuple(found))


def _is_elementwise(op: Operation, shape: tuple[int, ...]) -> bool:
    """Whether `op` computes each element of its result, of that shape, from the same elements of its operands; a
    constant of that shape, which may be another at each element, does not."""
    same = len(op.operands) > 0 and len(op.results) == 1 and as_tensor_type(op.results[0].type).get_shape() == shape
    return same and can_evaluate(op) and fusion_kind(op) <= FusionKind.BROADCAST


def _is_byte(value: SSAValue, shape: tuple[int, ...]) -> bool:
    kind = as_tensor_type(value.type)
    return kind.get_shape() == shape and is_integer(kind.element_type) and size_in_bytes(kind.element_type) == 1


def _is_number(value: SSAValue, store: WeightStore) -> bool:
    known = known_value(value, store)
    return known is not None and known.size == 1


class QuantisedFunction(WeightPattern):
    """`cast(clamp(round(f(x)) + zero_point))` with an 8-bit `x`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        target = rounded(op, self.store)
        function = None if target is None else function_of_bytes(op, self.store)
        if target is None or function is None or size_in_bytes(target.element) != 1:
            return
        values, argument = function.values(), function.argument
        limits = np.iinfo(values.dtype)
        same = argument.type == op.y.type and np.array_equal(values, np.arange(limits.min, limits.max + 1))
        if same:
            rewriter.replace(op, [], [argument])
            return
        maker = Maker.of(rewriter, self.store, *function.operations)
        rewriter.replace(op, [], [maker(graph.TableOp(argument, maker.constant(values, "table")))])
