"""Values that callers pass: a compiled network stays as it is when their arrays, tensors and messages change."""
# pyright: reportUnknownMemberType=false

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from numpy.lib.stride_tricks import as_strided
from onnx import helper, numpy_helper
from torch import nn

from s2s.api import compile, cpu
from s2s.artifact import Artifact
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from s2s.tvm.relay import IRModule, bind_params_by_name, build, frontend
from s2s.types.weights import WeightStore, adopted, is_owned, owned

Setting = Callable[[], tuple[Artifact, Callable[[], None]]]
"""Compiles a network of one input `x`, and returns with it what changes all that was passed."""


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.frombuffer(b"12345678", np.uint8), True),
        (np.frombuffer(b"12345678", np.uint8).reshape(2, 4).T[1:], True),
        (np.frombuffer(memoryview(b"12345678")[2:], np.uint8), True),
        (np.frombuffer(bytearray(b"12345678"), np.uint8), False),
        (np.frombuffer(memoryview(bytearray(b"12345678")).toreadonly(), np.uint8), False),
        (np.broadcast_to(np.ones(1), (3,)), False),
        (adopted(np.ones(3))[::2], True),
    ],
)
def test_only_memory_that_nobody_writes_to_is_owned(array: np.ndarray, expected: bool):
    assert is_owned(array) is expected


def test_a_read_only_view_proves_nothing():
    memory = np.ones(4)
    view = memory.view()
    view.flags.writeable = memory.flags.writeable = False
    kept = owned(view)
    memory.flags.writeable = True
    memory[:] = 0
    assert kept.tolist() == [1.0] * 4
    assert not kept.flags.writeable


def test_files_that_are_mapped_read_only_are_not_copied(tmp_path: Path):
    path = tmp_path / "weights"
    path.write_bytes(bytes(16))
    mapped = np.memmap(path, np.float32, "r")
    assert owned(mapped) is mapped
    assert not is_owned(np.memmap(path, np.float32, "r+"))
    assert not is_owned(np.memmap(path, np.float32, "c"))


def test_a_copy_of_a_broadcast_array_is_one_value():
    kept = owned(np.broadcast_to(np.ones((2, 1), np.float32), (2, 1000)))
    assert kept.strides == (4, 0)
    assert kept.shape == (2, 1000)
    assert owned(as_strided(np.zeros(0), (0, 3), (0, 0))).shape == (0, 3)


def test_a_store_copies_once():
    weights, array = WeightStore(), np.ones(4, np.float32)
    stored = weights.add("w", array)
    digest = weights.hash(stored)
    array[:] = 0
    assert weights.get(stored).tolist() == [1.0] * 4
    again = WeightStore()
    again.add("w", weights.get(stored))
    assert again.get("w") is weights.get(stored)
    assert again.hash("w") == digest


# ------------------------------------------------------------------- what the interfaces take


def torch_program() -> tuple[Artifact, Callable[[], None]]:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.BatchNorm1d(4)).eval()
    artifact = compile(torch.export.export(module, (torch.zeros(2, 4),)), target="c", name="net")

    @torch.no_grad()
    def change() -> None:
        for tensor in (*module.parameters(), *module.buffers()):
            tensor.zero_()

    return artifact, change


def torch_module() -> tuple[Artifact, Callable[[], None]]:
    torch.manual_seed(0)
    module = nn.Linear(4, 4).eval()
    graph, params = frontend.from_pytorch(module, (torch.zeros(2, 4),))

    @torch.no_grad()
    def change() -> None:
        for tensor in module.parameters():
            tensor.data.zero_()

    return build(graph, target="c", executor="aot", params=params).artifact, change


def onnx_message() -> tuple[Artifact, Callable[[], None]]:
    model = _onnx_model()
    artifact = compile(model, target="c")

    def change() -> None:
        model.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.zeros((4, 4), np.float32), "w"))

    return artifact, change


def bound_input() -> tuple[Artifact, Callable[[], None]]:
    values = _weights()
    model = _onnx_model()
    del model.graph.initializer[:]
    model.graph.input.append(helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [4, 4]))
    return compile(model, target="c", bind={"w": values}), lambda: values.fill(0)


def relay_constant() -> tuple[Artifact, Callable[[], None]]:
    values = _weights()
    y = relay.nn.dense(relay.var("x", shape=(2, 4)), relay.const(values))
    return build(y, target="c", executor="aot").artifact, lambda: values.fill(0)


def relay_params() -> tuple[Artifact, Callable[[], None]]:
    values = _weights()
    y = relay.nn.dense(relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4)))
    return build(y, target="c", executor="aot", params={"w": values}).artifact, lambda: values.fill(0)


@pytest.mark.parametrize(
    "setting", [torch_program, torch_module, onnx_message, bound_input, relay_constant, relay_params]
)
def test_what_is_passed_may_change_afterwards(setting: Setting):
    artifact, change = setting()
    unchanged, _ = setting()
    change()
    [port] = artifact.info.inputs
    inputs = {port.name: np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)}
    [found], [expected] = artifact.run(inputs).values(), unchanged.run(inputs).values()
    assert found.tobytes() == expected.tobytes()
    again = artifact.compilation.resume(replace(artifact.compilation.options, name="again"))
    [later] = Artifact(again).run(inputs).values()
    assert later.tobytes() == expected.tobytes()


def test_a_program_that_was_compiled_verifies_after_its_module_was_trained():
    artifact, change = torch_program()
    change()
    assert artifact.verify(against="torch").passed


def test_constants_of_expressions_and_parameters_of_modules_are_kept_before_they_are_compiled():
    values, bound = _weights(), _weights()
    constant = relay.const(values)
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    module = bind_params_by_name(IRModule.from_expr(relay.nn.dense(relay.nn.dense(x, w), constant)), {"w": bound})
    values.fill(0)
    bound.fill(0)
    assert all(np.array_equal(array, _weights()) for array in module.params.values())


def test_set_input_copies_and_set_input_zero_copy_reads_at_each_run():
    x = relay.var("x", shape=(4,))
    library = build(relay.nn.relu(x), target="c")
    module, value = graph_executor.GraphModule(library["default"](cpu())), np.ones(4, np.float32)
    module.set_input("x", value)
    value.fill(2)
    module.run()
    assert module.get_output(0).numpy().tolist() == [1.0] * 4
    module.set_input_zero_copy("x", value)
    value.fill(3)
    module.run()
    assert module.get_output(0).numpy().tolist() == [3.0] * 4


def _weights() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)


def _onnx_model() -> onnx.ModelProto:
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "net",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 4])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2, 4])],
        [numpy_helper.from_array(_weights(), "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
