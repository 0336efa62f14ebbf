"""Random kernels with schedules, lowered to loops and run: in the interpreter, and as C."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.dialects import loop, tensor
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor.run import run_tensor
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.fold_zero_points_into_inits import FoldZeroPointsIntoInitsPass
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.schedules.directives.legal import refusal
from s2s.schedules.verify import reason_against
from s2s.targets import Target
from s2s.types.dtypes import Array
from support.c_kernels import CompiledKernels
from support.random_kernels import Kernel, compute_of

LOWERING = (FoldZeroPointsIntoInitsPass(), PackConstantsPass(), LowerToLoopPass())

Scheduler = Callable[[tensor.ComputeOp, Target, frozenset[SSAValue], Random], tensor.ScheduleAttr | None]
"""Draws a schedule for a computation on a target with some constants; None if it has none for it."""


class Lowered(NamedTuple):
    """A kernel at the loop level inside its network, with inputs and the result that they should give."""

    ctx: CompilerContext
    module: ModuleOp
    inputs: list[Array]
    expected: Array


def lower_random(kernel: Kernel, target: Target, scheduler: Scheduler, random: Random) -> Lowered | None:
    """Lower `kernel` by a drawn schedule; None if there is none, or if it is refused."""
    ctx, module, inputs = kernel.build(random)
    op = compute_of(module)
    func = op.parent_op()
    assert isinstance(func, FuncOp)
    constants = constant_arguments(func, calls_of(module))
    schedule = scheduler(op, target, constants, random)
    if schedule is None or refusal(op, schedule) or reason_against(func, op, constants, target, {}, schedule):
        return None
    expected = np.ravel(run_tensor(module, inputs, ctx.weights)[0])
    op.properties["schedule"] = schedule
    for each in LOWERING:
        each.apply(ctx, module)
        module.verify()
    return Lowered(ctx, module, inputs, expected)


def compare(found: Array, expected: Array) -> None:
    """Integers are equal; sums of floats may be taken in another order."""
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    else:
        np.testing.assert_array_equal(found, expected)


def check(case: Lowered | None) -> bool:
    """Run a case in the interpreter; return whether its schedule was accepted."""
    if case is None:
        return False
    compare(np.ravel(run_loop(case.module, case.inputs, case.ctx.weights)[0]), case.expected)
    return True


def check_as_c(case: Lowered, folder: Path) -> None:
    """Run a case as C, with the sanitizer of undefined behaviour."""
    ctx, module, inputs, expected = case
    main = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    (call,) = [op for op in main.walk() if isinstance(op, CallOp)]
    result, waiting, buffers = np.zeros_like(expected), list(inputs), list[Array]()
    for number, argument in enumerate(call.arguments):
        match argument.owner:
            case loop.WeightOp() as weight:
                buffers.append(np.asarray(ctx.weights.get(weight.weight.data), order="C"))
            case loop.AllocOp():
                buffers.append(np.zeros(100_000, np.int16))
            case _:
                buffers.append(result if number == 0 else np.asarray(waiting.pop(0), order="C"))
    main.detach()
    flags = ("-O1", "-march=native", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-ffp-contract=off")
    CompiledKernels(module, folder, flags).run(call.callee.root_reference.data, buffers)
    compare(result, expected)
