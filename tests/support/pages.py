"""What tests of the documents share: the programs of a page, and networks in place of the reader's."""

import re
import shutil
import wave
from pathlib import Path

import numpy as np

from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model, single
from support.onnx_text import onnx_model
from support.project import ROOT

PROGRAM = re.compile(r"^([ ]*)```python\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
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
STRIPES = "(float[1, 1, 2, width] x) => (float[1, 4, 1, w2] y) { y = SpaceToDepth <blocksize = 2> (x) }"
GROUPS = "(float[2, columns] x, float[rows] y) => (float[2, columns] z) { z = Relu (x) }"
KEYWORDS = """(float[1, 1, 16, 4] x) => (float[1, 2, 7, 2] y) <
    float[2, 1, 3, 3] w = {0, 1, 0, 1, -4, 1, 0, 1, 0, 0, 1, 0, 1, -4, 1, 0, 1, 0}
> {
    y = Conv <strides = [2, 1]> (x, w)
}"""
WAKE = "(float[4] x, float[4] h_in) => (float[4] y, float[4] h_out) { h_out = Add (x, h_in) y = Relu (h_out) }"
SPOTTER = "(float[1, 3, 10, 1] x) => (float[1, 3] y) { y = ReduceMax <axes = [2, 3], keepdims = 0> (x) }"
PICTURES = "(float[1, 3, 8, 8] x) => (float[1, 3] y) { y = ReduceMax <axes = [2, 3], keepdims = 0> (x) }"
BOXES = """(float[1, 20, 4] x, float[1, 20, 3] z) => (float[1, 20, 4] boxes, float[1, 20, 3] scores) {
    boxes = Relu (x) scores = Sigmoid (z)
}"""
TFLITE = single(
    "FULLY_CONNECTED",
    [TensorSpec("x", (1, 4)), TensorSpec("w", (2, 4), data=np.ones((2, 4), np.float32))],
    [TensorSpec("y", (1, 2))],
    "FullyConnectedOptions",
)
QUANTISED = GraphSpec(
    [
        TensorSpec("x", (1, 4)),
        TensorSpec("x8", (1, 4), "INT8", scale=0.5, zero_point=3),
        TensorSpec("w", (2, 4), data=np.array([[5, -7, 9, 3], [-2, 8, 1, 4]], np.int8), scale=0.25),
        TensorSpec("y8", (1, 2), "INT8", scale=2.0, zero_point=-5),
        TensorSpec("y", (1, 2)),
    ],
    [
        OperatorSpec("QUANTIZE", ["x"], ["x8"], "QuantizeOptions"),
        OperatorSpec("FULLY_CONNECTED", ["x8", "w"], ["y8"], "FullyConnectedOptions"),
        OperatorSpec("DEQUANTIZE", ["y8"], ["y"], "DequantizeOptions"),
    ],
    ["x"],
    ["y"],
)
"""A layer of bytes that takes and gives floats."""
LAYER_OF_BYTES = GraphSpec(QUANTISED.tensors[1:4], QUANTISED.operators[1:2], ["x8"], ["y8"])
DEVICES = '[devices.dsp]\ntarget = "cortex-m4"\nlayers = ["block2/*"]\n'


def programs(page: Path) -> list[str]:
    """Return the programs of a page, without the indentation of the list that they stand in."""
    found = PROGRAM.findall(page.read_text(encoding="utf-8"))
    return ["".join(line.removeprefix(space) for line in text.splitlines(keepends=True)) for space, text in found]


def prepare(folder: Path) -> None:
    """Put small networks and data into a folder, under the names that the pages use."""
    small = onnx_model(SMALL).SerializeToString()
    (folder / "examples" / "digits").mkdir(parents=True)
    for name in ("model.onnx", "resnet50.onnx", "digits.onnx", "examples/digits/digits.onnx"):
        (folder / name).write_bytes(small)
    named = onnx_model(SMALL)
    named.graph.node[0].name, named.graph.node[1].name = "/6/conv/Conv", "block2/relu"
    (folder / "kws.onnx").write_bytes(named.SerializeToString())
    files = {"vww.onnx": LAYERS, "encoder.onnx": SEQUENCE, "recogniser.onnx": WIDTH, "detector.onnx": STRIPES}
    files |= {"wake.onnx": WAKE, "keywords.onnx": KEYWORDS}
    files |= {"words.onnx": SPOTTER, "persons.onnx": PICTURES, "boxes.onnx": BOXES}
    for name, body in files.items():
        (folder / name).write_bytes(onnx_model(body).SerializeToString())
    groups = onnx_model(GROUPS)
    for port, axis, formula in ((0, 1, "4*q"), (1, 0, "q + 1")):
        groups.graph.input[port].type.tensor_type.shape.dim[axis].dim_param = formula
    (folder / "groups.onnx").write_bytes(groups.SerializeToString())
    for name in ("kws.tflite", "ic.tflite", "model.tflite", "vww_96_int8.tflite"):
        (folder / name).write_bytes(TFLITE)
    (folder / "detection.tflite").write_bytes(model([QUANTISED]))
    (folder / "kws_int8.tflite").write_bytes(model([LAYER_OF_BYTES]))
    x = np.ones((1, 4), np.float32)
    np.save(folder / "sample.npy", x)
    with wave.open(str(folder / "speech.wav"), "wb") as sound:
        sound.setparams((1, 2, 16000, 0, "NONE", "not compressed"))
        sound.writeframes(np.arange(16000, dtype="<i2").tobytes())
    (folder / "photo.ppm").write_bytes(b"P6 4 4 255\n" + bytes(range(48)))
    for place in ("photos/cat", "photos/dog"):
        (folder / place).mkdir(parents=True)
        shutil.copy(folder / "photo.ppm", folder / place / "1.ppm")
    (folder / "measurements.csv").write_text("a,b,kind,c,d\n1,2,on,3,4\n-4,-3,off,-2,1\n")
    for name in ("samples.npz", "examples/digits/calibration.npz"):
        np.savez(folder / name, x=x[None])
    np.savez(folder / "vectors.npz", x=x, y=np.array([[10, 0]], np.float32))
    np.savez(folder / "golden.npz", x=x, y=np.array([[4, 4]], np.float32))
    (folder / "devices.toml").write_text(DEVICES)
    for name in ("kws", "records", "monday", "tuesday", "all"):
        shutil.copy(ROOT / "s2s" / "records" / "cortex-m4.jsonl", folder / f"{name}.jsonl")
