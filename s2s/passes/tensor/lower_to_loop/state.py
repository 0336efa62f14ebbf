"""The state of the emission of one computation: where its operands lie, and the current position in its loops."""

from collections.abc import Callable, Sequence
from dataclasses import field

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint
from s2s.analysis.affine.pieces import Piece
from s2s.analysis.structure.biases import bias_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.analysis.tile_and_fuse.cuts import Cuts
from s2s.analysis.tile_and_fuse.tiles import ComputeTile
from s2s.dialects import tensor
from s2s.passes.tensor.lower_to_loop.bodies import Bodies
from s2s.passes.tensor.lower_to_loop.copied_operand import CopiedOperand
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter, OpenBlock
from s2s.passes.tensor.lower_to_loop.partials import PartialPlan, Partials
from s2s.passes.tensor.lower_to_loop.results import Results
from s2s.passes.tensor.lower_to_loop.tile import Operand
from s2s.support.mutable import mutable
from s2s.types.affine import Range, ranges


@mutable
class NestState:
    """What the loops around a register tile and the reduction inside of it share.

    `op` is the tile of a computation that runs in one block of its kernel, or the whole computation. `dims`, `box` and
    `pieces` hold the current position along each dimension of the domain, its range and the piece of it.
    """

    tile: ComputeTile
    schedule: tensor.ScheduleState
    buffers: dict[SSAValue, SSAValue]
    emitter: Emitter
    plan: CopyPlan | None = None
    scratch: Sequence[SSAValue] = ()
    """The buffer of the copy that `plan` makes, then the buffers of partial results."""
    copied: CopiedOperand | None = None
    """The copy of an operand for the current position."""
    blocks: dict[int, OpenBlock] = field(default_factory=dict[int, OpenBlock])
    """The current innermost cache block of each blocked dimension."""
    before_step: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """Callbacks of directives, called before every step of the reduction."""

    def __post_init__(self) -> None:
        op = self.op = self.tile.op
        self.names: Sequence[str] = self.tile.names
        self.box: list[Range] = ranges(op.sizes)
        self.dims: list[AffineExpr] = [AffineConstantExpr(0)] * len(op.sizes)
        self.pieces = [Piece(0, 1, 1)] * len(op.sizes)
        self.reads = self._operands(op.reads, op.read_accesses)
        self.epilogue = self._operands(op.epilogue, op.epilogue_accesses)
        self.bodies = Bodies(self.tile, self.buffers, self.emitter)
        self.bias = bias_of(op) if self.schedule.is_dot else None
        self.results = Results(self.bodies, self.epilogue, self.bias)
        waiting = self.scratch if self.plan is None else self.scratch[1:]
        self.partials = Partials(self.bodies, PartialPlan.of(self.tile), waiting)
        self.cuts = Cuts(op, self.schedule, self.plan)
        copied = None if self.plan is None else self.plan.read
        self.read_guards: list[Constraint] = [
            constraint for number, read in enumerate(self.reads) if number != copied for constraint in read.guard
        ]

    def _operands(self, values: Sequence[SSAValue], accesses: Sequence[tensor.AccessAttr]) -> list[Operand]:
        operands: list[Operand] = []
        for value, access in zip(values, accesses, strict=True):
            buffer, element = self.buffers[value], tensor.element_type(value)
            operands.append(Operand(buffer, access, shape_of(value), element, tuple(self.box)))
        return operands

    def end(self, dim: int) -> AffineExpr | None:
        """Return the number of positions of dimension `dim` in this run, which may be less than 1 in a block beyond the
        end; None if its size is constant."""
        name = self.tile.varying.get(dim)
        return None if name is None else self.emitter.sizes[name] - self.tile.start(dim, self.dims)

    def block_start(self) -> list[AffineExpr]:
        """Return the start of the current block along each reduction; 0 along reductions without blocks."""
        zero: AffineExpr = AffineConstantExpr(0)
        reductions = range(self.op.rank, len(self.op.sizes))
        return [self.blocks[dim].base if dim in self.blocks else zero for dim in reductions]

    def blocked_reductions(self) -> list[OpenBlock]:
        """Return the current blocks of reductions."""
        return [block for dim, block in self.blocks.items() if dim >= self.op.rank]

    def in_block(self, dim: int, bounds: Bounds) -> Bounds:
        """`bounds` of a reduction, limited to the steps in the current block."""
        return self.blocks[dim].limit(bounds) if dim in self.blocks else bounds
