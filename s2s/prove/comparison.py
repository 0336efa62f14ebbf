"""Comparison of what memory holds with the elements of a tensor of the model."""

from __future__ import annotations

from math import prod

import numpy as np

from s2s.prove.buffers import Buffer
from s2s.prove.ctypes import I8, U8, IntType
from s2s.prove.faults import Unprovable
from s2s.prove.memory import Memory
from s2s.prove.reference.model import Tensor
from s2s.prove.values import Form, Pointer, as_form
from s2s.prove.witness import DRAWS, Drawn

TRIED = 32
"""Elements that differ of which an input is looked for."""


def difference(memory: Memory, pointer: Pointer, tensor: Tensor, count: int, *, in_order: bool = False) -> str:
    """How `count` elements at an address differ from a tensor's; empty if they do not.

    Where the tree leaves out channels that nothing reads, its elements are some of the tensor's, in their order.
    Inside of the network, images of ONNX may have their channels last or in blocks; with `in_order` they may not. Equal
    residues prove that long sums are equal; residues of one sum that is written in two ways may differ, so a difference
    of residues alone, without an input that shows it, proves nothing.
    """
    if count <= 0:
        return f"the tree has no element of {tensor.name}"
    atoms, numbers = _elements(memory, pointer, count, tensor.ctype)
    name = tensor.name.split(";")[0]
    if count != tensor.size and tensor.may_move:
        msg = f"{tensor.name} has {tensor.size} elements and the tree {count}, in an order that is not known"
        raise Unprovable(msg)
    if count != tensor.size:
        return _unshown(memory, _difference_of_channels(name, tensor, np.stack([atoms, numbers], -1)))
    wrong = _wrong(tensor, atoms, numbers, in_order=in_order)
    if not len(wrong):
        return ""
    differ = f"{len(wrong)} of {count} elements of {name} differ"
    shown = _shown(memory, pointer, tensor, wrong)
    if shown:
        return f"{differ}; {shown}"
    first = _place(tensor, int(wrong[0]))
    return _unshown(memory, f"{differ}, the first at {first}; none of {DRAWS} inputs that were drawn shows it")


def _unshown(memory: Memory, differs: str) -> str:
    """Return how memory differs where no input shows it; raise `Unprovable` where only residues say so."""
    if differs and memory.arithmetic.atoms.by_residues:
        raise Unprovable(f"by the residues of long sums, {differs}")
    return differs


def _wrong(tensor: Tensor, atoms: np.ndarray, numbers: np.ndarray, *, in_order: bool) -> np.ndarray:
    """The elements that differ from a tensor's, in its order or with its channels last or in blocks, as a tree may hold
    an image of ONNX inside of the network, and bytes without a sign 128 below; in its own order if all have some."""
    above_stored = (0, -I8.least) if tensor.ctype == U8 and not in_order else (0,)
    orders = [np.arange(tensor.size), *(_orders(tensor.shape) if tensor.channels_first and not in_order else [])]
    differing = [
        np.flatnonzero(
            (atoms != tensor.atoms.reshape(-1)[order]) | (numbers + above != tensor.plain.reshape(-1)[order])
        )
        for order in orders
        for above in above_stored
    ]
    return next((wrong for wrong in differing if not len(wrong)), differing[0])


def _orders(shape: tuple[int, ...]) -> list[np.ndarray]:
    """The orders of the elements of an image with its channels last, and in blocks of channels."""
    if len(shape) < 3:
        return []
    places, (batch, channels, *spatial) = np.arange(int(np.prod(shape))).reshape(shape), shape
    blocks = [size for size in (4, 8, 16, 32) if channels % size == 0]
    split = [places.reshape(batch, channels // size, size, *spatial) for size in blocks]
    return [np.moveaxis(places, 1, -1).reshape(-1), *(np.moveaxis(image, 2, -1).reshape(-1) for image in split)]


def order_of(tensor: Tensor, shape: tuple[int, ...]) -> np.ndarray | None:
    """The order in which memory of a shape holds a tensor: its own, or with channels last; None if that is not known.

    Axes of one element are left out. [16][8][4] of 4 channels of [16][8] is an image with its channels last.
    """
    places = np.arange(tensor.size)
    if tensor.size != prod(shape) or tensor.dtype == "UINT8":
        return None
    if not tensor.may_move:
        return places
    orders = [places.reshape(tensor.shape), np.moveaxis(places.reshape(tensor.shape), 1, -1)]
    alike = [each for each in orders if _without_ones(each.shape) == _without_ones(shape)]
    same = alike and all(np.array_equal(each.reshape(-1), alike[0].reshape(-1)) for each in alike)
    return alike[0].reshape(-1) if same else None


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _shown(memory: Memory, pointer: Pointer, tensor: Tensor, wrong: np.ndarray) -> str:
    """An input for which one of the elements `wrong` differs; empty if no input that is drawn shows any."""
    drawn = Drawn(memory.arithmetic.atoms)
    spread = np.unique(np.linspace(0, len(wrong) - 1, TRIED).astype(np.int64))
    for element in wrong[spread].tolist():
        in_c = _drawn_in_c(memory, pointer, element * tensor.ctype.size, drawn)
        in_model = drawn.sum_of(
            tensor.atoms.reshape(-1)[[element]], np.ones(1, np.int64), int(tensor.plain.flat[element])
        )
        if in_c is None or in_model is None or np.array_equal(in_c, in_model):
            continue
        draw = int(np.flatnonzero(in_c != in_model)[0])
        place = _place(tensor, element)
        return f"{place} is {in_c[draw]}, in the model {in_model[draw]}, for inputs drawn with seed {draw}"
    return ""


def _drawn_in_c(memory: Memory, pointer: Pointer, element: int, drawn: Drawn) -> np.ndarray | None:
    """The values of an element of memory at the drawn inputs; None where they do not depend on the inputs alone."""
    buffer, offset = pointer.target, pointer.plain_offset
    assert isinstance(buffer, Buffer)
    cell = np.asarray(offset + element)
    if not 0 <= cell < len(buffer.numbers) or buffer.widths[cell] == 0:
        return None
    form = as_form(memory.value(buffer, cell))
    ids, factors = form.groups[0] if form.groups else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    return drawn.sum_of(ids, factors, int(form.constant))


def _place(tensor: Tensor, element: int) -> str:
    """An element as indices."""
    return "".join(f"[{int(index)}]" for index in np.unravel_index(element, tensor.shape))


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


def _elements(memory: Memory, pointer: Pointer, count: int, ctype: IntType) -> tuple[np.ndarray, np.ndarray]:
    """The atoms and numbers at an address; -1 where an element was not written, or is no single atom."""
    buffer, offset = pointer.target, pointer.plain_offset
    assert isinstance(buffer, Buffer)
    assert isinstance(offset, int)
    cells = offset + ctype.size * np.arange(count)
    if not 0 <= offset <= len(buffer.numbers) - count * ctype.size:
        return np.full(count, -1), np.zeros(count, np.int64)
    form = memory.value(buffer, cells)
    written = buffer.widths[cells] == ctype.width
    if not isinstance(form, Form):
        return np.where(written, 0, -1), buffer.numbers[cells]
    ids, factors = form.groups[0]
    plain = written & (np.count_nonzero(factors, axis=-1) <= 1) & np.all((factors == 0) | (factors == 1), axis=-1)
    return np.where(plain, (ids * factors).sum(-1), -1), np.broadcast_to(np.asarray(form.constant), (count,))
