"""Tune a matrix multiplication: a template with open tiles, a search that measures them, and the best one built.

    python examples/tune_matmul.py [SIZE] [TRIALS]

It is TVM's tutorial of AutoTVM with the imports changed.
"""

import logging
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from s2s.tvm import autotvm, te
from s2s.tvm.target import Target

SIZE, TRIALS = 512, 10


@autotvm.template("tutorial/matmul")
def matmul(n: int, l: int, m: int, dtype: str) -> tuple[te.Schedule, list[te.Tensor]]:  # noqa: E741
    """The product of matrices, its tiles open."""
    a = te.placeholder((n, l), name="A", dtype=dtype)
    b = te.placeholder((l, m), name="B", dtype=dtype)
    k = te.reduce_axis((0, l), name="k")
    c = te.compute((n, m), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    s = te.create_schedule(c.op)

    y, x = s[c].op.axis
    (k,) = s[c].op.reduce_axis

    # What is open: how each of the two loops is split.
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2)
    cfg.define_split("tile_x", x, num_outputs=2)

    # The schedule with the values that are tried.
    yo, yi = cfg["tile_y"].apply(s, c, y)
    xo, xi = cfg["tile_x"].apply(s, c, x)
    s[c].reorder(yo, xo, k, yi, xi)
    return s, [a, b, c]


def main(size: int = SIZE, trials: int = TRIALS, log: Path | None = None) -> float:
    """Tune, build with the best configuration, check the product, and return the best cost in seconds."""
    task = autotvm.task.create("tutorial/matmul", args=(size, size, size, "float32"), target="llvm")
    print(task.config_space)

    with TemporaryDirectory() as folder:
        log_file = log if log is not None else Path(folder) / "matmul.log"
        measure_option = autotvm.measure_option(builder="local", runner=autotvm.LocalRunner(number=5))
        tuner = autotvm.tuner.RandomTuner(task)
        tuner.tune(
            n_trial=trials,
            measure_option=measure_option,
            callbacks=[autotvm.callback.log_to_file(log_file), autotvm.callback.progress_bar(trials)],
        )

        with autotvm.apply_history_best(log_file), Target("llvm"):
            s, arguments = matmul(size, size, size, "float32")
            function = te.build(s, arguments)

    rng = np.random.default_rng(0)
    a, b = rng.random((size, size), np.float32), rng.random((size, size), np.float32)
    c = np.zeros((size, size), np.float32)
    function(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)
    assert tuner.best_cost is not None
    print(f"best of {tuner.trials} trials: {tuner.best_config}, {tuner.best_cost * 1e3:.3f} ms")
    return tuner.best_cost


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    words = sys.argv[1:]
    main(int(words[0]) if words else SIZE, int(words[1]) if len(words) > 1 else TRIALS)
