"""Verify the schedules of a kernel as a whole: what the verifier of one computation cannot see.

The verifier of a computation (`ScheduleAttr.verify_for`) compares its directives with its domain, accesses and body.
Whether an operand is a constant, how constants lie once they are packed, whether the tiles of fused computations fit,
and whether iterations of `parallel` loops are independent depends on the kernel around it. Directives say so in
`verify_in_kernel`; nothing is lowered.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.tile_and_fuse.scheduled_kernel import ScheduledKernel
from s2s.dialects import tensor
from s2s.errors import ScheduleError
from s2s.schedules.transforms import FusedTiles, in_fused_tiles, transform_schedule
from s2s.targets import Target


def verify_kernel(kernel: FuncOp, constants: frozenset[SSAValue]) -> None:
    """Raise an error if a schedule of `kernel` is illegal there; `constants` are its constant arguments."""
    try:
        verify_together([op for op in kernel.body.block.ops if isinstance(op, tensor.Computation)], constants)
    except (VerifyException, ScheduleError) as error:
        raise ScheduleError(f"{kernel.sym_name.data}: {error}") from error


def reason_against(
    kernel: FuncOp,
    op: tensor.Computation,
    constants: frozenset[SSAValue],
    target: Target,
    fused: Mapping[tensor.Computation, FusedTiles],
    choice: tensor.ScheduleAttr,
) -> str | None:
    """Return why computation `op` of `kernel` cannot have the schedule `choice`; None if it can. Other computations
    keep their schedules, or have plain ones in the tiles `fused`."""
    computations = [each for each in kernel.body.block.ops if isinstance(each, tensor.Computation)]
    before = {each: each.schedule for each in computations}
    try:
        for each in computations:
            schedule = each.schedule or _plain(each, target, fused.get(each, ()))
            each.properties["schedule"] = choice if each is op else schedule
        verify_together(computations, constants)
    except (VerifyException, ScheduleError) as error:
        return str(error)
    finally:
        for each, schedule in before.items():
            if schedule is None:
                del each.properties["schedule"]
            else:
                each.properties["schedule"] = schedule
    return None


def _plain(op: tensor.Computation, target: Target, fused: FusedTiles) -> tensor.ScheduleAttr:
    schedule = transform_schedule(op, target) if isinstance(op, tensor.TransformOp) else tensor.ScheduleAttr.of()
    return in_fused_tiles(op, schedule, fused)


def verify_together(computations: Sequence[tensor.Computation], constants: frozenset[SSAValue]) -> None:
    """Raise an error if the schedules of the computations of a kernel are illegal together."""
    kernel = ScheduledKernel.of(computations, constants)
    for op in computations:
        if op.schedule is not None:
            op.schedule.verify_in_kernel(op, kernel)
