"""Computes and schedules of users as one template: `register_topi_compute` and `register_topi_schedule`.

@autotvm.register_topi_compute("mine.dense")
def dense(cfg, data, weight): return topi.nn.dense(data, weight)

@autotvm.register_topi_schedule("mine.dense")
def schedule(cfg, outs): ...

task = autotvm.task.create("mine.dense", [("TENSOR", (8, 16), "float32"), ("TENSOR", (4, 16), "float32")], "llvm")
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from s2s.errors import InputError
from s2s.tvm.autotvm.template import TEMPLATES, get_config
from s2s.tvm.te.expressions import Tensor
from s2s.tvm.te.tensors import placeholder

Registered = Callable[..., Any]
TENSOR = "TENSOR"
"""The first element of an argument that stands for a tensor, before its shape and its element type."""
_computes: dict[str, Registered] = {}
_schedules: dict[str, Registered] = {}


def _register(functions: dict[str, Registered], task_name: str, func: Registered | None) -> Any:
    """Keep a function of a task among `functions`, or return the decorator that does; the configuration is passed on
    first."""

    def register(given: Registered) -> Registered:
        functions[task_name] = given
        _join(task_name)
        return lambda *args: given(get_config(), *args)

    return register if func is None else register(func)


def register_topi_compute(task_name: str, func: Registered | None = None) -> Any:
    """Let `func(cfg, *args)` compute the tensor of a task; the function that is returned takes `args` alone."""
    return _register(_computes, task_name, func)


def register_topi_schedule(task_name: str, func: Registered | None = None) -> Any:
    """Let `func(cfg, outs)` schedule the tensors of a task; the function that is returned takes `outs` alone."""
    return _register(_schedules, task_name, func)


def _join(name: str) -> None:
    """Make the template of a task that has both."""
    if name not in _computes or name not in _schedules:
        return

    def built(*args: Any) -> tuple[Any, list[Tensor]]:
        inputs = [_argument(name, number, each) for number, each in enumerate(args)]
        config = get_config()
        made = _computes[name](config, *inputs)
        outs: list[Any] = [made] if isinstance(made, Tensor) else list(made)
        return _schedules[name](config, outs), [*(each for each in inputs if isinstance(each, Tensor)), *outs]

    TEMPLATES[name] = built


def _argument(name: str, number: int, given: Any) -> Any:
    """The tensor that an argument stands for; another argument as it is."""
    if not isinstance(given, tuple | list) or next(iter(cast(Sequence[Any], given)), None) != TENSOR:
        return cast(Any, given)
    given = cast(Sequence[Any], given)
    if len(given) != 3:
        raise InputError(f"{name}: argument {number} is {given}; give ('TENSOR', shape, dtype)")
    return placeholder(tuple(given[1]), str(given[2]), f"arg{number}")
