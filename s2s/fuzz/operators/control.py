"""Branches and loops, and sequences of tensors."""

from collections.abc import Callable, Mapping

import numpy as np
import onnx
from onnx import helper

from s2s.fuzz.arrays import BOOL, FLOAT32, INT64, DType
from s2s.fuzz.network import Network, Value

_STEPS = ("Add", "Sub", "Mul", "Max", "Min")


def _port(net: Network, dtype: DType) -> onnx.ValueInfoProto:
    """A value at the border of a body: a scalar, or floats of a shape that the operands give."""
    shape: list[int] | None = None if dtype == FLOAT32 else []
    return helper.make_tensor_value_info(net.name("b"), helper.np_dtype_to_tensor_dtype(dtype), shape)


def _branch(net: Network, x: Value, y: Value) -> onnx.GraphProto:
    """A graph without inputs that computes of two values around it."""
    out = _port(net, FLOAT32)
    pair = net.random.sample([x.name, y.name], 2)
    return helper.make_graph([helper.make_node(net.random.choice(_STEPS), pair, [out.name])], "branch", [], [out])


def _if(net: Network) -> None:
    condition = net.operand(BOOL, [])
    x = net.operand(FLOAT32)
    y = net.operand(FLOAT32, x.shape)
    then, otherwise = _branch(net, x, y), _branch(net, x, y)
    net.node("If", [condition], captured=[x, y], then_branch=then, else_branch=otherwise)


def _loop(net: Network) -> None:
    """A state that changes in every turn, and what it is in each, as a sequence along a new axis."""
    state = net.operand(FLOAT32)
    step = net.operand(FLOAT32, state.shape)
    turn, on, before = _port(net, INT64), _port(net, BOOL), _port(net, FLOAT32)
    more, after, seen = _port(net, BOOL), _port(net, FLOAT32), _port(net, FLOAT32)
    nodes = [
        helper.make_node("Identity", [on.name], [more.name]),
        helper.make_node(net.random.choice(("Add", "Sub", "Max")), [before.name, step.name], [after.name]),
        helper.make_node("Neg", [after.name], [seen.name]),
    ]
    body = helper.make_graph(nodes, "body", [turn, on, before], [more, after, seen])
    turns = net.known(net.random.randint(1, 4))
    net.node("Loop", [turns, net.known(True, np.bool_), state], 2, captured=[step], body=body)


def _scan(net: Network) -> None:
    steps = net.random.randint(1, 5)
    state = net.operand(FLOAT32, [net.random.randint(1, 5)])
    x = net.operand(FLOAT32, [steps, *state.shape])
    before, row = _port(net, FLOAT32), _port(net, FLOAT32)
    after, seen = _port(net, FLOAT32), _port(net, FLOAT32)
    nodes = [
        helper.make_node(net.random.choice(("Add", "Sub", "Max")), [before.name, row.name], [after.name]),
        helper.make_node("Neg", [after.name], [seen.name]),
    ]
    body = helper.make_graph(nodes, "body", [before, row], [after, seen])
    reverse = net.random.randint(0, 1)
    net.node("Scan", [state, x], 2, num_scan_inputs=1, body=body, scan_input_directions=[reverse])


OPERATORS: Mapping[str, Callable[[Network], object]] = {"If": _if, "Loop": _loop, "Scan": _scan}
