"""Attention, normalisations and activations of transformers, by parts as exporters write them."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import BOOL, FLOAT32, draw_array
from s2s.fuzz.idioms.parts import matrix, number, one, weights
from s2s.fuzz.network import Network, Value


def _mean(net: Network, x: Value) -> Value:
    if net.opset >= 18:
        return one(net, "ReduceMean", x, net.known([-1]))
    return one(net, "ReduceMean", x, axes=[len(x.shape) - 1])


def _factor(net: Network, x: Value) -> Value:
    """The tensor, or the tensor times a number."""
    return one(net, "Mul", x, number(net, net.random.choice((0.5, 0.25, 0.7)))) if net.chance(0.5) else x


def _attention(net: Network) -> Value:
    """Scores, scaled and masked in one of several ways, a softmax, and the sum of values."""
    lead = [net.random.choice((1, 2)), net.random.choice((1, 2, 3))][: net.random.randint(1, 2)]
    queries, keys, size, width = (net.random.choice((1, 2, 4, 5, 8)) for _ in range(4))
    q, v = (net.input(draw_array(net.random, FLOAT32, [*lead, *shape])) for shape in ([queries, size], [keys, width]))
    turned = net.chance(0.7)
    k = net.input(draw_array(net.random, FLOAT32, [*lead, *([keys, size] if turned else [size, keys])]))
    order = [*range(len(lead)), len(lead) + 1, len(lead)]
    right = one(net, "Transpose", _factor(net, k), perm=order) if turned else _factor(net, k)
    scores = one(net, "MatMul", _factor(net, q), right)
    if net.chance(0.4):
        scores = one(net, net.random.choice(("Div", "Mul")), scores, number(net, net.random.choice((2.0, 3.0))))
    mask = draw_array(net.random, BOOL, [queries, keys] if net.chance(0.5) else [*lead[:1], *[1] * len(lead), keys])
    condition = net.constant(mask) if net.chance(0.3) else net.input(mask)
    kind = net.random.choice(("none", "selected", "selected", "added"))
    low = number(net, net.random.choice((-1e9, -10000.0, float(np.finfo(np.float32).min), -3.0)))
    if kind == "selected":
        ways = (scores, low) if net.chance(0.5) else (low, scores)
        scores = one(net, "Where", condition, *ways)
    elif kind == "added":
        scores = one(net, "Add", scores, one(net, "Where", condition, number(net, 0.0), number(net, -10000.0)))
    shares = one(net, "Softmax", scores, axis=-1 if net.opset >= 13 else len(scores.shape) - 1)
    if kind == "selected" and net.chance(0.5):
        empty = draw_array(net.random, BOOL, [queries, 1])
        rows = net.constant(empty) if net.chance(0.5) else net.input(empty)
        shares = one(net, "Where", rows, number(net, 0.0), shares)
    return one(net, "MatMul", shares, v)


def _layer_norm(net: Network) -> Value:
    """A layer normalisation by parts, with or without scale and bias."""
    x = matrix(net)
    centred = one(net, "Sub", x, _mean(net, x))
    square = one(net, "Mul", centred, centred) if net.chance(0.4) else one(net, "Pow", centred, number(net, 2.0))
    shifted = one(net, "Add", _mean(net, square), number(net, 1e-3))
    y = one(net, "Div", centred, one(net, "Sqrt", shifted))
    if net.chance(0.7):
        y = one(net, "Mul", y, weights(net, x.shape[-1:]))
    return one(net, "Add", y, weights(net, x.shape[-1:])) if net.chance(0.7) else y


def _rms_norm(net: Network) -> Value:
    """A normalisation by the root of the mean of squares."""
    x = matrix(net)
    shifted = one(net, "Add", _mean(net, one(net, "Pow", x, number(net, 2.0))), number(net, 1e-3))
    root = one(net, "Sqrt", shifted)
    scaled = one(net, "Div", x, root) if net.chance(0.5) else one(net, "Mul", x, one(net, "Reciprocal", root))
    return one(net, "Mul", weights(net, x.shape[-1:]), scaled)


def _gelu(net: Network) -> Value:
    """GELU by parts: of the error function, or of its approximation by tanh."""
    x = matrix(net)
    if net.chance(0.5):
        inner = one(net, "Erf", one(net, "Div", x, number(net, 2**0.5)))
    else:
        cube = one(net, "Pow", x, number(net, 3.0))
        added = one(net, "Add", x, one(net, "Mul", cube, number(net, 0.044715)))
        inner = one(net, "Tanh", one(net, "Mul", added, number(net, 0.7978845608)))
    grown = one(net, "Add", inner, number(net, 1.0))
    return one(net, "Mul", one(net, "Mul", x, grown), number(net, 0.5))


def _hard_swish(net: Network) -> Value:
    """Hard swish by parts."""
    x = matrix(net, 2, 3)
    limited = one(net, "Clip", one(net, "Add", x, number(net, 3.0)), number(net, 0.0), number(net, 6.0))
    return one(net, "Div", one(net, "Mul", x, limited), number(net, 6.0))


def _narrow_cache(net: Network) -> Value:
    """A product whose second factor is kept in 16 bits, as caches of keys and values are."""
    rows, inner, columns = net.random.randint(1, 7), net.random.choice((4, 8, 16)), net.random.choice((3, 8, 17))
    x = net.input(draw_array(net.random, FLOAT32, [1, rows, inner]))
    turned = net.chance(0.5)
    shape = [1, columns, inner] if turned else [1, inner, columns]
    cache = net.input(draw_array(net.random, np.dtype(np.float16), shape))
    wide = one(net, "Cast", cache, to=1)
    return one(net, "MatMul", x, one(net, "Transpose", wide, perm=[0, 2, 1]) if turned else wide)


def _smooth_quotient(net: Network) -> Value:
    """A quotient by a constant, of which a smooth function is taken."""
    x = matrix(net)
    scaled = one(net, "Div", x, weights(net, x.shape[-1:] if net.chance(0.5) else [], 0.5, 3.0))
    return one(net, net.random.choice(("Tanh", "Sigmoid", "Softmax", "Erf")), scaled)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    "attention by parts": _attention,
    "gelu by parts": _gelu,
    "hard swish by parts": _hard_swish,
    "layer norm by parts": _layer_norm,
    "narrow cache": _narrow_cache,
    "rms norm by parts": _rms_norm,
    "smooth quotient": _smooth_quotient,
}
