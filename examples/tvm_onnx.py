"""An ONNX model with TVM's calls: read, compiled under instruments, exported, loaded, looked into, timed.

    python examples/tvm_onnx.py [MODEL.onnx]

Without a model it makes a small residual network. What TVM calls the target `llvm` is this machine.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from onnx import TensorProto, helper, numpy_helper

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from s2s.tvm.contrib.debugger import debug_executor


def residual_network() -> onnx.ModelProto:
    """A convolution, a residual block, pooling over the image and a classifier."""
    rng = np.random.default_rng(0)
    shapes = {"w0": (8, 3, 3, 3), "w1": (8, 8, 3, 3), "w2": (8, 8, 3, 3), "fc": (10, 8), "bias": (10,)}
    weights = [
        numpy_helper.from_array((0.2 * rng.standard_normal(shape)).astype(np.float32), name)
        for name, shape in shapes.items()
    ]
    padded: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["data", "w0"], ["c0"], **padded),
        helper.make_node("Relu", ["c0"], ["r0"]),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], **padded),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], **padded),
        helper.make_node("Add", ["c2", "r0"], ["sum"]),
        helper.make_node("GlobalAveragePool", ["sum"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["flat"]),
        helper.make_node("Gemm", ["flat", "fc", "bias"], ["scores"], transB=1),
    ]
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3, 32, 32])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 10])
    graph = helper.make_graph(nodes, "residual", [data], [scores], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@tvm.instrument.pass_instrument
class PassCounter:
    """Counts the passes that run, and remembers when the context is left."""

    def __init__(self) -> None:
        self.count, self.has_left = 0, False

    def run_before_pass(self, mod: object, info: tvm.transform.PassInfo) -> None:
        """Count a pass."""
        self.count += 1

    def exit_pass_ctx(self) -> None:
        """The context is left."""
        self.has_left = True


def inputs_of(model: onnx.ModelProto) -> dict[str, np.ndarray[Any, Any]]:
    """Random values of the inputs of a model."""
    rng = np.random.default_rng(1)
    constants = {each.name for each in model.graph.initializer}
    shapes = {
        each.name: [size.dim_value for size in each.type.tensor_type.shape.dim]
        for each in model.graph.input
        if each.name not in constants
    }
    return {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def main(model: onnx.ModelProto, folder: Path) -> float:
    """Everything in turn; return the greatest difference from onnxruntime."""
    inputs = inputs_of(model)
    mod, params = relay.frontend.from_onnx(model, {name: value.shape for name, value in inputs.items()})
    print(mod.astext(show_meta_data=False).splitlines()[2][:60], "…", len(params), "weights")

    target, dev = tvm.target.Target("llvm"), tvm.cpu(0)
    timing, counter = tvm.instrument.PassTimingInstrument(), PassCounter()
    with tvm.transform.PassContext(opt_level=3, disabled_pass=["CombineParallelConv2D"], instruments=[timing, counter]):
        library = relay.build(mod, target=target, params=params)
        graph_json = library.get_graph_json()
        print("longest of the passes:", max(timing.render().splitlines(), key=len)[:70])
    print(counter.count, "passes,", "left" if counter.has_left else "not left")

    library.export_library(folder / "deploy.so")
    loaded = tvm.runtime.load_module(str(folder / "deploy.so"))
    module = graph_executor.GraphModule(loaded["default"](dev))
    for name, value in inputs.items():
        module.set_input(name, value)
    module.run()
    scores = np.asarray(module.get_output(0), np.float32)

    (folder / "deploy.params").write_bytes(relay.save_param_dict(library.get_params()))
    debug = debug_executor.create(graph_json, loaded.imported_modules[0], dev, dump_root=str(folder / "dump"))
    debug.load_params((folder / "deploy.params").read_bytes())
    for name, value in inputs.items():
        debug.set_input(name, value)
    debug.run()
    np.testing.assert_array_equal(np.asarray(debug.get_output(0)), scores)
    print("dumped:", ", ".join(sorted(path.name for path in (folder / "dump").rglob("*.*"))))
    print(debug.profile(None, **inputs).table().splitlines()[0])
    print(f"{module.benchmark(dev, number=5, repeat=3, end_to_end=True).mean * 1e6:.0f} µs a run")

    session: Any = onnxruntime.InferenceSession(model.SerializeToString())
    return float(np.abs(scores - np.asarray(session.run(None, inputs)[0], np.float32)).max())


if __name__ == "__main__":
    network = residual_network() if len(sys.argv) == 1 else onnx.load(sys.argv[1])  # pyright: ignore[reportUnknownMemberType]
    with TemporaryDirectory() as temporary:
        print("greatest difference from onnxruntime:", main(network, Path(temporary)))
