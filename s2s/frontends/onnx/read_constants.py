"""Read the constants of a model once, where the model is imported at several sizes.

    given = with_constants(load_model("encoder.onnx"))
    import_model(specialise(given, {}, {"sequence": 128}))      reads no tensor again, and copies none
    import_model(specialise(given, {}, {"sequence": 127}))

The message of such a model states the types and shapes of its initializers, and no values.
"""

from google.protobuf.message import Message
from onnx import ModelProto

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx.load import LoadedModel
from s2s.frontends.onnx.tensors import read_tensor
from s2s.types.dtypes import Array
from s2s.types.weights import SharedArrays


def with_constants(model: LoadedModel) -> LoadedModel:
    """Return `model` with the values of its initializers as arrays; those that cannot be read stay as they are."""
    if model.constants is not None:
        return model
    arrays, proto = dict[str, Array](), ModelProto()
    _copy_fields(model.proto, proto, but="graph")
    _copy_fields(model.proto.graph, proto.graph, but="initializer")
    for tensor in model.proto.graph.initializer:
        try:
            arrays[tensor.name] = read_tensor(tensor, model.folder, tensor.name)
        except (InputError, UnsupportedError):
            proto.graph.initializer.append(tensor)
            continue
        proto.graph.initializer.add(name=tensor.name, data_type=tensor.data_type, dims=list(tensor.dims))
    return model._replace(proto=proto, constants=SharedArrays(arrays))


def _copy_fields(message: Message, made: Message, *, but: str) -> None:
    """Copy all fields of `message` to `made` except one."""
    for field, value in message.ListFields():
        if field.name == but:
            continue
        if isinstance(value, Message):
            getattr(made, field.name).CopyFrom(value)
        elif isinstance(value, int | float | str | bytes):
            setattr(made, field.name, value)
        else:
            getattr(made, field.name).MergeFrom(value)
