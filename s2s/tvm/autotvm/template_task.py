"""A template with arguments as a task: its configurations, and the compilation of each."""

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from s2s.compilation import Compilation
from s2s.decisions.decision import Table
from s2s.dialects import tensor
from s2s.errors import InputError
from s2s.targets import Target
from s2s.tuning.records import Decided
from s2s.tuning.search_space import Point, SearchSpace
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.config import Config, ConfigEntity
from s2s.tvm.autotvm.space import ConfigSpace, FallbackConfigEntity
from s2s.tvm.autotvm.template import (
    CONFIG,
    TEMPLATES,
    Built,
    collected,
    configuration_in_effect,
    instantiated,
    template_key,
)
from s2s.tvm.te.build import compilation_of
from s2s.tvm.te.lowering import lower_to_tensor
from s2s.tvm.te.operations import ComputeOp
from s2s.tvm.te.sizes import size_of

FUNCTION = "task"
"""The name in C of what is measured."""
MAX_RESULTS = 256
"""Results of a register tile, in vectors or scalars, up to which searches try it. Of a product of matrices of 512, gcc
takes 10 to 20 s for a tile of 1,024 scalars, which runs in 34 to 69 ms; the best one, of 16, runs in 1.1 ms."""


class TemplateTask(Task):
    """A template with arguments."""

    def __init__(self, name: str, args: Sequence[Any], target: Target) -> None:
        self.name, self.args, self.target = name, tuple(args), target
        self.key = template_key(name, self.args, target)
        self._space = collected(name, self.args)
        self._points = TemplateSpace(self)
        self.flop = float(self._space.flop or self._counted())

    def __reduce__(self) -> tuple[Any, ...]:
        return _with_function, (TEMPLATES[self.name], self.name, self.args, self.target)

    @property
    def func(self) -> Callable[..., Built]:
        """The template with the configuration that the contexts around give it."""
        return lambda *args: instantiated(self.name, args, configuration_in_effect(self.name, args))

    @property
    def config_space(self) -> ConfigSpace:
        return self._space

    @property
    def space(self) -> "TemplateSpace":
        return self._points

    @property
    def measurable(self) -> "TemplateTask":
        return self

    @property
    def compilation(self) -> Compilation:
        """The compilation with the first values of all knobs that are legal."""
        return self._compilation

    @cached_property
    def _compilation(self) -> Compilation:
        start = self.space.starts()
        config = self._space.get(self.space.number(start[0])) if start else FallbackConfigEntity()
        return self._compiled(config)

    def with_decisions(self, decisions: Table) -> Compilation:
        """Return the compilation of the configuration that decisions name."""
        chosen = decisions.get(CONFIG, {}).get(self.key)
        return self.compilation if chosen is None else self._compiled(self.config_at(chosen))

    def decisions_of(self, text: str) -> Decided:
        return ((CONFIG, self.key, text),)

    def text_at(self, config: ConfigEntity) -> str:
        return config.text

    def config_at(self, text: str) -> ConfigEntity:
        return ConfigEntity.from_json_dict(json.loads(text))

    def instantiate(self, config: Config) -> Built:
        """Return the schedule and the arguments with a configuration."""
        return instantiated(self.name, self.args, config)

    def refusal(self, config: Config) -> str | None:
        """Say why a configuration cannot be compiled; None if it can."""
        try:
            self._lowered(config)
        except InputError as error:
            return str(error)
        return None

    def is_tried(self, config: Config) -> bool:
        """Whether a configuration can be compiled, with register tiles that a C compiler can do something with."""
        try:
            module = self._lowered(config)
        except InputError:
            return False
        return all(_results(op) <= MAX_RESULTS for op in module.walk() if isinstance(op, tensor.ComputeOp))

    def _lowered(self, config: Config) -> ModuleOp:
        schedule, arguments = self.instantiate(config)
        return lower_to_tensor(schedule, arguments, FUNCTION, self.target, {})

    def _compiled(self, config: Config) -> Compilation:
        schedule, arguments = self.instantiate(config)
        return compilation_of(schedule, arguments, FUNCTION, self.target)

    def _counted(self) -> int:
        """Operations: two for each step of a reduction, one for each element else."""
        schedule, _ = self.instantiate(FallbackConfigEntity())
        total = 0
        for stage in schedule.stages:
            op = stage.op
            if isinstance(op, ComputeOp):
                loops = [size_of(each.extent, {}) for each in (*op.axis, *op.reduce_axis)]
                total += prod(loops) * (2 if op.reduce_axis else 1)
        return total


def _with_function(function: Callable[..., Built], name: str, args: Sequence[Any], target: Target) -> TemplateTask:
    """The task in a process that may not have its template."""
    TEMPLATES.setdefault(name, function)
    return TemplateTask(name, args, target)


def _results(op: tensor.ComputeOp) -> int:
    """The results of the register tile of a computation, in vectors where it has some."""
    if op.schedule is None:
        return 1
    state = op.schedule.on(op)
    in_vectors = state.vector_dim is not None and state.vector_dim < op.rank
    return prod(state.tile(range(op.rank))) // (state.lanes if in_vectors else 1)


class TemplateSpace(SearchSpace):
    """The configurations of a template as searches walk them; configurations that cannot be compiled are illegal, and
    so are ones whose register tiles are too large to be tried."""

    def __init__(self, task: TemplateTask) -> None:
        self.task, self.configurations = task, task.config_space
        self._texts: dict[Point, str | None] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self.configurations.dims)

    def number(self, point: Point) -> int:
        """Return the number of a point's configuration, in which the first knob counts fastest."""
        found = 0
        for size, place in zip(reversed(self.sizes), reversed(point.places), strict=True):
            found = found * size + place
        return found

    def text(self, point: Point) -> str | None:
        if point not in self._texts:
            number = self.number(point)
            config = self.configurations.get(number) if self.configurations.is_index_valid(number) else None
            self._texts[point] = config.text if config is not None and self.task.is_tried(config) else None
        return self._texts[point]

    @cached_property
    def _start(self) -> list[Point]:
        """The first configuration that is legal."""
        points = (Point(places) for places in product(*map(range, self.sizes)))
        return list(islice((each for each in points if self.text(each) is not None), 1))

    def starts(self) -> list[Point]:
        return self._start

    def features(self, point: Point) -> list[float]:
        config = self.configurations.get(self.number(point))
        return [*map(float, point.places), *config.get_flatten_feature()]

    def find(self, text: str) -> Point | None:
        number = self.configurations.index_of(self.task.config_at(text))
        if number is None:
            return None
        places: list[int] = []
        for size in self.sizes:
            number, place = divmod(number, size)
            places.append(place)
        return Point(tuple(places))
