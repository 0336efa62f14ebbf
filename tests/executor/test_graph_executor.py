"""GraphModule on a library built from the example tables of the runtime's tests."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffi import FFI

from s2s.errors import InputError
from s2s.executor.declarations import SOURCES, executor_declarations, status_phrases
from s2s.executor.graph_json import Call, Entry, Network, Source, Value, dump
from s2s.executor.ndarray import NDArray, aligned_empty
from s2s.executor.params import save_param_dict
from s2s.executor.session import Session
from s2s.tvm.contrib import graph_executor
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.runtime.benchmark import measure
from support.c_compilers import require
from support.project import ROOT

F32 = "float32"
GRAPH_JSON = dump(
    Network(
        (
            Source("x", Value(F32, (2, 3), 0)),
            Source("w", Value(F32, (2, 3), 1)),
            Source("b", Value(F32, (3,), 2)),
            Call("mul", "example_mul", (Entry(0), Entry(1)), (Value(F32, (2, 3), 3),)),
            Call("add_relu", "example_add_relu", (Entry(3), Entry(2)), (Value(F32, (2, 3), 4),)),
            Call("sum", "example_sum", (Entry(4),), (Value(F32, (), 5),)),
        ),
        (Entry(4), Entry(5)),
    )
)
X = np.array([[1, 1, 1], [1, -1, -2]], np.float32)
W = np.array([[1, 2, 3], [-1, -2, -3]], np.float32)
B = np.array([0.5, 0.25, -0.5], np.float32)


@dataclass(frozen=True)
class Library:
    """What the build harness hands over."""

    ffi: Any
    lib: Any
    name: str


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The example of the runtime's tests as a shared library."""
    path = tmp_path_factory.mktemp("example") / "libexample.so"
    runtime = ROOT / "runtime_c"
    sources: list[Path] = [runtime / source for source in SOURCES]
    sources.append(ROOT / "tests" / "runtime_c" / "example_graph.c")
    flags = ["-std=c99", "-O1", "-shared", "-fPIC", f"-I{runtime / 'include'}"]
    subprocess.run([require("gcc"), *flags, *sources, "-o", path], check=True)
    ffi: Any = FFI()
    ffi.cdef(executor_declarations("example"))
    return Library(ffi, ffi.dlopen(str(path)), "example")


@pytest.fixture
def module(library: Library) -> GraphModule:
    return graph_executor.create(GRAPH_JSON, library, "cpu")


def expected(x: np.ndarray[Any, Any], w: np.ndarray[Any, Any] = W) -> np.ndarray[Any, Any]:
    return np.maximum(x * w + B, 0)


def test_a_network_runs(module: GraphModule):
    module.set_input("x", X)
    module.run()
    assert module.get_output(0).numpy().tolist() == expected(X).tolist()
    assert module.get_output("total").numpy().tolist() == 14.0


def test_inputs_may_be_given_to_run(module: GraphModule):
    module.run(x=X.tolist(), unknown=3)
    assert module.get_output("y").tolist() == expected(X).tolist()


def test_set_input_copies(module: GraphModule):
    x = X.copy()
    module.set_input(0, x)
    x[...] = 0
    module.run()
    assert module.get_output(0).tolist() == expected(X).tolist()


def test_get_output_is_not_changed_by_later_runs(module: GraphModule):
    module.run(x=X)
    first = module.get_output(0)
    module.run(x=np.zeros_like(X))
    assert first.tolist() == expected(X).tolist()
    assert module.get_output(0).tolist() == expected(np.zeros_like(X)).tolist()


def test_get_output_fills_what_is_given(module: GraphModule):
    module.run(x=X)
    out = np.empty((2, 3), np.float32)
    assert np.shares_memory(module.get_output(0, out), out)
    assert out.tolist() == expected(X).tolist()
    with pytest.raises(InputError, match="out: float64"):
        module.get_output(0, np.empty((2, 3)))


