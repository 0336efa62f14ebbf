"""Helpers of tests, under TVM's names."""

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.errors import UnsupportedError


def assert_allclose(
    actual: npt.ArrayLike, desired: npt.ArrayLike, rtol: float = 1e-7, atol: float = 1e-7, verbose: bool = True
) -> None:
    """Raise an AssertionError where two arrays differ by more than a tolerance, or in shape."""
    first, second = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(first.shape, second.shape)
    np.testing.assert_allclose(first, second, rtol=rtol, atol=atol, verbose=verbose)


def device_enabled(target: object) -> bool:
    """Whether code of a target runs here: what is compiled for this processor does."""
    return str(target).split(" ")[0] in ("llvm", "c")


def enabled_targets() -> list[tuple[str, object]]:
    """The targets that run here, each with its device."""
    from s2s.executor.device import cpu

    return [("llvm", cpu(0))]


def requires_llvm(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a test that wants this processor, which is there."""
    return function


def _skipped(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        import pytest

        return pytest.mark.skip(reason=f"{what} is not there")(function)

    return mark


requires_cuda, requires_gpu, uses_gpu = _skipped("CUDA"), _skipped("a GPU"), _skipped("a GPU")
requires_opencl, requires_vulkan, requires_rocm = _skipped("OpenCL"), _skipped("Vulkan"), _skipped("ROCm")
requires_micro = _skipped("a board")


def parametrize_targets(*targets: Any) -> Callable[..., Any]:
    """Run a test for each of some targets that runs here, with arguments `target` and `dev`."""
    import pytest

    if len(targets) == 1 and callable(targets[0]):
        return parametrize_targets()(targets[0])
    chosen = [each for each in (targets or ("llvm",)) if device_enabled(each)]
    pairs = [(each, enabled_targets()[0][1]) for each in chosen]

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        return pytest.mark.parametrize(("target", "dev"), pairs)(function)

    return mark


def known_failing_targets(*_: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark targets on which a test fails; none of them runs here."""
    return lambda function: function


exclude_targets = known_failing_targets


def parameter(*values: Any, ids: Sequence[str] | None = None, by_dict: dict[str, Any] | None = None) -> Any:
    """Return a fixture of pytest that has one value after the other."""
    import pytest

    if by_dict:
        ids, values = list(by_dict), tuple(by_dict.values())

    @pytest.fixture(params=values, ids=ids)
    def fixture(request: Any) -> Any:
        return request.param

    return fixture


def parameters(*values: Any, ids: Sequence[str] | None = None) -> list[Any]:
    """Return several fixtures whose values go together."""
    raise UnsupportedError("tvm.testing.parameters: values that go together; use pytest.mark.parametrize")


def fixture(function: Callable[..., Any] | None = None, **_: Any) -> Any:
    """Return a fixture of pytest; it is computed for each test."""
    import pytest

    return pytest.fixture(function) if function is not None else pytest.fixture


def main() -> None:
    """Run the tests of the file that calls, and exit."""
    import pytest

    frame = inspect.stack()[1]
    sys.exit(pytest.main([frame.filename, *sys.argv[1:]]))
