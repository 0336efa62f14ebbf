"""Parse the comment on a kernel call: the shape of its result and its source nodes."""

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.dialects import c
from s2s.emit.units import Program

_SHAPE = re.compile(r"(?:\[\d+\])+(?= |$)")


def kernel_calls(module: ModuleOp) -> list[tuple[str, str]]:
    """Return the kernel and the source nodes of each call in the functions of a network, in their order.

    Calls in the loop of a recurrent layer have no comment of their own. They stand in a function for the loop's body,
    and the comment before the loop: `/* /rnn/GRU */ for (…) { net_rnn(…); }`.
    """
    kernels = {kernel.sym_name.data for kernel in Program.of(module).kernels}
    functions = [op for op in module.ops if isinstance(op, c.FuncOp) and op.sym_name.data not in kernels]
    calls = [op for func in functions for op in func.walk() if isinstance(op, c.CallOp)]
    callers = {call.callee.data: call for call in calls}
    return [
        (call.callee.data, nodes_of(call) or next(_outer_comments(call, callers), ""))
        for call in calls
        if call.callee.data in kernels
    ]


def _outer_comments(call: c.CallOp, callers: dict[str, c.CallOp]) -> Iterator[str]:
    """Return the comments before the loops around a call, and before the loops around the call of its function."""
    op: Operation | None = call
    while op is not None and not isinstance(op, c.FuncOp):
        before = op.prev_op
        while before is not None and not isinstance(before, (c.CommentOp, c.CallOp, c.ForOp, c.IfOp)):
            before = before.prev_op
        if isinstance(before, c.CommentOp):
            yield before.text.data
        op = op.parent_op()
    if isinstance(op, c.FuncOp) and (caller := callers.get(op.sym_name.data)) is not None:
        yield from _outer_comments(caller, callers)


def nodes_of(call: c.CallOp) -> str:
    """Return the source nodes in the comment on a call."""
    return _told(call)[len(shape_of(call)) :].lstrip()


def shape_of(call: c.CallOp) -> str:
    """Return the result shape in the comment on a call: `[25][5][64]`."""
    found = _SHAPE.match(_told(call))
    return found[0] if found else ""


def _told(call: c.CallOp) -> str:
    return call.comment.data if call.comment else ""
