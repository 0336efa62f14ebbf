"""Import operators whose result is known at import as a rule: constants, shapes, ranges, positions."""

from collections.abc import Mapping
from math import ceil, prod

import numpy as np
from onnx import TensorProto

from s2s.frontends.builder import Value
from s2s.frontends.formulas import cast, checked_shape, equal, reshape
from s2s.frontends.names import one_line
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.tensors import element_dtype, read_sparse
from s2s.frontends.onnx.texts import decoded, read_texts, text_constant
from s2s.frontends.selection import coordinates, counted_places
from s2s.types.dtypes import Array
from s2s.types.size import all_plain, greatest, is_size
from s2s.types.sizes import SizeRange

_INT32 = np.dtype(np.int32)
_GIVEN = ("value", "sparse_value", "value_float", "value_floats", "value_int", "value_ints")


def _constant(node: Node) -> Value:
    texts = _texts(node)
    if texts is not None:
        return text_constant(node.builder, texts)
    given = [name for name in _GIVEN if node.has(name)]
    if len(given) != 1:
        raise node.invalid(f"has {len(given)} values", "give one of the attributes " + ", ".join(_GIVEN))
    return node.builder.constant(_constant_array(node, given[0]))


def _texts(node: Node) -> Array | None:
    """The texts of the constant; None where it is of numbers."""
    if node.has("value_strings"):
        return np.array(decoded(node.texts("value_strings")), object)
    if node.has("value_string"):
        return np.array(node.text("value_string"), object)
    if node.has("value") and node.attributes["value"].t.data_type == TensorProto.STRING:
        return read_texts(node.attributes["value"].t, f"{node.place}: attribute 'value'")
    return None


def _constant_array(node: Node, name: str) -> Array:
    if name == "value":
        return node.tensor(name)
    if name == "sparse_value":
        return read_sparse(node.attributes[name].sparse_tensor, node.folder, f"{node.place}: attribute {name!r}")
    if name.startswith("value_float"):
        return np.array(node.reals(name) if name.endswith("s") else node.real(name), np.float32)
    return np.array(node.integers(name) if name.endswith("s") else node.integer(name), np.int64)


def _constant_of_shape(node: Node) -> Value:
    """All elements are one value, and stay so until they are written to a file."""
    fill = node.tensor("value") if node.has("value") else np.zeros(1, np.float32)
    if fill.size != 1:
        raise node.invalid(f"attribute 'value' has shape {list(fill.shape)}", "give one element")
    shape = checked_shape(tuple(node.known_ints(0, "its shape")), node.place)
    return node.builder.table(np.broadcast_to(fill.reshape(()), tuple(greatest(shape))), shape)


def _shape(node: Node) -> Value:
    shape = node.input(0).shape
    end = node.integer("end", len(shape)) if node.has("end") else len(shape)
    return node.builder.size_constant(shape[slice(node.integer("start", 0), end)], np.dtype(np.int64))


def _size(node: Node) -> Value:
    return node.builder.size_constant(prod(node.input(0).shape), np.dtype(np.int64))


def _range(node: Node) -> Value:
    if any(operand.array is None for operand in node.inputs()):
        return _range_of_run(node)
    if any(operand.array is not None and operand.array.dtype == object for operand in node.inputs()):
        return _range_of_sizes(node)
    start, limit, delta = (node.known(i, what) for i, what in enumerate(("start", "limit", "delta")))
    for what, array in (("start", start), ("limit", limit), ("delta", delta)):
        if array.size != 1 or not np.isfinite(array.astype(np.float64)).all():
            raise node.invalid(f"{what} is not one finite number", "fix it")
    first, last, step = (array.reshape(()).item() for array in (start, limit, delta))
    if step == 0:
        raise node.invalid("delta is 0", "give another step")
    count = max(0, ceil((last - first) / step))
    node.require_small(count, "the range")
    return node.constant(first + np.arange(count) * step, start.dtype)


def _range_of_run(node: Node) -> Value:
    """A range whose ends a run computes: of as many elements as the model declares, or as the user allows."""
    first, last, step = (reshape(operand, []) for operand in node.inputs())
    if node.is_declared:
        (count,) = node.declared_shape("start")
        return node.counted(count, step.dtype) * step + first
    if step.array is None or step.is_float or step.array.item() == 0:
        raise node.waits("its step is computed at run time, or is a real number", "give a whole number, not 0")
    asked = node.builder.asked_size()
    if asked is None:
        raise node.waits(
            "start is computed at run time",
            f"bound how many numbers there are, as in --dim {node.builder.size_name}=0..64, make start and limit "
            f"constants, or declare the shape of {one_line(node.proto.output[0])}",
        )
    by = int(step.array.item())
    span = last - first if by > 0 else first - last
    places = counted_places((span + (abs(by) - 1)) / abs(by), asked.most if isinstance(asked, SizeRange) else asked)
    return cast(places, step.dtype) * step + first


def _range_of_sizes(node: Node) -> Value:
    """A range of integers whose ends are sizes."""
    (first,), (last,), (step,) = (node.known_ints(i, what) for i, what in enumerate(("start", "limit", "delta")))
    if step == 0:
        raise node.invalid("delta is 0", "give another step")
    count = -((first - last) // step)
    if count < 0:
        raise node.unsupported("counts nothing at some sizes", "give greater ones")
    node.require_small(count, "the range")
    dtype = node.input(0).dtype
    steps = node.builder.keep(node.counted(count, dtype))
    return (steps if step == 1 else steps * step) + first if is_size(first) or first != 0 or step != 1 else steps


MAX_STORED = 1024
"""The most elements of a unit matrix that is stored; a larger one is computed."""


def _eye_like(node: Node) -> Value:
    x = node.input(0)
    if x.rank != 2:
        raise node.invalid(f"input has {x.rank} dimensions", "give a matrix")
    dtype = element_dtype(node.integer("dtype"), f"{node.place}: attribute 'dtype'") if node.has("dtype") else x.dtype
    node.require_small(prod(x.shape), "the matrix")
    rows, columns = x.shape
    if all_plain(x.shape) and (0 in x.shape or rows * columns <= MAX_STORED):
        return node.constant(np.eye(rows, columns, k=max(-rows, min(columns, node.integer("k")))), dtype)
    shift = max(-(2**30), min(2**30, node.integer("k")))
    numbers = np.arange(*greatest([rows]), dtype=np.int32)[:, None] + np.int32(shift)
    places = node.builder.keep(node.builder.table(numbers, [rows, 1]))
    return cast(equal(places, node.counted(columns, _INT32)), dtype)


def _non_zero(node: Node) -> Value:
    x = node.input(0)
    if x.array is not None:
        return node.constant(np.array(np.nonzero(np.atleast_1d(x.array))), np.int64)
    return coordinates(x)


IMPORTERS: Mapping[str, Importer] = {
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "EyeLike": _eye_like,
    "NonZero": _non_zero,
    "Range": _range,
    "Shape": _shape,
    "Size": _size,
}
