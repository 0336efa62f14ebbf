"""Sums over the iterations that run at once: lanes of the innermost loop become terms of one form."""

from __future__ import annotations

import numpy as np

from s2s.prove.control import Conflict
from s2s.prove.ctypes import I32, IntType
from s2s.prove.values import Carried, Form, Group, Number, Value, as_form, is_number, refuse_wide


def finished(
    before: Value | None, value: Value | None, carried: Carried, count: int, depth: int, ctype: IntType
) -> Value:
    """A variable after all iterations of the innermost of `depth` loops: the sum of what they added, or the last value.

    `value` is what one iteration leaves; it contains `carried` if the iteration adds to the variable.
    """
    if value is None or not is_summable(value):
        raise Conflict(carried.loop)
    if isinstance(value, Form) and any(other.loop is carried.loop and other is not carried for other in value.carried):
        raise Conflict(carried.loop)
    if before is None or not (isinstance(value, Form) and carried in value.carried):
        return _last(value, depth)
    if value.carried != (carried,):
        raise Conflict(carried.loop)
    refuse_wide(value, count)
    start, added = as_form(before), _summed(value, depth, count)
    if ctype.signed or carried.as_signed:
        _check_partial_sums(start, value, carried, depth, count, ctype if ctype.signed else I32)
    total = Form(
        start.constant + added.constant,
        start.groups + added.groups,
        start.low + added.low,
        start.high + added.high,
        start.carried,
    )
    for outer in total.carried:
        outer.hold(total.low, total.high)
        outer.as_signed |= carried.as_signed
    return total if total.groups or total.carried else total.constant


def is_summable(value: Value) -> bool:
    """Whether a variable with this value can be a sum."""
    return is_number(value) or isinstance(value, Form)


def _axis_sum(array: Number, depth: int, count: int) -> Number:
    """The sum over the innermost loop's lanes of an array with or without that axis."""
    if isinstance(array, int) or array.ndim < depth:
        return array * count
    total = np.asarray(array.sum(axis=0) * (count if array.shape[0] == 1 else 1))
    return total if total.ndim else int(total)


def _summed(form: Form, depth: int, count: int) -> Form:
    """The sum of a form over the innermost loop's lanes; terms move from lanes to terms."""
    groups: list[Group] = []
    for ids, coefficients in form.groups:
        if max(ids.ndim, coefficients.ndim) - 1 < depth:
            groups.append((ids, coefficients * count))
            continue
        part = tuple(part.reshape((1,) * (depth + 1 - part.ndim) + part.shape) for part in (ids, coefficients))
        extent = max(part[0].shape[0], part[1].shape[0])
        terms = max(ids.shape[-1], coefficients.shape[-1])
        times = count if extent == 1 else 1
        groups.append((_as_terms(part[0], extent, terms), _as_terms(part[1] * times, extent, terms)))
    constant, low, high = (_axis_sum(end, depth, count) for end in (form.constant, form.low, form.high))
    return Form(constant, tuple(groups), low, high)


def _as_terms(part: np.ndarray, extent: int, terms: int) -> np.ndarray:
    """An array of (lanes of the innermost loop, ..., terms) as (..., lanes and terms); other axes stay as they are."""
    moved = np.moveaxis(np.broadcast_to(part, (extent, *part.shape[1:-1], terms)), 0, -2)
    return moved.reshape(*moved.shape[:-2], -1)


def _check_partial_sums(start: Form, added: Form, carried: Carried, depth: int, count: int, ctype: IntType) -> None:
    """Refuse sums that may leave the type on the way, from what each iteration adds at least and at most."""
    least = int(np.min(start.low + _axis_sum(np.minimum(added.low, 0), depth, count))) + carried.least
    most = int(np.max(start.high + _axis_sum(np.maximum(added.high, 0), depth, count))) + carried.most
    for outer in start.carried:
        outer.hold(least, most)
    if least < ctype.least or most > ctype.most:
        raise Conflict(carried.loop)


def _last(value: Value, depth: int) -> Value:
    """What the last iteration of the innermost loop left."""
    if not isinstance(value, Form):
        return _last_number(value, depth) if isinstance(value, int | np.ndarray) else value
    groups = tuple((_last_terms(ids, depth), _last_terms(factors, depth)) for ids, factors in value.groups)
    low, high, number = (_last_number(end, depth) for end in (value.low, value.high, value.constant))
    return Form(number, groups, low, high, value.carried)


def _last_number(array: Number, depth: int) -> Number:
    if isinstance(array, int) or array.ndim < depth:
        return array
    last = np.asarray(array[-1])
    return last if last.ndim else int(last)


def _last_terms(array: np.ndarray, depth: int) -> np.ndarray:
    return array[-1] if array.ndim - 1 == depth else array
