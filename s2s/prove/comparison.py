"""Comparison of what memory holds with the elements of a tensor of the model."""

from __future__ import annotations

import numpy as np

from s2s.prove.memory import Buffer, Memory
from s2s.prove.reference.model import Tensor
from s2s.prove.values import Form, Pointer


def difference(memory: Memory, pointer: Pointer, tensor: Tensor, count: int) -> str:
    """How `count` int8 elements at an address differ from a tensor's; empty if they do not.

    Where the tree leaves out channels that nothing reads, its elements are some of the tensor's, in their order.
    """
    if count <= 0:
        return f"the tree has no element of {tensor.name}"
    atoms, numbers = _elements(memory, pointer, count)
    name = tensor.name.split(";")[0]
    if count != tensor.size:
        return _difference_of_channels(name, tensor, np.stack([atoms, numbers], -1))
    wrong = np.flatnonzero((atoms != tensor.atoms.reshape(-1)) | (numbers != tensor.plain.reshape(-1)))
    if not len(wrong):
        return ""
    place = "".join(f"[{int(index)}]" for index in np.unravel_index(int(wrong[0]), tensor.shape))
    return f"{len(wrong)} of {count} elements of {name} differ, the first at {place}"


def _difference_of_channels(name: str, tensor: Tensor, elements: np.ndarray) -> str:
    """The same where only some channels are there: each kept channel is one of the tensor's in every place."""
    channels = tensor.shape[-1]
    places = tensor.size // channels
    if len(elements) % places:
        return f"{name} has {tensor.size} elements, the tree has {len(elements)}"
    wanted = np.stack([tensor.atoms.reshape(-1), tensor.plain.reshape(-1)], -1).reshape(places, channels, 2)
    held = elements.reshape(places, -1, 2)
    last = -1
    for channel in range(held.shape[1]):
        same = np.all(wanted == held[:, channel : channel + 1], axis=(0, 2))
        after = [index for index in np.flatnonzero(same).tolist() if index > last]
        if not after:
            return f"channel {channel} of {name} is none of the reference's"
        last = after[0]
    return ""


def _elements(memory: Memory, pointer: Pointer, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The atoms and numbers at an address; -1 where an element was not written, or is no single atom."""
    buffer, offset = pointer.target, pointer.plain_offset
    assert isinstance(buffer, Buffer)
    assert isinstance(offset, int)
    cells = offset + np.arange(count)
    if not 0 <= offset <= len(buffer.numbers) - count:
        return np.full(count, -1), np.zeros(count, np.int64)
    form = memory.value(buffer, cells)
    written = buffer.widths[cells] == 1
    if not isinstance(form, Form):
        return np.where(written, 0, -1), buffer.numbers[cells]
    ids, factors = form.groups[0]
    plain = written & (np.count_nonzero(factors, axis=-1) <= 1) & np.all((factors == 0) | (factors == 1), axis=-1)
    return np.where(plain, (ids * factors).sum(-1), -1), np.broadcast_to(np.asarray(form.constant), (count,))
