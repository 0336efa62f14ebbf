"""Store the padding value behind the end of axes of varying size, so that windows that reach there need no test.

    %a = tensor.compute [8, 320] … extents ["", "w"]
    %y = tensor.compute [8, 320 | 3] reads(%a at (c, i, r) -> (c, i + r - 1), guarded) … extents ["", "w", ""]
->
    %a = tensor.compute [8, 320] … extents ["", "w"] {margins = [{axis = 1, count = 1, size = "w", value = 0.0 : f32}]}

Guards are those of the greatest sizes: with `w = 100`, the window at position 99 reads position 100, which the guard
lets pass. It holds 0 then, as a product skipped by the guard would add, so that all loops stay those of the greatest
sizes. An input of the network, whose memory belongs to the caller, is copied, and so is what another device has
written. Where nothing that is stored can stand for nothing read (a mean that counts the elements of its window), the
network is refused.
"""

from math import ceil, prod

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FloatAttr, ModuleOp, UnitAttr, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import KERNEL
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.extents import reshaped
from s2s.analysis.structure.fills import fill_of
from s2s.dialects import graph, tensor
from s2s.dialects.graph.traits import provenance
from s2s.errors import UnsupportedError
from s2s.passes.tensor.permute import copy_of
from s2s.passes.tensor.propagate_sizes import Propagation
from s2s.types.affine import is_dim, ranges, simplify
from s2s.types.hints import isa
from s2s.types.margins import MARGINS, Margin, margins_attribute, margins_of
from s2s.types.sizes import FILLS, FILLS_ROWS, extents_attribute, sizes_of
from s2s.types.symbols import function_named


class FillMarginsPass(ModulePass):
    name = "tensor-fill-margins"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if sizes_of(op.attributes):
            _FillMargins(op).run()


