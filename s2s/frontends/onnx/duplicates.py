"""Import the operators of com.microsoft that ONNX has too: GatherND, GridSample, Pad, Range, Trilu."""

from collections.abc import Mapping, Sequence

from s2s.frontends.builder import Value
from s2s.frontends.formulas import unsqueeze
from s2s.frontends.onnx import constant, indexing, sampling, slicing
from s2s.frontends.onnx.node import Importer, Node

_PAD_SINCE = 13
"""The version of ONNX whose operands the Pad of com.microsoft has."""


def _expand_dims(node: Node) -> Value:
    x = node.input(0)
    return unsqueeze(x, [node.axis(int(node.known_number(1, "axis") or 0), x.rank + 1)])


def _pad(node: Node) -> Value | Sequence[Value]:
    return slicing.IMPORTERS["Pad"](node._replace(since=_PAD_SINCE))


def _range(node: Node) -> Value | Sequence[Value]:
    """The step may be left out: it is 1."""
    start = node.input(0)
    step = node.optional(2)
    operands = [start, node.input(1), start.like(1) if step is None else step]
    return constant.IMPORTERS["Range"](node._replace(operands=operands))


IMPORTERS: Mapping[str, Importer] = {
    "ExpandDims": _expand_dims,
    "GatherND": indexing.IMPORTERS["GatherND"],
    "GridSample": sampling.IMPORTERS["GridSample"],
    "Pad": _pad,
    "Range": _range,
    "Trilu": indexing.IMPORTERS["Trilu"],
}
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    "GatherND": {"batch_dims": 0},
    "GridSample": {"align_corners": 0, "mode": "bilinear", "padding_mode": "zeros"},
    "Pad": {"mode": "constant"},
    "Trilu": {"upper": 1},
}
REQUIRED: Mapping[str, Mapping[str, int]] = {}
OPTIONAL: Mapping[str, Mapping[str, int]] = {}
INPUTS: Mapping[str, tuple[int, int]] = {
    "ExpandDims": (2, 2),
    "GatherND": (2, 2),
    "GridSample": (2, 2),
    "Pad": (2, 3),
    "Range": (2, 3),
    "Trilu": (1, 2),
}
OUTPUTS: Mapping[str, int] = {}
