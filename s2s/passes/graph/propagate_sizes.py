"""State the extents of the results of all operators inside kernels, from the axes of the inputs of `main`.

    module attributes {sizes = {W = array<i64: 32, 640>}}
    func.func private @k(%x: …<1x3x48x640xf32>, …) { %y = graph.conv %x, %w, %b {strides = [2, 2], …} … }
->
    module attributes {derived_sizes = {"(W + 1) floordiv 2" = affine_map<(d0) -> ((d0 + 1) floordiv 2)>}, …}
    … %y = graph.conv %x, %w, %b {strides = [2, 2], …, varies = ["", "", "", "(W + 1) floordiv 2"]} …

How many positions a window has along an axis follows from padding and rounding, which operators state and the
computations that they become do not. A kernel that is called with tensors of different extents is cloned. A kernel
whose result has a size that another one computes states which of its operands holds that size:

    func.func private @k(%mask: tensor<64xi1>, %count: tensor<i32>) attributes {reads_size = {found = 1}} {
      %y = graph.nonzero %mask, %count {size = "found", bound = 64, varies = ["found"]} … }

State has a constant shape: one that varies is refused. So is a result of varying size whose elements share bytes.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument
from xdsl.passes import ModulePass

from s2s.analysis.network.extents import ExtentsPropagation
from s2s.analysis.network.functions import state_arguments
from s2s.dialects import graph
from s2s.dialects.graph import tied_arguments
from s2s.errors import CompilerBug, UnsupportedError
from s2s.types.interface import model_tensor
from s2s.types.sizes import PARTS, READS_SIZE, REDUCES, VARIES, Extents, extents_attribute, sizes_of


class PropagateSizesPass(ModulePass):
    name = "graph-propagate-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if sizes_of(op.attributes):
            propagation = _Propagation(op)
            propagation.run()
            _check_states(propagation)
            _check_packed(propagation)


def _check_states(propagation: ExtentsPropagation) -> None:
    """Refuse state whose shape varies: the next run, which reads it, may have other sizes."""
    main = propagation.main
    returned = main.body.block.last_op
    assert returned is not None
    names = {state.number: state.name for state in state_arguments(main)}
    for value, number in zip(returned.operands, tied_arguments(main), strict=True):
        if number is None:
            continue
        extents = (*propagation.extents[main.args[number]], *propagation.extents[value])
        size = next(filter(None, extents), None)
        if size is not None:
            raise UnsupportedError(
                f"{names[number]}: is state, which lasts from run to run, and its size {size} varies; keep a state of "
                "constant shape, or give its dimensions constant sizes"
            )


def _check_packed(propagation: ExtentsPropagation) -> None:
    """Refuse results whose elements share bytes where their number varies: a row of bytes does not tell it."""
    main = propagation.main
    returned = main.body.block.last_op
    assert returned is not None
    for described, value in zip(main.res_attrs or (), returned.operands, strict=False):
        name, tensor = described.data.get("name"), model_tensor(described.data)
        size = next(filter(None, propagation.extents[value]), None)
        if isinstance(name, StringAttr) and tensor is not None and not tensor.has_axes and size is not None:
            output = name.data
            raise UnsupportedError(
                f"output {output}: its elements are packed into bytes, which have no axis of their own "
                f"for {size}; cast it to a type of eight bits or more"
            )


def _state_origin(kernel: FuncOp, op: graph.NonzeroOp) -> None:
    """State which operand of `kernel` holds the size that `op` has in a run."""
    count = op.count
    if not isinstance(count, BlockArgument):
        raise CompilerBug(f"{kernel.sym_name.data} computes the size {op.size.data} itself")
    kernel.attributes[READS_SIZE] = DictionaryAttr({op.size.data: IntegerAttr(count.index, i64)})


class _Propagation(ExtentsPropagation):
    def mark(self, kernel: FuncOp, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        for op in kernel.body.block.ops:
            if isinstance(op, ReturnOp):
                return tuple(self.of(op.arguments))
            self.of_operation(op)
            if isinstance(op, graph.ReadsSizesInterface) and any(self.extents[op.operands[0]]):
                op.attributes[REDUCES] = extents_attribute(self.extents[op.operands[0]])
            if isinstance(op, graph.ConcatOp):
                parts = [extents[op.axis.value.data] for extents in self.of(op.inputs)]
                if any(parts[:-1]):
                    op.attributes[PARTS] = extents_attribute(parts)
            if isinstance(op, graph.NonzeroOp) and any(self.extents[op.y]):
                _state_origin(kernel, op)
            if len(op.results) == 1 and any(self.extents[op.results[0]]):
                op.attributes[VARIES] = extents_attribute(self.extents[op.results[0]])
        raise CompilerBug(f"{kernel.sym_name.data} does not return")
