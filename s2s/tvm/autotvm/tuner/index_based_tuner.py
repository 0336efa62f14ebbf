"""Searches by the numbers of configurations, under AutoTVM's names: in order, and at random."""

from collections.abc import Iterable
from random import Random
from typing import Any

from s2s.errors import InputError
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.tuner.tuner import BATCH, Tuner


class IndexBaseTuner(Tuner):
    """A search by numbers of configurations from `range_idx`, a pair of the first and the last, in order.

    Numbers whose configurations cannot be compiled are visited, and not measured.
    """

    def __init__(
        self, task: Task, range_idx: tuple[int, int] | None = None, *, seed: int = 0, batch: int = BATCH
    ) -> None:
        count = task.config_space.range_length
        first, last = range_idx or (0, count - 1)
        if not 0 <= first <= last < count:
            raise InputError(f"IndexBaseTuner: range_idx {range_idx}: there are {count}; give two numbers of them")
        self.begin_idx, self.end_idx = first, last + 1
        self.range_length = self.end_idx - self.begin_idx
        self.visited_max = task.config_space.subrange_length(self.begin_idx, self.end_idx)
        self._is_whole = range_idx is None
        super().__init__(task, seed=seed, batch=batch)

    def reset(self) -> None:
        """Forget everything that was measured."""
        super().reset()
        self.visited: list[int] = []
        self._taken: set[int] = set()
        self._random = Random(self.seed)
        self._known: set[str] = set()
        """The configurations that a log tells the costs of."""
        self._bases: list[ConfigEntity] | None = None
        """The compiler's own choices that are left, which come first where all numbers are asked for."""
        space, first = self.task.config_space, self.begin_idx
        self.index: int | None = first if space.is_index_valid(first) else self._next(first)

    def _next(self, index: int) -> int | None:
        """The next number that has a configuration."""
        return self.task.config_space.get_next_index(index, start=self.begin_idx, end=self.end_idx)

    def has_next(self) -> bool:
        """Whether a number is left."""
        return len(self.visited) < self.visited_max

    def load_history(self, data_set: Iterable[tuple[MeasureInput, MeasureResult]], min_seed_records: int = 500) -> None:
        """Take over earlier measurements of the task: they are not made again."""
        for inp, result in data_set:
            if inp.task.key == self.task.key and result.record is not None:
                text = self.task.text_of(result.record.decisions)
                self._known |= set() if text is None else {text}

    def next_batch(self, batch_size: int) -> list[ConfigEntity]:
        """Return the configurations of the next numbers."""
        if self._bases is None:
            self._bases = self._made_bases() if self._is_whole else []
        batch, self._bases = self._bases[:batch_size], self._bases[batch_size:]
        while len(batch) < batch_size and self.has_next():
            number = self._visit()
            self._take(number)
            config = self._configuration(number)
            batch += [] if config is None else [config]
        return batch

    def _made_bases(self) -> list[ConfigEntity]:
        """The compiler's own choices; ones with a number are visited with them."""
        space = self.task.space
        texts = [text for point in space.starts() if (text := space.text(point)) is not None]
        configs = [self.task.config_at(text) for text in dict.fromkeys(texts) if text not in self._known]
        for config in configs:
            if space.find(self.task.text_at(config)) is not None:
                self._take(config.index)
        return configs

    def _take(self, number: int) -> None:
        if number not in self._taken:
            self.visited.append(number)
            self._taken.add(number)

    def _visit(self) -> int:
        """Return the next number."""
        while self.index in self._taken:
            self.index = self._next(self.index)
        assert self.index is not None
        number, self.index = self.index, self._next(self.index)
        return number

    def _configuration(self, number: int) -> ConfigEntity | None:
        """The configuration of a number; None of one that cannot be compiled."""
        try:
            config = self.task.config_space.get(number)
        except InputError:
            return None
        text = self.task.text_at(config)
        point = self.task.space.find(text)
        return None if text in self._known or point is None or self.task.space.text(point) is None else config

    def update(self, inputs: Any, results: Any) -> None:
        """Learn nothing: numbers are taken whatever was measured."""


class GridSearchTuner(IndexBaseTuner):
    """Takes all configurations in order."""


class RandomTuner(IndexBaseTuner):
    """Takes configurations at random."""

    def _visit(self) -> int:
        space = self.task.config_space
        if len(self.visited) * 2 > self.visited_max:
            numbers = range(self.begin_idx, self.end_idx)
            return self._random.choice(
                [number for number in numbers if number not in self._taken and space.is_index_valid(number)]
            )
        while True:
            number = self._random.randrange(self.begin_idx, self.end_idx)
            if number not in self._taken and space.is_index_valid(number):
                return number