def test_zero_copy_binds_memory(module: GraphModule):
    x, y = X.copy(), np.empty((2, 3), np.float32)
    module.set_input_zero_copy("x", x)
    module.set_output_zero_copy("y", y)
    module.run()
    assert y.tolist() == expected(X).tolist()
    x[...] = 0
    module.run()
    assert y.tolist() == expected(x).tolist()


def test_two_modules_of_one_library_are_independent(library: Library):
    first, second = GraphModule(Session(library)), GraphModule(Session(library))
    first.set_input("x", X)
    second.set_input("x", -X)
    first.set_input("w", np.zeros_like(W))
    first.run()
    second.run()
    assert first.get_output(0).tolist() == expected(X, np.zeros_like(W)).tolist()
    assert second.get_output(0).tolist() == expected(-X).tolist()


def test_inputs_and_outputs_are_described(module: GraphModule):
    assert module.get_num_inputs() == 2
    assert module.get_num_outputs() == 2
    assert [module.get_input_index(name) for name in ("x", "w", "y")] == [0, 1, -1]
    assert module.get_input_info() == ({"x": (2, 3)}, {"x": "float32"})
    assert module.get_output_info() == ({"y": (2, 3), "total": ()}, {"y": "float32", "total": "float32"})


def test_get_input_shares_memory_and_parameters_are_copies(module: GraphModule):
    assert not module.get_input("x").numpy().any()
    module.get_input("x").copyfrom(X)
    module.run()
    assert module.get_output(0).tolist() == expected(X).tolist()
    w = module.get_input(1)
    assert w.tolist() == W.tolist()
    w[...] = 0
    assert module.get_input("w").tolist() == W.tolist()


def test_load_params_replaces_parameters(module: GraphModule):
    module.load_params(save_param_dict({"w": 2 * W, "b": B, "other": B}))
    module.run(x=X)
    assert module.get_output(0).tolist() == expected(X, 2 * W).tolist()


def test_load_params_refuses_to_change_a_fixed_constant(module: GraphModule):
    with pytest.raises(InputError, match="'b': is fixed in example"):
        module.load_params(save_param_dict({"b": 2 * B}))


def test_share_params_reads_the_memory_of_another_module(library: Library):
    first, second = GraphModule(Session(library)), GraphModule(Session(library))
    blob = save_param_dict({"w": 3 * W, "x": X, "nothing": B})
    with pytest.raises(InputError, match="'x': has no value in the other module"):
        second.share_params(first, blob)
    first.load_params(blob)
    second.share_params(first, save_param_dict({"w": 3 * W}))
    del first
    second.run(x=X)
    assert second.get_output(0).tolist() == expected(X, 3 * W).tolist()


def test_share_params_of_linked_values(library: Library):
    first, second = GraphModule(Session(library)), GraphModule(Session(library))
    second.set_input("w", 0 * W)
    second.share_params(first, save_param_dict({"w": W}))
    second.run(x=X)
    assert second.get_output(0).tolist() == expected(X).tolist()


def test_functions_are_found_by_name(module: GraphModule):
    module["set_input"]("x", X)
    module["run"]()
    assert module["get_output"](1).tolist() == 14.0
    with pytest.raises(InputError, match="function 'profile'"):
        module["profile"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("z", X, "input 'z': does not exist; the network has x"),
        (2, X, "input 2: does not exist"),
        (-1, X, "input -1: does not exist"),
        ("x", None, "no value given"),
        ("x", X[0], r"shape \(3,\) given, \(2, 3\) wanted"),
        ("x", X.astype(np.complex64), "complex64 given, float32 wanted"),
    ],
)
def test_wrong_inputs_are_refused(module: GraphModule, key: str | int, value: Any, message: str):
    with pytest.raises(InputError, match=message):
        module.set_input(key, value)


