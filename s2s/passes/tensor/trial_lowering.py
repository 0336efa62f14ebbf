"""Try whether a kernel can be lowered with a schedule that did not come from the compiler's own heuristics.

The verifier refuses what the computation and the directives show. Some conditions appear only while loops are written:
whether a packed constant holds the bytes of a group side by side, whether the tiles of fused computations fit, or
whether the iterations of a `parallel` loop are independent. So a schedule of the user, of a record or of a registered
heuristic is tried on a copy of the kernel before it is chosen.
"""

from collections import Counter
from collections.abc import Mapping

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from s2s.dialects import tensor
from s2s.errors import ScheduleError
from s2s.passes.loop.division import DivideKernel, asked_depth
from s2s.passes.loop.split_kernels import KernelSteps, SplitKernel
from s2s.passes.tensor.fold_zero_points_into_inits import add_inits
from s2s.passes.tensor.lower_to_loop import lower_kernel
from s2s.passes.tensor.pack_constants import PackConstants
from s2s.schedules.reference import reference
from s2s.schedules.transforms import FusedSizes, in_fused_tiles, transform_schedule
from s2s.targets import Target
from s2s.types.sizes import ranges_of
from s2s.types.symbols import enclosing_module
from s2s.types.weights import WeightStore

UNLIMITED = 1 << 62
"""More operations than any loop has."""


def reason_against(
    kernel: FuncOp,
    op: tensor.Computation,
    constants: frozenset[SSAValue],
    target: Target,
    fused: Mapping[tensor.Computation, FusedSizes],
    choice: tensor.ScheduleAttr,
) -> str | None:
    """Return why `kernel` cannot be lowered if computation `op` has the schedule `choice`; None if it can be. Other
    computations keep their schedules, or get plain ones in the blocks `fused`."""
    func = kernel.clone()
    old, new = kernel.body.block, func.body.block
    for before, after in zip(old.ops, new.ops, strict=True):
        if isinstance(before, tensor.Computation) and isinstance(after, tensor.Computation):
            schedule = before.schedule or _plain(before, target, fused.get(before, ()))
            after.properties["schedule"] = choice if before is op else schedule
    mine: frozenset[SSAValue] = frozenset(new.args[each.index] for each in old.args if each in constants)
    try:
        add_inits(func, mine, [], WeightStore())
        PackConstants(func, [], WeightStore()).run(mine)
        func.verify()
        module = enclosing_module(kernel)
        scratch = lower_kernel(func, {} if module is None else ranges_of(module.attributes))
        func.verify()
        return _fault_of_parallel(func, len(scratch))
    except (ScheduleError, VerifyException) as error:
        return str(error).removeprefix(f"{kernel.sym_name.data}: ")


def _fault_of_parallel(kernel: FuncOp, scratch: int) -> str | None:
    """Return why a loop of `kernel` that its schedule wants divided cannot be; None if all can be. The last `scratch`
    arguments of the kernel are its own; one that several of its steps use cannot be there twice."""
    if not asked_depth(kernel):
        return None
    first = len(kernel.args) - scratch
    steps = KernelSteps.of(kernel, least=UNLIMITED)
    made = SplitKernel(kernel, steps).run(set()) if steps.is_split else [(kernel, list(range(len(kernel.args))))]
    uses = Counter(number for _, arguments in made for number in arguments)
    for step, arguments in made:
        if asked_depth(step):
            alone = (place for place, number in enumerate(arguments) if number >= first and uses[number] == 1)
            own = frozenset(alone)
            found = DivideKernel(step, 2, own).find()
            if isinstance(found, str):
                return f"parallel: {found}"
    return None


def _plain(op: tensor.Computation, target: Target, fused: FusedSizes) -> tensor.ScheduleAttr:
    schedule = transform_schedule(op, target) if isinstance(op, tensor.TransformOp) else reference()
    return in_fused_tiles(op, schedule, fused)
