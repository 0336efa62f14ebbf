"""Run an exported program by torch, as the reference that the emitted C is compared with."""

from collections.abc import Callable, Mapping
from typing import Any

from s2s.errors import InputError
from s2s.frontends.torch.capture import import_torch, to_array
from s2s.frontends.torch.load import LoadedModel
from s2s.frontends.torch.tensors import to_tensor
from s2s.types.dtypes import Array


def open_program(model: LoadedModel) -> Callable[[Mapping[str, Array]], list[Array]]:
    """Return a function from inputs by name to the tensors that the program returns; buffers begin as they were
    exported and keep their values from call to call."""
    torch = import_torch()
    from torch.utils import _pytree as pytree

    exported = model.exported
    numbers = model.program.numbers
    names = [spec.arg.name for spec in exported.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    spec = exported.call_spec.in_spec
    if spec is None:
        raise InputError(f"{model.label}: does not say what it takes; export the model again")
    module: Any = exported.module()
    for owner in module.modules():  # else the module shares its buffers with the program, and changes them there
        for name, buffer in list(owner.named_buffers(recurse=False)):
            owner.register_buffer(name, buffer.clone())

    def run(inputs: Mapping[str, Array]) -> list[Array]:
        given = [numbers[name] if name in numbers else to_tensor(inputs[name]) for name in names]
        arguments, named = pytree.tree_unflatten(given, spec)
        with torch.no_grad():
            leaves = pytree.tree_leaves(module(*arguments, **named))
        return [to_array(leaf, model.label) for leaf in leaves if isinstance(leaf, torch.Tensor)]

    return run
