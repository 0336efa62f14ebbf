"""`s2s.build` under TVM's names: options, targets, what the factory gives, and what it exports."""

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

from s2s.api import compile, cpu
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from s2s.tvm.contrib.aot_executor import AotModule
from s2s.tvm.contrib.debugger.debug_executor import GraphModuleDebug
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.relay import IRModule, bind_params_by_name, build
from s2s.tvm.relay.factory import ExecutorFactory
from s2s.tvm.relay.options import Executor, Runtime
from s2s.tvm.runtime import load_module
from s2s.tvm.target import Target
from s2s.types.dtypes import Array


def network() -> tuple[IRModule, dict[str, Array]]:
    x, w, b = relay.var("x", shape=(1, 4)), relay.var("w"), relay.var("b")
    y = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, w, units=3), b))
    rng = np.random.default_rng(0)
    params = {"w": rng.standard_normal((3, 4)).astype(np.float32), "b": rng.standard_normal(3).astype(np.float32)}
    return IRModule.from_expr(relay.Function([x, w, b], y)), params


@pytest.fixture(scope="module")
def library() -> ExecutorFactory:
    mod, params = network()
    return build(mod, target="c", params=params)


def test_parameters_that_are_arguments_of_the_network_are_bound(library: ExecutorFactory):
    _, params = network()
    module = GraphModule(library["default"](cpu()))
    x = np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4)
    module.run(x=x)
    expected = np.maximum(x @ params["w"].T + params["b"], 0)
    np.testing.assert_allclose(np.array(module.get_output(0), np.float32), expected, rtol=1e-5)


def test_the_debug_executor_of_the_factory_agrees(library: ExecutorFactory, tmp_path: Path):
    x = np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4)
    module = GraphModule(library["default"](cpu()))
    debug = GraphModuleDebug(library["debug_create"]("default", cpu()), cpu(), library["get_graph_json"](), tmp_path)
    [expected], [found] = module.run_from_inputs({"x": x}), debug.run_from_inputs({"x": x})
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
    assert library["get_graph_params"]().keys() == library.get_params().keys()


def test_tables_say_that_they_keep_no_values(library: ExecutorFactory):
    with pytest.raises(InputError, match="tables do not keep values between kernels; run the graph JSON"):
        GraphModule(library["default"](cpu())).debug_get_output(0)


def test_the_factory_unpacks_as_older_programs_want_it(library: ExecutorFactory):
    graph, _, params = library
    assert json.loads(str(graph))["heads"]
    assert graph == library.get_executor_config()
    assert isinstance(params, dict)


def test_the_library_is_a_module_of_kernels(library: ExecutorFactory, tmp_path: Path):
    lib = library.get_lib()
    assert (lib.type_key, lib.imported_modules) == ("c", [])
    assert all(f"{name}(" in lib.get_source() for name in lib.function_names())
    assert library.module.type_key == "GraphExecutorFactory"
    assert library.get_devices() == []
    x = np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4)
    module = graph_executor.create(library.get_graph_json(), lib, cpu())
    module.run(x=x, **library.get_params())
    lib.export_library(tmp_path / "net.so")
    exported = GraphModule(load_module(tmp_path / "net.so")["default"](cpu()))
    exported.run(x=x)
    np.testing.assert_array_equal(np.asarray(module.get_output(0)), np.asarray(exported.get_output(0)))


def test_the_library_of_aot_is_the_function_that_runs_the_network(tmp_path: Path):
    mod, params = network()
    library = build(mod, target="c", executor="aot", params=params)
    x, y = np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4), np.zeros((1, 3), np.float32)
    lib = library.get_lib()
    lib.entry_func(x, y)
    module = AotModule(library["default"](cpu()))
    module.run(x=x)
    np.testing.assert_array_equal(y, np.asarray(module.get_output(0)))
    np.testing.assert_allclose(y, np.maximum(x @ params["w"].T + params["b"], 0), rtol=1e-5)
    with pytest.raises(InputError, match=r"output: int8\[1, 3\] given; give an array float32\[1, 3\]"):
        lib["__tvm_main__"](x, y.astype(np.int8))
    with pytest.raises(InputError, match="1 arrays given; give x and then output"):
        lib(x)
    with pytest.raises(InputError, match="GraphModule: AotExecutor given; give library"):
        GraphModule(library["default"](cpu()))


@pytest.mark.parametrize("name", ["net.so", "net.tar"])
def test_a_network_with_a_run_function_is_exported_and_loaded(name: str, tmp_path: Path):
    mod, params = network()
    built = build(mod, target="c", executor="aot", params=params)
    built.get_lib().export_library(tmp_path / name)
    x = np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4)
    expected = np.maximum(x @ params["w"].T + params["b"], 0)
    loaded = load_module(tmp_path / name)
    assert loaded.type_key == "AotExecutorFactory"
    assert [each.type_key for each in loaded.imported_modules] == ["library", "metadata"]
    module = AotModule(loaded["default"](cpu()))
    module.run(x=x)
    y = np.zeros((1, 3), np.float32)
    loaded["__tvm_main__"](x, y)
    np.testing.assert_allclose(y, expected, rtol=1e-5)
    np.testing.assert_array_equal(np.asarray(module.get_output(0)), y)
    with pytest.raises(InputError, match="1 arrays given; give x and then output"):
        loaded.entry_func(x)
    with pytest.raises(InputError, match=r"net\.zip: networks are exported as \.so or \.tar"):
        built.export_library(tmp_path / "net.zip")


