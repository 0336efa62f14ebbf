"""The view that an importer has of an operator: operands are tensors, options are typed, errors name the place."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import checked_shape
from s2s.frontends.tflite.records import ModelInfo, OperatorInfo, Subgraph, TensorInfo
from s2s.frontends.tflite.schema import DTYPES, default_options, options_class
from s2s.frontends.tflite.tensors import Tensor
from s2s.frontends.tflite.variables import Key, Variables, own_key, tensor_key
from s2s.interpret.graph.work import MAX_FOLDED_ELEMENTS
from s2s.types.dtypes import Array
from s2s.types.size import integer_of

Rounding = Literal["micro", "reference"]


class Session(ABC):
    """The context of one import: builder, values of variables, and the other graphs of the model."""

    def __init__(self, builder: Builder, model: ModelInfo, rounding: Rounding) -> None:
        self.builder = builder
        self.model = model
        self.rounding: Rounding = rounding
        self.variables = Variables(builder)
        self.variables.held[builder] = {}
        self.handles: list[Key] = []
        """The variables that resource tensors may stand for: such a tensor holds a number in this list."""
        self.initialising = False
        """Whether the graph at work sets what variables begin with."""

    def handle(self, key: Key) -> int:
        """The number that stands for a resource variable."""
        if key not in self.handles:
            self.handles.append(key)
        return self.handles.index(key)

    @abstractmethod
    def subgraph(self, index: int, node: "Node") -> Subgraph:
        """The graph with this index, for `node`."""

    @abstractmethod
    def run_subgraph(
        self, graph: Subgraph, values: Sequence[Value], node: "Node", builder: Builder | None = None
    ) -> list[Tensor]:
        """The outputs of `graph` for a call by `node`, built by `builder` where that is another one."""


class Node(NamedTuple):
    """One operator of a graph of the model."""

    info: OperatorInfo
    operands: Sequence[Tensor | None]
    """None: left out, or a variable tensor, whose value is none that operators pass on."""
    session: Session
    graph: Subgraph

    @property
    def name(self) -> str:
        """What provenance calls it."""
        return self.info.label

    @property
    def place(self) -> str:
        """`operator 3 (CONV_2D) 'block1/conv'`, for messages."""
        return self.info.place

    @property
    def builtin(self) -> str:
        """Name of the builtin operator; CUSTOM for others."""
        return self.info.builtin

    @property
    def builder(self) -> Builder:
        """Where its operations go."""
        return self.session.builder

    @property
    def rounding(self) -> Rounding:
        """Whether fully connected layers round twice (`micro`) or once (`reference`)."""
        return self.session.rounding

    @property
    def options(self) -> Any:
        """The options object of the operator, such as `tflite.Conv2DOptions`; defaults where the file has none."""
        if self.info.options is not None:
            return self.info.options
        name = options_class(self.builtin)
        if name is None:
            raise self.invalid("has no options", "export the model again")
        return default_options(name)

    def invalid(self, fact: str, way_out: str) -> InputError:
        """The error for an operator that is wrong."""
        return InputError(f"{self.place}: {fact}; {way_out}")

    def unsupported(self, fact: str, way_out: str) -> UnsupportedError:
        """The error for an operator that is right and that s2s cannot import."""
        return UnsupportedError(f"{self.place}: {fact}; {way_out}")

    # ---------------------------------------------------------------- operands

    @property
    def input_count(self) -> int:
        """Number of operands, without the ones left out at the end."""
        return len(self.operands)

    def input(self, position: int) -> Tensor:
        """A required operand."""
        tensor = self.optional(position)
        if tensor is None:
            raise self.invalid(f"input {position} is missing", "connect it")
        return tensor

    def optional(self, position: int) -> Tensor | None:
        """An operand that may be left out."""
        if self.variable(position) is not None:
            raise self.unsupported(f"input {position} is a variable tensor", "keep the state in an input and an output")
        return self.operands[position] if position < len(self.operands) else None

    def variable(self, position: int) -> TensorInfo | None:
        """The operand as the file declares it, when it is a variable tensor: state that the operator itself keeps."""
        if position >= len(self.info.inputs) or self.info.inputs[position] < 0:
            return None
        tensor = self.graph.tensors[self.info.inputs[position]]
        return tensor if tensor.is_variable else None

    def state(self, position: int) -> tuple[Value, TensorInfo]:
        """What a variable tensor holds, and how the file declares it."""
        info = self.variable(position)
        if info is None:
            raise self.invalid(f"input {position} is no variable tensor", "export the model again")
        return self.session.variables.read(self.builder, tensor_key(info), info.name, info), info

    def keep(self, position: int, value: Value) -> None:
        """Let a variable tensor hold `value` from here on."""
        _, info = self.state(position)
        self.session.variables.assign(self.builder, tensor_key(info), info.name, info, value)

    def own_state(self, name: str, shape: Sequence[int], dtype: np.dtype[np.generic], initial: int = 0) -> Value:
        """What the operator itself keeps from run to run under `name`; `initial` at first."""
        if self.builder is not self.session.variables.main:
            raise self.unsupported("keeps a state inside of a loop or a branch", "run it in the main graph")
        info = self._own(name, self.shape(shape), dtype)
        if initial:
            self.session.variables.begin_with(
                own_key(self.info, name), info.name, info, np.full(info.shape, initial, dtype)
            )
        return self.session.variables.read(self.builder, own_key(self.info, name), info.name, info)

    def keep_own(self, name: str, value: Value) -> None:
        """Let the state `name` of the operator be `value` from here on."""
        info = self._own(name, value.shape, value.dtype)
        self.session.variables.assign(self.builder, own_key(self.info, name), info.name, info, value)

    def _own(self, name: str, shape: Sequence[int], dtype: np.dtype[np.generic]) -> TensorInfo:
        """A variable tensor as a file would declare it."""
        label = f"{self.name}/{name}"
        kind = next(kind for kind, known in DTYPES.items() if known == dtype)
        return TensorInfo(self.info.subgraph, -1, label, kind, dtype, tuple(shape), False, 0, None, True, None)

    def inputs(self) -> list[Tensor]:
        """All operands of a variadic operator."""
        return [self.input(position) for position in range(len(self.operands))]

    def known(self, position: int, what: str) -> Array:
        """The array of a required operand that must be constant; `what` names it."""
        array = self.input(position).array
        if array is None:
            raise self.unsupported(f"{what} is computed at run time", f"make {what} a constant, or simplify the model")
        return array

    def known_ints(self, position: int, what: str) -> list[int]:
        """As `known`, for an operand that lists integers."""
        array = self.known(position, what)
        if array.dtype.kind not in "iuO":
            raise self.invalid(f"{what} is {array.dtype}", "give integers")
        return [integer_of(number) for number in array.reshape(-1)]

    # ----------------------------------------------------------------- results

    @property
    def output_count(self) -> int:
        """Number of results."""
        return len(self.info.outputs)

    def output_type(self, position: int = 0) -> TensorInfo:
        """What the model declares of a result."""
        if position >= len(self.info.outputs):
            raise self.invalid(f"output {position} is missing", "connect it")
        return self.graph.tensors[self.info.outputs[position]]

    # ----------------------------------------------------------- other matters

    def axis(self, axis: int, rank: int) -> int:
        """`axis` counted from the front, when it lies in `[-rank, rank)`."""
        if not -rank <= axis < rank:
            raise self.invalid(f"axis {axis} is outside [-{rank}, {rank})", "fix the axis")
        return axis % rank

    def shape(self, dims: Sequence[int]) -> tuple[int, ...]:
        """`dims`, when they are a shape within the limits."""
        return checked_shape(tuple(dims), self.place)

    def constant(self, values: object, dtype: np.dtype[np.generic] | type[np.generic] | None = None) -> Value:
        """A constant of this operator."""
        return self.builder.constant(np.asarray(values, dtype))

    def table(self, values: Array, shape: Sequence[int]) -> Value:
        """A constant of which a run reads the first elements along axes that are sizes."""
        return self.builder.table(values, shape)

    def require_small(self, count: int, what: str) -> None:
        """Refuse to make a constant that would be larger than any network needs."""
        if count > MAX_FOLDED_ELEMENTS:
            raise self.unsupported(f"{what} has {count} elements, more than {MAX_FOLDED_ELEMENTS}", "make it smaller")

    def subgraph(self, index: int) -> Subgraph:
        """Another graph of the model."""
        return self.session.subgraph(index, self)

    def run_subgraph(self, index: int, values: Sequence[Value], builder: Builder | None = None) -> list[Tensor]:
        """The outputs of another graph with its inputs bound to `values`: in place, or built by `builder`."""
        return self.session.run_subgraph(self.subgraph(index), values, self, builder)


Importer = Callable[[Node], Value | Sequence[Value]]
"""Builds the operations of a node and returns its outputs."""
