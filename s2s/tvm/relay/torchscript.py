"""Programs of TorchScript as exported programs, and the inputs of a network under the names that a caller gives.

from_pytorch(torch.jit.trace(module, x), [("input0", (1, 3, 224, 224))])
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

from s2s.analysis.network.functions import main_of
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import torch as frontend
from s2s.frontends.imported import Imported

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.export import ExportedProgram

InputInfo = tuple[str, Any]
"""The name of an input with its shape, or with its shape and element type."""


def named_inputs(infos: Sequence[object] | None) -> list[InputInfo]:
    """The inputs that a caller describes by name; none, where examples are given instead."""
    described: list[InputInfo] = []
    for each in infos or ():
        pair = cast("tuple[Any, ...]", each) if isinstance(each, tuple) else ()
        if len(pair) == 2 and isinstance(pair[0], str):
            described.append((pair[0], pair[1]))
    if described and infos is not None and len(described) < len(infos):
        raise InputError("from_pytorch: input_infos mixes names and examples; give (name, shape) for each input")
    return described


def examples_of(infos: Sequence[InputInfo], default_dtype: str) -> list[Tensor]:
    """A tensor of ones for each input that is described."""
    import torch

    tensors: list[Tensor] = []
    for name, kind in infos:
        shape, dtype = kind if len(kind) == 2 and isinstance(kind[1], str) else (kind, default_dtype)
        element = getattr(torch, {"float": "float32", "int": "int32"}.get(dtype, dtype), None)
        if not isinstance(element, torch.dtype):
            raise InputError(f"from_pytorch: {name}: {dtype!r} is no element type of torch; give float32, int64, …")
        tensors.append(torch.ones(tuple(shape), dtype=element))
    return tensors


def exported(module: nn.Module, examples: Sequence[object]) -> ExportedProgram:
    """The program that a module or a trace of TorchScript runs on inputs like the examples."""
    import torch

    if not isinstance(module, torch.jit.ScriptModule):
        return frontend.export(module, examples)
    try:
        from torch._export.converter import TS2EPConverter

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of buffers that nothing reads
            converted = TS2EPConverter(module, tuple(examples)).convert()
    except Exception as error:
        raise UnsupportedError(
            f"from_pytorch: this program of TorchScript is not converted ({error}); give the module itself, "
            "not its trace"
        ) from error
    return frontend.export(cast("nn.Module", converted.module()), examples)  # its sizes are those of the examples


def rename_inputs(imported: Imported, infos: Sequence[InputInfo]) -> None:
    """Give the inputs of a network the names that the caller uses."""
    main = main_of(imported.module)
    attributes = [*(main.arg_attrs or ())]
    if len(attributes) != len(infos):
        raise InputError(f"from_pytorch: {len(infos)} inputs are named, the network has {len(attributes)}; name each")
    main.arg_attrs = ArrayAttr(
        [
            DictionaryAttr({**each.data, "name": StringAttr(name)})
            for each, (name, _) in zip(attributes, infos, strict=True)
        ]
    )
