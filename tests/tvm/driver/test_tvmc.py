"""TVM's driver: its four calls, saved models and packages, and the command line."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from click.testing import CliRunner

from s2s.cli.main import Commands
from s2s.errors import S2SError, UnsupportedError
from s2s.tvm.driver import tvmc
from s2s.tvm.driver.tvmc import frontends
from s2s.tvm.driver.tvmc.autotuner import filter_tasks, gen_task_list
from s2s.tvm.driver.tvmc.command import attributes, main, shapes_of
from s2s.tvm.driver.tvmc.runner import generate_tensor_data, make_inputs_dict
from support.onnx_text import onnx_file
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
MODEL = "(float[1, 4] x) => (float[1, 3] y) <float[4, 3] w = {1,2,3,4,5,6,7,8,9,1,2,3}> { y = MatMul (x, w) }"
X = np.array([[1, -2, 3, 4]], np.float32)
Y = X @ np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(onnx_file(MODEL, tmp_path))


def run(package: tvmc.TVMCPackage, **options: Any) -> np.ndarray[Any, Any]:
    return np.asarray(tvmc.run(package, device="cpu", inputs={"x": X}, **options).get_output("output_0"))


@pytest.mark.parametrize("executor", ["graph", "aot"])
@pytest.mark.parametrize("output_format", ["so", "tar"])
def test_a_model_is_compiled_and_run(model: str, tmp_path: Path, executor: str, output_format: str):
    path = str(tmp_path / "net.tar")
    package = tvmc.compile(tvmc.load(model), "llvm", executor=executor, package_path=path, output_format=output_format)
    assert (package.type, package.executor_type, package.package_path) == ("classic", executor, path)
    np.testing.assert_allclose(run(tvmc.TVMCPackage(path)), Y)


def test_a_result_has_times_and_is_saved(model: str, tmp_path: Path):
    package = tvmc.compile(tvmc.load(model, shape_dict={"x": (1, 4)}), "llvm", mod_name="net", opt_level=2)
    result = tvmc.run(package, device="cpu", inputs={"x": X}, benchmark=True, repeat=2, number=3, end_to_end=True)
    assert not isinstance(result.times, list)
    assert len(result.times.results) == 2
    assert "Output Names:\n ['output_0']" in str(result)
    result.save(tmp_path / "out.npz")
    np.testing.assert_allclose(np.load(tmp_path / "out.npz")["output_0"], Y)


def test_a_model_is_saved_and_read_again(model: str, tmp_path: Path):
    first = tvmc.load(model)
    Path(first.default_tuning_records_path()).write_text("# nothing\n")
    first.save(tmp_path / "model.tar")
    again = tvmc.TVMCModel(model_path=tmp_path / "model.tar")
    assert Path(again.default_tuning_records_path()).read_text() == "# nothing\n"
    np.testing.assert_allclose(run(tvmc.compile(again, "llvm")), Y)
    with pytest.raises(tvmc.TVMCException, match="mod and params are missing"):
        tvmc.TVMCModel()


def test_an_archive_for_firmware_is_written_and_not_run(model: str, tmp_path: Path):
    package = tvmc.compile(
        tvmc.load(model), "c -mcpu=cortex-m4", executor="aot", output_format="mlf", package_path=tmp_path / "net.tar"
    )
    assert (package.type, package.executor_type, package.lib_path) == ("mlf", "aot", None)
    with pytest.raises(UnsupportedError, match="holds sources for firmware; run output format so"):
        run(package)


def test_texts_are_written_beside_the_package(model: str, tmp_path: Path):
    tvmc.compile(tvmc.load(model), "llvm", package_path=tmp_path / "net.tar", dump_code="relay,c")
    assert "def @main" in (tmp_path / "net.tar.relay").read_text()
    assert "void" in (tmp_path / "net.tar.c").read_text()


def test_kernels_are_tuned_and_the_log_is_built(model: str, tmp_path: Path):
    loaded, log = tvmc.load(model), tmp_path / "net.log"
    assert tvmc.tune(loaded, "llvm", log, trials=2, tuner="random", parallel=1, timeout=60) == str(log)
    assert len(log.read_text().splitlines()) >= 1
    np.testing.assert_allclose(run(tvmc.compile(loaded, "llvm", tuning_records=log)), Y)


class Named:
    """A task with a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Task({self.name})"

    config_space = range(7)


