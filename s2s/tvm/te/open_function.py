"""`tvm.build`: a scheduled function, with the sizes that `te.var` leaves open compiled for the sizes of each call.

n = te.var("n")
A = te.placeholder((n,), name="A")
fadd = tvm.build(s, [A, B, C])
fadd(a, b, c)           compiled for the size of a, once for each size
"""

from collections.abc import Callable, Mapping, Sequence
from math import lcm
from typing import Any

import numpy as np

from s2s.errors import InputError, UnsupportedError, WrongValueError
from s2s.tvm.relay.options import Runtime
from s2s.tvm.runtime.module import Module
from s2s.tvm.target import target_of
from s2s.tvm.te.build import DEFAULT_NAME, Argument, Function, TargetLike
from s2s.tvm.te.build import build as build_function
from s2s.tvm.te.build import lower as lower_function
from s2s.tvm.te.expressions import Tensor, Var
from s2s.tvm.te.operations import outputs_of
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.te.stage import Split
from s2s.tvm.te.tensors import argument_of

Build = Callable[[Mapping[str, int]], Module]


def open_sizes(args: Sequence[Argument], bind: Mapping[str, int]) -> list[str]:
    """Return the names of the sizes of arguments that have no value."""
    names = [size.name for each in args if isinstance(each, Tensor) for size in each.shape if isinstance(size, Var)]
    return [name for name in dict.fromkeys(names) if name not in bind]


def _is_size(argument: Argument, args: Sequence[Argument]) -> bool:
    """Whether an argument is a variable that is a size of another one."""
    return isinstance(argument, Var) and argument.name in open_sizes(args, {})


class OpenFunction(Module):
    """A function whose sizes come from the arrays of a call."""

    type_key = "c"

    def __init__(self, name: str, args: Sequence[Argument], build: Build, bind: Mapping[str, int]) -> None:
        super().__init__({name: self._run}, entry=name)
        self._name, self._args, self._build, self._bind = name, list(args), build, dict(bind)
        self._built: dict[tuple[int, ...], Module] = {}

    @property
    def entry_name(self) -> str:
        """The name of the function."""
        return self._name

    def get_source(self, fmt: str = "") -> str:
        """The C of the sizes that the function was called with, one after the other."""
        if not self._built:
            raise InputError(f"{self._name}: its sizes are open; call it, or give bind= to build")
        return "\n".join(each.get_source() for each in self._built.values())

    def save(self, file_name: str, fmt: str = "") -> None:
        """Refused: a library has constant sizes."""
        names = ", ".join(f"{name!r}: …" for name in open_sizes(self._args, self._bind))
        raise InputError(f"{self._name}: a library has constant sizes; give bind={{{names}}} to build")

    def _run(self, *arrays: Any) -> None:
        if len(arrays) != len(self._args):
            raise InputError(f"{self._name}: {len(arrays)} arrays given, {len(self._args)} wanted; give one each")
        sizes = dict(self._bind)
        passed: list[Any] = []
        for argument, array in zip(self._args, arrays, strict=True):
            if isinstance(argument, Var) and _is_size(argument, self._args):
                self._take(sizes, argument.name, argument, int(array))
                continue
            passed.append(array)
            shape = argument_of(argument).shape
            if len(shape) != np.ndim(array):
                raise InputError(
                    f"{self._name}: {argument} has {len(shape)} dimensions, an array of {np.ndim(array)} is given; "
                    "reshape it"
                )
            for size, given in zip(shape, np.shape(array), strict=True):
                self._take(sizes, argument_of(argument).name, size, given)
        key = tuple(sizes.values())
        if key not in self._built:
            self._built[key] = self._build(sizes)
        self._built[key].entry_func(*passed)

    def _take(self, sizes: dict[str, int], argument: str, size: object, given: int) -> None:
        """Let a variable be the size that is given; refuse another one than before."""
        if isinstance(size, Var) and sizes.setdefault(size.name, given) != given:
            raise InputError(
                f"{self._name}: {argument}: {size.name} is {given} here and {sizes[size.name]} elsewhere; make them "
                "agree"
            )


SHOWN = 1024
"""About the value at which `lower` shows sizes that are open."""


def shown_size(schedule: Schedule) -> int:
    """The value at which `lower` shows open sizes: the multiple of all factors of splits that is closest below."""
    splits = [each for stage in schedule.stages for each in stage.relations if isinstance(each, Split)]
    factor = lcm(*(each.factor for each in splits if isinstance(each.factor, int)))
    return factor * max(SHOWN // factor, 1)


class Lowered(str):
    """The loops of a function as text, which `build` takes in place of a schedule and its arguments."""

    __slots__ = ("args", "bind", "function", "schedule")
    schedule: Schedule
    args: Sequence[Argument]
    function: str
    bind: Mapping[str, int]


def lower(
    inp: Schedule,
    args: Sequence[Argument],
    name: str = "main",
    binds: Mapping[Tensor, object] | None = None,
    simple_mode: bool = False,
    *,
    target: TargetLike = None,
    bind: Mapping[str, int] | None = None,
) -> Lowered:
    """Return the loops of a scheduled function as text, with the sizes that `bind` gives.

    Loops are those of constant sizes; where `te.var` leaves some open, the first line says at which value they are
    shown.
    """
    if binds:
        raise UnsupportedError("tvm.lower: binds gives buffers to tensors, and buffers are planned; leave it out")
    value, given = shown_size(inp), bind or {}
    wanted = [*args, *(each for op in inp.outputs for each in outputs_of(op))]
    sizes = {**dict.fromkeys(open_sizes(wanted, given), value), **given}
    passed = [each for each in args if not _is_size(each, args)]
    text = lower_function(inp, passed, name, simple_mode=simple_mode, target=target, bind=sizes)
    shown = ", ".join(f"{size} = {value}" for size in open_sizes(wanted, given))
    text = f"// open sizes are shown at {shown}\n{text}" if shown else text
    lowered = Lowered(text)
    lowered.schedule, lowered.args, lowered.bind = inp, args, given
    lowered.function = DEFAULT_NAME if name == "main" else name
    return lowered


def build(
    inputs: Schedule | Lowered,
    args: Sequence[Argument] | None = None,
    target: TargetLike = None,
    target_host: TargetLike = None,
    runtime: object = None,
    name: str = DEFAULT_NAME,
    *,
    bind: Mapping[str, int] | None = None,
) -> Function | OpenFunction:
    """Compile a scheduled function of `args`, arrays in this order, of which the computed ones are written; or what
    `lower` has made of one.

    `bind` gives sizes that `te.var` left open; others are those of the arrays of each call. For a `Runtime` with
    `system-lib`, `runtime.system_lib` finds the function once its library is loaded.
    """
    named, given = target_of(target, target_host), bind or {}
    if isinstance(inputs, Lowered):
        name = inputs.function if name == DEFAULT_NAME else name
        inputs, args, given = inputs.schedule, inputs.args, {**inputs.bind, **given}
    if args is None:
        raise WrongValueError("tvm.build: a schedule is built with its arguments; give a list of tensors")
    passed = [each for each in args if not _is_size(each, args)]
    if not open_sizes(args, given) and len(passed) == len(args):
        function = build_function(inputs, args, named, name, bind=given)
        function.is_system = isinstance(runtime, Runtime) and bool(runtime["system-lib"])
        return function
    return OpenFunction(name, args, lambda sizes: build_function(inputs, passed, named, name, bind=sizes), given)
