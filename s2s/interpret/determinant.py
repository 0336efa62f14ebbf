"""The numpy meaning of the routine that computes determinants (`s2s_determinant.h`)."""

import numpy as np

from s2s.types.dtypes import Array


def determinant(x: Array) -> Array:
    """Return the determinants of matrices `x[…, i, j]`, by the steps of the routine, in the same order."""
    size = x.shape[-1]
    a = x.reshape(-1, size, size).copy()
    product, numbers = np.ones(len(a), x.dtype), np.arange(len(a))
    singular = np.zeros(len(a), np.bool_)
    for step in range(size):
        pivots = step + np.argmax(np.abs(a[:, step:, step]), 1)
        best = a[numbers, pivots]
        a[numbers, pivots] = a[:, step]
        a[:, step] = best
        singular |= best[:, step] == 0
        product *= np.where(pivots == step, best[:, step], -best[:, step])
        factors = a[:, step + 1 :, step] / best[:, None, step]
        a[:, step + 1 :, step + 1 :] -= factors[:, :, None] * best[:, None, step + 1 :]
    return np.where(singular, np.zeros((), x.dtype), product).reshape(x.shape[:-2])
