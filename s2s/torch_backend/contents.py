"""Digests of the contents of tensors, which show every change, also changes that torch counts nowhere.

`tensor.data.zero_()`, a view of numpy and another process change the elements of a tensor without its version counter,
and what the garbage collector frees gives its identity and its memory to others. So the elements themselves are read:
by a C function that is as fast as memory, and keyed by a random number of the process.
"""

from __future__ import annotations

import ctypes
import secrets
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from torch import Tensor

from s2s.support.resources import backend_source
from s2s.verify.toolchain import accepted_flags, default_compiler, run_program

Digest = tuple[bytes, int]
"""The contents of tensors, 8 bytes each, and the number of their shapes, strides and element types."""

Layout = tuple[tuple[object, ...], ...]
BYTES = 8
_SOURCE = "digest.c"
_SEED = secrets.randbits(64)


class Contents:
    """Reads the contents of tensors, of which there are as many in each call."""

    def __init__(self, count: int) -> None:
        self._function = _digests(default_compiler())
        self._found = (ctypes.c_uint64 * count)()
        self._facts: list[tuple[object, ...]] = []
        """Memory, shape, strides and element type of each tensor in the last call."""
        self._layouts: dict[Layout, int] = {}
        self._layout = 0
        self._scattered: list[int] = []
        """The tensors whose elements do not lie one after the other: they are copied to be read."""
        self._places: Any = None
        self._sizes: Any = None

    def of(self, tensors: Sequence[Tensor]) -> Digest:
        """The digest of tensors; equal ones are of equal tensors."""
        facts: list[tuple[object, ...]] = [(each.data_ptr(), each.shape, each.stride(), each.dtype) for each in tensors]
        if facts != self._facts:
            self._describe(facts, tensors)
        copies = [tensors[number].contiguous() for number in self._scattered]
        for number, copy in zip(self._scattered, copies, strict=True):
            self._places[number] = copy.data_ptr()
        self._function(self._places, self._sizes, len(tensors), _SEED, self._found)
        return bytes(self._found), self._layout

    def _describe(self, facts: list[tuple[object, ...]], tensors: Sequence[Tensor]) -> None:
        self._facts = facts
        self._layout = self._layouts.setdefault(tuple([each[1:] for each in facts]), len(self._layouts))
        self._scattered = [number for number, each in enumerate(tensors) if not each.is_contiguous()]
        self._places = (ctypes.c_void_p * len(tensors))(*[each.data_ptr() for each in tensors])
        self._sizes = (ctypes.c_size_t * len(tensors))(*[each.nbytes for each in tensors])


def changes(before: Digest, after: Digest) -> list[int]:
    """The numbers of the tensors that differ."""
    if before[1] != after[1]:
        return list(range(len(before[0]) // BYTES))
    places = range(0, len(before[0]), BYTES)
    return [at // BYTES for at in places if before[0][at : at + BYTES] != after[0][at : at + BYTES]]


@cache
def _digests(compiler: tuple[str, ...]) -> Any:
    """The C function, built once for a compiler."""
    flags = accepted_flags(compiler, ["-march=native"])
    with tempfile.TemporaryDirectory(prefix="s2s-digest-") as name:
        source, library = Path(name) / _SOURCE, Path(name) / "digest.so"
        source.write_text(backend_source(_SOURCE), encoding="utf-8")
        run_program([*compiler, *flags, "-std=c99", "-O3", "-shared", "-fPIC", source, "-o", library])
        function = ctypes.CDLL(str(library)).s2s_digests
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_void_p]
    function.restype = None
    return function
