"""Find the windows over streams that a network keeps as states.

%moved = graph.advance %old                 %old: an argument, tied to …
%window = graph.call @insert_slice(%moved, %new)
return …, %window                           … this result
"""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, SSAValue

from s2s.dialects import graph
from s2s.support.frozen import frozen


@frozen
class StreamWindow:
    """A state that moves on by new frames in each run."""

    func: FuncOp
    argument: BlockArgument
    op: graph.AdvanceOp
    end: SSAValue
    """What the next run begins with."""

    @property
    def values(self) -> tuple[SSAValue, ...]:
        """The tensors that share the memory of the window."""
        return self.argument, self.op.y, self.end


def stream_windows(module: ModuleOp) -> list[StreamWindow]:
    """Return the windows of all networks whose states nothing but `graph.advance` reads."""
    found: list[StreamWindow] = []
    for func in module.ops:
        if not isinstance(func, FuncOp) or func.is_declaration or not isinstance(func.body.block.last_op, ReturnOp):
            continue
        tied, returned = graph.tied_arguments(func), func.body.block.last_op.arguments
        for op in func.body.block.ops:
            if not isinstance(op, graph.AdvanceOp) or not isinstance(argument := op.x, BlockArgument):
                continue
            if argument.index in tied and argument.has_one_use():
                found.append(StreamWindow(func, argument, op, returned[tied.index(argument.index)]))
    return found
