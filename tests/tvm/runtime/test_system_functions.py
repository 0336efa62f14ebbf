"""Functions of the system are in the registry, modules of programs go into libraries, values are converted."""

import operator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import s2s.tvm.runtime._ffi_api as runtime_api
from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay, te
from s2s.tvm.relay.build_module import BuildModule
from s2s.tvm.relay.factory import ExecutorFactory
from s2s.tvm.runtime import Module, list_global_func_names, load_module
from s2s.tvm.runtime.registry import PLACES

X = np.array([[1, -2, 3, -4]], np.float32)
W = np.array([[1, 2, 3, 4], [4, 3, 2, 1]], np.float32)


def network() -> tvm.IRModule:
    x, w = relay.var("x", shape=(1, 4)), relay.var("w", shape=(2, 4))
    return tvm.IRModule.from_expr(relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w))))


def library(**options: Any) -> ExecutorFactory:
    return relay.build(network(), "llvm", params={"w": W}, **options)


def function_named(name: str) -> Any:
    return tvm.get_global_func(name)


def run(module: Any) -> np.ndarray[Any, Any]:
    module["set_input"]("x", X)
    module["run"]()
    return np.asarray(module["get_output"](0))


EXPECTED = np.maximum(X @ W.T, 0)


@pytest.mark.parametrize("name", PLACES)
def test_functions_of_the_system_are_registered(name: str):
    assert callable(function_named(name))
    assert name in list_global_func_names()


@pytest.mark.parametrize("devices", [(), (1, 0), (tvm.cpu(0),)])
@pytest.mark.parametrize("kind", ["graph_executor", "graph_executor_debug"])
def test_an_executor_is_created_from_graph_json(kind: str, devices: tuple[object, ...]):
    built = library()
    executor = function_named(f"tvm.{kind}.create")(built.get_graph_json(), built.get_lib(), *devices)
    executor["load_params"](tvm.runtime.save_param_dict(built.get_params()))
    np.testing.assert_allclose(run(executor), EXPECTED)


def test_other_devices_have_no_executor():
    built = library()
    with pytest.raises(InputError, match="a network runs on the processor only"):
        function_named("tvm.graph_executor.create")(built.get_graph_json(), built.get_lib(), 2, 0)


def test_a_factory_is_created_from_parameters_as_pairs():
    built = library()
    pairs = [each for pair in built.get_params().items() for each in pair]
    create = function_named("tvm.graph_executor_factory.create")
    factory = create(built.get_graph_json(), built.get_lib(), "default", *pairs)
    assert factory["get_graph_json"]() == built.get_graph_json()
    assert factory["get_graph_params"]().keys() == built.get_params().keys()
    np.testing.assert_allclose(run(factory["default"](tvm.cpu())), EXPECTED)
    with pytest.raises(InputError, match="parameters are pairs of a name and an array"):
        create(built.get_graph_json(), built.get_lib(), "default", "w")


def test_a_build_is_asked_for_its_results():
    builder = BuildModule()
    with pytest.raises(InputError, match="nothing has been built yet"):
        builder.get_graph_json()
    graph_json, lib, params = builder.build(network(), "llvm", params={"w": W})
    assert (graph_json, lib) == (builder.get_graph_json(), builder.get_module())
    assert params.keys() == builder.get_params().keys()
    assert builder.get_irmodule()["main"].params[0].name_hint == "x"
    assert builder.get_function_metadata()["__tvm_main__"].workspace_sizes
    assert builder.get_devices() == []
    with pytest.raises(UnsupportedError, match=r"BuildModule.optimize: a build goes on to loops"):
        builder.optimize(network())


def test_a_build_is_a_module_of_functions():
    builder = function_named("relay.build_module._BuildModule")()
    builder["set_params"]({"w": relay.const(W)})
    builder["build"](network(), "llvm", None, relay.backend.Executor("graph"), relay.backend.Runtime("cpp"))
    executor = function_named("tvm.graph_executor.create")(builder["get_graph_json"](), builder["get_module"](), 1, 0)
    executor["load_params"](tvm.runtime.save_param_dict(builder["get_params"]()))
    np.testing.assert_allclose(run(executor), EXPECTED)


def test_a_network_is_built_and_exported_by_functions(tmp_path: Path):
    module = function_named("tvm.relay.build")(network(), "llvm", None, {"w": W}, "default")
    np.testing.assert_allclose(run(module["default"](tvm.cpu())), EXPECTED)
    function_named("tvm.relay.module_export_library")(library().get_lib(), str(tmp_path / "net.so"))
    np.testing.assert_allclose(run(load_module(tmp_path / "net.so")["default"](tvm.cpu())), EXPECTED)


