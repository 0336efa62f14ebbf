"""Operators on elements in their places, and the softmax of rows."""

from __future__ import annotations

import numpy as np

from s2s.prove.ctypes import I32
from s2s.prove.faults import Unprovable
from s2s.prove.reference.activation import activation_range
from s2s.prove.reference.execution import Execution
from s2s.prove.reference.fixed_point import FixedPoint, quantized_multiplier
from s2s.prove.reference.model import Step, Tensor
from s2s.prove.reference.softmax import softmax
from s2s.prove.values import Value

LEFT_SHIFT = 20
"""Bits by which the operands of a sum are raised before they are rescaled."""


def add(execution: Execution, step: Step) -> None:
    """ADD: both operands to a common scale with 20 bits more, their sum requantised."""
    a, b, output = step.operand(0), step.operand(1), step.output
    if a.shape != b.shape:
        msg = "the reference has no sum that broadcasts"
        raise Unprovable(msg)
    twice = 2 * max(a.scale, b.scale)
    low, high = activation_range(step.option("FusedActivationFunction"), output)
    to = execution.rows(output.size)
    left, right = (_raised(execution, to, operand, twice) for operand in (a, b))
    factor = quantized_multiplier(twice / ((1 << LEFT_SHIFT) * output.scale))
    total = to.rescale(to.do("+", left, right, I32), *factor)
    execution.set(output, slice(0, output.size), to.clamp(to.do("+", total, output.zero_point), low, high), to)


def _raised(execution: Execution, to: FixedPoint, operand: Tensor, scale: float) -> Value:
    """An operand of a sum in the common scale."""
    ids, numbers = operand.atoms.reshape(-1, 1), operand.plain.reshape(-1, 1)
    form = execution.form(ids, numbers, np.ones((1, 1), np.int64), np.zeros(1, np.int64))
    raised = to.do("*", to.do("-", form, operand.zero_point), 1 << LEFT_SHIFT, I32)
    return to.rescale(raised, *quantized_multiplier(operand.scale / scale))


def reshape(execution: Execution, step: Step) -> None:
    """RESHAPE: the same elements."""
    del execution
    source = step.operand(0)
    step.output.ids, step.output.numbers = source.atoms.reshape(-1), source.plain.reshape(-1)


def softmax_rows(execution: Execution, step: Step) -> None:
    """SOFTMAX over the last axis."""
    source, output = step.operand(0), step.output
    if output.dtype != "INT8" or output.zero_point != -128 or output.scale != 1 / 256:
        msg = f"the reference has no softmax whose results are {output.dtype} from {output.zero_point}"
        raise Unprovable(msg)
    to = execution.single()
    width = source.shape[-1]
    atoms, plain = source.atoms.reshape(-1), source.plain.reshape(-1)
    one = np.ones(1, np.int64)
    for begin in range(0, source.size, width):
        places = range(begin, begin + width)
        row = [execution.form(atoms[i : i + 1], plain[i : i + 1], one, 0) for i in places]
        for i, value in zip(places, softmax(to, row, source.scale, step.real("Beta")), strict=True):
            execution.set(output, slice(i, i + 1), value, to)
