"""Random places of the copies of SMLAD schedules: moved, dropped or reordered `cache_read`s give the same numbers, or
are refused with a reason.

A failure names the seed, from which `run_seed` repeats the case.
"""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.dialects import tensor
from s2s.errors import ScheduleError
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor.run import run_tensor
from s2s.passes.tensor.fold_zero_points_into_inits import FoldZeroPointsIntoInitsPass
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.schedules.directives import CacheRead, Reorder, Tensorize, Tile, Unroll
from s2s.schedules.directives.legal import refusal
from s2s.schedules.integer_products import integer_products
from s2s.schedules.verify import verify_kernel
from s2s.targets import get_target
from support.random_kernels import compute_of, random_kernel

LOWERING = (FoldZeroPointsIntoInitsPass(), PackConstantsPass(), LowerToLoopPass())
FOUND = {
    "channels lie where taps were expected": 1338,
    "rows of the copy are longer than those of the operand": 999,
    "one tap at an odd position": 1042,
    "a tile that begins at an odd position": 1102,
}
"""Seeds of schedules that were a bug report or gave wrong numbers."""


def changed(base: tensor.ScheduleAttr, op: tensor.ComputeOp, random: Random) -> tensor.ScheduleAttr:
    """`base` with its run-time copy moved or dropped, and sometimes other loops."""
    copies = [each for each in base if isinstance(each, CacheRead) and not each.is_packed]
    made = [each for each in base if each not in copies]
    how = random.choice(["drop", "move", "move", "form", "order"])
    read = copies[0].operand.data if copies else random.randrange(2)
    at = random.choice([None, *range(op.rank)])
    if how != "drop":
        widened_often = 0.5 if how == "form" else 0.95
        copy = CacheRead.of(read if random.random() < 0.8 else 1 - read, at, widened=random.random() < widened_often)
        made.insert(random.randint(0, len(made)) if how == "order" else len(made), copy)
    if random.random() < 0.4:
        outer = list(range(op.rank))
        random.shuffle(outer)
        order = Reorder.of([*outer, *range(op.rank, len(op.sizes))])
        made = [each for each in made if not isinstance(each, Reorder)] + ([order] if order else [])
    if random.random() < 0.4:
        made = [each for each in made if not isinstance(each, Tile)]
        tile = Tile.of({dim: random.choice([1, 2, 3, 4]) for dim in range(op.rank)})
        made = [tile, *made] if tile else made
    if random.random() < 0.3:
        made = [each for each in made if not isinstance(each, Unroll)]
        steps = Unroll.of({dim: random.choice([1, 2, 4, 8]) for dim in range(op.rank, len(op.sizes))})
        made = [*made, steps] if steps else made
    return tensor.ScheduleAttr.of(made)


def run_seed(seed: int) -> bool | None:
    """Run a case; return whether its schedule was accepted, None for a kernel without SMLAD."""
    random = Random(seed)
    ctx, module, inputs = random_kernel(random).build(random)
    op, target = compute_of(module), get_target("cortex-m4")
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    base = integer_products(op, target, constant_arguments(kernel, calls_of(module)))
    if base is None or base.find(Tensorize) is None:
        return None
    schedule = changed(base, op, random)
    if refusal(op, schedule) is not None:
        return False
    expected = np.ravel(run_tensor(module, inputs, ctx.weights)[0])
    op.properties["schedule"] = schedule
    try:
        verify_kernel(kernel, constant_arguments(kernel, calls_of(module)))
    except ScheduleError:
        return False
    for each in LOWERING:
        each.apply(ctx, module)
        module.verify()
    np.testing.assert_array_equal(np.ravel(run_loop(module, inputs, ctx.weights)[0]), expected)
    return True


@settings(max_examples=100, print_blob=True)
@given(st.integers(0, 2**32))
def test_copies_in_other_places_give_the_same_numbers(seed: int) -> None:
    run_seed(seed)


@pytest.mark.parametrize("seed", FOUND.values(), ids=FOUND)
def test_what_was_wrong_is_right_or_refused(seed: int) -> None:
    assert run_seed(seed) is not None


def test_some_of_the_schedules_are_accepted() -> None:
    assert sum(run_seed(seed) is True for seed in range(200)) >= 4
