"""Model readers under TVM's names.

module, params = s2s.tvm.relay.frontend.from_onnx(model, shape={"data": (1, 3, 224, 224)})
library = s2s.build(module, target="host", params=params)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import StringAttr

from s2s.analysis.network.functions import main_of
from s2s.errors import InputError, UnsupportedError
from s2s.executor.ndarray import NDArray, aligned_empty
from s2s.frontends import onnx, tflite, torch
from s2s.frontends.imported import Imported
from s2s.frontends.model import Resize
from s2s.frontends.sizes import check_names, symbols_of
from s2s.tvm.refusals import refusing
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.torch_converters import Converter, Converters
from s2s.tvm.relay.torchscript import examples_of, exported, named_inputs, rename_inputs
from s2s.types.dtypes import as_tensor_type, to_numpy
from s2s.types.sizes import DimSize, at_most

if TYPE_CHECKING:
    from torch import nn
    from torch.export import ExportedProgram

__all__ = ["from_onnx", "from_pytorch", "from_tflite"]


def from_onnx(
    model: onnx.ModelSource,
    shape: Mapping[str, Sequence[int]] | None = None,
    dtype: str | Mapping[str, str] = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
    convert_config: Mapping[str, object] | None = None,
    export_node_renamed_model_path: str | None = None,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The network at graph level, and its weights by name; `shape` fixes inputs that the model leaves open.

    The weights may be changed before `relay.build` takes them, whether they are frozen or not; their names stand in the
    module as `graph.weight`. The model says its types and its opset: others in `dtype` or `opset` are refused.
    """
    for name, value in (
        ("convert_config", convert_config),
        ("export_node_renamed_model_path", export_node_renamed_model_path),
    ):
        if value:
            raise UnsupportedError(f"from_onnx: {name}: there is one way to read a model; leave it out")
    shapes = {name: tuple(sizes) for name, sizes in (shape or {}).items()}
    imported = onnx.import_model(model, shapes=shapes)
    if opset is not None and imported.origin.opsets.get("", opset) != opset:
        raise UnsupportedError(f"from_onnx: opset {opset}: the model has {imported.origin.opsets['']}; leave it out")
    module, params = _with_params(imported)
    _check_types("from_onnx", module, {}, {} if isinstance(dtype, str) else dtype)
    return module, params


def from_tflite(
    model: Any,
    shape_dict: Mapping[str, Sequence[int]] | None = None,
    dtype_dict: Mapping[str, str] | None = None,
    op_converter: object = None,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The network of a TFLite file and its weights by name, as `from_onnx` gives them.

    The file is given as path, bytes or the object of the package `tflite`. It says its shapes and types: others are
    refused.
    """
    if op_converter is not None:
        raise UnsupportedError("from_tflite: op_converter is not supported; use s2s.register_custom_op")
    table = getattr(model, "_tab", None)
    module, params = _with_params(tflite.import_model(model if table is None else bytes(table.Bytes)))
    _check_types("from_tflite", module, shape_dict or {}, dtype_dict or {})
    return module, params


def _check_types(where: str, module: IRModule, shapes: Mapping[str, Sequence[int]], dtypes: Mapping[str, str]) -> None:
    """Refuse shapes and element types that the model does not have."""
    main = main_of(module.module)
    types = [as_tensor_type(each) for each in main.function_type.inputs.data]
    names = [each.data.get("name") for each in main.arg_attrs or ()]
    known = {each.data: kind for each, kind in zip(names, types, strict=True) if isinstance(each, StringAttr)}
    for name in (*shapes, *dtypes):
        if name not in known:
            raise InputError(f"{where}: {name!r}: the model has no such input; its inputs are {', '.join(known)}")
        shape, dtype = known[name].get_shape(), str(to_numpy(known[name].element_type))
        if tuple(shapes.get(name, shape)) != shape or dtypes.get(name, dtype) != dtype:
            raise UnsupportedError(f"{where}: {name}: the model has {dtype}{list(shape)}; leave it out")


def from_pytorch(
    script_module: nn.Module | ExportedProgram | str | os.PathLike[str],
    input_infos: Sequence[object] | None = None,
    custom_convert_map: Mapping[str, Converter] | None = None,
    default_dtype: str = "float32",
    use_parser_friendly_name: bool = False,
    keep_quantized_weight: bool = False,
    export_renamed_c_graph_path: str | None = None,
    *,
    dynamic_shapes: Any = None,
    shape: Mapping[str, Sequence[int]] | None = None,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The network of a PyTorch module, trace of TorchScript, exported program or `.pt2` file, and its weights by name,
    as for `from_onnx`.

    `input_infos` names the inputs with their shapes, `("x", (1, 3))` or `("x", ((1, 3), "int32"))`, or is examples of
    them. `dynamic_shapes` is what `torch.export.export` takes: sizes with bounds vary from run to run within them.
    `shape` fixes sizes that an export leaves open. `custom_convert_map` has a function of the inputs and their types
    for operators by name (`aten::relu`), which returns expressions and goes before the compiler's own. Buffers that the
    module changes become state.
    """
    if use_parser_friendly_name or keep_quantized_weight or export_renamed_c_graph_path:
        raise UnsupportedError(
            "from_pytorch: weights have the names and types of the module, whose graph is not written; leave out "
            "use_parser_friendly_name, keep_quantized_weight and export_renamed_c_graph_path"
        )
    infos = named_inputs(input_infos)
    model = script_module
    if not torch.is_torch(model):
        if isinstance(model, str | os.PathLike):
            raise InputError(f"{os.fspath(model)}: is no .pt2 file; save the program with torch.export.save")
        if input_infos is None:
            raise InputError(f"{type(model).__name__}: a module is exported on examples; give input_infos")
        examples = examples_of(infos, default_dtype) if infos else input_infos
        module = cast("nn.Module", model)
        model = exported(module, examples) if infos else torch.export(module, examples, None, dynamic_shapes)
    shapes = {name: tuple(sizes) for name, sizes in (shape or {}).items()}
    loaded = torch.load_model(model)

    def resized(dims: Mapping[str, DimSize]) -> Imported:
        ledger = symbols_of(loaded, dims, shapes)
        own = Converters(custom_convert_map or {})
        imported = torch.import_model(loaded, shapes=shapes, sizes=at_most(dims), ledger=ledger, own=own)
        own.check_used(loaded)
        check_names(imported.module, loaded, dims, shapes)
        if infos:
            rename_inputs(imported, infos)
        return imported

    return _with_params(resized({}), resized)


def _with_params(imported: Imported, resize: Resize | None = None) -> tuple[IRModule, dict[str, NDArray]]:
    params: dict[str, NDArray] = {}
    for name in imported.weights.names():
        array = imported.weights.get(name)
        params[name] = aligned_empty(array.shape, array.dtype).copyfrom(array)
    return IRModule.of(imported.module, imported.weights, resize), params


if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("relay.frontend")
