"""Tune a template and a network's kernels on a farm, whose tracker and servers are processes of this machine.

    python examples/tvm_farm.py [TRIALS]

On other machines these are `python -m s2s.tvm.exec.rpc_tracker` and `rpc_server`.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from s2s import tvm
from s2s.tvm import autotvm, relay, rpc, te

SIZE, TRIALS, KEY = 64, 6, "rk3399"


@autotvm.template("farm/matmul")
def matmul(n: int, dtype: str) -> tuple[te.Schedule, list[te.Tensor]]:
    """The product of square matrices, its tiles open."""
    a, b = (te.placeholder((n, n), name=name, dtype=dtype) for name in "AB")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    s = te.create_schedule(c.op)
    y, x = s[c].op.axis
    (k,) = s[c].op.reduce_axis
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2)
    cfg.define_split("tile_x", x, num_outputs=2)
    yo, yi = cfg["tile_y"].apply(s, c, y)
    xo, xi = cfg["tile_x"].apply(s, c, x)
    s[c].reorder(yo, xo, k, yi, xi)
    return s, [a, b, c]


def network() -> tuple[tvm.IRModule, dict[str, np.ndarray]]:
    """A convolution and its activation."""
    y = relay.nn.conv2d(relay.var("x", shape=(1, 4, 8, 8)), relay.var("w"), kernel_size=(3, 3), channels=8)
    y = relay.nn.relu(y)
    weights = np.random.default_rng(0).standard_normal((8, 4, 3, 3)).astype(np.float32)
    return tvm.IRModule.from_expr(relay.Function(relay.analysis.free_vars(y), y)), {"w": weights}


@contextmanager
def farm(servers: int = 2) -> Generator[tuple[str, int]]:
    """A tracker and servers that measure, as processes; the address of the tracker."""
    host = "127.0.0.1"
    tracker = rpc.Tracker(host=host, silent=True)
    processes = [rpc.Server(host, key=KEY, tracker_addr=(host, tracker.port), silent=True) for _ in range(servers)]
    try:
        yield host, tracker.port
    finally:
        for process in (*processes, tracker):
            process.terminate()


def tune(task: autotvm.task.Task, log: Path, runner: autotvm.RPCRunner, trials: int) -> None:
    """Search the configurations of a task on the farm."""
    tuner = autotvm.tuner.XGBTuner(task, loss_type="rank")
    option = autotvm.measure_option(builder=autotvm.LocalBuilder(timeout=60), runner=runner)
    tuner.tune(n_trial=trials, measure_option=option, callbacks=[autotvm.callback.log_to_file(str(log))])


def main(folder: Path, trials: int = TRIALS) -> int:
    """Tune on the farm, build with the best of the log, check both results; return the count of measurements."""
    mod, params = network()
    log, best = folder / "all.log", folder / "best.log"
    with farm() as (host, port):
        tracker = rpc.connect_tracker(host, port)
        tracker.request(KEY, max_retry=60).end()
        print(tracker.text_summary())
        runner = autotvm.RPCRunner(KEY, host, port, timeout=60)
        product = autotvm.task.create("farm/matmul", args=(SIZE, "float32"), target="llvm")
        kernels = autotvm.task.extract_from_program(mod["main"], params, "llvm", ops=(relay.op.get("nn.conv2d"),))
        for task in (product, *kernels):
            tune(task, log, runner, trials)
    autotvm.record.pick_best(str(log), str(best))

    rng = np.random.default_rng(1)
    with autotvm.apply_history_best(str(best)):
        with tvm.target.Target("llvm"):
            s, arguments = matmul(SIZE, "float32")
            function = tvm.build(s, arguments, name="product")
        library = relay.build(mod, target="llvm", params=params)
    first, second = rng.random((2, SIZE, SIZE), np.float32)
    c = tvm.nd.empty((SIZE, SIZE))
    function(tvm.nd.array(first), tvm.nd.array(second), c)
    np.testing.assert_allclose(np.asarray(c, np.float32), first @ second, rtol=1e-4)
    module = tvm.contrib.graph_executor.GraphModule(library["default"](tvm.cpu()))
    module.run(x=rng.random((1, 4, 8, 8), np.float32))
    records = list(autotvm.record.load_from_file(str(log)))
    print(len(records), "measurements,", sum(1 for _ in autotvm.record.load_from_file(str(best))), "are the best")
    return len(records)


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary), int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS)
