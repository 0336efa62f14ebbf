"""Operators whose result has a shape that hangs on the values, operators that place values, and losses."""

from collections.abc import Callable, Mapping

import numpy as np
from onnx import numpy_helper

from s2s.fuzz.arrays import BOOL, FLOAT32, INT64, draw_array, draw_shape, draw_size
from s2s.fuzz.network import Attributes, Network, Rejected, Value
from s2s.types.dtypes import Array

FIRST_WITH_MASK = 12
"""The first opset that says what the mask of `Dropout` is in inference; in older ones onnxruntime gives zeros, the
reference evaluator ones."""


def _certain(net: Network, op: str) -> Value:
    """An operand whose values no rounding changes: the shape of the result follows from them."""
    x = net.of_rank(net.dtype(op), 1, 4)
    if not x.spread.is_exact:
        raise Rejected("the shape of the result hangs on a rounding")
    return x


def _last(net: Network, made: list[Value]) -> None:
    """Keep later nodes from most values of a shape that is known at run time only."""
    if net.chance(0.8):
        for each in made:
            net.values.remove(each)


def _nonzero(net: Network) -> None:
    _last(net, net.node("NonZero", [_certain(net, "NonZero")]))


def _compress(net: Network) -> None:
    x = net.of_rank(net.dtype("Compress"), 1, 4)
    axis = None if net.chance(0.4) else net.axis(x)
    size = x.array.size if axis is None else x.shape[axis]
    kept = draw_array(net.random, BOOL, [net.random.randint(1, size) if net.chance(0.3) else size])
    given: Attributes = {} if axis is None else {"axis": axis}
    _last(net, net.node("Compress", [x, net.either(kept)], **given))


def _unique(net: Network) -> None:
    x = _certain(net, "Unique")
    axis: Attributes = {"axis": net.axis(x)} if net.chance(0.4) else {}
    _last(net, net.node("Unique", [x], 4, sorted=net.random.randint(0, 1), **axis))


def _suppression(net: Network) -> None:
    batch, boxes, classes = net.random.randint(1, 2), net.random.randint(1, 12), net.random.randint(1, 3)
    rng = np.random.default_rng(net.random.getrandbits(32))
    low, extent = rng.uniform(0, 4, [batch, boxes, 2]), rng.uniform(0.5, 3, [batch, boxes, 2])
    centered = net.random.randint(0, 1)
    corners = np.concatenate([low, extent if centered else low + extent], axis=-1).astype(np.float32)
    scores = rng.uniform(0, 1, [batch, classes, boxes]).astype(np.float32)
    threshold = net.known(0.3, np.float32) if net.chance(0.5) else None
    operands = [net.either(corners), net.input(scores), net.known([net.random.randint(1, 5)])]
    found = net.node("NonMaxSuppression", [*operands, net.known(0.5, np.float32), threshold], center_point_box=centered)
    _last(net, found)


def _cropped(net: Network) -> None:
    x = net.of_rank(net.dtype("CenterCropPad"), 1, 5)
    axes = net.axes(x)
    sizes = [draw_size(net.random, empty=False) for _ in axes or x.shape]
    given: Attributes = {"axes": axes} if axes else {}
    shape = list(x.shape)
    for axis, size in zip(axes or range(len(shape)), sizes, strict=True):
        shape[axis] = size
    if np.prod(shape) > 4096:
        raise Rejected("the result is large")
    net.node("CenterCropPad", [x, net.known(sizes)], **given)


def _unpool(net: Network) -> None:
    shape = [net.random.randint(1, 2), net.random.randint(1, 3), *(2 * net.random.randint(1, 4) for _ in range(2))]
    square: Attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
    large, places = net.node("MaxPool", [net.operand(FLOAT32, shape)], 2, **square)
    net.node("MaxUnpool", [large, places], **square)


