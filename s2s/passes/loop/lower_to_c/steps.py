"""Lower the steps of a network to C, in order."""

from xdsl.dialects.func import FuncOp

from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c import buffers, calls, device_copies, sliding
from s2s.passes.loop.lower_to_c.step_table import STEP_LOWERINGS, StepBuilder

FAMILIES = (buffers, calls, device_copies, sliding)
"""The families of steps, which register their lowerings when they are imported."""


def lower_steps(steps: StepBuilder, network: FuncOp) -> None:
    """Lower every operation of `network`."""
    for op in network.body.block.ops:
        lowering = STEP_LOWERINGS.find(op)
        if lowering is None:
            raise CompilerBug(f"{op.name} is left in {network.sym_name.data}; plan the memory first")
        lowering(steps, op)


__all__ = ["StepBuilder", "lower_steps"]
