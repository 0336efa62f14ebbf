"""Element types of 8 bits and fewer that numpy lacks, stored as ONNX packs them: values pass through them."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from onnx import TensorProto, helper

from s2s.fuzz.arrays import FLOAT32
from s2s.fuzz.network import Attributes, Network, Rejected

_SIX = ("FLOAT6E2M3", "FLOAT6E3M2")
_FLOATS = ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", *_SIX, "FLOAT4E2M1")
_INTEGERS = ("INT4", "UINT4", "INT2", "UINT2")
_FIRST = {**dict.fromkeys(_SIX, 28), "FLOAT4E2M1": 23, "INT4": 21, "UINT4": 21, "INT2": 25, "UINT2": 25}
"""The first opset that casts to a type, where it is not 19."""
_MOVED = {"INT2": 25, "UINT2": 25}
"""The first opset that moves values of a type, where it is not 23; none moves floats of six bits."""


def _narrowed(net: Network, kind: str) -> None:
    """Cast a value to a type and back, with an operator in between that moves it."""
    _check(net, kind)
    x = net.of_rank(FLOAT32, 1, 4)
    if not x.spread.is_exact:
        raise Rejected("where a value is rounded to hangs on a rounding")
    unsigned = kind.startswith("U")
    x = net.clipped(x, 0 if unsigned else -2, 1)
    with net.any_type():
        [found] = net.node("Cast", [x], to=TensorProto.DataType.Value(kind))
        if kind not in _SIX and net.opset >= _MOVED.get(kind, 23) and net.chance(0.6):
            [found] = net.node("Transpose", [found], perm=net.random.sample(range(len(x.shape)), len(x.shape)))
            [found] = net.node("Reshape", [found, net.known([-1])])
    net.node("Cast", [found], to=TensorProto.FLOAT)


def _stored(net: Network, kind: str) -> None:
    """Packed weights made real: by one scale, by one each column, or by one each block."""
    _check(net, kind)
    rows, columns = net.random.choice((1, 2, 4, 8, 16)), net.random.choice((1, 3, 8, 17))
    rng = np.random.default_rng(net.random.getrandbits(32))
    dtype = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(kind))
    unsigned, bits = kind.startswith("U"), int(kind[-1])
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    weights = net.constant(rng.integers(low, high, [rows, columns], endpoint=True).astype(dtype))
    block = net.random.choice([each for each in (2, 4, 8) if rows % each == 0] or [rows])
    shape = net.random.choice(([], [columns], [rows // block, columns]))
    scale = net.known(rng.uniform(0.01, 0.1, shape), np.float32)
    zero = net.constant(rng.integers(low, high, shape, endpoint=True).astype(dtype)) if net.chance(0.5) else None
    how: Attributes = {"block_size": block, "axis": 0} if len(shape) == 2 else {"axis": 1} if shape else {}
    [real] = net.node("DequantizeLinear", [weights, scale, zero], **how)
    if net.chance(0.6):
        net.node("MatMul", [net.operand(FLOAT32, [net.random.randint(1, 4), rows]), real])


def _check(net: Network, kind: str) -> None:
    if net.opset < _FIRST.get(kind, 19):
        raise Rejected(f"has no {kind}")


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{f"Cast {kind}": partial(_narrowed, kind=kind) for kind in (*_FLOATS, *_INTEGERS)},
    **{f"DequantizeLinear {kind}": partial(_stored, kind=kind) for kind in _INTEGERS},
}
