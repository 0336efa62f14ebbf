"""A kernel of a network as a task: its configurations are the legal schedules."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NoReturn

from s2s.errors import InputError, UnsupportedError
from s2s.tuning.records import Decided
from s2s.tuning.space import Space
from s2s.tuning.task import Task as Kernel
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.knobs import OtherOptionEntity
from s2s.tvm.autotvm.numbers import Numbered


class KernelTask(Task):
    """A kernel of a network."""

    def __init__(self, kernel: Kernel, flop: float) -> None:
        self.kernel = kernel
        self.name, self.key, self.nodes, self.target = kernel.name, kernel.key, kernel.nodes, kernel.target
        self.calls = kernel.calls
        self.flop = flop
        """Twice the multiply-adds of its operators as the network has them, whatever algorithm computes them."""

    @property
    def workload(self) -> tuple[Any, ...]:
        return (self.name, self.key)

    @property
    def config_space(self) -> "Schedules":
        return Schedules(self)

    @property
    def space(self) -> Space:
        return self._space

    @cached_property
    def _space(self) -> Space:
        return Space(self.kernel)

    @property
    def measurable(self) -> Kernel:
        return self.kernel

    def instantiate(self, config: ConfigEntity) -> NoReturn:
        """Refused: the compiler schedules the kernels of networks, which are no tensor expressions of a program."""
        raise UnsupportedError(
            f"{self.name}: instantiate {config}: its loops are of the compiler, not of tensor expressions; build the "
            "network with apply_history_best, or tune a template"
        )

    @property
    def knob(self) -> str:
        """The name that logs give the schedule."""
        return f"schedule {self.space.subject.key}"

    def config_at(self, text: str) -> ConfigEntity:
        point = self.space.find(text)
        number = 0 if point is None else self.space.index(point)
        return ConfigEntity(number, {self.knob: OtherOptionEntity(text)})

    def text_at(self, config: ConfigEntity) -> str:
        if self.knob not in config.entities:
            raise InputError(f"{self.name}: configuration {config} is of another task; take one of its config_space")
        return str(config.entities[self.knob].value)

    def decisions_of(self, text: str) -> Decided:
        return (("schedule", self.space.subject.key, text),)


class Schedules(Numbered):
    """The schedules of a kernel, by number; schedules of some numbers are illegal."""

    def __init__(self, task: KernelTask) -> None:
        self._task = task

    @property
    def range_length(self) -> int:
        return self._task.space.size

    def __len__(self) -> int:
        return self.range_length

    def subrange_length(self, start: int, end: int) -> int:
        self._check(start, end)
        return end - start

    def get(self, index: int) -> ConfigEntity:
        """Return the configuration of a number."""
        found = self._at(index)
        if found is None:
            raise InputError(f"{self._task.name}: configuration {index} is no legal schedule; take another number")
        return found

    def __iter__(self) -> Iterator[ConfigEntity]:
        return (found for index in range(len(self)) if (found := self._at(index)) is not None)

    def _at(self, index: int) -> ConfigEntity | None:
        space = self._task.space
        text = space.text(space.point(index))
        return None if text is None else ConfigEntity(index, {self._task.knob: OtherOptionEntity(text)})

    def __repr__(self) -> str:
        return f"Schedules({self._task.space.describe()})"
