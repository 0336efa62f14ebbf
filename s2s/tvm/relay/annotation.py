"""`on_device`: a network says which device computes a part of it, under TVM's name.

    hidden = relay.annotation.on_device(relay.nn.relu(relay.nn.conv2d(x, w)), "dsp")
    library = relay.build(relay.nn.dense(hidden, v), devices={"dsp": {"target": "cortex-m4"}})

A part reaches from the annotated expression up to inputs, constants and other annotations. The module keeps the nodes
of each part in the attribute `on_device` of `main`, which `graph-plan-devices` reads.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.dialects.func import FuncOp

from s2s.errors import InputError
from s2s.executor.device import Device
from s2s.tvm.refusals import refusing
from s2s.tvm.relay.expr import Expr, OnDevice, post_order
from s2s.tvm.relay.graph_calls import GraphCall, GraphCalls, operator_name
from s2s.types.devices import MAIN, ON_DEVICE


def on_device(
    body: Expr, device: str | Device, constrain_result: bool = False, constrain_body: bool = True
) -> OnDevice:
    """The value of `body`, which `device` computes: a name of `devices=`, or `main` or `cpu()` for the first device.

    With `constrain_result` the operators that read the value run there, too. Without `constrain_body` whatever computes
    it runs where other annotations and the planner say.
    """
    if not isinstance(device, str | Device):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"relay.annotation.on_device: {device!r} is no device; give the name of one of devices=")
    return OnDevice(body, device if isinstance(device, str) else MAIN, result=constrain_result, body=constrain_body)


def annotated_calls(roots: Sequence[Expr]) -> dict[int, str]:
    """Return the devices of the operators that `roots` are computed from, by their identity; operators that no
    annotation covers have none."""
    found: dict[int, str] = {}
    every = post_order(*roots)
    for expr in every:
        if isinstance(expr, OnDevice) and expr.constrains_body:
            _cover(expr.value, expr.device, found)
    for expr in every:
        for operand in expr.operands if isinstance(expr, GraphCall | GraphCalls) else ():
            if isinstance(operand, OnDevice) and operand.constrains_result:
                _cover(expr, operand.device, found)
    return found


def _cover(expr: Expr, device: str, found: dict[int, str]) -> None:
    """Place what computes `expr`, up to other annotations."""
    pending = [expr]
    while pending:
        each = pending.pop()
        if isinstance(each, OnDevice):
            continue
        if isinstance(each, GraphCall | GraphCalls):
            known = found.get(id(each))
            if known == device:
                continue
            if known is not None:
                raise InputError(
                    f"relay.annotation.on_device: {operator_name(each)} would run on {known} and on {device}; annotate "
                    "one of its operands, where a copy may go"
                )
            found[id(each)] = device
        pending += each.operands


def annotate(main: FuncOp, nodes: Mapping[str, str]) -> None:
    """Write the device of each annotated node to `main`."""
    if nodes:
        main.attributes[ON_DEVICE] = DictionaryAttr({node: StringAttr(device) for node, device in nodes.items()})


if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("relay.annotation")
