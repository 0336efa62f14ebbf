"""How the tool shows, verifies and reads TFLite models."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import s2s
from s2s import api
from s2s.cli.main import run
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.tvm.relay import frontend


def quantised_network() -> bytes:
    x = TensorSpec("serving_default_x:0", (2, 3), "INT16", scale=0.25)
    y = TensorSpec("StatefulPartitionedCall:0", (2, 3), "INT8", scale=0.5, zero_point=-7)
    return single("QUANTIZE", [x], [y], "QuantizeOptions")


@pytest.fixture
def network(tmp_path: Path) -> Path:
    path = tmp_path / "narrow.tflite"
    path.write_bytes(quantised_network())
    return path


def test_header_and_metadata_state_the_quantisation(network: Path, tmp_path: Path):
    tree = api.compile(network, target="c").write(tmp_path / "tree")
    header = re.sub(" +", " ", (tree / "include" / "narrow.h").read_text())
    assert "input: x, int16_t[2][3]; real = 0.25 * q */" in header
    assert "output: StatefulPartitionedCall, int8_t[2][3]; real = 0.5 * (q + 7) */" in header
    assert "#define NARROW_X_SCALE 0.25f" in header
    assert "#define NARROW_X_ZERO_POINT 0" in header
    assert "_SCALE 0.5f" in header
    assert "_ZERO_POINT (-7)" in header
    metadata = json.loads((tree / "metadata.json").read_text())
    assert metadata["outputs"][0]["quantisation"] == {"scale": 0.5, "zero_point": -7}


def test_golden_vectors_of_16_bits_use_their_range():
    info = api.compile(quantised_network(), target="c").info
    assert np.abs(info.golden[0].inputs[0].astype(int)).max() > 100


def test_inspect_shows_the_quantisation(network: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["inspect", str(network)]) == 0
    shown = capsys.readouterr().out
    assert "i16 2×3, 12 bytes, real = 0.25 * q" in shown
    assert "1 QUANTIZE" in shown


@pytest.mark.parametrize("engine", ["tflm", "litert", "interpreter"])
def test_verify_takes_tflite_models(network: Path, engine: str, capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(network), "--against", engine, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] is True


def test_verify_refuses_engines_of_other_formats(network: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(network), "--against", "onnxruntime"]) == 2
    assert "is no ONNX model; try --against tflm or interpreter" in capsys.readouterr().err


def test_from_tflite_gives_module_and_weights():
    w = TensorSpec("w", (3,), data=np.array([1.0, 2.0, 3.0], np.float32))
    data = single("ADD", [TensorSpec("x", (2, 3)), w], [TensorSpec("y", (2, 3))], "AddOptions")
    module, params = frontend.from_tflite(data)
    assert params["w"].numpy().tolist() == [1.0, 2.0, 3.0]
    library = s2s.build(module, "c", params=params)
    assert library is not None
