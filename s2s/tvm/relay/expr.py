"""Networks as expressions: variables, constants and calls of operators, with their types.

An expression is a value; it becomes operations when a module is made of it (`IRModule.from_expr`). Operations on
constants alone are then evaluated, and constants become weights of the module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import Block, Operation, SSAValue

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.types.dtypes import AnyTensor, Array, as_tensor_type, from_numpy, holds, tensor_type, to_numpy, type_of_array
from s2s.types.shapes import ShapeError
from s2s.types.weights import owned

Number = int | float | bool
Build = Callable[..., Operation]
Operand = "Expr | Sequence[Expr] | None"


class Expr:
    """A tensor that a network computes or is given."""

    def __init__(self, type: AnyTensor | None, name: str = "") -> None:
        self._type: AnyTensor | None = type
        self.name_hint = name

    @property
    def checked_type(self) -> AnyTensor:
        """Element type and shape."""
        if self._type is None:
            raise InputError(
                f"{self.name_hint}: its shape is not known here; give it to relay.var, or pass the variable as weight "
                "of an operator that tells it (conv2d with channels and kernel_size, dense with units, bias_add)"
            )
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self.checked_type.get_shape()

    @property
    def dtype(self) -> str:
        """The numpy name of the element type."""
        return str(to_numpy(self.checked_type.element_type))

    @property
    def operands(self) -> tuple[Expr, ...]:
        """The expressions that this one is computed from."""
        return ()

    def __add__(self, other: Expr | Number) -> Expr:
        return call(graph.AddOp, self, self.like(other))

    def __radd__(self, other: Number) -> Expr:
        return call(graph.AddOp, self.like(other), self)

    def __sub__(self, other: Expr | Number) -> Expr:
        return call(graph.SubOp, self, self.like(other))

    def __rsub__(self, other: Number) -> Expr:
        return call(graph.SubOp, self.like(other), self)

    def __mul__(self, other: Expr | Number) -> Expr:
        return call(graph.MulOp, self, self.like(other))

    def __rmul__(self, other: Number) -> Expr:
        return call(graph.MulOp, self.like(other), self)

    def __truediv__(self, other: Expr | Number) -> Expr:
        return call(graph.DivOp, self, self.like(other))

    def __rtruediv__(self, other: Number) -> Expr:
        return call(graph.DivOp, self.like(other), self)

    def __neg__(self) -> Expr:
        return call(graph.NegOp, self)

    def astype(self, dtype: str) -> Expr:
        """The values converted to `dtype`."""
        return self if dtype == self.dtype else call(graph.CastOp, self, element_type=from_numpy(np.dtype(dtype)))

    def like(self, value: Expr | Number) -> Expr:
        """`value`, a plain number as a constant of this element type."""
        return value if isinstance(value, Expr) else self.number(value)

    def number(self, value: Number) -> Constant:
        """Return a number as a constant of this element type, which has to hold it."""
        dtype = np.dtype(self.dtype)
        if dtype.kind in "iu" and not holds(dtype, value):
            raise InputError(f"relay: {self.dtype} does not hold {value}; convert the tensor with astype first")
        return Constant(np.asarray(value).astype(dtype))


class Var(Expr):
    """An input or a parameter of a network."""

    def give(self, shape: Sequence[int], dtype: str) -> None:
        """Set the type of a variable that was made without one."""
        if not self.is_typed:
            self._type = TensorType(shape, dtype)

    @property
    def is_typed(self) -> bool:
        """Whether the type is known."""
        return self._type is not None

    def __repr__(self) -> str:
        return f"Var({self.name_hint}, {self._type})"


class Constant(Expr):
    """An array that is part of the network."""

    def __init__(self, value: Array) -> None:
        super().__init__(type_of_array(value))
        self.value = owned(value)

    def __repr__(self) -> str:
        return f"Constant({self.checked_type})"


class Call(Expr):
    """The result of an operation of the dialect `graph`."""

    def __init__(self, build: Build, arguments: Sequence[Expr | Sequence[Expr] | None], properties: dict[str, object]):
        self.build, self.arguments, self.properties = build, tuple(arguments), properties
        super().__init__(_result_types(build, self.arguments, properties)[0])

    @property
    def operands(self) -> tuple[Expr, ...]:
        return tuple(each for argument in self.arguments for each in _listed(argument))

    def __repr__(self) -> str:
        return f"Call({operator_name(self)}, {self.checked_type})"


class MultiCall(Expr):
    """An operation of the dialect `graph` with several results, each of which is a `Result`."""

    def __init__(self, build: Build, arguments: Sequence[Expr | Sequence[Expr] | None], properties: dict[str, object]):
        self.build, self.arguments, self.properties = build, tuple(arguments), properties
        super().__init__(None, operator_name(self))
        self.types = _result_types(build, self.arguments, properties)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return tuple(each for argument in self.arguments for each in _listed(argument))

    @property
    def results(self) -> list[Result]:
        """Its results."""
        return [Result(self, number) for number in range(len(self.types))]


class Calling(Protocol):
    """An expression with several results."""

    types: list[AnyTensor]


class Result(Expr):
    """One of the results of an operation."""

    def __init__(self, call: Calling, index: int) -> None:
        super().__init__(call.types[index])
        self.call, self.index = call, index

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (cast("Expr", self.call),)

    def __repr__(self) -> str:
        return f"Result({operator_name(self.call)}, {self.index}, {self.checked_type})"


class OnDevice(Expr):
    """The value of an expression, with the device that computes it (`s2s/tvm/relay/annotation.py`)."""

    def __init__(self, value: Expr, device: str, *, result: bool, body: bool) -> None:
        super().__init__(value.checked_type)
        self.value, self.device = value, device
        self.constrains_result, self.constrains_body = result, body

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.value,)

    def __repr__(self) -> str:
        return f"OnDevice({self.value!r}, {self.device})"


class Tuple(Expr):
    """Several expressions as one: the outputs of a network, or the parts of a split."""

    def __init__(self, fields: Sequence[Expr]) -> None:
        super().__init__(None, "tuple")
        self.fields = tuple(fields)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.fields

    def astuple(self) -> Tuple:
        """Itself, under the name that TVM's wrapper of tuples has."""
        return self

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, index: int) -> Expr:
        if not -len(self.fields) <= index < len(self.fields):
            raise InputError(f"tuple[{index}]: it has {len(self.fields)} fields; count from 0")
        return self.fields[index]

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.fields)


