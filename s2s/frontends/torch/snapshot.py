"""Copy the tensors of an exported program, which shares them with the module that it was exported from."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from s2s.frontends.torch.capture import import_torch

if TYPE_CHECKING:
    from torch import Tensor
    from torch.export import ExportedProgram

Key = tuple[object, ...]


def snapshot(exported: ExportedProgram) -> ExportedProgram:
    """Return the same program with parameters, buffers and constants of its own; tied ones stay tied."""
    copies: dict[Key, Tensor] = {}
    return import_torch().export.ExportedProgram(
        root=exported.graph_module,
        graph=exported.graph,
        graph_signature=exported.graph_signature,
        state_dict=_copied(exported.state_dict, copies),
        range_constraints=exported.range_constraints,
        module_call_graph=exported.module_call_graph,
        example_inputs=exported.example_inputs,
        constants=_copied(exported.constants, copies),
        verifiers=exported.verifiers,
    )


def _copied(tensors: Mapping[str, Any], copies: dict[Key, Tensor]) -> dict[str, Any]:
    kind = import_torch().Tensor
    return {name: _copy(each, copies) if isinstance(each, kind) else each for name, each in tensors.items()}


def _copy(tensor: Tensor, copies: dict[Key, Tensor]) -> Tensor:
    """Return the one copy of the tensors that are equal in memory, shape, strides and type."""
    if tensor.is_sparse or not tensor.numel():
        return _cloned(tensor)
    key = type(tensor), tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype
    if key not in copies:
        copies[key] = _cloned(tensor)
    return copies[key]


def _cloned(tensor: Tensor) -> Tensor:
    parameter = import_torch().nn.Parameter
    copy = tensor.detach().clone()
    return parameter(copy, requires_grad=False) if isinstance(tensor, parameter) else copy
