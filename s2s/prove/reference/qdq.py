"""The operators of quantised ONNX models between DequantizeLinear and QuantizeLinear (QDQ)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from s2s.prove.atoms import Atoms
from s2s.prove.ctypes import F32, I32, I64
from s2s.prove.faults import Unprovable
from s2s.prove.floats import encoded
from s2s.prove.reference.execution import Execution
from s2s.prove.reference.fixed_point import FixedPoint
from s2s.prove.reference.linear import conv, gemm, matmul, mean, one_scale, pool, pooled
from s2s.prove.reference.model import Array, Model, Step, Tensor
from s2s.prove.reference.pointwise import FUNCTIONS, added, divided, function_of, multiplied
from s2s.prove.reference.real import Real, Scaled
from s2s.prove.values import Value

PART = 1 << 14
"""Elements that are executed at once at most."""
MAX_TERMS = 1 << 22
MANY = 1 << 20
MAX_LANES = 1 << 17
"""Elements in rows that are executed at once."""


class Quantised:
    """The real-valued tensors of a model, and its execution."""

    def __init__(self, model: Model, atoms: Atoms) -> None:
        self.execution = Execution(model, atoms)
        self.real: dict[int, Real] = {}

    def real_of(self, tensor: Tensor) -> Real:
        """A tensor that integers and scales give."""
        real = self.real.get(id(tensor))
        if real is None:
            msg = f"{tensor.name} is a float that no DequantizeLinear gives"
            raise Unprovable(msg)
        return real

    def scaled(self, tensor: Tensor) -> Scaled:
        """A tensor that is integer sums times scales."""
        real = self.real_of(tensor)
        if not isinstance(real, Scaled) or np.isfinite(real.low) or np.isfinite(real.high):
            msg = f"{tensor.name} is a sum, or has limits, before it is quantised"
            raise Unprovable(msg)
        return real

    def parts(self, size: int, width: int, rows: int = 1) -> list[Array]:
        """Flat positions of elements in parts, as (rows, places) if there are rows with the same atoms."""
        if rows > 1:
            grid, step = np.arange(size).reshape(rows, -1), max(1, min(MAX_LANES // rows, MAX_TERMS // width))
            return [grid[:, begin : begin + step] for begin in range(0, grid.shape[1], step)]
        step = max(1, min(PART, MAX_TERMS // max(1, width)))
        return [np.arange(begin, min(begin + step, size)) for begin in range(0, size, step)]

    def as_float(self, to: FixedPoint, real: Scaled, at: Array, factor: Array) -> Value:
        """float32(sum) * factor for elements."""
        ids, numbers, factors, constant = real.terms(at)
        total = self.execution.form(ids, numbers, factors, constant)
        return to.of.on_floats("*", to.of.convert_float(total, I64, F32), encoded(factor))


def _one_scale(step: Step) -> tuple[np.float32, int]:
    """Scale and zero point of a tensor as a whole."""
    scale = step.operand(1).constants
    zero = step.operands[2] if len(step.operands) > 2 else None
    if scale.size != 1 or (zero is not None and zero.constants.size != 1):
        msg = f"{step.kind} with a scale for each channel of what is computed"
        raise Unprovable(msg)
    return np.float32(scale.reshape(-1)[0]), 0 if zero is None else int(zero.constants.reshape(-1)[0])


def dequantize(of: Quantised, step: Step) -> None:
    """DequantizeLinear: the integers above the zero point, times the scale."""
    if step.table.get("block_size", 0):
        msg = "DequantizeLinear in blocks"
        raise Unprovable(msg)
    source, scales = step.operand(0), step.operand(1).constants.astype(np.float32).reshape(-1)
    zero = step.operands[2].constants.reshape(-1) if len(step.operands) > 2 and step.operands[2] else np.zeros(1, int)
    channel = np.zeros(source.shape, np.int64)
    if scales.size > 1:
        axis = int(step.table.get("axis", 1)) % len(source.shape)
        view = [1] * len(source.shape)
        view[axis] = source.shape[axis]
        channel = np.broadcast_to(np.arange(source.shape[axis]).reshape(view), source.shape)
    channel = channel.reshape(-1)
    offsets = np.broadcast_to(zero, scales.shape).astype(np.int64)

    def terms(at: Array) -> tuple[Array, Array, Array, Array]:
        one = np.ones((len(at), 1), np.int64)
        below = -offsets[channel[at]]
        if source.data is not None:
            return 0 * one, source.constants.reshape(-1)[at][:, None].astype(np.int64), one, below
        return source.atoms.reshape(-1)[at][:, None], source.plain.reshape(-1)[at][:, None], one, below

    of.real[id(step.output)] = Scaled(source.shape, terms, lambda at: scales[channel[at]], 1)


def quantize(of: Quantised, step: Step) -> None:
    """QuantizeLinear: the real value over the scale, rounded to the nearest integer, halves to even, in its type."""
    source, output = step.operand(0), step.output
    scale, zero = _one_scale(step)
    real = of.real.get(id(source))
    ctype = output.ctype
    low, high = ctype.least, ctype.most
    if real is not None:
        least, most = (_stored(limit, scale, zero) for limit in (real.low, real.high))
        low, high = min(max(low, least), high), max(min(high, most), low)
    width, rows = (real.width, real.rows) if isinstance(real, Scaled) else (2, 1)
    for at in of.parts(output.size, width, rows if output.shape[0] == 1 else 1):
        to = of.execution.grid(at.shape)
        if real is None:
            value = to.of.on_floats("/", of.execution.elements(source, at), int(encoded(np.asarray(scale))))
        elif isinstance(real, Scaled):
            value = of.as_float(to, real, at, (real.scale(at) / scale).astype(np.float32))
        else:
            value = real.value(to, at, scale)
        nearest = to.of.unary("rint", value, F32)
        ends = (int(encoded(np.asarray(end - zero, np.float32))) for end in (low, high))
        limited = to.of.convert_float(_between(to, nearest, *ends), F32, I32)
        of.execution.set(output, at, to.do("+", limited, zero), to)


def _between(to: FixedPoint, x: Value, low: int, high: int) -> Value:
    """A float between two others, all by their keys."""
    raised = to.of.select(to.of.compare("<", x, low, F32), low, x, F32)
    return to.of.select(to.of.compare(">", raised, high, F32), high, raised, F32)


def _stored(limit: float, scale: np.float32, zero: int) -> int:
    """A real limit as a stored number, far beyond each type where it is infinite."""
    with np.errstate(over="ignore"):
        return int(np.clip(np.rint(np.float32(limit) / scale), -MANY, MANY)) + zero


def relu(of: Quantised, step: Step) -> None:
    """Relu: a limit."""
    of.real[id(step.output)] = of.real_of(step.operand(0)).limited(0.0, np.inf)


def clip(of: Quantised, step: Step) -> None:
    """Clip between constants."""
    limits = [*step.operands[1:], None, None][:2]
    low, high = (
        end if term is None else float(term.constants) for term, end in zip(limits, (-np.inf, np.inf), strict=True)
    )
    of.real[id(step.output)] = of.real_of(step.operand(0)).limited(low, high)


def max_pool(of: Quantised, step: Step) -> None:
    """MaxPool: the greatest of a window's integers, times their scale."""
    real = of.scaled(step.operand(0))
    scale = one_scale(real)
    members, constant = pooled(step, real)
    ids = np.array([of.execution.atoms.maximum(window, "max") for window in members], np.int64)

    def terms(at: Array) -> tuple[Array, Array, Array, Array]:
        one = np.ones((len(at), 1), np.int64)
        return ids[at][:, None], 0 * one, one, np.full(len(at), constant)

    def scales(at: Array) -> Array:
        return np.full(len(at), scale)

    of.real[id(step.output)] = replace(real, shape=step.output.shape, terms=terms, scale=scales)


