"""Lower the steps of a network to C, in order."""

from collections.abc import Iterable

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c import buffers, calls, device_copies, sliding
from s2s.passes.loop.lower_to_c.step_table import STEP_LOWERINGS, StepBuilder

FAMILIES = (buffers, calls, device_copies, sliding)
"""The families of steps, which register their lowerings when they are imported."""


def lower_steps(steps: StepBuilder, network: FuncOp) -> None:
    """Lower every operation of `network`."""
    lower_operations(steps, network.body.block.ops)


def lower_operations(steps: StepBuilder, ops: Iterable[Operation]) -> None:
    """Lower some operations of a network, in order."""
    for op in ops:
        lowering = STEP_LOWERINGS.find(op)
        if lowering is None:
            raise CompilerBug(f"{op.name} is left in a network; plan the memory first")
        lowering(steps, op)


__all__ = ["StepBuilder", "lower_operations", "lower_steps"]
