"""Pad tensors in front of centred windows by a constant number of elements, and let the windows begin at an offset that
follows from the size of the run.

    func.func private @same_pad(%x) { %y = graph.same_pad %x {windows = [1, 1, 3, 3], strides = [1, 1, 2, 2], …} … }
    func.func private @conv(%x, %w) { %y = graph.conv %x, %w {strides = [2, 2], …} … }
    func.func @main(…) { %p = graph.call @same_pad(%a)  %y = graph.call @conv(%p, %w) }
->
    func.func private @same_pad(%x) { %y = graph.pad %x {low = [0, 0, 1, 1], high = [0, 0, 2, 2], …} … }
    func.func private @conv(%x {begins = ["", "", "(H - 1) mod 2", "(W - 1) mod 2"]}, %w) {
      %s = graph.slice %x {…}  %y = graph.conv %s, %w {strides = [2, 2], …} … }

Of 9 columns, windows of 3 with a stride of 2 need one column of padding in front, of 8 columns none: there they begin
with the second column of the padded tensor, the first one of the picture. So both kernels have accesses and layouts as
if sizes were constant, and the offset is added once a run. One element more behind the end is read by no window, but
may be by tiles that reach beyond a size: they compute from it what nobody reads.

Declined where another stride makes more offsets, where anything but convolutions and maxima reads the padded tensor, or
reads it in the same kernel without such an offset, and where the padding behind the end, which lies in the tensor that
is padded, might not be stored there: for inputs of the network, results of other operators than those below, and
tensors that others pad in another way. There `graph.same_pad` computes each position.
"""

from collections.abc import Iterable, Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.begins import state_begins
from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp, number
from s2s.dialects.graph.traits import FusionKind, copy_provenance, fusion_kind
from s2s.types.affine import simplify
from s2s.types.dtypes import AnyTensor, as_tensor_type, tensor_type
from s2s.types.shapes.window import same_low
from s2s.types.sizes import DERIVED, REDUCES, VARIES, Extents, SizeTable, extents_attribute, extents_of, sizes_of
from s2s.types.symbols import function_named

STRIDE = 2
"""The stride whose windows have two offsets, 0 and 1."""

Slot = tuple[FuncOp, int]
"""A kernel, and the number of an argument."""

_MAKERS = graph.LayerOp | graph.MaxPoolOp | graph.AvgPoolOp
"""Operators whose kernels can store padding behind the end of their result, beside elementwise ones."""


class OffsetWindowsPass(ModulePass):
    name = "graph-offset-windows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if sizes_of(op.attributes):
            _OffsetWindows(op).run()


class _OffsetWindows:
    def __init__(self, module: ModuleOp) -> None:
        self.module, self.table = module, SizeTable(module.attributes)
        self.calls = calls_of(module)

    def run(self) -> None:
        """Rewrite all kernels that pad, with the kernels that read what they pad."""
        found = {call: begins for call in _calls(main_of(self.module)) if (begins := self._begins(call)) is not None}
        while refused := [call for call in found if not self._agrees(call, found)]:
            for call in refused:
                del found[call]
        for (kernel, place), begins in {slot: found[call] for call in found for slot in self._readers(call)}.items():
            _begin_later(kernel, kernel.args[place], begins)
        pads = {_padding(self._kernel(call)): begins for call, begins in found.items()}
        for op, begins in pads.items():
            self._pad(op, begins)
        for call in found:
            Rewriter.replace_value_with_new_type(call.results[0], self._kernel(call).function_type.outputs.data[0])
        if self.table.derived:
            self.module.attributes[DERIVED] = self.table.attribute

    def _kernel(self, call: graph.CallOp) -> FuncOp:
        kernel = function_named(self.module, call.callee.string_value())
        assert kernel is not None
        return kernel

    def _begins(self, call: graph.CallOp) -> Extents | None:
        """Return the offsets of the windows that read the result of `call`; None if it pads nothing in this way."""
        op = _only(self._kernel(call))
        if op is None or not self._stores_padding(call.operands[0], number(op.value)):
            return None
        names = extents_of(op.attributes.get(REDUCES), len(op.windows))
        begins = list[str]()
        for name, window, stride in zip(names, op.windows.get_values(), op.strides.get_values(), strict=True):
            if window > 1 and (stride != STRIDE or not name):
                return None
            begins.append(self._offset(name) if window > 1 and _moves(window, op.side.data) else "")
        return tuple(begins)

    def _offset(self, name: str) -> str:
        """Return the name of the offset of windows over an axis of size `name`: 1 for even sizes, where the padding in
        front is one element less."""
        rest = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, self.table[name] + -1, AffineConstantExpr(STRIDE))
        return self.table.name_of(rest)

    def _stores_padding(self, x: SSAValue, value: float | None) -> bool:
        """Return whether the kernel that computes `x` can store padding behind its end: nobody else wants another
        number there."""
        if not isinstance(x.owner, graph.CallOp) or len(x.owner.results) > 1:
            return False
        kernel = self._kernel(x.owner)
        last = None if kernel.is_declaration else kernel.body.block.last_op
        if not isinstance(last, ReturnOp) or not _may_store(last.operands[0].owner):
            return False
        if x.has_one_use():
            return True
        others = [use.operation for use in x.uses]
        inside = [inner for each in others if isinstance(each, graph.CallOp) for inner in self._kernel(each).walk()]
        calls_only = all(isinstance(each, graph.CallOp) for each in others)
        return value == 0 and calls_only and not any(isinstance(inner, graph.MaxPoolOp) for inner in inside)

    def _pad(self, op: graph.SamePadOp, begins: Extents) -> None:
        """Replace `op` by the padding of the sizes that need the most of it in front."""
        windows, low, high = op.windows.get_values(), list[int](), list[int]()
        for window, begin in zip(windows, begins, strict=True):
            before = max(same_low(size, window, STRIDE, op.side.data) for size in (1, 2)) if window > 1 else 0
            low.append(before)
            high.append(window - 1 - before + bool(begin))
        made = graph.PadOp(op.x, low=low, high=high, value=number(op.value))
        copy_provenance(made, op)
        made.attributes[REDUCES] = op.attributes[REDUCES]
        names = zip(extents_of(op.attributes[VARIES], len(windows)), begins, strict=True)
        made.attributes[VARIES] = extents_attribute([self._plus_one(name) if begin else name for name, begin in names])
        made.y.name_hint = op.y.name_hint
        kernel = op.parent_op()
        Rewriter.replace_op(op, made)
        assert isinstance(kernel, FuncOp)
        kernel.update_function_type()

    def _plus_one(self, name: str) -> str:
        """Return the name of the size that is one more than size `name`."""
        given = [(0, size.most) for size in self.table.given.values()]
        return self.table.name_of(simplify(self.table[name] + 1, given))

    def _readers(self, call: graph.CallOp) -> list[Slot]:
        uses = [(use.operation, use.index) for use in call.results[0].uses]
        return [(self._kernel(reader), place) for reader, place in uses if isinstance(reader, graph.CallOp)]

    def _agrees(self, call: graph.CallOp, found: Mapping[graph.CallOp, Extents]) -> bool:
        """Return whether all calls of the kernel of `call` are among `found`, and so are the operands, with the same
        offsets, of all calls of the kernels that read its result."""
        uses = list(call.results[0].uses)
        if not uses or not all(isinstance(use.operation, graph.CallOp) for use in uses):
            return False
        if not all(each in found for each in self.calls[call.callee.string_value()]):
            return False
        for kernel, place in self._readers(call):
            if not _reads_windows(kernel, place):
                return False
            operands = [each.operands[place].owner for each in self.calls[kernel.sym_name.data]]
            if any(not isinstance(each, graph.CallOp) or found.get(each) != found[call] for each in operands):
                return False
        return True


