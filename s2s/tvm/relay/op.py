"""The operators of networks outside of `nn`, under TVM's names."""

import builtins
import math
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, overload
from typing import cast as _cast

import numpy as np
from xdsl.ir import Attribute

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.dtypes import is_float
from s2s.tvm.relay import annotation as annotation
from s2s.tvm.relay.elementwise import abs as abs
from s2s.tvm.relay.elementwise import acos as acos
from s2s.tvm.relay.elementwise import acosh as acosh
from s2s.tvm.relay.elementwise import add as add
from s2s.tvm.relay.elementwise import asin as asin
from s2s.tvm.relay.elementwise import asinh as asinh
from s2s.tvm.relay.elementwise import atan as atan
from s2s.tvm.relay.elementwise import atanh as atanh
from s2s.tvm.relay.elementwise import bitwise_and as bitwise_and
from s2s.tvm.relay.elementwise import bitwise_not as bitwise_not
from s2s.tvm.relay.elementwise import bitwise_or as bitwise_or
from s2s.tvm.relay.elementwise import bitwise_xor as bitwise_xor
from s2s.tvm.relay.elementwise import ceil as ceil
from s2s.tvm.relay.elementwise import copy as copy
from s2s.tvm.relay.elementwise import cos as cos
from s2s.tvm.relay.elementwise import cosh as cosh
from s2s.tvm.relay.elementwise import divide as divide
from s2s.tvm.relay.elementwise import equal as equal
from s2s.tvm.relay.elementwise import erf as erf
from s2s.tvm.relay.elementwise import exp as exp
from s2s.tvm.relay.elementwise import floor as floor
from s2s.tvm.relay.elementwise import greater as greater
from s2s.tvm.relay.elementwise import greater_equal as greater_equal
from s2s.tvm.relay.elementwise import identity as identity
from s2s.tvm.relay.elementwise import left_shift as left_shift
from s2s.tvm.relay.elementwise import less as less
from s2s.tvm.relay.elementwise import less_equal as less_equal
from s2s.tvm.relay.elementwise import log as log
from s2s.tvm.relay.elementwise import logical_and as logical_and
from s2s.tvm.relay.elementwise import logical_not as logical_not
from s2s.tvm.relay.elementwise import logical_or as logical_or
from s2s.tvm.relay.elementwise import logical_xor as logical_xor
from s2s.tvm.relay.elementwise import maximum as maximum
from s2s.tvm.relay.elementwise import minimum as minimum
from s2s.tvm.relay.elementwise import multiply as multiply
from s2s.tvm.relay.elementwise import negative as negative
from s2s.tvm.relay.elementwise import not_equal as not_equal
from s2s.tvm.relay.elementwise import power as power
from s2s.tvm.relay.elementwise import right_shift as right_shift
from s2s.tvm.relay.elementwise import rsqrt as rsqrt
from s2s.tvm.relay.elementwise import sigmoid as sigmoid
from s2s.tvm.relay.elementwise import sign as sign
from s2s.tvm.relay.elementwise import sin as sin
from s2s.tvm.relay.elementwise import sinh as sinh
from s2s.tvm.relay.elementwise import sqrt as sqrt
from s2s.tvm.relay.elementwise import subtract as subtract
from s2s.tvm.relay.elementwise import tan as tan
from s2s.tvm.relay.elementwise import tanh as tanh
from s2s.tvm.relay.expr import Constant, Expr, Number, Tuple, axis_of, const
from s2s.tvm.relay.formula import constant_ints
from s2s.tvm.relay.graph_calls import GraphCalls, call
from s2s.tvm.relay.operators import Op, operator
from s2s.tvm.relay.ty import TensorType
from s2s.types.dtypes import AnyTensor, as_tensor_type, from_numpy
from s2s.types.size import all_plain

Tensors = Tuple | Sequence[Expr]
Axes = int | Sequence[int] | None


@operator("clip")
def clip(a: Expr, a_min: float, a_max: float) -> Expr:
    """`x` limited to `[a_min, a_max]`."""
    if is_float(a.dtype):
        return call(graph.ClampOp, a, min=float(a_min), max=float(a_max))
    limits = np.iinfo(a.dtype)
    if np.isnan([a_min, a_max]).any():
        raise InputError(f"relay.clip: a bound of {a.dtype} is {math.nan}; give numbers")
    low, high = (int(builtins.min(builtins.max(each, limits.min), limits.max)) for each in (a_min, a_max))
    return call(graph.ClampOp, a, min=low, max=high)


