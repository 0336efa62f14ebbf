"""Walk through `main` and the kernels that it calls, and derive the extents of all values from the inputs' extents.

A kernel that is called with tensors of different extents is cloned. Subclasses say what happens inside a kernel.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import device_of, main_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.extents import DomainExtents, domain_extents
from s2s.analysis.structure.shape_functions import result_extents
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import GraphOp
from s2s.dialects.graph.traits import provenance
from s2s.errors import CompilerBug, UnsupportedError
from s2s.types.devices import MAIN
from s2s.types.dtypes import AnyTensor, as_tensor_type
from s2s.types.sizes import DERIVED, LIMITS, VARIES, Extents, SizeTable, extents_attribute, extents_of
from s2s.types.symbols import function_named


class ExtentsPropagation(ABC):
    """The propagation through `main` and the kernels that it calls."""

    def __init__(self, module: ModuleOp) -> None:
        self.module, self.main = module, main_of(module)
        self.table = SizeTable(module.attributes)
        """The sizes of the module; new ones are added to its attributes at the end."""
        self.extents: dict[SSAValue, Extents] = {}
        """The extents of each value of `main` and of the kernels."""
        self.kernels: dict[tuple[str, tuple[Extents, ...]], tuple[FuncOp, tuple[Extents, ...]]] = {}
        """For each kernel and the extents of its operands: its function, and the extents of its results."""
        self.calls = calls_of(module)
        self.unmarked: dict[str, FuncOp] = {}
        """The kernels with several calls as they were."""
        functions = (op for op in module.ops if isinstance(op, FuncOp))
        self.has_devices = any(device_of(op) != MAIN or (op.is_declaration and op.res_attrs) for op in functions)

    def run(self) -> None:
        """Derive the extents of all values."""
        given = self.main.arg_attrs or [DictionaryAttr({})] * len(self.main.args)
        for argument, attributes in zip(self.main.args, given, strict=True):
            self.extents[argument] = extents_of(attributes.data.get(VARIES), len(shape_of(argument)))
        for op in list(self.main.body.block.ops):
            self._visit_at(op)
        if self.table.derived:
            self.module.attributes[DERIVED] = self.table.attribute
        for kernel, results in self.kernels.values():
            self.state_results(kernel, results)

    @abstractmethod
    def mark(self, kernel: FuncOp, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        """Derive the extents of the values in `kernel`; return the extents of its results."""

    def of(self, operands: Sequence[SSAValue]) -> list[Extents]:
        """Return the extents of `operands`."""
        return [self.extents[value] for value in operands]

    def of_operation(self, op: Operation) -> None:
        """Derive the extents of the result of an operation of the graph."""
        if isinstance(op, GraphOp):
            found = result_extents(op, self.of(op.operands), self.table)
            limits = extents_of(op.attributes.get(LIMITS), len(found))
            self.extents[op.y] = tuple(limit or name for limit, name in zip(limits, found, strict=True))
            self._check_room(op)
            if isinstance(op, graph.DynamicSliceOp):
                self._check_begins(op)
            return
        if isinstance(op, graph.DeviceCopyOp):
            self.extents[op.y] = self.extents[op.x]
            return
        if isinstance(op, graph.ScanOp):
            self._scan(op)
            return
        if isinstance(op, graph.IfOp | graph.WhileOp):
            self._branch_or_loop(op)
            return
        if isinstance(op, tensor.ComputeOp):
            self.of_computation(op)
            return
        named = next((name for extents in self.of(op.operands) for name in extents if name), None)
        if named is not None:
            raise UnsupportedError(f"{op.name} takes no tensor of varying size {named}; give it a constant one")
        self.extents |= {result: ("",) * len(shape_of(result)) for result in op.results}

    def of_computation(self, op: tensor.ComputeOp) -> DomainExtents:
        """Derive the extents of the domain of a computation, which is marked, and of its results."""
        domain = domain_extents(op, self.of(op.operands), self.table)
        op.properties.pop("extents", None)
        if any(domain.extents):
            op.properties["extents"] = extents_attribute(domain.extents)
        self.extents |= {result: domain.of_result(result) for result in op.res}
        return domain

    def _check_room(self, op: GraphOp) -> None:
        """Refuse a result that has no element in some run, or more of them than at the greatest sizes, which is what
        there is room for."""
        for axis, (name, room) in enumerate(zip(self.extents[op.y], shape_of(op.y), strict=True)):
            if not name:
                continue
            range = self.table.range(name)
            if range.least < self.table.least_of(name):
                raise UnsupportedError(
                    f"axis {axis} of its result has {name} elements, {range.least} at the least sizes; give greater "
                    "ones"
                )
            if range.most > room:
                raise UnsupportedError(
                    f"axis {axis} of its result has {name} elements, {range.most} in some run and only {room} at the "
                    "greatest sizes; let what it follows from grow with the sizes, or give these a constant value"
                )

    def _check_begins(self, op: graph.DynamicSliceOp) -> None:
        """Refuse a slice that begins before the first element at the least sizes."""
        for axis, name in enumerate(extents_of(op.begins, len(op.begins))):
            if name and (least := self.table.range(name).least) < 0:
                raise UnsupportedError(
                    f"begins at {name} along axis {axis}, at {least} of the least sizes; give greater ones"
                )

    def _scan(self, op: graph.ScanOp) -> None:
        """Derive the extents of the results of a scan: stacked results have the size of the scanned operands."""
        operands, (_, scanned, _) = self.of(op.inputs), op.parts
        steps = {extents[0] for number, extents in enumerate(operands) if number in scanned}
        inner = [extents[int(number in scanned) :] for number, extents in enumerate(operands)]
        if len(steps) > 1:
            raise UnsupportedError("scans operands of different sizes; give them one size")
        size = next(iter(steps), "")
        op.properties.pop("extent", None)
        if size:
            op.properties["extent"] = StringAttr(size)
        carried = op.carried.value.data
        found = self._network(op.body.string_value(), inner)
        self._check_carried(found, inner[:carried])
        for number, (result, extents) in enumerate(zip(op.results, found, strict=True)):
            self.extents[result] = extents if number < carried else (size, *extents)

    def _branch_or_loop(self, op: graph.IfOp | graph.WhileOp) -> None:
        """Derive the extents of the results of a branch or a loop, from both branches or from the carried values."""
        operands = self.of(op.inputs)
        results = [self._network(name, operands) for name in op.networks]
        if isinstance(op, graph.WhileOp):
            self._check_carried(results[1], operands[: len(op.results)])
        elif results[0] != results[1]:
            raise UnsupportedError("has branches whose results have different sizes; give them one size")
        self.extents |= dict(zip(op.results, results[1], strict=True))

    def _check_carried(self, found: Sequence[Extents], before: Sequence[Extents]) -> None:
        for one, other in zip(found, before, strict=False):
            if one != other:
                given, kept = list(filter(None, other)), list(filter(None, one))
                raise UnsupportedError(
                    f"takes sizes {given} and carries {kept} on; give the value one size in all steps"
                )

    def _network(self, name: str, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        """Derive the extents of the values of a network that another one runs; return the extents of its results."""
        body = function_named(self.module, name)
        assert body is not None
        if not any(map(any, operands)):
            return tuple(("",) * len(type.get_shape()) for type in _result_types(body))
        known = tuple(self.extents[argument] for argument in body.args) if body.args[0] in self.extents else None
        if known is not None and known != tuple(operands):
            raise UnsupportedError(f"runs {name} on tensors of other sizes than elsewhere; give them one size")
        self.extents |= dict(zip(body.args, operands, strict=True))
        for op in list(body.body.block.ops):
            self._visit_at(op)
        last = body.body.block.last_op
        assert isinstance(last, ReturnOp)
        return tuple(self.of(last.arguments))

    def state_results(self, kernel: FuncOp, results: Sequence[Extents]) -> None:
        """State the extents of the results of a kernel for other devices, to which it is a declaration."""
        if self.has_devices:
            kernel.res_attrs = ArrayAttr(DictionaryAttr({VARIES: extents_attribute(each)}) for each in results)

    def _visit_at(self, op: Operation) -> None:
        """Derive the extents of an operation's results; an error names its place, and the places of its callers."""
        try:
            self._visit(op)
        except UnsupportedError as error:
            place = ", ".join(provenance(op)) or op.name
            raise type(error)(f"{place}: {error}") from error

    def _visit(self, op: Operation) -> None:
        match op:
            case graph.CallOp():
                self._call(op)
            case ReturnOp():
                pass
            case _:
                self.of_operation(op)

    def _call(self, op: graph.CallOp) -> None:
        name, operands = op.callee.string_value(), tuple(self.of(op.operands))
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
        if kernel.is_declaration:
            if kernel.res_attrs is not None:
                results = zip(kernel.res_attrs, _result_types(kernel), strict=True)
                return kernel, tuple(extents_of(each.data.get(VARIES), len(type.get_shape())) for each, type in results)
            if any(map(any, operands)):
                raise UnsupportedError(f"{name} is a C function, which takes constant sizes; give it such")
            return kernel, tuple(("",) * len(type.get_shape()) for type in _result_types(kernel))
        versions = sum(other == name for other, _ in self.kernels)
        if versions:
            clone = self.unmarked[name].clone()
            clone.properties["sym_name"] = StringAttr(self._free_name(name, versions + 1))
            self.module.body.block.insert_op_after(clone, kernel)
            kernel = clone
        elif len(self.calls.get(name, ())) > 1:
            self.unmarked[name] = kernel.clone()
        self.extents |= dict(zip(kernel.args, operands, strict=True))
        return kernel, self.mark(kernel, operands)

    def _free_name(self, name: str, number: int) -> str:
        taken = {op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp)}
        while f"{name}_{number}" in taken:
            number += 1
        return f"{name}_{number}"


def _result_types(kernel: FuncOp) -> Sequence[AnyTensor]:
    return [as_tensor_type(type) for type in kernel.function_type.outputs.data]