class _FillMargins:
    """Finds the windows that reach behind an end, and the computations that write what they read."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self.sizes = Propagation(module)
        self.sizes.run()
        self.calls = calls_of(module)
        self.copies: dict[SSAValue, graph.CallOp] = {}
        """The copies of inputs of the network, and of what other devices wrote."""

    def run(self) -> None:
        """Add all margins."""
        for kernel in [op for op in self.module.ops if isinstance(op, FuncOp) and not op.is_declaration]:
            for op in kernel.body.block.ops:
                if isinstance(op, tensor.TransformOp):
                    self._fill_for_transform(op)
                if isinstance(op, tensor.ExternOp):
                    self._fill_for_routine(op)
        for op, domain in self.sizes.domains.items():
            for window in domain.windows:
                count = domain.reach(window)
                if count <= 0:
                    continue
                value = fill_of(op, window.operand)
                if value is None:
                    nodes = ", ".join(provenance(op)) or op.name
                    raise UnsupportedError(
                        f"{nodes}: reads {count} positions behind the end of axis {window.axis}, whose size "
                        f"{window.size} varies, and no number stored there has no influence; give it a constant size"
                    )
                self._fill(window.value, Margin(window.axis, window.size, count, value))

    def _fill_for_transform(self, op: tensor.TransformOp) -> None:
        """Let the tile with the last result read zeros behind the end: at most all of a tile but its first element."""
        for axis, name in enumerate(self.sizes.extents[op.x]):
            at = simplify(op.read.map.data.results[axis], ranges(op.read_sizes))
            if name and not is_dim(at):
                self._fill(op.x, Margin(axis, name, max(op.window) - 1, FloatAttr(0.0, f32)))

    def _fill_for_routine(self, op: tensor.ExternOp) -> None:
        """Let rows, of which a routine reads all elements, hold behind their end what it does not choose, and so the
        rows behind the last one where it reads all of them."""
        fills = op.attributes.get(FILLS)
        for value, fill in zip(op.inputs, fills, strict=True) if isa(fills, ArrayAttr) else ():
            if isinstance(fill, UnitAttr):
                continue
            first = 0 if FILLS_ROWS in op.attributes else -1
            for axis, size in list(enumerate(self.sizes.extents[value]))[first:]:
                if size:
                    room = shape_of(value)[axis] - self.sizes.table.range(size).least
                    self._fill(value, Margin(axis, size, room, fill))

    def _fill(self, value: SSAValue, margin: Margin) -> None:
        """Let `value`, a tensor of a kernel or of `main`, have a margin."""
        if isinstance(value, OpResult):
            self._fill_result(value, margin)
            return
        assert isinstance(value, BlockArgument)
        kernel = value.block.parent_op()
        assert isinstance(kernel, FuncOp)
        if kernel is self.sizes.main:
            self._fill(self._copied(value), margin)
            return
        if kernel.sym_name.data not in self.calls:
            raise UnsupportedError(
                f"{kernel.sym_name.data}: windows reach behind the end of what a step reads, whose size {margin.size} "
                "varies; give it a constant size"
            )
        for call in self.calls[kernel.sym_name.data]:
            self._fill(call.operands[value.index], margin)

    def _fill_result(self, value: OpResult, margin: Margin) -> None:
        match value.owner:
            case graph.CallOp() as call:
                kernel = function_named(self.module, call.callee.string_value())
                assert kernel is not None
                if kernel.is_declaration:
                    self._fill(self._copied(value), margin)
                    return
                last = kernel.body.block.last_op
                assert isinstance(last, ReturnOp)
                self._fill(last.arguments[value.index], margin)
            case graph.DeviceCopyOp():
                self._fill(self._copied(value), margin)
            case graph.ReshapeOp() as reshape:
                self._fill(reshape.x, self._before(reshape, margin))
            case tensor.ComputeOp() | tensor.TransformOp() as op if len(op.results) == 1:
                self._add(op, margin)
            case other:
                raise UnsupportedError(
                    f"{', '.join(provenance(other)) or other.name}: windows behind the end of its result, whose size "
                    f"{margin.size} varies, read what it does not write; give it a constant size"
                )

    def _before(self, op: graph.ReshapeOp, margin: Margin) -> Margin:
        """Return the margin of the operand of a reshape that becomes `margin` of its result, or covers it."""
        shape, source, names = shape_of(op.y), shape_of(op.x), self.sizes.extents[op.x]
        if margin.size in names:
            marked = tuple("x" if axis == margin.axis else "" for axis in range(len(shape)))
            return margin._replace(axis=reshaped(shape, marked, source).index("x"))
        axis = next(axis for axis, name in enumerate(names) if name)  # the outermost one, merged or split
        count = ceil(margin.positions * prod(shape[margin.axis + 1 :]) / prod(source[axis + 1 :]))
        return margin._replace(axis=axis, size=names[axis], positions=count)

    def _add(self, op: tensor.Computation, margin: Margin) -> None:
        margins = {each.axis: each for each in margins_of(op.attributes.get(MARGINS))}
        before = margins.get(margin.axis, margin)
        if before.value != margin.value:
            raise UnsupportedError(
                f"{', '.join(provenance(op)) or op.name}: windows read {before.value} and {margin.value} behind the "
                f"end of its result, whose size {margin.size} varies; give it a constant size"
            )
        margins[margin.axis] = margin._replace(positions=max(margin.positions, before.positions))
        op.attributes[MARGINS] = margins_attribute(margins.values())

    def _copied(self, value: SSAValue) -> SSAValue:
        """Return a copy of an input of the network, or of what another device wrote, which all kernels read in its
        place."""
        if value not in self.copies:
            uses = [(use.operation, use.index) for use in value.uses]
            kernel = self._copy_kernel(value)
            call = graph.CallOp(kernel.sym_name.data, [value], [value.type])
            call.results[0].name_hint = value.name_hint
            Rewriter.insert_op(call, _behind(value))
            for operation, index in uses:
                operation.operands[index] = call.results[0]
            self.copies[value] = call
        return self.copies[value].results[0]

    def _copy_kernel(self, value: SSAValue) -> FuncOp:
        name, number = f"copy_{value.name_hint or 'input'}", 1
        while function_named(self.module, name if number == 1 else f"{name}_{number}") is not None:
            number += 1
        types: list[Attribute] = [value.type]
        block = Block(arg_types=types)
        shape = shape_of(value)
        access = tensor.AccessAttr.of(AffineMap.identity(len(shape)))
        copy = copy_of(shape, (block.args[0], access))
        copy.properties["extents"] = extents_attribute(self.sizes.extents[value])
        block.add_ops([copy, ReturnOp(copy.res[0])])
        block.args[0].name_hint = value.name_hint
        name = name if number == 1 else f"{name}_{number}"
        kernel = FuncOp(name, (types, types), Region(block), visibility="private")
        kernel.attributes[KERNEL] = UnitAttr()
        self.sizes.state_results(kernel, [self.sizes.extents[value]])
        self.module.body.block.insert_op_before(kernel, self.sizes.main)
        return kernel


def _behind(value: SSAValue) -> InsertPoint:
    """Return the first place at which `value` is known."""
    return InsertPoint.at_start(value.owner) if isinstance(value.owner, Block) else InsertPoint.after(value.owner)
