"""Higher-order operators: graphs that a graph runs. A constant among the operands is a constant inside as well."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import cast, reshape
from s2s.frontends.networks import Values, branch, repeat, scan
from s2s.frontends.torch.dtypes import BOOL
from s2s.frontends.torch.node import Bound, Importer, Node


def _tensors(node: Node, names: Sequence[str]) -> list[Value]:
    """All tensors of several lists of operands."""
    found: list[Value] = []
    for name in names:
        for each in node.sequence(name) if name in node.arguments else ():
            found.append(_tensor(node, each))
    return found


def _tensor(node: Node, operand: Bound) -> Value:
    if isinstance(operand, Value):
        return operand
    if isinstance(operand, bool | int | float):
        return node.constant(operand, np.int64 if isinstance(operand, int) else np.float32)
    raise node.unsupported("passes an operand that is no tensor to its graphs", "pass tensors")


def _is_computed(operand: Value) -> bool:
    return operand.array is None or operand.is_symbolic


def _computed(operands: Sequence[Value]) -> list[Value]:
    """The operands that are passed to a graph: all that are no constants."""
    return [each for each in operands if _is_computed(each)]


def _operands_inside(inner: Builder, operands: Sequence[Value], passed: Sequence[Value]) -> list[Value]:
    """All operands as a graph sees them: `passed` stand for the computed ones."""
    rest = iter(passed)
    return [next(rest) if _is_computed(each) else _constant_inside(inner, each) for each in operands]


def _constant_inside(inner: Builder, constant: Value) -> Value:
    assert constant.array is not None
    same = inner.constant(constant.array, constant.name)
    same.narrow, same.quantised = constant.narrow, constant.quantised
    return same


def _truth(value: Value) -> Value:
    return cast(reshape(value, []), BOOL)


def _cond(node: Node) -> list[Value]:
    """One of two graphs, on the same operands; the one that is known to run is imported alone."""
    chosen, operands = node.operand("0"), _tensors(node, ["3"])
    then, otherwise = node.graph("1"), node.graph("2")
    if isinstance(chosen, Value) and chosen.array is None:
        runner = node.runner
        return branch(
            node.builder,
            node.builder.node,
            _truth(chosen),
            lambda inner, values: runner.run_inside(inner, then, _operands_inside(inner, operands, values)),
            lambda inner, values: runner.run_inside(inner, otherwise, _operands_inside(inner, operands, values)),
            _computed(operands),
        )
    return node.runner.run_inside(node.builder, then if node.flag("0") else otherwise, operands)


def _while_loop(node: Node) -> list[Value]:
    carried, kept = _tensors(node, ["2"]), _tensors(node, ["3"])
    test, body = node.graph("0"), node.graph("1")

    def inside(inner: Builder, values: Values) -> list[Value]:
        return [*values[: len(carried)], *_operands_inside(inner, kept, values[len(carried) :])]

    def condition(inner: Builder, values: Values) -> list[Value]:
        return [_truth(node.runner.run_inside(inner, test, inside(inner, values))[0])]

    def step(inner: Builder, values: Values) -> list[Value]:
        return node.runner.run_inside(inner, body, inside(inner, values))

    return repeat(node.builder, node.builder.node, condition, step, carried, _computed(kept))


def _scan(node: Node) -> list[Value]:
    """A state carried along the first dimension of some operands."""
    graph, carried, scanned, kept = node.graph("0"), *(_tensors(node, [name]) for name in ("1", "2", "3"))

    def body(inner: Builder, state: Values, slices: Values, constants: Values) -> tuple[Values, Values]:
        results = node.runner.run_inside(inner, graph, [*state, *slices, *_operands_inside(inner, kept, constants)])
        return results[: len(carried)], results[len(carried) :]

    steps, passed = scanned[0].shape[0], _computed(kept)
    last, parts = scan(
        node.builder, node.builder.node, body, carried=carried, scanned=scanned, kept=passed, steps=steps
    )
    return [*last, *parts]


def _map(node: Node) -> list[Value]:
    """A graph on each slice of some operands."""
    graph, scanned, kept = node.graph("0"), *(_tensors(node, [name]) for name in ("1", "2"))

    def body(inner: Builder, state: Values, slices: Values, constants: Values) -> tuple[Values, Values]:
        return [], node.runner.run_inside(inner, graph, [*slices, *_operands_inside(inner, kept, constants)])

    steps, passed = scanned[0].shape[0], _computed(kept)
    _, parts = scan(node.builder, node.builder.node, body, carried=[], scanned=scanned, kept=passed, steps=steps)
    return parts


def _inlined(node: Node) -> list[Value]:
    """A graph under another setting of autograd, which says nothing about inference."""
    operands = [_tensor(node, operand) for name, operand in node.arguments.items() if name not in ("0", "1")]
    return node.runner.run_inside(node.builder, node.graph("1"), operands)


IMPORTERS: Mapping[str, Importer] = {
    "cond": _cond,
    "map_impl": _map,
    "scan": _scan,
    "while_loop": _while_loop,
    "wrap_with_set_grad_enabled": _inlined,
}
