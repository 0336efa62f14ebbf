"""Tensors of torch from arrays."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from s2s.frontends.torch.dtypes import BFLOAT16
from s2s.types.dtypes import Array

if TYPE_CHECKING:
    import torch


def to_tensor(array: Array) -> torch.Tensor:
    """A tensor of the values of `array`, which it copies."""
    import torch

    if array.dtype == BFLOAT16:
        return torch.from_numpy(np.array(array).view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


def tensor_on(array: Array) -> torch.Tensor:
    """A tensor on the memory of `array`."""
    import torch

    if array.dtype == BFLOAT16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def array_on(tensor: torch.Tensor) -> Array:
    """An array on the memory of `tensor`."""
    import torch

    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(BFLOAT16)
    return tensor.numpy()
