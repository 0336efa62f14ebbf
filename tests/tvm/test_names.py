"""Names of TVM outside of its operators: devices, targets, expressions, folders, results and marks of tests."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import autotvm, instrument, relay, runtime, support, target, te, testing, tir
from s2s.tvm.contrib import cblas, cc, utils
from s2s.tvm.driver import tvmc

DEVICES: list[tuple[Any, int, str]] = [
    (tvm.cpu, 1, "cpu"),
    (tvm.cuda, 2, "cuda"),
    (tvm.opencl, 4, "opencl"),
    (tvm.vulkan, 7, "vulkan"),
    (tvm.metal, 8, "metal"),
    (tvm.vpi, 9, "vpi"),
    (tvm.rocm, 10, "rocm"),
    (tvm.ext_dev, 12, "ext_dev"),
    (tvm.webgpu, 15, "webgpu"),
    (tvm.hexagon, 16, "hexagon"),
]
"""The functions that make devices, with DLPack's numbers."""


@pytest.mark.parametrize(("make", "number", "name"), DEVICES)
def test_a_device_has_the_number_that_dlpack_gives_it(make: Any, number: int, name: str):
    device = make(dev_id=1)
    assert (device.device_type, device.device_id, str(device)) == (number, 1, f"{name}(1)")
    assert device == tvm.device(dev_type=name, dev_id=1) == tvm.device(number, 1)
    assert make() == runtime.device(name) == runtime.Device(number, 0)
    assert not device.exist


def test_an_array_shares_the_memory_of_another_library():
    numbers = np.arange(6, dtype=np.float32).reshape(2, 3)
    shared = tvm.nd.from_dlpack(numbers)
    numbers[0, 0] = 9
    assert shared.numpy()[0, 0] == 9
    with pytest.raises(InputError, match="arrays lie in the memory of the process"):
        tvm.nd.array([1.0], tvm.cpu(), "global.texture")
    assert tvm.nd.array(arr=[1.0, 2.0], mem_scope="global").dtype == "float32"


def test_variables_have_types_and_calls_have_arguments():
    n, size = te.Var("n", "int64"), tir.SizeVar("size", "int32")
    assert (n.name, n.dtype, size.dtype) == ("n", "int64", "int32")
    assert isinstance(te.var("m"), tir.Var)
    x: Any = te.const(0.5, "float32")
    call: Any = tir.call_intrin("float32", "tir.exp", x)
    same: Any = tir.Call("float32", "tir.exp", [x])
    assert isinstance(call, tir.Call)
    for each in (call, same):
        assert (each.dtype, each.op.name, each.args) == ("float32", "tir.exp", (x,))
    assert [str(each.dtype) for each in (te.const(3.0), tir.const(3.0), tir.const(3), tir.const(True))] == [
        "int32",
        "float32",
        "int32",
        "bool",
    ]
    with pytest.raises(InputError, match=r"te.const 0.5: is no int32; give the element type"):
        te.const(0.5)
    choice = tir.Select(tir.const(True), x, tir.const(2.0))
    assert (choice.condition.dtype, choice.true_value, choice.dtype) == ("bool", x, "float32")


def test_operations_have_their_kinds():
    a = te.placeholder((4, 3), name="A")
    called = te.extern((4, 3), [a], lambda ins, outs: te.call_packed("copy", ins[0], outs[0]), name="C")
    state = te.placeholder((4, 3), name="state")
    first = te.compute((1, 3), lambda _, i: a[0, i])
    scanned = te.scan(first, te.compute((4, 3), lambda t, i: state[t - 1, i] + a[t, i]), state, inputs=[a])

    def more(*i: te.IterVar) -> te.Expr:
        return a(*i) + 1

    tagged = te.compute((4, 3), more, "B", "elemwise", {"mine": 1}, ["row", "column"])
    assert isinstance(te.create_schedule(tagged.op), te.Schedule)
    assert isinstance(called.op, te.ExternOp)
    assert isinstance(getattr(scanned, "op", None), te.ScanOp)
    assert isinstance(tagged.op, te.ComputeOp)
    assert (tagged.op.tag, tagged.op.attrs["mine"], [axis.name for axis in tagged.op.axis]) == (
        "elemwise",
        1,
        ["row", "column"],
    )
    with pytest.raises(InputError, match="1 varargs_names for 2 dimensions"):
        te.compute((4, 3), more, varargs_names=["row"])


def test_functions_are_chosen_by_the_keys_of_targets():
    made = target.create("llvm -device=arm_cpu -mtriple=aarch64-linux-gnu")
    assert made == target.Target("llvm -device=arm_cpu -mtriple=aarch64-linux-gnu")
    function = target.GenericFunc("test.chosen", lambda: "default")
    function.register(lambda: "arm", ["arm_cpu"])
    with made:
        assert function() == "arm"
    with target.Target("llvm"):
        assert function() == "default"


