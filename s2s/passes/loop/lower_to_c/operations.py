"""Dispatch the lowering of kernel operations; each family registers its lowerings here."""

from xdsl.ir import Block, Operation, SSAValue

from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.neighbours import neighbours_in
from s2s.support.operation_table import OperationTable

LOWERINGS: OperationTable[Builder, SSAValue | None] = OperationTable("lowering to C", __package__)
"""For each class of operation, the function that appends its C and returns the C value of its result."""


def lower_block(b: Builder, block: Block) -> None:
    """Lower the operations of a block, in order."""
    with b.sharing(neighbours_in(b, block)):
        for op in block.ops:
            lower_operation(b, op)


def lower_operation(b: Builder, op: Operation) -> None:
    """Lower one operation."""
    lowering = LOWERINGS.find(op)
    if lowering is None:
        raise CompilerBug(f"{op.name} has no C")
    value = lowering(b, op)
    if value is not None:
        b.bind(op.results[0], value)
