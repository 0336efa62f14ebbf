"""`tvm.build`: a scheduled function, with the sizes that `te.var` leaves open compiled for the sizes of each call.

n = te.var("n")
A = te.placeholder((n,), name="A")
fadd = tvm.build(s, [A, B, C])
fadd(a, b, c)           compiled for the size of a, once for each size
fadd.save("add.o")      compiled once for all sizes
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np

from s2s.errors import InputError, UnsupportedError, WrongValueError
from s2s.options.values import dims_of
from s2s.tvm.relay.options import Runtime
from s2s.tvm.runtime.module import Module
from s2s.tvm.target import target_of
from s2s.tvm.te.build import DEFAULT_NAME, Argument, Function, TargetLike
from s2s.tvm.te.build import build as build_function
from s2s.tvm.te.build import lower as lower_function
from s2s.tvm.te.expressions import Tensor, Var
from s2s.tvm.te.open_sizes import without_bounds
from s2s.tvm.te.operations import outputs_of
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.te.sizes import Bind
from s2s.tvm.te.stage import Split
from s2s.tvm.te.tensors import argument_of
from s2s.types.sizes import SizeRange, constant

Build = Callable[[Bind], Function]


def open_sizes(args: Sequence[Argument], bind: Mapping[str, object]) -> list[str]:
    """Return the names of the sizes of arguments that have no value."""
    names = [size.name for each in args if isinstance(each, Tensor) for size in each.shape if isinstance(size, Var)]
    return [name for name in dict.fromkeys(names) if name not in bind]


def _is_size(argument: Argument, args: Sequence[Argument]) -> bool:
    """Whether an argument is a variable that is a size of another one."""
    return isinstance(argument, Var) and argument.name in open_sizes(args, {})


class OpenFunction(Module):
    """A function whose sizes come from the arrays of a call."""

    type_key = "c"

    def __init__(self, name: str, args: Sequence[Argument], build: Build, bind: Bind) -> None:
        super().__init__({name: self._run}, entry=name)
        self._name, self._args, self._build, self._bind = name, list(args), build, dict(bind)
        self._built: dict[tuple[int, ...], Function] = {}

    @property
    def entry_name(self) -> str:
        """The name of the function."""
        return self._name

    @cached_property
    def opened(self) -> Function:
        """The function compiled once for all sizes, which a library has."""
        numbers = [each.name for each in self._args if isinstance(each, Var) and _is_size(each, self._args)]
        if numbers:
            raise InputError(
                f"{self._name}: a library takes {numbers[0]} from the shapes of its arrays; leave it out of the "
                "arguments"
            )
        names = open_sizes(self._args, self._bind)
        tensors = [argument_of(each) for each in self._args]
        function = self._build({**self._bind, **without_bounds(tensors, names, self._bind)} if names else self._bind)
        arena = function.artifact.info.arena_size
        if names and arena:
            hint = ", ".join(f"{name!r}: '1..64'" for name in names)
            raise InputError(
                f"{self._name}: keeps tensors between its stages, of {arena} bytes at most; bound the sizes for a "
                f"library, bind={{{hint}}}, or compute the stages inside of each other"
            )
        return function

    def get_source(self, fmt: str = "") -> str:
        """The C of its kernels, for all sizes."""
        return self.opened.get_source(fmt)

    def save(self, file_name: str, fmt: str = "") -> None:
        """Write its code for all sizes, as of a function of constant ones."""
        self.opened.save(file_name, fmt)

    def export_library(self, file_name: str | Path, *arguments: Any, **keywords: Any) -> None:
        """Write a library for all sizes, as of a function of constant ones."""
        for module in self.imported_modules:
            self.opened.import_module(module)
        self.opened.export_library(file_name, *arguments, **keywords)

    def _run(self, *arrays: Any) -> None:
        if len(arrays) != len(self._args):
            raise InputError(f"{self._name}: {len(arrays)} arrays given, {len(self._args)} wanted; give one each")
        sizes = constant(self._bind)
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
        if not isinstance(size, Var):
            return
        bounds = self._bind.get(size.name)
        if isinstance(bounds, SizeRange) and given not in bounds.values:
            raise InputError(
                f"{self._name}: {argument}: {size.name} is {given}, and within {bounds}; give other arrays"
            )
        if sizes.setdefault(size.name, given) != given:
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
    bind: Bind


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
    bind: Mapping[str, int | str | SizeRange] | None = None,
) -> Function | OpenFunction:
    """Compile a scheduled function of `args`, arrays in this order, of which the computed ones are written; or what
    `lower` has made of one.

    `bind` gives sizes that `te.var` left open, or bounds of them, `"1..64"`; others are those of the arrays of each
    call. For a `Runtime` with
    `system-lib`, `runtime.system_lib` finds the function once its library is loaded.
    """
    named, given = target_of(target, target_host), dims_of(bind)
    if isinstance(inputs, Lowered):
        name = inputs.function if name == DEFAULT_NAME else name
        inputs, args, given = inputs.schedule, inputs.args, {**inputs.bind, **given}
    if args is None:
        raise WrongValueError("tvm.build: a schedule is built with its arguments; give a list of tensors")
    passed = [each for each in args if not _is_size(each, args)]

    def compiled(sizes: Bind) -> Function:
        function = build_function(inputs, passed, named, name, bind=sizes)
        function.is_system = isinstance(runtime, Runtime) and bool(runtime["system-lib"])
        return function

    if not open_sizes(args, constant(given)) and len(passed) == len(args):
        return compiled(given)
    return OpenFunction(name, args, compiled, given)
