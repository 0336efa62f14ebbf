"""Recurrent layers."""

from collections.abc import Callable, Mapping
from functools import partial

from s2s.fuzz.arrays import FLOAT32
from s2s.fuzz.network import Attributes, Network

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def _recurrent(net: Network, op: str) -> None:
    steps, batch, size, hidden = (net.random.randint(1, most) for most in (4, 3, 6, 6))
    direction = net.random.choice(("forward", "reverse", "bidirectional"))
    directions = 2 if direction == "bidirectional" else 1
    gates = _GATES[op]
    x = net.operand(FLOAT32, [steps, batch, size])
    w = net.operand(FLOAT32, [directions, gates * hidden, size])
    r = net.operand(FLOAT32, [directions, gates * hidden, hidden])
    bias = net.operand(FLOAT32, [directions, 2 * gates * hidden]) if net.chance(0.6) else None
    states = [net.operand(FLOAT32, [directions, batch, hidden]) if net.chance(0.5) else None for _ in range(2)]
    more: Attributes = {"linear_before_reset": net.random.randint(0, 1)} if op == "GRU" else {}
    operands = [x, w, r, bias, None, *(states if op == "LSTM" else states[:1])]
    net.node(op, operands, 3 if op == "LSTM" else 2, hidden_size=hidden, direction=direction, **more)


OPERATORS: Mapping[str, Callable[[Network], object]] = {op: partial(_recurrent, op=op) for op in _GATES}
