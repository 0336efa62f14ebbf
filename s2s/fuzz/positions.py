"""Positions that operators read and write at: engines differ in what they make of one that is out of range."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from s2s.errors import InputError
from s2s.fuzz.spread import Spread
from s2s.types.dtypes import Array

ALONG_AXIS = frozenset(("Gather", "GatherElements", "ScatterElements"))
"""Operators with positions along one axis."""
COORDINATES = frozenset(("GatherND", "ScatterND"))
"""Operators with a coordinate for each of several axes, behind axes that count batches."""


def check_positions(node: onnx.NodeProto, operands: Mapping[str, Spread]) -> None:
    """Raise an error where a node reads or writes at a position that its first operand does not have.

    onnxruntime refuses such a node, while numpy takes the last position.
    """
    if node.domain or node.op_type not in ALONG_AXIS | COORDINATES:
        return
    data, places = (operands[name].clean for name in node.input[:2])
    sizes = np.asarray(_sizes(node, data.shape, places))
    if np.any(places < -sizes) or np.any(places >= sizes):
        raise InputError(f"{node.name or node.op_type}: a position is out of range; leave it out")


def _sizes(node: onnx.NodeProto, shape: Sequence[int], places: Array) -> Sequence[int]:
    """The sizes that the positions, or each of the coordinates, are below."""
    settings: dict[str, Any] = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    if node.op_type in ALONG_AXIS:
        return [shape[int(settings.get("axis", 0))]]
    first = int(settings.get("batch_dims", 0))
    return shape[first : first + places.shape[-1]]
