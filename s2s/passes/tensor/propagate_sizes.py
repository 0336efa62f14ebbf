"""Mark the dimensions of computations whose size is known at run time, from the axes of the inputs of `main`.

    module attributes {sizes = {n = array<i64: 1, 128>}}
    func.func private @k(%x: tensor<1x128x4xf32>) { tensor.compute [128 | 4] reads(%x at (i, k) -> (0, i, k)) … }
    func.func @main(%x: tensor<1x128x4xf32> {varies = ["", "n", ""]}) -> tensor<128xf32> { graph.call @k(%x) … }
->
    tensor.compute [128 | 4] reads(%x at (i, k) -> (0, i, k)) … extents ["n", ""]
    func.func @main(…) -> (tensor<128xf32> {varies = ["n"]})

Nothing else changes: types and strides are those of the greatest sizes. A dimension has the extent of an axis that it
runs along position by position; along an axis of which windows or parts are read, the extents that the operator stated
stay. A kernel that is called with tensors of different extents is cloned. An operation without an iteration domain (a
loop, a routine) is refused. Extents are derived anew in every run, from those that passes kept.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir.affine import AffineDimExpr
from xdsl.passes import ModulePass

from s2s.analysis.network.extents import ExtentsPropagation
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.extents import DomainExtents
from s2s.dialects import tensor
from s2s.errors import CompilerBug, UnsupportedError
from s2s.types.sizes import FILLS, VARIES, Extents, extents_attribute, extents_of, sizes_of


class PropagateSizesPass(ModulePass):
    name = "tensor-propagate-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if sizes_of(op.attributes):
            Propagation(op).run()


class Propagation(ExtentsPropagation):
    """The propagation through computations, which it marks."""

    def __init__(self, module: ModuleOp) -> None:
        super().__init__(module)
        self.domains: dict[tensor.ComputeOp, DomainExtents] = {}
        """The extents of each computation, and what it reads of axes of varying size."""

    def run(self) -> None:
        """Mark all computations, and the results of `main`."""
        super().run()
        last = self.main.body.block.last_op
        assert isinstance(last, ReturnOp)
        given = self.main.res_attrs or [DictionaryAttr({})] * len(last.arguments)
        self.main.res_attrs = ArrayAttr(
            DictionaryAttr({**attributes.data, VARIES: extents_attribute(self.extents[value])})
            for attributes, value in zip(given, last.arguments, strict=True)
        )

    def _scatter(self, op: tensor.ScatterOp) -> None:
        """Mark the domain of a scatter: a dimension has the size of the axes that it runs along."""
        names = [""] * len(op.sizes)
        for value, access in zip([*op.parts, *op.epilogue], op.accesses, strict=True):
            for at, name in zip(access.map.data.results, self.extents[value], strict=True):
                if not name:
                    continue
                if not isinstance(at, AffineDimExpr) or names[at.position] not in ("", name):
                    raise UnsupportedError(
                        f"{op.name} reads parts of an axis of varying size {name}; give that axis a constant size"
                    )
                names[at.position] = name
        for axis, (at, name) in enumerate(zip(op.into.map.data.results, self.extents[op.base], strict=True)):
            if (
                name
                and axis not in op.indexed_axes
                and not (isinstance(at, AffineDimExpr) and names[at.position] == name)
            ):
                raise UnsupportedError(
                    f"{op.name} writes along axis {axis}, whose size {name} updates do not have; give both one size"
                )
        op.attributes.pop(VARIES, None)
        if any(names):
            op.attributes[VARIES] = extents_attribute(names)
        self.extents[op.res] = self.extents[op.base]

    def mark(self, kernel: FuncOp, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        known = self.extents
        for op in kernel.body.block.ops:
            if isinstance(op, ReturnOp):
                return tuple(self.of(op.arguments))
            if isinstance(op, tensor.TransformOp):
                known[op.res] = extents_of(op.attributes.get(VARIES), len(shape_of(op.res)))
                continue
            if isinstance(op, tensor.ExternOp) and (FILLS in op.attributes or VARIES in op.attributes):
                known[op.res[0]] = extents_of(op.attributes.get(VARIES), len(shape_of(op.res[0])))
                continue
            if isinstance(op, tensor.ScatterOp):
                self._scatter(op)
                continue
            if not isinstance(op, tensor.ComputeOp):
                if any(map(any, self.of(op.operands))):
                    raise UnsupportedError(f"{op.name} takes no tensor of varying size; give it a constant one")
                known |= {result: ("",) * len(shape_of(result)) for result in op.results}
                continue
            self.domains[op] = self.of_computation(op)
        raise CompilerBug(f"{kernel.sym_name.data} does not return")
