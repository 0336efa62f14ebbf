"""`s2s quantize --labels` tells how many samples both networks put into the right class."""

import json
from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.data.specs import Samples
from s2s.errors import InputError
from s2s.quantization.accuracy import accuracy, interval
from s2s.types.dtypes import Array
from support.project import ROOT

pytest.importorskip("onnxruntime")

FOLDER = ROOT / "examples" / "digits"
MODEL, SAMPLES = FOLDER / "digits.onnx", FOLDER / "calibration.npz"


def scores(*classes: int) -> list[Array]:
    """Scores of three classes, the largest of which is stated."""
    return [np.eye(3, dtype=np.float32)[each] for each in classes]


def test_counts_and_confusions():
    samples = Samples({}, 5, [0, 1, 2, 2, 2])
    found = accuracy(samples, scores(0, 1, 2, 2, 0), scores(0, 2, 1, 1, 0))
    assert (found.samples, found.floats, found.integers) == (5, 4, 1)
    assert found.changed == ("1", "2", "3")
    assert [tuple(each) for each in found.quantised.confusions] == [("2", "1", 2), ("1", "2", 1), ("2", "0", 1)]
    assert {each.name for each in found.quantised.worst} == {"1", "2", "3", "4"}
    assert list(found.describe()) == [
        "classified rightly: 80.0% in floats, 20.0% quantised, of 5 samples",
        "95 % confidence interval of the quantised: 3.6% to 62.4%",
        "f1: 0.8222 in floats, 0.2222 quantised",
        "auc: 0.9028 in floats, 0.4583 quantised",
        "map: 0.7889 in floats, 0.4333 quantised",
        "classified differently when quantised: 3 (1, 2, 3)",
        "class 2 taken for 1: 2",
        "class 1 taken for 2: 1",
        "class 2 taken for 0: 1",
        "worst: sample 1, class 1 taken for 2 by 1",
        "worst: sample 2, class 2 taken for 1 by 1",
        "worst: sample 3, class 2 taken for 1 by 1",
    ]


def test_one_score_is_a_class_above_a_half():
    outputs = [np.full(1, score, np.float32) for score in (0.4, 0.6, 0.5)]
    found = accuracy(Samples({}, 3, [0, 1, 1]), outputs, outputs)
    assert (found.floats, found.changed) == (2, ())


@pytest.mark.parametrize(("right", "count"), [(0, 10), (10, 10), (7, 10), (350, 360)])
def test_intervals_are_those_of_scipy(right: int, count: int):
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    assert interval(right, count) == pytest.approx((expected.low, expected.high), abs=1e-4)  # pyright: ignore[reportUnknownMemberType]


def held_out(folder: Path) -> Path:
    """Images that the network never saw, under the name of its input, with their classes."""
    held = np.load(FOLDER / "held_out.npz")
    np.savez(folder / "test.npz", image=held["images"], digit=held["labels"])
    return folder / "test.npz"


def test_command_counts_held_out_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    command = ["quantize", str(MODEL), "--data", str(SAMPLES), "-o", str(tmp_path / "q.onnx")]
    assert run([*command, "--labels", "digit", "--test", str(held_out(tmp_path)), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["accuracy"]
    assert shown["samples"] == 360
    assert shown["floats"] == 353
    assert abs(shown["integers"] - shown["floats"]) <= 2
    assert shown["interval"][0] < shown["integers"] / 360 < shown["interval"][1]


def test_labels_may_lie_beside_the_samples():
    held = np.load(FOLDER / "held_out.npz")
    samples = {"image": held["images"][:50], "digit": held["labels"][:50]}
    found = api.quantize(MODEL, samples, labels="digit").accuracy
    assert found is not None
    assert found.samples == 50
    assert found.integers >= 48


def test_programs_of_torch_count_too():
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(3, 3, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.eye(3))
    x = np.stack([each[None] for each in scores(0, 1, 2, 1)])
    found = api.quantize(layer, {"input": x, "kind": np.array([0, 1, 2, 0])}, labels="kind").accuracy
    assert found is not None
    assert (found.samples, found.floats, found.integers) == (4, 3, 3)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(3, np.int64), r"labels are int64\[3\], and there are 4 samples; give one whole number"),
        (np.zeros(4, np.float32), r"labels are float32\[4\], and there are 4 samples"),
        (np.array([0, 1, -1, 2]), "labels hold -1; number the classes from 0"),
    ],
)
def test_wrong_labels_are_refused(labels: Array, message: str):
    images = np.load(SAMPLES)["image"][:4]
    with pytest.raises(InputError, match=message):
        api.quantize(MODEL, {"image": images, "digit": labels}, labels="digit")


def test_missing_labels_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    command = ["quantize", str(MODEL), "--data", str(SAMPLES)]
    assert run([*command, "--labels", "digit"]) == 2
    assert "holds 'image', but no 'digit'; give --labels the name of one of these" in capsys.readouterr().err
    assert run([*command, "--test", str(held_out(tmp_path))]) == 2
    assert "--test: needs the classes of the samples" in capsys.readouterr().err


def pictures(folder: Path, count: int) -> Path:
    """Write held-out digits as images, a folder for each class."""
    image = pytest.importorskip("PIL.Image")
    held = np.load(FOLDER / "held_out.npz")
    for number, (pixels, label) in enumerate(zip(held["images"][:count], held["labels"], strict=False)):
        place = folder / "photos" / str(label)
        place.mkdir(parents=True, exist_ok=True)
        image.fromarray(np.rint(pixels.reshape(8, 8) * 255).astype(np.uint8)).save(place / f"{number:03}.png")
    return folder / "photos"


def test_command_quantises_on_a_folder_of_images(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    photos, model, tree = pictures(tmp_path, 60), tmp_path / "q.onnx", tmp_path / "tree"
    command = ["quantize", str(MODEL), "--data", str(photos), "--pre", "normalise:std=255", "-o", str(model)]
    assert run([*command, "--metric", "f1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == found["accuracy"]["samples"] == 60
    assert found["accuracy"]["integers"] >= 58
    assert found["accuracy"]["metrics"]["f1"]["quantised"] > 0.95
    assert 1 <= found["convergence"]["needed"] <= 60
    steps = ["--pre", "normalise:std=255", "--target", "c"]
    assert run(["compile", str(model), *steps, "-o", str(tree), "--quiet"]) == 0
    assert run(["run", str(tree), "--data", str(photos), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["right"] >= 58
    assert run(["verify", str(model), *steps, "--data", str(photos)]) == 0
    assert f"16 of the 60 samples of {photos}" in capsys.readouterr().out
