"""Turn tensors of GGUF files into weights of linear layers: quantised ones stay so, in blocks or in superblocks.

    w = scale * q                                    Q8_0, Q4_0, Q5_0, Q6_K, Q3_K, IQ4_NL, …: `Blocks`
    w = super_scale * scale * q - super_min * min    Q4_K, Q5_K, Q2_K, Q4_1, Q5_1: `Superblocks`

Integers of 2 to 4 bits without sign take 4 bits, others 8.
"""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.frontends.decoder import Blocks, Linear, Superblocks
from s2s.frontends.gguf.codebooks import iq3_s, iq4_xs, mxfp4, tq1_0, tq2_0
from s2s.frontends.gguf.k_quants import Levels, q2_k, q3_k, q4_k, q5_k, q6_k
from s2s.frontends.gguf.reader import Tensor
from s2s.frontends.gguf.simple_quants import iq4_nl, q4_0, q4_1, q5_0, q5_1, q8_0
from s2s.types.dtypes import Array

SCALED: Mapping[str, Callable[[Array], tuple[Array, Array]]] = {
    "Q8_0": q8_0,
    "Q4_0": q4_0,
    "Q5_0": q5_0,
    "Q6_K": q6_k,
    "Q3_K": q3_k,
    "IQ4_NL": iq4_nl,
    "IQ4_XS": iq4_xs,
    "IQ3_S": iq3_s,
    "MXFP4": mxfp4,
    "TQ1_0": tq1_0,
    "TQ2_0": tq2_0,
}
"""The integers of blocks and their scales, by the type of the tensor."""
LEVELLED: Mapping[str, Callable[[Array], Levels]] = {
    "Q4_K": q4_k,
    "Q5_K": q5_k,
    "Q2_K": q2_k,
    "Q4_1": q4_1,
    "Q5_1": q5_1,
}
"""The integers of blocks with their scales and least values, by the type of the tensor."""
NARROW = frozenset({"Q4_0", "Q4_K", "Q2_K", "Q4_1", "TQ1_0", "TQ2_0"})
"""The types whose integers take 4 bits."""
BF16_SHIFT = 16
"""A bfloat16 is the upper half of a float32."""


def is_quantised(tensor: Tensor) -> bool:
    """Return whether a tensor consists of blocks."""
    return tensor.kind in SCALED or tensor.kind in LEVELLED


def linear_weights(tensor: Tensor, order: Array | None = None) -> Linear:
    """Return the weights of a linear layer with its rows in `order`."""
    if order is not None:
        tensor = tensor._replace(data=tensor.data[order])
    if tensor.kind in LEVELLED:
        found = LEVELLED[tensor.kind](tensor.data)
        bits = 4 if tensor.kind in NARROW else 8
        levels = (found.scales, found.mins, found.super_scales, found.super_mins)
        return Superblocks(_in_pairs(found.q) if bits == 4 else found.q, levels, bits)
    if tensor.kind not in SCALED:
        return np.asarray(floats(tensor).T, order="C")
    q, scales = SCALED[tensor.kind](tensor.data)
    if tensor.kind not in NARROW:
        return Blocks((q ^ -128).view(np.uint8), scales, 8, tensor.columns)
    return Blocks(_in_pairs((q + 8).astype(np.uint8)), scales, 4, tensor.columns)


def _in_pairs(q: Array) -> Array:
    """Put two neighbours of four bits each into a byte."""
    return q[..., ::2] | q[..., 1::2] << 4


def floats(tensor: Tensor) -> Array:
    """Return the numbers of a tensor, `[rows, columns]` of float32."""
    shape = (tensor.rows, tensor.columns)
    if tensor.kind in LEVELLED:
        return LEVELLED[tensor.kind](tensor.data).floats().reshape(shape)
    if tensor.kind in SCALED:
        q, scales = SCALED[tensor.kind](tensor.data)
        return (q * scales[..., None]).astype(np.float32).reshape(shape)
    if tensor.kind == "BF16":
        upper = np.frombuffer(tensor.data.tobytes(), "<u2").astype(np.uint32) << BF16_SHIFT
        return upper.view(np.float32).reshape(shape)
    dtype = {"F32": "<f4", "F16": "<f2"}[tensor.kind]
    return np.frombuffer(tensor.data.tobytes(), dtype).reshape(shape).astype(np.float32)
