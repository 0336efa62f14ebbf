"""Every command of s2s in README and the pages of how-to is run, with small networks in place of the reader's.

Those that are not are listed, with the tests that run the like.
"""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from docs.commands import OURS, run_line
from support.c_compilers import require
from support.onnx_text import onnx_model
from support.project import ROOT
from support.tflite_models import TensorSpec, single

pytestmark = pytest.mark.xdist_group("docs")

COMMAND = re.compile(r"^(?:    )?(?:\$ )?(s2s [a-z].*)$", re.MULTILINE)
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md")))
NOT_RUN = {
    r"s2s chat |\.gguf": "wants a language model; tests/frontends/gguf",
    r" decoder\.onnx ": "wants an exported decoder; tests/frontends/caches and tests/testing/test_prefill.py",
    r"s2s farm ": "servers that do not end; tests/farm",
    r"--farm ": "wants a farm; tests/farm",
    r"s2s fuzz ": "takes minutes; tests/fuzz",
    r"s2s tune ": "takes minutes; tests/tuning",
    r"s2s records (measure|verify) ": "takes minutes; tests/tuning/test_remeasure.py, test_verification.py",
    r"s2s profile ": "measures for seconds; tests/profiling",
    r"--on serial:": "wants a board; tests/projects runs it with an emulated one",
    r"--html ": "draws for seconds; tests/report",
    r"--external blas": "wants OpenBLAS; tests/external/test_blas.py",
    r"\.pt2|\.py:": "wants torch; tests/frontends/torch/test_files.py",
    r"--time\b": "measures for seconds; tests/report",
}
"""Commands that are not run here, with the reason and the tests that run the like."""
SMALL = """(float[1, 4] x) => (float[1, 2] y) <float[4, 2] w = {1, -1, 2, -1, 3, -1, 4, -1}> {
    a = MatMul (x, w) y = Relu (a)
}"""
LAYERS = """(float[1, 1, 8, 8] x) => (float[1, 2, 8, 8] y) <
    float[2, 1, 3, 3] w = {0, 1, 0, 1, -4, 1, 0, 1, 0, 0, 1, 0, 1, -4, 1, 0, 1, 0}
> {
    a = Conv <pads = [1, 1, 1, 1]> (x, w) y = Relu (a)
}"""
SEQUENCE = "(float[sequence, 4] x) => (float[sequence, 4] y) { y = Softmax <axis = 1> (x) }"
WIDTH = (
    "(float[1, 1, 8, width] x) => (float[1, 1, 4, w2] y) { y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) }"
)
KEYWORDS = """(float[1, 1, 16, 4] x) => (float[1, 2, 7, 2] y) <
    float[2, 1, 3, 3] w = {0, 1, 0, 1, -4, 1, 0, 1, 0, 0, 1, 0, 1, -4, 1, 0, 1, 0}
> {
    y = Conv <strides = [2, 1]> (x, w)
}"""
WAKE = "(float[4] x, float[4] h_in) => (float[4] y, float[4] h_out) { h_out = Add (x, h_in) y = Relu (h_out) }"
TFLITE = single(
    "FULLY_CONNECTED",
    [TensorSpec("x", (1, 4)), TensorSpec("w", (2, 4), data=np.ones((2, 4), np.float32))],
    [TensorSpec("y", (1, 2))],
    "FullyConnectedOptions",
)
DEVICES = '[devices.dsp]\ntarget = "cortex-m4"\nlayers = ["block2/*"]\n'


def commands(page: Path) -> list[str]:
    """The commands of a page that can be run."""
    found = COMMAND.findall(page.read_text().replace("\\\n", " "))
    return [each for each in found if "…" not in each and not any(re.search(text, each) for text in NOT_RUN)]


PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]


def prepare(folder: Path) -> None:
    """Put small networks and data into a folder, under the names that the pages use."""
    small = onnx_model(SMALL).SerializeToString()
    (folder / "examples" / "digits").mkdir(parents=True)
    for name in ("model.onnx", "resnet50.onnx", "digits.onnx", "examples/digits/digits.onnx"):
        (folder / name).write_bytes(small)
    named = onnx_model(SMALL)
    named.graph.node[0].name, named.graph.node[1].name = "/6/conv/Conv", "block2/relu"
    (folder / "kws.onnx").write_bytes(named.SerializeToString())
    files = {"vww.onnx": LAYERS, "encoder.onnx": SEQUENCE, "recogniser.onnx": WIDTH}
    files |= {"wake.onnx": WAKE, "keywords.onnx": KEYWORDS}
    for name, body in files.items():
        (folder / name).write_bytes(onnx_model(body).SerializeToString())
    for name in ("kws.tflite", "ic.tflite", "model.tflite"):
        (folder / name).write_bytes(TFLITE)
    x = np.ones((1, 4), np.float32)
    np.save(folder / "sample.npy", x)
    for name in ("samples.npz", "examples/digits/calibration.npz"):
        np.savez(folder / name, x=x[None])
    np.savez(folder / "vectors.npz", x=x, y=np.array([[10, 0]], np.float32))
    np.savez(folder / "golden.npz", x=x, y=np.array([[4, 4]], np.float32))
    (folder / "devices.toml").write_text(DEVICES)
    for name in ("kws", "records", "monday", "tuesday", "all"):
        shutil.copy(ROOT / "s2s" / "records" / "cortex-m4.jsonl", folder / f"{name}.jsonl")


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    prepare(tmp_path)
    for command in commands(page):
        if "qemu:" in command:
            require("arm-none-eabi-gcc")
            require("qemu-system-arm")
        run_line(command, tmp_path)


@pytest.mark.parametrize("text", NOT_RUN)
def test_what_is_not_run_is_in_a_page(text: str):
    assert any(re.search(text, each) for page in PAGES for each in COMMAND.findall(page.read_text()))


def test_commands_are_split_from_what_becomes_of_their_output():
    found = OURS.fullmatch("s2s targets cortex-m4 > my_core.toml")
    assert found is not None
    assert (found["arguments"].strip(), found["operator"], found["rest"].strip()) == (
        "targets cortex-m4",
        ">",
        "my_core.toml",
    )
