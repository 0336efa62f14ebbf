"""Random schedules of kernels of several computations, tiled and fused or one after the other: what is accepted
computes the same numbers; what is not is refused with a reason, never by a bug report of the lowering.

A failure names the seed, from which `run_seed` repeats the case.
"""

from random import Random

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.dialects import tensor
from s2s.errors import ScheduleError
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor.run import run_tensor
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.schedules.directives import Parallel, TileAndFuse
from s2s.schedules.directives.legal import refusal
from s2s.schedules.verify import verify_kernel
from s2s.targets import get_target
from s2s.types.dtypes import Array
from support.random_chains import Chain, computes_of
from support.random_schedules import random_schedule

TARGETS = ("host", "x86-64-v2", "c", "cortex-m4")


def scheduled(seed: int) -> tuple[CompilerContext, ModuleOp, list[Array]] | None:
    """A random kernel with random schedules that each fit their computation; None if one does not."""
    random = Random(seed)
    ctx, module, inputs = Chain.of(random).build()
    computes, target = computes_of(module), get_target(random.choice(TARGETS))
    kernel = computes[0].parent_op()
    assert isinstance(kernel, FuncOp)
    constants = constant_arguments(kernel, calls_of(module))
    first, size, window = random.randrange(len(computes)), random.choice([1, 2, 3, 4]), random.random() < 0.4
    for number, op in enumerate(computes):
        schedule = tensor.ScheduleAttr.of()
        if random.random() < 0.7:
            schedule = random_schedule(op, target, constants, random).without(TileAndFuse)
        if number >= first:
            before = 1 if window and number < len(computes) - 1 else 0
            schedule = schedule.without(Parallel).adding(TileAndFuse.of([tensor.FusedTile(0, size, before, before)]))
            if random.random() < 0.2:
                schedule = schedule.adding(Parallel.of([0]))
        if refusal(op, schedule) is not None:
            return None
        op.properties["schedule"] = schedule
    return ctx, module, inputs


def run_seed(seed: int) -> bool:
    """Run a case in the interpreter; return whether its schedules were accepted."""
    case = scheduled(seed)
    if case is None:
        return False
    ctx, module, inputs = case
    expected = np.ravel(run_tensor(module, inputs, ctx.weights)[0])
    kernel = computes_of(module)[0].parent_op()
    assert isinstance(kernel, FuncOp)
    try:
        verify_kernel(kernel, constant_arguments(kernel, calls_of(module)))
    except ScheduleError:
        return False
    for each in (PackConstantsPass(), LowerToLoopPass()):
        each.apply(ctx, module)
        module.verify()
    found = np.ravel(run_loop(module, inputs, ctx.weights)[0])
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    return True


@settings(max_examples=100, print_blob=True)
@given(st.integers(0, 2**32))
@example(1121)  # borders that cut vectors along the rows of a block, whose partial results wait in it
def test_accepted_schedules_of_several_computations_give_the_same_numbers(seed: int) -> None:
    run_seed(seed)


def test_many_of_the_schedules_are_accepted() -> None:
    assert sum(run_seed(seed) for seed in range(60)) >= 8
