"""Remove copies of `concat` and `slice`: let producers write, and readers read, their part of one buffer.

    %a = graph.call @expand1(%x) : … -> tensor<1x4x55x55x16xf32>
    %b = graph.call @expand3(%x) : … -> tensor<1x4x55x55x16xf32>
    %y = graph.call @concat(%a, %b) : … -> tensor<1x8x55x55x16xf32>
->
    %y = graph.concat %a, %b {axis = 1 : i64} : … -> tensor<1x8x55x55x16xf32>

The operations that remain in `main` move nothing: `tensor-lower-to-loop` makes the parts views of one buffer, and the
result of a `graph.slice` a view of its operand. A tensor in blocks of channels is contiguous per block, so that this
covers concatenations and splits of channels. A concatenation whose first parts are the parts of another concatenation
takes that one's result instead: a chain of growing tensors shares one buffer.

Whether it is done is a decision (`s2s/decisions/concatenations.py`), by default where peak memory does not grow: the
whole buffer is live from its first part on.

Declined where the parts are not contiguous, for inputs, outputs and constants of the network, and for a tensor that
would be part of two others.
"""

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import is_network
from s2s.analysis.network.reshapes import root_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.concatenations import cut_start, joined_axis
from s2s.decisions.chooser import Chooser
from s2s.decisions.concatenations import IN_PLACE, ConcatenationKind, CopiedParts
from s2s.decisions.keys import task_key
from s2s.dialects import graph
from s2s.dialects.graph.traits import copy_provenance
from s2s.dialects.walk import walk
from s2s.passes.context import given_of, target_of
from s2s.support.frozen import frozen

if TYPE_CHECKING:
    from s2s.analysis.network.live_bytes import LiveBytes

NOT_FREE = "an input, an output or a constant of the network has a place of its own"


def functions_of(module: ModuleOp) -> list[FuncOp]:
    """Return the functions of a module."""
    return [op for op in module.ops if isinstance(op, FuncOp)]


class ConcatenateInPlace:
    """Rewrites one network."""

    def __init__(self, module: ModuleOp, func: FuncOp, chooser: Chooser) -> None:
        self.module, self.func, self.chooser = module, func, chooser
        self.kernels, self.calls = {each.sym_name.data: each for each in functions_of(module)}, calls_of(module)
        last = func.body.block.last_op
        self.returned = {root_of(value) for value in last.operands} if isinstance(last, ReturnOp) else set[SSAValue]()
        self.parts: set[SSAValue] = set()
        """Tensors that are stored in other ones."""
        self.joins: dict[tuple[SSAValue, ...], SSAValue] = {}
        """The tensors that hold these parts."""
        self.counts: set[int] = set()
        """The numbers of parts that `joins` has."""

    @cached_property
    def bytes(self) -> "LiveBytes":
        """The live bytes of the network with the parts that are stored in other tensors so far."""
        from s2s.analysis.network.live_bytes import LiveBytes  # few networks have concatenations

        return LiveBytes(self.func)

    def run(self) -> None:
        """Rewrite every concatenation and slice where that saves a copy."""
        for op in list(self.func.body.block.ops):
            if not isinstance(op, graph.CallOp) or len(op.results) != 1:
                continue
            kernel = self.kernels[op.callee.root_reference.data]
            if (axis := joined_axis(kernel)) is not None:
                self._join(op, axis)
            elif (start := cut_start(kernel)) is not None:
                self._cut(op, start)

    def _join(self, call: graph.CallOp, axis: int) -> None:
        operands, whole = tuple(call.operands), call.results[0]
        parts = self._with_known(operands)
        if self._decided(call, self._why_apart(parts, whole), parts, whole):
            self.bytes.store(parts, whole)
            self.parts.update(parts)
            self.joins[operands] = self._replace(call, graph.ConcatOp(parts, axis=axis))
            self.counts.add(len(operands))

    def _why_apart(self, parts: tuple[SSAValue, ...], whole: SSAValue) -> str | None:
        """Return why `parts` cannot be stored in `whole`; None if they can."""
        if len(set(parts)) < len(parts):
            return "it has one tensor as two of its parts"
        if any(part in self.parts for part in parts):
            return "one of its parts is stored in another tensor already"
        return None if all(map(self._is_free, (*parts, whole))) else NOT_FREE

    def _decided(self, call: graph.CallOp, why_not: str | None, parts: tuple[SSAValue, ...], whole: SSAValue) -> bool:
        """Decide whether the tensors of `call` share a buffer."""
        kernel = self.kernels[call.callee.root_reference.data]
        peaks = (self.bytes.peak_if_stored(parts, whole), self.bytes.peak) if why_not is None else None
        key = task_key(kernel, self.calls, self.chooser.target)
        return self.chooser.choose(ConcatenationKind(), CopiedParts(self.module, call, key, why_not, peaks)) == IN_PLACE

    def _with_known(self, parts: tuple[SSAValue, ...]) -> tuple[SSAValue, ...]:
        """Replace the longest prefix of `parts` that an earlier concatenation joins by its result."""
        for count in sorted(self.counts, reverse=True):
            if count <= len(parts) and (known := self.joins.get(parts[:count])) is not None:
                return (known, *parts[count:])
        return parts

    def _cut(self, call: graph.CallOp, start: tuple[int, ...]) -> None:
        [x], y = call.operands, call.results[0]
        why_not = None if self._is_free(x) and self._is_free(y) else NOT_FREE
        if self._decided(call, why_not, (y,), x):
            sizes = shape_of(y)
            self.bytes.store((y,), x)
            self.parts.add(self._replace(call, graph.SliceOp(x, starts=start, sizes=sizes, strides=[1] * len(sizes))))

    def _replace(self, call: graph.CallOp, made: graph.ConcatOp | graph.SliceOp) -> SSAValue:
        old, new = call.results[0], made.y
        new.name_hint = old.name_hint
        made.attributes |= call.attributes
        copy_provenance(made, call)
        self.bytes.rename(old, new)
        Rewriter.replace_op(call, made)
        return new

    def _is_free(self, value: SSAValue) -> bool:
        """Return whether `value` has a buffer in the network's arena, of its own or as part of another one."""
        made_here = isinstance(value.owner, graph.CallOp | graph.ConcatOp | graph.SliceOp)
        return made_here and value not in self.returned and prod(shape_of(value)) > 0


@frozen
class ConcatenateInPlacePass(ModulePass):
    name = "tensor-concatenate-in-place"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = functions_of(op)
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for func in functions:
                if is_network(func):
                    ConcatenateInPlace(op, func, chooser).run()
        called = {each.callee.root_reference.data for each in walk(op) if isinstance(each, graph.CallOp)}
        for func in functions:
            name = func.sym_name.data
            if not func.is_declaration and name not in called and (joined_axis(func) is not None or cut_start(func)):
                Rewriter.erase_op(func)
