"""Replace calls of functions by their bodies, and erase functions that nothing calls any more.

    func.func private @block(%a: tensor<4xf32>) -> tensor<4xf32> { %b = graph.exp %a … func.return %b }
    %y = graph.call @block(%x) : (tensor<4xf32>) -> tensor<4xf32>
->
    %y = graph.exp %x : tensor<4xf32>

A network may be written with functions for what it repeats; the operators of all of them can then be fused. Declined
for kernels, and for functions of C, which are declared only. A function that calls itself is an error.
"""

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import is_network
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.errors import InputError


class InlinePass(ModulePass):
    """Inline functions of the network."""

    name = "graph-inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {each.sym_name.data: each for each in op.ops if isinstance(each, FuncOp) and is_network(each)}
        called = [name for function in functions.values() for name, _ in _calls(function, functions)]
        if not called:
            return
        for name in functions:
            _inline(name, functions, ())
        for name in dict.fromkeys(called):
            Rewriter.erase_op(functions[name])


def _calls(function: FuncOp, functions: dict[str, FuncOp]) -> Iterator[tuple[str, graph.CallOp]]:
    """The calls of networks in `function`."""
    for op in function.walk():
        if isinstance(op, graph.CallOp) and op.callee.string_value() in functions:
            yield op.callee.string_value(), op


def _inline(name: str, functions: dict[str, FuncOp], callers: tuple[str, ...]) -> None:
    """Inline the calls in a function, in its callees first."""
    if name in callers:
        raise InputError(f"function @{name}: it calls itself ({' -> '.join([*callers, name])}); write it as a loop")
    for callee, call in list(_calls(functions[name], functions)):
        _inline(callee, functions, (*callers, name))
        _replace(call, functions[callee])


def _replace(call: graph.CallOp, callee: FuncOp) -> None:
    """Put a copy of the body of `callee` in the place of `call`."""
    body = callee.body.clone().block
    for op in body.ops:
        copy_provenance(op, call)
    last = body.last_op
    assert isinstance(last, ReturnOp)
    Rewriter.inline_block(body, InsertPoint.before(call), list(call.operands))
    Rewriter.replace_op(call, [], list(last.operands))
    Rewriter.erase_op(last)
