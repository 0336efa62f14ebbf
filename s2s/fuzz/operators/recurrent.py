"""Recurrent layers."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from s2s.fuzz.arrays import FLOAT32
from s2s.fuzz.network import Attributes, Network, Value

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_ACTIVATIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}
"""How many activations a direction has."""
_FUNCTIONS = ("Relu", "Tanh", "Sigmoid", "HardSigmoid", "Softsign", "Elu")


def _recurrent(net: Network, op: str) -> None:
    steps, batch, size, hidden = (net.random.randint(1, most) for most in (4, 3, 6, 6))
    direction = net.random.choice(("forward", "reverse", "bidirectional"))
    directions = 2 if direction == "bidirectional" else 1
    gates = _GATES[op]
    x = net.operand(FLOAT32, [steps, batch, size])
    w = net.operand(FLOAT32, [directions, gates * hidden, size])
    r = net.operand(FLOAT32, [directions, gates * hidden, hidden])
    bias = net.operand(FLOAT32, [directions, 2 * gates * hidden]) if net.chance(0.6) else None
    lengths = _lengths(net, steps, batch) if net.chance(0.25) else None
    states = [net.operand(FLOAT32, [directions, batch, hidden]) if net.chance(0.5) else None for _ in range(2)]
    peepholes = net.operand(FLOAT32, [directions, 3 * hidden]) if op == "LSTM" and net.chance(0.3) else None
    more: Attributes = {"linear_before_reset": net.random.randint(0, 1)} if op == "GRU" else {}
    if net.chance(0.3):
        more["activations"] = [net.random.choice(_FUNCTIONS) for _ in range(directions * _ACTIVATIONS[op])]
    if net.chance(0.15):
        more["clip"] = net.random.uniform(0.5, 4)
    operands = [x, w, r, bias, lengths, *((*states, peepholes) if op == "LSTM" else states[:1])]
    net.node(op, operands, 3 if op == "LSTM" else 2, hidden_size=hidden, direction=direction, **more)


def _lengths(net: Network, steps: int, batch: int) -> Value:
    """The number of steps of each sequence."""
    return net.either(np.asarray([net.random.randint(1, steps) for _ in range(batch)], np.int32))


OPERATORS: Mapping[str, Callable[[Network], object]] = {op: partial(_recurrent, op=op) for op in _GATES}
