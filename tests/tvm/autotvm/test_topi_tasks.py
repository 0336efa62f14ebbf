"""Computes of TOPI as tasks: registered with a schedule of the program, measured by the same tuner."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from s2s import tvm
from s2s.tvm import autotvm, te, topi

IMAGE = ("TENSOR", (1, 4, 8, 8), "float32")
MATRIX = ("TENSOR", (4, 16), "float32")
COMPUTES: Mapping[str, tuple[Callable[..., te.Tensor], list[Any]]] = {
    "conv2d_nchw": (topi.nn.conv2d_nchw, [IMAGE, ("TENSOR", (8, 4, 3, 3), "float32"), (1, 1), (1, 1), (1, 1)]),
    "depthwise_conv2d_nchw": (
        topi.nn.depthwise_conv2d_nchw,
        [IMAGE, ("TENSOR", (4, 1, 3, 3), "float32"), (1, 1), (1, 1), (1, 1)],
    ),
    "dense": (topi.nn.dense, [MATRIX, ("TENSOR", (8, 16), "float32")]),
    "pool2d": (topi.nn.pool2d, [IMAGE, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), "max"]),
    "softmax": (topi.nn.softmax, [MATRIX]),
}


def divided(cfg: Any, outs: list[te.Tensor]) -> te.Schedule:
    """The last dimension of the result in two loops, the inner one unrolled or not."""
    s = te.create_schedule([each.op for each in outs])
    stage, axis = s[outs[0]], outs[0].op.axis[-1]
    cfg.define_split("tile", axis, num_outputs=2)
    cfg.define_knob("unroll", [False, True])
    _, inner = cfg["tile"].apply(s, outs[0], axis)
    if cfg["unroll"].val:
        stage.unroll(inner)
    return s


@pytest.mark.parametrize("name", COMPUTES)
def test_a_compute_is_tuned(name: str):
    """A measurement compares results with the right ones, so a wrong schedule is an error."""
    compute, arguments = COMPUTES[name]

    def computed(cfg: Any, *given: Any) -> te.Tensor:
        return compute(*given)

    autotvm.register_topi_compute(f"test.{name}", computed)
    autotvm.register_topi_schedule(f"test.{name}", divided)
    task = autotvm.task.create(f"test.{name}", arguments, tvm.target.Target("llvm"))
    assert (task.workload[0], f"test.{name}" in autotvm.TASK_TABLE) == (f"test.{name}", True)
    assert task.flop > 0
    tuner = autotvm.tuner.RandomTuner(task)
    errors: list[int] = []

    def noted(tuner: Any, inputs: Any, results: Any) -> None:
        errors.extend(int(each.error_no) for each in results)

    tuner.tune(
        3,
        autotvm.measure_option(runner=autotvm.LocalRunner(number=1, repeat=1, min_repeat_ms=1)),
        callbacks=[noted],
    )
    assert errors == [0, 0, 0]
    assert tuner.best_config is not None
