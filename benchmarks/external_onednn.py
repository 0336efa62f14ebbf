"""Convolutions of floats: our kernels beside oneDNN, and which one `--external onednn=auto` takes.

    OMP_NUM_THREADS=1 python -m benchmarks.external_onednn                 (those of the default networks, minutes)
    python -m benchmarks.external_onednn resnet18 --at-most 8

Each convolution of a network, with its bias, is measured as a network of its own, channels first as in ONNX, so the
library reorders its input and its result. Equal ones are measured once. Exits with 1 where the chosen one takes more
than 3 % longer than the other.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

from benchmarks.external_library import Row, measure, report
from benchmarks.models import IMAGE, find_model
from benchmarks.timing import pin

LIBRARY = "onednn"


def convolutions(model: onnx.ModelProto) -> Iterator[tuple[str, onnx.ModelProto]]:
    """Yield each convolution with constant weights as a network of its own, with its name; equal ones once."""
    inferred = shape_inference.infer_shapes(model).graph
    types = {each.name: each.type for each in (*inferred.value_info, *inferred.input, *inferred.output)}
    weights = {each.name: each for each in inferred.initializer}
    seen: set[str] = set()
    for node in inferred.node:
        if node.op_type != "Conv" or any(name not in weights for name in node.input[1:]):
            continue
        ends = [helper.make_value_info(name, types[name]) for name in (node.input[0], node.output[0])]
        if types[node.input[0]].tensor_type.elem_type != TensorProto.FLOAT:
            continue
        name = _described(node, types[node.input[0]], weights[node.input[1]])
        if name not in seen:
            seen.add(name)
            graph = helper.make_graph([node], "conv", ends[:1], ends[1:], [weights[each] for each in node.input[1:]])
            yield name, helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def _described(node: onnx.NodeProto, x: Any, weights: onnx.TensorProto) -> str:
    """Image, window and channels: `56x56 3x3/2 64>128`, with groups `g64`."""
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    size = "x".join(str(each.dim_value) for each in x.tensor_type.shape.dim[2:])
    outputs, _, *window = numpy_helper.to_array(weights).shape
    stride, groups = max(attributes.get("strides", [1])), attributes.get("group", 1)
    text = f"{size} {'x'.join(map(str, window))}/{stride} {x.tensor_type.shape.dim[1].dim_value}>{outputs}"
    return f"{text} g{groups}" if groups > 1 else text


def rows(networks: Sequence[str], most: int | None) -> Iterator[Row]:
    """Measure the convolutions of networks, `most` of each."""
    for network in networks:
        found = list(convolutions(onnx.load_model_from_string(find_model(network).read_bytes())))
        for name, model in found[:most]:
            yield measure(f"{network[:12]} {name}", LIBRARY, model)


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("networks", nargs="*", default=IMAGE, help=f"by default {', '.join(IMAGE)}")
    parser.add_argument("--at-most", type=int, metavar="N", help="measure the first N convolutions of each network")
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    pin()
    return report(LIBRARY, rows(arguments.networks, arguments.at_most))


if __name__ == "__main__":
    sys.exit(main())
