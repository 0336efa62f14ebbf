"""Executors as TVM 0.12 documents them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from s2s.tvm.contrib.debugger import debug_executor
from s2s.tvm.runtime.executor import AotModule
from tests.tvm.mechanisms.networks import B, W, X, Y, built, dense

AOT = relay.backend.Executor("aot")


@pytest.fixture(scope="module")
def lib() -> Any:
    return built()


@pytest.fixture
def module(lib: Any) -> Any:
    return graph_executor.GraphModule(lib["default"](tvm.cpu(0)))


def test_inputs_are_set_by_name_and_by_number(module: Any):
    for key in ("data", module.get_input_index("data")):
        module.set_input(key, tvm.nd.array(X))
        module.run()
        tvm.testing.assert_allclose(module.get_output(0).numpy(), Y, rtol=1e-5)


def test_inputs_are_keywords_of_a_run(module: Any):
    module.run(data=X)
    tvm.testing.assert_allclose(module.get_output(0).numpy(), Y, rtol=1e-5)
    module.set_input(data=-X)
    module.run()
    tvm.testing.assert_allclose(module.get_output(0).numpy(), np.maximum(B - X @ W.T, 0), rtol=1e-5)


def test_inputs_and_outputs_are_counted_and_found(module: Any):
    assert module.get_num_outputs() == 1
    assert module.get_num_inputs() >= 1
    assert module.get_input_index("data") >= 0
    assert module.get_input_index("no such input") == -1


def test_inputs_and_outputs_have_shapes_and_types(module: Any):
    shapes, types = module.get_input_info()
    assert (tuple(shapes["data"]), types["data"]) == ((1, 8), "float32")
    [shape] = module.get_output_info()[0].values()
    assert tuple(shape) == (1, 4)


def test_an_output_is_written_to_an_array_of_the_caller(module: Any):
    out = tvm.nd.empty((1, 4), "float32")
    module.run(data=X)
    module.get_output(0, out)
    tvm.testing.assert_allclose(out.numpy(), Y, rtol=1e-5)
    assert module.get_input("data").numpy().tolist() == X.tolist()


def test_parameters_are_loaded_of_bytes_and_shared(lib: Any):
    graph, library, params = lib
    first, second = (graph_executor.create(graph, library, tvm.cpu()) for _ in range(2))
    content = tvm.runtime.save_param_dict(params)
    first.load_params(content)
    second.share_params(first, content)
    for module in (first, second):
        module.run(data=X)
        tvm.testing.assert_allclose(module.get_output(0).numpy(), Y, rtol=1e-5)


def test_arrays_are_bound_without_a_copy(module: Any):
    data, out = tvm.nd.array(X), tvm.nd.empty((1, 4))
    module.set_input_zero_copy("data", data)
    module.set_output_zero_copy(0, out)
    module.run()
    tvm.testing.assert_allclose(out.numpy(), Y, rtol=1e-5)


def test_an_executor_is_timed(module: Any):
    module.set_input("data", X)
    result = module.benchmark(tvm.cpu(), repeat=2, number=3)
    assert len(result.results) == 2
    assert 0 < result.min <= result.median <= result.max
    assert "mean (ms)" in str(result)


def test_the_functions_of_an_executor_are_its_modules(module: Any):
    module["set_input"]("data", X)
    module["run"]()
    tvm.testing.assert_allclose(module["get_output"](0).numpy(), Y, rtol=1e-5)


def test_a_debug_executor_dumps_nodes_and_tensors(lib: Any, tmp_path: Path):
    module = debug_executor.create(lib.get_graph_json(), lib.get_lib(), tvm.cpu(0), dump_root=str(tmp_path))
    module.set_input(**lib.get_params())
    module.run(data=X)
    tvm.testing.assert_allclose(module.get_output(0).numpy(), Y, rtol=1e-5)
    dumped = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert any(name.endswith(".json") for name in dumped)
    assert any(name.endswith(".params") for name in dumped)


def test_a_profile_has_a_row_for_each_call(lib: Any):
    module = debug_executor.create(lib.get_graph_json(), lib.get_lib(), tvm.cpu(0))
    module.set_input(**lib.get_params())
    report = module.profile(data=X)
    calls = json.loads(report.json())["calls"]
    nodes = [each for each in json.loads(lib.get_graph_json())["nodes"] if each["op"] == "tvm_op"]
    assert len(calls) == len(nodes)
    assert len(report.csv().strip().splitlines()) == len(calls) + 1
    assert "Duration" in str(report.table())


def test_a_network_of_the_aot_executor_runs():
    mod, params = dense()
    module = AotModule(relay.build(mod, "c", executor=AOT, params=params)["default"](tvm.cpu()))
    module.set_input("data", X)
    module.run()
    tvm.testing.assert_allclose(module.get_output(0).numpy(), Y, rtol=1e-5)
    assert (module.get_input_name(0), module.get_num_outputs()) == ("data", 1)


def test_a_network_of_the_aot_executor_is_a_module_of_functions():
    mod, params = dense()
    raw = relay.build(mod, "c", executor=AOT, params=params)["default"](tvm.cpu())
    assert isinstance(raw, tvm.runtime.Module)
    raw["set_input"]("data", X)
    raw["run"]()
    tvm.testing.assert_allclose(np.asarray(raw["get_output"](0)), Y, rtol=1e-5)
    assert raw.time_evaluator("run", tvm.cpu(), number=1)().mean > 0
