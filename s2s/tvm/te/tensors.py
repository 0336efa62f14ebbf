"""Tensors of tensor expressions: placeholders, and tensors that a formula computes element by element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, cast, overload

from s2s.errors import InputError
from s2s.tvm.dtypes import is_float
from s2s.tvm.runtime.imm import imm
from s2s.tvm.te.expressions import (
    BOOL,
    INDEX,
    Expr,
    IterVar,
    Number,
    PlaceholderOp,
    Read,
    Size,
    Tensor,
    Var,
    VariableOp,
    const,
    walk,
)
from s2s.tvm.te.operations import ComputeOp, Pack, Reduce
from s2s.tvm.te.tag import tag_of
from s2s.types.dtypes import ELEMENT_TYPES, to_numpy

DTYPES = tuple(str(to_numpy(element)) for element in ELEMENT_TYPES)


class ScalarVar(Read):
    """A number that the caller passes: the only element of an argument without dimensions."""


@overload
def var(name: str = "tindex", dtype: Literal["int32", "int64"] = "int32") -> Var: ...
@overload
def var(name: str, dtype: str) -> Expr: ...
def var(name: str = "tindex", dtype: str = "int32") -> Expr:
    """A size, which `build` and `lower` are told by `bind` or the arrays of a call; of a float type a number that is
    an argument of the function. An integer that is an argument and no size of another is a number as well."""
    if dtype in ("int32", "int64"):
        return Var(name, dtype)
    return ScalarVar(Tensor((), dtype_of(name, dtype), PlaceholderOp(name, ())), ())


def size_var(name: str = "size", dtype: str = "int32") -> Expr:
    """A size, as `var` gives it; all sizes are positive."""
    return var(name, dtype)


def argument_of(value: Tensor | Expr) -> Tensor:
    """The tensor that an argument of a function is: of a number the tensor without dimensions that it lies in."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, ScalarVar):
        return value.tensor
    if isinstance(value, Var):  # pyright: ignore[reportUnnecessaryIsInstance]
        value.argument = value.argument or Tensor((), value.dtype, VariableOp(value.name, (), value))
        return value.argument
    raise InputError(f"te.build: argument {value} is no tensor and no variable; give te.placeholder or te.var")


def placeholder(shape: Sequence[Size] | Size, dtype: str | None = None, name: str = "placeholder") -> Tensor:
    """A tensor that the caller passes, by default of float32."""
    return Tensor(shape_of(name, shape), dtype_of(name, dtype or "float32"), PlaceholderOp(name, ()))


def constant(value: Number, dtype: str = INDEX) -> Expr:
    """A number, by default of int32, where `tir.const` takes the type of the number; a fraction wants a float's."""
    if is_float(dtype):
        return const(float(value), dtype)
    if not float(value).is_integer():
        raise InputError(f"te.const {value}: is no {dtype}; give the element type, such as float32")
    return const(bool(value) if dtype == BOOL else int(value), dtype)


def reduce_axis(dom: tuple[Size, Size], name: str = "rv", thread_tag: str = "") -> IterVar:
    """A loop variable of a reduction over `dom`, a pair of 0 and the number of steps."""
    first, extent = dom
    if thread_tag:
        raise InputError(f"te.reduce_axis {name}: {thread_tag} is of graphics processors; leave thread_tag out")
    if not isinstance(first, int) or first != 0:
        raise InputError(f"te.reduce_axis {name}: starts at {first}; start at 0, and add the offset to the index")
    return IterVar(extent, name, is_reduction=True)


Result = Expr | Number
Formula = (
    Callable[[], Result]
    | Callable[[IterVar], Result]
    | Callable[[IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar, IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar, IterVar, IterVar, IterVar], Result]
    | Callable[[*tuple[IterVar, ...]], Result]
)
"""The value of an element at its indices."""
Results = tuple[Result, ...] | list[Result]
Formulas = (
    Callable[[], Results]
    | Callable[[IterVar], Results]
    | Callable[[IterVar, IterVar], Results]
    | Callable[[IterVar, IterVar, IterVar], Results]
    | Callable[[*tuple[IterVar, ...]], Results]
)
"""The values of the elements of several tensors at their indices."""


Attributes = Mapping[str, object] | None


