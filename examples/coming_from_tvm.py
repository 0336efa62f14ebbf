"""A program as TVM 0.12's documentation teaches it, with one other import: build, run, export, parameters, passes, te.

    python examples/coming_from_tvm.py

What TVM calls the target `llvm` is this machine.
"""

import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from s2s import tvm
from s2s.tvm import relay, te

Floats = npt.NDArray[np.float32]


def network() -> tuple[tvm.IRModule, dict[str, Floats]]:
    """A network written with relay: a convolution, a bias, an activation, a classifier."""
    data = relay.var("data", shape=(1, 3, 16, 16), dtype="float32")
    y = relay.nn.conv2d(data, relay.var("weight"), kernel_size=(3, 3), channels=8, padding=(1, 1))
    y = relay.nn.relu(relay.nn.bias_add(y, relay.var("bias")))
    y = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(y))
    y = relay.nn.softmax(relay.nn.dense(y, relay.var("fc"), units=10))
    mod = tvm.IRModule.from_expr(relay.Function(relay.analysis.free_vars(y), y))
    rng = np.random.default_rng(0)
    shapes = {"weight": (8, 3, 3, 3), "bias": (8,), "fc": (10, 8)}
    return mod, {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def build_and_run(folder: Path) -> None:
    """Build a network, run it, export the library and run what is loaded; save and load its parameters."""
    mod, params = network()
    print(mod["main"].checked_type, "of", len(mod.astext().splitlines()), "lines")
    with tvm.transform.PassContext(opt_level=3):
        lib = relay.build(mod, target="llvm", params=params)

    dev = tvm.device("cpu", 0)
    data = np.random.default_rng(1).uniform(-1, 1, (1, 3, 16, 16)).astype("float32")
    module = tvm.contrib.graph_executor.GraphModule(lib["default"](dev))
    module.set_input("data", data)
    module.run()
    out = module.get_output(0).numpy()
    print("class", out.argmax(), "of", out.shape, "in", module.get_num_inputs(), "inputs")

    path = folder / "deploy_lib.tar"
    lib.export_library(path)
    loaded = tvm.contrib.graph_executor.GraphModule(tvm.runtime.load_module(path)["default"](dev))
    loaded.run(data=data)
    np.testing.assert_array_equal(loaded.get_output(0).numpy(), out)

    blob = tvm.runtime.save_param_dict(lib.get_params())
    loaded.load_params(blob)
    loaded.run(data=data)
    np.testing.assert_array_equal(loaded.get_output(0).numpy(), out)
    print("parameters:", ", ".join(sorted(tvm.runtime.load_param_dict(blob))))

    lib.export_model_library_format(folder / "default.tar")
    [kernels] = tvm.runtime.load_module(path).imported_modules
    debug = tvm.contrib.debugger.debug_executor.create(
        lib.get_graph_json(), kernels, dev, dump_root=str(folder / "dump")
    )
    debug.load_params(blob)
    debug.run(data=data)
    np.testing.assert_array_equal(debug.get_output(0).numpy(), out)


@tvm.instrument.pass_instrument
class CountPasses:
    """Counts the passes of each level of the compiler."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def run_before_pass(self, mod: object, info: tvm.transform.PassInfo) -> None:
        """Count a pass."""
        level = info.name.partition("-")[0]
        self.counts[level] = self.counts.get(level, 0) + 1


def instrument() -> None:
    """Look on while passes run, with one of them left out."""
    mod, params = relay.testing.mlp.get_workload(batch_size=1)
    count = CountPasses()
    with tvm.transform.PassContext(opt_level=3, disabled_pass=["AlterOpLayout"], instruments=[count]):
        relay.build(mod, target="llvm", params=params).get_graph_json()
    print("passes:", count.counts)


@tvm.register_func("demo.add_one")
def add_one(x: tvm.nd.NDArray) -> tvm.nd.NDArray:
    """A function of Python that C and Python find by its name."""
    return tvm.nd.array(np.add(x, 1))


def call_by_name() -> None:
    """Find a registered function and call it."""
    function = tvm.get_global_func("demo.add_one")
    assert function is not None
    print("add_one:", function(tvm.nd.array([1.0, 2.0])))


def matmul(n: int = 128) -> None:
    """A matrix product as tensor expressions: split, reordered and vectorised."""
    k = te.reduce_axis((0, n), "k")
    a = te.placeholder((n, n), name="A")
    b = te.placeholder((n, n), name="B")
    c = te.compute((n, n), lambda x, y: te.sum(a[x, k] * b[k, y], axis=k), name="C")

    s = te.create_schedule(c.op)
    xo, yo, xi, yi = s[c].tile(c.op.axis[0], c.op.axis[1], 8, 32)
    ko, ki = s[c].split(k, factor=4)
    s[c].reorder(xo, yo, ko, ki, xi, yi)
    s[c].vectorize(yi)

    func = tvm.build(s, [a, b, c], target="llvm", name="mmult")
    first, second = np.random.default_rng(2).random((2, n, n), np.float32)
    x, y, z = tvm.nd.array(first), tvm.nd.array(second), tvm.nd.empty((n, n), "float32")
    func(x, y, z)
    np.testing.assert_allclose(np.array(z, np.float32), first @ second, rtol=1e-4)
    evaluator = func.time_evaluator(func.entry_name, tvm.cpu(), number=10)
    print("matmul:", "timed" if evaluator(x, y, z).mean > 0 else "no time")
    print(len(tvm.lower(s, [a, b, c], simple_mode=True).splitlines()), "lines of loops")


def main() -> None:
    """Everything in turn."""
    with tempfile.TemporaryDirectory() as folder:
        build_and_run(Path(folder))
    instrument()
    call_by_name()
    matmul()


if __name__ == "__main__":
    main()
