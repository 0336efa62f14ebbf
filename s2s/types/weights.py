"""Constant tensors of a network, kept outside the IR.

The IR names a weight and carries its type and content hash; the values live here, so that printing, hashing and
rewriting the IR cost nothing per megabyte. A broadcast array (stride 0) stays one value until it is written to a file.

The store owns its arrays: nobody writes to them. A compiled network has the numbers that its weights had when they were
passed; the caller may go on training, or reuse the memory. So whatever is kept of a caller's array is `owned` first. A
read-only view proves nothing, since its memory may be written through another one; these do:

- the bytes of a file or message (`bytes`), and files that are mapped read-only: these are not copied;
- arrays that `owned` or `adopted` returned before, and views of these.
"""

import hashlib
import mmap
from collections.abc import Iterator
from weakref import WeakValueDictionary

import numpy as np

from s2s.errors import CompilerBug

Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]

_OWNED: WeakValueDictionary[int, Array] = WeakValueDictionary()
"""The arrays whose memory nobody writes to, by identity; an entry goes with its array."""


def owned(array: Array) -> Array:
    """Return `array` if nobody can write to its memory, else a read-only copy; axes of stride 0 stay such."""
    if is_owned(array):
        return array
    repeated = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)
    copy = adopted(np.array(array[repeated] if array.size else array, order="K", subok=False))
    return copy if copy.shape == array.shape else np.broadcast_to(copy, array.shape)


def adopted(array: Array) -> Array:
    """Make `array` read-only and take it for owned; the caller vouches that nothing else writes to its memory."""
    array.flags.writeable = False
    _OWNED[id(array)] = array
    return array


def is_owned(array: Array) -> bool:
    """Whether the memory of `array` is one that nobody writes to."""
    memory: object = array
    while isinstance(memory, np.ndarray):
        view: Array = memory
        if _OWNED.get(id(view)) is view:
            return True
        if view.flags.writeable:
            return False
        memory = view.base
    return _is_constant(memory)


def _is_constant(memory: object) -> bool:
    """Whether an object is memory that cannot be written, or a view of such."""
    if isinstance(memory, memoryview):
        return memory.readonly and isinstance(memory.obj, bytes)
    return isinstance(memory, bytes) or (isinstance(memory, mmap.mmap) and memoryview(memory).readonly)


class WeightStore:
    """Named arrays that the store owns, in the order they were added."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}
        self._hashes: dict[str, str] = {}

    def add(self, name: str, array: Array) -> str:
        """Store `array`, or a copy if somebody else may write to it, under `name`, or `name_2`, `name_3`, … when it is
        taken; return the name used."""
        unique, count = name, 1
        while unique in self._arrays:
            count += 1
            unique = f"{name}_{count}"
        self._arrays[unique] = owned(array)
        return unique

    def get(self, name: str) -> Array:
        """The array called `name`."""
        if name not in self._arrays:
            raise CompilerBug(f"weight {name!r} is not in the store")
        return self._arrays[name]

    def hash(self, name: str) -> str:
        """SHA-256 over dtype, shape and values, as 64 hexadecimal digits."""
        if name not in self._hashes:
            self._hashes[name] = _hash(self.get(name))
        return self._hashes[name]

    def copy(self) -> "WeightStore":
        """A store of the same arrays, to which others can be added."""
        made = WeightStore()
        made._arrays, made._hashes = dict(self._arrays), dict(self._hashes)
        return made

    def names(self) -> Iterator[str]:
        """Names in insertion order."""
        return iter(self._arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __len__(self) -> int:
        return len(self._arrays)


def _hash(array: Array) -> str:
    """SHA-256 over dtype, shape and values."""
    digest = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    if array.size and not any(array.strides):
        digest.update(b"splat" + array.reshape(-1)[:1].tobytes())
    else:
        digest.update(np.asarray(array, order="C").reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
