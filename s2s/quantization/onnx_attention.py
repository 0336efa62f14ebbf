"""Decompose attention of ONNX models into the two products and the softmax between them, which quantisers know.

    y = Attention(q, k, v, mask)
->
    y = MatMul(Softmax(Where(mask, MatMul(q, kT) * scale, lowest)), v)

What stands between the masked scores and the softmax stays in floats: a mask of large negative numbers would take up
the whole range of 8 bits. Where an operator of attention has no such form (windows, capped scores), it stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from s2s.types.dtypes import Array

_LOWEST = float(np.finfo(np.float32).min)
_BETWEEN = frozenset(["Add", "Div", "Mul", "Sub", "Where"])
"""Operators that may stand between the first product of an attention and its softmax."""
_MASKING = frozenset(["Add", "Where"])
"""Operators that may mask scores."""
_PRODUCTS = frozenset(["Gemm", "MatMul"])


class _Tensor(NamedTuple):
    """What is known of a tensor."""

    kind: int
    shape: tuple[int, ...]


def with_products(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return `model` with two products in place of each operator of attention that has such a form."""
    if not any(map(_is_attention, model.graph.node)):
        return model
    made = onnx.shape_inference.infer_shapes(model, data_prop=True)
    tensors, held = _tensors(made.graph), {each.name: each for each in made.graph.initializer}
    nodes: list[NodeProto] = []
    for number, node in enumerate(made.graph.node):
        attention = _Attention(node, tensors, held, f"{node.name or 'attention'}_{number}")
        if _is_attention(node) and attention.has_products():
            nodes += attention.products()
            made.graph.initializer.extend(attention.constants)
        else:
            nodes.append(node)
    del made.graph.node[:]
    made.graph.node.extend(nodes)
    return made


def _is_attention(node: NodeProto) -> bool:
    return node.op_type == "Attention" and not node.domain


def _tensors(graph: onnx.GraphProto) -> dict[str, _Tensor]:
    """The tensors whose shape is known."""
    found = {each.name: _Tensor(each.data_type, tuple(each.dims)) for each in graph.initializer}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        if kind.HasField("shape") and all(dim.dim_value > 0 for dim in kind.shape.dim):
            found[value.name] = _Tensor(kind.elem_type, tuple(dim.dim_value for dim in kind.shape.dim))
    return found


def masked_scores(model: onnx.ModelProto) -> list[str]:
    """Return the names of the nodes that mask the scores of an attention, with their softmax and what computes the mask
    alone."""
    made = {name: node for node in model.graph.node for name in node.output}
    readers: dict[str, list[NodeProto]] = defaultdict(list)
    for node in model.graph.node:
        for name in node.input:
            readers[name].append(node)
    found: dict[str, NodeProto] = {}
    for node in model.graph.node:
        path = _path_to_product(node.input[0], made, readers) if node.op_type == "Softmax" else None
        if path is not None and any(each.op_type in _MASKING for each in path):
            behind = [each for each in readers[node.output[0]] if each.op_type == "Where"]
            found |= {each.name: each for each in (node, *path, *behind)}
    outputs = {value.name for value in model.graph.output}
    for node in reversed(model.graph.node):
        users = [user for name in node.output for user in readers[name]]
        alone = users and all(user.name in found for user in users) and outputs.isdisjoint(node.output)
        if alone and node.op_type not in _PRODUCTS:
            found[node.name] = node
    return list(found)


def drop_pairs_of_scores(model: onnx.ModelProto, floats: Sequence[str]) -> None:
    """Give the nodes `floats` of a quantised model the products that they read as these are, not as 8 bits."""
    made = {name: node for node in model.graph.node for name in node.output}
    for node in model.graph.node:
        if node.name not in floats:
            continue
        for position, name in enumerate(node.input):
            restored = made.get(name)
            if restored is None or restored.op_type != "DequantizeLinear" or restored.input[0] not in made:
                continue
            source = made[restored.input[0]].input[0]
            if source in made and made[source].op_type in _PRODUCTS:
                node.input[position] = source
    read = {value.name for value in model.graph.output}
    for node in reversed(list(model.graph.node)):
        if node.op_type in ("QuantizeLinear", "DequantizeLinear") and read.isdisjoint(node.output):
            model.graph.node.remove(node)
        else:
            read.update(node.input)


