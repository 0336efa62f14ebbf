"""A program as TVM 0.12's documentation teaches it, with other imports: build, run, export, parameters, passes, te.

    python examples/coming_from_tvm.py

What TVM calls the target `llvm` is this machine; `tvm` is `s2s` throughout.
"""

import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from s2s import relay, te, testing
from s2s.api import cpu, device
from s2s.contrib import graph_executor
from s2s.contrib.debugger import debug_executor
from s2s.relay import IRModule
from s2s.runtime import NDArray, get_global_func, load_module, load_param_dict, nd, register_func, save_param_dict
from s2s.transform import PassContext, PassInfo, pass_instrument

Floats = npt.NDArray[np.float32]


def network() -> tuple[IRModule, dict[str, Floats]]:
    """A network written with relay: a convolution, a bias, an activation, a classifier."""
    data = relay.var("data", shape=(1, 3, 16, 16), dtype="float32")
    y = relay.nn.conv2d(data, relay.var("weight"), kernel_size=(3, 3), channels=8, padding=(1, 1))
    y = relay.nn.relu(relay.nn.bias_add(y, relay.var("bias")))
    y = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(y))
    y = relay.nn.softmax(relay.nn.dense(y, relay.var("fc"), units=10))
    mod = IRModule.from_expr(relay.Function(relay.analysis.free_vars(y), y))
    rng = np.random.default_rng(0)
    shapes = {"weight": (8, 3, 3, 3), "bias": (8,), "fc": (10, 8)}
    return mod, {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def build_and_run(folder: Path) -> None:
    """Build a network, run it, export the library and run what is loaded; save and load its parameters."""
    mod, params = network()
    print(mod["main"].sym_name.data, "of", len(mod.astext().splitlines()), "lines")
    with PassContext(opt_level=3):
        lib = relay.build(mod, target="llvm", params=params)

    dev = device("cpu", 0)
    data = np.random.default_rng(1).uniform(-1, 1, (1, 3, 16, 16)).astype("float32")
    module = graph_executor.GraphModule(lib["default"](dev))
    module.set_input("data", data)
    module.run()
    out = module.get_output(0).numpy()
    print("class", out.argmax(), "of", out.shape, "in", module.get_num_inputs(), "inputs")

    path = folder / "deploy_lib.tar"
    lib.export_library(path)
    loaded = graph_executor.GraphModule(load_module(path)["default"](dev))
    loaded.run(data=data)
    np.testing.assert_array_equal(loaded.get_output(0).numpy(), out)

    blob = save_param_dict(lib.get_params())
    loaded.load_params(blob)
    loaded.run(data=data)
    np.testing.assert_array_equal(loaded.get_output(0).numpy(), out)
    print("parameters:", ", ".join(sorted(load_param_dict(blob))))

    lib.export_model_library_format(folder / "default.tar")
    [kernels] = load_module(path).imported_modules
    debug = debug_executor.create(lib.get_graph_json(), kernels, dev, dump_root=str(folder / "dump"))
    debug.load_params(blob)
    debug.run(data=data)
    np.testing.assert_array_equal(debug.get_output(0).numpy(), out)


@pass_instrument
class CountPasses:
    """Counts the passes of each level of the compiler."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def run_before_pass(self, mod: object, info: PassInfo) -> None:
        """Count a pass."""
        level = info.name.partition("-")[0]
        self.counts[level] = self.counts.get(level, 0) + 1


def instrument() -> None:
    """Look on while passes run, with one of them left out."""
    mod, params = testing.mlp.get_workload(batch_size=1)
    count = CountPasses()
    with PassContext(opt_level=3, disabled_pass=["AlterOpLayout"], instruments=[count]):
        relay.build(mod, target="llvm", params=params).get_graph_json()
    print("passes:", count.counts)


@register_func("demo.add_one")
def add_one(x: NDArray) -> NDArray:
    """A function of Python that C and Python find by its name."""
    return nd.array(np.add(x, 1))


def call_by_name() -> None:
    """Find a registered function and call it."""
    function = get_global_func("demo.add_one")
    assert function is not None
    print("add_one:", function(nd.array([1.0, 2.0])))


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

    func = te.build(s, [a, b, c], target="llvm", name="mmult")
    first, second = np.random.default_rng(2).random((2, n, n), np.float32)
    x, y, z = nd.array(first), nd.array(second), nd.empty((n, n), "float32")
    func(x, y, z)
    np.testing.assert_allclose(np.array(z, np.float32), first @ second, rtol=1e-4)
    evaluator = func.time_evaluator(func.entry_name, cpu(), number=10)
    print("matmul:", "timed" if evaluator(x, y, z).mean > 0 else "no time")
    print(len(te.lower(s, [a, b, c], simple_mode=True).splitlines()), "lines of loops")


def main() -> None:
    """Everything in turn."""
    with tempfile.TemporaryDirectory() as folder:
        build_and_run(Path(folder))
    instrument()
    call_by_name()
    matmul()


if __name__ == "__main__":
    main()