TASKS = [Named(name) for name in ("conv_0", "conv_1", "dense_2", "x" * 200, "pool_4")]


@pytest.mark.parametrize(
    ("expression", "numbers", "is_list"),
    [
        ("all", [0, 1, 2, 3, 4], False),
        ("list", [0, 1, 2, 3, 4], True),
        ("3", [3], False),
        ("1-3", [1, 2, 3], False),
        ("-1", [0, 1], False),
        ("3-", [3, 4], False),
        ("4,0-1,all", [0, 1, 2, 3, 4], False),
        ("4,0-1,help", [0, 1, 4], True),
        ("conv,4", [0, 1, 4], False),
    ],
)
def test_an_expression_names_tasks(expression: str, numbers: list[int], is_list: bool):
    assert filter_tasks(TASKS, expression) == ([TASKS[number] for number in numbers], is_list)


@pytest.mark.parametrize(
    ("expression", "fact"),
    [
        ("5", "Task index out of range"),
        ("1-5", "Right-hand side expression out of range"),
        ("7-8", "Left-hand side expression out of range"),
        ("-", "Missing lhs or rhs for range expression"),
        ("-1-", "Malformed range expression"),
        ("nope", "no number and no range"),
        ("", "no number and no range"),
    ],
)
def test_tasks_that_there_are_not_are_refused(expression: str, fact: str):
    with pytest.raises(AssertionError, match=f"tvmc.tune: tasks '{expression}': {fact}; give numbers below 5"):
        filter_tasks(TASKS, expression)


def test_tasks_are_listed_with_their_configurations():
    lines = gen_task_list(cast("Any", TASKS), False).splitlines()
    assert lines[:2] == ["Available Tasks for tuning:", "  0. Task(conv_0) (len=7)"]
    assert lines[4] == f"  3. Task({'x' * 92}... (len=7)"
    with pytest.raises(UnsupportedError, match="is of TVM's auto-scheduler"):
        gen_task_list([], True)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("net.h5", "net.h5: format keras: is not read; write the model as ONNX or TFLite"),
        ("net.xyz", r"net.xyz: format '.xyz': is not known; give one of onnx, tflite"),
        ("none.onnx", "none.onnx: there is no such file"),
    ],
)
def test_other_models_are_refused(path: str, message: str):
    with pytest.raises(S2SError, match=message):
        tvmc.load(path)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (tvmc.compile, {"use_vm": True}, "use_vm: there is no virtual machine"),
        (tvmc.compile, {"desired_layout": "NHWC"}, "desired_layout: layouts are chosen by"),
        (tvmc.compile, {"output_format": "zip"}, "output format 'zip': is not known"),
        (tvmc.compile, {"dump_code": "ll"}, "dump_code ll: there is no such text"),
        (tvmc.compile, {"pass_context_configs": ["a"]}, "'a': is no assignment"),
        (
            tvmc.compile,
            {"additional_target_options": {"cuda": {"a": 1}}},
            "Passed --target-cuda-a but did not specify cuda target",
        ),
        (tvmc.tune, {"enable_autoscheduler": True}, "enable_autoscheduler: is of TVM's"),
        (tvmc.tune, {"tuner": "none"}, "tuner 'none' is not known"),
    ],
)
def test_arguments_without_a_counterpart_are_refused(
    function: Callable[..., object], arguments: dict[str, Any], message: str, model: str
):
    with pytest.raises(S2SError, match=message):
        function(tvmc.load(model), "llvm", **arguments)


