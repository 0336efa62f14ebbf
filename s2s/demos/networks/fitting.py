"""Networks whose last layer is fitted by least squares to what drawn layers compute; s2s itself runs these."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

from s2s.artifact import compile_artifact
from s2s.options import CompileOptions
from s2s.types.dtypes import Array

RIDGE = 0.1
"""What keeps the fitted weights small."""


def network(text: str, weights: Mapping[str, Array]) -> onnx.ModelProto:
    """Return the ONNX model of a text, with weights by name."""
    model: Any = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {text}')
    helper: Any = onnx.numpy_helper
    model.graph.initializer.extend(helper.from_array(array, name) for name, array in weights.items())
    return model


def drawn(random: np.random.Generator, **shapes: tuple[int, ...]) -> dict[str, Array]:
    """Return weights of convolutions, drawn so that activations keep their size."""
    return {
        name: (np.sqrt(2 / np.prod(shape[1:])) * random.standard_normal(shape)).astype(np.float32)
        for name, shape in shapes.items()
    }


def fitted(
    features: onnx.ModelProto, inputs: Array, labels: Array, classes: int, *, pre: tuple[str, ...] = ()
) -> tuple[Array, Array]:
    """Return weights and bias of the layer that tells classes apart by the features of a network with one input, behind
    the steps `pre`."""
    read = np.ones((len(labels), 1 + _width(features)))
    with compile_artifact(features, CompileOptions(target="c", name="layers", pre=pre)) as artifact:
        name = artifact.info.inputs[0].name
        for row, sample in zip(read, inputs, strict=True):
            [computed] = artifact.run({name: sample}).values()
            row[:-1] = computed.reshape(-1)
    gram = read.T @ read + RIDGE * np.eye(read.shape[1])
    solved = np.linalg.solve(gram, read.T @ np.eye(classes)[labels]).astype(np.float32)
    return solved[:-1], solved[-1]


def _width(features: onnx.ModelProto) -> int:
    return features.graph.output[0].type.tensor_type.shape.dim[1].dim_value


__all__ = ["drawn", "fitted", "network"]
