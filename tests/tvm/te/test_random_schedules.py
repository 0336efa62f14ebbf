"""Schedules of any directives are refused where they are given, or by `te.build`; what that accepts compiles."""

from random import Random

import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import te
from s2s.tvm.te.stage import Stage

SIZE = 12


def chain() -> tuple[te.Schedule, list[te.Tensor]]:
    """A product with an epilogue of two formulas."""
    a, b = (te.placeholder((SIZE, SIZE), name=name) for name in "AB")
    k = te.reduce_axis((0, SIZE), name="k")
    c = te.compute((SIZE, SIZE), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    d = te.compute((SIZE, SIZE), lambda i, j: c[i, j] + 1.0, name="D")
    e = te.compute((SIZE, SIZE), lambda i, j: d[i, j] * d[i, 0], name="E")
    return te.create_schedule(e.op), [a, b, e]


def change(random: Random, schedule: te.Schedule) -> None:
    """Give one directive."""
    stages = [stage for stage in schedule.stages if stage.leaves and stage.op.name not in "AB"]
    stage: Stage = random.choice(stages)
    loop, other = random.choice(stage.leaves), random.choice(stage.leaves)
    match random.randrange(9):
        case 0:
            stage.split(loop, factor=random.choice([1, 3, 4, 5, SIZE, 100]))
        case 1:
            stage.fuse(loop, other)
        case 2:
            stage.reorder(*random.sample(stage.leaves, len(stage.leaves)))
        case 3:
            stage.vectorize(loop)
        case 4:
            stage.unroll(loop)
        case 5:
            stage.parallel(loop)
        case 6:
            parent = random.choice(stages)
            stage.compute_at(parent, random.choice(parent.leaves))
        case 7:
            stage.compute_inline()
        case _:
            schedule.cache_write(stage.tensor)


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", range(200))
def test_a_schedule_that_is_accepted_compiles(seed: int):
    random, (schedule, arguments) = Random(seed), chain()
    try:
        for _ in range(random.randint(1, 8)):
            change(random, schedule)
        function = te.build(schedule, arguments, target=random.choice(["c", "x86-64-v3", "cortex-m4"]))
    except (InputError, UnsupportedError):
        return
    assert function.artifact.tree().files