@overload
def compute(
    shape: Sequence[Size] | Size,
    fcompute: Formula,
    name: str = "compute",
    tag: str = "",
    attrs: Attributes = None,
    varargs_names: Sequence[str] | None = None,
) -> Tensor: ...
@overload
def compute(
    shape: Sequence[Size] | Size,
    fcompute: Formulas,
    name: str = "compute",
    tag: str = "",
    attrs: Attributes = None,
    varargs_names: Sequence[str] | None = None,
) -> list[Tensor]: ...
def compute(
    shape: Sequence[Size] | Size,
    fcompute: Formula | Formulas,
    name: str = "compute",
    tag: str = "",
    attrs: Attributes = None,
    varargs_names: Sequence[str] | None = None,
) -> Tensor | list[Tensor]:
    """The tensor whose element at `i, j, …` is `fcompute(i, j, …)`, an expression.

    A reduction stands outermost in it: `te.sum(…, axis=k)`, with nothing around. A function that returns a tuple makes
    as many tensors, in one nest of loops; so does the reduction of a tuple. `tag` and `attrs` are kept for programs
    that read them of the operation; `varargs_names` are the names of loop variables that `fcompute` takes as `*i`.
    """
    sizes = shape_of(name, shape)
    names = _index_names(fcompute, len(sizes), varargs_names)
    axis = tuple(IterVar(size, each) for size, each in zip(sizes, names, strict=True))
    body = _body(cast(Callable[..., Result | Results], fcompute)(*axis))
    inner = [each for each in walk(body) if isinstance(each, Reduce) and each is not body]
    if inner:
        raise InputError(f"{name}: {inner[0].kind} stands inside of a formula; compute it as a tensor of its own")
    made = computed(name, axis, body, tag_of(name, tag), attrs)
    return made[0] if len(made) == 1 else made


def pointwise(shape: Sequence[Size], formula: Callable[[tuple[IterVar, ...]], Expr], name: str) -> Tensor:
    """The tensor whose element at some indices is what a formula gives for the tuple of them."""

    def element(*indices: IterVar) -> Expr:
        return formula(indices)

    return compute(shape, element, name)


def _body(result: Result | Results) -> Expr:
    """What a formula returned, as one expression."""
    if not isinstance(result, Sequence):
        return result if isinstance(result, Expr) else const(result)
    return Pack(tuple(each if isinstance(each, Expr) else const(each) for each in result))


def computed(name: str, axis: tuple[IterVar, ...], body: Expr, tag: str = "", attrs: Attributes = None) -> list[Tensor]:
    """The tensors that `body` computes at each point of `axis`: one for each of its values."""
    op = ComputeOp(name, axis, body, tag, dict(attrs or {}))
    for each in op.outputs:
        dtype_of(name, each.dtype)
    return list(op.outputs)


def _index_names(function: Callable[..., object], count: int, varargs_names: Sequence[str] | None) -> list[str]:
    """Names of loop variables, which are the names of the function's parameters."""
    parameters = list(inspect.signature(function).parameters.values())
    if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters):
        names = [f"i{number}" for number in range(count)] if varargs_names is None else list(varargs_names)
        if len(names) != count:
            raise InputError(f"te.compute: {len(names)} varargs_names for {count} dimensions; give one name for each")
        return names
    if len(parameters) != count:
        raise InputError(
            f"te.compute: the function takes {len(parameters)} indices, the shape has {count} dimensions; give it one "
            "parameter for each"
        )
    return [each.name for each in parameters]


def shape_of(name: str, shape: Sequence[Size] | Size) -> tuple[Size, ...]:
    """Sizes of dimensions, or of the only one; a float such as `N / 32` counts where it is whole, as in TVM's
    tutorials."""
    shape = [shape] if isinstance(shape, int | float | Expr) else shape
    sizes = tuple(imm(int(size) if isinstance(size, float) and size == int(size) else size) for size in shape)
    wrong = [size for size in sizes if not isinstance(size, Expr) and (not isinstance(size, int) or size < 1)]  # pyright: ignore[reportUnnecessaryIsInstance]
    if wrong:
        raise InputError(f"{name}: size {wrong[0]}: a dimension has one element or more; give a positive integer")
    return sizes


def dtype_of(name: str, dtype: str) -> str:
    """The element type `dtype`, after checking that it is one."""
    known = "bool" if dtype == BOOL else dtype
    if known not in DTYPES:
        raise InputError(f"{name}: dtype {dtype} is not known; give {', '.join(DTYPES)}")
    return known
