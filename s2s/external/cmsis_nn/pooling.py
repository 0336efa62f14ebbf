"""Pooling: avg_pool(x) and max_pool(x)."""

from s2s.dialects import graph
from s2s.external.cmsis_nn.function import Function, context, dims, has_vectors, pair
from s2s.external.generator import Code, Composite, Step
from s2s.external.pattern import is_op, wildcard
from s2s.targets import Target

_AVERAGE = "average_pool"


def _pool(composite: Composite) -> graph.AvgPoolOp | graph.MaxPoolOp:
    op = composite.ops[0]
    assert isinstance(op, graph.AvgPoolOp | graph.MaxPoolOp)
    return op


def _refused(composite: Composite) -> str | None:
    op = _pool(composite)
    if op.data_layout != "NHWC" or len(composite.shape(0)) != 4:
        return "its channels do not come last, or it is no image"
    if max(op.window().dilations) > 1:
        return "a dilated window"
    if isinstance(op, graph.AvgPoolOp) and any(op.counted_pads.get_values()):
        return "its padding counts as elements"
    return None


def _code(step: Step, target: Target) -> Code:
    composite = step.composite
    window, x, y = _pool(composite).window(), composite.shape(0), composite.outputs[0].get_shape()
    average = composite.pattern == _AVERAGE
    scratch = 4 * y[2] * x[3] if average and not has_vectors(target) else 0
    body = [
        context(scratch),
        f"const cmsis_nn_pool_params params = {{{pair(window.strides)}, {pair(window.pads[:2])}, {{-128, 127}}}};",
        dims("input", x),
        dims("filter", (1, *window.kernel, 1)),
        dims("output", y),
        "",
        f"(void){'arm_avgpool_s8' if average else 'arm_max_pool_s8'}(&ctx, &params, &input, x0, &filter, &output, y0);",
    ]
    return Code("\n".join(body), scratch=scratch)


AVERAGE_POOL = Function(_AVERAGE, is_op("avg_pool")(wildcard().has_dtype("int8")), _refused, _code)
MAX_POOL = Function("max_pool", is_op("max_pool")(wildcard().has_dtype("int8")), _refused, _code)
