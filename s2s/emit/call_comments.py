"""The calls of kernels in a network's C: their shapes and source nodes, as the comments tell, and their lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.dialects import c
from s2s.emit.units import Program
from s2s.errors import CompilerBug

_SHAPE = re.compile(r"(?:\[\d+\])+(?= |$)")


class KernelCall(NamedTuple):
    """A kernel call in the C text of the run function."""

    kernel: str
    """The C name."""
    nodes: str
    """The source nodes of the kernel."""
    shape: str = ""
    """The shape of its result: `[25][5][64]`."""


class PlacedCall(NamedTuple):
    """A kernel call, and the lines of the file with the run function that it takes, from 1 on."""

    call: KernelCall
    first: int
    last: int


def kernel_calls(module: ModuleOp) -> list[KernelCall]:
    """Return the kernel calls of a network, in the order of the C text.

    Calls in the loop of a recurrent layer have no comment of their own. They stand in a function for the loop's body,
    and the comment before the loop: `/* /rnn/GRU */ for (…) { net_rnn(…); }`.
    """
    return calls_of(Program.of(module))


def calls_of(program: Program, shared: Iterable[str] = ()) -> list[KernelCall]:
    """Return the kernel calls of a sorted module as `kernel_calls` does, with the calls of the kernels `shared` that
    belong to a tree of several networks."""
    kernels = {kernel.sym_name.data for kernel in program.kernels}.union(shared)
    calls = [op for func in (*program.callers, *program.entry) for op in func.walk() if isinstance(op, c.CallOp)]
    callers = {call.callee.data: call for call in calls}
    return [
        KernelCall(call.callee.data, nodes_of(call) or next(_outer_comments(call, callers), ""), shape_of(call))
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


def placed_calls(calls: Sequence[KernelCall], text: str) -> list[PlacedCall]:
    """Find each of `calls` in `text`, the file with the run function; both have the same order."""
    names = "|".join(sorted({re.escape(call.kernel) for call in calls}))
    found = re.finditer(rf"^ +({names})\([^;]*;", text, re.MULTILINE) if calls else ()
    places = [(match[1], text.count("\n", 0, match.start(1)) + 1, match[0].count("\n")) for match in found]
    if [name for name, _, _ in places] != [call.kernel for call in calls]:
        raise CompilerBug("the calls in the text of the run function are not the calls of the network")
    return [PlacedCall(call, line, line + more) for call, (_, line, more) in zip(calls, places, strict=True)]


def hooked_calls(kernels: Sequence[str]) -> list[str]:
    """Write the macros that put the calls of `kernels` between the hooks of `s2s_trace.h`."""
    return [f'#define {kernel}(...) S2S_TRACED("{kernel}", {kernel}(__VA_ARGS__))' for kernel in kernels]
