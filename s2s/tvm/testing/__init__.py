"""Helpers of tests, under TVM's names."""

import importlib
import inspect
import platform
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from s2s.executor.device import Device
from s2s.tvm.refusals import refusing
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.tvm.runtime.registry import register_func

__all__ = [
    "assert_allclose",
    "device_enabled",
    "device_test",
    "echo",
    "enabled_targets",
    "exclude_targets",
    "fixture",
    "known_failing_targets",
    "main",
    "parameter",
    "parameters",
    "parametrize_targets",
    "requires_llvm",
    "requires_micro",
    "requires_x86",
    "skip_if_32bit",
    "uses_gpu",
]


def assert_allclose(
    actual: npt.ArrayLike, desired: npt.ArrayLike, rtol: float = 1e-7, atol: float = 1e-7, verbose: bool = True
) -> None:
    """Raise an AssertionError where two arrays differ by more than a tolerance, or in shape."""
    first, second = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(first.shape, second.shape)
    np.testing.assert_allclose(first, second, rtol=rtol, atol=atol, verbose=verbose)


@register_func("testing.echo")
def _first(value: Any, *_: Any) -> Any:
    """The first of some values."""
    return value


def echo(*args: Any) -> Any:
    """Return the first of some values as it comes out of a packed function."""
    return PackedFunc(_first, "testing.echo")(*args)


def device_test(dev: Device, dtype: int, did: int) -> Device:
    """Return a device that has a number and an index, after checking that it does."""
    assert (dev.device_type, dev.device_id) == (dtype, did), f"{dev} is not device {did} of type {dtype}"
    return dev


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


def requires_micro(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a test that wants archives and targets of microTVM, which are there."""
    return function


def _skipped(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        import pytest

        return pytest.mark.skip(reason=f"{what} is not there")(function)

    return mark


def uses_gpu(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a test that would also run on a GPU."""
    return function


def requires_x86(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a test that wants a processor of Intel's kind."""
    return function if platform.machine() in ("x86_64", "AMD64") else _skipped("such a processor")(function)


def skip_if_32bit(reason: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a test that wants a processor of 64 bits, which this is."""
    return lambda function: function


def parametrize_targets(*args: Any) -> Callable[..., Any]:
    """Run a test for each of some targets that runs here, as its argument `target`, and as `dev` if it has one."""
    import pytest

    if len(args) == 1 and callable(args[0]):
        return parametrize_targets()(args[0])
    chosen = [each for each in (args or ("llvm",)) if device_enabled(each)]
    device = enabled_targets()[0][1]

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        if "dev" not in inspect.signature(function).parameters:
            return pytest.mark.parametrize("target", chosen)(function)
        return pytest.mark.parametrize(("target", "dev"), [(each, device) for each in chosen])(function)

    return mark


def known_failing_targets(*args: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark targets on which a test fails; none of them runs here."""
    return lambda function: function


exclude_targets = known_failing_targets


def parameter(*values: Any, ids: Sequence[str] | None = None, by_dict: dict[str, Any] | None = None) -> Any:
    """Return a fixture of pytest that has one value after the other."""
    import pytest

    if by_dict:
        ids, values = list(by_dict), tuple(by_dict.values())

    @pytest.fixture(params=values, ids=ids)
    def fixture(*_: object, request: Any) -> Any:
        return request.param

    return fixture


def parameters(*value_sets: Sequence[Any], ids: Sequence[str] | None = None) -> list[Any]:
    """Return fixtures whose values go together: one for each column of `value_sets`, whose rows are cases."""
    import pytest

    names = inspect.stack()[1].frame.f_locals
    owner = ["self"] if "__qualname__" in names else []
    row = f"row_of_parameters_{sum(name.startswith('row_of_parameters_') for name in names)}"

    def number(*_: object, request: Any) -> int:
        return request.param

    function = _named(number, [*owner, "request"])
    names[row] = pytest.fixture(params=range(len(value_sets)), ids=ids, name=row)(function)
    return [_column([*owner, row], column) for column in zip(*value_sets, strict=True)]


def _column(arguments: Sequence[str], column: Sequence[Any]) -> Any:
    """Return a fixture that reads the column at the row of another fixture, which it names as its argument."""
    import pytest

    def value(*_: object, **numbers: int) -> Any:
        return column[numbers[arguments[-1]]]

    return pytest.fixture(_named(value, arguments))


def _named(function: Callable[..., Any], arguments: Sequence[str]) -> Callable[..., Any]:
    """Return a function with the names of its arguments, which pytest reads."""
    kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(arguments)
    parameters = [inspect.Parameter(name, kind) for name, kind in zip(arguments, kinds, strict=True)]
    function.__dict__["__signature__"] = inspect.Signature(parameters)
    return function


def fixture(func: Callable[..., Any] | None = None, *, cache_return_value: bool = False) -> Any:
    """Return a fixture of pytest; it is computed for each test, so that no test sees what another made of it."""
    import pytest

    return pytest.fixture(func) if func is not None else pytest.fixture


def main() -> None:
    """Run the tests of the file that calls, and exit."""
    import pytest

    frame = inspect.stack()[1]
    sys.exit(pytest.main([frame.filename, *sys.argv[1:]]))


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "autotvm":
            return importlib.import_module("s2s.tvm.testing.autotvm")
        if not name.startswith("requires_"):
            return refusing("testing")(name)
        return _skipped(name.removeprefix("requires_"))
