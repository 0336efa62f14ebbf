"""Shrink a failing model: keep one output, and cut nodes off by making their results inputs.

    y = f(g(h(x)))  fails  ->  y = f(v), v = the numbers that g(h(x)) has  fails  ->  f alone is at fault

A smaller model is kept if it fails in the same way in the same variant. Every attempt runs in a child process.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import onnx
from onnx import helper

from s2s.errors import InputError
from s2s.fuzz.check import Failure, Kind
from s2s.fuzz.engines import IR_VERSION, EngineName
from s2s.fuzz.merge import names_read
from s2s.fuzz.oracle import Spread, evaluate_model
from s2s.fuzz.sizes import failures_of
from s2s.fuzz.variants import Variant
from s2s.support.child import run_in_child
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

SECONDS = 60.0
ENGINES_REVERSED: tuple[EngineName, ...] = ("reference", "onnxruntime", "onnxruntime in float32")


@frozen
class Failing:
    """A model with its inputs that fails in a variant."""

    model: onnx.ModelProto
    inputs: Mapping[str, Array]
    failure: Failure

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.model.graph.node)


def reduce_model(failing: Failing) -> Failing:
    """The smallest model found that fails as `failing` does."""
    values = evaluate_model(failing.model, failing.inputs)
    best = _one_output(failing)
    shrinking = True
    while shrinking:
        shrinking = False
        for node in list(best.model.graph.node)[:-1]:
            if not any(each == node for each in best.model.graph.node):
                continue
            model = without_node(best.model, node, values)
            inputs = {each.name: values[each.name].clean for each in model.graph.input}
            smaller = fails(model, inputs, best.failure.variant, best.failure.kind)
            if smaller is not None:
                best, shrinking = smaller, True
    return best


def fails(model: onnx.ModelProto, inputs: Mapping[str, Array], variant: Variant, kind: Kind) -> Failing | None:
    """The model with its failure, if it is of a kind."""
    ended = run_in_child(partial(_failures, model, inputs, variant), SECONDS)
    if ended.result is None:
        found: Kind = "hang" if ended.hung else "crash"
        failures = [Failure(found, ended.crash, variant)]
    else:
        failures = ended.result
    return next((Failing(model, inputs, each) for each in failures if each.kind == kind), None)


def is_disputed(failing: Failing) -> bool:
    """Return whether the result is that of the other engine: then it is one of the engines that is wrong."""
    if failing.failure.kind != "wrong":
        return False

    def agrees() -> bool:
        try:
            expected = evaluate_model(failing.model, failing.inputs, ENGINES_REVERSED)
        except InputError:
            return False
        return not failures_of(failing.model, failing.inputs, expected, failing.failure.variant)

    return run_in_child(agrees, SECONDS).result is True


def _failures(model: onnx.ModelProto, inputs: Mapping[str, Array], variant: Variant) -> list[Failure]:
    return failures_of(model, inputs, evaluate_model(model, inputs), variant)


def _one_output(failing: Failing) -> Failing:
    names = [each.name for each in failing.model.graph.output]
    for name in sorted(names, key=lambda each: each != failing.failure.output):
        model = pruned(failing.model, [name])
        inputs = {each.name: failing.inputs[each.name] for each in model.graph.input}
        found = fails(model, inputs, failing.failure.variant, failing.failure.kind)
        if found is not None:
            return found
    return failing


def without_node(model: onnx.ModelProto, node: onnx.NodeProto, values: Mapping[str, Spread]) -> onnx.ModelProto:
    """The model whose inputs are what `node` gave."""
    cut = onnx.ModelProto()
    cut.CopyFrom(model)
    cut.graph.node.remove(node)
    for name in filter(None, node.output):
        array = values[name].clean
        cut.graph.input.append(
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        )
    made = {name for each in cut.graph.node for name in each.output}
    return pruned(cut, [each.name for each in model.graph.output if each.name in made])


def pruned(model: onnx.ModelProto, outputs: Sequence[str]) -> onnx.ModelProto:
    """The model with only these outputs, and what they need."""
    needed, nodes = set(outputs), list[onnx.NodeProto]()
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            nodes.append(node)
            needed.update(names_read([node]))
    graph = helper.make_graph(
        nodes[::-1],
        "fuzz",
        [each for each in model.graph.input if each.name in needed],
        [each for each in model.graph.output if each.name in outputs],
        [each for each in model.graph.initializer if each.name in needed],
    )
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=IR_VERSION)
