"""Functions that are chosen by the keys of the target of the `with` block around.

@generic_func
def schedule(x): ...

@schedule.register("arm_cpu")
def schedule_on_arm(x): ...

with Target("llvm -device=arm_cpu"): schedule(x)        calls schedule_on_arm
"""

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

from s2s.errors import InputError, WrongValueError
from s2s.tvm.target.target import Target

Function = Callable[..., Any]
_FUNCTIONS: dict[str, "GenericFunc"] = {}
"""The functions with names of their own."""


class GenericFunc:
    """A function for each key of targets, and one for all others."""

    def __init__(self, name: str, fdefault: Function | None = None) -> None:
        self.name, self.fdefault, self.dispatch_dict = name, fdefault, dict[str, Function]()
        if fdefault is not None:
            update_wrapper(self, fdefault)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function for the target around."""
        return self.get_packed_func()(*args, **kwargs)

    def get_packed_func(self) -> Function:
        """The function for the target around: the one of the first of its keys that has one."""
        target = Target.current()
        keys = [] if target is None else target.keys
        chosen = next((self.dispatch_dict[key] for key in keys if key in self.dispatch_dict), self.fdefault)
        if chosen is None:
            raise InputError(f"target.GenericFunc {self.name}: no function is registered for {target}; register one")
        return chosen

    def set_default(self, func: Function, allow_override: bool = False) -> None:
        """Set the function for targets without one of their own."""
        if self.fdefault is not None and not allow_override:
            raise WrongValueError(f"target.GenericFunc {self.name}: has a default function; allow_override replaces it")
        self.fdefault = func

    def register(self, func: Function, key_list: str | Sequence[str], allow_override: bool = False) -> None:
        """Set the function for targets with one of some keys."""
        for key in [key_list] if isinstance(key_list, str) else key_list:
            if key in self.dispatch_dict and not allow_override:
                raise WrongValueError(
                    f"target.GenericFunc {self.name}: {key} has a function; allow_override replaces it"
                )
            self.dispatch_dict[key] = func


class _Decorated:
    """A function of a program that is one for each key; `register` is a decorator."""

    def __init__(self, function: GenericFunc, override: bool) -> None:
        self.generic_func_node, self._override = function, override
        self.__name__ = function.name
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.generic_func_node(*args, **kwargs)

    @property
    def fdefault(self) -> Function | None:
        """The function for targets without one of their own."""
        return self.generic_func_node.fdefault

    @property
    def dispatch_dict(self) -> dict[str, Function]:
        """The functions by key."""
        return self.generic_func_node.dispatch_dict

    def get_packed_func(self) -> Function:
        """The function for the target around."""
        return self.generic_func_node.get_packed_func()

    def register(self, key: str | Sequence[str], func: Function | None = None, override: bool | None = None) -> Any:
        """Set the function for targets with one of some keys; without a function, return a decorator that does."""

        def register(function: Function) -> Function:
            self.generic_func_node.register(function, key, self._override if override is None else override)
            return function

        return register if func is None else register(func)


def get_native_generic_func(name: str) -> GenericFunc:
    """The function of a name; one without functions is made where there is none."""
    return _FUNCTIONS.setdefault(name, GenericFunc(name))


def override_native_generic_func(func_name: str) -> Callable[[Function], _Decorated]:
    """Return a decorator that makes a function the default of the function of a name."""

    def decorate(fdefault: Function) -> _Decorated:
        function = get_native_generic_func(func_name)
        function.set_default(fdefault, allow_override=True)
        update_wrapper(function, fdefault)
        return _Decorated(function, override=True)

    return decorate


def generic_func(fdefault: Function) -> _Decorated:
    """Let other functions be registered for the keys of targets."""
    return _Decorated(GenericFunc(fdefault.__name__, fdefault), override=False)
