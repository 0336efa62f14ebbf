"""A model under construction: values to choose operands from, each with the numbers it has.

Every node is evaluated as it is added. So its shape and type are known without inferring them, operands can be kept in
the domain of an operator, and a node whose result is not finite is given up before anything is built on it.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.errors import EndsEarly, InputError
from s2s.fuzz.arrays import (
    ALL,
    BOOL,
    FLOAT32,
    MAX_ELEMENTS,
    MAX_RANK,
    DType,
    broadcast_size,
    draw_array,
    draw_shape,
    draw_size,
    is_floating,
)
from s2s.fuzz.engines import IR_VERSION
from s2s.fuzz.merge import names_read
from s2s.fuzz.older import check_types, in_opset
from s2s.fuzz.oracle import evaluate_node
from s2s.fuzz.spread import Spread
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

LARGEST = {2: 1e3, 4: 1e6, 8: 1e9}
"""The largest size of a float, by bytes, so that nothing built on it overflows."""


Attributes = dict[str, Any]
"""Attributes of a node, by name."""


class Rejected(EndsEarly):
    """What was drawn makes no valid node, or one whose result is not determined."""


@frozen(eq=False)
class Value:
    """A value of the network, and the numbers it has."""

    name: str
    spread: Spread
    constant: bool = False
    """Whether it is an initializer."""

    @property
    def array(self) -> Array:
        """Its numbers."""
        return self.spread.clean

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return self.array.shape

    @property
    def dtype(self) -> DType:
        """Its element type."""
        return self.array.dtype

    def lies_in(self, low: float | None, high: float | None) -> bool:
        """Return whether all numbers lie between the bounds, however they were rounded."""
        return all(
            (low is None or bool((entry >= low).all())) and (high is None or bool((entry <= high).all()))
            for entry in self.spread.runs()
        )


Wanted = Callable[[Value], bool]


class Network:
    """A model to which nodes are added."""

    def __init__(self, random: Random, opset: int, prefix: str) -> None:
        self.random = random
        self.opset = opset
        self.values: list[Value] = []
        self._nodes: list[onnx.NodeProto] = []
        self._inputs: list[Value] = []
        self._constants: list[Value] = []
        self._results: list[Value] = []
        self._prefix = prefix
        self._count = 0
        self._types: tuple[DType, ...] | None = ALL

    # ---------------------------------------------------------------- choices

    def chance(self, probability: float) -> bool:
        """Return true with a probability."""
        return self.random.random() < probability

    def dtype(self, op: str, position: int = 0, among: Sequence[DType] = ALL) -> DType:
        """An element type that input `position` of an operator may have, float32 the most often."""
        allowed = [entry for entry in allowed_types(op, self.opset, position) if entry in among]
        if not allowed:
            raise Rejected(f"{op} takes none of these types")
        if FLOAT32 in allowed and self.chance(0.5):
            return FLOAT32
        present = [value.dtype for value in self.values if value.dtype in allowed]
        return self.random.choice(present if present and self.chance(0.5) else allowed)

    def existing(self, dtype: DType, wanted: Wanted = lambda _: True) -> Value | None:
        """A value of a type that is there already, a late one the most often; None if there is none."""
        found = [value for value in self.values if value.dtype == dtype and wanted(value)]
        if not found:
            return None
        return found[-1 - min(int(self.random.expovariate(0.5)), len(found) - 1)]

    def operand(
        self,
        dtype: DType,
        shape: Sequence[int] | None = None,
        wanted: Wanted = lambda _: True,
        low: float | None = None,
        high: float | None = None,
    ) -> Value:
        """A value that is there already, or a new one of `shape`."""
        if self.chance(0.85):
            value = self.existing(dtype, lambda entry: wanted(entry) and (shape is None or entry.shape == tuple(shape)))
            if value is not None:
                return self.clipped(value, low, high)
        value = self.fresh(dtype, draw_shape(self.random) if shape is None else shape, low, high)
        if not wanted(value):
            raise Rejected("the new value is not as wanted")
        return value

    def of_rank(self, dtype: DType, least: int, most: int = MAX_RANK, *, empty: bool = False) -> Value:
        """A value of some rank, if need be an existing one reshaped."""

        def fits(value: Value) -> bool:
            return least <= len(value.shape) <= most and (empty or 0 not in value.shape)

        value = self.existing(dtype, fits)
        if value is not None and self.chance(0.7):
            return value
        rank = self.random.randint(least, most)
        other = self.existing(dtype, lambda entry: empty or 0 not in entry.shape)
        if other is not None and self.chance(0.6):
            return self.reshaped(other, factored(self.random, other.array.size, rank))
        return self.fresh(dtype, draw_shape(self.random, rank, empty=empty))

    def axis(self, value: Value) -> int:
        """A dimension of a value, counted from either end."""
        rank = len(value.shape)
        if rank == 0:
            raise Rejected("a scalar has no dimension")
        return self.random.randrange(-rank, rank)

    def axes(self, value: Value) -> list[int]:
        """Some dimensions of a value, in any order, counted from either end."""
        rank = len(value.shape)
        chosen = self.random.sample(range(rank), self.random.randint(0, rank))
        return [axis - rank if self.chance(0.3) else axis for axis in chosen]

    # ----------------------------------------------------------------- values

    def fresh(self, dtype: DType, shape: Sequence[int], low: float | None = None, high: float | None = None) -> Value:
        """A new input of the network, or a new constant."""
        array = draw_array(self.random, dtype, shape, low, high)
        return self.constant(array) if self.chance(0.4) else self.input(array)

    def input(self, array: Array) -> Value:
        """A new input of the network."""
        value = Value(self.name("x"), Spread(array))
        self._inputs.append(value)
        self.values.append(value)
        return value

    def constant(self, array: Array) -> Value:
        """A new constant, from which no other node draws operands."""
        value = Value(self.name("c"), Spread(np.asarray(array)), constant=True)
        self._constants.append(value)
        return value

    def known(self, values: Any, dtype: Any = np.int64) -> Value:
        """A list of numbers as a constant, such as axes."""
        return self.constant(np.asarray(values, dtype))

    def either(self, array: Array) -> Value:
        """An array as a constant or as an input."""
        return self.constant(array) if self.chance(0.6) else self.input(array)

    def clipped(self, value: Value, low: float | None, high: float | None) -> Value:
        """A value whose numbers lie between bounds; clipped if they do not yet."""
        if value.lies_in(low, high):
            return value
        bounds = [
            None if entry is None else self.constant(np.asarray(_bound(entry, value.dtype), value.dtype))
            for entry in (low, high)
        ]
        [found] = self.node("Clip", [value, *bounds])
        return found

    def reshaped(self, value: Value, shape: Sequence[int]) -> Value:
        """A value in another shape."""
        if value.shape == tuple(shape):
            return value
        [found] = self.node("Reshape", [value, self.known(list(shape))], allowzero=int(0 in shape))
        return found

    def broadcastable(self, value: Value, low: float | None = None, high: float | None = None) -> Value:
        """A second operand: of the same type, and of a shape that broadcasts with the shape of `value`."""

        def fits(other: Value) -> bool:
            return broadcast_size(value.shape, other.shape) is not None

        if self.chance(0.6):
            other = self.existing(value.dtype, fits)
            if other is not None:
                return self.clipped(other, low, high)
        shape = [1 if self.chance(0.25) else size for size in value.shape]
        shape = [draw_size(self.random) if size == 1 and self.chance(0.15) else size for size in shape]
        shape = shape[self.random.randint(0, len(shape)) if self.chance(0.3) else 0 :]
        if broadcast_size(value.shape, shape) is None:
            raise Rejected("the broadcast result is large")
        return self.fresh(value.dtype, shape, low, high)

    # ------------------------------------------------------------------ nodes

    def node(
        self,
        op: str,
        operands: Sequence[Value | None],
        outputs: int = 1,
        *,
        domain: str = "",
        special: bool = False,
        captured: Sequence[Value] = (),
        **attributes: Any,
    ) -> list[Value]:
        """Add a node and return its outputs.

        `special` says that NaN and infinity are well in them; `captured` are values that its subgraphs read.
        """
        known = {value.name: value.spread for value in (*operands, *captured) if value is not None}
        arrays = [None if value is None else value.array for value in operands]
        results = [self.name("v") for _ in range(outputs)]
        try:
            if not domain:
                constant = [value is not None and value.constant for value in operands]
                count, attributes = in_opset(op, self.opset, arrays, constant, attributes)
                operands = operands[:count]
            names = ["" if value is None else value.name for value in operands]
            while names and not names[-1]:
                names.pop()
            node = helper.make_node(op, names, results, name=self.name("n"), domain=domain, **attributes)
            found = evaluate_node(node, {"": self.opset, **({domain: 1} if domain else {})}, known)
            if not domain:
                check_types(op, self.opset, arrays[: len(names)], [found[name].clean for name in results])
        except InputError as error:
            raise Rejected(str(error)) from error
        made = [Value(name, found[name]) for name in results]
        for value in made:
            _check(value, self._types, special=special)
        self._nodes.append(node)
        self.values += made
        self._results += made
        return made

    def name(self, kind: str) -> str:
        """A name that nothing has yet."""
        self._count += 1
        return f"{self._prefix}{kind}{self._count}"

    @contextmanager
    def any_type(self) -> Generator[None]:
        """Let results have types of which no other node draws operands."""
        self._types, kept = None, self._types
        try:
            yield
        finally:
            self._types = kept

    # ------------------------------------------------------------------ whole

    def attempt(self, draw: Callable[["Network"], object]) -> None:
        """Run `draw`; if it is rejected, nothing of it stays."""
        lists: tuple[list[Any], ...] = (self.values, self._nodes, self._inputs, self._constants, self._results)
        lengths = [len(entry) for entry in lists]
        try:
            draw(self)
        except Rejected:
            for entry, length in zip(lists, lengths, strict=True):
                del entry[length:]
            raise

    def composed(self, draw: Callable[["Network"], Value]) -> None:
        """Run `draw`, which adds several nodes; later nodes and outputs take the value that it returns only.

        A value in between that has another reader keeps the compiler from taking the nodes for one thing.
        """
        first = len(self._results)
        kept = draw(self)
        inner = {id(value) for value in self._results[first:] if value is not kept}
        self.values[:] = [value for value in self.values if id(value) not in inner]
        self._results[first:] = [kept]

    def model(self) -> onnx.ModelProto:
        """The model: its outputs are the values that no node reads, and some that one does."""
        read = {name for node in self._nodes for name in names_read([node])}
        outputs = [value for value in self._results if value.name not in read or self.chance(0.1)]
        graph = helper.make_graph(
            self._nodes,
            "fuzz",
            [_info(value) for value in self._inputs if value.name in read],
            [_info(value) for value in outputs],
            [numpy_helper.from_array(value.array, value.name) for value in self._constants if value.name in read],
        )
        domains = {node.domain for node in self._nodes} - {""}
        opsets = [helper.make_opsetid("", self.opset), *(helper.make_opsetid(entry, 1) for entry in sorted(domains))]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def inputs(self) -> dict[str, Array]:
        """The numbers of the inputs."""
        return {value.name: value.array for value in self._inputs}

    def spreads(self) -> dict[str, Spread]:
        """What every value of the network should be."""
        return {value.name: value.spread for value in self._results}

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self._nodes)


def _bound(bound: float, dtype: DType) -> float:
    """A bound as a number of a type: integers have none between 0 and 1, and unsigned ones none below 0."""
    if is_floating(dtype):
        return bound
    limits = np.iinfo(dtype)
    return min(max(int(np.ceil(bound)), int(limits.min)), int(limits.max))


def _info(value: Value) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)


def _check(value: Value, types: Sequence[DType] | None, *, special: bool) -> None:
    if types is not None and value.dtype not in types:
        raise Rejected(f"results of type {value.dtype} are not drawn")
    if value.array.size > MAX_ELEMENTS or len(value.shape) > MAX_RANK:
        raise Rejected("the result is large")
    if special or value.dtype not in ALL or not is_floating(value.dtype):
        return
    for entry in value.spread.runs():
        wide = np.abs(entry.astype(np.float64))
        if not bool((wide <= LARGEST[value.dtype.itemsize]).all()):
            raise Rejected("the result is not finite, or is large")


def factored(random: Random, size: int, rank: int) -> list[int]:
    """A shape of `rank` dimensions with `size` elements."""
    if size == 0:
        shape = [random.choice((0, 1, 2, 3)) for _ in range(rank)]
        if rank:
            shape[random.randrange(rank)] = 0
        return shape
    shape = [1] * rank
    if not rank and size != 1:
        raise Rejected("a scalar has one element")
    divisor = 2
    while size > 1:
        if divisor * divisor > size:
            divisor = size
        if size % divisor:
            divisor += 1
            continue
        shape[random.randrange(rank)] *= divisor
        size //= divisor
    return shape


@cache
def allowed_types(op: str, opset: int, position: int) -> tuple[DType, ...]:
    """The element types that an operator takes as one of its inputs."""
    if not onnx.defs.has(op, opset, ""):
        raise Rejected(f"opset {opset} has no {op}")
    schema = onnx.defs.get_schema(op, opset, "")
    parameter = schema.inputs[min(position, len(schema.inputs) - 1)]
    return tuple(entry for entry in ALL if f"tensor({_type_name(entry)})" in parameter.types)


def _type_name(dtype: DType) -> str:
    return {BOOL: "bool", FLOAT32: "float", np.dtype(np.float64): "double"}.get(dtype, dtype.name)
