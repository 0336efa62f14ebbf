"""Element-wise ONNX operators of real numbers that integers and scales give: sums, products, functions of one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from s2s.prove.ctypes import F32, I64
from s2s.prove.faults import Unprovable
from s2s.prove.floats import encoded
from s2s.prove.reference.execution import Execution
from s2s.prove.reference.fixed_point import FixedPoint
from s2s.prove.reference.linear import one_scale
from s2s.prove.reference.model import Array, Step, Tensor
from s2s.prove.reference.real import Computed, Real, Scaled
from s2s.prove.values import Form, Value

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "Erf": math.erf,
    "Sigmoid": lambda x: 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x)),
    "Tanh": math.tanh,
}
"""Functions of real numbers; their floats are the nearest to what 64 bits give."""
OneToOne = Callable[[Array], Array]
"""A function of floats of 32 bits."""


class Reals(Protocol):
    """The real-valued tensors of a model, and its execution."""

    @property
    def execution(self) -> Execution:
        """The atoms of the tensors."""
        ...

    def scaled(self, tensor: Tensor) -> Scaled:
        """A tensor that is integer sums times scales."""
        ...

    def real_of(self, tensor: Tensor) -> Real:
        """A tensor that integers and scales give."""
        ...


def _elements(of: Reals, step: Step) -> list[Scaled]:
    """Both operands of an element-wise operator in the shape of its result, of one term an element."""
    operands = [of.scaled(step.operand(index)) for index in (0, 1)]
    if any(operand.width != 1 for operand in operands):
        msg = f"{step.kind} of what is not quantised"
        raise Unprovable(msg)
    shape = step.output.shape
    return [
        operand.moved(np.broadcast_to(np.arange(operand.size).reshape(operand.shape), shape))
        if operand.shape != shape
        else operand
        for operand in operands
    ]


def _stored(of: Reals, real: Scaled, at: Array) -> tuple[Form | Array, Array]:
    """The stored integers of elements, plain numbers where they are constants, and their zero points."""
    ids, numbers, factors, constant = real.terms(at)
    if not np.any(ids):
        return numbers[:, 0], -constant
    return of.execution.form(ids, numbers, factors, np.zeros(len(at), np.int64)), -constant


def added(of: Reals, step: Step) -> Computed:
    """Add, and Sub by its sign: (a - zero of a) * factor of a + (b - zero of b) * factor of b, as products of the
    stored numbers and one constant, which what is constant joins first."""
    operands = _elements(of, step)
    signs = 1, -1 if step.kind == "Sub" else 1

    def value(to: FixedPoint, at: Array, scale: np.float32) -> Value:
        values: list[Value] = []
        offset = np.zeros(len(at), np.float32)
        for term, sign in zip(operands, signs, strict=True):
            factor = (term.scale(at) / scale).astype(np.float32) * np.float32(sign)
            stored, zeros = _stored(of, term, at)
            values.append(to.of.on_floats("*", to.of.convert_float(stored, I64, F32), encoded(factor)))
            offset = offset + factor * zeros.astype(np.float32)
        first, second = values[::-1] if isinstance(values[1], np.ndarray) else values
        return to.of.on_floats("+", second, to.of.on_floats("+", first, encoded(-offset)))

    return Computed(step.output.shape, value)


def multiplied(of: Reals, step: Step) -> Computed:
    """Mul: the product of integers above their zero points, times both scales."""
    first, second = _elements(of, step)
    scale_of = np.float32(one_scale(first) * one_scale(second))

    def value(to: FixedPoint, at: Array, scale: np.float32) -> Value:
        (x, zero_x), (y, zero_y) = _stored(of, first, at), _stored(of, second, at)
        product = to.of.convert_float(to.do("*", to.do("-", x, zero_x), to.do("-", y, zero_y)), I64, F32)
        return to.of.on_floats("*", product, int(encoded(np.asarray(scale_of / scale))))

    return Computed(step.output.shape, value)


def divided(of: Reals, step: Step) -> Computed:
    """Div by a constant float."""
    divisor = step.operand(1).constants
    if divisor.size != 1 or divisor.dtype != np.float32:
        msg = f"{step.kind} by what is not one float"
        raise Unprovable(msg)
    number = np.float32(divisor.reshape(-1)[0])
    return _applied(of, step, lambda x: (x / number).astype(np.float32))


def function_of(of: Reals, step: Step) -> Computed:
    """A function of one real number."""
    function = np.vectorize(FUNCTIONS[step.kind], otypes=[np.float32])
    return _applied(of, step, lambda x: function(x.astype(np.float64)))


def _applied(of: Reals, step: Step, function: OneToOne) -> Computed:
    """A function of a quantised tensor, or of a function of one: a table of its values for each integer."""
    real, before = of.real_of(step.operand(0)), None
    source, before = real.applied or (None, None) if isinstance(real, Computed) else (of.scaled(step.operand(0)), None)
    if source is None or source.width != 1:
        msg = f"{step.kind} of what is not quantised"
        raise Unprovable(msg)
    scale_of = one_scale(source)

    def rounded(x: Array) -> Array:
        return function(x if before is None else before(x))

    def value(to: FixedPoint, at: Array, scale: np.float32) -> Value:
        stored, zeros = _stored(of, source, at)
        if not isinstance(stored, Form) or np.any(zeros != zeros[0]):
            msg = f"{step.kind} of a constant, or of numbers with several zero points"
            raise Unprovable(msg)
        low, high = int(np.min(stored.low)), int(np.max(stored.high))
        numbers = rounded((np.arange(low, high + 1) - zeros[0]).astype(np.float32) * scale_of) / scale
        return to.of.lookup(to.do("-", stored, low), encoded(numbers.astype(np.float32)), step.kind)

    return Computed(step.output.shape, value, applied=(source, rounded))
