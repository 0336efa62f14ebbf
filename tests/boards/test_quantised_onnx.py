"""A model quantised here runs on a microcontroller without floats, bit for bit as the interpreter says."""

import pytest

from s2s import api
from s2s.options import Requantise
from s2s.quantization import Quantized
from support.boards import board_or_skip
from support.project import ROOT, SHARED

pytest.importorskip("onnxruntime")

FOLDER = ROOT / "examples" / "digits"


@pytest.fixture(scope="module")
def quantized() -> Quantized:
    return api.quantize(FOLDER / "digits.onnx", FOLDER / "calibration.npz", ports="int8")


@pytest.mark.sample(2)
@pytest.mark.parametrize("board", ["qemu:m4", "qemu:m3"])
@pytest.mark.parametrize("requantise", ["fixed", "float"])
def test_digits_bit_for_bit(quantized: Quantized, board: str, requantise: Requantise):
    target = board_or_skip(board).target
    with api.compile(quantized.model, target=target, requantise=requantise) as artifact:
        found = artifact.verify_on(board, against="interpreter")
    assert found.bit_exact


def test_vectors_of_floats_requantise(quantized: Quantized):
    with api.compile(quantized.model, target="cortex-m55", requantise="float") as artifact:
        tree = artifact.tree()
        found = artifact.verify()
    [kernels] = [tree.text(name) for name in tree.files if name.endswith("_kernels.c")]
    assert "s2s_i32x4_quantize_i8(" in kernels
    assert found.passed


def test_not_one_float_is_left(quantized: Quantized):
    with api.compile(quantized.model, target="cortex-m4", requantise="fixed") as artifact:
        tree = artifact.tree()
    [kernels] = [tree.text(name) for name in tree.files if name.endswith("_kernels.c")]
    assert "float" not in kernels
    assert "f32" not in kernels


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "limit"), [("m4", 15_500_000), ("m55", 2_950_000)])
def test_channels_lie_side_by_side_where_bytes_are_multiplied(name: str, limit: int):
    """As in the TFLite form of this network, which takes 15.1 and 2.97 million instructions."""
    path = SHARED / "models" / "onnx" / "tiny_ic_resnet8_int8.onnx"
    if not path.is_file():
        pytest.skip("the ONNX networks are not beside the project")
    with api.compile(path, target=board_or_skip(f"qemu:{name}").target) as artifact:
        found = artifact.verify_on(f"qemu:{name}")
    assert found.passed
    assert max(found.run.instructions) < limit
