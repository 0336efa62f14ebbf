"""Sizes that `te.var` leaves open, as sizes of the module that vary from call to call.

    C = te.compute((n,), lambda i: A[i] + B[i])     with the bounds n = 1..64
->
    module attributes {sizes = {n = array<i64: 1, 64>}}
    tensor.compute [64] epilogue(%A at (i) -> (i), %B at (i) -> (i)) extents ["n"] …
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.dialects import tensor
from s2s.errors import InputError
from s2s.tvm.te.expressions import Size, Tensor
from s2s.tvm.te.loops import Loops
from s2s.tvm.te.sizes import Bind, greatest_of, is_open, value_of
from s2s.types.bounded_sizes import MAX_RUNS
from s2s.types.size import Ledger
from s2s.types.size import Size as Symbol
from s2s.types.sizes import (
    DERIVED,
    SIZES,
    VARIES,
    Extents,
    SizeRange,
    SizeTable,
    constant,
    extents_attribute,
    sizes_attribute,
    varying,
)

MAX_BYTES = (1 << 31) - 1
"""The bytes of a tensor whose size has no bounds."""


class OpenSizes:
    """The sizes of a function that vary, and which dimensions have them."""

    def __init__(self, bind: Bind) -> None:
        self._ranges = varying(bind)
        ledger = Ledger()
        self._values = {**constant(bind), **{name: ledger.size(name, size) for name, size in self._ranges.items()}}
        self._table = SizeTable({SIZES: sizes_attribute(self._ranges)})
        self._extents: dict[SSAValue, Extents] = {}

    def extents(self, shape: Sequence[Size]) -> Extents:
        """The names of the sizes of a shape, empty for constant ones."""
        values = [value_of(size, self._values) for size in shape]
        return tuple(self._table.name_of(value.expr) if isinstance(value, Symbol) else "" for value in values)

    def state(self, op: tensor.ComputeOp, loops: Loops, values: Mapping[object, SSAValue]) -> None:
        """State the sizes of the domain of a computation, which reads elements of its operands that there are in every
        call."""
        if not self._ranges:
            return
        domain = self.extents([loop.extent for loop in loops.domain])
        op.properties["extents"] = extents_attribute(domain)
        read = {values[source.key]: source for source in loops.nest.sources if source.key in values}
        for value, access in zip((*op.reads, *op.epilogue), op.accesses, strict=False):
            for name, at in zip(self.extents(read[value].shape), access.map.data.results, strict=True):
                along = domain[at.position] if isinstance(at, AffineDimExpr) else ""
                if name and name != along and (along or self._is_unbounded(name)):
                    steps = f"a loop of {along} steps" if along else "other places than those of one loop"
                    raise loops.nest.refusal(
                        f"reads {read[value].name}, whose size {name} varies, at {steps}; give bind={{{name!r}: …}} to "
                        "build"
                    )

    def _is_unbounded(self, name: str) -> bool:
        """Whether a size has more values than one can look at."""
        return self._table.range(name).most > MAX_RUNS

    def mark(self, module: ModuleOp, main: FuncOp, inputs: Sequence[Tensor]) -> None:
        """Note the sizes, and which axes of inputs have them."""
        if not self._ranges:
            return
        module.attributes[SIZES] = sizes_attribute(self._ranges)
        marked = zip(main.arg_attrs or (), inputs, strict=True)
        main.arg_attrs = ArrayAttr(
            DictionaryAttr({**port.data, VARIES: extents_attribute(self.extents(tensor.shape))})
            for port, tensor in marked
        )
        if self._table.derived:
            module.attributes[DERIVED] = self._table.attribute


def without_bounds(tensors: Sequence[Tensor], names: Sequence[str], bind: Bind) -> Bind:
    """Return `bind` with bounds of the sizes `names`, the greatest with which no tensor has more than `MAX_BYTES`."""
    inner = next(
        (tensor for tensor in tensors for size in tensor.shape[1:] if is_open(size, _upto(names, 1, bind))), None
    )
    if inner is not None:
        hint = ", ".join(f"{name!r}: '1..64'" for name in names)
        raise InputError(
            f"tvm.build: {inner.name} has rows of a size that varies; bound it for a library, bind={{{hint}}}, or give "
            "numbers"
        )
    low, high = 1, MAX_BYTES
    while low < high:
        most = (low + high + 1) // 2
        bounds = _upto(names, most, bind)
        sizes = [
            np.dtype(tensor.dtype).itemsize * prod(greatest_of(n, bounds) for n in tensor.shape) for tensor in tensors
        ]
        low, high = (most, high) if max(sizes) <= MAX_BYTES else (low, most - 1)
    return _upto(names, low, bind)


def _upto(names: Sequence[str], most: int, bind: Bind) -> Bind:
    return {**bind, **dict.fromkeys(names, SizeRange(1, most))}