Ints = Sequence[int] | Expr
"""Numbers that are given as they are or as a constant."""
OutType = TensorType | AnyTensor | tuple[str, Sequence[int]]
"""The type of an output: `relay.TensorType(shape, dtype)`, or the numpy name of its elements and its shape."""


@overload
def call_dps_packed(func: str, args: Expr | Sequence[Expr], out: OutType) -> Expr: ...
@overload
def call_dps_packed(func: str, args: Expr | Sequence[Expr], out: Sequence[OutType]) -> Tuple: ...
def call_dps_packed(func: str, args: Expr | Sequence[Expr], out: OutType | Sequence[OutType]) -> Expr:
    """What the packed function `func` writes into its last argument, a tensor of type `out`, from `args`.

    A list of types stands for several outputs, which are a tuple. It is the function that `register_func` has
    registered under this name, and one of C outside of Python's process.
    """
    given = [args] if isinstance(args, Expr) else list(args)
    one = _one_type(out)
    if one is not None:
        return call(graph.ExternOp, given, function=func, result_types=[one], packed=True)
    types = [_out_type(func, each) for each in _cast("Sequence[OutType]", out)]
    if not types:
        raise InputError(f"relay.call_dps_packed {func}: no output; give the type of each output")
    return Tuple(GraphCalls(graph.ExternOp, [given], {"function": func, "result_types": types, "packed": True}).results)


def _one_type(given: object) -> AnyTensor | None:
    """The type of an output; None if `given` is none."""
    if isinstance(given, TensorType):
        return given.mlir
    if isinstance(given, Attribute):
        return as_tensor_type(given)
    if isinstance(given, Sequence) and len(_cast("Sequence[object]", given)) == 2 and isinstance(given[0], str):
        dtype, shape = _cast("tuple[str, Sequence[int]]", given)
        return TensorType(shape, dtype).mlir
    return None


def _out_type(func: str, given: OutType) -> AnyTensor:
    found = _one_type(given)
    if found is None:
        raise InputError(
            f"relay.call_dps_packed {func}: {given!r} is no type of an output; give relay.TensorType(shape, dtype)"
        )
    return found


@operator("cast")
def cast(data: Expr, dtype: str) -> Expr:
    """`x` converted to `dtype`."""
    return data if dtype == data.dtype else call(graph.CastOp, data, element_type=from_numpy(np.dtype(dtype)))


@operator("where")
def where(condition: Expr, x: Expr, y: Expr | Number) -> Expr:
    """`x` where the condition holds, else `y`."""
    return call(graph.SelectOp, condition, x, x.like(y))


@operator("reshape")
def reshape(data: Expr, newshape: Sequence[int] | int | Expr, allowzero: bool = False) -> Expr:
    """The elements in another shape.

    0 keeps a size unless `allowzero` is set, -1 is what is left, -2 the rest of the sizes, -3 the product of two sizes,
    and -4 splits a size into the two numbers that follow, of which one may be -1.
    """
    given = constant_ints("reshape", newshape)
    shape = new_shape(data.shape, given, allowzero)
    left = math.prod(data.shape) // (math.prod(size for size in shape if size != -1) or 1)
    return call(graph.ReshapeOp, data, shape=[left if size == -1 else size for size in shape])