def test_a_target_has_a_kind_and_features():
    board = target.micro("nrf5340dk")
    assert (board.kind.name, board.model, board.attrs["mcpu"]) == ("c", "nrf5340dk", "cortex-m33")
    assert isinstance(board.kind, target.TargetKind)
    assert isinstance(board.features, target.TargetFeatures)
    assert (target.Target("test").features.is_test, board.features.is_test) == (True, None)


def test_folders_are_removed_with_their_object(tmp_path: Path):
    with utils.tempdir() as folder:
        assert isinstance(folder, utils.TempDirectory)
        path = Path(folder.relpath("file"))
        path.write_text("text")
        assert (folder.listdir(), folder / "file") == (["file"], path)
    assert not path.exists()
    kept = utils.tempdir(str(tmp_path / "mine"))
    kept.remove()
    assert (tmp_path / "mine").is_dir()


def test_texts_that_are_paths(tmp_path: Path):
    assert [utils.is_source_path(each) for each in ("net.c", str(tmp_path), "int x;\nint y;", "no file")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert utils.which("sh")
    assert utils.which("no such program") is None


def test_programs_and_libraries_are_linked_by_another_compiler(tmp_path: Path):
    source = tmp_path / "seven.c"
    source.write_text("int main(void) { return SEVEN; }\n", encoding="utf-8")
    cc.create_executable(tmp_path / "seven", [source], ["-DSEVEN=7"])
    assert subprocess.run([tmp_path / "seven"], check=False).returncode == 7
    link = cc.cross_compiler(cc.get_cc(), options=["-DSEVEN=8"])
    link(tmp_path / "seven.so", [str(source)])
    assert (tmp_path / "seven.so").read_bytes()[:4] == b"\x7fELF"
    seen: list[Any] = []

    def compile_func(outputs: str, objects: list[str], options: list[str]) -> None:
        seen.append((outputs, objects, options))

    cc.cross_compiler(compile_func, ["-O1"], add_files=["more.o"])("net.so", ["net.o"], ["-g"])
    assert seen == [("net.so", ["net.o", "more.o"], ["-O1", "-g"])]
    with pytest.raises(UnsupportedError, match="get_target_triple"):
        cc.cross_compiler("cc", get_target_triple=lambda: "arm")


def test_tags_stand_for_targets():
    tags = target.list_tags()
    assert tags["nvidia/tesla-t4"].kind.name == "cuda"
    assert tags["raspberry-pi/3b"].model == "rasp3b"


def test_products_of_batches_by_blas():
    a, b = te.placeholder((2, 3, 4), name="A"), te.placeholder((2, 5, 4), name="B")
    c = cblas.batch_matmul(a, b, transb=True)
    x, w = (np.random.default_rng(n).random(shape).astype(np.float32) for n, shape in enumerate([(2, 3, 4), (2, 5, 4)]))
    y = np.zeros((2, 3, 5), np.float32)
    tvm.build(te.create_schedule(c.op), [a, b, c], "llvm", name="products")(x, w, y)
    np.testing.assert_allclose(y, x @ w.transpose(0, 2, 1), rtol=1e-6)


def test_the_build_is_described(capsys: pytest.CaptureFixture[str]):
    support.describe()
    printed = capsys.readouterr().out
    assert f"Python               = {sys.version.split()[0]}" in printed
    assert "USE_GRAPH_EXECUTOR   = ON" in printed


def test_results_and_errors_of_the_driver(tmp_path: Path):
    result = tvmc.TVMCResult({"output_0": tvm.nd.array([1.0, 2.0])}, None)
    assert (result.get_output("output_0").numpy().tolist(), list(result.outputs)) == ([1, 2], ["output_0"])
    with pytest.raises(tvmc.TVMCException, match=r"format '\.unknown': is not known"):
        tvmc.load(str(tmp_path / "net.unknown"))
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        tvmc.load(str(tmp_path / "net.onnx"))


def test_numbers_of_failed_measurements():
    errors = autotvm.MeasureErrorNo
    assert [each.value for each in errors] == list(range(9))
    assert (errors.NO_ERROR, errors.RUNTIME_DEVICE, errors.RUN_TIMEOUT) == (0, 4, 7)


def test_kernels_of_several_networks_are_each_a_task_once():
    def network(units: int) -> relay.IRModule:
        return relay.IRModule.from_expr(relay.nn.dense(relay.var("x", shape=(4, 16)), relay.var("w"), units))

    weights = [{"w": np.random.default_rng(n).random((n, 16)).astype(np.float32)} for n in (8, 8, 24)]
    mods = [network(8), network(8), network(24)]
    tasks = autotvm.task.extract_from_multiple_program(mods, weights, target="x86-64-v3")
    assert all(isinstance(each, autotvm.task.Task) for each in tasks)
    assert len(tasks) == 2


class _Counting(instrument.PassInstrument):
    def __init__(self) -> None:
        self.names: list[str] = []

    def run_after_pass(self, mod: Any, info: Any) -> None:
        self.names.append(info.name)


def test_an_instrument_overrides_the_hooks_that_it_wants():
    counting = _Counting()
    mod = relay.IRModule.from_expr(relay.exp(relay.var("x", shape=(2,))))
    with tvm.transform.PassContext(instruments=[counting]):
        tvm.transform.Sequential([tvm.transform.named("graph-fold-constants")])(mod)
    assert counting.names == ["graph-fold-constants"]


def test_differences_of_arrays_are_errors():
    testing.assert_allclose([1.0, 2.0], [1.0, 2.0 + 1e-8])
    for other in ([1.0, 2.1], [1.0, 2.0, 3.0]):
        with pytest.raises(AssertionError):
            testing.assert_allclose([1.0, 2.0], other)


def test_targets_that_run_here():
    assert testing.enabled_targets() == [("llvm", tvm.cpu(0))]
    assert (testing.device_enabled("llvm -mcpu=native"), testing.device_enabled("cuda")) == (True, False)


@testing.requires_llvm
@testing.requires_micro
@testing.requires_x86
@testing.uses_gpu
@testing.skip_if_32bit(reason="sums of pointers")
def marked() -> int:
    return 7


def test_marks_of_what_is_there_leave_a_test_as_it_is():
    assert marked() == 7
    assert getattr(testing, "requires_cuda")(marked) is marked  # noqa: B009 (a name that the module makes)
    assert [mark.name for mark in getattr(marked, "pytestmark", ())] == ["skip"]


@testing.fixture
def data() -> list[int]:
    return [1]


@testing.fixture(cache_return_value=True)
def cached() -> list[int]:
    return [2]


@testing.parametrize_targets("llvm", "cuda")
@testing.exclude_targets("cuda")
@testing.known_failing_targets("vulkan")
def test_targets_that_run_here_are_gone_through(target: str, dev: object, data: list[int], cached: list[int]):
    assert (target, dev) == ("llvm", tvm.cpu(0))
    assert (data, cached) == ([1], [2])
    data.append(0)


@testing.parametrize_targets
def test_without_targets_the_processor_is_meant(target: str, data: list[int]):
    assert (target, data) == ("llvm", [1])


size = testing.parameter(1, 2, ids=["one", "two"])
low, high = testing.parameters((0, 5), (3, 9))
PAIRS: set[tuple[int, int, int]] = set()


def test_parameters_go_together_or_with_each_other(size: int, low: int, high: int):
    assert (low, high) in ((0, 5), (3, 9))
    assert (size, low, high) not in PAIRS
    PAIRS.add((size, low, high))


def test_a_file_runs_its_tests(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["test_names.py", "-q"])

    def run(arguments: list[str]) -> str:
        return " ".join(arguments)

    monkeypatch.setattr(pytest, "main", run)
    code: object = None
    try:
        testing.main()
    except SystemExit as ended:
        code = ended.code
    assert code == f"{__file__} -q"


def test_polymorphic_functions_are_refused():
    with pytest.raises(UnsupportedError, match=r"relay.TypeVar T: functions are not polymorphic here"):
        relay.TypeVar(name_hint="T")


ASKED_WRONGLY: Mapping[str, tuple[Callable[[], object], type[Exception]]] = {
    "a device": (lambda: tvm.device("nope"), ValueError),
    "a target": (lambda: tvm.target.Target("nope"), ValueError),
    "an element type": (lambda: tvm.nd.empty((2,), "nope"), ValueError),
    "a file": (lambda: tvm.runtime.load_module("nope.so"), ValueError),
    "a function": (lambda: tvm.get_global_func("nope"), ValueError),
    "a module to build": (lambda: relay.build(cast(Any, 3), "llvm"), ValueError),
    "a function of a module": (lambda: tvm.runtime.Module()["nope"], AttributeError),
    "parameters": (lambda: tvm.runtime.load_param_dict(b"nope"), tvm.TVMError),
    "a registration": (lambda: tvm.register_func("testing.echo", len), tvm.TVMError),
}


@pytest.mark.parametrize(("ask", "kind"), ASKED_WRONGLY.values(), ids=ASKED_WRONGLY.keys())
def test_errors_are_of_kinds_that_callers_catch(ask: Callable[[], object], kind: type[Exception]):
    """As TVM's Python and the prefixes of its messages in C++ make them; each is a `TVMError` as well."""
    with pytest.raises(kind) as caught:
        ask()
    assert isinstance(caught.value, tvm.TVMError)
