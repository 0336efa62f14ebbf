"""Make a keyword spotter without a download: recordings by a formula, their spectrograms, and a small network.

    python keywords.py [FOLDER]

The four words are tones that rise, fall, stay or jump, in noise, one second at 16 kHz. A recording becomes a
spectrogram of 49 frames and 10 bands, the usual input of keyword spotting. The network is depthwise separable. Its
convolutions are drawn at random and its last layer is fitted by least squares, so no training framework is needed; a
project puts its own recordings and its trained network here.

Writes `keywords.onnx`, `samples.npz` for the quantiser, and `held_out.npz` with labels.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import InferenceSession  # pyright: ignore[reportMissingTypeStubs]

Floats = npt.NDArray[np.float32]

WORDS = ("rise", "fall", "stay", "jump")
RATE, FRAMES, WINDOW, STEP, BANDS = 16_000, 49, 640, 320, 10
CHANNELS = 32
TRAINING, HELD_OUT, SAMPLES = 400, 100, 100


def recording(word: int, random: np.random.Generator) -> Floats:
    """One second of a word: a tone whose pitch tells the word, in noise."""
    time = np.linspace(0, 1, RATE)
    low = random.uniform(300, 700)
    pitch = (low * (1 + 3 * time), low * (4 - 3 * time), low * np.full(RATE, 2.5), low * np.where(time < 0.5, 1, 4))
    tone = np.sin(2 * np.pi * np.cumsum(pitch[word]) / RATE)
    return (random.uniform(0.3, 1) * tone + 0.9 * random.standard_normal(RATE)).astype(np.float32)


def spectrogram(wave: Floats) -> Floats:
    """The logarithm of the power in bands that widen with the frequency, frame by frame: [1, 1, 49, 10]."""
    frames = np.lib.stride_tricks.sliding_window_view(wave, WINDOW)[::STEP]
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW))) ** 2
    edges = np.geomspace(6, WINDOW // 4, BANDS + 1).astype(int)
    bands = np.add.reduceat(power[:, : edges[-1]], edges[:-1], axis=1)
    return (np.log10(bands + 1e-3) - 2).astype(np.float32)[None, None]


def recordings(count: int, random: np.random.Generator) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Spectrograms of random words, and the words."""
    words = random.integers(len(WORDS), size=count)
    return np.stack([spectrogram(recording(int(word), random)) for word in words]), words


def network(last: Floats, bias: Floats, random: np.random.Generator) -> onnx.ModelProto:
    """A depthwise separable network whose last layer has these weights; the others are drawn."""
    held: dict[str, Floats] = {"last": last, "bias": bias}

    def drawn(name: str, *shape: int) -> str:
        scale = np.sqrt(2 / np.prod(shape[1:]))
        held[name] = (scale * random.standard_normal(shape)).astype(np.float32)
        return name

    first = [drawn("first", CHANNELS, 1, 10, 4)]
    nodes = [helper.make_node("Conv", ["spectrogram", *first], ["c0"], "first", strides=[2, 2], pads=[4, 1, 5, 1])]
    nodes.append(helper.make_node("Relu", ["c0"], ["r0"], "relu0"))
    for number in (1, 2):
        depthwise, pointwise = f"depthwise{number}", f"pointwise{number}"
        weights = [drawn(f"{depthwise}_w", CHANNELS, 1, 3, 3), drawn(f"{pointwise}_w", CHANNELS, CHANNELS, 1, 1)]
        nodes += [
            helper.make_node(
                "Conv", [f"r{number - 1}", weights[0]], [f"d{number}"], depthwise, group=CHANNELS, pads=[1, 1, 1, 1]
            ),
            helper.make_node("Relu", [f"d{number}"], [f"e{number}"], f"relu{number}a"),
            helper.make_node("Conv", [f"e{number}", weights[1]], [f"p{number}"], pointwise),
            helper.make_node("Relu", [f"p{number}"], [f"r{number}"], f"relu{number}b"),
        ]
    nodes += [
        helper.make_node("AveragePool", ["r2"], ["pooled"], "pool", kernel_shape=[5, 5], strides=[5, 5]),
        helper.make_node("Flatten", ["pooled"], ["features"], "flatten"),
        helper.make_node("Gemm", ["features", "last", "bias"], ["scores"], "classify"),
    ]
    given = helper.make_tensor_value_info("spectrogram", TensorProto.FLOAT, [1, 1, FRAMES, BANDS])
    result = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, len(WORDS)])
    weights_of = [numpy_helper.from_array(array, name) for name, array in held.items()]
    graph = helper.make_graph(nodes, "keywords", [given], [result], weights_of)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def fitted(spectrograms: Floats, words: npt.NDArray[np.int64]) -> onnx.ModelProto:
    """The network whose last layer tells the words apart, by least squares on what the layer reads."""
    features = CHANNELS * 5
    last, bias = np.zeros((features, len(WORDS)), np.float32), np.zeros(len(WORDS), np.float32)
    inner = network(last, bias, np.random.default_rng(1))
    inner.graph.output.append(helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, features]))
    session: Any = InferenceSession(inner.SerializeToString(), providers=["CPUExecutionProvider"])
    read = np.ones((len(words), features + 1))
    for row, each in zip(read, spectrograms, strict=True):
        row[:features] = session.run(["features"], {"spectrogram": each})[0][0]
    wanted = np.eye(len(WORDS))[words]
    solved = np.linalg.solve(read.T @ read + 0.1 * np.eye(read.shape[1]), read.T @ wanted).astype(np.float32)
    return network(solved[:-1], solved[-1], np.random.default_rng(1))


def main(arguments: Sequence[str]) -> None:
    """Write the network and the files of data."""
    folder = Path(arguments[0]) if arguments else Path()
    random = np.random.default_rng(0)
    training, words = recordings(TRAINING, random)
    held_out, labels = recordings(HELD_OUT, random)
    (folder / "keywords.onnx").write_bytes(fitted(training, words).SerializeToString())
    np.savez(folder / "samples.npz", spectrogram=training[:SAMPLES])
    np.savez(folder / "held_out.npz", spectrogram=held_out, labels=labels)
    print(f"keywords.onnx, {TRAINING} recordings to fit it, {HELD_OUT} to try it on")


if __name__ == "__main__":
    main(sys.argv[1:])
