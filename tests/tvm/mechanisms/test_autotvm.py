"""AutoTVM as TVM 0.12's tutorials write it: a template is tuned, its log is read and applied."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import autotvm, relay, te

N = 16


@autotvm.template("mechanisms/matmul")
def matmul(size: int, dtype: str) -> Any:
    a, b = te.placeholder((size, size), name="A", dtype=dtype), te.placeholder((size, size), name="B", dtype=dtype)
    k = te.reduce_axis((0, size), name="k")
    c = te.compute((size, size), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    s = te.create_schedule(c.op)
    y, x = s[c].op.axis
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2)
    cfg.define_split("tile_x", x, num_outputs=2)
    cfg.define_knob("unroll", [False, True])
    outer, rows = cfg["tile_y"].apply(s, c, y)
    columns, inner = cfg["tile_x"].apply(s, c, x)
    s[c].reorder(outer, columns, k, rows, inner)
    if cfg["unroll"].val:
        s[c].unroll(rows)
    return s, [a, b, c]


@pytest.fixture(scope="module")
def task() -> Any:
    return autotvm.task.create("mechanisms/matmul", args=(N, "float32"), target="llvm")


@pytest.fixture(scope="module")
def log(task: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of two trials."""
    path = tmp_path_factory.mktemp("log") / "matmul.log"
    option = autotvm.measure_option(
        builder=autotvm.LocalBuilder(timeout=60),
        runner=autotvm.LocalRunner(number=1, repeat=1, min_repeat_ms=0, timeout=60),
    )
    tuner = autotvm.tuner.RandomTuner(task)
    tuner.tune(n_trial=2, measure_option=option, callbacks=[autotvm.callback.log_to_file(str(path))])
    return path


def test_a_template_has_a_space_of_configurations(task: Any):
    space = task.config_space
    assert len(space) == 5 * 5 * 2
    assert set(space.space_map) == {"tile_y", "tile_x", "unroll"}
    entity = space.get(7)
    assert entity.index == 7
    assert set(entity.to_json_dict()) >= {"index", "entity"}


def test_a_task_has_a_name_arguments_and_a_workload(task: Any):
    assert (task.name, tuple(task.args), task.flop) == ("mechanisms/matmul", (N, "float32"), 2 * N**3)
    assert task.workload == ("mechanisms/matmul", N, "float32")
    schedule, arguments = task.instantiate(task.config_space.get(0))
    assert len(arguments) == 3
    assert schedule is not None


def test_a_log_has_a_line_for_each_trial(log: Path):
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) == 2
    for line in lines:
        assert {"input", "config", "result", "version"} <= set(line)
        assert (line["input"][1], line["input"][2]) == ("mechanisms/matmul", [N, "float32"])


def test_a_log_is_read_and_its_lines_are_written_again(log: Path):
    for given, (made, result) in zip(
        log.read_text().splitlines(), autotvm.record.load_from_file(str(log)), strict=True
    ):
        again = autotvm.record.decode(autotvm.record.encode(made, result))
        assert again is not None
        assert again[0].config.index == made.config.index == json.loads(given)["config"]["index"]
        assert list(again[1].costs) == list(result.costs)


def test_the_best_of_a_log_is_picked(log: Path, tmp_path: Path):
    autotvm.record.pick_best(str(log), str(tmp_path / "best.log"))
    [best] = autotvm.record.load_from_file(str(tmp_path / "best.log"))
    costs = [np.mean(result.costs) for _, result in autotvm.record.load_from_file(str(log))]
    assert np.mean(best[1].costs) == min(costs)


def test_the_best_configuration_is_built(log: Path):
    with autotvm.apply_history_best(str(log)), tvm.target.Target("llvm"):
        s, arguments = matmul(N, "float32")
        function = tvm.build(s, arguments)
    a, b = (np.random.default_rng(n).random((N, N)).astype(np.float32) for n in range(2))
    c = tvm.nd.empty((N, N))
    function(tvm.nd.array(a), tvm.nd.array(b), c)
    tvm.testing.assert_allclose(c.numpy(), a @ b, rtol=1e-4)


def test_a_search_starts_from_the_history(task: Any, log: Path):
    tuner = autotvm.tuner.RandomTuner(task)
    tuner.load_history(autotvm.record.load_from_file(str(log)))
    assert task.config_space.is_index_valid(tuner.best_config.index) if tuner.best_config else True


@pytest.mark.parametrize("name", ["RandomTuner", "GridSearchTuner", "GATuner", "XGBTuner"])
def test_the_tuners_have_their_names(name: str, task: Any):
    if name == "XGBTuner":
        pytest.importorskip("lightgbm")
    tuner = getattr(autotvm.tuner, name)(task)
    assert isinstance(tuner, autotvm.tuner.Tuner)
    assert tuner.has_next()


def test_kernels_of_a_network_are_tasks():
    x = relay.var("x", shape=(1, 3, 16, 16))
    y = relay.nn.dense(
        relay.nn.batch_flatten(relay.nn.conv2d(x, relay.var("w"), channels=4, kernel_size=3)), relay.var("v"), 5
    )
    mod = tvm.IRModule.from_expr(y)
    tasks = autotvm.task.extract_from_program(mod["main"], target="llvm", params={})
    convolutions = autotvm.task.extract_from_program(
        mod["main"], target="llvm", params={}, ops=(relay.op.get("nn.conv2d"),)
    )
    assert len(tasks) >= 2
    assert len(convolutions) == 1
    assert {each.name for each in convolutions} < {each.name for each in tasks}


def test_a_configuration_is_chosen_by_hand():
    with tvm.target.Target("llvm"), autotvm.task.FallbackContext():
        s, arguments = matmul(N, "float32")
    assert len(arguments) == 3
    assert tvm.lower(s, arguments, simple_mode=True) is not None
