# pyright: reportUnknownMemberType=false
"""Elementwise operators on zeros, infinities, NaN and the ends of integer types, each pair of them, beside torch."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from support.torch_operators import Arguments, Fixed, Operators, differences, results_of

_FLOATS = torch.tensor(
    [0, -0.0, 1, -1, 0.5, -2.5, 88.9, -104, 1e-8, 8388609, -(2.0**31), 1e18, -1e18, torch.inf, -torch.inf, torch.nan]
)
_UNARY = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "elu",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "frac",
    "hardsigmoid",
    "hardswish",
    "isinf",
    "isnan",
    "leaky_relu",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_sigmoid",
    "mish",
    "nan_to_num",
    "neg",
    "reciprocal",
    "relu",
    "round",
    "rsqrt",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "silu",
    "sin",
    "sinh",
    "softplus",
    "special_erfcx",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
]
_BINARY = [
    "add",
    "atan2",
    "copysign",
    "div",
    "eq",
    "floor_divide",
    "fmod",
    "ge",
    "gt",
    "hypot",
    "le",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "pow",
    "remainder",
    "sub",
]
_MODES = ("floor", "trunc")


def _pairs(numbers: Tensor) -> tuple[Tensor, Tensor]:
    return numbers.repeat_interleave(len(numbers)), numbers.repeat(len(numbers))


def _of_floats() -> list[tuple[str, Arguments]]:
    unary = [(_overload(name, "default"), (_FLOATS,)) for name in _UNARY]
    binary = [(_overload(name, "Tensor"), _pairs(_FLOATS)) for name in _BINARY]
    return unary + binary + [("div.Tensor_mode", (*_pairs(_FLOATS), {"rounding_mode": mode})) for mode in _MODES]


def _overload(name: str, wanted: str) -> str:
    packet = getattr(torch.ops.aten, name)
    return f"{name}.{wanted if wanted in packet.overloads() else packet.overloads()[0]}"


def test_floats_that_are_no_ordinary_numbers():
    assert differences(Operators(_of_floats())) == []


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_ends_of_integer_types(dtype: torch.dtype):
    ends = torch.iinfo(dtype)
    numbers = torch.tensor(sorted({0, 1, 2, 7, ends.max, ends.max - 1, ends.min, ends.min + 1, -ends.min >> 1}))
    signed = [] if ends.min == 0 else [-1, -7]
    numbers = torch.cat([numbers, torch.tensor(signed, dtype=torch.int64)]).to(dtype)
    a, b = _pairs(numbers)
    divides = (b != 0) & ~((a == ends.min) & (b == (-1 if signed else 0)))
    calls: list[tuple[str, Arguments]] = [
        *((f"{name}.Tensor", (a, b)) for name in ("add", "sub", "mul", "eq", "lt", "bitwise_and", "bitwise_xor")),
        *((_overload(name, "default"), (a, b)) for name in ("maximum", "minimum")),
        *((_overload(name, "Tensor"), (a[divides], b[divides])) for name in ("floor_divide", "fmod", "remainder")),
        *(("div.Tensor_mode", (a[divides], b[divides], {"rounding_mode": mode})) for mode in _MODES),
        *((f"{name}.default", (numbers,)) for name in ("abs", "bitwise_not", "neg", "sign")),
        ("mm.default", (numbers[:4].reshape(2, 2), numbers[-4:].reshape(2, 2))),
        ("bitwise_left_shift.Tensor", (numbers, torch.tensor(1, dtype=dtype))),
        ("__rshift__.Scalar", (numbers, 2)),
    ]
    assert differences(Operators(calls)) == []


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_of_16_bits_is_rounded_once(dtype: torch.dtype, approximate: str):
    """-5 to 0, where `1 + erf` has fewer digits the farther from 0."""
    x = torch.arange(-5, 0, 0.03125)
    kind = {"approximate": approximate}
    network = Operators([("gelu.default", (Fixed(x.to(dtype)), kind)), ("gelu.default", (Fixed(x), kind))])
    rounded, exact = (numbers.astype(np.float32) for numbers in results_of(network))
    np.testing.assert_allclose(rounded, exact, rtol=torch.finfo(dtype).eps, atol=1e-7)


def test_error_functions_keep_their_digits_in_the_tails():
    x = torch.linspace(-9, 9, 721)
    inside = torch.linspace(-0.9999, 0.9999, 401)
    calls: list[tuple[str, Arguments]] = [
        ("erfc.default", (Fixed(x),)),
        ("special_erfcx.default", (Fixed(x),)),
        ("erfinv.default", (Fixed(inside),)),
    ]
    expected: list[Any] = [torch.erfc(x.double()), torch.special.erfcx(x.double()), torch.erfinv(inside.double())]
    for found, wanted in zip(results_of(Operators(calls)), expected, strict=True):
        np.testing.assert_allclose(found, wanted.numpy(), rtol=3e-5, atol=1e-37)


def test_running_products_and_kth_values():
    x = torch.tensor([[2.0, -3, 0.5, 4, 1.5], [0.25, 8, -1, 3, 7]])
    calls: list[tuple[str, Arguments]] = [
        ("cumprod.default", (x, 1)),
        ("cumprod.default", (x, 0)),
        ("kthvalue.default", (x, 2, 1)),
        ("kthvalue.default", (x, 1, 0, True)),
        ("ldexp.Tensor", (x, torch.tensor([0, 1, -2, 3, 10]))),
    ]
    assert differences(Operators(calls)) == []