def movement(of: Quantised, step: Step) -> None:
    """Flatten, Reshape, Squeeze and Unsqueeze: the same elements in order; Transpose: in another one."""
    source, shape = step.operand(0), step.output.shape
    places = np.arange(source.size).reshape(source.shape)
    if step.kind == "Transpose":
        places = places.transpose(step.table.get("perm"))
    elif step.kind == "Slice":
        places = places[_slices(step, source.shape)]
    flat = places.reshape(-1)
    if source.ids is not None and source.numbers is not None and id(source) not in of.real:
        step.output.ids, step.output.numbers = source.ids[flat], source.numbers[flat]
        return
    real = of.real_of(source)
    if not isinstance(real, Scaled):
        msg = f"{step.kind} of a sum before it is quantised"
        raise Unprovable(msg)
    of.real[id(step.output)] = real.moved(places.reshape(shape))


def _slices(step: Step, shape: tuple[int, ...]) -> tuple[slice, ...]:
    """The part of each axis that Slice takes."""
    starts, ends = (step.operand(index).constants.reshape(-1).tolist() for index in (1, 2))
    axes, steps = (
        other if len(step.operands) <= index else step.operand(index).constants.reshape(-1).tolist()
        for index, other in ((3, list(range(len(starts)))), (4, [1] * len(starts)))
    )
    if min(steps) < 1:
        msg = "Slice backwards"
        raise Unprovable(msg)
    taken = [slice(None)] * len(shape)
    for start, end, axis, stride in zip(starts, ends, axes, steps, strict=True):
        taken[axis] = slice(start, end, stride)
    return tuple(taken)


