"""Find the loops of a kernel whose iterations can be divided among threads.

    loop.for %i = 0 to 4 { loop.for %j = 0 to 8 { … store to %s, load from %s, store to %y … } }

With 2 threads, both loops are divided, as 32 iterations: 4 are too few for equal shares. That is legal if no iteration
touches bytes that another one writes. `%s` may be scratch that each iteration writes before it reads it: then each
thread gets a copy of its own.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineMap

from s2s.analysis.memory.buffers import touches_memory, written_by
from s2s.dialects import loop
from s2s.dialects.loop.control import PARALLELIZE, SERIAL
from s2s.memory.accesses import Accesses
from s2s.memory.independence import Independence
from s2s.memory.private import is_private, is_private_in_pieces

MIN_ITERATIONS = 8
"""With this many iterations per thread, uneven shares no longer matter."""
NO_LOOP = "it has no outermost loop whose iterations have nothing to do with each other"


class Division(NamedTuple):
    """How a kernel is divided: its loops, nested or in sequence, and the scratch arguments to copy."""

    loops: tuple[loop.ForOp, ...]
    depth: int
    per_thread: tuple[int, ...]

    @property
    def trips(self) -> int:
        """The iterations that threads share, at the greatest sizes."""
        return trips_of(self.loops[: self.depth])


class DivideKernel:
    """Finds the loops of one kernel that can be divided; the arguments in `scratch` are private to one call."""

    def __init__(self, kernel: FuncOp, threads: int, scratch: frozenset[int]) -> None:
        self.kernel, self.threads, self.scratch = kernel, threads, scratch
        self.independence = Independence(kernel)
        self.accesses = Accesses(kernel)
        self.written = [argument for argument in kernel.args if argument in written_by(kernel)]

    def find(self) -> Division | str:
        """Return the division, or why the kernel cannot be divided. If a schedule asks to divide some nested loops, the
        division is of these; else it takes as many as make the shares equal."""
        outermost = _loops_alone(self.kernel.body.block)
        if not outermost:
            return NO_LOOP
        if len({_bounds(each) for each in outermost}) > 1:
            return "its outermost loops run over different positions"
        asked = asked_depth(self.kernel)
        found = self._division(tuple(outermost), 1)
        while isinstance(found, Division) and len(outermost) == 1 and self._wants_more(found, asked):
            inner = _loops_alone(found.loops[-1].body.block)
            deeper = (
                self._division((*found.loops, *inner), found.depth + 1)
                if len(inner) == 1
                else "there is something beside the loop inside of its outermost loop"
            )
            if isinstance(deeper, str) and not asked:
                break
            found = deeper
        return NO_LOOP if isinstance(found, Division) and found.trips < 2 else found

    def _wants_more(self, found: Division, asked: int) -> bool:
        """Return whether the loop inside is to be divided too."""
        return found.depth < asked if asked else trips_of(found.loops) < MIN_ITERATIONS * self.threads

    def _division(self, loops: tuple[loop.ForOp, ...], depth: int) -> Division | str:
        """Return the division of `loops`, of which `depth` are nested, or what makes it illegal."""
        per_thread: list[int] = []
        for argument in self.written:
            if self.independence.holds(depth, argument, argument):
                continue
            if depth < len(loops) or argument.index not in self.scratch or not self._is_private(loops, argument):
                name = argument.name_hint or f"argument {argument.index}"
                return f"it is not proven that an iteration leaves alone what another one writes to {name}"
            per_thread.append(argument.index)
        return Division(loops, depth, tuple(per_thread))

    def _is_private(self, loops: Sequence[loop.ForOp], argument: SSAValue) -> bool:
        """Return whether each iteration of nested loops reads of an argument what it has written before."""
        return is_private(self.accesses, loops[-1], argument) or is_private_in_pieces(self.kernel, loops, argument)


def asked_depth(kernel: FuncOp) -> int:
    """Return the number of nested outermost loops that a schedule asks to divide; 0 if none does."""
    return max((_asked(op) for op in kernel.body.block.ops if isinstance(op, loop.ForOp)), default=0)


def _asked(op: loop.ForOp) -> int:
    if PARALLELIZE not in op.attributes:
        return 0
    return 1 + max((_asked(inner) for inner in op.body.block.ops if isinstance(inner, loop.ForOp)), default=0)


def _loops_alone(block: Block) -> list[loop.ForOp]:
    """Return the loops of `block` that may be divided; none if the block holds anything else."""
    touching = [op for op in block.ops if touches_memory(op) or op.regions]
    loops = [op for op in touching if isinstance(op, loop.ForOp) and _may_be_divided(op)]
    return loops if len(loops) == len(touching) else []


def _may_be_divided(op: loop.ForOp) -> bool:
    return not op.inits and op.most_trips is not None and op.down is None and op.kind.data == SERIAL


def _bounds(op: loop.ForOp) -> tuple[AffineMap, AffineMap, tuple[SSAValue, ...], int]:
    return op.lower.data, op.upper.data, tuple(op.dims), op.step.value.data


def trips_of(loops: Sequence[loop.ForOp]) -> int:
    """Return the iterations of `loops` together, at the greatest sizes."""
    return prod(op.most_trips or 0 for op in loops)
