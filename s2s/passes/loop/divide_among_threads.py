"""Divide the outermost loops of kernels among threads.

    func.func private @k(%y: memref<64xf32>, %x: memref<64xf32>, %s: memref<4xf32>) {
      loop.for %i = 0 to 16 { … store to %s, load from %s, store to %y … }
    }
->
    func.func private @k(%y: memref<64xf32>, %x: memref<64xf32>, %s: memref<32xf32>)
        attributes {threads = 2, per_thread = array<i64: 2>} {
      loop.for %i = 0 to 16 parallel { … }
    }

The iterations of a parallel loop touch nothing that another one writes, which the positions prove; reductions carry
values and are never divided. A loop may end at a size of the run. Scratch that every iteration writes before it reads
it exists once for each thread: the argument becomes that many copies, of which the loop level uses the first. Where the
outermost loop has few iterations and nothing beside the loop inside of it, both are parallel, and C takes their
iterations together. Several loops with equal bounds may follow each other if iteration i of one needs only iteration i
of the others. What may run in place is proven again: an argument that another thread still reads leaves `in_place`.

Which kernels are divided is a decision (`s2s/decisions/threads.py`): by default those whose work pays for fork and join
(`least` operations), and those whose schedule says `parallel`, however short they are. Declined for kernels that do
something beside their outermost loops, for those of other devices than the first one, and for those that another
network than `main` calls; if a schedule says `parallel` there, that is an error. `main` states the number of threads.
"""

from collections.abc import Sequence
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.cost.loops import operations_of
from s2s.analysis.memory.buffers import read_by
from s2s.analysis.network.arguments import IN_PLACE
from s2s.analysis.network.functions import DOC, PER_THREAD, THREADS, device_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.threads import SHARED, DividedKernel, ThreadsKind
from s2s.dialects import loop
from s2s.dialects.loop.control import PARALLEL, PARALLELIZE
from s2s.errors import ScheduleError
from s2s.memory.buffers import align_up
from s2s.memory.independence import Independence
from s2s.passes.context import given_of, target_of
from s2s.passes.loop.division import DivideKernel, Division, asked_depth
from s2s.passes.loop.main_kernels import is_main, kernels_of_main
from s2s.passes.loop.plan_memory import is_network_of_buffers
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN
from s2s.types.dtypes import size_in_bytes
from s2s.types.hints import isa

LINE = 64
"""Bytes of a cache line: the threads' copies do not share one."""


def _divide(kernel: FuncOp, division: Division, threads: int) -> None:
    """Mark the loops as parallel, enlarge scratch for the copies, and record the division in attributes."""
    if not isinstance(in_place := kernel.attributes.get(IN_PLACE), DenseArrayBase):
        in_place = DenseArrayBase.from_list(i64, [])
    output, args, independence = kernel.args[0], kernel.args, Independence(kernel)
    kept = [
        int(number) for number in in_place.get_values() if independence.holds(division.depth, args[int(number)], output)
    ]
    for op in division.loops:
        op.kind = StringAttr(PARALLEL)
        op.attributes.pop(PARALLELIZE, None)
    for number in division.per_thread:
        Rewriter.replace_value_with_new_type(args[number], copies(args[number].type, threads))
    kernel.function_type = FunctionType.from_lists([argument.type for argument in kernel.args], [])
    kernel.attributes[IN_PLACE] = DenseArrayBase.from_list(i64, kept)
    kernel.attributes[THREADS] = IntegerAttr(threads, i64)
    kernel.attributes[PER_THREAD] = DenseArrayBase.from_list(i64, division.per_thread)
    if isinstance(doc := kernel.attributes.get(DOC), StringAttr):
        most = "" if all(op.trips is not None for op in division.loops[: division.depth]) else "at most "
        names = " x ".join(op.index.name_hint or "i" for op in division.loops[: division.depth])
        kernel.attributes[DOC] = StringAttr(
            f"{doc.data}\nthreads: {most}{division.trips} iterations of {names} are shared"
        )


def copies(type: Attribute, threads: int) -> MemRefType[Attribute]:
    """Return the type of a buffer with a copy of `type` for each thread, in separate cache lines."""
    assert isa(type, MemRefType)
    line = max(1, LINE // size_in_bytes(type.element_type))
    return MemRefType(type.element_type, [threads * align_up(type.get_shape()[0], line)])


@frozen
class DivideAmongThreadsPass(ModulePass):
    name = "loop-divide-among-threads"

    threads: int = 2
    least: int = 0
    """The minimum number of operations of a kernel to divide it: below that, fork-join costs more than it saves."""
    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for network in op.ops:
            if isinstance(network, FuncOp) and is_network_of_buffers(network) and is_main(network):
                network.attributes[THREADS] = IntegerAttr(self.threads, i64)
        kernels = list(kernels_of_main(op))
        _refuse_elsewhere(op, [kernel for kernel, _ in kernels])
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for kernel, calls in kernels:
                self._decide(kernel, calls, chooser)

    def _decide(self, kernel: FuncOp, calls: Sequence[CallOp], chooser: Chooser) -> None:
        """Divide a kernel if the chooser decides so."""

        @cache
        def division() -> Division | str:
            return self._find(kernel, calls)

        def fault() -> str | None:
            found = division()
            return found if isinstance(found, str) else None

        is_asked = asked_depth(kernel) > 0
        if is_asked and fault() is not None:
            raise _refusal(kernel, str(fault()))
        operations = operations_of(kernel)
        subject = DividedKernel(kernel, operations, self.least, self.threads, is_asked, fault)
        if chooser.choose(ThreadsKind(), subject) == SHARED and isinstance(found := division(), Division):
            self._divide(kernel, calls, found)

    def _find(self, kernel: FuncOp, calls: Sequence[CallOp]) -> Division | str:
        scratch = frozenset(
            argument.index
            for argument in kernel.args
            if argument in read_by(kernel) and all(_is_alone(call.arguments[argument.index]) for call in calls)
        )
        return DivideKernel(kernel, self.threads, scratch).find()

    def _divide(self, kernel: FuncOp, calls: Sequence[CallOp], division: Division) -> None:
        _divide(kernel, division, self.threads)
        for call in calls:
            for number in division.per_thread:
                Rewriter.replace_value_with_new_type(call.arguments[number], kernel.args[number].type)


def _refuse_elsewhere(module: ModuleOp, kernels: Sequence[FuncOp]) -> None:
    """Raise an error if a schedule asks to divide a kernel that not only `main` calls."""
    for func in module.ops:
        if isinstance(func, FuncOp) and not func.is_declaration and func not in kernels and asked_depth(func):
            elsewhere = f"it runs on {device_of(func)}, and the threads are those of the first device"
            inner = "a network that another one runs calls it, as for the steps of recurrent layers"
            raise _refusal(func, inner if device_of(func) == MAIN else elsewhere)


def _refusal(kernel: FuncOp, reason: str) -> ScheduleError:
    return ScheduleError(
        f"{kernel.sym_name.data}: its schedule says parallel, but its loops cannot be divided among threads: {reason}; "
        "leave parallel out, or name other loops"
    )


def _is_alone(buffer: SSAValue) -> bool:
    """Return whether only one call uses a buffer of a network."""
    return isinstance(buffer.owner, loop.AllocOp) and len(list(buffer.uses)) == 1