OPERATORS: dict[str, Callable[[Quantised, Step], None]] = {
    "DequantizeLinear": dequantize,
    "QuantizeLinear": quantize,
    "Conv": lambda of, step: of.real.update({id(step.output): conv(step, *_operands(of, step))}),
    "Gemm": lambda of, step: of.real.update({id(step.output): gemm(step, *_operands(of, step))}),
    "MatMul": lambda of, step: of.real.update({id(step.output): _matmul(of, step)}),
    "GlobalAveragePool": lambda of, step: of.real.update({id(step.output): mean(step, of.scaled(step.operand(0)))}),
    "ReduceMean": lambda of, step: of.real.update({id(step.output): mean(step, of.scaled(step.operand(0)))}),
    "AveragePool": lambda of, step: of.real.update({id(step.output): pool(step, of.scaled(step.operand(0)))}),
    "MaxPool": max_pool,
    "Add": lambda of, step: of.real.update({id(step.output): added(of, step)}),
    "Sub": lambda of, step: of.real.update({id(step.output): added(of, step)}),
    "Mul": lambda of, step: of.real.update({id(step.output): multiplied(of, step)}),
    "Div": lambda of, step: of.real.update({id(step.output): divided(of, step)}),
    **dict.fromkeys(FUNCTIONS, lambda of, step: of.real.update({id(step.output): function_of(of, step)})),
    "Relu": relu,
    "Clip": clip,
    **dict.fromkeys(("Flatten", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Slice", "Identity"), movement),
}


def _matmul(of: Quantised, step: Step) -> Scaled:
    """MatMul with constant weights, or of two results."""
    a, b, _ = _operands(of, step)
    is_constant = not np.any(b.terms(np.arange(b.size))[0])
    return gemm(step, a, b, None) if is_constant and len(b.shape) == 2 else matmul(of.execution.single().of, step, a, b)


def _operands(of: Quantised, step: Step) -> tuple[Scaled, Scaled, Scaled | None]:
    """Input, weights and bias."""
    bias = of.scaled(step.operand(2)) if len(step.operands) > 2 and step.operands[2] is not None else None
    return of.scaled(step.operand(0)), of.scaled(step.operand(1)), bias


def execute_onnx(model: Model, atoms: Atoms) -> None:
    """Give every tensor of integers of an ONNX model its atoms, and also the floats that something reads.

    Where the reference does not have an operator, its result is new atoms and the step says the reason.
    """
    of = Quantised(model, atoms)
    for step in model.steps:
        try:
            operator = OPERATORS.get(step.kind)
            if operator is None:
                msg = f"the reference has no {step.kind}"
                raise Unprovable(msg)
            operator(of, step)
        except Unprovable as limit:
            step.reason = str(limit)
            step.output.be_unknown(f"result of operator {step.number}", atoms)
    for step in model.steps:
        if step.operand(0).data is None:
            _give_floats(of, model, step)


def _give_floats(of: Quantised, model: Model, step: Step) -> None:
    """The elements of a dequantised tensor that an operator without a reference, or the caller, reads."""
    real, output = of.real.get(id(step.output)), step.output
    read = any(output is tensor for tensor in model.outputs) or any(
        other.reason and any(output is operand for operand in other.operands) for other in model.steps
    )
    if not isinstance(real, Scaled) or not read or np.isfinite(real.low) or np.isfinite(real.high):
        step.is_part = real is not None
        return
    for at in of.parts(output.size, real.width):
        to = of.execution.rows(len(at))
        of.execution.set(output, slice(int(at[0]), int(at[-1]) + 1), of.as_float(to, real, at, real.scale(at)), to)
