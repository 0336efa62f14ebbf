"""Loop over the steps of several reductions as one range, in groups, inside the current block of the reduction.

    loop.for %k = 0 to 40 step 8 { two groups of 4 }     the steps 40 and 41 are a last group, after the loop
->
    loop.for %k = max(0, %b * 6) to min(40, %b * 6 + 24) step 8 { two groups of 4 }           blocks of 4 of 7 rows of 6
    loop.for %k = max(40, %b * 6) to min(42, %b * 6 + 24) step 4 { the last group }           only the last block has it
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried, Emitter, OpenBlock
from s2s.passes.tensor.lower_to_loop.state import NestState


class StepRange(NamedTuple):
    """The steps of reductions that are taken as one range in row-major order, in groups of `group`."""

    emitter: Emitter
    group: int
    block: OpenBlock | None
    """The current block of the outermost of these reductions."""
    unit: int
    """The steps that one position along the blocked reduction has."""
    passes: int
    """The passes of the loop that the C compiler is asked to unroll."""

    @staticmethod
    def of(nest: NestState, dims: Sequence[int], group: int) -> "StepRange":
        """Return the range over `dims`; raise an error if blocks do not cut it into ranges of whole groups."""
        sizes = nest.op.sizes
        blocked = [dim for dim in dims if dim in nest.blocks and sizes[dim] > 1]
        if not blocked:
            return StepRange(nest.emitter, group, None, 1, nest.schedule.passes_of_all)
        wide = [dim for dim in dims if sizes[dim] > 1]
        block, unit = nest.blocks[blocked[0]], prod(sizes[dim] for dim in wide[1:])
        if blocked != wide[:1]:
            raise CompilerBug(
                f"reductions {wide} are taken as one, of which tile blocks {blocked}; the verifier refuses that"
            )
        if block.size * unit % group:
            raise CompilerBug(
                f"blocks of {block.size} steps of reduction {block.dim} cut groups of {group} steps; the verifier "
                "refuses that"
            )
        return StepRange(nest.emitter, group, block, unit, nest.schedule.passes_of_all)

    @property
    def start(self) -> AffineExpr:
        """The first step of the current block."""
        return AffineConstantExpr(0) if self.block is None else self.block.base * self.unit

    def steps(self, all_steps: int) -> int:
        """Return the number of steps of each block of `all_steps`; raise an error if they differ."""
        count = all_steps if self.block is None else min(self.block.size * self.unit, all_steps)
        if all_steps % count:
            raise CompilerBug(
                f"rows of {all_steps} steps in blocks of {count} leave a shorter block; the verifier refuses that"
            )
        return count

    def emit(self, steps: int, wished: int, accumulators: Carried) -> Iterator[tuple[AffineExpr, int]]:
        """Emit loops over `steps`, `wished` of them in one iteration if blocks allow that; yield the first step and the
        number of steps of each piece of code inside."""
        if self.block is None:
            yield from self._whole(steps, min(wished, steps), accumulators)
            return
        size = self.block.size * self.unit
        at_once = max(each for each in range(self.group, wished + 1, self.group) if size % each == 0)
        full = steps // at_once * at_once
        for limits in (Bounds(0, full, at_once), Bounds(full, steps // self.group * self.group, self.group)):
            if limits.start < limits.stop:
                bounds = self.block.limit(limits, self.unit)
                with self.emitter.loop(bounds, "k", accumulators, unroll=self.passes) as k:
                    yield k, limits.step
        if rest := steps % self.group:
            last = Bounds(steps - rest, steps - rest + 1)
            with self.emitter.loop(self.block.limit(last, self.unit), "k", accumulators):
                yield AffineConstantExpr(steps - rest), rest

    def _whole(self, steps: int, at_once: int, accumulators: Carried) -> Iterator[tuple[AffineExpr, int]]:
        """Emit a loop without blocks, and the steps that are left over."""
        full = steps // at_once * at_once
        if full > at_once:
            with self.emitter.loop(Bounds(0, full, at_once), "k", accumulators, unroll=self.passes) as k:
                yield k, at_once
        else:
            yield AffineConstantExpr(0), full
        yield AffineConstantExpr(full), steps - full
