"""How candidates are built and run: `measure_option(builder=LocalBuilder(), runner=LocalRunner())`.

A candidate runs where its target does: on this machine, or on the board that QEMU emulates for it, whose instructions
are counted. Its results are compared with the right ones before its cost counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol, cast

from s2s.boards import BOARDS, PREFIX
from s2s.errors import InputError, UnsupportedError
from s2s.passes.pass_context import PassContext
from s2s.support.frozen import frozen
from s2s.support.jobs import jobs
from s2s.targets import Target
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.measurer import Limits, Measurer
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.on_host import HostMeasurer
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.micro.loader import AutoTvmModuleLoader
from s2s.tvm.relay.options import Runtime
from s2s.tvm.te.sizes import size_of
from s2s.tvm.te.tensors import argument_of

MeasureErrorNo = ErrorKind
LOCAL = "local"
MIN_REPEAT_MS = int(1000 * Limits.round_seconds)
"""The duration of a round, in milliseconds, of runners that are told none."""


class Builder:
    """Builds configurations: a class of a program overrides `build`, and its own runner runs what it made."""

    def __init__(
        self, timeout: float = 10, n_parallel: int | None = None, build_kwargs: Mapping[str, Any] | None = None
    ) -> None:
        self.timeout, self.n_parallel, self.build_kwargs = timeout, n_parallel, build_kwargs
        self.task: object = None

    @property
    def parallel(self) -> int:
        """Candidates that are built at a time."""
        return self.n_parallel or jobs()

    def set_task(self, task: object, build_kwargs: Mapping[str, Any] | None = None) -> None:
        """Take over the task that is tuned, and what its runner says about building."""
        self.task = task

    def build(self, measure_inputs: Sequence[MeasureInput]) -> list[Any]:
        """Return what is to be run, one of each input: by default libraries that are built when they are asked for."""
        return [BuildResult(each) for each in measure_inputs]


@frozen
class LocalBuilder(Builder):
    """Builds candidates on this machine, each within `timeout` seconds, `n_parallel` at a time, by default
    `S2S_JOBS` or the number of cores. They are run one after the other."""

    timeout: float = Limits.build_seconds
    n_parallel: int | None = None
    build_kwargs: Mapping[str, Any] | None = None
    """`{"build_option": …}` with keys of a `PassContext`; `tir.disable_vectorize` wants a target without vectors."""
    build_func: object = "default"
    """`default`, or `micro.autotvm_build_func`: there is one way to build."""
    do_fork: bool = False
    """Candidates are built by processes of their own in any case."""
    runtime: Runtime | None = None
    """Checked, as `relay.build` does."""

    def __post_init__(self) -> None:
        if self.build_func != "default" and getattr(self.build_func, "__name__", "") != "autotvm_build_func":
            raise InputError(f"LocalBuilder: build_func {self.build_func!r}: there is one way to build; leave it out")
        wrong = set(self.build_kwargs or ()) - {"build_option"}
        if wrong:
            raise InputError(f"LocalBuilder: build_kwargs {', '.join(sorted(wrong))}: is not known; give build_option")
        PassContext(config=self.options)

    @property
    def options(self) -> Mapping[str, object]:
        """The options of `build_kwargs`."""
        return (self.build_kwargs or {}).get("build_option") or {}

    def check(self, target: Target) -> None:
        """Refuse options that do not hold for a target."""
        if self.options.get("tir.disable_vectorize") and target.lanes > 1:
            raise InputError(f"LocalBuilder: tir.disable_vectorize: {target.name} has vectors; give a target without")

    def set_task(self, task: object, build_kwargs: Mapping[str, Any] | None = None) -> None:
        """Take nothing over: each input names its task."""


class BuildResult:
    """A configuration that is to be run; its library is built when `filename` is asked for."""

    error: Exception | None = None
    time_cost: float = 0.0

    def __init__(self, inp: MeasureInput) -> None:
        self._inp = inp

    @property
    def arg_info(self) -> list[tuple[tuple[int, ...], str]]:
        """The shape and the element type of each argument."""
        _, arguments = self._instantiated()
        return [(tuple(size_of(size, {}) for size in each.shape), each.dtype) for each in map(argument_of, arguments)]

    @cached_property
    def filename(self) -> str:
        """The path of the shared library of the configuration."""
        from s2s.tvm.te.build import build

        schedule, arguments = self._instantiated()
        path = str(Path(mkdtemp(prefix="s2s-autotvm-")) / "candidate.so")
        build(schedule, arguments, cast("Target", getattr(self._inp.task, "target", None))).export_library(path)
        return path

    def _instantiated(self) -> Any:
        instantiate = getattr(self._inp.task, "instantiate", None)
        if instantiate is None:
            raise UnsupportedError(
                f"autotvm: {self._inp.task.name} is a kernel of a network, which is measured inside of it; let "
                "LocalRunner measure it, or tune a template"
            )
        return instantiate(self._inp.config)


class Runner:
    """Runs candidates that were built: a class of a program overrides `run`."""

    def __init__(self, timeout: float = 5, n_parallel: int | None = None) -> None:
        self.timeout, self.n_parallel = timeout, n_parallel
        self.task: object = None

    def set_task(self, task: object) -> object:
        """Take over the task that is tuned; what is returned is kept while it is."""
        self.task = task

    def get_build_kwargs(self) -> dict[str, Any]:
        """Options for the builder."""
        return {}

    def run(self, measure_inputs: Sequence[MeasureInput], build_results: Sequence[Any]) -> list[MeasureResult]:
        """Return the result of each input."""
        raise NotImplementedError(f"{type(self).__name__}.run: is not defined; define it in the class")

    def measurer(self, target: Target, builder: Builder) -> Measurer | None:
        """Return what measures candidates for a target; None where `run` does."""
        return None


class _Rounds(Protocol):
    """How a runner times a candidate."""

    @property
    def timeout(self) -> float: ...

    @property
    def number(self) -> int: ...

    @property
    def repeat(self) -> int: ...

    @property
    def min_repeat_ms(self) -> int: ...

    @property
    def cooldown_interval(self) -> float: ...

    @property
    def enable_cpu_cache_flush(self) -> bool: ...


def check_caches(runner: _Rounds) -> None:
    """Refuse a runner that wants cold caches."""
    if runner.enable_cpu_cache_flush:
        name = type(runner).__name__
        raise InputError(f"{name}: enable_cpu_cache_flush: candidates run in warm caches; leave it out")


def limits_of(runner: _Rounds, builder: Builder, target: Target) -> Limits:
    """Return what a builder and a runner allow a candidate for a target, and how it is timed."""
    if not isinstance(builder, LocalBuilder):
        name = type(runner).__name__
        raise InputError(f"{name}: builds candidates itself; give LocalBuilder, or a Runner of your own as well")
    builder.check(target)
    return replace(
        Limits(),
        build_seconds=builder.timeout,
        run_seconds=runner.timeout,
        rounds=(1, runner.repeat - 1) if runner.repeat > 1 else (1,),
        round_seconds=max(runner.min_repeat_ms, 1) / 1000,
        calls=runner.number,
        cooldown=runner.cooldown_interval,
    )


@frozen
class LocalRunner(Runner):
    """Runs candidates on this machine, or on an emulated board.

    `timeout` is in seconds. A candidate is timed in up to `repeat` rounds, each `cooldown_interval` seconds after the
    last one; one that is far behind is dropped after the first. A round takes `min_repeat_ms` and `number` calls or
    more. A board counts instructions in one run. `module_loader` names another board than the one of the target.
    """

    timeout: float = Limits.run_seconds
    number: int = 4
    repeat: int = 3
    min_repeat_ms: int = MIN_REPEAT_MS
    cooldown_interval: float = 0.0
    enable_cpu_cache_flush: bool = False
    module_loader: AutoTvmModuleLoader | None = None

    def __post_init__(self) -> None:
        check_caches(self)
        if self.module_loader is not None and not isinstance(self.module_loader, AutoTvmModuleLoader):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError("LocalRunner: module_loader: is none of micro.AutoTvmModuleLoader; give one of these")

    def measurer(self, target: Target, builder: Builder) -> Measurer:
        limits = limits_of(self, builder, target)
        loader = self.module_loader
        place = (None if loader is None else loader.place) or place_of(target)
        if place != "host":
            return BoardMeasurer(place, limits, parallel=builder.parallel)
        return HostMeasurer(limits, parallel=builder.parallel)


@frozen
class MeasureOption:
    """A builder and a runner."""

    builder: Builder
    runner: Runner

    def prepared(self, task: object) -> object:
        """Tell a task to a builder and a runner of a program; return what the runner wants to be kept."""
        kept: object = self.runner.set_task(task)
        self.builder.set_task(task, self.runner.get_build_kwargs())
        return kept

    def run(self, inputs: Sequence[MeasureInput]) -> list[MeasureResult]:
        """Build and run inputs by a builder and a runner of a program."""
        return self.runner.run(inputs, self.builder.build(inputs))

    def measurer(self, target: Target) -> Measurer | None:
        """Return what measures candidates for a target; None where the runner of a program does."""
        return self.runner.measurer(target, self.builder)


def measure_option(builder: Builder | str = LOCAL, runner: Runner | str = LOCAL) -> MeasureOption:
    """Return how candidates are measured; `"local"` stands for a builder and a runner on this machine."""
    for what, given in (("builder", builder), ("runner", runner)):
        if isinstance(given, str) and given != LOCAL:
            raise InputError(f"measure_option: {what} {given!r} is not known; give {LOCAL!r} or an object")
    return MeasureOption(
        LocalBuilder() if isinstance(builder, str) else builder, LocalRunner() if isinstance(runner, str) else runner
    )


def place_of(target: Target) -> str:
    """Return where candidates for a target run: the board that has its processor, or this machine."""
    return next((f"{PREFIX}{board.name}" for board in BOARDS if board.target == target.name), "host")