def _tensor_scatter(net: Network) -> None:
    dtype = net.dtype("TensorScatter")
    batch, length, size = net.random.randint(1, 3), net.random.randint(2, 9), net.random.randint(1, 5)
    count = net.random.randint(1, length)
    mode = net.random.choice(("linear", "circular"))
    places = np.random.default_rng(net.random.getrandbits(32)).integers(
        0, length if mode == "circular" else length - count + 1, batch
    )
    cache, update = net.operand(dtype, [batch, length, size]), net.operand(dtype, [batch, count, size])
    net.node("TensorScatter", [cache, update, net.either(places)], mode=mode, axis=1)


def _labels(net: Network) -> tuple[Value, Value, Value | None, Attributes]:
    batch, classes = net.random.randint(1, 4), net.random.randint(2, 6)
    rest = draw_shape(net.random, net.random.randint(0, 2), empty=False, limit=16)
    scores = net.operand(FLOAT32, [batch, classes, *rest])
    target = np.random.default_rng(net.random.getrandbits(32)).integers(0, classes, [batch, *rest])
    weights = net.fresh(FLOAT32, [classes], 0.25, 2) if net.chance(0.4) else None
    return scores, net.either(target), weights, {"reduction": net.random.choice(("none", "mean", "sum"))}


def _likelihood(net: Network) -> None:
    scores, target, weights, how = _labels(net)
    net.node("NegativeLogLikelihoodLoss", [scores, target, weights], **how)


def _cross_entropy(net: Network) -> None:
    scores, target, weights, how = _labels(net)
    net.node("SoftmaxCrossEntropyLoss", [scores, target, weights], net.random.randint(1, 2), **how)


def _ngrams(net: Network) -> None:
    x = draw_array(net.random, INT64, draw_shape(net.random, net.random.randint(1, 2), empty=False, limit=64), 0, 4)
    most = net.random.randint(1, 2)
    pool = [0, 1, 2, 3, *([0, 1, 1, 2, 2, 0] if most == 2 else [])]
    terms = 4 + (3 if most == 2 else 0)
    weights: Attributes = {"weights": [0.5 + each for each in range(terms)]} if net.chance(0.5) else {}
    net.node(
        "TfIdfVectorizer",
        [net.input(x)],
        mode=net.random.choice(("TF", "IDF", "TFIDF")),
        min_gram_length=net.random.randint(1, most),
        max_gram_length=most,
        max_skip_count=net.random.randint(0, 2),
        ngram_counts=[0, 4][:most],
        ngram_indexes=net.random.sample(range(terms), terms),
        pool_int64s=pool,
        **weights,
    )


def _dropout(net: Network) -> None:
    x = net.operand(net.dtype("Dropout"))
    ratio = net.known(0.5, np.float32) if net.chance(0.5) else None
    results = net.random.randint(1, 2) if net.opset >= FIRST_WITH_MASK else 1
    net.node("Dropout", [x, ratio], results)


def _constant(net: Network) -> None:
    kinds: tuple[Callable[[], Attributes], ...] = (
        lambda: {"value": numpy_helper.from_array(_any(net))},
        lambda: {"value_float": net.random.uniform(-2, 2)},
        lambda: {"value_floats": [0.5, -1.0, 3.0]},
        lambda: {"value_int": net.random.randint(-5, 5)},
        lambda: {"value_ints": [4, -1, 7, 0]},
    )
    [made] = net.node("Constant", [], **net.random.choice(kinds)())
    net.node("Identity", [made])


def _any(net: Network) -> Array:
    return draw_array(net.random, net.dtype("Identity"), draw_shape(net.random))


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "CenterCropPad": _cropped,
    "Compress": _compress,
    "Constant": _constant,
    "Dropout": _dropout,
    "MaxUnpool": _unpool,
    "NegativeLogLikelihoodLoss": _likelihood,
    "NonMaxSuppression": _suppression,
    "NonZero": _nonzero,
    "SoftmaxCrossEntropyLoss": _cross_entropy,
    "TensorScatter": _tensor_scatter,
    "TfIdfVectorizer": _ngrams,
    "Unique": _unique,
}
