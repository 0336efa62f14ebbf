"""The common part of convolutions and fully connected layers: weights with scales, a bias, and requantisation.

int8 x int8 (or int4)   sums, and bias, of 32 bits; rounded twice
int16 x int8            sums, and bias, of 64 bits; rounded once with a multiplier of 16 bits
int16 x int8            with a bias of 32 bits: as int8
"""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute

from s2s.dialects.graph.quantize import Rounding
from s2s.frontends.builder import Value
from s2s.frontends.formulas import cast, reshape
from s2s.frontends.tflite.hybrid import dequantised, quantised
from s2s.frontends.tflite.node import Node
from s2s.frontends.tflite.quantisation import activated, rescale
from s2s.frontends.tflite.tensors import Tensor
from s2s.support.frozen import frozen

_INT8, _INT16 = np.dtype(np.int8), np.dtype(np.int16)
_INT32_OF_SCHEMA = 2
_SUMS: Mapping[str, Attribute] = {"int32": i32, "int64": i64}


@frozen
class Products:
    """How `x` and `w` are multiplied and summed: properties of the operation."""

    input_zp: int = 0
    weight_zp: int = 0
    acc_type: Attribute | None = None


Build = Callable[[Value, Products, Value | None], Value]
"""Makes the operation on an input, with its bias."""
_HYBRID = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")
"""Layers that take floats beside 8-bit weights."""


@frozen
class Layer:
    """Input, weights and bias of an operator; `channels` is the axis of the weights that counts outputs."""

    node: Node
    x: Tensor
    w: Tensor
    b: Tensor | None
    channels: int

    def run(self, build: Build, *, wide_bias_only: bool = False) -> Value:
        """The result of the operator, its fused activation included."""
        self._check_types()
        if self.x.value.is_float:
            return activated(self.node, self._of_floats(build))
        bias = self._bias(wide_bias_only)
        products = self._products(bias)
        y = build(self.x.value, products, bias)
        zero_point = self.node.output_type().scalar()[1]
        out = self.node.output_type().dtype
        return activated(self.node, rescale(y, self._factors(), out, output_zp=zero_point, rounding=self._rounding(y)))

    def _of_floats(self, build: Build) -> Value:
        bias = None if self.b is None else self._flat(self.b.value)
        if self.w.value.is_float:
            return build(self.x.value, Products(), bias)
        x = quantised(self.x.value, list(range(1, self.x.rank)), asymmetric=self._has_offsets())
        y = dequantised(self.node, build(x.factor, Products(acc_type=i32), None), x, self.w, self.channels)
        return y if bias is None else y + bias

    def _has_offsets(self) -> bool:
        """Whether floats beside 8-bit weights are quantised with a zero point."""
        if self.node.builtin == "FULLY_CONNECTED":
            return bool(self.node.options.AsymmetricQuantizeInputs())
        always = self.node.builtin in ("DEPTHWISE_CONV_2D", "TRANSPOSE_CONV")
        return always or not (self.w.quant is None or self.w.quant.is_per_tensor)

    def _check_types(self) -> None:
        node, x, w = self.node, self.x.dtype, self.w.dtype
        if node.output_type().dtype != x:
            raise node.unsupported(f"gives {node.output_type().dtype} for {x}", "keep one type through the layer")
        if self.x.value.is_float:
            hybrid = x == np.float32 and w == _INT8 and self.node.builtin in _HYBRID
            if w != x and not hybrid:
                raise node.unsupported(
                    f"is hybrid: {x} input and {w} weights", "quantise the activations too, or leave the weights float"
                )
            return
        if (x, w) not in ((_INT8, _INT8), (_INT16, _INT8)):
            raise node.unsupported(f"multiplies {x} and {w}", "use float32, int8 with int8 or int16 with int8")
        zero_points = self.x.scalar()[1], node.output_type().scalar()[1]
        if x == _INT16 and any(zero_points):
            raise node.invalid(f"16-bit numbers have the zero points {list(zero_points)}", "quantise the model again")

    def _bias(self, wide_only: bool) -> Value | None:
        if self.b is None:
            return None
        value, expected = self.b.value, [np.dtype(np.int32 if self.x.dtype == _INT8 else np.int64)]
        if self.x.dtype == _INT16:
            if wide_only and value.dtype == _INT16:
                return self._flat(cast(value, np.dtype(np.int64)))
            expected += [] if wide_only else [np.dtype(np.int32)]
        if value.dtype not in expected:
            raise self.node.unsupported(
                f"has a bias of {value.dtype} beside {self.x.dtype}", f"make it {' or '.join(map(str, expected))}"
            )
        return self._flat(value)

    def _flat(self, bias: Value) -> Value:
        """One number for each output, whatever shape the file gives them."""
        outputs = self.w.shape[self.channels]
        if prod(bias.shape) != outputs:
            raise self.node.invalid(f"has a bias of shape {list(bias.shape)} for {outputs} outputs", "fix the model")
        return reshape(bias, [outputs])

    def _products(self, bias: Value | None) -> Products:
        weights = self.w.quant
        zero_points = [] if weights is None else sorted({int(point) for point in weights.zero_point})
        if len(zero_points) > 1 or (zero_points and zero_points[0] and not self._takes_weight_zp()):
            raise self.node.unsupported(
                f"its weights have the zero points {zero_points}", "quantise weights symmetrically"
            )
        acc_type = None if bias is None else _SUMS[bias.dtype.name]
        default = i32 if self.x.dtype == _INT8 else i64
        if bias is None and self._asks_for_narrow_sums():
            acc_type = i32
        zero_point = zero_points[0] if zero_points else 0
        return Products(self.x.scalar()[1], zero_point, None if acc_type == default else acc_type)

    def _takes_weight_zp(self) -> bool:
        """Old fully connected layers have one, and all that is of `uint8`; other convolutions never do."""
        may = self.node.builtin == "FULLY_CONNECTED" or self.w.info.kind == "UINT8"
        return may and self.w.quant is not None and self.w.quant.is_per_tensor

    def _asks_for_narrow_sums(self) -> bool:
        """Whether a layer of 16 bits without bias says that it would have been of 32 bits."""
        if self.x.dtype != _INT16 or self.node.builtin not in ("CONV_2D", "FULLY_CONNECTED"):
            return False
        return int(self.node.options.QuantizedBiasType()) == _INT32_OF_SCHEMA

    def _factors(self) -> float | list[float]:
        """Scale of input times weights over output, for all channels or for each."""
        if self.w.quant is None:
            raise self.node.invalid("its weights are integers without scales", "quantise the model again")
        x_scale, y_scale = self.x.scalar()[0], self.node.output_type().scalar()[0]
        scales = [float(scale) for scale in self.w.quant.scale]
        if len(scales) == 1 and self.node.builtin == "FULLY_CONNECTED":
            return float(np.float32(x_scale) * np.float32(scales[0])) / y_scale
        fits = self.w.quant.axis == self.channels and len(scales) == self.w.shape[self.channels]
        if len(scales) > 1 and not fits:
            raise self.node.invalid(
                f"has {len(scales)} scales along axis {self.w.quant.axis} of weights {list(self.w.shape)}",
                f"quantise along axis {self.channels}",
            )
        factors = [x_scale * scale / y_scale for scale in scales]
        return factors[0] if len(factors) == 1 else factors

    def _rounding(self, y: Value) -> Rounding | None:
        once = self.node.builtin == "FULLY_CONNECTED" and self.node.rounding == "reference"
        return "single" if once and y.dtype == np.int32 else None
