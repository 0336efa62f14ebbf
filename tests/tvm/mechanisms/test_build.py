"""`relay.build` as TVM 0.12 documents it."""

from typing import Any

import pytest

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from tests.tvm.mechanisms.networks import X, Y, built, dense


def result_of(module: Any) -> Any:
    module.set_input("data", X)
    module.run()
    return module.get_output(0).numpy()


def test_parameters_are_bound_by_name():
    lib = built()
    tvm.testing.assert_allclose(result_of(graph_executor.GraphModule(lib["default"](tvm.cpu(0)))), Y, rtol=1e-5)


def test_older_programs_unpack_three_results():
    mod, params = dense()
    built_parts: Any = relay.build(mod, target="llvm", params=params)
    graph, lib, params = built_parts
    module = graph_executor.create(graph, lib, tvm.cpu(0))
    module.set_input(**params)
    tvm.testing.assert_allclose(result_of(module), Y, rtol=1e-5)


def test_the_factory_tells_its_parts():
    lib = built()
    assert '"nodes"' in lib.get_graph_json()
    assert lib.get_lib().get_source()
    assert all(isinstance(each, tvm.nd.NDArray) for each in lib.get_params().values())


def test_the_name_of_a_module_is_that_of_its_entry():
    lib = built(mod_name="mine")
    tvm.testing.assert_allclose(result_of(graph_executor.GraphModule(lib["mine"](tvm.cpu()))), Y, rtol=1e-5)
    with pytest.raises(AttributeError):
        lib["default"](tvm.cpu())


@pytest.mark.parametrize("form", ["text", "object", "dictionary", "block", "mapping of devices"])
def test_a_target_has_many_forms(form: str):
    mod, params = dense()
    target: Any = {
        "text": "llvm",
        "object": tvm.target.Target("llvm"),
        "dictionary": tvm.target.Target({"kind": "llvm"}),
        "block": None,
        "mapping of devices": {"cpu": "llvm"},
    }[form]
    if form == "block":
        with tvm.target.Target("llvm"):
            lib = relay.build(mod, params=params)
    else:
        lib = relay.build(mod, target=target, params=params)
    assert lib.target == relay.build(mod, "llvm", params=params).target


def test_a_function_is_built_like_a_module():
    mod, params = dense()
    lib = relay.build(mod["main"], "llvm", params=params)
    tvm.testing.assert_allclose(result_of(graph_executor.GraphModule(lib["default"](tvm.cpu()))), Y, rtol=1e-5)


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4])
def test_the_level_of_a_context_changes_no_number(level: int):
    mod, params = dense()
    with tvm.transform.PassContext(opt_level=level):
        lib = relay.build(mod, "llvm", params=params)
    tvm.testing.assert_allclose(result_of(graph_executor.GraphModule(lib["default"](tvm.cpu()))), Y, rtol=1e-5)


def test_the_aot_executor_is_asked_for_by_name():
    mod, params = dense()
    executor = relay.backend.Executor("aot", {"interface-api": "c", "unpacked-api": True})
    lib = relay.build(mod, "c", executor=executor, runtime=relay.backend.Runtime("crt"), params=params)
    assert (executor.name, executor["interface-api"]) == ("aot", "c")
    assert lib.get_executor_config() is None
