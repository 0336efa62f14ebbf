"""What random models hold of operators with many parts."""

from random import Random

import onnx

from s2s.fuzz.network import Network, Rejected
from s2s.fuzz.operators import OPERATORS

LENGTHS, PEEPHOLES = 4, 7
"""The operands of LSTM."""


def drawn(op: str, seed: int) -> list[onnx.NodeProto]:
    """The nodes of an operator that a seed draws; none where it is rejected."""
    net = Network(Random(seed), 21, "")
    try:
        net.attempt(OPERATORS[op])
    except Rejected:
        return []
    return [node for node in net.model().graph.node if node.op_type == op]


def test_recurrent_layers_have_all_parts():
    found = [node for seed in range(60) for node in drawn("LSTM", seed)]
    attributes = {each.name for node in found for each in node.attribute}
    assert {"activations", "clip"} <= attributes
    operands = {place for node in found for place, name in enumerate(node.input) if name}
    assert {LENGTHS, PEEPHOLES} <= operands
