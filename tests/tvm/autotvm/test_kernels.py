"""Kernels of a network as tasks, and the records that `s2s.build` takes from contexts."""

from pathlib import Path

import numpy as np
import pytest

import s2s
from s2s.decisions.decision import Decision
from s2s.errors import InputError, UnsupportedError
from s2s.stages.memory import Planned
from s2s.tvm import autotvm, relay
from s2s.tvm.autotvm.kernel_task import KernelTask
from support.autotvm import MadeUpRunner

TARGET = "x86-64-v3"


def network() -> tuple[s2s.IRModule, dict[str, np.ndarray]]:
    """Two equal convolutions, and a dense layer."""
    x, w = relay.var("x", shape=(1, 8, 8, 8)), relay.var("w")
    y = relay.nn.relu(relay.nn.conv2d(x, w, channels=8, kernel_size=3, padding=1))
    y = relay.nn.relu(relay.nn.conv2d(y, relay.var("v"), channels=8, kernel_size=3, padding=1))
    y = relay.nn.dense(relay.nn.batch_flatten(y), relay.var("d"), units=4)
    rng = np.random.default_rng(0)
    weights = {"w": rng.random((8, 8, 3, 3)), "v": rng.random((8, 8, 3, 3)), "d": rng.random((4, 512))}
    module = s2s.IRModule.from_expr(y)
    return module, {name: array.astype(np.float32) for name, array in weights.items()}


@pytest.fixture(scope="module")
def tasks() -> list[KernelTask]:
    mod, params = network()
    return autotvm.task.extract_from_program(mod, params, TARGET)


def decisions(*contexts: autotvm.DispatchContext) -> list[Decision]:
    """The schedules of the network, built inside of contexts."""
    mod, params = network()
    if contexts:
        with contexts[0]:
            return decisions(*contexts[1:])
    library = s2s.build(mod, target=TARGET, params=params)
    return [each for each in library.artifact.compilation.facts(Planned).decisions if each.kind == "schedule"]


def tuned(task: KernelTask, path: Path, trials: int = 3) -> Path:
    option = autotvm.measure_option(runner=MadeUpRunner())
    autotvm.tuner.RandomTuner(task).tune(trials, option, callbacks=[autotvm.callback.log_to_file(path)])
    return path


def test_each_distinct_kernel_is_a_task(tasks: list[KernelTask]) -> None:
    assert len({each.key for each in tasks}) == len(tasks) >= 2


def test_operators_restrict_the_tasks(tasks: list[KernelTask]) -> None:
    mod, params = network()
    dense = autotvm.task.extract_from_program(mod, params, TARGET, ops=["nn.dense"])
    by_function = autotvm.task.extract_from_program(mod, params, TARGET, ops=[relay.nn.dense])
    by_operator = autotvm.task.extract_from_program(mod, params, TARGET, ops=(relay.op.get("nn.dense"),))
    assert [each.key for each in dense] == [each.key for each in by_function] == [each.key for each in by_operator]
    assert 1 <= len(dense) < len(tasks)


def test_the_function_of_a_module_stands_for_it(tasks: list[KernelTask]) -> None:
    mod, params = network()
    found = autotvm.task.extract_from_program(mod["main"], target=TARGET, params=params)
    assert [each.key for each in found] == [each.key for each in tasks]


def test_configurations_have_numbers(tasks: list[KernelTask]) -> None:
    task = max(tasks, key=lambda each: len(each.config_space))
    config = task.config_space.get(0)
    assert (config.index, task.config_at(config[task.knob].val).index) == (0, 0)


def test_kernels_of_networks_have_no_loops_of_a_program(tasks: list[KernelTask]) -> None:
    with pytest.raises(UnsupportedError, match=r"instantiate .*: its loops are of the compiler"):
        tasks[0].instantiate(tasks[0].config_space.get(0))


def test_a_log_decides_the_build(tasks: list[KernelTask], tmp_path: Path) -> None:
    task = max(tasks, key=lambda each: len(each.config_space))
    own = [each.chosen for each in decisions()]
    pairs = list(autotvm.record.load_from_file(tuned(task, tmp_path / "k.log")))
    others = [pair for pair in pairs if pair[0].config[task.knob].val not in own]
    best = min(others, key=lambda pair: pair[1].costs[0])[0].config
    (made,) = [each for each in decisions(autotvm.apply_history_best(others)) if each.by == "record"]
    assert made.chosen == best[task.knob].val


def test_without_a_context_the_compiler_decides() -> None:
    assert {each.by for each in decisions()} == {"model"}


def test_the_fallback_leaves_everything_to_the_compiler(tasks: list[KernelTask], tmp_path: Path) -> None:
    log = tuned(tasks[0], tmp_path / "k.log")
    assert {each.by for each in decisions(autotvm.apply_history_best(log), autotvm.FallbackContext())} == {"model"}


def test_a_log_of_a_whole_network_counts_as_it_stands(tasks: list[KernelTask], tmp_path: Path) -> None:
    task = max(tasks, key=lambda each: len(each.config_space))
    own = [each.chosen for each in decisions()]
    logged = autotvm.record.load_from_file(tuned(task, tmp_path / "k.log"))
    others = [pair for pair in logged if pair[0].config[task.knob].val not in own]
    pairs = sorted(others, key=lambda pair: pair[1].costs)
    (made,) = [each for each in decisions(autotvm.ApplyGraphBest(pairs)) if each.by == "record"]
    assert made.chosen == pairs[-1][0].config[task.knob].val


def test_a_heuristic_may_be_named_for_all_kernels(tasks: list[KernelTask]) -> None:
    with pytest.raises(InputError, match="no heuristic is called 'winograd'"):
        autotvm.ApplyFixedConfig(tasks, "winograd")
