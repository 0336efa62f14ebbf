"""Random schedules of random kernels: what is accepted computes the same numbers, in the interpreter and as C; what is
not is refused with a reason, never by a bug report of the lowering.

A failure names the seed, from which `run_seed` repeats the case.
"""

from itertools import count
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.dialects import loop
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor.run import run_tensor
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.fold_zero_points_into_inits import FoldZeroPointsIntoInitsPass
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.passes.tensor.trial_lowering import reason_against
from s2s.schedules.directives.legal import refusal
from s2s.targets import get_target
from s2s.types.dtypes import Array
from support.c_kernels import CompiledKernels
from support.random_kernels import compute_of, random_kernel
from support.random_schedules import random_schedule

TARGETS = ("host", "c", "cortex-m4", "cortex-m55")
LOWERING = (FoldZeroPointsIntoInitsPass(), PackConstantsPass(), LowerToLoopPass())


def lowered(seed: int) -> tuple[CompilerContext, ModuleOp, list[Array], Array] | None:
    """A random kernel by a random schedule at the loop level, its inputs and its result; None if it was refused."""
    random = Random(seed)
    ctx, module, inputs = random_kernel(random).build(random)
    op, target = compute_of(module), get_target(random.choice(TARGETS))
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    constants = constant_arguments(kernel, calls_of(module))
    schedule = random_schedule(op, target, constants, random)
    if refusal(op, schedule) or reason_against(kernel, op, constants, target, {}, schedule):
        return None
    expected = np.ravel(run_tensor(module, inputs, ctx.weights)[0])
    op.properties["schedule"] = schedule
    for each in LOWERING:
        each.apply(ctx, module)
        module.verify()
    return ctx, module, inputs, expected


def compare(found: Array, expected: Array) -> None:
    """Integers are equal; sums of floats may be taken in another order."""
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    else:
        np.testing.assert_array_equal(found, expected)


def run_seed(seed: int) -> bool:
    """Run a case in the interpreter; return whether its schedule was accepted."""
    case = lowered(seed)
    if case is None:
        return False
    ctx, module, inputs, expected = case
    compare(np.ravel(run_loop(module, inputs, ctx.weights)[0]), expected)
    return True


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
@given(st.integers(0, 2**32))
def test_accepted_schedules_give_the_same_numbers(seed: int) -> None:
    run_seed(seed)


def test_many_of_the_schedules_are_accepted() -> None:
    assert sum(lowered(seed) is not None for seed in range(40)) >= 12


def run_as_c(case: tuple[CompilerContext, ModuleOp, list[Array], Array], folder: Path) -> None:
    ctx, module, inputs, expected = case
    main = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    (call,) = [op for op in main.walk() if isinstance(op, CallOp)]
    result, waiting, buffers = np.zeros_like(expected), list(inputs), list[Array]()
    for number, argument in enumerate(call.arguments):
        match argument.owner:
            case loop.WeightOp() as weight:
                buffers.append(np.ascontiguousarray(ctx.weights.get(weight.weight.data)))
            case loop.AllocOp():
                buffers.append(np.zeros(100_000, np.int16))
            case _:
                buffers.append(result if number == 0 else np.ascontiguousarray(waiting.pop(0)))
    main.detach()
    flags = ("-O1", "-march=native", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-ffp-contract=off")
    CompiledKernels(module, folder, flags).run(call.callee.root_reference.data, buffers)
    compare(result, expected)


@pytest.mark.parametrize("first", range(0, 4000, 1000))
def test_accepted_schedules_give_the_same_numbers_as_c(first: int, tmp_path: Path) -> None:
    case = next(case for seed in count(first) if (case := lowered(seed)) is not None and _vectors(case[1]))
    run_as_c(case, tmp_path)


def _vectors(module: ModuleOp) -> bool:
    return any(isinstance(op, loop.BroadcastOp | loop.IntrinsicOp | loop.IntrinsicRowsOp) for op in module.walk())
