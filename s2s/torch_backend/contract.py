"""What a graph does beside computing: which inputs it changes in place, and how its outputs lie in memory.

A network of C reads arrays and writes others. What torch promises besides is kept by the backend: an output that is a
view of an input is that view, outputs that share memory share it, strides are those of torch, and an input that the
graph changes in place holds the new values afterwards.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from s2s.errors import UnsupportedError
from s2s.frontends.names import one_line
from s2s.support.frozen import frozen


@frozen
class Place:
    """Where a tensor lies: in a storage, which is an input's if `of_input` is its number."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    """The place of its first element behind the first one of the storage, or of the input."""
    storage: int
    dtype: torch.dtype
    of_input: int | None

    @property
    def extent(self) -> int:
        """The elements of the storage up to its last one."""
        return self.offset + _extent(self.shape, self.strides) if 0 not in self.shape else 0

    @property
    def once(self) -> tuple[slice, ...]:
        """The part of the tensor that holds each element once: axes of stride 0 repeat theirs."""
        return tuple(slice(0, 1) if stride == 0 else slice(None) for stride in self.strides)


@frozen
class Contract:
    """What a graph does for inputs of certain shapes."""

    changed: tuple[int, ...]
    """The inputs that it changes."""
    outputs: tuple[object, ...]
    """For each output its place, or the value of one that is no tensor."""

    @property
    def computed(self) -> tuple[int, ...]:
        """The outputs that are computed: tensors that are no views of inputs."""
        return tuple(n for n, each in enumerate(self.outputs) if isinstance(each, Place) and each.of_input is None)


def contract_of(graph: Callable[..., Any], inputs: Sequence[Any], known: Collection[int] = ()) -> Contract:
    """Run `graph` on tensors without elements, and see what it does; it is `known` to change some inputs."""
    try:
        with torch.no_grad(), FakeTensorMode(allow_non_fake_inputs=True):
            fakes = [_alone(each) if _is_tensor(each) else each for each in inputs]
            before = [_version(each) for each in fakes]
            outputs = pytree.tree_leaves(graph(*fakes), is_leaf=lambda each: each is None)
            changed = [n for n, each in enumerate(fakes) if _version(each) != before[n] or n in known]
    except Exception as error:
        reason = one_line(str(error).strip().partition("\n")[0])
        raise UnsupportedError(
            f"the graph: its results have no sizes before it runs ({reason}); compute them"
        ) from error
    memory = {_storage(inputs[n]) for n in changed}
    shared = [n for n, each in enumerate(inputs) if _is_tensor(each) and n not in changed and _storage(each) in memory]
    if shared:
        raise UnsupportedError(f"input {shared[0]}: shares the memory of one that is changed; pass a copy of it")
    return Contract(tuple(changed), tuple(_place(each, fakes) if _is_tensor(each) else each for each in outputs))


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


def _alone(tensor: Tensor) -> Tensor:
    """Make a tensor like this one in a storage of its own. Inputs that share memory in one call need not in the next
    one, so the input that an output is a view of is told by its storage in no other way."""
    offset = tensor.storage_offset()
    memory = torch.empty(offset + _extent(tensor.shape, tensor.stride()), dtype=tensor.dtype)
    return memory.as_strided(tensor.shape, tensor.stride(), offset)


def _extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """The elements of memory from the first element of a tensor to its last one."""
    return 0 if 0 in shape else sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) + 1


def _version(value: Any) -> int:
    """How often a tensor was changed in place; tensors of `inference_mode` do not count it."""
    return value._version if _is_tensor(value) and not value.is_inference() else 0


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata  # pyright: ignore[reportPrivateUsage]


def _place(tensor: Tensor, inputs: Sequence[Any]) -> Place:
    owner = next((n for n, each in enumerate(inputs) if _is_tensor(each) and _storage(each) == _storage(tensor)), None)
    begin = 0 if owner is None else inputs[owner].storage_offset()
    if owner is not None and inputs[owner].dtype != tensor.dtype:
        raise UnsupportedError("an output: is a view of an input as another element type; return a copy")
    shape, strides = tuple(map(int, tensor.shape)), tuple(map(int, tensor.stride()))
    return Place(shape, strides, int(tensor.storage_offset()) - int(begin), _storage(tensor), tensor.dtype, owner)
