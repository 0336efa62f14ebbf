"""Execution of a model on atoms: elements of tensors, and linear forms of them."""

from __future__ import annotations

import numpy as np

from s2s.prove.arithmetic import Arithmetic
from s2s.prove.atoms import Atoms
from s2s.prove.faults import Unprovable
from s2s.prove.reference.fixed_point import FixedPoint
from s2s.prove.reference.model import Array, Model, Tensor
from s2s.prove.values import Form, Function, Lanes, Number, Value

EXACT = 2.0**52


class Execution:
    """The atoms of a model's tensors while its operators are executed."""

    def __init__(self, model: Model, atoms: Atoms) -> None:
        self.model, self.atoms = model, atoms
        for index, tensor in enumerate(model.inputs):
            tensor.be_unknown(f"input {index}", atoms)

    def rows(self, count: int) -> FixedPoint:
        """Arithmetic on `count` results at once."""
        return FixedPoint(Arithmetic(self.atoms, Lanes([(self, count)])))

    def grid(self, shape: tuple[int, ...]) -> FixedPoint:
        """Arithmetic on results of a shape at once."""
        return FixedPoint(Arithmetic(self.atoms, Lanes([(self, extent) for extent in reversed(shape)])))

    def single(self) -> FixedPoint:
        """Arithmetic on one result."""
        return FixedPoint(Arithmetic(self.atoms, Lanes()))

    def set(self, tensor: Tensor, at: slice | Array, value: Value, to: FixedPoint) -> None:
        """Elements of a tensor from values in lanes."""
        if tensor.ids is None or tensor.numbers is None:
            tensor.ids, tensor.numbers = np.zeros(tensor.size, np.int64), np.zeros(tensor.size, np.int64)
        form = to.of.interned(value) if isinstance(value, Function) else value
        if not isinstance(form, Form) or np.any(form.groups[0][1] > 1):
            msg = f"{tensor.name} holds multiples of other results"
            raise Unprovable(msg)
        at = at if isinstance(at, slice) else at.reshape(-1)
        tensor.ids[at] = to.of.lanes.spread_terms(form.groups[0][0])[:, 0]
        tensor.numbers[at] = to.of.lanes.spread(form.constant)

    def elements(self, tensor: Tensor, at: Array) -> Form:
        """Elements of a tensor at flat positions, in lanes."""
        one = np.ones((len(at), 1), np.int64)
        return self.form(
            tensor.atoms.reshape(-1)[at][:, None],
            tensor.plain.reshape(-1)[at][:, None],
            one,
            np.zeros(len(at), np.int64),
        )

    def form(self, ids: Array, numbers: Array, factors: Array, constant: Number) -> Form:
        """constant + sum(factors * elements) with terms along the last axis."""
        if np.ndim(constant) > 1:
            return self._crossed(ids, numbers, factors, np.asarray(constant))
        there = (ids != 0).astype(np.int64)
        coefficients = np.broadcast_to(factors, ids.shape) * there
        constant = constant + (numbers * factors).sum(-1)
        ends = coefficients * self.atoms.low[ids], coefficients * self.atoms.high[ids]
        return Form(
            constant,
            ((ids, coefficients),),
            constant + np.minimum(*ends).sum(-1),
            constant + np.maximum(*ends).sum(-1),
        )

    def _crossed(self, ids: Array, numbers: Array, factors: Array, constant: Array) -> Form:
        """The same for rows of factors and places of atoms, each as (rows, 1, terms), (1, places, terms)."""
        rows, places = factors[:, 0].astype(np.float64), ids[0]
        up, down = np.maximum(rows, 0), np.minimum(rows, 0)
        least, most = (end[places].T.astype(np.float64) for end in (self.atoms.low, self.atoms.high))
        total = constant + _exact(rows @ numbers[0].T.astype(np.float64))
        low, high = (_exact(up @ a + down @ b) for a, b in ((least, most), (most, least)))
        return Form(total, ((ids, factors),), total + low, total + high)


def _exact(sums: Array) -> Array:
    """Sums of integers as such.

    Raises Unprovable where floats of 64 bits may have rounded them.
    """
    if np.max(np.abs(sums), initial=0) > EXACT:
        msg = "sums above 2^52"
        raise Unprovable(msg)
    return sums.astype(np.int64)
