"""A network for tests on several devices, with a sample."""

import numpy as np
import onnx

LAYERS = ["block2/*"]
"""What the tests place on another device."""


def residual() -> onnx.ModelProto:
    """Three residual blocks, as in ResNet-8, on small images; the second one is named `block2/…`."""
    model = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[1, 3, 8, 8] x) => (float[1, 5] y) {
        a0 = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w0)
        a = Relu(a0)
        b0 = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a, w1)
        b1 = Relu(b0)
        b = Add(a, b1)
        c0 = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (b, w2)
        c1 = Relu(c0)
        c2 = Conv <kernel_shape = [1, 1], strides = [2, 2]> (b, w3)
        c = Add(c1, c2)
        d0 = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (c, w4)
        d1 = Relu(d0)
        d = Add(c, d1)
        e = GlobalAveragePool(d)
        f = Flatten(e)
        g = Gemm(f, w5)
        y = Softmax(g)
    }
    """)
    for node in model.graph.node:
        node.name = f"block{2 if node.output[0].startswith('c') else 1}/{node.output[0]}"
    generator = np.random.default_rng(0)
    shapes = {
        "w0": (4, 3, 3, 3),
        "w1": (4, 4, 3, 3),
        "w2": (8, 4, 3, 3),
        "w3": (8, 4, 1, 1),
        "w4": (8, 8, 3, 3),
        "w5": (8, 5),
    }
    for name, shape in shapes.items():
        array = generator.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def sample() -> dict[str, np.ndarray]:
    return {"x": ((np.arange(3 * 64) % 17) * 0.125 - 1).astype(np.float32).reshape(1, 3, 8, 8)}
