"""Modules and libraries as TVM 0.12 documents them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import te
from s2s.tvm.contrib import cc, graph_executor, utils
from tests.tvm.mechanisms.networks import X, Y, built


@pytest.fixture(scope="module")
def lib() -> Any:
    return built()


def plus(name: str, number: float) -> Any:
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] + number, name="B")
    return tvm.build(te.create_schedule(b.op), [a, b], "llvm", name=name)


@pytest.mark.parametrize("ending", ["so", "tar"])
def test_a_network_is_exported_and_loaded(lib: Any, ending: str):
    with utils.tempdir() as folder:
        path = folder.relpath(f"net.{ending}")
        lib.export_library(path)
        loaded = tvm.runtime.load_module(path)
        module = graph_executor.GraphModule(loaded["default"](tvm.cpu(0)))
        module.run(data=X)
        tvm.testing.assert_allclose(module.get_output(0).numpy(), Y, rtol=1e-5)


def test_modules_import_modules():
    first, second = plus("first", 1.0), plus("second", 2.0)
    first.import_module(second)
    assert [each.type_key for each in first.imported_modules] == [second.type_key]
    assert first.get_function("second", query_imports=True) is not None
    with pytest.raises(AttributeError):
        first.get_function("second", query_imports=False)


def test_a_module_tells_what_it_is():
    module = plus("plus", 1.0)
    assert module.implements_function("plus")
    assert not module.implements_function("minus")
    assert isinstance(module.type_key, str)
    assert "plus" in module.get_source()


def test_a_module_is_called_by_its_entry():
    module = plus("plus", 1.0)
    a, b = tvm.nd.array(np.zeros(8, np.float32)), tvm.nd.empty((8,))
    module(a, b)
    assert b.numpy().tolist() == [1] * 8
    module["plus"](b, a)
    assert a.numpy().tolist() == [2] * 8
    module.entry_func(a, b)
    assert b.numpy().tolist() == [3] * 8


def test_objects_are_linked_by_the_caller(tmp_path: Path):
    plus("plus", 1.0).save(str(tmp_path / "plus.o"))
    cc.create_shared(str(tmp_path / "plus.so"), [str(tmp_path / "plus.o")])
    loaded = tvm.runtime.load_module(str(tmp_path / "plus.so"))
    a, b = tvm.nd.array(np.zeros(8, np.float32)), tvm.nd.empty((8,))
    loaded["plus"](a, b)
    assert b.numpy().tolist() == [1] * 8


def test_the_source_of_a_network_is_c(lib: Any):
    source = lib.get_lib().get_source()
    assert "float" in source
    assert lib.get_lib().type_key == "c"


def test_the_factory_has_functions(lib: Any):
    module = lib.module
    assert module["get_graph_json"]() == lib.get_graph_json()
    assert "weight" in "".join(module["get_graph_params"]()) or module["get_graph_params"]()
    executor = graph_executor.GraphModule(module["default"](tvm.cpu()))
    executor.run(data=X)
    tvm.testing.assert_allclose(executor.get_output(0).numpy(), Y, rtol=1e-5)
