"""Checks that a pass keeps the numbers: every function of its `.mlir` test is run before and after it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import DiagnosticException

from s2s.analysis.dtypes import Array, as_tensor_type
from s2s.context import CompilerContext
from s2s.errors import S2SError
from s2s.interpret.tensor import run_tensor
from s2s.opt import OptMain
from s2s.samples import sample
from s2s.weights import WeightStore
from support.mlir import RunLineError, stages

RTOL, ATOL = 1e-4, 1e-5
"""Passes may add up float numbers in another order; integers have to stay as they are."""

RUNNABLE = {"graph", "tensor", "arith", "math", "func"}
"""Dialects whose functions can be run."""


def check_numbers(command: str, file: Path) -> int:
    """Run the functions of `file` before and after the passes of `command`; return how many could be compared."""
    program, *args = stages(command, file)[0]
    assert program == "s2s-opt"
    opt = OptMain([*args, "--sample-weights"])
    assert isinstance(opt.ctx, CompilerContext)
    chunks, extension = opt.prepare_input()
    compared = 0
    for chunk, offset in chunks:
        with chunk:
            module = opt.parse_chunk(chunk, extension, offset)
        assert module is not None
        before = module.clone()
        try:
            opt.apply_passes(module)
        except (DiagnosticException, S2SError):
            continue
        compared += sum(same_numbers(each, module, opt.ctx.weights) for each in public_functions(before))
    return compared


def public_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions of `module` that somebody outside may call."""
    found = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    return [op for op in found if op.sym_visibility is None or op.sym_visibility.data != "private"]


def same_numbers(before: FuncOp, module: ModuleOp, weights: WeightStore) -> bool:
    """Compare `before` with the function of its name in `module`; false if one of them cannot be run."""
    after = next((each for each in public_functions(module) if each.sym_name == before.sym_name), None)
    if after is None or not (runnable(before) and runnable(after)):
        return False
    inputs = [sample(f"{i}", as_tensor_type(argument.type)) for i, argument in enumerate(before.body.block.args)]
    with np.errstate(all="ignore"):
        compare(before.sym_name.data, run_tensor(before, inputs, weights), run_tensor(after, inputs, weights))
    return True


def runnable(function: FuncOp) -> bool:
    """Whether there is an interpreter for all that `function` holds."""
    return all(op.dialect_name() in RUNNABLE for op in function.walk()) and all(
        isinstance(argument.type, TensorType) for argument in function.body.block.args
    )


def compare(name: str, expected: Sequence[Array], found: Sequence[Array]) -> None:
    """Raise when a result differs."""
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if np.issubdtype(one.dtype, np.integer) or one.dtype == np.bool_:
            same = np.array_equal(one, other)
        else:
            wide = one.astype(np.float64), other.astype(np.float64)
            same = one.shape == other.shape and np.allclose(*wide, RTOL, ATOL, equal_nan=True)
        if not same or one.dtype != other.dtype:
            raise RunLineError(f"@{name}, result {number}: the pass changes the numbers\nbefore: {one}\nafter: {other}")
