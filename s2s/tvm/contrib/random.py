"""Tensors of random numbers, as tensor expressions that call packed functions of the registry."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.executor.ndarray import NDArray
from s2s.tvm.runtime.registry import register_func
from s2s.tvm.te import Tensor, call_packed, extern

_generator = np.random.default_rng()


def randint(low: int, high: int, size: Sequence[int], dtype: str = "int32") -> Tensor:
    """Return a tensor [*size] of integers from `low` to `high` - 1, drawn anew at each run."""
    if "int" not in dtype:
        raise InputError(f"contrib.random.randint: dtype {dtype} has no integers; give int32")
    return _drawn("randint", (int(low), int(high)), size, dtype)


def uniform(low: float, high: float, size: Sequence[int]) -> Tensor:
    """Return a tensor float32 [*size] of numbers from `low` to below `high`, drawn anew at each run."""
    return _drawn("uniform", (float(low), float(high)), size, "float32")


def normal(loc: float, scale: float, size: Sequence[int]) -> Tensor:
    """Return a tensor float32 [*size] of normally distributed numbers, drawn anew at each run."""
    return _drawn("normal", (float(loc), float(scale)), size, "float32")


def _drawn(name: str, numbers: Sequence[int | float], size: Sequence[int], dtype: str) -> Tensor:
    def call(_: object, outputs: Sequence[Any]) -> Any:
        return call_packed(f"tvm.contrib.random.{name}", *outputs, *numbers)

    drawn: Any = extern(tuple(size), [], call, dtype=dtype)
    return drawn


def _register(name: str, draw: Callable[..., Any]) -> None:
    """Register a function that fills the array among its arguments, first as kernels give it or last as TVM does."""

    def fill(*arguments: Any) -> None:
        [array] = [each for each in arguments if isinstance(each, NDArray)]
        numbers = [each for each in arguments if not isinstance(each, NDArray)]
        array[...] = draw(*numbers, size=array.shape).astype(array.dtype)

    register_func(f"tvm.contrib.random.{name}", fill)


_register("randint", _generator.integers)
_register("uniform", _generator.uniform)
_register("normal", _generator.normal)

__all__ = ["normal", "randint", "uniform"]
