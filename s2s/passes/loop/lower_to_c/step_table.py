"""The state and the dispatch table of lowering a network's steps."""

from typing import NamedTuple

from xdsl.ir import SSAValue

from s2s.passes.loop.lower_to_c.arena import Arena
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.names import Names
from s2s.passes.loop.lower_to_c.run_sizes import KnownSizes, RunSizes
from s2s.support.operation_table import OperationTable


class StepBuilder(NamedTuple):
    """The C function of a network to which steps are appended."""

    b: Builder
    names: Names
    arena: Arena
    pool: SSAValue | None = None
    """The thread pool that divided kernels share."""
    sizes: RunSizes | KnownSizes | None = None
    """The sizes of this run; None if all are constant."""
    taken: frozenset[str] = frozenset()
    """The names of parameters and pointers of the function."""
    tile: SSAValue | None = None
    """The tile of the operation that is lowered, of a run in steps."""


STEP_LOWERINGS: OperationTable[StepBuilder, None] = OperationTable("lowering to a step of a network in C")
"""For each class of operation, the function that appends its C."""
