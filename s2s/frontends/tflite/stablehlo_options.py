"""Read options of StableHLO's operators: lists of integers, and the computation that combines two numbers."""

from collections.abc import Mapping
from typing import Any

from s2s.frontends.tflite.node import Node

_COMBINATIONS: Mapping[str, str] = {
    "ADD": "add",
    "LOGICAL_AND": "and",
    "LOGICAL_OR": "or",
    "MAXIMUM": "max",
    "MINIMUM": "min",
    "MUL": "mul",
    "STABLEHLO_ADD": "add",
    "STABLEHLO_AND": "and",
    "STABLEHLO_MAXIMUM": "max",
    "STABLEHLO_MINIMUM": "min",
    "STABLEHLO_MULTIPLY": "mul",
    "STABLEHLO_OR": "or",
}
SECOND = "none"
"""The combination of two numbers that is the second one, by the name that a scatter has for it."""


def numbers(options: Any, name: str) -> list[int]:
    """The integers of the list `name` of the options."""
    return [int(getattr(options, name)(place)) for place in range(getattr(options, f"{name}Length")())]


def combination(node: Node, index: int) -> str:
    """What a graph of two numbers computes: `add`, `mul`, `min`, `max`, `and`, `or` of them, or `SECOND`."""
    body = node.subgraph(index)
    if len(body.inputs) != 2 or len(body.outputs) != 1:
        raise node.invalid(f"{body.place} has {len(body.inputs)} inputs, not two numbers", "export the model again")
    if not body.operators and body.outputs[0] == body.inputs[1]:
        return SECOND
    if len(body.operators) == 1:
        [operator] = body.operators
        name = _COMBINATIONS.get(operator.builtin)
        activation = getattr(operator.options, "FusedActivationFunction", lambda: 0)()
        joins = sorted(operator.inputs) == sorted(body.inputs) and operator.outputs == body.outputs
        if name is not None and joins and not activation:
            return name
    computed = ", ".join(operator.builtin for operator in body.operators) or "its first number"
    raise node.unsupported(
        f"combines numbers by {computed}", "use one of ADD, MUL, MINIMUM, MAXIMUM, LOGICAL_AND, LOGICAL_OR"
    )