class Function:
    """A network: `params` are its inputs and parameters, `body` is what it computes."""

    def __init__(self, params: Sequence[Expr], body: Expr, name: str = "main") -> None:
        wrong = [each for each in params if not isinstance(each, Var)]
        if wrong:
            raise InputError(f"relay.Function: parameter {wrong[0]} is no variable; pass what relay.var has made")
        self.params = tuple(cast("Sequence[Var]", params))
        self.body, self.name = body, name
        missing = [each.name_hint for each in free_vars(body) if all(each is not given for given in self.params)]
        if missing:
            raise InputError(f"relay.Function: {missing[0]} is read, and no parameter; add it to params")

    @property
    def outputs(self) -> tuple[Expr, ...]:
        """What the network returns."""
        return self.body.fields if isinstance(self.body, Tuple) else (self.body,)


def var(
    name_hint: str, type_annotation: AnyTensor | None = None, shape: Sequence[int] | None = None, dtype: str = "float32"
) -> Var:
    """An input or parameter; without a shape, the operator that takes it as a weight tells it."""
    if type_annotation is not None or shape is None:
        return Var(type_annotation, name_hint)
    return Var(TensorType(shape, dtype), name_hint)


def const(value: npt.ArrayLike, dtype: str | None = None) -> Constant:
    """A constant. Python floats are float32 and integers int32, as in TVM; numpy arrays keep their type."""
    array = np.asarray(value)
    if dtype is None and not hasattr(value, "dtype"):
        dtype = {"float64": "float32", "int64": "int32"}.get(str(array.dtype))
    return Constant(array if dtype is None else array.astype(np.dtype(dtype)))


def axis_of(axis: int, rank: int) -> int:
    """Return `axis` counted from the front; refuse one that a tensor of `rank` does not have."""
    if not -rank <= axis < rank:
        raise InputError(f"relay: axis {axis} of a tensor of {rank} dimensions; give one from {-rank} to {rank - 1}")
    return axis % rank


def TensorType(shape: Sequence[int], dtype: str = "float32") -> AnyTensor:  # noqa: N802
    """The type of a tensor, under TVM's name."""
    return tensor_type(from_numpy(np.dtype(dtype)), tuple(shape))


def call(build: Build, *arguments: Expr | Sequence[Expr] | None, **properties: object) -> Expr:
    """The result of an operation; None stands for an optional operand that is left out."""
    return Call(build, arguments, properties)


def free_vars(expr: Expr | Function) -> list[Var]:
    """The variables that an expression reads, in the order in which it reads them."""
    if isinstance(expr, Function):
        return []
    return [each for each in post_order(expr) if isinstance(each, Var)]


def post_order(*roots: Expr) -> list[Expr]:
    """Every expression that `roots` are computed from, and they, each once, operands first."""
    order: list[Expr] = []
    seen: set[int] = set()
    pending: list[tuple[Expr, bool]] = [(root, False) for root in reversed(roots)]
    while pending:
        expr, is_done = pending.pop()
        if is_done:
            order.append(expr)
        elif id(expr) not in seen:
            seen.add(id(expr))
            pending.append((expr, True))
            pending += [(operand, False) for operand in reversed(expr.operands)]
    return order


def operator_name(expr: object) -> str:
    """The name of the operation without its dialect: `conv`."""
    if named := str(getattr(expr, "operator", "")):
        return named
    expr = cast("Call | MultiCall", expr)
    return str(getattr(expr.build, "name", "operator")).partition(".")[2] or "operator"


def _listed(argument: Expr | Sequence[Expr] | None) -> Sequence[Expr]:
    if argument is None:
        return ()
    return (argument,) if isinstance(argument, Expr) else argument


def _result_types(
    build: Build, arguments: Sequence[Expr | Sequence[Expr] | None], properties: dict[str, object]
) -> list[AnyTensor]:
    """The types of the results."""
    operands: list[object] = []
    for argument in arguments:
        if argument is None:
            operands.append(None)
        elif isinstance(argument, Expr):
            operands.append(_placeholder(argument))
        else:
            operands.append([_placeholder(each) for each in argument])
    try:
        op = build(*operands, **properties)
    except ShapeError as error:
        name = getattr(build, "name", "operator")
        raise InputError(f"relay: {name}: {error}; change the operands") from error
    return [as_tensor_type(result.type) for result in op.results]


def _placeholder(expr: Expr) -> SSAValue:
    return Block(arg_types=[expr.checked_type]).args[0]
