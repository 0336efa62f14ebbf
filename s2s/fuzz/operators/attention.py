"""Attention and its kin, and layers that keep a state between runs."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import BOOL, FLOAT32
from s2s.fuzz.network import Attributes, Network, Rejected, Value


def _attention(net: Network) -> None:
    if net.opset < 23:
        raise Rejected("has no Attention")
    batch, size = net.random.randint(1, 2), net.random.choice((1, 2, 4, 8))
    heads = net.random.choice((1, 2, 4))
    shared = net.random.choice([each for each in (1, 2, 4) if heads % each == 0])
    queries, keys = net.random.randint(1, 6), net.random.randint(1, 6)
    flat = net.chance(0.4)

    def operand(count: int, length: int) -> Value:
        shape = [batch, length, count * size] if flat else [batch, count, length, size]
        return net.operand(FLOAT32, shape)

    q, k, v = operand(heads, queries), operand(shared, keys), operand(shared, keys)
    causal = net.random.randint(0, 1)
    mask = None
    if not causal and net.chance(0.4):
        mask = net.operand(net.random.choice((FLOAT32, BOOL)), [queries, keys])
        if mask.dtype == BOOL and not mask.array.any(axis=-1).all():
            raise Rejected("a query may attend to nothing")
    counts: Attributes = {"q_num_heads": heads, "kv_num_heads": shared} if flat else {}
    more: Attributes = {"scale": 0.5} if net.chance(0.3) else {}
    if net.chance(0.3):
        more["softcap"] = 2.0
    net.node("Attention", [q, k, v, mask], is_causal=causal, **counts, **more)


def _rotary(net: Network) -> None:
    if net.opset < 23:
        raise Rejected("has no RotaryEmbedding")
    batch, heads, length, half = (net.random.randint(1, most) for most in (2, 3, 5, 4))
    x = net.operand(FLOAT32, [batch, heads, length, 2 * half])
    if net.chance(0.5):
        rows = length + net.random.randint(0, 3)
        places = np.random.default_rng(net.random.getrandbits(32)).integers(0, rows, [batch, length])
        caches = [net.fresh(FLOAT32, [rows, half], -1, 1) for _ in range(2)]
        operands = [x, *caches, net.either(places)]
    else:
        operands = [x, *(net.fresh(FLOAT32, [batch, length, half], -1, 1) for _ in range(2))]
    net.node("RotaryEmbedding", operands, interleaved=net.random.randint(0, 1))


def _linear_attention(net: Network) -> None:
    if net.opset < 27:
        raise Rejected("has no LinearAttention")
    batch, heads, length, size = (net.random.randint(1, most) for most in (2, 2, 5, 4))
    q, k, v = (net.operand(FLOAT32, [batch, length, heads * size]) for _ in range(3))
    past = net.operand(FLOAT32, [batch, heads, size, size]) if net.chance(0.5) else None
    rule = net.random.choice(("linear", "gated", "delta", "gated_delta"))
    decay = net.fresh(FLOAT32, [batch, length, heads * size], -1, 0) if rule.startswith("gated") else None
    beta = net.fresh(FLOAT32, [batch, length, heads], 0, 1) if rule.endswith("delta") else None
    net.node(
        "LinearAttention", [q, k, v, past, decay, beta], 2, q_num_heads=heads, kv_num_heads=heads, update_rule=rule
    )


def _causal_conv(net: Network) -> None:
    if net.opset < 27:
        raise Rejected("has no CausalConvWithState")
    batch, channels, length, kernel = (net.random.randint(1, most) for most in (2, 4, 7, 4))
    x, w = net.operand(FLOAT32, [batch, channels, length]), net.operand(FLOAT32, [channels, 1, kernel])
    bias = net.operand(FLOAT32, [channels]) if net.chance(0.5) else None
    past = net.operand(FLOAT32, [batch, channels, kernel - 1]) if kernel > 1 and net.chance(0.5) else None
    net.node("CausalConvWithState", [x, w, bias, past], 2, activation=net.random.choice(("none", "silu")))


def _swiglu(net: Network) -> None:
    if net.opset < 28:
        raise Rejected("has no SwiGLU")
    a = net.operand(FLOAT32)
    net.node("SwiGLU", [a, net.operand(FLOAT32, a.shape)])


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "Attention": _attention,
    "CausalConvWithState": _causal_conv,
    "LinearAttention": _linear_attention,
    "RotaryEmbedding": _rotary,
    "SwiGLU": _swiglu,
}
