"""A graph JSON on Python functions: the executor that can be looked into, and errors of kernels."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.executor.device import Device, cpu
from s2s.executor.graph_json import CONCAT, COPY, NO_OPERATION, Call, Entry, Network, Source, Value, dump
from s2s.executor.params import load_param_dict, save_param_dict
from s2s.tvm import runtime
from s2s.tvm.contrib import graph_executor
from s2s.tvm.contrib.debugger import debug_executor
from s2s.tvm.contrib.debugger.debug_executor import (
    FOLDER,
    GRAPH_DUMP,
    TENSORS,
    TRACE,
    GraphModuleDebug,
    MetricCollector,
)
from s2s.tvm.runtime import Module, NDArray, nd, register_func, remove_global_func
from s2s.tvm.runtime.tensors import given_count

F32 = "float32"
NETWORK = Network(
    (
        Source("x", Value(F32, (2,), 0)),
        Source("w", Value(F32, (2,), 1)),
        Call("sum", "add", (Entry(0), Entry(1)), (Value(F32, (2,), 2),)),
        Call("flat", NO_OPERATION, (Entry(2),), (Value(F32, (1, 2), 2),)),
        Call("twice", CONCAT, (Entry(3), Entry(0)), (Value(F32, (4,), 3),)),
        Call("moved", COPY, (Entry(4),), (Value(F32, (4,), 4),)),
    ),
    (Entry(5), Entry(2)),
)
X, W = np.array([1, 2], np.float32), np.array([10, 20], np.float32)


def add(x: NDArray, w: NDArray, y: NDArray) -> None:
    np.add(x, w, out=y)


@pytest.fixture
def module(tmp_path: Path) -> GraphModuleDebug:
    made = debug_executor.create(dump(NETWORK), Module({"add": add}), dump_root=tmp_path)
    made.load_params(save_param_dict({"w": W, "other": W}))
    return made


def test_a_json_runs_on_functions_of_python(module: GraphModuleDebug):
    module.run(x=X)
    assert module.get_output(0).tolist() == [11, 22, 1, 2]
    assert module.get_output(1).tolist() == [11, 22]
    assert module.get_input_info() == ({"x": (2,)}, {"x": F32})
    assert module.get_num_inputs() == 2


def test_registered_functions_are_kernels():
    register_func("add", add)
    try:
        module = graph_executor.create(dump(NETWORK), Module())
        module.run(x=X, w=W)
        assert module.get_output(1).tolist() == [11, 22]
    finally:
        remove_global_func("add")
    with pytest.raises(InputError, match="the registry has no function of this name"):
        graph_executor.create(dump(NETWORK), Module())


def test_errors_of_kernels_come_through():
    def failing(x: NDArray, w: NDArray, y: NDArray) -> None:
        raise ArithmeticError("too large")

    module = graph_executor.create(dump(NETWORK), Module({"add": failing}))
    with pytest.raises(ArithmeticError, match="too large"):
        module.run(x=X, w=W)


def test_inputs_need_values(module: GraphModuleDebug):
    with pytest.raises(InputError, match="no value for x"):
        module.run()
    with pytest.raises(InputError, match="an input has no value"):
        module.debug_get_output("sum")


def test_outputs_are_bound_and_parameters_shared(module: GraphModuleDebug):
    other = graph_executor.create(dump(NETWORK), Module({"add": add}))
    other.share_params(module, save_param_dict({"w": W}))
    y = np.zeros(4, np.float32)
    other.set_output_zero_copy(0, y)
    other.run(x=X)
    assert y.tolist() == [11, 22, 1, 2]


def test_every_node_can_be_looked_at(module: GraphModuleDebug):
    module.run(x=X)
    assert module.debug_get_output("flat").tolist() == [[11, 22]]
    assert module.debug_get_output(4).tolist() == [11, 22, 1, 2]
    out = np.empty(2, np.float32)
    assert module.debug_get_output("sum", out).tolist() == out.tolist() == [11, 22]
    with pytest.raises(InputError, match="node 'none': does not exist; the network has 6 nodes: x, w, sum"):
        module.debug_get_output("none")


def test_every_call_is_timed(module: GraphModuleDebug):
    module.set_input("x", X)
    times = module.run_individual(number=2, repeat=2)
    assert [time > 0 for time in times] == [False, False, True, True, True, True]
    assert len(module.run_individual_node(2, number=1, repeat=3).results) == 3
    assert module.run_individual_node(0, repeat=2).results == (0.0, 0.0)
    report = module.profile(x=X)
    assert [call.name for call in report.calls] == ["sum", "flat", "twice", "moved"]
    assert isinstance(report, runtime.Report)
    assert "sum" in report.table()
    assert report.csv().count("\n") == 5
    assert len(json.loads(report.json())["calls"]) == 4


def test_nodes_times_and_tensors_of_a_run(module: GraphModuleDebug, capsys: pytest.CaptureFixture[str]):
    module.run(number=2, repeat=2, x=X)
    result = module.debug_datum
    assert [each["op"] for each in result.get_graph_nodes()] == ["param", "param", "add", NO_OPERATION, CONCAT, COPY]
    assert result.get_graph_node_shapes()[4] == [4]
    assert set(result.get_graph_node_dtypes()) == {F32}
    assert result.get_graph_node_output_num(result.get_graph_nodes()[2]) == 1
    assert result.get_output_tensors()["sum____topo-index:2____output-num:0"].tolist() == [11, 22]
    result.display_debug_result()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "Node Name"
    assert sorted(line.split()[0] for line in lines[2:-1]) == ["flat", "moved", "sum", "twice"]
    assert lines[-1].startswith("Total_time")
    in_order = result.get_debug_result(sort_by_time=False).splitlines()
    assert [line.split()[0] for line in in_order[2:]] == ["sum", "flat", "twice", "moved", "Total_time"]


class NumberCalls(MetricCollector):
    """Numbers the calls."""

    def __init__(self) -> None:
        self.devices: list[Device] = []
        self.calls = 0

    def init(self, devices: Sequence[Device]) -> None:
        self.devices = list(devices)

    def start(self, device: Device) -> int:
        self.calls += 1
        return self.calls

    def stop(self, started: int) -> dict[str, float]:
        return {"call": float(started)}


def test_collectors_measure_each_call(module: GraphModuleDebug):
    collector = NumberCalls()
    report = module.profile([collector], x=X)
    assert collector.devices == [cpu()]
    assert [call.metrics for call in report.calls] == [{"call": 1.0}, {"call": 2.0}, {"call": 3.0}, {"call": 4.0}]
    assert report.csv().splitlines()[0] == "Name,Function,Duration (us),call"
    assert json.loads(report.json())["calls"][3]["metrics"] == {"call": 4.0}


def test_outputs_of_inputs_by_name(module: GraphModuleDebug):
    first, second = module["run_from_inputs"]({"x": X})
    assert (first.tolist(), second.tolist()) == ([11, 22, 1, 2], [11, 22])


def test_files_of_tvm_are_written(module: GraphModuleDebug, tmp_path: Path):
    module.run(x=X)
    folder = tmp_path / FOLDER
    nodes = json.loads((folder / GRAPH_DUMP).read_text())["nodes"]
    assert [node["op"] for node in nodes] == ["param", "param", "add", "__nop", "s2s.concat", "__copy"]
    assert len(json.loads((folder / TRACE).read_text())["traceEvents"]) == 8
    tensors = load_param_dict((folder / TENSORS).read_bytes())
    assert tensors["sum____topo-index:2____output-num:0"].tolist() == [11, 22]


def test_what_a_function_returns_beside_its_outputs_is_released():
    def returning(x: NDArray, w: NDArray, y: NDArray) -> NDArray:
        np.add(x, w, out=y)
        return nd.array([1.0])

    graph_executor.create(dump(NETWORK), Module({"add": returning})).run(x=X, w=W)
    assert given_count() == 0
