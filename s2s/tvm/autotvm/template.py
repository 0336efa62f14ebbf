"""Templates: functions that build a schedule with open choices, `get_config()` telling which value each choice has.

    @autotvm.template("tutorial/matmul")
    def matmul(n: int, m: int) -> tuple[Schedule, list[Tensor]]:
        …
        cfg = autotvm.get_config()
        cfg.define_split("tile_x", x, num_outputs=2)
        xo, xi = cfg["tile_x"].apply(s, C, x)
        return s, [A, B, C]

Called by a program, a template obeys the best configuration that the dispatch contexts around know for its arguments.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec

from s2s.decisions.keys import DIGITS, target_text
from s2s.errors import InputError, WrongValueError
from s2s.targets import Target
from s2s.tvm.autotvm.config import Config, ConfigEntity
from s2s.tvm.autotvm.dispatch_context import configuration
from s2s.tvm.autotvm.space import ConfigSpace
from s2s.tvm.target import target_of
from s2s.tvm.te import Schedule, Tensor

Built = tuple[Schedule, Sequence[Tensor]]
Arguments = ParamSpec("Arguments")

CONFIG = "config"
"""The kind of decision that a configuration of a template is."""
TEMPLATES: dict[str, Callable[..., Built]] = {}
"""The undecorated functions by the names of templates."""
_current: ContextVar[Config | None] = ContextVar("configuration", default=None)


class InstantiationError(WrongValueError):
    """A template has refused a configuration by `raise_error`."""


def template(task_name: str) -> Callable[[Callable[Arguments, Built]], Callable[Arguments, Built]]:
    """Make a template of a function that returns a schedule and its arguments."""

    def decorate(function: Callable[Arguments, Built]) -> Callable[Arguments, Built]:
        TEMPLATES[task_name] = function

        @wraps(function)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Built:
            if kwargs:
                raise InputError(
                    f"template {task_name}: {', '.join(kwargs)}: is given by name; give arguments by their places"
                )
            return instantiated(task_name, args, configuration_in_effect(task_name, args))

        return call

    return decorate


def get_config() -> Any:
    """Return the configuration of the template that runs: open while its knobs are collected, given else."""
    config = _current.get()
    if config is None:
        raise InputError("autotvm.get_config: no template runs; call it in a function under @autotvm.template")
    return config


def instantiated(name: str, args: Sequence[Any], config: Config) -> Built:
    """Run a template with a configuration."""
    if name not in TEMPLATES:
        known = ", ".join(TEMPLATES) or "none"
        raise InputError(f"task {name}: there is no such template; the templates are {known}")
    config.errors.clear()
    before = _current.set(config)
    try:
        made = TEMPLATES[name](*args)
    finally:
        _current.reset(before)
    if config.errors and isinstance(config, ConfigEntity):
        raise InstantiationError(f"template {name}: configuration {config}: {config.errors[0]}; take another one")
    return made


def collected(name: str, args: Sequence[Any]) -> ConfigSpace:
    """Run a template to learn its knobs."""
    space = ConfigSpace()
    instantiated(name, args, space)
    return space


def template_key(name: str, args: Sequence[Any], target: Target) -> str:
    """Return the task key of a template with its arguments on a target."""
    text = json.dumps([name, *args]) + target_text(target)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def configuration_in_effect(name: str, args: Sequence[Any]) -> Config:
    """Return the best configuration that the contexts around know; the first values of all knobs where none does."""
    return configuration(target_of(None), (name, *args))
