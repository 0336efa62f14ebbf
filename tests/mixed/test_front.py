"""Widths are chosen within bounds, and cost what was predicted when they are built."""

import json
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.errors import InputError
from s2s.frontends.formats import load_model
from s2s.frontends.onnx import LoadedModel
from s2s.mixed.front import Front, Picked
from s2s.mixed.prices import Builder
from s2s.mixed.quantize import quantize_within
from s2s.mixed.search import Bounds
from s2s.options import CompileOptions
from s2s.quantization.floats import weight_bytes
from s2s.quantization.onnx_work import OnnxWork
from s2s.quantization.settings import settings_of
from s2s.quantization.widths import OPSET, Mixer
from s2s.report.html.quantised import quantised_page
from support.boards import board_or_skip
from support.project import ROOT

pytest.importorskip("onnxruntime")
pytest.importorskip("scipy")

FOLDER = ROOT / "examples" / "digits"
MODEL, SAMPLES = FOLDER / "digits.onnx", FOLDER / "calibration.npz"
LOADED = cast("LoadedModel", load_model(MODEL))
OPTIONS = CompileOptions(target="cortex-m4", requantise="fixed")


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images that the network never saw, under the name of its input, with their classes."""
    held = np.load(FOLDER / "held_out.npz")
    file = tmp_path_factory.mktemp("held") / "test.npz"
    np.savez(file, image=held["images"][:100], digit=held["labels"][:100])
    return file


@pytest.fixture(scope="module", autouse=True)
def board() -> None:
    board_or_skip("qemu:m4")


@pytest.fixture(scope="module")
def front(held_out: Path) -> Front:
    work = OnnxWork(LOADED, SAMPLES, settings_of(labels="digit", test=held_out), OPSET)
    return Front(work, Builder(OPTIONS, next(iter(work.samples))))


def bounded(front: Front, least: float | None = None, **bounds: int) -> Picked:
    return front.pick(Bounds(**bounds), least)


def test_a_bound_of_flash_takes_bits_from_the_cheapest_layers(front: Front):
    whole = front.points(Bounds())[-1]
    assert whole.narrow == []
    picked = bounded(front, flash=whole.price.flash - 2000)
    assert picked.point.narrow == ["conv2"]
    assert picked.point.price.flash <= whole.price.flash - 2000
    assert picked.predicted.flash == pytest.approx(picked.point.price.flash, rel=0.03)
    assert picked.predicted.cycles == pytest.approx(picked.point.price.cycles, rel=0.03)
    assert any(line.startswith("conv2: 4 bits save") for line in picked.describe())
    shown = json.loads(json.dumps(picked.as_dict()))
    assert shown["chosen"]["widths"]["conv2"] == "int4"
    assert shown["chosen"]["flash"] == picked.point.price.flash


def test_no_point_of_the_front_beats_another(front: Front):
    points = front.points(Bounds())
    assert len(points) >= 3
    for before, after in pairwise(points):
        assert before.price.flash < after.price.flash
        assert before.sqnr < after.sqnr


def test_wide_bounds_keep_8_bits(front: Front):
    assert bounded(front, flash=1 << 20, cycles=10**9, ram=1 << 20).point.narrow == []


def test_time_forbids_what_unpacking_costs(front: Front):
    whole = front.points(Bounds())[-1].price
    picked = bounded(front, cycles=whole.cycles + 500)
    assert "conv2" not in picked.point.narrow
    with pytest.raises(InputError, match=r"--flash \d+: the smallest plan within \d+ cycles takes \d+ bytes"):
        bounded(front, flash=whole.flash - 2000, cycles=whole.cycles + 500)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"flash": 5000}, r"--flash 5000: the smallest plan takes \d+ bytes \(4 bits in .*\); allow \d+"),
        ({"cycles": 1000}, r"--time 1000: the fastest plan takes \d+ cycles \(8 bits everywhere: .*\); allow \d+"),
        (
            {"ram": 100},
            "--ram 100: the network takes 1680 bytes in any width; allow 1680, or compile with --ram",
        ),
    ],
)
def test_impossible_bounds_name_the_nearest_plan(front: Front, bounds: dict[str, int], message: str):
    with pytest.raises(InputError, match=message):
        bounded(front, **bounds)


def test_accuracy_alone_takes_the_smallest_plan(front: Front):
    picked = bounded(front, least=0.9)
    assert picked.point.plan == front.points(Bounds())[0].plan
    assert picked.point.metric is not None
    assert picked.point.metric >= 0.9
    with pytest.raises(InputError, match=r"--min-accuracy 1\.0: .* reaches 0\.\d+; allow that"):
        bounded(front, least=1.0, flash=picked.predicted.flash)


def test_four_bits_compute_what_the_engine_computes(front: Front, tmp_path: Path):
    model = bounded(front, least=0.9).model
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    assert {tensor.data_type for tensor in model.graph.initializer} >= {onnx.TensorProto.INT4, onnx.TensorProto.INT8}
    assert run(["verify", str(path), "--target", "c", "--data", str(SAMPLES)]) == 0


def test_weights_of_four_bits_are_counted_two_in_a_byte(front: Front):
    tensors = (bounded(front, least=0.9).model, bounded(front, flash=1 << 20).model)
    small, whole = map(weight_bytes, tensors)
    numbers = sum(prod(each.dims) for each in tensors[0].graph.initializer if each.data_type == onnx.TensorProto.INT4)
    assert numbers > 1000
    assert whole - small == pytest.approx(numbers / 2, abs=64)


def test_rounding_together_beats_rounding_alone():
    work = OnnxWork(LOADED, SAMPLES, settings_of(), OPSET)
    mixer = Mixer(work.best.real, work.best.quantized, work.format)
    narrow = mixer.model({layer.name: "int4" for layer in mixer.layers})
    alone = onnx.ModelProto()
    alone.CopyFrom(narrow)
    helper = onnx.numpy_helper
    weights = {tensor.name: helper.to_array(tensor) for tensor in work.best.real.graph.initializer}
    for tensor in alone.graph.initializer:
        name = tensor.name.removesuffix("_quantized")
        if tensor.data_type == onnx.TensorProto.INT4 and name in weights and weights[name].ndim > 1:
            scale = np.abs(weights[name]).reshape(len(weights[name]), -1).max(axis=1) / 7
            [held] = [each for each in alone.graph.initializer if each.name == f"{name}_scale"]
            held.CopyFrom(helper.from_array(scale.astype(np.float32), held.name))
            steps = np.rint(weights[name] / scale.reshape(-1, *[1] * (weights[name].ndim - 1)))
            plain = onnx.helper.make_tensor(tensor.name, tensor.data_type, steps.shape, steps.astype(np.int8).ravel())
            tensor.CopyFrom(plain)
    ratios = [work.format.output_noise(work.real, model) for model in (alone, narrow)]
    assert ratios[1] > ratios[0] + 3


def test_command_says_what_was_given_up(held_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    command = ["quantize", str(MODEL), "--data", str(SAMPLES), "--labels", "digit", "--test", str(held_out)]
    bounds = ["--flash", "12KiB", "--time", "1M", "--min-accuracy", "0.9", "--requantise", "fixed"]
    assert run([*command, *bounds, "-o", str(tmp_path / "q.onnx")]) == 0
    shown = capsys.readouterr().out
    assert "flash against accuracy" in shown
    assert "conv2: 4 bits save" in shown
    assert (tmp_path / "q.onnx").is_file()


def test_impossible_bounds_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    command = ["quantize", str(MODEL), "--data", str(SAMPLES), "--flash", "1KiB", "-o", str(tmp_path / "q.onnx")]
    assert run(command) == 2
    assert "--flash 1024: the smallest plan takes" in capsys.readouterr().err
    assert not (tmp_path / "q.onnx").exists()


def test_other_formats_and_targets_are_refused(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(InputError, match="--target c: prices are measured on emulated boards; give one of cortex-m0"):
        quantize_within(MODEL, SAMPLES, target="c", flash=1)
    assert run(["quantize", str(MODEL), "--data", str(SAMPLES), "--min-accuracy", "0.9"]) == 2
    assert "--min-accuracy: needs the classes of the samples" in capsys.readouterr().err


def test_python_quantises_within_bounds_and_a_page_shows_the_choices(tmp_path: Path):
    pytest.importorskip("matplotlib")
    made = api.quantize_within(MODEL, {"image": np.load(SAMPLES)["image"][:40]}, flash=11_000, requantise="fixed")
    assert made.picked.point.price.flash <= 11_000
    assert made.quantized.refinements[-1].startswith("weights of 4 bits in")
    text = quantised_page("<digits>", *made)
    assert "&lt;digits&gt;" in text
    for point in made.picked.front:
        assert f'<td class="n">{point.price.flash:,}' in text
        assert f"{point.price.cycles:,} cycles</text>" in text
    assert text.count("(chosen)") == 1