def test_wrong_memory_is_refused(module: GraphModule):
    with pytest.raises(InputError, match="other dimensions"):
        module.set_input_zero_copy("x", np.zeros((3, 2), np.float32))
    with pytest.raises(InputError, match="another number of dimensions"):
        module.set_input_zero_copy("x", np.zeros(6, np.float32))
    with pytest.raises(InputError, match="another element type"):
        module.set_input_zero_copy("x", np.zeros((2, 3), np.float64))
    with pytest.raises(InputError, match="not contiguous"):
        module.set_input_zero_copy("x", np.zeros((3, 2), np.float32).T)
    with pytest.raises(InputError, match="not aligned"):
        module.set_input_zero_copy("x", np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3))
    with pytest.raises(InputError, match="read-only"):
        module.set_output_zero_copy("y", np.broadcast_to(np.float32(0), (2, 3)))


def test_run_names_the_inputs_that_have_no_value(module: GraphModule):
    with pytest.raises(InputError, match="no value for x; set it before run"):
        module.run()


def changed(name: str, **changes: object) -> str:
    """The graph JSON with other entries in one of its attributes."""
    parsed = json.loads(GRAPH_JSON)
    for key, value in changes.items():
        parsed["attrs"][name][1][int(key[1:])] = value
    return json.dumps(parsed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed("shape", _0=[3, 2]), "input 'x' of example is missing or of another type"),
        (changed("dltype", _1="float64"), "input 'w' of example"),
        (changed("shape", _5=[1]), "outputs differ"),
        (GRAPH_JSON.replace('"x"', '"data"'), "input 'x' of example is missing"),
        ("{}", "file has no 'nodes'"),
    ],
)
def test_the_json_of_another_network_is_refused(library: Library, text: str, message: str):
    with pytest.raises(InputError, match=message):
        graph_executor.create(text, library)


@dataclass(frozen=True)
class Device:
    device_type: int


def test_devices(library: Library):
    for device in (None, "cpu", Device(1), [Device(1)], ("cpu",)):
        graph_executor.create(GRAPH_JSON, library, device)
    for device in ("cuda", Device(2), [Device(1), Device(2)]):
        with pytest.raises(InputError, match="runs on the processor only"):
            graph_executor.create(GRAPH_JSON, library, device)


def test_benchmark_times_the_network(module: GraphModule):
    result = module.benchmark("cpu", repeat=3, number=2, x=X)
    assert len(result.results) == 3
    assert 0 <= result.min <= result.median <= result.max
    assert result.min <= result.mean <= result.max
    assert result.std >= 0
    assert "mean (ms)" in str(result)
    assert len(module.benchmark(repeat=1, end_to_end=True, x=X).results) == 1
    with pytest.raises(InputError, match="'get_output' cannot be timed"):
        module.benchmark(func_name="get_output")


def test_measure_repeats_until_it_takes_long_enough():
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1

    result = measure(count, repeat=2, number=1, min_repeat_seconds=0.001, cooldown_seconds=0.001)
    assert calls > 4
    assert len(result.results) == 2


def test_integer_values_out_of_range_are_refused(library: Library, monkeypatch: pytest.MonkeyPatch):
    session = Session(library)
    port = session.inputs[0]
    narrow = type(port)(port.name, np.dtype(np.int8), port.shape, is_parameter=False)
    monkeypatch.setattr(session, "inputs", (narrow,))
    with pytest.raises(InputError, match="outside the range of int8"):
        session.set_input(0, np.full((2, 3), 300))


def test_ndarray_converts():
    array = aligned_empty((2, 2), np.dtype(np.float32)).copyfrom([[1, 2], [3, 4]])
    assert isinstance(array, NDArray)
    assert array.ctypes.data % 64 == 0
    assert type(array.numpy()) is np.ndarray
    assert array.copyto(np.zeros((2, 2))).tolist() == [[1, 2], [3, 4]]


def test_every_status_has_a_phrase(library: Library):
    names = set(library.ffi.typeof("s2s_status").relements)
    assert names == set(status_phrases())
