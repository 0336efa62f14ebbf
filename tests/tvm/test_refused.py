"""Names of TVM that are refused say why; functions of the system are found by their names."""

import json
import types
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import UnsupportedError
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from support.project import ROOT

REFUSED: dict[str, str] = json.loads((ROOT / "docs" / "tvm_refused.json").read_text())


@pytest.mark.parametrize("name", [each for each in REFUSED if each.partition(".")[0] == "topi"])
def test_processors_without_code_are_refused(name: str):
    module, _, function = name.partition(".")
    with pytest.raises(UnsupportedError, match=function):
        getattr(getattr(tvm, module), function)()


@pytest.mark.parametrize("name", ["auto_scheduler", "meta_schedule"])
def test_other_tuners_are_refused_by_name(name: str):
    with pytest.raises(UnsupportedError, match=f"tvm.{name}: schedules are decisions that one tuner searches"):
        getattr(tvm, name).SearchTask()


def test_a_program_may_import_what_there_is_not():
    module: Any = getattr(tvm, "auto_scheduler")  # noqa: B009  a checker knows no such module
    assert not isinstance(3, module.SearchTask)
    assert not module.cuda_available()
    with pytest.raises(UnsupportedError, match="one tuner searches"):
        types.new_class("Mine", (module.SearchTask,))
    with pytest.raises(UnsupportedError, match="one tuner searches"):
        str(module.SearchTask.name)


def test_an_executor_is_a_module_of_functions(tmp_path: Path):
    x = relay.var("x", shape=(1, 4))
    library = relay.build(tvm.IRModule.from_expr(relay.nn.relu(x)), target="llvm", mod_name="default")
    library.export_library(tmp_path / "net.so")
    load = tvm.get_global_func("runtime.module.loadfile_so")
    assert load is not None
    raw: Any = load(str(tmp_path / "net.so"))["default"](tvm.cpu())
    raw["set_input"]("x", np.array([[1, -2, 3, -4]], np.float32))
    raw["run"]()
    assert raw["get_output"](0).numpy().tolist() == [[1, 0, 3, 0]]
    assert isinstance(raw, tvm.runtime.Module)
    assert (raw.type_key, raw.implements_function("get_output")) == ("GraphExecutor", True)
    module: Any = graph_executor.GraphModule(cast("Any", raw)).module
    assert module.time_evaluator("run", tvm.cpu(), number=2)().mean > 0


def test_arrays_are_filled_with_random_numbers():
    fill = tvm.get_global_func("tvm.contrib.random.random_fill")
    assert fill is not None
    array = tvm.nd.empty((64,))
    fill(array)
    assert len(set(array.numpy().tolist())) > 32
