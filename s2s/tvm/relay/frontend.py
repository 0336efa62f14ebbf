"""Model readers under TVM's names.

module, params = s2s.tvm.relay.frontend.from_onnx(model, shape={"data": (1, 3, 224, 224)})
library = s2s.build(module, target="host", params=params)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from s2s.errors import InputError
from s2s.executor.ndarray import NDArray, aligned_empty
from s2s.frontends import onnx, tflite, torch
from s2s.frontends.imported import Imported
from s2s.frontends.model import Resize
from s2s.frontends.sizes import mark_sizes, with_bounds
from s2s.tvm.relay.module import IRModule
from s2s.types.sizes import DimSize, at_most, vary

if TYPE_CHECKING:
    from torch import nn
    from torch.export import ExportedProgram


def from_onnx(
    model: onnx.ModelSource, shape: Mapping[str, Sequence[int]] | None = None
) -> tuple[IRModule, dict[str, NDArray]]:
    """The network at graph level, and its weights by name; `shape` fixes inputs that the model leaves open.

    The weights may be changed before `s2s.build` takes them; their names stand in the module as `graph.weight`.
    """
    return _with_params(onnx.import_model(model, shapes={name: tuple(sizes) for name, sizes in (shape or {}).items()}))


def from_tflite(model: tflite.ModelSource) -> tuple[IRModule, dict[str, NDArray]]:
    """The network of a TFLite file, given as path or bytes, and its weights by name, as `from_onnx` gives them."""
    return _with_params(tflite.import_model(model))


def from_pytorch(
    model: nn.Module | ExportedProgram | str | os.PathLike[str],
    example_inputs: Sequence[object] | None = None,
    dynamic_shapes: Any = None,
    *,
    shape: Mapping[str, Sequence[int]] | None = None,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The network of a PyTorch module, exported program or `.pt2` file, and its weights by name, as for `from_onnx`.

    A module is exported on `example_inputs`; `dynamic_shapes` is what `torch.export.export` takes: sizes with bounds
    vary from run to run within them. `shape` fixes sizes that an export leaves open. Buffers that the module changes
    become state.
    """
    if not torch.is_torch(model):
        if isinstance(model, str | os.PathLike):
            raise InputError(f"{os.fspath(model)}: is no .pt2 file; save the program with torch.export.save")
        if example_inputs is None:
            raise InputError(f"{type(model).__name__}: a module is exported on examples; give example_inputs")
        model = torch.export(cast("nn.Module", model), example_inputs, None, dynamic_shapes)
    shapes = {name: tuple(sizes) for name, sizes in (shape or {}).items()}
    loaded = torch.load_model(model)

    def resized(dims: Mapping[str, DimSize]) -> Imported:
        bounded = with_bounds(loaded, dims, shapes)
        imported = torch.import_model(loaded, shapes=shapes, sizes=at_most(dims), varies=vary(bounded))
        mark_sizes(imported.module, loaded, dims, shapes)
        return imported

    return _with_params(resized({}), resized)


def _with_params(imported: Imported, resize: Resize | None = None) -> tuple[IRModule, dict[str, NDArray]]:
    params: dict[str, NDArray] = {}
    for name in imported.weights.names():
        array = imported.weights.get(name)
        params[name] = aligned_empty(array.shape, array.dtype).copyfrom(array)
    return IRModule(imported.module, imported.weights, resize), params
