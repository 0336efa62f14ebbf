"""Split concatenations whose kernels would take more arguments than a function may have.

    %y = graph.concat %a, %b, %c, %d, %e, %f, %g {axis = 0 : i64} : …
->                                                              with {limits=main=8}
    %l = graph.concat %a, %b, %c, %d, %e, %f {axis = 0 : i64} : …
    %y = graph.concat %l, %g {axis = 0 : i64} : …

C99 guarantees 127 arguments; a device that gets its calls through a mailbox has fewer (`max_function_args` of its
target). A result and scratch take two of them. `graph-fuse-ops` keeps the parts apart where one kernel would take more.
Declined for concatenations within the limit, a tensor that is repeated counting once, and for kernels.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import DEVICE, network_functions
from s2s.dialects import graph
from s2s.dialects.graph.traits import copy_provenance
from s2s.passes.graph.function_args import ArgumentLimits, limits_of
from s2s.support.frozen import frozen


@frozen
class SplitArgsPass(ModulePass):
    """Split long concatenations."""

    name = "graph-split-args"

    limits: tuple[str, ...] = ()
    """The arguments that a function on each device may have, as `main=127`; no limit where one is left out."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limits = limits_of(self.limits)
        for function in network_functions(op):
            for each in [each for each in function.body.block.ops if isinstance(each, graph.ConcatOp)]:
                _split(each, limits)


def _split(op: graph.ConcatOp, limits: ArgumentLimits) -> None:
    """Concatenate parts of the inputs first, as often as it takes."""
    limit = limits.inputs(op)
    inputs: list[SSAValue] = list(op.inputs)
    while limit is not None and len(set(inputs)) > limit:
        inputs = [part[0] if len(part) == 1 else _joined(op, part) for part in _parts(inputs, limit)]
    if len(inputs) < len(op.inputs):
        last = _concat(op, inputs)
        last.y.name_hint = op.y.name_hint
        Rewriter.replace_op(op, last)


def _parts(inputs: Sequence[SSAValue], limit: int) -> list[list[SSAValue]]:
    """Cut a sequence into parts of at most `limit` different values each."""
    parts: list[list[SSAValue]] = [[]]
    for value in inputs:
        if value not in parts[-1] and len(set(parts[-1])) == limit:
            parts.append([])
        parts[-1].append(value)
    return parts


def _joined(op: graph.ConcatOp, part: Sequence[SSAValue]) -> SSAValue:
    made = _concat(op, part)
    Rewriter.insert_op(made, InsertPoint.before(op))
    return made.y


def _concat(op: graph.ConcatOp, inputs: Sequence[SSAValue]) -> graph.ConcatOp:
    """Create a part of a concatenation, on the same device and from the same nodes."""
    made = graph.ConcatOp(inputs, axis=op.axis.value.data)
    copy_provenance(made, op)
    if DEVICE in op.attributes:
        made.attributes[DEVICE] = op.attributes[DEVICE]
    return made