def _path_to_product(
    name: str, made: dict[str, NodeProto], readers: dict[str, list[NodeProto]]
) -> list[NodeProto] | None:
    """Return the nodes that lead from a matrix product to the tensor `name`, which nothing else reads; None if it is no
    score."""
    node = made.get(name)
    if node is None or len(readers[name]) != 1:
        return None
    if node.op_type in _PRODUCTS:
        return []
    if node.op_type not in _BETWEEN:
        return None
    paths = (_path_to_product(each, made, readers) for each in node.input)
    path = next((each for each in paths if each is not None), None)
    return None if path is None else [*path, node]


class _Attention:
    """One operator of attention, and what takes its place."""

    def __init__(self, node: NodeProto, tensors: dict[str, _Tensor], held: dict[str, TensorProto], prefix: str) -> None:
        self.node, self.tensors, self.held, self.prefix = node, tensors, held, prefix
        self.given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def _input(self, position: int) -> str:
        return self.node.input[position] if position < len(self.node.input) else ""

    def _output(self, position: int) -> str:
        return self.node.output[position] if position < len(self.node.output) else ""

    def has_products(self) -> bool:
        """Whether all shapes are known, and nothing but a mask changes the scores."""
        given, names = self.given, list(filter(None, self.node.input))
        if any(name not in self.tensors for name in names) or self._input(6) or self._output(3):
            return False
        plain = not given.get("softcap") and given.get("softmax_precision", TensorProto.FLOAT) == TensorProto.FLOAT
        windows = any(given.get(name, -1) >= 0 for name in ("left_window_size", "right_window_size"))
        is_float = all(self.tensors[name].kind == TensorProto.FLOAT for name in names if name != self._input(3))
        whole = not self._input(3) or self.tensors[self._input(3)].shape[-1:] == (self._total(),)
        return plain and not windows and is_float and whole

    def products(self) -> list[NodeProto]:
        """The nodes that take the place of the operator."""
        query, key, value = (self._heads(position) for position in range(3))
        key, value = (
            self._add("Concat", [self._input(4 + at), new], axis=2) if self._input(4 + at) else new
            for at, new in enumerate((key, value))
        )
        for position, state in ((1, key), (2, value)):
            if self._output(position):
                self._add("Identity", [state], result=self._output(position))
        batch, heads, length, size = self._sizes(0)
        groups, present, width = self._sizes(1)[1], self._total(), self._sizes(2)[3]
        if heads != groups:
            query = self._reshaped(query, [batch, groups, heads // groups, length, size])
            key = self._reshaped(key, [batch, groups, 1, present, size])
            value = self._reshaped(value, [batch, groups, 1, present, width])
        order = [0, 1, 2, 4, 3] if heads != groups else [0, 1, 3, 2]
        scores = self._add("MatMul", [query, self._add("Transpose", [key], perm=order)])
        scale = self.given.get("scale") or 1 / sqrt(size)
        scores = self._add("Mul", [scores, self._constant(np.array(scale, np.float32))])
        shape = [batch, groups, heads // groups, length, present] if heads != groups else None
        chances = self._chances(scores, shape)
        y = self._add("MatMul", [chances, value])
        if heads != groups:
            y = self._reshaped(y, [batch, heads, length, width])
        if len(self.tensors[self.node.input[0]].shape) == 3:
            y = self._reshaped(self._add("Transpose", [y], perm=[0, 2, 1, 3]), [batch, length, heads * width])
        self._add("Identity", [y], result=self.node.output[0])
        return self.nodes

    def _sizes(self, position: int) -> tuple[int, ...]:
        """The sizes of an operand as `[batch, heads, length, size]`."""
        shape = self.tensors[self.node.input[position]].shape
        if len(shape) == 4:
            return shape
        heads = self.given["kv_num_heads" if position else "q_num_heads"]
        return shape[0], heads, shape[1], shape[2] // heads

    def _total(self) -> int:
        """The number of keys, past ones included."""
        past = self.tensors.get(self._input(4))
        return self._sizes(1)[2] + (past.shape[2] if past else 0)

    def _heads(self, position: int) -> str:
        """An operand as `[batch, heads, length, size]`."""
        name = self.node.input[position]
        if len(self.tensors[name].shape) == 4:
            return name
        batch, heads, length, size = self._sizes(position)
        return self._add("Transpose", [self._reshaped(name, [batch, length, heads, size])], perm=[0, 2, 1, 3])

    def _chances(self, scores: str, shape: Sequence[int] | None) -> str:
        """The softmax of the scores that a mask leaves; 0 in rows of which it leaves none."""
        allowed, bias, in_all_rows = self._mask()
        if shape is not None:
            allowed, bias = (self._split(each, shape) if each else each for each in (allowed, bias))
        if bias:
            scores = self._add("Add", [scores, bias])
        if not allowed:
            return self._add("Softmax", [scores], axis=-1)
        lowest, none = (self._constant(np.array(number, np.float32)) for number in (_LOWEST, 0))
        chances = self._add("Softmax", [self._add("Where", [allowed, scores, lowest])], axis=-1)
        return chances if in_all_rows else self._add("Where", [allowed, chances, none])

    def _mask(self) -> tuple[str, str, bool]:
        """The mask of seen keys, the terms that are added to the scores, and whether each row is known to see a key."""
        mask, total = self._input(3), self._total()
        causal = np.tri(self._sizes(0)[2], total, total - self._sizes(1)[2], dtype=np.bool_)
        ordered = self._constant(causal) if self.given.get("is_causal") else ""
        if not mask:
            return ordered, "", True
        if mask in self.held:
            values = numpy_helper.to_array(self.held[mask])
            is_bool = values.dtype == np.bool_
            seen = (values if is_bool else values > -np.inf) & (causal if ordered else True)
            bias = "" if is_bool else self._constant(np.maximum(values, _LOWEST).astype(np.float32))
            return self._constant(seen), bias, bool(seen.any(-1).all())
        bias, seen = "", mask
        if self.tensors[mask].kind != TensorProto.BOOL:
            bias, seen = mask, self._add("Greater", [mask, self._constant(np.array(-np.inf, np.float32))])
        if ordered:
            seen = self._add("And", [seen, ordered])
        shape = np.broadcast_shapes(self.tensors[mask].shape, causal.shape if ordered else ())
        self.tensors[seen] = _Tensor(TensorProto.BOOL, shape)
        return seen, bias, False

    def _split(self, mask: str, shape: Sequence[int]) -> str:
        """A mask whose dimension of heads is split as the scores' is."""
        sizes = (1,) * 4 + self.tensors[mask].shape
        heads = list(shape[1:3]) if sizes[-3] > 1 else [1, 1]
        return self._reshaped(mask, [sizes[-4], *heads, *sizes[-2:]])

    def _constant(self, array: Array) -> str:
        name = f"{self.prefix}_{len(self.constants)}_constant"
        self.constants.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        self.tensors[name] = _Tensor(self.constants[-1].data_type, array.shape)
        return name

    def _reshaped(self, name: str, shape: Sequence[int]) -> str:
        return self._add("Reshape", [name, self._constant(np.array(shape, np.int64))])

    def _add(self, kind: str, inputs: Sequence[str], result: str = "", **attributes: int | Sequence[int]) -> str:
        """Append a node and return the name of its result."""
        name = result or f"{self.prefix}_{len(self.nodes)}_{kind.lower()}"
        node = helper.make_node(kind, inputs, [name], f"{self.prefix}_{len(self.nodes)}")
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self.nodes.append(node)
        return name