def new_shape(sizes: Sequence[int], given: Sequence[int], allowzero: bool = False) -> list[int]:
    """The shape that `relay.reshape` makes of one of `sizes`; -1 is left for what is not known."""
    shape: list[int] = []
    pending, at = list(given), 0
    while pending:
        size = pending.pop(0)
        wanted = {-3: 2, -4: 1}.get(size, 1 if size == 0 and not allowzero else 0)
        if wanted and at + wanted > len(sizes):
            raise InputError(f"relay.reshape {list(given)}: dimension {at} of {list(sizes)} is missing; give its size")
        if size < -4 or (size == -4 and len(pending) < 2):
            raise InputError(f"relay.reshape {list(given)}: {size} is not known; give sizes, or 0 to -4")
        if size == -2:
            shape += sizes[at:]
            at = len(sizes)
        elif size == -3:
            shape.append(sizes[at] * sizes[at + 1])
            at += 2
        elif size == -4:
            first, second = pending.pop(0), pending.pop(0)
            if 0 in (first, second) or first == second == -1:
                raise InputError(
                    f"relay.reshape {list(given)}: -4 splits by no such sizes; give two, of which one may be -1"
                )
            shape += [sizes[at] // second if first == -1 else first, sizes[at] // first if second == -1 else second]
            at += 1
        else:
            shape.append(sizes[at] if size == 0 and not allowzero else size)
            at += 1
    return shape


@operator("transpose")
def transpose(data: Expr, axes: Sequence[int] | None = None) -> Expr:
    """Dimensions in another order, by default reversed."""
    rank = len(data.shape)
    perm = list(reversed(range(rank))) if axes is None else axes_of(axes, rank)
    return call(graph.TransposeOp, data, perm=perm)


@operator("expand_dims")
def expand_dims(data: Expr, axis: int, num_newaxis: int = 1) -> Expr:
    """`num_newaxis` dimensions of size one at `axis`."""
    place = axis_of(axis, len(data.shape) + 1)
    return call(graph.ReshapeOp, data, shape=[*data.shape[:place], *[1] * num_newaxis, *data.shape[place:]])


@operator("squeeze")
def squeeze(data: Expr, axis: Axes = None) -> Expr:
    """Without the dimensions `axis`, which have size one, by default all such."""
    rank = len(data.shape)
    every = [place for place, size in enumerate(data.shape) if size == 1]
    gone = every if axis is None else axes_of(axis, rank)
    return call(graph.ReshapeOp, data, shape=[size for place, size in enumerate(data.shape) if place not in gone])


@operator("concatenate")
def concatenate(data: Tensors, axis: int) -> Expr:
    """The tensors one after the other along `axis`."""
    parts = list(data)
    return call(graph.ConcatOp, parts, axis=axis_of(axis, len(parts[0].shape)))


@operator("stack")
def stack(data: Tensors, axis: int = 0) -> Expr:
    """The tensors along a new dimension."""
    place = axis_of(axis, len(next(iter(data)).shape) + 1)
    return concatenate([expand_dims(each, place) for each in data], place)


@operator("split")
def split(data: Expr, indices_or_sections: int | Sequence[int], axis: int = 0) -> Tuple:
    """Parts along `axis`: this many equal ones, or cut before the given positions."""
    axis = axis_of(axis, len(data.shape))
    size = data.shape[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1 or size % indices_or_sections:
            raise InputError(f"relay.split: {size} are no {indices_or_sections} equal parts; give positions to cut at")
        step = size // indices_or_sections
        cuts = list(range(step, size, step))
    else:
        cuts = list(indices_or_sections)
    bounds = list(zip([0, *cuts], [*cuts, size], strict=True))
    return Tuple([part(data, axis, first, last - first) for first, last in bounds])


def part(data: Expr, axis: int, start: int, size: int) -> Expr:
    """`size` slices along `axis` from `start` on."""
    starts, sizes = [0] * len(data.shape), list(data.shape)
    starts[axis], sizes[axis] = start, size
    return call(graph.SliceOp, data, starts=starts, sizes=sizes, strides=[1] * len(sizes))


@operator("strided_slice")
def strided_slice(
    data: Expr,
    begin: Sequence[int] | Expr,
    end: Sequence[int] | Expr,
    strides: Sequence[int] | Expr | None = None,
    axes: Sequence[int] | None = None,
    slice_mode: str = "end",
) -> Expr:
    """`x[begin:end:strides]` along `axes`; with `slice_mode="size"`, `end` holds sizes, -1 for all, without strides."""
    if slice_mode not in ("end", "size"):
        raise InputError(f"relay.strided_slice: slice_mode {slice_mode!r} is not known; give 'end' or 'size'")
    rank = len(data.shape)
    starts, sizes, steps = [0] * rank, list(data.shape), [1] * rank
    chosen = None if axes is None else axes_of(axes, rank)
    for axis, bounds in slices_of("strided_slice", data.shape, (begin, end, strides), chosen, slice_mode == "size"):
        starts[axis], sizes[axis], steps[axis] = bounds.start, len(bounds), bounds.step
    return call(graph.SliceOp, data, starts=starts, sizes=sizes, strides=steps)


def slices_of(
    where: str,
    shape: Sequence[int],
    given: tuple[Ints, Ints, Ints | None],
    axes: Sequence[int] | None,
    is_size: bool = False,
) -> list[tuple[int, range]]:
    """Return the dimensions that begins, ends and strides cut, by default the first ones, each with its positions.

    With `is_size` the ends are sizes. Dimensions behind the last stride have stride 1; without `axes`, ones behind the
    last begin begin at 0, and ones behind the last end are whole.
    """
    begins, ends = constant_ints(where, given[0]), constant_ints(where, given[1])
    strides = [] if given[2] is None or is_size else constant_ints(where, given[2])
    chosen = range(len(begins)) if axes is None else axes
    if axes is None and len(begins) != len(ends):
        chosen = range(max(len(begins), len(ends)))
        begins += [0] * (len(chosen) - len(begins))
        ends += [-1 if is_size else size for size in shape[len(ends) : len(chosen)]]
    steps = [*strides, *[1] * (len(chosen) - len(strides))]
    fits = len(begins) == len(ends) == len(chosen) == len(steps) and len(chosen) <= len(shape)
    if not fits or 0 in steps:
        raise InputError(
            f"relay.{where}: begin {begins}, end {ends} and strides {steps} do not cut {list(shape)}; give one of "
            "each, no stride 0, for each dimension that is cut"
        )
    cuts: list[tuple[int, range]] = []
    for axis, begin, end, step in zip(chosen, begins, ends, steps, strict=True):
        length = shape[axis]
        start = begin + length if is_size and begin < 0 else begin
        last = end if not is_size else length if end < 0 else start + end
        cuts.append((axis, range(*slice(start, last, step).indices(length))))
    return cuts


@operator("tile")
def tile(data: Expr, reps: Sequence[int]) -> Expr:
    """The tensor repeated along each dimension."""
    more = len(reps) - len(data.shape)
    shaped = data if more <= 0 else reshape(data, [*[1] * more, *data.shape])
    return call(graph.TileOp, shaped, repeats=[*[1] * -more, *reps])


@operator("broadcast_to")
def broadcast_to(data: Expr, shape: Sequence[int] | Expr) -> Expr:
    """`x` repeated to `shape` by numpy's rule."""
    return call(graph.BroadcastToOp, data, shape=constant_ints("broadcast_to", shape))


@operator("full")
def full(fill_value: Number | Expr, shape: Sequence[int] | Expr = (), dtype: str = "") -> Expr:
    """Create a tensor whose elements all have the value `fill_value`, of its type unless `dtype` is given."""
    value = fill_value if isinstance(fill_value, Expr) else const(fill_value, dtype or None)
    sizes = constant_ints("full", shape)
    if isinstance(value, Constant) and all_plain(sizes):
        return Constant(np.broadcast_to(value.value.astype(dtype or value.dtype), tuple(sizes)))
    value = value if dtype in ("", value.dtype) else value.astype(dtype)
    return call(graph.BroadcastToOp, value, shape=sizes)


@operator("zeros")
def zeros(shape: Sequence[int], dtype: str = "float32") -> Expr:
    """A tensor of zeros."""
    return full(0, shape, dtype)


@operator("ones")
def ones(shape: Sequence[int], dtype: str = "float32") -> Expr:
    """A tensor of ones."""
    return full(1, shape, dtype)


@operator("zeros_like")
def zeros_like(data: Expr) -> Expr:
    """Zeros of the type of `data`."""
    return zeros(data.shape, data.dtype)


@operator("ones_like")
def ones_like(data: Expr) -> Expr:
    """Ones of the type of `data`."""
    return ones(data.shape, data.dtype)


@operator("arange")
def arange(
    start: Number | Expr, stop: Number | Expr | None = None, step: Number | Expr | None = None, dtype: str = "float32"
) -> Expr:
    """Numbers from `start` to `stop` by `step`, or from 0 to `start`."""
    first, distance = _number("arange", start), 1 if step is None else _number("arange", step)
    low, high = (0, first) if stop is None else (first, _number("arange", stop))
    return Constant(np.arange(low, high, distance).astype(dtype))


def _number(where: str, value: Number | Expr) -> Number:
    if not isinstance(value, Expr):
        return value
    if not isinstance(value, Constant):
        raise InputError(f"relay.{where}: is computed at run time; give numbers")
    return value.value.item()


def axes_of(axis: Axes, rank: int) -> list[int]:
    """Return `axis` as dimensions from the front; None for all."""
    if axis is None:
        return list(range(rank))
    return [axis_of(each, rank) for each in ([axis] if isinstance(axis, int) else axis)]


get = Op.get
"""The operator of a name."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(import_module("s2s.tvm.relay"), name)
