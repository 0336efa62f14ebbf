"""Fully connected layers: rescale(matmul(x, w) + b)."""

import numpy as np

from s2s.dialects import graph
from s2s.external.cmsis_nn.function import (
    Function,
    activation,
    dims,
    has_vectors,
    known,
    output_zp,
    refused_rescale,
    result_scale,
    scale_of,
)
from s2s.external.generator import Code, Composite, Step
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.targets import Target
from s2s.types.dtypes import Array


def _pattern() -> Pattern:
    product = is_op("matmul")(wildcard().has_dtype("int8"), is_constant().has_dtype("int8"))
    dense = product.optional(lambda each: is_op("add")(each, is_constant()))
    return is_op("rescale")(dense, is_constant(), is_constant())


def _refused(composite: Composite) -> str | None:
    op = composite.the(graph.MatmulOp)
    if op.transpose_a is not None or op.transpose_b is None:
        return "its weights do not lie row by row of outputs"
    if op.accumulation.w_zp:
        return "its weights have a zero point"
    if len(composite.shape(composite.number(op.a) or 0)) != 2 or len(composite.shape(composite.number(op.b) or 0)) != 2:
        return "its factors are no matrices"
    bias = _bias(composite)
    if bias is not None and bias.size != composite.outputs[0].get_shape()[-1]:
        return "what is added is no bias"
    return refused_rescale(composite)


def _bias(composite: Composite) -> Array | None:
    add = composite.find(graph.AddOp)
    values = [] if add is None else [value for each in add.operands if (value := composite.value(each)) is not None]
    return values[0] if values else None


def _code(step: Step, target: Target) -> Code:
    """A call of a fully connected layer. Cores with vectors want sums of weights, which are constants here."""
    composite = step.composite
    op = composite.the(graph.MatmulOp)
    x, weights = composite.shape(composite.number(op.a) or 0), known(composite, op.b)
    out, depth = weights.shape
    given = _bias(composite)
    bias = np.zeros(out, np.int32) if given is None else given.reshape(-1).astype(np.int32)
    constants: dict[str, Array] = {"weights": np.asarray(weights, order="C"), "bias": bias}
    offset = -op.accumulation.x_zp
    sums = "NULL, 0"
    if has_vectors(target):
        constants["sums"] = (weights.astype(np.int64).sum(axis=1) * offset + bias).astype(np.int32)
        sums = f"(void *)sums, {4 * out}"
    multiplier, shift = scale_of(composite, result_scale(composite))
    body = [
        f"const cmsis_nn_context ctx = {{{sums}}};",
        f"const cmsis_nn_fc_params params = {{{offset}, 0, {output_zp(composite)}, {activation(composite)}}};",
        f"const cmsis_nn_per_tensor_quant_params quant = {{{multiplier}, {shift}}};",
        dims("input", (x[0], 1, 1, depth)),
        dims("filter", (depth, 1, 1, out)),
        dims("biases", (1, 1, 1, out)),
        dims("output", (x[0], 1, 1, out)),
        "",
        "(void)arm_fully_connected_s8(",
        "    &ctx, &params, &quant, &input, x0, &filter, weights, &biases, bias, &output, y0);",
    ]
    return Code("\n".join(body), constants=constants)


FULLY_CONNECTED = Function("fully_connected", _pattern(), _refused, _code)
