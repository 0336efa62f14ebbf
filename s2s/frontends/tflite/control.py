"""Import branches and loops over other graphs of the model, and variables, which keep their values from run to run.

The value of a resource tensor is the number of its variable, which is known while the model is read: so a handle may
be passed on, and it melts away.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import equal
from s2s.frontends.networks import TypesChangeError, Values, branch, repeat
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.records import Subgraph
from s2s.frontends.tflite.schema import RESOURCE
from s2s.frontends.tflite.stablehlo_options import numbers
from s2s.frontends.tflite.tensors import Tensor
from s2s.frontends.tflite.variables import Key, resource_key, used_by


class Passed:
    """The arguments that an operator passes to the graphs that it runs: operands without handles, and the variables
    used there."""

    def __init__(self, node: Node, operands: Sequence[Tensor], graphs: Sequence[Subgraph]) -> None:
        self.node, self.operands = node, operands
        self.handles = [operand.info.kind == RESOURCE for operand in operands]
        variables, builder = node.session.variables, node.builder
        used = used_by(node.session.model, graphs)
        for key, info in used.items():
            if info is not None:
                variables.read(builder, key, key[-1] if key[0] == "resource" else info.name, info)
        numbers = [self._number(operand) for operand, handle in zip(operands, self.handles, strict=True) if handle]
        wanted = dict.fromkeys([*used, *(node.session.handles[number] for number in numbers)])
        self.keys: list[Key] = [key for key in wanted if key in variables.held[builder]]
        self.inputs = [operand.value for operand, handle in zip(operands, self.handles, strict=True) if not handle]
        self.state = [variables.held[builder][key] for key in self.keys]

    def _number(self, operand: Tensor) -> int:
        if operand.array is None:
            raise self.node.unsupported("which variable is meant is computed at run time", "name one variable")
        return int(operand.array.reshape(-1)[0])

    def run(self, graph: Subgraph, inner: Builder, values: Values) -> tuple[list[Value], list[Value]]:
        """The results of a graph and the variables after it, where `values` are its operands and variables."""
        given = iter(values)
        arguments = [
            inner.constant(np.asarray(operand.array)) if handle else next(given)
            for operand, handle in zip(self.operands, self.handles, strict=True)
        ]
        variables = self.node.session.variables
        held = variables.held[inner] = dict(zip(self.keys, given, strict=True))
        outputs = self.node.session.run_subgraph(graph, arguments, self.node, inner)
        for output in outputs:
            if output.info.kind == RESOURCE and output.array is None:
                raise self.node.unsupported("gives a handle that is computed at run time", "name one variable")
        return [output.value for output in outputs], [held[key] for key in self.keys]

    def keep(self, values: Sequence[Value]) -> None:
        """Let the variables hold `values` from here on."""
        held = self.node.session.variables.held[self.node.builder]
        held.update(zip(self.keys, values, strict=True))


def _if(node: Node) -> Sequence[Value]:
    condition, operands = node.input(0), [node.input(position) for position in range(1, node.input_count)]
    if condition.value.shape not in ((), (1,)) or condition.dtype != np.bool_:
        raise node.invalid(f"the condition is {condition.dtype}{list(condition.shape)}", "give one bool")
    graphs = [
        node.subgraph(int(number)) for number in (node.options.ThenSubgraphIndex(), node.options.ElseSubgraphIndex())
    ]
    if condition.array is not None:
        chosen = graphs[0] if condition.array.any() else graphs[1]
        return [out.value for out in node.session.run_subgraph(chosen, [each.value for each in operands], node)]
    passed = Passed(node, operands, graphs)

    def formulas(graph: Subgraph) -> Callable[[Builder, Values], Values]:
        def write(inner: Builder, values: Values) -> Values:
            outputs, state = passed.run(graph, inner, values)
            return [*outputs, *state]

        return write

    then, otherwise = map(formulas, graphs)
    try:
        results = branch(node.builder, node.name, condition.value, then, otherwise, [*passed.inputs, *passed.state])
    except TypesChangeError as error:
        raise node.unsupported(str(error), "let both graphs give equal types") from None
    passed.keep(results[len(results) - len(passed.keys) :])
    return results[: len(results) - len(passed.keys)]


def _case(node: Node) -> Sequence[Value]:
    """The results of the graph with the number that the first operand is; of the last one if there is no such graph."""
    index, operands = node.input(0), [node.input(position) for position in range(1, node.input_count)]
    if index.value.shape not in ((), (1,)) or index.dtype != np.int32:
        raise node.invalid(f"the number of its graph is {index.dtype}{list(index.shape)}", "give one int32")
    graphs = [node.subgraph(number) for number in numbers(node.options, "BranchSubgraphIndices")]
    if not graphs:
        raise node.invalid("has no graphs to choose from", "export the model again")
    if index.array is not None:
        number = int(index.array.reshape(-1)[0])
        chosen = graphs[number if 0 <= number < len(graphs) else -1]
        return [out.value for out in node.session.run_subgraph(chosen, [each.value for each in operands], node)]
    passed = Passed(node, operands, graphs)

    def one(number: int, inner: Builder, values: Values) -> Values:
        outputs, state = passed.run(graphs[number], inner, values[1:])
        return [*outputs, *state]

    def one_from(number: int, inner: Builder, values: Values) -> Values:
        if number == len(graphs) - 1:
            return one(number, inner, values)
        then, otherwise = partial(one, number), partial(one_from, number + 1)
        return branch(inner, f"{node.name}_{number}", equal(values[0], number), then, otherwise, values)

    try:
        results = one_from(0, node.builder, [index.value, *passed.inputs, *passed.state])
    except TypesChangeError as error:
        raise node.unsupported(str(error), "let all graphs give equal types") from None
    passed.keep(results[len(results) - len(passed.keys) :])
    return results[: len(results) - len(passed.keys)]


def _call(node: Node) -> Sequence[Value]:
    """The operators of another graph in place of the call."""
    graph = node.subgraph(int(node.options.Subgraph()))
    values = [operand.value for operand in node.inputs()]
    return [out.value for out in node.session.run_subgraph(graph, values, node)]


def _while(node: Node) -> Sequence[Value]:
    operands = node.inputs()
    condition = node.subgraph(int(node.options.CondSubgraphIndex()))
    body = node.subgraph(int(node.options.BodySubgraphIndex()))
    passed = Passed(node, operands, [condition, body])

    def test(inner: Builder, values: Values) -> Values:
        outputs, state = passed.run(condition, inner, values)
        if len(outputs) != 1 or outputs[0].dtype != np.bool_ or outputs[0].shape not in ((), (1,)):
            raise node.invalid("its condition gives no bool", "fix the model")
        if any(a is not b for a, b in zip(state, values[len(passed.inputs) :], strict=True)):
            raise node.unsupported("its condition changes a variable", "change it in the body")
        return outputs

    def step(inner: Builder, values: Values) -> Values:
        outputs, state = passed.run(body, inner, values)
        if len(outputs) != len(operands):
            raise node.invalid(f"its body gives {len(outputs)} results for {len(operands)} operands", "fix the model")
        moving = [output for output, handle in zip(outputs, passed.handles, strict=True) if not handle]
        return [*moving, *state]

    try:
        results = repeat(node.builder, node.name, test, step, [*passed.inputs, *passed.state], [])
    except TypesChangeError as error:
        raise node.unsupported(str(error), "let the body keep the types of its operands") from None
    passed.keep(results[len(passed.inputs) :])
    found = iter(results)
    return [operand.value if handle else next(found) for operand, handle in zip(operands, passed.handles, strict=True)]


def _call_once(node: Node) -> Sequence[Value]:
    """The graph is run while the model is read: its assignments are the initial values of the variables."""
    if node.builder is not node.session.variables.main or node.session.initialising:
        raise node.unsupported("initialises variables inside of another graph", "do so in the main one")
    graph = node.subgraph(int(node.options.InitSubgraphIndex()))
    node.session.initialising = True
    try:
        node.session.run_subgraph(graph, [], node)
    finally:
        node.session.initialising = False
    return []


def _var_handle(node: Node) -> Value:
    key, _ = resource_key(node.options)
    return node.constant(np.full(node.output_type().shape, node.session.handle(key)), np.int32)


def _variable(node: Node) -> tuple[Key, str]:
    """The variable that the first operand is a handle of."""
    handle = node.input(0)
    if handle.info.kind != RESOURCE or handle.array is None or handle.array.size != 1:
        raise node.unsupported("which variable is meant is computed at run time", "name one variable")
    key = node.session.handles[int(handle.array.reshape(-1)[0])]
    return key, key[-1] or "variable"


def _read_variable(node: Node) -> Value:
    key, name = _variable(node)
    if node.session.initialising:
        raise node.unsupported("reads a variable while variables are initialised", "assign constants")
    return node.session.variables.read(node.builder, key, name, node.output_type())


def _assign_variable(node: Node) -> Sequence[Value]:
    key, name = _variable(node)
    value = node.input(1)
    if not node.session.initialising:
        node.session.variables.assign(node.builder, key, name, value.info, value.value)
        return []
    if value.array is None:
        raise node.unsupported("initialises a variable with what is computed at run time", "assign constants")
    node.session.variables.begin_with(key, name, value.info, value.array)
    return []


IMPORTERS: Mapping[str, Importer] = {
    "ASSIGN_VARIABLE": _assign_variable,
    "CALL": _call,
    "CALL_ONCE": _call_once,
    "IF": _if,
    "READ_VARIABLE": _read_variable,
    "STABLEHLO_CASE": _case,
    "VAR_HANDLE": _var_handle,
    "WHILE": _while,
}
