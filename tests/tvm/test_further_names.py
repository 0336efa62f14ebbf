"""Names that programs of TVM use beside the great ones: each does what TVM's does, or says what to use."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import UnsupportedError
from s2s.tvm import micro, relay, te
from s2s.tvm.contrib import random
from s2s.tvm.error import UnsupportedInModelLibraryFormatError, WrongValueError

REFUSED = {
    "relay.prelude.Prelude": "write tensors and tuples",
    "relay.optimize": "run passes of relay.transform on the module",
    "relay.transform.recast": "convert the model before it is imported",
    "contrib.download.download": "give a file",
    "contrib.tflite_runtime.create": "read the model with relay.frontend.from_tflite",
    "testing.test_wrap_callback": "it is of TVM's own tests",
    "autotvm.task.args_to_workload": "tasks are made by extract_from_program or a template",
    "autotvm.callback.log_to_database": "records are lines of a log; use log_to_file",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_use(name: str):
    def call() -> None:
        value: Any = tvm
        for part in name.split("."):
            value = getattr(value, part)
        value(None)

    with pytest.raises(UnsupportedError, match=REFUSED[name]):
        call()


def test_layouts_are_no_steps_of_a_schedule():
    b = te.compute((4, 4), lambda i, j: i + j, name="B")
    with pytest.raises(
        tvm.TVMError, match="te: B: transform_layout: layouts of tensors are the plan's; use cache_read"
    ):
        te.create_schedule(b.op)[b].transform_layout(None)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("target.build.c", "there is one generator of C"),
        ("relay.backend.GraphPlanMemory", "its graph JSON has the storage ids"),
        ("mine", "register it first"),
    ],
)
def test_functions_that_are_missing_say_what_to_do(name: str, reason: str):
    with pytest.raises(WrongValueError, match=reason):
        tvm.get_global_func(name)
    assert tvm.get_global_func(name, allow_missing=True) is None


def test_an_archive_that_holds_something_else_has_an_error_of_its_own(tmp_path: Path):
    module: Any = tvm.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(4,))))
    with pytest.raises(UnsupportedInModelLibraryFormatError, match=r"wants what relay\.build or tvm"):
        micro.export_model_library_format(module, tmp_path / "a.tar")


def test_tensors_of_random_numbers_are_drawn_at_each_run():
    drawn = [random.uniform(2, 3, (64,)), random.normal(0, 1, (64,)), random.randint(-5, 5, (64,))]
    for tensor, least, most in zip(drawn, (2, -8, -5), (3, 8, 5), strict=True):
        function = tvm.build(te.create_schedule(tensor.op), [tensor], "llvm")
        first, second = (tvm.nd.empty((64,), tensor.dtype) for _ in range(2))
        function(first)
        function(second)
        values = np.asarray(first, np.float64)
        assert ((values >= least) & (values < most)).all()
        assert len(set(values.tolist())) > 5
        assert first.numpy().tolist() != second.numpy().tolist()
    array = tvm.nd.empty((8,), "float32")
    uniform = tvm.get_global_func("tvm.contrib.random.uniform")
    assert uniform is not None
    uniform(5.0, 6.0, array)
    assert min(array.numpy().tolist()) >= 5
