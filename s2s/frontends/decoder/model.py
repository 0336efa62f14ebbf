"""Write a decoder as an ONNX model that takes tokens, the position of the first, and the cache of keys and values."""

from typing import Any, NamedTuple

import numpy as np
import onnx

from s2s.errors import InputError
from s2s.frontends.decoder.cache import Cached, by_key, declare_outputs, ports, write_cache
from s2s.frontends.decoder.config import Config, Windows
from s2s.frontends.decoder.embedding import look_up
from s2s.frontends.decoder.nodes import Nodes
from s2s.frontends.decoder.ring import Ring
from s2s.frontends.decoder.rotation import Turn, rotate, write_turn
from s2s.frontends.decoder.weights import Blocks, Superblocks, Weights


def write_model(config: Config, weights: Weights, tokens: int = 1) -> onnx.ModelProto:
    """The decoder of `config`: `token`, `position` and `past_*` to `logits` and `present_*`.

    With more than one of `tokens` a run, `last` is the number of the one whose logits are wanted; those behind it count
    for nothing, as the next run writes over them. The last linear layer is `head` if `weights` have one, else the
    embedding is used again.
    """
    if not 0 < tokens <= config.length:
        raise InputError(f"--dim tokens={tokens}: the cache has {config.length} positions; give a number from 1 on")
    return _Decoder(config, weights, tokens).write()


def states(config: Config) -> dict[str, str]:
    """The inputs that hold the cache, each with the output that is its next value, as `--state` takes them."""
    return {f"past_{port.name}": f"present_{port.name}" for port in ports(config)}


class _InWindows(NamedTuple):
    """What layers with windows have of their own."""

    turn: Turn
    hidden: str
    """The places that each token does not attend to."""


