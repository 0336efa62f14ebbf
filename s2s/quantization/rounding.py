"""Round weights such that errors make up for each other in the sums: columns in order, the error of each is spread
over the columns that are still to be rounded.

    minimise (w - q) H (w - q)^T       H = mean(x x^T) of what the weights multiply, for each output channel alone

With `H^-1 = U^T U` the best change of the columns behind `j`, once `w_j` became `q_j`, is
`-(w_j - q_j) / U_jj * U_j,behind`. (Frantar et al., GPTQ, 2022, after Hassibi and Stork's optimal brain surgeon.)
Worked example: `w = (0.4, 0.4)` and inputs that are always equal, `H = ((1, 1), (1, 1))`. Rounded alone both become 0,
and the sum loses 0.8; here the first becomes 0, the second then is 0.8 and becomes 1.
"""

import numpy as np

from s2s.quantization.network import Layer
from s2s.types.dtypes import Array

DAMPING = 0.01
"""What is added to the diagonal of H, as a share of its mean: few samples leave directions without any."""
MAX_INPUTS = 4096
"""Inputs of an output at most; the inverse of a larger matrix takes minutes."""
FACTORS = np.linspace(1.0, 0.5, 21)
"""The parts of the whole range that scales are tried with."""


def rounded_weights(layer: Layer, steps: Array, moments: Array, low: int, high: int) -> Array:
    """Round the weights of a layer, in steps, to whole numbers from `low` to `high`; `moments` are `[groups, n, n]`."""
    flat = layer.with_outputs_first(steps)
    groups = flat.reshape(len(moments), -1, flat.shape[1])
    done = np.concatenate([rounded(*pair, low, high) for pair in zip(groups, moments, strict=True)])
    return done.reshape(steps.shape) if layer.output_axis == 0 else done.T.reshape(steps.shape)


def rounded(steps: Array, moments: Array, low: int, high: int) -> Array:
    """Return weights `[outputs, n]` in steps as whole numbers from `low` to `high`, for inputs with `moments`
    `[n, n]`."""
    count = steps.shape[1]
    plain = np.clip(np.rint(steps), low, high)
    if count > MAX_INPUTS or not moments.any():
        return plain
    damped = moments + np.eye(count) * (DAMPING * np.trace(moments) / count)
    inverse: Array = np.linalg.inv(damped)  # pyright: ignore[reportUnknownVariableType]
    lower: Array = np.linalg.cholesky(inverse)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    factor: Array = np.transpose(lower)  # pyright: ignore[reportUnknownArgumentType]
    left, together = steps.astype(np.float64).copy(), plain.copy()
    for column in range(count):
        together[:, column] = np.clip(np.rint(left[:, column]), low, high)
        error: Array = (left[:, column] - together[:, column]) / factor[column, column]
        left[:, column + 1 :] -= error[:, None] * factor[column, column + 1 :]
    better = loss(steps - together, moments) < loss(steps - plain, moments)
    return np.where(better[:, None], together, plain)


def loss(errors: Array, moments: Array) -> Array:
    """Return the mean squared error of each output's sums from the errors `[outputs, n]` of its weights."""
    return np.einsum("oi,ij,oj->o", errors, moments, errors, optimize=True)


def scales(weights: Array, moments: Array, low: int, high: int) -> Array:
    """Return the scale of each output of weights `[outputs, n]` whose rounding to `low` to `high` leaves the least
    error in the sums."""
    full = np.maximum(np.abs(weights).max(axis=1) / high, 1e-12)
    tried = [full * part for part in FACTORS]
    losses = [
        loss(weights - np.clip(np.rint(weights / scale[:, None]), low, high) * scale[:, None], moments)
        for scale in tried
    ]
    return np.take_along_axis(np.array(tried), np.argmin(losses, axis=0)[None], axis=0)[0]
