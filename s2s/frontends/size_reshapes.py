"""Let reshapes that merge or split axes of varying size move the elements, where they are no views.

    %y = graph.reshape %x : (tensor<1x3x9x9xf32>) -> tensor<1x3x81xf32>      with the sizes H and W
->
    %y = graph.dynamic_reshape %x {shape = [1, 3, 81], extents = ["", "", "H * W"]} : …

Tensors keep the strides that they have at the greatest sizes, so that a row of a smaller picture ends in a gap.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.rewriter import Rewriter

from s2s.analysis.network.extents import ExtentsPropagation
from s2s.analysis.structure.axis_groups import axis_groups
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.multiples import IndivisibleError
from s2s.dialects import graph
from s2s.dialects.graph.traits import copy_provenance
from s2s.errors import CompilerBug, UnsupportedError
from s2s.frontends.same_padding import settle_padding
from s2s.types.affine import product_of, simplify
from s2s.types.sizes import DERIVED, Extents


class ShapeAt(NamedTuple):
    """The shape of a result where the size `name` is `size` and all others are the greatest ones."""

    name: str
    size: int
    shape: tuple[int, ...]


class ReshapeSizes(ExtentsPropagation):
    """Derives the extents of all values of a network that was just read, and rewrites reshapes that are no views."""

    def __init__(self, module: ModuleOp, shapes: Mapping[Operation, Sequence[ShapeAt]]) -> None:
        super().__init__(module)
        self.shapes = shapes
        """The shapes of the results of reshapes at smaller sizes."""

    def run(self) -> None:
        """Rewrite the reshapes before the first operation of which no extents are known, which a later pass refuses."""
        try:
            super().run()
        except IndivisibleError:
            raise
        except UnsupportedError:
            if self.table.derived:
                self.module.attributes[DERIVED] = self.table.attribute

    def mark(self, kernel: FuncOp, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        raise CompilerBug(f"{kernel.sym_name.data} is a kernel in a network that was just read")

    def of_operation(self, op: Operation) -> None:
        """Derive the extents of the result of an operation, which is replaced if it is a reshape and no view, or pads
        along axes of constant size."""
        if isinstance(op, graph.SamePadOp | graph.SameAvgPoolOp | graph.MaxPoolIndicesOp):
            settled = settle_padding(op, self.extents[op.x], self.table)
            if settled is not None:
                super().of_operation(settled)
            return
        if not isinstance(op, graph.ReshapeOp) or op not in self.shapes:
            super().of_operation(op)
            return
        try:
            super().of_operation(op)
        except UnsupportedError:
            extents = self._merged(op)
            if extents is None:
                raise
            made = graph.DynamicReshapeOp(op.x, shape=shape_of(op.y), extents=extents)
            copy_provenance(made, op)
            made.y.name_hint = op.y.name_hint
            Rewriter.replace_op(op, made)
            self.extents[made.y] = extents

    def _merged(self, op: graph.ReshapeOp) -> Extents | None:
        """Return the extents of the result of a reshape; None if they do not follow."""
        source, result = shape_of(op.x), shape_of(op.y)
        if 0 in source:
            return None
        before, found = self.extents[op.x], [""] * len(result)
        for old, new in axis_groups(source, result):
            sizes = [self._size(before[axis], source[axis]) for axis in old]
            total = product_of(sizes, self._bounds)
            if isinstance(total, AffineConstantExpr):
                continue
            long = [axis for axis in new if result[axis] > 1]
            if len(long) == 1:
                found[long[0]] = self.table.name_of(total)
                continue
            names = {axis: self._named(axis, result[axis], self.shapes[op]) for axis in long}
            unknown = [axis for axis, name in names.items() if name is None]
            if len(unknown) == 1 and not any(names.values()):
                others = prod(result[axis] for axis in long if axis not in unknown)
                names[unknown[0]] = self.table.name_of(simplify(total // others, self._bounds))
            for axis, name in names.items():
                if name is None:
                    return None
                found[axis] = name
            made = [self._size(found[axis], result[axis]) for axis in new]
            if not self.table.equal(product_of(made, self._bounds), total):
                return None
        return tuple(found)

    @property
    def _bounds(self) -> list[tuple[int, int]]:
        return [(0, size.most) for size in self.table.given.values()]

    def _size(self, name: str, size: int) -> AffineExpr:
        return self.table[name] if name else AffineConstantExpr(size)

    def _named(self, axis: int, most: int, shapes: Sequence[ShapeAt]) -> str | None:
        """Return the known size that an axis has at all sizes at which the network was read; None if there is none."""
        if all(each.shape[axis] == most for each in shapes):
            return ""
        greatest = {name: size.most for name, size in self.table.given.items()}
        runs = [(each.shape[axis], {**greatest, each.name: each.size}) for each in shapes]
        for name in (*self.table.given, *self.table.derived):
            expr = self.table[name]
            if expr.eval(list(greatest.values()), []) != most:
                continue
            if all(expr.eval(list(sizes.values()), []) == found for found, sizes in runs):
                return name
        return None
