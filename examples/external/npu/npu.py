"""The code generator of a made-up matrix engine: what a vendor copies to start.

    import s2s
    from npu import Npu

    s2s.register_codegen(Npu())
    s2s.compile("mlp.onnx", external="npu=auto").write("mlp")

The engine multiplies float matrices by constant ones, adds a bias, and clips at zero. It wants the columns in panels of
four, and keeps up to 4096 numbers for the next product: neighbouring layers are one region, whose inner tensors do not
come back to the core. `NPU_PATH` names this folder when a tree is built.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.external.generator import Code, CodeGenerator, Composite, Region, Step
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.targets import Target
from s2s.types.dtypes import Array, as_tensor_type

LANES = 4
LOCAL_SIZE = 4096
START = 200.0
"""Cycles of the core to write the registers and to wait."""
RATE = 64.0
"""Multiply-adds of the engine in a cycle of the core."""


class Npu(CodeGenerator):
    """Products with constant matrices, bias and relu."""

    name = "npu"
    include = ("$NPU_PATH",)
    sources = ("$NPU_PATH/*.c",)
    regions = True

    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        product = is_op("matmul")(wildcard(), is_constant()).has_dtype("float32").has_rank(2)
        biased = product.optional(lambda each: is_op("add")(each, is_constant()))
        clipped = biased.optional(lambda each: is_op("clamp")(each).has_attr(min=0.0, max=False))
        return [("layer", clipped)]

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        rows, columns = composite.outputs[0].get_shape()
        if columns % LANES:
            return f"{columns} columns are no multiple of {LANES}"
        if rows * columns > LOCAL_SIZE:
            return f"its result of {rows * columns} numbers exceeds the memory of {LOCAL_SIZE}"
        if composite.the(graph.MatmulOp).transpose_a is not None:
            return "its first factor is transposed"
        bias = _bias(composite)
        return None if bias is None or bias.size == columns else "what is added is no bias of columns"

    def cost(self, composite: Composite, target: Target) -> float | None:
        return START + _multiply_adds(composite) / RATE

    def own_cost(self, composite: Composite, target: Target) -> float | None:
        return _multiply_adds(composite) / (target.lanes * target.fma_ports)

    def code(self, region: Region, target: Target) -> Code:
        places, scratch = _places(region)
        constants: dict[str, Array] = {}
        calls: list[str] = []
        for number, step in enumerate(region.steps):
            constants[f"weights{number}"] = _packed(step.composite)
            columns = step.composite.outputs[0].get_shape()[1]
            bias = _bias(step.composite)
            constants[f"bias{number}"] = np.zeros(columns, np.float32) if bias is None else bias.reshape(-1)
            calls.append(_call(number, step, places))
        return Code(
            "\n".join(calls),
            headers=('"npu_driver.h"',),
            constants=constants,
            replaced=frozenset(region.constants),
            scratch=scratch,
        )


def _places(region: Region) -> tuple[dict[str, str], int]:
    """Where inner tensors are, and the bytes of scratch that they take: in the memory of the engine as long as there is
    room, each in a place of its own, then in scratch."""
    found: dict[str, str] = {}
    local, scratch = 0, 0
    for name, type in region.inner.items():
        size = prod(as_tensor_type(type).get_shape())
        if local + size <= LOCAL_SIZE:
            found[name] = f"NPU_LOCAL({local})"
            local += size
        else:
            found[name] = f"NPU_MAIN((float *)scratch + {scratch})"
            scratch += size
    return found, 4 * scratch


def _call(number: int, step: Step, places: Mapping[str, str]) -> str:
    op = step.composite.the(graph.MatmulOp)
    x = step.inputs[step.composite.number(op.a) or 0]
    (y,) = step.outputs
    rows, columns = step.composite.outputs[0].get_shape()
    depth = step.composite.shape(step.composite.number(op.a) or 0)[1]
    source, target = (places.get(each, f"NPU_MAIN({each})") for each in (x, y))
    flags = [
        *(["NPU_FLAG_RELU"] if step.composite.find(graph.ClampOp) is not None else []),
        *(["NPU_FLAG_LOCAL_INPUT"] if "LOCAL" in source else []),
        *(["NPU_FLAG_LOCAL_OUTPUT"] if "LOCAL" in target else []),
    ]
    sizes = f"{rows}, {columns}, {depth}, {' | '.join(flags) or '0'}"
    return f"(void)npu_product({source}, weights{number}, bias{number}, {target}, {sizes});"


def _packed(composite: Composite) -> Array:
    """The weights as [columns / 4][depth][4]."""
    op = composite.the(graph.MatmulOp)
    weights = composite.value(op.b)
    assert weights is not None
    plain = np.asarray(weights).T if op.transpose_b is not None else np.asarray(weights)
    depth, columns = plain.shape
    return np.asarray(plain.reshape(depth, columns // LANES, LANES).transpose(1, 0, 2), order="C")


def _bias(composite: Composite) -> Array | None:
    add = composite.find(graph.AddOp)
    known = [] if add is None else [value for each in add.operands if (value := composite.value(each)) is not None]
    return known[0] if known else None


def _multiply_adds(composite: Composite) -> int:
    op = composite.the(graph.MatmulOp)
    return prod(composite.outputs[0].get_shape()) * composite.shape(composite.number(op.a) or 0)[-1]
