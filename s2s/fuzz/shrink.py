"""Shrink an ONNX model of a user that fails a check: cut nodes off as long as the check still fails.

    y = f(g(h(x)))  fails  ->  y = f(v) with v as an input  fails  ->  f alone is left

Whole blocks of nodes go first, then single ones (delta debugging). What a cut node gave becomes an input where others
read it; what only cut nodes read becomes an output. A tensor whose type shape inference does not tell is never cut.
"""

from collections.abc import Callable, Iterator, Sequence

import onnx
from onnx import helper

from s2s.fuzz.merge import names_read

Fails = Callable[[onnx.ModelProto], bool]
"""Whether a model still fails in the way that is looked for."""


def shrink(model: onnx.ModelProto, fails: Fails) -> onnx.ModelProto:
    """Return the smallest model found that still fails; `model` itself has to."""
    cutter = _Cutter(model)
    best = list(range(len(model.graph.node)))
    size = max(len(best) // 2, 1)
    while True:
        smaller = next((kept for kept in _without_blocks(best, size) if cutter.fails(kept, fails)), None)
        if smaller is not None:
            best = smaller
            size = min(size, max(len(best) // 2, 1))
        elif size > 1:
            size //= 2
        else:
            return _with_fewer_outputs(cutter.cut(best) or model, fails)


def _without_blocks(nodes: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield the nodes without each block of `size` of them, the last block first: what follows a failure is cheap."""
    if len(nodes) > 1:
        for start in reversed(range(0, len(nodes), size)):
            if len(nodes) > len(nodes[start : start + size]):
                yield [*nodes[:start], *nodes[start + size :]]


def _with_fewer_outputs(model: onnx.ModelProto, fails: Fails) -> onnx.ModelProto:
    """Leave out the outputs, and the nodes that only they need, without which the check still fails."""
    for name in [output.name for output in model.graph.output]:
        others = [output.name for output in model.graph.output if output.name != name]
        if others:
            cutter = _Cutter(model)
            fewer = cutter.pruned(others)
            if fails(fewer):
                model = fewer
    return model


class _Cutter:
    """Makes models of some nodes of a model."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        inferred = _inferred(model).graph
        ports = (*inferred.value_info, *inferred.input, *inferred.output)
        self.types = {port.name: port for port in ports if port.type.WhichOneof("value") is not None}
        self.stored = {tensor.name for tensor in model.graph.initializer}
        self.tried: set[tuple[int, ...]] = set()

    def fails(self, kept: Sequence[int], fails: Fails) -> bool:
        """Whether the model of the kept nodes can be made, was not tried before, and fails."""
        if tuple(kept) in self.tried:
            return False
        self.tried.add(tuple(kept))
        smaller = self.cut(kept)
        return smaller is not None and fails(smaller)

    def cut(self, kept: Sequence[int]) -> onnx.ModelProto | None:
        """The model of some nodes, by their numbers; None if a type at the cut is not known."""
        nodes = [self.model.graph.node[number] for number in kept]
        made = {name for node in nodes for name in node.output if name}
        read = names_read(nodes)
        dropped = [node for number, node in enumerate(self.model.graph.node) if number not in set(kept)]
        wanted = {output.name for output in self.model.graph.output} | set(names_read(dropped))
        outputs = [name for node in nodes for name in node.output if name in wanted]
        inputs = [name for name in dict.fromkeys(read) if name and name not in made and name not in self.stored]
        if not outputs or not all(name in self.types for name in (*inputs, *outputs)):
            return None
        return self._model(nodes, inputs, outputs)

    def pruned(self, outputs: Sequence[str]) -> onnx.ModelProto:
        """The model with only these outputs, and the nodes that they need."""
        needed, kept = set(outputs), list[int]()
        for number in reversed(range(len(self.model.graph.node))):
            node = self.model.graph.node[number]
            if needed.intersection(node.output):
                kept.append(number)
                needed.update(names_read([node]))
        nodes = [self.model.graph.node[number] for number in reversed(kept)]
        inputs = [port.name for port in self.model.graph.input if port.name in needed]
        return self._model(nodes, inputs, outputs)

    def _model(self, nodes: Sequence[onnx.NodeProto], inputs: Sequence[str], outputs: Sequence[str]) -> onnx.ModelProto:
        needed = {*names_read(nodes), *outputs}
        graph = helper.make_graph(
            nodes,
            self.model.graph.name or "reduced",
            [self.types[name] for name in inputs],
            [self.types[name] for name in outputs],
            [tensor for tensor in self.model.graph.initializer if tensor.name in needed],
        )
        graph.sparse_initializer.extend(
            tensor for tensor in self.model.graph.sparse_initializer if tensor.values.name in needed
        )
        return helper.make_model(
            graph,
            opset_imports=self.model.opset_import,
            ir_version=self.model.ir_version,
            functions=self.model.functions,
        )


def _inferred(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the types that shape inference tells; the declared ones where it fails.

    A domain that the model does not import is imported first: the inference then passes over its operators.
    """
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    known = {each.domain for each in model.opset_import}
    others = {node.domain for node in model.graph.node} - known
    whole.opset_import.extend(helper.make_opsetid(domain, 1) for domain in sorted(others))
    try:
        return onnx.shape_inference.infer_shapes(whole, data_prop=True)
    except onnx.shape_inference.InferenceError:
        return model
