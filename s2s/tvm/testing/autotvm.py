"""Tasks and records to try tuners on, under TVM's names."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.tvm import autotvm, te
from s2s.tvm.autotvm.measure import BuildResult, MeasureInput, MeasureResult, Runner
from s2s.tvm.autotvm.template_task import TemplateTask
from s2s.tvm.target import Target


class DummyRunner(Runner):
    """Runs nothing: costs are random."""

    def __init__(self) -> None:
        super().__init__(1, 1)

    def run(self, measure_inputs: Sequence[MeasureInput], build_results: Sequence[BuildResult]) -> list[MeasureResult]:
        """Return a random cost for each input."""
        draws = np.random.default_rng().random(len(measure_inputs))
        return [MeasureResult((float(draw),), 0, 0.2, time.time()) for draw in draws]


def _product(n: int, l: int, m: int, dtype: str, steps: int) -> tuple[te.Tensor, te.Tensor, te.Tensor]:  # noqa: E741
    """Two matrices and their product, of which the reduction may leave steps out."""
    a, b = te.placeholder((n, l), name="A", dtype=dtype), te.placeholder((l, m), name="B", dtype=dtype)
    k = te.reduce_axis((0, steps), name="k")
    return a, b, te.compute((n, m), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")


@autotvm.template("testing/matmul")
def matmul(N: int, L: int, M: int, dtype: str) -> Any:  # noqa: N803
    """A product of matrices in tiles; an inner loop of one step is not split off."""
    a, b, c = _product(N, L, M, dtype, L)
    s = te.create_schedule(c.op)
    y, x = c.op.axis
    (k,) = s[c].op.reduce_axis
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2)
    cfg.define_split("tile_x", x, num_outputs=2)
    yo, yi = cfg["tile_y"].apply(s, c, y)
    if cfg["tile_x"].size[-1] > 1:
        xo, xi = cfg["tile_x"].apply(s, c, x)
        s[c].reorder(yo, xo, k, yi, xi)
    else:
        s[c].reorder(yo, k, yi, x)
    return s, [a, b, c]


@autotvm.template("testing/bad_matmul")
def bad_matmul(N: int, L: int, M: int, dtype: str) -> Any:  # noqa: N803
    """A product of matrices that is wrong on the device `bad_device`: it leaves out the last step."""
    target = Target.current()
    if target is None or "bad_device" not in target.keys:
        return matmul(N, L, M, dtype)
    a, b, c = _product(N, L, M, dtype, L - 1)
    cfg = autotvm.get_config()
    for name, axis in zip(("tile_y", "tile_x"), c.op.axis, strict=True):
        cfg.define_split(name, axis, num_outputs=2)
    return te.create_schedule(c.op), [a, b, c]


def get_sample_task(n: int = 128) -> tuple[TemplateTask, Target]:
    """Return a product of square matrices as a task, and its target."""
    target = Target("llvm")
    return autotvm.task.create("testing/matmul", args=(n, n, n, "float32"), target=target), target


def get_sample_records(n: int) -> list[tuple[MeasureInput, MeasureResult]]:
    """Return measurements of a task, of which no two cost the same."""
    task, target = get_sample_task()
    numbers = [each % len(task.config_space) for each in range(n)]
    return [
        (MeasureInput(target, task, task.config_space.get(number)), MeasureResult((at + 1,), 0, at, time.time()))
        for at, number in enumerate(numbers)
    ]
