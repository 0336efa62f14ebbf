"""Run an exported program by torch, as the reference that the emitted C is compared with."""

from collections.abc import Mapping

from s2s.errors import InputError
from s2s.frontends.torch.capture import import_torch, to_array
from s2s.frontends.torch.load import LoadedModel
from s2s.frontends.torch.tensors import to_tensor
from s2s.types.dtypes import Array


def run_program(model: LoadedModel, inputs: Mapping[str, Array]) -> list[Array]:
    """The tensors that the program returns, on inputs by name; buffers begin as they were exported."""
    torch = import_torch()
    from torch.utils import _pytree as pytree

    exported = model.exported
    numbers = model.program.numbers
    names = [spec.arg.name for spec in exported.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    given = [numbers[name] if name in numbers else to_tensor(inputs[name]) for name in names]
    spec = exported.call_spec.in_spec
    if spec is None:
        raise InputError(f"{model.label}: does not say what it takes; export the model again")
    arguments, named = pytree.tree_unflatten(given, spec)
    with torch.no_grad():
        found = exported.module()(*arguments, **named)
    leaves = pytree.tree_leaves(found)
    return [to_array(leaf, model.label) for leaf in leaves if isinstance(leaf, torch.Tensor)]
