"""The operator MatMulSuperblocks of domain `s2s`, which the reader of GGUF files writes: ONNX and onnxruntime have none
for weights in blocks whose scales are quantised too.

    y = MatMulSuperblocks(x, w, scales, mins, super_scales, super_mins), N rows of K columns

`w[N, blocks, bytes]` are bytes: with `bits` 4 of two neighbouring weights from 0 to 15, with 8 of one up to 127. Scales
and least values are bytes `[N, blocks]`, those of superblocks floats `[N, superblocks]`. With `int8_activations` 1, `x`
is quantised to 8 bits.
"""

from collections.abc import Mapping

import numpy as np
from onnx import helper

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.signature import Parameter, Signature

DOMAIN = "s2s"
NAME = "MatMulSuperblocks"
OPERANDS = ("x", "w", "scales", "mins", "super_scales", "super_mins")


def _product(node: Node) -> Value:
    x = node.input(0)
    levels = [node.known(position, name) for position, name in list(enumerate(OPERANDS))[1:]]
    return emit(
        graph.SuperblockMatmulOp,
        x,
        *(node.constant(each.view(np.int8)) for each in levels[:3]),
        *map(node.constant, levels[3:]),
        bits=node.integer("bits"),
        int8_activations=node.flag("int8_activations"),
    )


IMPORTERS: Mapping[str, Importer] = {NAME: _product}


def signature(op_type: str) -> Signature | None:
    """What is permitted of an operator of the domain; None if it has no such operator."""
    if op_type not in IMPORTERS:
        return None
    defaults = [helper.make_attribute("bits", 4), helper.make_attribute("int8_activations", 0)]
    return Signature(
        since=1,
        deprecated=False,
        inputs=tuple(Parameter(name, f"T{name}", frozenset(), required=True, homogeneous=True) for name in OPERANDS),
        outputs=(),
        variadic=False,
        min_inputs=len(OPERANDS),
        max_inputs=len(OPERANDS),
        min_outputs=1,
        max_outputs=1,
        attribute_types={default.name: default.type for default in defaults},
        required=frozenset(),
        defaults={default.name: default for default in defaults},
    )
