"""Specialise a model before it is read: inputs become constants, named dimensions get sizes.

    specialise(model, {"sr": 16000}, {"batch": 1})

removes the input `sr`, adds an initializer of its name and type, and gives every dimension `batch` of an input the
size 1. What the constants decide, as the branch of an If, then folds while the model is imported.
"""

from collections.abc import Mapping

import numpy as np
from onnx import ModelProto, ValueInfoProto, numpy_helper

from s2s.errors import InputError
from s2s.frontends.formulas import checked_shape
from s2s.frontends.names import one_line
from s2s.frontends.onnx.load import LoadedModel
from s2s.frontends.onnx.tensors import element_dtype
from s2s.types.dtypes import Array
from s2s.types.numbers import Numbers


def specialise(model: LoadedModel, bind: Mapping[str, Numbers], dims: Mapping[str, int]) -> LoadedModel:
    """A copy of `model` whose inputs in `bind` are constants, and whose dimensions in `dims` have sizes."""
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    for name, size in dims.items():
        _set_size(proto, name, size)
    for name, numbers in bind.items():
        _bind(proto, name, numbers)
    return model._replace(proto=proto, is_specialised=True)


def open_dimensions(model: ModelProto) -> list[str]:
    """Return the names of the open dimensions of the inputs, each once."""
    dims = [dim for value in model.graph.input for dim in value.type.tensor_type.shape.dim]
    return list(dict.fromkeys(dim.dim_param for dim in dims if dim.dim_param))


def _set_size(model: ModelProto, name: str, size: int) -> None:
    if size < 1:
        raise InputError(f"--dim {one_line(name)}={size}: no size; give at least 1")
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param == name:
                dim.dim_value = size


def _bind(model: ModelProto, name: str, numbers: Numbers) -> None:
    option = f"--bind {one_line(name)}"
    inputs = {value.name: value for value in model.graph.input}
    given = {tensor.name for tensor in model.graph.initializer}
    if name in given:
        raise InputError(f"{option}: is a constant of the model already; leave the option out")
    if name not in inputs:
        names = ", ".join(repr(one_line(other)) for other in inputs if other not in given)
        raise InputError(f"{option}: the model has no such input; its inputs are {names}")
    value = inputs[name]
    model.graph.initializer.append(numpy_helper.from_array(_array(option, value, numbers), name))
    model.ir_version = max(model.ir_version, 4)  # from here on initializers need not be inputs
    model.graph.input.remove(value)


def _array(option: str, value: ValueInfoProto, numbers: Numbers) -> Array:
    """`numbers` as a tensor of the type of an input; one number stands for the only element of any shape."""
    if not value.type.HasField("tensor_type"):
        raise InputError(f"{option}: the input is no tensor; leave the option out")
    dtype = element_dtype(value.type.tensor_type.elem_type, f"input {one_line(value.name)}")
    dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in value.type.tensor_type.shape.dim]
    found: Array = np.asarray(numbers)
    if found.size == 1 and all(dim in (1, None) for dim in dims):
        found = found.reshape([1] * len(dims))
    fits = len(dims) == found.ndim and all(
        dim is None or dim == size for dim, size in zip(dims, found.shape, strict=True)
    )
    if value.type.tensor_type.HasField("shape") and not fits:
        declared = ", ".join("?" if dim is None else str(dim) for dim in dims)
        raise InputError(
            f"{option}: values of shape {list(found.shape)} for an input of [{declared}]; give all of them"
        )
    checked_shape(found.shape, option)
    with np.errstate(all="ignore"):
        made = found.astype(dtype)
    if dtype.kind in "iub" and not np.array_equal(made, found):
        raise InputError(f"{option}: {found.tolist()} cannot be {dtype}, which the input is; give numbers of its type")
    return made
