"""Create sample values for tensors: inputs for comparing engines, weights of networks written as text.

The values depend on the name and type of the tensor alone, so they are the same on every machine and in every run.
"""

import hashlib

import numpy as np

from s2s.types.dtypes import AnyTensor, Array, is_bool, is_float, size_in_bytes, to_numpy

FULL_RANGE_BYTES = 1
"""Integers up to this size are drawn from their whole range; wider ones often are indices and stay at 0 and 1."""
DECIMALS = 4
"""Decimals of floats: test vectors are text, which more digits make longer and no better."""


def sample(name: str, tensor: AnyTensor, seed: int = 0, *, full_range: bool = False) -> Array:
    """Return values for the tensor called `name`: normally distributed numbers of a few decimals, small integers, or
    both truth values.

    With `full_range`, integers of any width are drawn from their whole range: they stand for real numbers.
    """
    digest = hashlib.sha256(f"{seed} {name} {tensor}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8]))
    element, shape = tensor.element_type, tensor.get_shape()
    dtype = to_numpy(element)
    if is_float(element):
        return np.round(rng.standard_normal(shape, np.float32), DECIMALS).astype(dtype)
    if is_bool(element) or (size_in_bytes(element) > FULL_RANGE_BYTES and not full_range):
        return rng.integers(0, 2, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
