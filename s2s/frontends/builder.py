"""Values during an import, and the builder that turns formulas over them into graph operations.

A value is a constant, whose array is known, or is computed by the network. Operations on constants alone are not
built but evaluated, by the same numpy meaning that the graph interpreter uses; so shape arithmetic melts away while
the model is read, and importers see plain arrays where a format wants constant operands. A constant enters the IR when
an operation of the network reads it first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, count
from typing import Self, TypeAlias, cast

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from s2s.dialects import graph
from s2s.dialects.graph.traits import layer_of, set_provenance
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.arithmetic import Arithmetic, Scalar, map_operands
from s2s.frontends.names import name_hint
from s2s.interpret.graph import can_evaluate, evaluate
from s2s.interpret.graph.work import MAX_FOLDED_WORK, Meter, is_foldable
from s2s.types.dtypes import (
    AnyTensor,
    Array,
    as_tensor_type,
    from_numpy,
    is_bool,
    is_float,
    tensor_type,
    to_numpy,
    type_of_array,
)
from s2s.types.narrow import NARROW, Narrow, Quantised, carried
from s2s.types.size import Ledger, Size, all_plain, at_greatest, greatest, is_empty, is_size
from s2s.types.sizes import DimSize
from s2s.types.weights import WeightStore, owned

Operand: TypeAlias = "Value | Sequence[Value] | None"


class SizeInsideError(UnsupportedError):
    """A network that another one runs has a result whose size depends on the data."""


class Value(Arithmetic):
    """A tensor of the model. Arithmetic on values builds operations; plain numbers take the value's element type."""

    def __init__(
        self,
        builder: Builder,
        type: AnyTensor,
        name: str,
        array: Array | None,
        ssa: SSAValue | None,
        kept: bool = False,
    ) -> None:
        self.builder = builder
        self.type = type
        self.name = name
        self.stored = array
        """The elements of a constant at the greatest sizes."""
        self.ssa = ssa
        self.kept = kept
        """Whether operations on this constant are built although their results are known."""
        self.narrow: Narrow | None = None
        """The type of the model whose carriers the elements are, where no C type holds it."""
        self.quantised: Quantised | None = None
        """The small integers that a constant of the model is dequantised from."""
        self.texts: tuple[str, ...] | None = None
        """The texts that the elements number, where the model has texts."""

    @property
    def array(self) -> Array | None:
        """The elements of a constant that has the same ones in every run; of one that holds sizes, integers and
        `Size`. None for a table of which a run reads as much as sizes say."""
        return self.stored if self.stored is None or all_plain(self.shape) else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each dimension."""
        return self.type.get_shape()

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return self.type.get_num_dims()

    @property
    def element(self) -> Attribute:
        """Element type in the IR."""
        return self.type.element_type

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Element type in numpy."""
        return to_numpy(self.type.element_type)

    @property
    def model_dtype(self) -> np.dtype[np.generic]:
        """Element type of the model in numpy."""
        if self.texts is not None:
            return np.dtype(np.str_)
        return self.dtype if self.narrow is None else self.narrow.dtype

    @property
    def is_symbolic(self) -> bool:
        """Whether this is a constant that holds sizes, or of which a run reads as much as sizes say."""
        return self.stored is not None and (self.stored.dtype == object or not all_plain(self.shape))

    @property
    def is_float(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return is_float(self.element)

    @property
    def is_bool(self) -> bool:
        """Whether the elements are truth values."""
        return is_bool(self.element)

    def call(self, name: str) -> None:
        """Give the value its name in the model, unless it has one."""
        if not self.name and name:
            self.name = name
            if self.ssa is not None:
                self.ssa.name_hint = name_hint(name)

    def like(self, number: Scalar) -> Value:
        """`number` as a tensor of rank 0 with this value's element type."""
        return self.builder.scalar(number, self.element)

    def _combined(self, operation: type[Operation], *operands: object) -> Self:
        values = [each if isinstance(each, Value) else self.like(cast("Scalar", each)) for each in operands]
        return cast("Self", emit(operation, *values))


def emit(
    operation: Callable[..., Operation], first: Value | Sequence[Value], *others: Operand, **properties: object
) -> Value:
    """The result of `operation` on the operands; `None` stands for an optional operand that is left out."""
    builder = first.builder if isinstance(first, Value) else first[0].builder
    return builder.emit(operation, first, *others, **properties)


class Builder:
    """Appends operations to a block, with the provenance of the imported node; `ledger` has the symbols of sizes."""

    def __init__(
        self,
        block: Block,
        weights: WeightStore,
        functions: list[FuncOp] | None = None,
        folding: Meter | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.block = block
        self.weights = weights
        self.functions: list[FuncOp] = [] if functions is None else functions
        """The networks that the one in `block` runs, and the networks that they run."""
        self.folding = Meter(MAX_FOLDED_WORK) if folding is None else folding
        """The work of computing constants, in this network and in the networks that it runs."""
        self.node = ""
        self.ledger = Ledger() if ledger is None else ledger
        self.is_inner = False
        """Whether the network is one that another one runs."""
        self.counts: dict[SSAValue, range] = {}
        """The values that number the steps of a loop, and the numbers that they take."""
        self.taken: Value | None = None
        """Whether a run takes the branch that is being imported in place; its operations run in any case."""
        self.selections: list[tuple[SSAValue, int, Value]] = []
        """The masks by which elements are selected, the most elements that each selects, and their places."""
        self.probed_room: int | None = None
        """By how much results whose size depends on the data are longer than they need be, in a network that is built
        for the shapes of its results only."""

    def asked_size(self) -> DimSize | None:
        """Return what the user wants of the size that the node computes."""
        return self.ledger.asked.get(self.size_name)

    @property
    def size_name(self) -> str:
        """The name of a size that the node computes, if no other has it."""
        return name_hint(self.node) or "found"

    def new_size(self, most: int, least: int = 0) -> tuple[str, int]:
        """Return the name of a new size that the network computes, and the size, from `least` to `most`."""
        if self.is_inner:
            raise SizeInsideError(
                f"{self.node}: the size of its result depends on the data inside of a loop or a branch; compute it "
                "outside of that"
            )
        plain = self.size_name
        names = chain([plain], (f"{plain}_{n}" for n in count(2)))
        name = next(name for name in names if name not in (*self.ledger.names, *self.ledger.found))
        return name, self.ledger.computed(name, most, least)

    @property
    def varies(self) -> bool:
        """Whether sizes of inputs or results vary from run to run: then `sizes` gives them as numbers of the run."""
        return bool(self.ledger.names) or self.probed_room is not None

    @property
    def computes_sizes(self) -> bool:
        """Whether sizes of the network depend on the data."""
        return bool(self.ledger.found) or self.probed_room is not None

    def inner(self, block: Block) -> Builder:
        """Return a builder for a network that this one runs."""
        builder = Builder(block, self.weights, self.functions, self.folding, self.ledger)
        builder.node = self.node
        builder.is_inner = True
        builder.probed_room = self.probed_room
        return builder

    def function_name(self, wish: str) -> str:
        """Return an unused function name like `wish`."""
        taken = {"main", *(function.sym_name.data for function in self.functions)}
        plain = name_hint(wish) or "network"
        return next(name for name in chain([plain], (f"{plain}_{n}" for n in count(2))) if name not in taken)

    def append(self, op: Operation) -> list[Value]:
        """Append an operation that is never evaluated; return all results."""
        set_provenance(op, [self.node])
        self.block.add_op(op)
        return [self.computed(result) for result in op.results]

    def constant(self, array: Array, name: str = "") -> Value:
        """Return a known value, which stays as it is when the caller writes to `array`."""
        narrow = NARROW.get(array.dtype)
        plain = owned(array if narrow is None else carried(array))
        value = Value(self, type_of_array(plain), name, plain, None)
        value.narrow = narrow
        return value

    def size_constant(self, numbers: int | Sequence[int] | Array, dtype: np.dtype[np.generic]) -> Value:
        """Return a constant that follows from sizes of axes: integers and sizes."""
        array = np.array(numbers, object)
        if not is_size(array.reshape(-1).tolist()):
            return self.constant(array.astype(dtype))
        return Value(self, tensor_type(from_numpy(dtype), array.shape), "", array, None)

    def table(self, array: Array, shape: Sequence[int]) -> Value:
        """Return a constant of which each run reads the first elements along the axes of `shape` that are sizes."""
        value = self.constant(array)
        value.type = tensor_type(value.element, tuple(shape))
        return value

    def scalar(self, number: Scalar, element: Attribute) -> Value:
        """A number of the given element type and rank 0; a size is one of the run."""
        if isinstance(number, Size):
            return self.sizes(number, to_numpy(element))
        with np.errstate(all="ignore"):
            return self.constant(np.asarray(number).astype(to_numpy(element)))

    def sizes(self, numbers: int | Sequence[int] | Array, dtype: np.dtype[np.generic]) -> Value:
        """Return what follows from sizes of axes: numbers that are constant unless these vary from run to run."""
        array = np.asarray(numbers, object)
        values: list[int] = array.reshape(-1).tolist()
        if not is_size(values):
            return self.constant(array.astype(dtype))
        op = graph.SizeValuesOp(from_numpy(dtype), array.shape, values=at_greatest(values), names=("",) * len(values))
        self.ledger.stated[op] = {"values": values}
        return self.append(op)[0]

    def computed(self, ssa: SSAValue, name: str = "") -> Value:
        """Return a value of the network: an argument of its function, or the result of an operation."""
        ssa.name_hint = name_hint(name or self.node)
        return Value(self, as_tensor_type(ssa.type), name, None, ssa)

    def filled(self, number: object, shape: Sequence[int], dtype: np.dtype[np.generic]) -> Value:
        """Return a constant of one number, which takes no room until it is written."""
        return self.table(np.broadcast_to(np.asarray(number).astype(dtype), tuple(greatest(shape))), shape)

    def counted(self, count: int, dtype: np.dtype[np.generic]) -> Value:
        """Return the numbers from 0 up to below `count`."""
        return self.table(np.arange(*greatest([count]), dtype=dtype), [count])

    def keep(self, value: Value) -> Value:
        """Return `value`; if it is a constant with elements, mark it so that operations on it stay in the IR, as for
        quantised weights."""
        if value.stored is None or is_empty(value.shape):
            return value
        return Value(self, value.type, value.name, value.stored, self.materialize(value), kept=True)

    def stand_in(self, type: AnyTensor) -> Value:
        """Return a value of `type` without a producer, to continue behind a node that could not be imported."""
        return self.computed(Block(arg_types=[type]).args[0], "unsupported")

    def emit(self, operation: Callable[..., Operation], *operands: Operand, **properties: object) -> Value:
        """Evaluate `operation` when all its operands are known and the result is of moderate size, else append it."""
        given = [operand for operand in operands if operand is not None]
        values = [value for operand in given for value in ([operand] if isinstance(operand, Value) else operand)]
        known = [value.array for value in values if value.array is not None]
        if self.varies and (is_size(list(properties.values())) or any(value.is_symbolic for value in values)):
            return self._emit_symbolic(operation, operands, **properties)
        array: Array | None = None
        if len(known) == len(values):
            op = operation(*map_operands(operands, _placeholder), **properties)
            if self._may_fold(op):
                with np.errstate(all="ignore"):
                    array = evaluate(op, known)[0]
        if array is not None and not any(value.kept for value in values):
            return self.constant(array)
        if any(is_empty(value.shape) for value in values):  # what holds nothing is known
            type = as_tensor_type(operation(*map_operands(operands, _placeholder), **properties).results[0].type)
            if is_empty(type.get_shape()):
                return self.filled(0, type.get_shape(), to_numpy(type.element_type))
        op = operation(*map_operands(operands, self.materialize), **properties)
        type = as_tensor_type(op.results[0].type)
        if is_empty(type.get_shape()):
            op.erase()
            return self.filled(0, type.get_shape(), to_numpy(type.element_type))
        set_provenance(op, [self.node])
        self.block.add_op(op)
        made = self.computed(op.results[0])
        made.stored, made.kept = array, array is not None
        return made

    def _may_fold(self, op: Operation) -> bool:
        return isinstance(op, graph.ViewInterface) or (can_evaluate(op) and is_foldable(op) and self.folding.take(op))

    def _emit_symbolic(
        self, operation: Callable[..., Operation], operands: Sequence[Operand], **properties: object
    ) -> Value:
        """Evaluate an operation on sizes if its result is exact at all sizes, else append it."""
        from s2s.frontends.symbolic_emission import folded, symbolic_operation

        types = map_operands(operands, lambda value: value.type)
        arrays = map_operands(operands, lambda value: None if value.kept else value.stored)
        result = folded(operation, types, properties, arrays, self._may_fold)
        if result is None:
            values = map_operands(operands, self.materialize)
            return self.append(symbolic_operation(operation, values, properties, types, self.ledger))[0]
        if result.array.dtype == object:
            return self.size_constant(result.array, to_numpy(result.type.element_type))
        return self.table(result.array, result.type.get_shape())

    def emit_all(self, operation: Callable[..., Operation], *operands: Operand, **properties: object) -> list[Value]:
        """Append `operation`, which is not evaluated, and return all its results."""
        return self.append(operation(*map_operands(operands, self.materialize), **properties))

    def materialize(self, value: Value) -> SSAValue:
        """The SSA value of `value`; a constant is put into the IR, and its array into the weight store."""
        if value.ssa is None:
            if is_empty(value.shape):
                raise InputError(
                    f"{value.name or self.node}: has shape {list(value.shape)}, which holds no element; remove its use"
                )
            name = value.name or self.node
            if value.stored is not None and value.stored.dtype == object:
                from s2s.frontends.size_constants import numbers_of_run

                value.ssa = self.materialize(numbers_of_run(self, value.stored, value.dtype))
                value.ssa.name_hint = name_hint(name)
                return value.ssa
            op = self._constant_op(name, value)
            if not all_plain(value.shape):
                Rewriter.replace_value_with_new_type(op.results[0], value.type)
            set_provenance(op, [self.node])
            self.block.add_op(op)
            value.ssa = op.results[0]
            value.ssa.name_hint = name_hint(name)
        return value.ssa

    def _constant_op(self, name: str, value: Value) -> Operation:
        array = value.stored
        assert array is not None
        if array.size == 1:
            return graph.ConstantOp(array)
        stored = self.weights.add(layer_of(name), array)
        return graph.WeightOp(stored, type_of_array(array), self.weights.hash(stored))


def _placeholder(value: Value) -> SSAValue:
    """Return an argument of the type of `value`, to build an operation that stays outside of the network."""
    return Block(arg_types=[value.type]).args[0]
