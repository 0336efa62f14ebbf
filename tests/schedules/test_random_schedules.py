"""Random schedules of random kernels: what is accepted computes the same numbers, in the interpreter and as C; what is
not is refused with a reason, never by a bug report of the lowering.

A failure names the seed, from which `lowered` or `blocked` repeats the case.
"""

from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from s2s.dialects import loop
from s2s.targets import Target, get_target
from s2s.targets.intrinsics import VNNI
from support.random_kernels import random_kernel, random_product
from support.random_schedules import blocked_intrinsic, random_schedule
from support.scheduled_kernels import Lowered, check, check_as_c, lower_random

TARGETS = tuple(map(get_target, ("host", "c", "cortex-m4", "cortex-m55")))
INTRINSICS: dict[str, Target] = {
    "dot": get_target("cortex-m4"),
    "dot_rows": get_target("cortex-m55"),
    "dot_lanes": get_target("x86-64-v4"),
    "dot_lanes of 4": get_target("aarch64"),
    "dot_lanes of 16 bits": get_target("x86-64-v3"),
    "dot_lanes without sign": replace(get_target("x86-64-v4"), intrinsics=(VNNI,)),
}
drawn = settings(print_blob=True)


def lowered(seed: int) -> Lowered | None:
    """A random kernel by a random schedule; None if it was refused."""
    random = Random(seed)
    kernel, target = random_kernel(random), random.choice(TARGETS)
    return lower_random(kernel, target, random_schedule, random)


def blocked(form: str, seed: int) -> Lowered | None:
    """A random product by an intrinsic, with blocks of its reductions; None if there is no such schedule."""
    random = Random(seed)
    return lower_random(random_product(random), INTRINSICS[form], blocked_intrinsic, random)


@settings(drawn, max_examples=100)
@given(st.integers(0, 2**32))
@example(90499)
@example(3188)
def test_accepted_schedules_give_the_same_numbers(seed: int) -> None:
    check(lowered(seed))


@settings(drawn, max_examples=60)
@given(st.sampled_from(list(INTRINSICS)), st.integers(0, 2**32))
def test_blocks_of_reductions_by_intrinsics_give_the_same_numbers(form: str, seed: int) -> None:
    check(blocked(form, seed))


def test_many_of_the_schedules_are_accepted() -> None:
    assert sum(lowered(seed) is not None for seed in range(40)) >= 12


@pytest.mark.parametrize("form", INTRINSICS)
def test_blocks_around_intrinsics_of_each_form_are_accepted(form: str) -> None:
    assert any(blocked(form, seed) is not None for seed in range(24))


@pytest.mark.sample(2)
@pytest.mark.parametrize("first", range(0, 4000, 1000))
def test_accepted_schedules_give_the_same_numbers_as_c(first: int, tmp_path: Path) -> None:
    case = next(case for seed in count(first) if (case := lowered(seed)) is not None and _vectors(case.module))
    check_as_c(case, tmp_path)


@pytest.mark.parametrize("form", INTRINSICS)
def test_blocks_around_intrinsics_give_the_same_numbers_as_c(form: str, tmp_path: Path) -> None:
    case = next(case for seed in count() if (case := blocked(form, seed)) is not None)
    check_as_c(case, tmp_path)


def _vectors(module: ModuleOp) -> bool:
    return any(isinstance(op, loop.BroadcastOp | loop.IntrinsicOp | loop.IntrinsicRowsOp) for op in module.walk())