def test_weights_are_linked_and_can_be_replaced():
    """`link-params` changes nothing: with either value, parameters are in the library and can be set."""
    linked, apart = (
        library(executor=relay.backend.Executor("graph", {"link-params": value})) for value in (True, False)
    )
    assert linked.get_source() == apart.get_source()
    executor = apart["default"](tvm.cpu())
    np.testing.assert_allclose(run(executor), EXPECTED)
    for name, value in apart.get_params().items():
        executor["set_input"](name, 2 * np.asarray(value, np.float32))
    np.testing.assert_allclose(run(executor), 2 * EXPECTED)


SEVEN = """
#include "s2s_packed.h"
int seven(s2s_value *a, int *c, int n, s2s_value *r, int *rc, void *s)
{
    (void)a, (void)c, (void)n, (void)s;
    r->v_int64 = 7;
    *rc = S2S_ARG_INT;
    return 0;
}
"""


@pytest.mark.parametrize("executor", ["graph", "aot"])
@pytest.mark.parametrize("suffix", ["so", "tar"])
def test_modules_of_a_program_are_exported_with_a_network(tmp_path: Path, executor: str, suffix: str):
    built = library(executor=executor)
    built.get_lib().import_module(runtime_api.CSourceModuleCreate(SEVEN, "c", ["seven"]))
    built.export_library(tmp_path / f"net.{suffix}")
    loaded = load_module(tmp_path / f"net.{suffix}")
    assert "external" in [each.type_key for each in loaded.imported_modules]
    assert loaded.get_function("seven", query_imports=True)() == 7
    if executor == "graph":
        np.testing.assert_allclose(run(loaded["default"](tvm.cpu())), EXPECTED)


def test_modules_that_cannot_be_packed_are_refused(tmp_path: Path):
    built = library()
    built.module.import_module(tvm.support.FrontendTestModule())
    with pytest.raises(InputError, match="a module of kind frontend cannot be packed into a library; define save_to_"):
        built.export_library(tmp_path / "net.so")


def test_a_function_of_tensor_expressions_is_loaded_from_an_object(tmp_path: Path):
    a = te.placeholder((4,), name="A")
    b = te.compute((4,), lambda i: a[i] + 1, name="B")
    function = tvm.build(te.create_schedule(b.op), [a, b], "llvm", name="add_one")
    function.import_module(runtime_api.CSourceModuleCreate(SEVEN, "c", ["seven"]))
    function.save(str(tmp_path / "add.o"))
    loaded = load_module(tmp_path / "add.o")
    result = tvm.nd.empty((4,))
    loaded(tvm.nd.array(X[0]), result)
    np.testing.assert_array_equal(result.numpy(), X[0] + 1)
    assert [each.type_key for each in loaded.imported_modules] == ["library", "metadata", "external"]


def test_modules_say_what_can_be_done_with_them():
    source = runtime_api.CSourceModuleCreate("int x;", "cc", [], ["weight"])
    assert source["get_const_vars"]() == ["weight"]
    assert (source.is_dso_exportable, source.is_binary_serializable) == (True, True)
    assert (Module().is_runnable, Module().is_dso_exportable, Module().is_binary_serializable) == (False,) * 3
    with pytest.raises(InputError, match="format 'cl' is no C"):
        runtime_api.CSourceModuleCreate("", "cl")


def test_a_program_fills_a_module():
    module = tvm.support.FrontendTestModule("main")
    module["main"] = operator.neg
    assert (module(2), module["main"](3)) == (-2, -3)
    assert tvm.support.libinfo()["USE_PROFILER"] == "ON"


def kinds(*values: Any) -> str:
    return " ".join(type(each).__name__ for each in values)


def test_values_between_functions_of_python_are_those_of_packed_functions():
    tell = tvm.convert(kinds)
    assert tell([1, 2], {"a": 1}, X, np.int64(3), np.float32(1), "x", None) == (
        "Array Map NDArray int float str NoneType"
    )
    with pytest.raises(InputError, match="does not fit into 64 bits"):
        tell(2**63)


