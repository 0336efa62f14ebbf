"""Graph tuners find layouts, and their logs give them to a build."""

from pathlib import Path

import pytest

from s2s.decisions.dispatch import records_in_effect
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import autotvm
from s2s.tvm.autotvm.graph_tuner import BaseGraphTuner, DPTuner, PBQPTuner
from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner
from s2s.tvm.relay.factory import build
from s2s.tvm.relay.frontend import from_onnx
from support.autotvm import MadeUpRunner
from support.onnx_text import onnx_file

MODEL = """(float[1, 8, 6, 6] x) => (float[1, 8, 6, 6] y)
<float[8, 8, 1, 1] w = {WEIGHTS}>
{ a = Conv (x, w)
  b = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a)
  y = Conv (b, w) }"""


def tuner(kind: type[BaseGraphTuner], folder: Path, **shapes: tuple[int, ...]) -> BaseGraphTuner:
    mod, params = from_onnx(str(onnx_file(MODEL.replace("WEIGHTS", ", ".join(["0.1"] * 64)), folder)))
    return kind(mod, shapes or {"x": (1, 8, 6, 6)}, [], ["nn.conv2d"], "x86-64-v3", params=params)


@pytest.mark.parametrize("kind", [DPTuner, PBQPTuner])
def test_a_network_record_and_one_of_each_kernel_are_written(kind: type[BaseGraphTuner], tmp_path: Path) -> None:
    made = tuner(kind, tmp_path)
    made.benchmark_layout_transform(runner=MadeUpRunner())
    made.run()
    made.write_opt_sch2record_file(tmp_path / "graph.log")
    with autotvm.apply_graph_best(tmp_path / "graph.log"):
        assert len(records_in_effect()) == len(made.get_optimal_records()) > 2


def test_layouts_that_were_found_are_built(tmp_path: Path) -> None:
    made = tuner(DPTuner, tmp_path)
    made.benchmark_layout_transform(runner=MadeUpRunner())
    made.run()
    made.write_opt_sch2record_file(tmp_path / "graph.log")
    best = made.get_optimal_records()[0][1].record
    assert best is not None
    wanted = set(best.decisions)
    mod, params = from_onnx(str(onnx_file(MODEL.replace("WEIGHTS", ", ".join(["0.1"] * 64)), tmp_path)))
    with autotvm.apply_graph_best(tmp_path / "graph.log"):
        library = build(mod, target="x86-64-v3", params=params)
    found = {(each.kind, each.subject, each.chosen) for each in library.artifact.decisions}
    assert wanted <= found


def test_measuring_is_said_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="call benchmark_layout_transform first"):
        tuner(DPTuner, tmp_path).run()


def test_layouts_are_measured_in_the_place_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[RPCRunner] = []

    def note(runner: RPCRunner, *_: object) -> None:
        places.append(runner)

    monkeypatch.setattr(RPCRunner, "measurer", note)
    network = tuner(DPTuner, tmp_path)
    network.benchmark_layout_transform(min_exec_num=10, use_rpc=True, device_key="qemu:m4", host="farm", port=8786)
    assert [(each.key, each.host, each.port) for each in places] == [("qemu:m4", "farm", 8786)]
    with pytest.raises(InputError, match="use_rpc wants a device_key"):
        network.benchmark_layout_transform(use_rpc=True)
    with pytest.raises(UnsupportedError, match="layout_records and infer_layout are of kernels that transform layouts"):
        network.benchmark_layout_transform(infer_layout=True)


def test_inputs_of_other_shapes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no input x"):
        tuner(DPTuner, tmp_path, x=(1, 3, 8, 8))