@pytest.mark.parametrize(
    ("device", "arguments", "message"),
    [
        ("cuda", {}, "device cuda: packages run on this machine's"),
        ("cpu", {"inputs": {"z": X}}, "input 'z': the network has none"),
        ("cpu", {"rpc_key": "m4"}, "goes with the tracker that has the server"),
        ("cpu", {"hostname": "h", "profile": True}, "kernels are timed on this machine"),
    ],
)
def test_runs_elsewhere_are_refused(device: str, arguments: dict[str, Any], message: str, model: str):
    with pytest.raises(S2SError, match=message):
        tvmc.run(tvmc.compile(tvmc.load(model), "llvm"), device, **arguments)


def test_inputs_are_made_up():
    assert generate_tensor_data((2,), "int8", "ones").tolist() == [1, 1]
    assert np.abs(generate_tensor_data((8,), "float32", "random")).max() <= 1
    values = make_inputs_dict({"x": (2,), "y": (1,)}, {"x": "float32", "y": "int32"}, {"x": [1, 2]}, "zeros")
    assert (values["x"], np.asarray(values["y"]).tolist()) == ([1, 2], [0])


def test_arguments_are_read():
    rest = ["--target-c-mcpu=cortex-m4", "--executor-aot-interface-api", "c"]
    assert attributes(rest, "target") == {"c": {"mcpu": "cortex-m4"}}
    assert attributes(rest, "executor") == {"aot": {"interface-api": "c"}}
    assert shapes_of("data:[1,3,8,8] mask:[1, 8]") == {"data": (1, 3, 8, 8), "mask": (1, 8)}


def test_the_command_line_compiles_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    package = str(tmp_path / "digits.tar")
    options = ["--target", "llvm", "--executor-graph-link-params", "1", "--input-shapes", "image:[1,1,8,8]"]
    assert main(["compile", str(DIGITS), "-o", package, *options[:4]]) == 0
    assert main(["run", package, "--print-time", "--print-top", "1", "-o", str(tmp_path / "out.npz")]) == 0
    shown = capsys.readouterr().out
    assert "Execution time summary" in shown
    assert "output_0 [" in shown
    assert np.load(tmp_path / "out.npz")["output_0"].shape == (1, 10)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["compile", "net.onnx", "--target", "llvm", "--desired-layout", "NHWC"],
            "--desired-layout: layouts are chosen",
        ),
        (["compile", "net.onnx", "--target", "llvm", "--nothing"], "s2s tvmc: --nothing is not known"),
        (["compile"], "the following arguments are required"),
        (["micro", "create"], "s2s tvmc micro create: project servers of TVM are not run"),
    ],
)
def test_other_arguments_are_refused(words: list[str], message: str):
    with pytest.raises(S2SError, match=message):
        main(words)


def test_the_command_is_one_of_s2s(tmp_path: Path):
    words = ["tvmc", "compile", str(DIGITS), "--target", "c", "-o", str(tmp_path / "d.tar")]
    done = CliRunner().invoke(Commands(), words)
    assert (done.exit_code, done.output) == (0, f"{tmp_path / 'd.tar'}\n")


def test_readers_are_found_by_name_and_by_the_ending_of_a_file():
    kinds = {
        "onnx": frontends.OnnxFrontend,
        "tflite": frontends.TFLiteFrontend,
        "pytorch": frontends.PyTorchFrontend,
        "relay": frontends.RelayFrontend,
    }
    assert frontends.get_frontend_names() == list(kinds)
    for name, kind in kinds.items():
        assert type(frontends.get_frontend_by_name(name)) is kind
        assert all(type(frontends.guess_frontend(f"net.{ending}")) is kind for ending in kind.suffixes())
    with pytest.raises(tvmc.TVMCException, match=r"format '.txt': is not known; give one of onnx"):
        frontends.guess_frontend("net.txt")
    with pytest.raises(UnsupportedError, match="format keras: is not read; write the model as ONNX or TFLite"):
        frontends.guess_frontend("net.h5")
    with pytest.raises(FileNotFoundError, match="there is no such file; give the path of a model"):
        tvmc.load("none.txt", model_format="onnx")


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(tvmc.TVMCImportError, match=r"net.pt2: torch is not installed; pip install torch"):
        tvmc.load("net.pt2")