def test_devices_are_named(tmp_path: Path):
    mod, params = network()
    library = build(mod, "c", executor="aot", params=params, devices={"dsp": {"operators": ["matmul"]}})
    assert library.get_devices() == ["dsp"]
    [dsp] = library.get_lib().imported_modules
    assert dsp.type_key == "c"
    assert "network_dsp_" in dsp.get_source()
    library.get_lib().export_library(tmp_path / "net.so")
    loaded = load_module(tmp_path / "net.so")
    assert [each.type_key for each in loaded.imported_modules] == ["library", "metadata"]
    [y] = AotModule(loaded["default"](cpu())).module.network.run({"x": np.ones((1, 4), np.float32)}).values()
    np.testing.assert_allclose(y, np.maximum(np.ones((1, 4)) @ params["w"].T + params["b"], 0), rtol=1e-5)
    with pytest.raises(UnsupportedError, match="2 targets for one network; give one, and place parts of the network"):
        build(mod, target=["c", "cortex-m4"], params=params)  # pyright: ignore[reportArgumentType]


def test_a_module_compiles_as_a_model_does():
    mod, params = network()
    bound = bind_params_by_name(mod, params)
    with compile(bound, target="c", name="net") as artifact:
        x = np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4)
        [y] = artifact.run({"x": x}).values()
    np.testing.assert_allclose(y, np.maximum(x @ params["w"].T + params["b"], 0), rtol=1e-5)
    assert artifact.name == "net"
    assert [port.name for port in compile(mod, target="c").info.inputs] == ["x", "w", "b"]
    with pytest.raises(InputError, match="shapes: says how a model is read, and this is a module; leave it out"):
        compile(mod, target="c", shapes={"x": (1, 4)})


def test_the_factory_tells_what_the_network_takes(library: ExecutorFactory):
    info = library.function_metadata["__tvm_main__"]
    assert info.io_sizes == {"c": 4 * (4 + 3)}
    assert "void" in library.get_source()


def test_the_model_library_format_has_its_files_and_fields(library: ExecutorFactory, tmp_path: Path):
    with tarfile.open(library.export_model_library_format(tmp_path / "net.tar")) as archive:
        names = {name.removeprefix("./") for name in archive.getnames()}
        record = json.loads(archive.extractfile("./metadata.json").read())  # pyright: ignore[reportOptionalMemberAccess]
    assert {
        "metadata.json",
        "src/default.relay",
        "parameters/default.params",
        "executor-config/graph/default.graph",
        "codegen/host/src/default_lib1.c",
        "codegen/host/include/network.h",
        "runtime/include/s2s.h",
    } <= names
    assert record["version"] == 7
    module = record["modules"]["default"]
    assert set(module) == {
        "model_name", "export_datetime", "memory", "target", "executors", "style", "external_dependencies",
    }  # fmt: skip
    [main] = module["memory"]["functions"]["main"]
    assert main["inputs"] == {"x": {"dtype": "float32", "size": 16}}
    assert main["io_size_bytes"] == 28
    assert {each.get("input_binding") for each in module["memory"]["sids"]} >= {"x", None}


def test_the_same_network_gives_the_same_archive(library: ExecutorFactory, tmp_path: Path):
    first = library.export_model_library_format(tmp_path / "a.tar").read_bytes()
    assert library.export_model_library_format(tmp_path / "b.tar").read_bytes() == first


def test_an_empty_module_builds():
    assert build(IRModule(), target="c").function_metadata["__tvm_main__"].io_sizes == {"c": 0}


def test_an_alignment_is_that_of_the_arena():
    mod, params = network()
    executor = Executor("aot", {"workspace-byte-alignment": 64})
    library = build(mod, target="c", executor=executor, params=params)
    assert library.artifact.info.target.align == 64


def test_the_target_of_the_block_around_is_taken():
    mod, params = network()
    with Target("c -mcpu=cortex-m4"):
        library = build(mod, executor="aot", params=params)
    assert library.artifact.info.target.name == "cortex-m4"
    assert Target.current() is None


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("vm", {}, r"Executor\('vm'\): is not known; give 'aot' or 'graph'"),
        ("graph", {"unpacked-api": True}, r"option unpacked-api: is not known; known are link-params"),
        ("aot", {"unpacked-api": 1}, r"option unpacked-api: is 1; give a bool"),
        ("aot", {"interface-api": "c", "unpacked-api": False}, "interface-api 'c' contradicts unpacked-api False"),
        ("aot", {"interface-api": "java"}, "option interface-api is 'java'; give 'c' or 'packed'"),
        ("aot", {"workspace-byte-alignment": 3}, "option workspace-byte-alignment is 3; give 1, 2, 4"),
    ],
)
def test_options_that_are_unknown_or_contradict_are_refused(name: str, options: dict[str, int | str], message: str):
    with pytest.raises(InputError, match=message):
        Executor(name, options)


def test_a_runtime_that_is_unknown_is_refused():
    with pytest.raises(InputError, match=r"Runtime\('java'\): is not known; give 'crt' or 'cpp'"):
        Runtime("java")


def test_an_expression_stands_for_the_function_of_its_variables():
    with build(relay.nn.relu(relay.var("x", shape=(1, 4))), target="c").artifact as network:
        found = network.run({"x": np.array([[1, -2, 3, -4]], np.float32)})
    assert [value.tolist() for value in found.values()] == [[[1, 0, 3, 0]]]


def test_what_is_no_module_is_refused():
    with pytest.raises(InputError, match=r"mod: is a str, no module; import a model by tvm\.relay\.frontend"):
        build("digits.onnx")  # pyright: ignore[reportArgumentType]