class _Decoder:
    """Writes the nodes of one decoder."""

    def __init__(self, config: Config, weights: Weights, tokens: int) -> None:
        self.config, self.weights, self.tokens = config, weights, tokens
        self.nodes = Nodes(config.kind)
        self.token = self.nodes.input("token", np.int64, [tokens])
        self.first = self.nodes.input("position", np.int64, [1])
        self.last = self.nodes.input("last", np.int64, [1]) if tokens > 1 else None
        self.positions = self.first
        if tokens > 1:
            self.positions = self.nodes.node("Add", self.first, self._constant(np.arange(tokens)))

    def write(self) -> onnx.ModelProto:
        """Add all nodes."""
        nodes, config = self.nodes, self.config
        x = look_up(nodes, self.weights["embedding"], self.token, self.tokens)
        if config.embedding_factor != 1:
            x = nodes.node("Mul", x, self._constant(np.float32(config.embedding_factor)))
        if config.kind == "gpt":
            x = nodes.node("Add", x, nodes.node("Gather", self._weight("positions"), self.positions))
        self.turn = write_turn(nodes, config, self.positions, config.turns) if config.kind == "llama" else None
        self._hide()
        for layer in range(config.layers):
            attended = self._attention(layer, self._norm(x, f"layer{layer}.norm1"))
            x = nodes.node("Add", x, self._result(attended, f"layer{layer}.post_norm1"))
            made = self._perceptron(layer, self._norm(x, f"layer{layer}.norm2"))
            x = nodes.node("Add", x, self._result(made, f"layer{layer}.post_norm2"))
        if self.last is not None:
            x = nodes.node("Gather", x, self.last)
        nodes.output(self._logits(self._norm(x, "norm")), [1, config.vocabulary])
        declare_outputs(nodes, config)
        return nodes.model()

    def _hide(self) -> None:
        """Write which positions tokens do not attend to: of a ring, or of a cache that holds all."""
        nodes, config = self.nodes, self.config
        self.ring = self.in_windows = None
        if config.is_ring and self.last is not None:
            self.ring = Ring(nodes, config, self.tokens, self.first, self.last)
        else:
            self.places = nodes.node("Reshape", self._slots(), self._constant(np.array([1, self.tokens, 1])))
            places = nodes.constant(np.arange(config.length), "places")
            self.hidden = nodes.node("Greater", places, self._column(self.positions))
            self.in_windows = None if config.windows is None else self._windows(config.windows, places)

    def _windows(self, windows: Windows, places: str) -> _InWindows:
        """The angles of layers with windows, and what they hide: places behind a token and too long before it."""
        nodes = self.nodes
        turn = write_turn(nodes, self.config, self.positions, windows.turns, "windows.")
        before = nodes.node("Sub", self._column(self.positions), self._constant(np.array([windows.positions])))
        return _InWindows(turn, nodes.node("Or", self.hidden, nodes.node("LessOrEqual", places, before)))

    def _result(self, x: str, name: str) -> str:
        """What is added to the input of a layer."""
        return self._norm(x, name) if self.config.norms_results else x

    def _slots(self) -> str:
        """Where in the cache the positions lie. The mask keeps out places behind a position; in a full ring there are
        none."""
        if not self.config.is_ring:
            return self.positions
        return self.nodes.node("Mod", self.positions, self._constant(np.array([self.config.length])))

    def _constant(self, value: object) -> str:
        return self.nodes.constant(value)

    def _column(self, positions: str) -> str:
        """The positions one below the other."""
        if self.tokens == 1:
            return positions
        return self.nodes.node("Reshape", positions, self._constant(np.array([self.tokens, 1])))

    def _weight(self, name: str) -> str:
        """The floats of a weight."""
        return self.nodes.constant(self.weights[name], name)

    def _logits(self, x: str) -> str:
        cap, output = self.config.logit_cap, None if self.config.logit_cap else "logits"
        if "head" in self.weights:
            logits = self._linear(x, "head", output=output)
        elif isinstance(self.weights["embedding"], Blocks | Superblocks):
            logits = self._linear(x, "embedding", output=output)
        else:
            logits = self.nodes.node("Gemm", x, self._weight("embedding"), output=output, transB=1)
        return self._capped(logits, cap, "logits")

    def _capped(self, x: str, cap: float, output: str | None = None) -> str:
        """`cap * tanh(x / cap)`, or `x` without a cap."""
        if not cap:
            return x
        within = self.nodes.node("Tanh", self.nodes.node("Div", x, self._constant(np.float32(cap))))
        return self.nodes.node("Mul", within, self._constant(np.float32(cap)), output=output)

    def _linear(self, x: str, name: str, output: str | None = None) -> str:
        """A linear layer, in floats or with weights that are quantised by blocks."""
        bias = f"{name}.bias"
        if bias not in self.weights:
            return self._product(x, name, output)
        return self.nodes.node("Add", self._product(x, name, None), self._weight(bias), output=output)

    def _product(self, x: str, name: str, output: str | None) -> str:
        weights = self.weights[name]
        if isinstance(weights, Superblocks):
            return self._product_of_superblocks(x, name, weights, output)
        if not isinstance(weights, Blocks):
            return self.nodes.node("MatMul", x, self._weight(name), output=output)
        scales = self.nodes.constant(weights.scales.reshape(-1), f"{name}.scales")
        rows, _, size = weights.packed.shape
        sizes: Any = {"K": weights.inputs, "N": rows, "bits": weights.bits, "block_size": size * 8 // weights.bits}
        if self.config.int8_activations:
            sizes["accuracy_level"] = 4
        packed = self.nodes.constant(weights.packed, name)
        return self.nodes.node("MatMulNBits", x, packed, scales, output=output, domain="com.microsoft", **sizes)

    def _product_of_superblocks(self, x: str, name: str, weights: Superblocks, output: str | None) -> str:
        roles = ("scales", "mins", "super_scales", "super_mins")
        levels = [self.nodes.constant(each, f"{name}.{role}") for each, role in zip(weights.levels, roles, strict=True)]
        operands = x, self.nodes.constant(weights.packed, name), *levels
        sizes: Any = {"bits": weights.bits, "int8_activations": int(self.config.int8_activations)}
        return self.nodes.node("MatMulSuperblocks", *operands, output=output, domain="s2s", **sizes)

    def _norm(self, x: str, name: str) -> str:
        """RMSNorm or LayerNorm."""
        nodes, epsilon = self.nodes, self.config.epsilon
        if self.config.kind == "gpt":
            operands = x, self._weight(name), self._weight(f"{name}.bias")
            return nodes.node("LayerNormalization", *operands, axis=-1, epsilon=epsilon)
        mean = nodes.node("ReduceMean", nodes.node("Mul", x, x), nodes.constant(np.array([-1])), keepdims=1)
        root = nodes.node("Sqrt", nodes.node("Add", mean, nodes.constant(np.float32(epsilon))))
        return nodes.node("Mul", nodes.node("Div", x, root), self._weight(name))

    def _attention(self, layer: int, x: str) -> str:
        """Attend to positions up to the position of each token; a head of keys serves `group` heads of queries."""
        nodes, config, names = self.nodes, self.config, ("q", "k", "v")
        window = self.in_windows if config.has_window(layer) else None
        turn = self.turn if window is None else window.turn
        q, k, v = (self._heads(self._linear(x, f"layer{layer}.{name}"), name) for name in names)
        if config.norms_heads:
            q, k = self._norm(q, f"layer{layer}.q_norm"), self._norm(k, f"layer{layer}.k_norm")
        k = rotate(nodes, config, k, turn)
        queries = self._grouped(rotate(nodes, config, q, turn), config.head)
        attended = self._attend(layer, queries, k, v) if self.ring is None else self.ring.attend(layer, queries, k, v)
        if self.tokens > 1:
            attended = nodes.node("Transpose", self._by_token(attended, config.head), perm=[2, 0, 1, 3])
        flat = nodes.node("Reshape", attended, self._constant(np.array([self.tokens, config.queries])))
        return self._linear(flat, f"layer{layer}.o")

    def _attend(self, layer: int, queries: str, k: str, v: str) -> str:
        """Put rows of keys and values in the cache, and attend to it."""
        nodes, config = self.nodes, self.config
        keys = write_cache(nodes, config, f"key{layer}", k, self.places)
        values = write_cache(nodes, config, f"value{layer}", v, self.places)
        scores = nodes.node("MatMul", queries, nodes.node("Transpose", keys.numbers, perm=[0, 2, 1]))
        factor = config.head**-0.5 if config.score_factor is None else config.score_factor
        scaled = nodes.node("Mul", self._by_token(scores), self._constant(np.float32(factor)))
        capped = self._capped(self._weighted(scaled, keys), config.score_cap)
        window = self.in_windows if config.has_window(layer) else None
        hidden = self.hidden if window is None else window.hidden
        masked = nodes.node("Where", hidden, self._constant(np.float32(-1e30)), capped)
        shares = self._weighted(nodes.node("Softmax", masked, axis=-1), values)
        return nodes.node("MatMul", self._grouped(shares, config.length), values.numbers)

    def _heads(self, x: str, name: str) -> str:
        """Split queries, keys or values by heads: `[kv_heads, group or 1, head]`, and of several tokens queries
        `[kv_heads, group, tokens, head]`, keys and values `[kv_heads, tokens, head]`."""
        config, nodes = self.config, self.nodes
        rows = [config.group] if name == "q" else []
        if self.tokens == 1:
            return nodes.node("Reshape", x, self._constant(np.array([config.kv_heads, *(rows or [1]), config.head])))
        shape = [self.tokens, config.kv_heads, *rows, config.head]
        split = nodes.node("Reshape", x, self._constant(np.array(shape)))
        return nodes.node("Transpose", split, perm=[1, 2, 0, 3] if rows else [1, 0, 2])

    def _grouped(self, x: str, columns: int) -> str:
        """Put the rows of all tokens and heads that share keys below each other, for one product with them."""
        if self.tokens == 1:
            return x
        rows = self.config.group * self.tokens
        return self.nodes.node("Reshape", x, self._constant(np.array([self.config.kv_heads, rows, columns])))

    def _by_token(self, x: str, columns: int | None = None) -> str:
        """Undo `_grouped`: `[kv_heads, group, tokens, columns]`."""
        if self.tokens == 1:
            return x
        columns = self.config.length if columns is None else columns
        shape = [self.config.kv_heads, self.config.group, self.tokens, columns]
        return self.nodes.node("Reshape", x, self._constant(np.array(shape)))

    def _weighted(self, x: str, cached: Cached) -> str:
        """Multiply what counts keys along its last axis by the scales of a cache, if it has some."""
        if cached.scales is None:
            return x
        return self.nodes.node(
            "Mul", x, by_key(self.nodes, self.config, cached.scales, self.config.length, self.tokens)
        )

    def _perceptron(self, layer: int, x: str) -> str:
        """SwiGLU, GELU of a gate by tanh, or GELU between two linear layers."""
        nodes, up = self.nodes, self._linear(x, f"layer{layer}.up")
        if self.config.kind == "gpt":
            return self._linear(nodes.node("Gelu", up), f"layer{layer}.down")
        gate = self._linear(x, f"layer{layer}.gate")
        if self.config.gate == "gelu":
            opened = nodes.node("Gelu", gate, approximate="tanh")
        else:
            opened = nodes.node("Mul", gate, nodes.node("Sigmoid", gate))
        return self._linear(nodes.node("Mul", opened, up), f"layer{layer}.down")
