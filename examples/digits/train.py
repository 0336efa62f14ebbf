"""Train a small convolutional network on scikit-learn's handwritten digits and write it as ONNX.

    python examples/digits/train.py          (needs scikit-learn; takes ten seconds)

Writes three files beside this one: `digits.onnx`, the network; `held_out.npz`, the images it never saw with their
labels; and `calibration.npz`, some of the images it saw, under the name of its input, for `quantise.py`.
Plain numpy is enough for six thousand weights: each layer below is a function that returns its output and the function
that carries gradients back through it. Same machine, same versions, same bytes.
"""
# scikit-learn has no types, and those of onnx are partly unknown.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Weights = dict[str, Floats]
Gradient = Callable[[Floats], Floats]

HERE = Path(__file__).parent
HELD_OUT = 360
CALIBRATION = 200
EPOCHS = 40
BATCH = 32


def conv(x: Floats, weights: Weights, name: str, gradients: Weights) -> tuple[Floats, Gradient]:
    """3×3 convolution with a border of zeros, as one matrix product over the patches of the image."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    y = np.einsum("nchwij,ocij->nohw", patches, weight, optimize=True) + bias[:, None, None]

    def back(dy: Floats) -> Floats:
        gradients[f"{name}.weight"] = np.einsum("nchwij,nohw->ocij", patches, dy, optimize=True)
        gradients[f"{name}.bias"] = dy.sum(axis=(0, 2, 3))
        dy_patches = np.lib.stride_tricks.sliding_window_view(
            np.pad(dy, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3)
        )
        return np.einsum("nohwij,ocij->nchw", dy_patches, weight[:, :, ::-1, ::-1], optimize=True)

    return y, back


def relu(x: Floats) -> tuple[Floats, Gradient]:
    """The positive part."""
    return np.maximum(x, 0), lambda dy: dy * (x > 0)


def max_pool(x: Floats) -> tuple[Floats, Gradient]:
    """The largest of each 2×2 block."""
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max(axis=(3, 5))
    first = blocks == y[:, :, :, None, :, None]
    share = first / first.sum(axis=(3, 5), keepdims=True)
    return y, lambda dy: (share * dy[:, :, :, None, :, None]).reshape(x.shape).astype(np.float32)


def linear(x: Floats, weights: Weights, name: str, gradients: Weights) -> tuple[Floats, Gradient]:
    """`y = x wᵀ + b` on the flattened input."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    flat = x.reshape(len(x), -1)

    def back(dy: Floats) -> Floats:
        gradients[f"{name}.weight"] = dy.T @ flat
        gradients[f"{name}.bias"] = dy.sum(axis=0)
        return (dy @ weight).reshape(x.shape)

    return flat @ weight.T + bias, back


def forward(x: Floats, weights: Weights, gradients: Weights) -> tuple[Floats, list[Gradient]]:
    """The scores of ten classes, and the way back."""
    backs: list[Gradient] = []
    for name in ("conv1", "conv2"):
        x, conv_back = conv(x, weights, name, gradients)
        x, relu_back = relu(x)
        x, pool_back = max_pool(x)
        backs += [conv_back, relu_back, pool_back]
    scores, linear_back = linear(x, weights, "classify", gradients)
    return scores, [*backs, linear_back]


def softmax(scores: Floats) -> Floats:
    """Probabilities from scores."""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def initial_weights(rng: np.random.Generator) -> Weights:
    """Weights as He et al. draw them; biases of zero."""
    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "classify": (10, 128)}
    weights: Weights = {}
    for name, shape in shapes.items():
        scale = np.sqrt(2 / np.prod(shape[1:]))
        weights[f"{name}.weight"] = (scale * rng.standard_normal(shape)).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(shape[0], np.float32)
    return weights


def shifted(images: Floats, rng: np.random.Generator) -> Floats:
    """Each image moved by up to one pixel: people do not write in the middle of the box."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moves = rng.integers(0, 3, size=(len(images), 2))
    return np.stack([image[:, y : y + 8, x : x + 8] for image, (y, x) in zip(padded, moves, strict=True)])


def train(images: Floats, labels: Ints, rng: np.random.Generator) -> Weights:
    """Minimise the cross entropy with Adam; the step shrinks to zero along a cosine."""
    weights = initial_weights(rng)
    mean = {name: np.zeros_like(w) for name, w in weights.items()}
    square = {name: np.zeros_like(w) for name, w in weights.items()}
    steps = EPOCHS * (len(images) // BATCH)
    for t in range(1, steps + 1):
        chosen = rng.choice(len(images), BATCH, replace=False)
        gradients: Weights = {}
        scores, backs = forward(shifted(images[chosen], rng), weights, gradients)
        dy: Floats = (softmax(scores) - np.eye(10, dtype=np.float32)[labels[chosen]]) / np.float32(BATCH)
        for back in reversed(backs):
            dy = back(dy)
        rate = 0.004 * 0.5 * (1 + np.cos(np.pi * t / steps))
        for name, gradient in gradients.items():
            mean[name] += 0.1 * (gradient - mean[name])
            square[name] += 0.001 * (gradient**2 - square[name])
            corrected = mean[name] / (1 - 0.9**t) / (np.sqrt(square[name] / (1 - 0.999**t)) + 1e-8)
            weights[name] = (weights[name] - rate * corrected).astype(np.float32)
    return weights


def to_onnx(weights: Weights) -> onnx.ModelProto:
    """The trained network with its softmax, for one image."""
    make, pads = helper.make_node, [1, 1, 1, 1]
    nodes = [
        make("Conv", ["image", "conv1.weight", "conv1.bias"], ["c1"], "conv1", kernel_shape=[3, 3], pads=pads),
        make("Relu", ["c1"], ["r1"], "relu1"),
        make("MaxPool", ["r1"], ["p1"], "pool1", kernel_shape=[2, 2], strides=[2, 2]),
        make("Conv", ["p1", "conv2.weight", "conv2.bias"], ["c2"], "conv2", kernel_shape=[3, 3], pads=pads),
        make("Relu", ["c2"], ["r2"], "relu2"),
        make("MaxPool", ["r2"], ["p2"], "pool2", kernel_shape=[2, 2], strides=[2, 2]),
        make("Flatten", ["p2"], ["f"], "flatten"),
        make("Gemm", ["f", "classify.weight", "classify.bias"], ["scores"], "classify", transB=1),
        make("Softmax", ["scores"], ["probabilities"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 10])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
        doc_string="Handwritten digits, 8×8 pixels between 0 and 1",
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="examples/digits")
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    """Train, check on the held-out images, write both files."""
    rng = np.random.default_rng(0)
    digits, target = load_digits(return_X_y=True)
    images = (digits.reshape(-1, 1, 8, 8) / 16).astype(np.float32)
    order = rng.permutation(len(images))
    held, seen = order[:HELD_OUT], order[HELD_OUT:]
    weights = train(images[seen], target[seen], rng)
    scores, _ = forward(images[held], weights, {})
    accuracy = float((scores.argmax(axis=1) == target[held]).mean())
    print(f"accuracy on {HELD_OUT} held-out images: {accuracy:.2%}")
    onnx.save(to_onnx(weights), HERE / "digits.onnx")
    np.savez_compressed(HERE / "calibration.npz", image=images[seen[:CALIBRATION]])
    np.savez_compressed(HERE / "held_out.npz", images=images[held], labels=target[held].astype(np.int64))


if __name__ == "__main__":
    main()
