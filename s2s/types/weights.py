"""Constant tensors of a network, kept outside the IR.

The IR names a weight and carries its type and content hash; the values live here, so that printing, hashing and
rewriting the IR cost nothing per megabyte. Arrays are read-only. A broadcast array (stride 0) stays one value until it
is written to a file.
"""

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from s2s.errors import CompilerBug

Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]


class SharedArrays:
    """Arrays by name that several stores hold, which makes them read-only; each is hashed once."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = {name: _read_only(array) for name, array in arrays.items()}
        self._hashes: dict[int, str | None] = dict.fromkeys(map(id, self.arrays.values()))

    def hash(self, array: Array) -> str:
        """The hash of `array`, which is kept if the array is one of these."""
        found = self._hashes.get(id(array))
        if found is None:
            found = _hash(array)
            if id(array) in self._hashes:
                self._hashes[id(array)] = found
        return found


class WeightStore:
    """Named read-only arrays, in the order they were added; `shared` keeps the hashes of arrays in it."""

    def __init__(self, shared: SharedArrays | None = None) -> None:
        self._arrays: dict[str, Array] = {}
        self._hashes: dict[str, str] = {}
        self._shared = shared

    def add(self, name: str, array: Array) -> str:
        """Store `array` under `name`, or `name_2`, `name_3`, … when it is taken; return the name used."""
        unique, count = name, 1
        while unique in self._arrays:
            count += 1
            unique = f"{name}_{count}"
        self._arrays[unique] = _read_only(array)
        return unique

    def get(self, name: str) -> Array:
        """The array called `name`."""
        if name not in self._arrays:
            raise CompilerBug(f"weight {name!r} is not in the store")
        return self._arrays[name]

    def hash(self, name: str) -> str:
        """SHA-256 over dtype, shape and values, as 64 hexadecimal digits."""
        if name not in self._hashes:
            self._hashes[name] = (_hash if self._shared is None else self._shared.hash)(self.get(name))
        return self._hashes[name]

    def copy(self) -> "WeightStore":
        """A store of the same arrays, to which others can be added."""
        made = WeightStore(self._shared)
        made._arrays, made._hashes = dict(self._arrays), dict(self._hashes)
        return made

    def names(self) -> Iterator[str]:
        """Names in insertion order."""
        return iter(self._arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __len__(self) -> int:
        return len(self._arrays)


def _read_only(array: Array) -> Array:
    """Return a view of `array` that cannot be written to; `array` itself if it is such a one."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def _hash(array: Array) -> str:
    """SHA-256 over dtype, shape and values."""
    digest = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    if array.size and not any(array.strides):
        digest.update(b"splat" + array.reshape(-1)[:1].tobytes())
    else:
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
