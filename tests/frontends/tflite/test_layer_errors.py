"""Layers that have no kernel, or that contradict themselves, are refused with the place and a way out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.writer import SAME, TANH, VALID, TensorSpec, single

X, Y = TensorSpec("x", (1, 5, 5, 2), "INT8", scale=0.5), TensorSpec("y", (1, 5, 5, 4), "INT8", scale=0.5)
WEIGHTS = np.ones((4, 3, 3, 2), np.int8)
W = TensorSpec("w", (4, 3, 3, 2), data=WEIGHTS, scale=0.25)
B = TensorSpec("b", (4,), data=np.zeros(4, np.int32), scale=0.125)
FIELDS: Mapping[str, Any] = {"padding": SAME, "stride_h": 1, "stride_w": 1}


def changed(spec: TensorSpec, **fields: Any) -> TensorSpec:
    return TensorSpec(**(spec.__dict__ | fields))


def conv(x: TensorSpec = X, w: TensorSpec = W, b: TensorSpec = B, y: TensorSpec = Y, **fields: Any) -> bytes:
    return single("CONV_2D", [x, w, b], [y], "Conv2DOptions", **(dict(FIELDS) | fields))


def dense(w: TensorSpec, **fields: Any) -> bytes:
    x, y = TensorSpec("x", (2, 6), "INT8", scale=0.5), TensorSpec("y", (2, 4), "INT8", scale=0.5)
    return single("FULLY_CONNECTED", [x, w, None], [y], "FullyConnectedOptions", **fields)


def pool(x: TensorSpec, y: TensorSpec, **fields: Any) -> bytes:
    window = {"filter_height": 2, "filter_width": 2} | dict(FIELDS) | fields
    return single("AVERAGE_POOL_2D", [x], [y], "Pool2DOptions", **window)


DENSE = TensorSpec("w", (4, 6), data=np.ones((4, 6), np.int8), scale=0.25)

UNSUPPORTED: Sequence[tuple[str, bytes]] = (
    ("its weights have the zero points [3]; quantise weights symmetrically", conv(w=changed(W, zero_point=3))),
    ("has a bias of int64 beside int8; make it int32", conv(b=changed(B, data=np.zeros(4, np.int64)))),
    ("has the fused activation 4; make it an operator of its own", conv(fused_activation_function=TANH)),
    ("gives int16 for int8; keep one type through the layer", conv(y=changed(Y, type="INT16"))),
    ("multiplies int8 and int16", conv(w=changed(W, data=WEIGHTS.astype(np.int16)))),
    ("its weights are shuffled; convert the model without that", dense(DENSE, weights_format=1)),
    ("pools int32 to int32; use float32", pool(changed(X, type="INT32"), changed(X, name="y", type="INT32"))),
)
INVALID: Sequence[tuple[str, bytes]] = (
    ("has 2 scales along axis 3 of weights [4, 3, 3, 2]", conv(w=changed(W, scale=[0.25] * 2, axis=3))),
    ("its weights are integers without scales", conv(w=changed(W, scale=None))),
    (
        "weights [4, 3, 3, 3] do not fit 2 channels",
        conv(w=changed(W, shape=(4, 3, 3, 3), data=np.ones((4, 3, 3, 3), np.int8))),
    ),
    ("strides [0, 1] are not positive", conv(stride_h=0)),
    ("padding 7 is neither SAME nor VALID", conv(padding=7)),
    ("kernel spans 7 elements, more than the padded input 0 + 5 + 0", conv(X, padding=VALID, dilation_h_factor=3)),
    ("far too large; quantise it again", conv(y=changed(Y, scale=1e-30))),
    (
        "16-bit numbers have the zero points [3, 0]",
        conv(
            changed(X, type="INT16", zero_point=3),
            b=changed(B, data=np.zeros(4, np.int64)),
            y=changed(Y, type="INT16"),
        ),
    ),
    ("weights [4, 5] do not fit input [2, 6]", dense(changed(DENSE, shape=(4, 5), data=np.ones((4, 5), np.int8)))),
    ("its result has another scale than its input", pool(X, changed(X, name="y", scale=0.75))),
)


@pytest.mark.parametrize(("text", "model"), UNSUPPORTED, ids=[text for text, _ in UNSUPPORTED])
def test_what_has_no_kernel_is_refused(text: str, model: bytes):
    with pytest.raises(UnsupportedError) as caught:
        import_model(model)
    assert text in str(caught.value)
    assert str(caught.value).startswith("operator 0 (")


@pytest.mark.parametrize(("text", "model"), INVALID, ids=[text for text, _ in INVALID])
def test_contradictions_are_refused(text: str, model: bytes):
    with pytest.raises(InputError) as caught:
        import_model(model)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("real", "multiplier", "shift"),
    [
        (0.0, 0, 0),
        (0.5, 1 << 30, 0),
        (1.0, 1 << 30, 1),
        (0.75, 3 << 29, 0),
        (1 - 2**-40, 1 << 30, 1),
        (-0.5, -(1 << 30), 0),
        (2**-33, 0, 0),
        (2**-32, 1 << 30, -31),
        (1000.0, 2097152000, 10),
    ],
)
def test_multiplier_is_that_of_tflite(real: float, multiplier: int, shift: int):
    assert quantize_multiplier(real) == (multiplier, shift)
