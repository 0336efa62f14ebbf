"""Schedules follow when dimensions are split, merged, inserted or permuted: directives name the new dimensions, and
what is still legal computes the same numbers."""

from random import Random

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.structure.renumber import renumber
from s2s.dialects import tensor
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor.run import run_tensor
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.fold_zero_points_into_inits import FoldZeroPointsIntoInitsPass
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.schedules.directives.legal import refusal
from s2s.schedules.verify import reason_against
from s2s.targets import get_target
from support.random_kernels import compute_of, random_kernel
from support.random_schedules import random_schedule

SIZES, RANK = (6, 32, 128), 2
SPLIT_COLUMNS = tensor.Renumbering.splitting(1, 8, 2, SIZES, RANK)
SPLIT_STEPS = tensor.Renumbering.splitting(2, 16, 3, SIZES, RANK)
MERGED = tensor.Renumbering.merging(0, SIZES, RANK)
IN_FRONT = tensor.Renumbering.inserting([4], SIZES, RANK)
SWAPPED = tensor.Renumbering.permuting([1, 0, 2], SIZES, RANK)


def schedule(text: str) -> tensor.ScheduleAttr:
    found = Parser(CompilerContext(), f"#tensor.schedule<[{text}]>").parse_attribute()
    assert isinstance(found, tensor.ScheduleAttr)
    return found


@pytest.mark.parametrize(
    ("mapping", "before", "after"),
    [
        (SPLIT_COLUMNS, "tile<1 by 16 by 4>", "tile<1 by 2 by 1, 2 by 8 by 4>"),
        (SPLIT_COLUMNS, "tile<1 by 16>", "tile<1 by 2, 2 by 8>"),
        (SPLIT_COLUMNS, "vectorize<1 by 8>", "vectorize<2 by 8>"),
        (SPLIT_COLUMNS, "parallel<1, 0>", "parallel<1, 0>"),
        (MERGED, "parallel<0, 1>", "parallel<0>"),
        (SWAPPED, "parallel<1>", "parallel<0>"),
        (SPLIT_STEPS, "tile<2 by 64 by 16 by 4>", "tile<2 by 4 by 1, 3 by 16 by 16 by 4>"),
        (SPLIT_STEPS, "unroll<2 by 32>", "unroll<2 by 2, 3 by 16>"),
        (SPLIT_STEPS, "rfactor<2 by 4>", "rfactor<3 by 4>"),
        (SPLIT_STEPS, "reorder<[1, 0, 2]>", "reorder<[1, 0, 2, 3]>"),
        (MERGED, "tile<0 by 2, 1 by 32>", "tile<0 by 64>"),
        (MERGED, "vectorize<1 by 16>", "vectorize<0 by 16>"),
        (MERGED, "tile<2 by 64 by 2>", "tile<1 by 64 by 2>"),
        (
            IN_FRONT,
            "tile<0 by 4 by 2, 2 by 64 by 2>, prefetch<0 along 1>",
            "tile<1 by 4 by 2, 3 by 64 by 2>, prefetch<0 along 2>",
        ),
        (SWAPPED, "tile<0 by 2, 1 by 8>, cache_read<0 at 0 as i16>", "tile<1 by 2, 0 by 8>, cache_read<0 at 1 as i16>"),
    ],
)
def test_directives_name_the_new_dimensions(mapping: tensor.Renumbering, before: str, after: str) -> None:
    assert str(schedule(before).renumbered(mapping)) == f"#tensor.schedule<[{after}]>"


@pytest.mark.parametrize(
    ("mapping", "text", "reason"),
    [
        (SPLIT_COLUMNS, "tile<1 by 12>", "12 positions of dimension 1 are no whole blocks of 8"),
        (SPLIT_COLUMNS, "vectorize<1 by 16>", "16 lanes do not fit blocks of 8"),
        (MERGED, "tile<0 by 2, 1 by 4>", "2 positions of dimension 0 lie apart after it is merged"),
    ],
)
def test_what_does_not_fit_the_new_dimensions_is_refused(mapping: tensor.Renumbering, text: str, reason: str) -> None:
    with pytest.raises(VerifyException, match=reason):
        schedule(text).renumbered(mapping)


def _mapping(op: tensor.ComputeOp, random: Random) -> tensor.Renumbering | None:
    """Split a dimension into whole blocks, or merge two neighbours; results keep their order in memory."""
    dim = random.randrange(len(op.sizes))
    if random.random() < 0.5:
        divisors = [size for size in range(2, op.sizes[dim]) if op.sizes[dim] % size == 0]
        if not divisors:
            return None
        return tensor.Renumbering.splitting(dim, random.choice(divisors), dim + 1, op.sizes, op.rank)
    if dim + 1 in (op.rank, len(op.sizes)):
        return None
    return tensor.Renumbering.merging(dim, op.sizes, op.rank)


def _renumbered_case(seed: int) -> bool:
    """Run a random kernel with a renumbered schedule; return whether there is one."""
    random = Random(seed)
    ctx, module, inputs = random_kernel(random).build(random)
    op, target = compute_of(module), get_target("host")
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    constants = constant_arguments(kernel, calls_of(module))
    chosen = random_schedule(op, target, constants, random)
    mapping = _mapping(op, random)
    if mapping is None or not chosen.directives.data or refusal(op, chosen):
        return False
    expected = np.ravel(run_tensor(module, inputs, ctx.weights)[0])
    op.properties["schedule"] = chosen
    try:
        renumber(op, mapping, [f"d{dim}" for dim in range(len(mapping.sizes))])
    except VerifyException:
        return False
    renumbered = op.properties.pop("schedule")
    assert isinstance(renumbered, tensor.ScheduleAttr)
    if refusal(op, renumbered) or reason_against(kernel, op, constants, target, {}, renumbered):
        return False
    op.properties["schedule"] = renumbered
    for each in (FoldZeroPointsIntoInitsPass(), PackConstantsPass(), LowerToLoopPass()):
        each.apply(ctx, module)
        module.verify()
    found = np.ravel(run_loop(module, inputs, ctx.weights)[0])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    return True


def test_renumbered_schedules_give_the_same_numbers() -> None:
    assert sum(_renumbered_case(seed) for seed in range(150)) >= 15
