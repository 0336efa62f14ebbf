"""Decoders of language models in the form in which optimum exports them: caches go in and come out one row longer."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from s2s.types.dtypes import Array
from support.threads import one_thread

PAST, TOKENS = "past_sequence_length", "sequence_length"
TOTAL = f"{PAST} + {TOKENS}"
VOCABULARY, WIDTH, HEADS, HEAD = 24, 16, 2, 8


class _Graph:
    """Nodes and constants of a model."""

    def __init__(self) -> None:
        self.nodes, self.constants = list[onnx.NodeProto](), list[onnx.TensorProto]()

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def __call__(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        name = output or f"{operator.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name, **attributes))
        return name


def caches(layers: int) -> list[str]:
    """The names of the caches, without what tells old from new."""
    return [f"{layer}.{what}" for layer in range(layers) for what in ("key", "value")]


def optimum_decoder(layers: int = 2, total: str = TOTAL, writer: str = "Concat") -> onnx.ModelProto:
    """A decoder whose attention mask has the axis `total`; its caches are written by the operator `writer`."""
    rng, graph = np.random.default_rng(5), _Graph()

    def weights(*shape: int) -> str:
        return graph.constant((0.3 * rng.standard_normal(shape)).astype(np.float32))

    x = graph("Gather", table := weights(VOCABULARY, WIDTH), "input_ids")
    mask, angles = _mask(graph), _angles(graph)
    for layer in range(layers):
        x = _layer(graph, x, layer, mask, angles, weights, writer)
    graph("MatMul", x, graph("Transpose", table, perm=[1, 0]), output="logits")
    pasts, presents = list[onnx.ValueInfoProto](), list[onnx.ValueInfoProto]()
    for name in caches(layers):
        pasts.append(_tensor(f"past_key_values.{name}", [1, HEADS, PAST, HEAD]))
        presents.append(_tensor(f"present.{name}", [1, HEADS, total, HEAD]))
    integers = [("input_ids", TOKENS), ("attention_mask", total), ("position_ids", TOKENS)]
    inputs = [_tensor(name, ["batch_size", size], TensorProto.INT64) for name, size in integers]
    logits = _tensor("logits", ["batch_size", TOKENS, VOCABULARY])
    made = helper.make_graph(graph.nodes, "decoder", [*inputs, *pasts], [logits, *presents], graph.constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _tensor(name: str, shape: list[int | str], type: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, type, shape)


def _mask(graph: _Graph) -> str:
    """What is added to scores: the causal mask, made of the sizes of inputs, and the attention mask."""
    axis, one = graph.constant(2), graph.constant(1)
    past = graph("Gather", graph("Shape", "past_key_values.0.key"), axis, axis=0)
    tokens = graph("Gather", graph("Shape", "input_ids"), one, axis=0)
    total = graph("Add", past, tokens)
    own = graph("Unsqueeze", graph("Range", past, total, one), graph.constant([1]))
    causal = graph("LessOrEqual", graph("Range", graph.constant(0), total, one), own)
    given = graph("Unsqueeze", graph("Cast", "attention_mask", to=TensorProto.BOOL), graph.constant([1]))
    seen = graph("Unsqueeze", graph("And", causal, given), graph.constant([1]))
    return graph("Where", seen, graph.constant(np.float32(0)), graph.constant(np.float32(-1e9)))


def _angles(graph: _Graph) -> tuple[str, str]:
    """The cosines and sines of rotary positions, `[1, tokens, head]`."""
    places = graph("Cast", graph("Unsqueeze", "position_ids", graph.constant([2])), to=TensorProto.FLOAT)
    speeds = np.tile(0.3 ** np.arange(HEAD // 2), 2).astype(np.float32)
    angles = graph("Mul", places, graph.constant(speeds))
    return graph("Cos", angles), graph("Sin", angles)


def _rotated(graph: _Graph, x: str, angles: tuple[str, str]) -> str:
    cosines, sines = (graph("Unsqueeze", each, graph.constant([1])) for each in angles)
    halves = [np.array([start]) for start in (0, HEAD // 2, HEAD)]
    ends, last = [graph.constant(each) for each in halves], graph.constant([-1])
    low, high = (graph("Slice", x, ends[part], ends[part + 1], last) for part in range(2))
    turned = graph("Concat", graph("Neg", high), low, axis=-1)
    return graph("Add", graph("Mul", x, cosines), graph("Mul", turned, sines))


def _layer(graph: _Graph, x: str, layer: int, mask: str, angles: tuple[str, str], weights: Any, writer: str) -> str:
    def heads(of: str) -> str:
        split = graph("Reshape", graph("MatMul", of, weights(WIDTH, WIDTH)), graph.constant([0, 0, HEADS, HEAD]))
        return graph("Transpose", split, perm=[0, 2, 1, 3])

    q, k = (_rotated(graph, heads(x), angles) for _ in range(2))
    held = list[str]()
    for what, new in (("key", k), ("value", heads(x))):
        past, present = f"past_key_values.{layer}.{what}", f"present.{layer}.{what}"
        if writer == "Concat":
            held.append(graph("Concat", past, new, output=present, axis=2))
        else:
            held.append(graph(writer, graph("Concat", past, new, axis=2), output=present))
    scores = graph("MatMul", q, graph("Transpose", held[0], perm=[0, 1, 3, 2]))
    scaled = graph("Add", graph("Mul", scores, graph.constant(np.float32(HEAD**-0.5))), mask)
    mixed = graph("Transpose", graph("MatMul", graph("Softmax", scaled, axis=-1), held[1]), perm=[0, 2, 1, 3])
    joined = graph("Reshape", mixed, graph.constant([0, 0, WIDTH]))
    return graph("Add", x, graph("Tanh", graph("MatMul", joined, weights(WIDTH, WIDTH))))


class Stepwise:
    """The decoder in onnxruntime, which keeps the caches of the last run."""

    def __init__(self, model: onnx.ModelProto, layers: int = 2) -> None:
        import onnxruntime  # pyright: ignore[reportMissingTypeStubs]

        self.session: Any = onnxruntime.InferenceSession(
            model.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"]
        )
        self.names = caches(layers)
        self.held = [np.zeros((1, HEADS, 0, HEAD), np.float32) for _ in self.names]

    def run(self, inputs: dict[str, Array]) -> Array:
        """The logits of a run that goes on from the one before."""
        pasts = {f"past_key_values.{name}": value for name, value in zip(self.names, self.held, strict=True)}
        outputs = ["logits", *(f"present.{name}" for name in self.names)]
        logits, *self.held = self.session.run(outputs, {**inputs, **pasts})
        return logits


def step(tokens: Array, first: int) -> dict[str, Array]:
    """The inputs of a run of `tokens`, the first of which stands at position `first`."""
    count = len(tokens)
    return {
        "input_ids": tokens[None],
        "attention_mask": np.ones((1, first + count), np.int64),
        "position_ids": np.arange(first, first + count)[None],
    }
