"""Packed functions as kernels of compiled networks: of Python in its process, of C in a firmware."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from s2s import api
from s2s.api import cpu
from s2s.artifact import Artifact, compile_artifact
from s2s.errors import InputError
from s2s.frontends import custom
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.tvm import relay
from s2s.tvm.contrib.debugger.debug_executor import GraphModuleDebug
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.relay import build
from s2s.tvm.relay.factory import source_of
from s2s.tvm.runtime import load_module, register_func, remove_global_func
from s2s.tvm.runtime.packed_func import PackedError
from s2s.types.dtypes import Array
from s2s.verify.build import LoadedNetwork
from support.c_compilers import require, run

X = np.array([[1.0, -2.0, 3.0]], np.float32)
SCALE = """
int app_scale(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource)
{
    const s2s_tensor *const x = args[0].v_handle, *const y = args[num_args - 1].v_handle;

    for (int64_t i = 0; i < x->shape[0] * x->shape[1]; ++i) {
        ((float *)y->data)[i] = 3.0f * ((const float *)x->data)[i];
    }
    return (void)type_codes, (void)ret, (void)ret_code, (void)resource, 0;
}
"""


def scale(x: Array, y: Array) -> None:
    assert x.shape == y.shape == (1, 3)
    if x.max() > 100:
        raise ValueError("too large")
    y[:] = 3 * x


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(custom, "_OPERATORS", {})
    register_func("app.scale", scale, override=True)
    yield
    remove_global_func("app.scale")


def network() -> relay.IRModule:
    """`3 * relu(x) + x`, the product by a packed function."""
    x = relay.var("x", shape=(1, 3))
    scaled = relay.call_dps_packed("app.scale", relay.nn.relu(x), ("float32", (1, 3)))
    return relay.IRModule.from_expr(relay.add(scaled, x))


def expected(x: Array) -> Array:
    return 3 * np.maximum(x, 0) + x


@pytest.fixture(scope="module")
def aot() -> Iterator[Artifact]:
    register_func("app.scale", scale, override=True)
    with compile_artifact(source_of(network()), CompileOptions(target="c")) as artifact:
        artifact.loaded()
        yield artifact


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str]:
    """A library for executor `graph`, exported and loaded again, and its graph JSON."""
    register_func("app.scale", scale, override=True)
    path = tmp_path_factory.mktemp("packed") / "net.so"
    factory = build(network(), target="c")
    factory.export_library(path)
    return load_module(path), factory.get_graph_json()


def test_the_run_function_calls_python(aot: Artifact):
    [found] = aot.run({"x": X}).values()
    np.testing.assert_array_equal(found, expected(X))


def test_all_levels_agree(aot: Artifact):
    found = aot.verify(levels=True)
    assert found.bit_exact
    assert found.levels is not None
    assert not any(level.wrong for level in found.levels.levels)


def test_a_loaded_library_calls_python(graph: tuple[Any, str]):
    module = GraphModule(graph[0]["default"](cpu()))
    module.run(x=X)
    np.testing.assert_array_equal(np.asarray(module.get_output(0)), expected(X))


def test_graph_json_calls_python(graph: tuple[Any, str], tmp_path: Path):
    library, json = graph
    debug = GraphModuleDebug(library["debug_create"]("default", cpu()), cpu(), json, tmp_path)
    [found] = debug.run_from_inputs({"x": X})
    np.testing.assert_array_equal(np.asarray(found), expected(X))


def test_exceptions_go_through_the_run_function(aot: Artifact):
    with pytest.raises(ValueError, match="too large") as raised:
        aot.run({"x": 1000 * X})
    assert raised.traceback[-1].name == "scale"
    [found] = aot.run({"x": X}).values()
    np.testing.assert_array_equal(found, expected(X))


def test_exceptions_go_through_the_executors(graph: tuple[Any, str], tmp_path: Path):
    library, json = graph
    module = GraphModule(library["default"](cpu()))
    debug = GraphModuleDebug(library["debug_create"]("default", cpu()), cpu(), json, tmp_path)
    for executor in (module, debug):
        with pytest.raises(ValueError, match="too large"):
            executor.run(x=1000 * X)
    module.run(x=X)
    np.testing.assert_array_equal(np.asarray(module.get_output(0)), expected(X))


def test_a_missing_function_is_named_at_the_first_call(aot: Artifact):
    remove_global_func("app.scale")
    with pytest.raises(PackedError, match=r"network: packed function app\.scale is in no registry: add it"):
        aot.run({"x": X})
    register_func("app.scale", scale)


def test_a_function_that_returns_its_result_is_refused(aot: Artifact):
    def returning(x: Array, y: Array) -> Array:
        return 3 * x

    register_func("app.scale", returning, override=True)
    with pytest.raises(PackedError, match=r"app\.scale returned a value: it has to write into its last arguments"):
        aot.run({"x": X})


def test_what_calls_it_holds_no_reference_to_its_arguments(aot: Artifact):
    kept: list[Array] = []

    def keeping(x: Array, y: Array) -> None:
        kept.append(y)

    register_func("app.scale", keeping, override=True)
    with pytest.raises(InputError, match="keeps argument 1, whose memory belongs to the caller"):
        aot.run({"x": X})


def test_a_function_may_have_several_outputs():
    x = relay.var("x", relay.TensorType((1, 3)))
    total, place = relay.call_dps_packed("app.best", x, [relay.TensorType((1,)), ("int32", (1,))])
    mod = relay.IRModule.from_expr(relay.Tuple([relay.nn.relu(total), place]))

    def best(x: Array, total: Array, place: Array) -> None:
        total[:], place[:] = x.sum(), x.argmax()

    register_func("app.best", best)
    found = run_graph(mod.module, [X], mod.weights)
    remove_global_func("app.best")
    np.testing.assert_array_equal(found[0], [2])
    np.testing.assert_array_equal(found[1], np.array([2], np.int32))


def test_outputs_without_types_are_refused():
    x = relay.var("x", shape=(1, 3))
    with pytest.raises(InputError, match=r"relay\.call_dps_packed f: 'float32' is no type of an output; give relay"):
        relay.call_dps_packed("f", x, ["float32"])  # pyright: ignore[reportArgumentType, reportCallIssue]
    with pytest.raises(InputError, match=r"relay\.call_dps_packed f: no output; give the type of each output"):
        relay.call_dps_packed("f", x, [])


def onnx_model() -> ModelProto:
    """`y = scale(x)`"""
    node = helper.make_node("Scale", ["x"], ["y"], domain="com.ours")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3]) for name in "xy")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.ours", 1)]
    return helper.make_model(helper.make_graph([node], "network", [x], [y]), opset_imports=opsets, ir_version=10)


def test_an_operator_of_a_model_may_be_one(tmp_path: Path):
    """In Python's process its function is called; the tree takes that of C, and the self-test compares with Python."""
    api.register_custom_op("Scale", api.PackedFunction("app.scale"), domain="com.ours")
    artifact = api.compile(onnx_model(), target="c", name="net")
    tree = artifact.write(tmp_path / "tree")
    assert "`app.scale`: found by `s2s_global_registry()`" in (tree / "README.md").read_text()
    (tmp_path / "scale.c").write_text(f'#include "s2s_packed.h"\n{SCALE}')
    folders = [f"-I{tree / folder}" for folder in ("include", "runtime/include", "test", "src")]
    sources = [*tree.glob("src/*.c"), *tree.glob("runtime/src/*.c"), *tree.glob("test/*.c"), tmp_path / "scale.c"]
    run([require("gcc"), "-std=c99", "-DS2S_LINK_PACKED", *folders, *sources, "-o", "test", "-lm"], tmp_path)
    run([str(tmp_path / "test")], tmp_path)


def test_its_source_in_the_tree_is_called_without_a_registry(tmp_path: Path):
    api.register_custom_op("Scale", api.PackedFunction("app.scale", SCALE), domain="com.ours")
    remove_global_func("app.scale")
    with api.compile(onnx_model(), target="c", executor="graph") as artifact:
        [found] = LoadedNetwork.run(artifact.loaded(), {"x": X}).values()
    np.testing.assert_array_equal(found, 3 * X)
    register_func("app.scale", scale)
