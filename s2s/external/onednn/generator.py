"""Convolutions of float images by oneDNN 2, as Debian has it (`libdnnl-dev`): bias, sum and clamp included.

    clamp(conv(x, w, b) + other)        dnnl_convolution_forward with the post-operations sum and eltwise

The library packs the weights in the first run of each thread, and keeps what it makes in memory of its own (not in the
arena). Images with channels first are reordered to its blocks of channels and back in each run.
"""

from collections.abc import Sequence
from math import inf

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, SSAValue

from s2s.dialects import graph
from s2s.external.generator import Code, CodeGenerator, Composite, Region
from s2s.external.onednn.costs import library_cost, own_cost
from s2s.external.onednn.definitions import DEFINITIONS, HEADERS
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type
from s2s.types.shapes.window import channel_axis, spatial_shape


class OneDnn(CodeGenerator):
    """Convolutions."""

    name = "onednn"
    link = ("-ldnnl",)
    keeps_order = False

    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        x, w = wildcard(), is_constant()
        conv = is_op("conv")(x, w, is_constant()) | is_op("conv")(x, w)
        added = conv.has_dtype("float32").optional(lambda each: is_op("add")(each, wildcard()).where(_is_alike))
        return [("convolution", added.optional(lambda each: is_op("clamp")(each)))]

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        if target.cc:
            return f"target {target.name} is no host: there is no such library for it"
        op = composite.the(graph.ConvOp)
        if len(_shape(op.x)) != 4:
            return f"an input of {len(_shape(op.x))} dimensions, oneDNN is called for images"
        return "an empty tensor" if 0 in (*_shape(op.x), *_shape(op.y)) else None

    def cost(self, composite: Composite, target: Target) -> float | None:
        return library_cost(composite.the(graph.ConvOp), target)

    def own_cost(self, composite: Composite, target: Target) -> float | None:
        return own_cost(composite.the(graph.ConvOp), target)

    def code(self, region: Region, target: Target) -> Code:
        (step,) = region.steps
        composite = step.composite
        op = composite.the(graph.ConvOp)
        weights = composite.value(op.w)
        assert weights is not None
        given = None if op.b is None else composite.value(op.b)
        bias = np.zeros(weights.shape[0], np.float32) if given is None else given
        add = composite.find(graph.AddOp)
        others = (
            [] if add is None else [number for each in add.operands if (number := composite.number(each)) is not None]
        )
        other = step.inputs[others[0]] if others else "NULL"
        x = step.inputs[composite.number(op.x) or 0]
        body = [
            "static __thread dnnl_layer layer;",
            f"static const dnnl_layer_shape shape = {_shape_of(composite)};",
            "",
            f"dnnl_layer_run(&layer, &shape, y0, {x}, weights, bias, {other});",
        ]
        return Code(
            "\n".join(body),
            headers=HEADERS,
            definitions=DEFINITIONS,
            constants={"weights": np.asarray(weights, order="C"), "bias": np.asarray(bias.reshape(-1), order="C")},
            replaced=frozenset(region.constants) - {x, other},
        )


def _is_alike(value: SSAValue) -> bool:
    """Whether both operands of a sum have the shape of the result."""
    op = value.owner
    assert isinstance(op, graph.AddOp)
    return _shape(op.a) == _shape(op.b)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return as_tensor_type(value.type).get_shape()


def _shape_of(composite: Composite) -> str:
    """The convolution as a `dnnl_layer_shape`."""
    op = composite.the(graph.ConvOp)
    window, groups, weights = op.window(), op.groups.value.data, _shape(op.w)
    clamp, layout = composite.find(graph.ClampOp), "dnnl_nchw" if op.data_layout == "NCHW" else "dnnl_nhwc"
    lists = (
        _channels_first(op, op.x),
        _channels_first(op, op.y),
        (groups, weights[0] // groups, *weights[1:]),
        window.strides,
        [each - 1 for each in window.dilations],
        window.pads[:2],
        window.pads[2:],
    )
    low, high = (-inf, inf) if clamp is None else (_bound(clamp.min, -inf), _bound(clamp.max, inf))
    numbers = f"{int(composite.find(graph.AddOp) is not None)}, {int(clamp is not None)}, {_float(low)}, {_float(high)}"
    sizes = ", ".join(f"{{{', '.join(map(str, each))}}}" for each in lists)
    return f"{{\n    {sizes},\n    {layout}, {numbers}}}"


def _channels_first(op: graph.ConvOp, value: SSAValue) -> tuple[int, ...]:
    shape = _shape(value)
    return (shape[0], shape[channel_axis(op.data_layout, len(shape))], *spatial_shape(shape, op.data_layout))


def _bound(attribute: Attribute | None, default: float) -> float:
    return float(attribute.value.data) if isinstance(attribute, FloatAttr | IntegerAttr) else default


def _float(number: float) -> str:
    if number in (inf, -inf):
        return "INFINITY" if number > 0 else "-INFINITY"
    return f"{float(np.float32(number))!r}f"
