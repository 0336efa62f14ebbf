"""Products with weights in blocks that ask for activations of 8 bits: engines round these, or do not.

accuracy_level 4: each block of x becomes 8-bit integers with one scale, round(x / s) * s with s = max|x| / 127
"""

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import helper

from s2s.types.dtypes import Array

OPERATOR = "MatMulNBits"
IN_BYTES = 4
"""The accuracy_level that asks for products of bytes."""
LARGEST = 127


def with_rounded_activations(
    node: onnx.NodeProto, runs: Sequence[Mapping[str, Array]]
) -> tuple[onnx.NodeProto, Sequence[Mapping[str, Array]]]:
    """The product in floats of activations that are rounded by blocks; other nodes as they are.

    `runs` are the operands by name; activations are `x[..., K]` of float32, blocks count from the first column.
    """
    settings = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    if node.op_type != OPERATOR or settings.get("accuracy_level") != IN_BYTES:
        return node, runs
    plain = onnx.NodeProto()
    plain.CopyFrom(node)
    [level] = [attribute for attribute in plain.attribute if attribute.name == "accuracy_level"]
    plain.attribute.remove(level)
    name = node.input[0]
    return plain, [{**run, name: _rounded(run[name], settings["block_size"])} for run in runs]


def _rounded(x: Array, block: int) -> Array:
    """Floats rounded by blocks."""
    columns = x.shape[-1]
    count = -(-columns // block)
    padded = np.zeros((*x.shape[:-1], count * block), np.float32)
    padded[..., :columns] = x
    blocks = padded.reshape(*x.shape[:-1], count, block)
    scales = np.abs(blocks).max(axis=-1, keepdims=True) / np.float32(LARGEST)
    units = np.rint(blocks / np.where(scales > 0, scales, np.float32(1)))
    return (units * scales).reshape(padded.shape)[..., :columns].astype(x.dtype)
