"""Mark the axes of a network's inputs whose size is given at run time."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from s2s.analysis.network.functions import main_of
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import onnx
from s2s.frontends.formats import LoadedModel
from s2s.frontends.onnx.open_shapes import declared_dims
from s2s.types.dtypes import as_tensor_type
from s2s.types.sizes import SIZES, VARIES, SizeRange, extents_attribute, sizes_attribute


def mark_sizes(module: ModuleOp, model: LoadedModel, sizes: Mapping[str, SizeRange]) -> None:
    """Mark in `module`, which `model` has become, the axes of inputs that have one of `sizes`."""
    if not sizes:
        return
    for name, size in sizes.items():
        if not 1 <= size.least < size.most:
            raise InputError(f"--dim {name}={size}: the first bound is 1 or more, the second is larger; correct them")
    assert isinstance(model, onnx.LoadedModel)  # other formats have no names of dimensions, and are refused before
    declared = {value.name: declared_dims(value) for value in model.proto.graph.input}
    main = main_of(module)
    module.attributes[SIZES] = sizes_attribute(sizes)
    main.arg_attrs = ArrayAttr(
        DictionaryAttr({**argument.data, VARIES: extents_attribute(_extents(argument, type, declared, sizes))})
        for argument, type in zip(main.arg_attrs or (), main.function_type.inputs, strict=True)
    )


def _extents(
    argument: DictionaryAttr, type: Attribute, declared: Mapping[str, list[int | str]], sizes: Mapping[str, SizeRange]
) -> list[str]:
    name = argument.data["name"]
    assert isinstance(name, StringAttr)
    extents = [str(dim) if dim in sizes else "" for dim in declared.get(name.data, ())]
    rank = len(as_tensor_type(type).get_shape())
    if not any(extents):
        return [""] * rank
    if len(extents) != rank:
        raise UnsupportedError(
            f"input {name.data}: its elements are packed into bytes, which have no axis of their own for "
            f"{next(filter(None, extents))}; give that a constant size"
        )
    return extents