def test_numbers_tell_their_types():
    size = cast("Any", relay.var("x", shape=(2, 3)).type_annotation).shape[1]
    assert (size, size.value, size.dtype) == (3, 3, "int32")
    assert (tvm.tir.IntImm("int64", 5).value, tvm.tir.FloatImm("float32", 0.5).value) == (5, 0.5)
    number = tvm.convert(10)
    assert (number.value, number.dtype) == (10, "int32")


@pytest.mark.parametrize(
    ("module", "name"),
    [(relay.frontend, "from_keras"), (tvm.tir, "BufferLoad"), (tvm.target, "VirtualDevice")],
)
def test_other_names_are_refused_with_the_reason(module: Any, name: str):
    with pytest.raises(UnsupportedError, match=f"{name}: is not offered; "):
        getattr(module, name)("x")


def test_passes_of_programs_are_required_and_disabled():
    calls: list[str] = []

    @tvm.transform.module_pass(opt_level=3, name="LookOn")
    def look(mod: tvm.IRModule, ctx: object) -> tvm.IRModule:
        calls.append("LookOn")
        return mod

    passes = tvm.transform.Sequential([look])
    for level, required, disabled in ((2, [], []), (2, ["LookOn"], []), (3, [], ["LookOn"])):
        with tvm.transform.PassContext(level, required, disabled):
            passes(network())
    assert calls == ["LookOn"]


def test_batch_norms_are_simplified_where_their_parameters_are_bound():
    x = relay.var("x", shape=(1, 3, 4, 4))
    names = ("gamma", "beta", "mean", "var")
    gamma, beta, mean, var = (relay.var(name, shape=(3,)) for name in names)
    norm = relay.nn.batch_norm(x, gamma, beta, mean, var)[0]
    params = {name: np.full(3, 1 + at, np.float32) for at, name in enumerate(names)}
    module = tvm.IRModule.from_expr(relay.Function(relay.analysis.free_vars(norm), norm))
    simplify = relay.transform.SimplifyInference()
    assert "batch_norm" in simplify(module).astext()
    assert "batch_norm" not in simplify(relay.bind_params_by_name(module, params)).astext()


def test_modules_are_asked_by_functions(tmp_path: Path):
    built = library()
    module = built.module
    count = function_named("runtime.ModuleImportsSize")(module)
    imported = [function_named("runtime.ModuleGetImport")(module, number) for number in range(count)]
    kinds = [function_named("runtime.ModuleGetTypeKey")(each) for each in (module, *imported)]
    assert kinds == ["GraphExecutorFactory", "library"]
    with pytest.raises(tvm.TVMError, match="ModuleGetImport: 1: the module imports 1"):
        runtime_api.ModuleGetImport(module, 1)
    assert function_named("runtime.ModuleImplementsFunction")(module, "default", False)
    assert [function_named("runtime.ModuleGetPropertyMask")(each) for each in (module, *imported)] == [3, 2]
    source = function_named("runtime.CSourceModuleCreate")(SEVEN, "c")
    function_named("runtime.ModuleSaveToFile")(source, str(tmp_path / "seven.c"), "c")
    assert (tmp_path / "seven.c").read_text() == function_named("runtime.ModuleGetSource")(source, "") == SEVEN
    built.export_library(tmp_path / "net.so")
    loaded = function_named("runtime.ModuleLoadFromFile")(str(tmp_path / "net.so"), "")
    np.testing.assert_allclose(run(loaded["default"](tvm.cpu())), EXPECTED)


def test_parameters_are_saved_and_loaded_by_functions(tmp_path: Path):
    path = str(tmp_path / "net.params")
    saved = function_named("runtime.SaveParams")({"w": tvm.nd.array(W)})
    np.testing.assert_array_equal(function_named("runtime.LoadParams")(bytes(saved))["w"], W)
    function_named("runtime.SaveParamsToFile")({"w": tvm.nd.array(W)}, path)
    np.testing.assert_array_equal(function_named("runtime.LoadParamsFromFile")(path)["w"], W)


REASONED = {
    "target.build.llvm": "there is one generator of C",
    "relay.ext.ccompiler": "a code generator is a class",
    "relay.backend.GraphPlanMemory": "the plan of memory is made by a build",
    "runtime.ModulePackImportsToC": "export_library packs imports",
}


@pytest.mark.parametrize(("name", "reason"), REASONED.items(), ids=REASONED.keys())
def test_a_function_that_there_is_not_has_its_reason(name: str, reason: str):
    assert tvm.get_global_func(name, allow_missing=True) is None
    with pytest.raises(ValueError, match=reason):
        tvm.get_global_func(name)
