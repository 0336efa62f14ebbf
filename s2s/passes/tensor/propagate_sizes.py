"""Mark the dimensions of computations whose size is known at run time, from the axes of the inputs of `main`.

    module attributes {sizes = {n = array<i64: 1, 128>}}
    func.func private @k(%x: tensor<1x128x4xf32>) { tensor.compute [128 | 4] reads(%x at (i, k) -> (0, i, k)) … }
    func.func @main(%x: tensor<1x128x4xf32> {varies = ["", "n", ""]}) -> tensor<128xf32> { graph.call @k(%x) … }
->
    tensor.compute [128 | 4] reads(%x at (i, k) -> (0, i, k)) … extents ["n", ""]
    func.func @main(…) -> (tensor<128xf32> {varies = ["n"]})

Nothing else changes: types and strides are those of the greatest sizes. A kernel that is called with tensors of
different extents is cloned. An operation that reads an axis of varying size other than position by position is refused;
so is one without an iteration domain (a loop, a routine, a transform). Extents are derived anew in every run, so that a
pass that rewrites computations need not keep them.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.extents import domain_extents, reshaped
from s2s.dialects import graph, tensor
from s2s.dialects.graph.traits import provenance
from s2s.errors import CompilerBug, UnsupportedError
from s2s.types.dtypes import AnyTensor, as_tensor_type
from s2s.types.sizes import VARIES, Extents, extents_attribute, extents_of, sizes_of
from s2s.types.symbols import function_named


class PropagateSizesPass(ModulePass):
    name = "tensor-propagate-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if sizes_of(op.attributes):
            Propagation(op).run()


class Propagation:
    """The propagation through `main` and the kernels that it calls."""

    def __init__(self, module: ModuleOp) -> None:
        self.module, self.main = module, main_of(module)
        self.extents: dict[SSAValue, Extents] = {}
        """The extents of each value of `main` and of the kernels."""
        self.kernels: dict[tuple[str, tuple[Extents, ...]], tuple[FuncOp, tuple[Extents, ...]]] = {}
        """For each kernel and the extents of its operands: its function, and the extents of its results."""

    def run(self) -> None:
        """Mark all computations, and the results of `main`."""
        given = self.main.arg_attrs or [DictionaryAttr({})] * len(self.main.args)
        for argument, attributes in zip(self.main.args, given, strict=True):
            self.extents[argument] = extents_of(attributes.data.get(VARIES), len(shape_of(argument)))
        for op in list(self.main.body.block.ops):
            try:
                self._visit(op)
            except UnsupportedError as error:
                place = ", ".join(provenance(op)) or op.name
                raise UnsupportedError(f"{place}: {error}") from error
        self._mark_results()

    def _visit(self, op: Operation) -> None:
        match op:
            case graph.CallOp():
                self._call(op)
            case graph.ReshapeOp():
                self.extents[op.y] = reshaped(shape_of(op.x), self._of(op.x), shape_of(op.y))
            case graph.ConcatOp():
                self.extents[op.y] = self._concatenated(op)
            case graph.SliceOp():
                self.extents[op.y] = self._sliced(op)
            case ReturnOp():
                pass
            case _:
                named = next((name for operand in op.operands for name in self._of(operand) if name), None)
                if named is not None:
                    raise UnsupportedError(f"{op.name} takes no tensor of varying size {named}; give it a constant one")
                self.extents |= {result: ("",) * len(shape_of(result)) for result in op.results}

    def _of(self, value: SSAValue) -> Extents:
        return self.extents[value]

    def _concatenated(self, op: graph.ConcatOp) -> Extents:
        found = {self._of(each) for each in op.inputs}
        extents = next(iter(found))
        if len(found) > 1 or extents[op.axis.value.data]:
            raise UnsupportedError("concatenates tensors of different or varying sizes; give them constant sizes")
        return extents

    def _sliced(self, op: graph.SliceOp) -> Extents:
        extents = self._of(op.x)
        for axis, name in enumerate(extents):
            if name and shape_of(op.x)[axis] != shape_of(op.y)[axis]:
                raise UnsupportedError(f"cuts axis {axis}, whose size {name} varies; give it a constant size")
        return extents

    def _call(self, op: graph.CallOp) -> None:
        name, operands = op.callee.string_value(), tuple(map(self._of, op.operands))
        if (name, operands) not in self.kernels:
            self.kernels[name, operands] = self._kernel(name, operands)
        kernel, results = self.kernels[name, operands]
        if kernel.sym_name.data != name:
            op.properties["callee"] = graph.CallOp(kernel.sym_name.data, op.operands, op.result_types).callee
        self.extents |= dict(zip(op.results, results, strict=True))

    def _kernel(self, name: str, operands: tuple[Extents, ...]) -> tuple[FuncOp, tuple[Extents, ...]]:
        """Mark the kernel `name`, or a clone of it if it has other operands elsewhere."""
        kernel = function_named(self.module, name)
        if kernel is None:
            raise CompilerBug(f"{name} is no function of the module")
        if not any(map(any, operands)) and kernel.is_declaration:
            return kernel, tuple(("",) * len(type.get_shape()) for type in _result_types(kernel))
        if kernel.is_declaration:
            raise UnsupportedError(f"{name} is a C function, which takes constant sizes; give it such")
        versions = sum(other == name for other, _ in self.kernels)
        if versions:
            clone = kernel.clone()
            clone.properties["sym_name"] = StringAttr(self._free_name(name, versions + 1))
            self.module.body.block.insert_op_after(clone, kernel)
            kernel = clone
        return kernel, self._mark(kernel, operands)

    def _free_name(self, name: str, number: int) -> str:
        taken = {op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp)}
        while f"{name}_{number}" in taken:
            number += 1
        return f"{name}_{number}"

    def _mark(self, kernel: FuncOp, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        """Mark the computations of `kernel`; return the extents of its results."""
        known = self.extents
        known |= dict(zip(kernel.args, operands, strict=True))
        for op in kernel.body.block.ops:
            if isinstance(op, ReturnOp):
                return tuple(known[value] for value in op.arguments)
            if not isinstance(op, tensor.ComputeOp):
                if any(any(known[operand]) for operand in op.operands):
                    raise UnsupportedError(f"{op.name} takes no tensor of varying size; give it a constant one")
                known |= {result: ("",) * len(shape_of(result)) for result in op.results}
                continue
            domain = domain_extents(op, [known[operand] for operand in op.operands])
            op.properties.pop("extents", None)
            if any(domain.extents):
                op.properties["extents"] = extents_attribute(domain.extents)
            known |= {result: domain.of_result(result) for result in op.res}
        raise CompilerBug(f"{kernel.sym_name.data} does not return")

    def _mark_results(self) -> None:
        last = self.main.body.block.last_op
        assert isinstance(last, ReturnOp)
        given = self.main.res_attrs or [DictionaryAttr({})] * len(last.arguments)
        self.main.res_attrs = ArrayAttr(
            DictionaryAttr({**attributes.data, VARIES: extents_attribute(self._of(value))})
            for attributes, value in zip(given, last.arguments, strict=True)
        )


def _result_types(kernel: FuncOp) -> Sequence[AnyTensor]:
    return [as_tensor_type(type) for type in kernel.function_type.outputs.data]
