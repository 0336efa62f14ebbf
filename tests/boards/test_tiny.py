"""The networks of MLPerf Tiny on boards, bit for bit: every kernel of every kind of core, in its own instructions."""

import pytest

from s2s.artifact import compile_artifact
from s2s.options import CompileOptions
from support.boards import board_or_skip
from support.project import SHARED

MODELS = SHARED / "models" / "mlperf_tiny"
NETWORKS = ("kws_ref_model_int8", "vww_96_int8", "pretrainedResnet_quant", "ad01_int8")
CASES = [
    *((network, board) for network in NETWORKS for board in ("m4", "m55")),
    *((network, board) for network in ("kws_ref_model_int8", "ad01_int8") for board in ("m3", "m7", "riscv32")),
]

pytestmark = pytest.mark.skipif(not MODELS.is_dir(), reason="the models of MLPerf Tiny are not beside the project")


@pytest.mark.sample(3)
@pytest.mark.parametrize(("network", "name"), CASES)
def test_outputs_are_the_golden_ones(network: str, name: str):
    board = board_or_skip(f"qemu:{name}")
    artifact = compile_artifact(MODELS / f"{network}.tflite", CompileOptions(target=board.target))
    found = artifact.verify_on(f"qemu:{name}", golden=MODELS / f"{network}_golden.npz")
    assert found.bit_exact
    assert found.vectors == 4