def _calls(main: FuncOp) -> Iterable[graph.CallOp]:
    return [op for op in main.body.block.ops if isinstance(op, graph.CallOp)]


def _moves(window: int, side: str) -> bool:
    """Return whether windows need another padding in front at sizes that are even."""
    return same_low(1, window, STRIDE, side) != same_low(2, window, STRIDE, side)


def _may_store(maker: Operation | Block) -> bool:
    elementwise = isinstance(maker, GraphOp) and fusion_kind(maker) <= FusionKind.BROADCAST
    return isinstance(maker, _MAKERS) or elementwise


def _only(kernel: FuncOp) -> graph.SamePadOp | None:
    """Return the operation of a kernel that does nothing but pad."""
    ops = [] if kernel.is_declaration else list(kernel.body.block.ops)
    return ops[0] if len(ops) == 2 and isinstance(ops[0], graph.SamePadOp) else None


def _padding(kernel: FuncOp) -> graph.SamePadOp:
    op = _only(kernel)
    assert op is not None
    return op


def _reads_windows(kernel: FuncOp, place: int) -> bool:
    """Return whether a kernel reads an argument in windows only, whose constants are other operands."""
    if kernel.is_declaration:
        return False
    argument: BlockArgument = kernel.args[place]
    return all(isinstance(use.operation, graph.ConvOp | graph.MaxPoolOp) and use.index == 0 for use in argument.uses)


def _begin_later(kernel: FuncOp, argument: BlockArgument, begins: Extents) -> None:
    """Let `kernel` begin to read an argument at offsets; the argument has one element more where there is one."""
    shape = shape_of(argument)
    state_begins(kernel, argument, begins)
    x = Rewriter.replace_value_with_new_type(argument, _longer(argument.type, begins))
    part = graph.SliceOp(x, starts=[0] * len(shape), sizes=shape, strides=[1] * len(shape))
    part.y.name_hint = x.name_hint
    for use in list(x.uses):
        if use.operation is not part:
            reader = use.operation
            copy_provenance(part, reader)
            part.attributes[VARIES] = reader.attributes[REDUCES]
            reader.operands[use.index] = part.y
    kernel.body.block.insert_op_before(part, next(iter(kernel.body.block.ops)))
    kernel.update_function_type()


def _longer(type: Attribute, begins: Extents) -> AnyTensor:
    """Return the type of a tensor with one element more along axes that are read from offsets on."""
    old = as_tensor_type(type)
    shape = tuple(size + bool(begin) for size, begin in zip(old.get_shape(), begins, strict=True))
    return tensor_type(old.element_type, shape)
