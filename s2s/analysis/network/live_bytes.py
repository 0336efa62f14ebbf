"""Live bytes over the operations of a network, where tensors may be stored in other tensors.

    0: %a = call @f(%x)          4 bytes of %a
    1: %b = call @g(%x)          4 + 4
    2: %y = call @concat(%a, %b) 4 + 4 + 8: the peak; with %a and %b stored in %y, whose buffer is live from 0: 8

Each tensor has one span, from the operation that makes it to the last one that reads it. Storing tensors in another one
joins their spans, so that a question costs one pass over an array, and not over the operands of all operations.
"""

from collections.abc import Iterable
from math import prod

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.reshapes import root_of
from s2s.dialects import graph
from s2s.types.dtypes import as_tensor_type, size_in_bytes

Span = tuple[int, int]


class LiveBytes:
    """The live bytes at each operation of `func`, and how they change where tensors share buffers."""

    def __init__(self, func: FuncOp) -> None:
        self._stored: dict[SSAValue, SSAValue] = {}
        """Maps a tensor to the tensor that holds it."""
        self._spans: dict[SSAValue, Span] = {}
        operations = list(func.body.block.ops)
        for number, op in enumerate(operations):
            for value in (*op.results, *op.operands):
                if (holder := self._holder(value)) is not None:
                    self._spans[holder] = _hull([self._spans.get(holder, (number, number)), (number, number)])
        self._live = np.zeros(len(operations), np.int64)
        for holder, (first, last) in self._spans.items():
            self._live[first : last + 1] += _size(holder)

    @property
    def peak(self) -> int:
        """The largest number of live bytes."""
        return int(self._live.max(initial=0))

    def peak_if_stored(self, parts: Iterable[SSAValue], whole: SSAValue) -> int:
        """The peak if `parts` were stored in `whole`."""
        return int(self._with(*self._joined(parts, whole)).max(initial=0))

    def store(self, parts: Iterable[SSAValue], whole: SSAValue) -> None:
        """Store `parts` in `whole` from now on."""
        parts = tuple(parts)
        joined, holder = self._joined(parts, whole)
        self._live = self._with(joined, holder)
        hull = _hull(self._spans.pop(each) for each in joined)
        if holder is not None:
            self._spans[holder] = hull
        self._stored |= dict.fromkeys(parts, whole)

    def rename(self, old: SSAValue, new: SSAValue) -> None:
        """Let `new` stand for `old`, the result of an operation that is about to be replaced."""
        if old in self._spans:
            self._spans[new] = self._spans.pop(old)
        if old in self._stored:
            self._stored[new] = self._stored.pop(old)
        else:
            self._stored[old] = new

    def _holder(self, value: SSAValue) -> SSAValue | None:
        """The tensor whose buffer holds `value`; None for inputs and constants."""
        root = root_of(value)
        while root in self._stored:
            root = root_of(self._stored[root])
        return root if isinstance(root.owner, Operation) and not isinstance(root.owner, graph.WeightOp) else None

    def _joined(self, parts: Iterable[SSAValue], whole: SSAValue) -> tuple[list[SSAValue], SSAValue | None]:
        """The tensors whose spans become one, and the tensor that holds them."""
        holder = self._holder(whole)
        holders = dict.fromkeys(self._holder(value) for value in (*parts, whole))
        return [each for each in holders if each is not None], holder

    def _with(self, joined: Iterable[SSAValue], holder: SSAValue | None) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The live bytes with one span of `holder` in place of the spans of `joined`."""
        live, spans = self._live.copy(), [(self._spans[each], _size(each)) for each in joined]
        for (first, last), size in spans:
            live[first : last + 1] -= size
        if holder is not None:
            first, last = _hull(span for span, _ in spans)
            live[first : last + 1] += _size(holder)
        return live


def _hull(spans: Iterable[Span]) -> Span:
    """The shortest span around all of `spans`."""
    firsts, lasts = zip(*spans, strict=True)
    return min(firsts), max(lasts)


def _size(value: SSAValue) -> int:
    kind = as_tensor_type(value.type)
    return prod(kind.get_shape()) * size_in_bytes(kind.element_type)
