"""Searches: each proposes points of a space and learns from what they cost.

    tuner = make_tuner("model", space, seed=0)
    for point in tuner.propose(8): …
    tuner.learn(points, costs)

No search proposes a schedule twice, nor one that was measured before.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from math import exp, inf, log
from random import Random
from typing import Any, Literal

import numpy as np

from s2s.support.extras import is_installed, optional_module
from s2s.support.frozen import frozen
from s2s.tuning.experience import Experience
from s2s.tuning.search_space import Point, SearchSpace

TunerName = Literal["auto", "grid", "random", "ga", "climb", "model", "tpe"]
TUNERS: tuple[TunerName, ...] = ("auto", "grid", "random", "ga", "climb", "model", "tpe")
SMALL = 64
"""Spaces with at most this number of legal schedules are searched whole."""


Lessons = tuple[Sequence[Sequence[float]], Sequence[float]]
"""Features of schedules, and their scores."""


class Tuner(ABC):
    """A search of one space."""

    def __init__(self, space: SearchSpace, seed: int = 0) -> None:
        self.space, self.random = space, Random(seed)
        self._early: list[Point] = []
        self.costs: dict[str, float] = {}
        """What is known, by schedule; infinite where a measurement failed."""
        self.points: dict[str, Point] = {}
        self._proposed: set[str] = set()

    @abstractmethod
    def _next(self, count: int) -> Iterator[Point]:
        """Propose about `count` legal points, best guesses first; more than are taken does no harm."""

    def propose(self, count: int) -> list[Point]:
        """Return up to `count` points that nobody has measured; fewer when the search is at its end."""
        found: list[Point] = []
        for point in chain(self.space.starts()[:1], self._early, self._next(count)):
            text = self.space.text(point)
            if text is not None and text not in self._proposed and text not in self.costs:
                self._proposed.add(text)
                found.append(point)
            if len(found) == count:
                break
        return found

    def learn(self, points: Sequence[Point], costs: Sequence[float | None]) -> None:
        """Take notice of measurements."""
        for point, cost in zip(points, costs, strict=True):
            text = self.space.text(point)
            if text is not None:
                self.costs[text] = inf if cost is None else cost
                self.points[text] = point

    def remember(self, costs: Mapping[str, float | None]) -> None:
        """Take over earlier measurements, from records; measurements whose points are found teach the search."""
        for text, cost in costs.items():
            self.costs[text] = inf if cost is None else cost
            if (point := self.space.find(text)) is not None:
                self.points[text] = point

    def begin_with(self, points: Sequence[Point]) -> None:
        """Propose some points before all others but the compiler's own choice: points that were good for other
        tasks."""
        self._early = list(points)

    def teach(self) -> None:  # noqa: B027
        """Hand on what this search has learnt to searches of other tasks; most learn nothing that these could use."""

    def _best(self, count: int) -> list[Point]:
        """The best points so far."""
        ranked = sorted((text for text in self.points if self.costs[text] < inf), key=lambda text: self.costs[text])
        return [self.points[text] for text in ranked[:count]]

    def _drawn(self, count: int) -> Iterator[Point]:
        for _ in range(4 * count):
            point = self.space.draw(self.random)
            if point is None:
                return
            yield point


class GridTuner(Tuner):
    """Takes the bases, then every point in order."""

    def __init__(self, space: SearchSpace, seed: int = 0) -> None:
        super().__init__(space, seed)
        self._at = 0

    def _next(self, count: int) -> Iterator[Point]:
        yield from self.space.starts()
        while self._at < self.space.size:
            self._at += 1
            yield self.space.point(self._at - 1)


class RandomTuner(Tuner):
    """Draws points at random, after the bases."""

    def _next(self, count: int) -> Iterator[Point]:
        yield from self.space.starts()
        yield from self._drawn(count)


class GeneticTuner(Tuner):
    """Crosses and mutates the best points; a third of each generation is drawn at random."""

    def __init__(self, space: SearchSpace, seed: int = 0, *, parents: float = 16, mutation: float = 0.7) -> None:
        super().__init__(space, seed)
        self._parents, self._mutation = int(parents), mutation

    def _next(self, count: int) -> Iterator[Point]:
        yield from self.space.starts()
        parents = self._best(self._parents)
        for _ in range(8 * count if len(parents) > 1 else 0):
            first, second = self.random.sample(parents, 2)
            child = self.space.crossed(first, second, self.random)
            if self.random.random() < self._mutation:
                child = self.space.neighbour(child, self.random) or child
            yield child
            if self.random.random() < 1 / 3 and (drawn := self.space.draw(self.random)) is not None:
                yield drawn
        yield from self._drawn(count)


class ClimbingTuner(Tuner):
    """Changes one knob of the best point at a time, in random order; at a local optimum, draws at random.

    It suits measurements that take long and spaces whose first point is good.
    """

    def _next(self, count: int) -> Iterator[Point]:
        yield from self.space.starts()[:1]
        for best in self._best(1):
            steps = [(knob, place) for knob, size in enumerate(self.space.sizes) for place in range(size)]
            self.random.shuffle(steps)
            for knob, place in steps:
                yield Point((*best.places[:knob], place, *best.places[knob + 1 :]))
        yield from self._drawn(count)


@frozen
class Learning:
    """What a model learns from measurements, and by how many threads."""

    grades: int = 0
    """Into how many ranks costs are divided before a model learns their order; 0 where it learns the costs."""
    knobs_alone: bool = False
    """Whether it sees the knobs of a schedule, and not the loops that they lead to."""
    threads: int = 1


class ModelTuner(Tuner):
    """Ranks schedules by a model that learns from measurements, and looks for its favourites by simulated annealing."""

    CHAINS, STEPS, EXPLORED = 12, 16, 0.2
    FIRST = 12
    """Measurements before the model is asked: of this task, or many of others."""
    MANY = 48
    TREES = 120
    WEIGHT = 0.25
    """Of a measurement of another task, in training."""

    def __init__(
        self,
        space: SearchSpace,
        seed: int = 0,
        experience: Experience | None = None,
        task: str = "",
        *,
        learning: Learning | None = None,
    ) -> None:
        super().__init__(space, seed)
        _library("lightgbm")
        self._learning = learning if learning is not None else Learning()
        self._known: dict[Point, list[float]] = {}
        self._experience, self._task = experience if experience is not None else Experience(), task

    def _next(self, count: int) -> Iterator[Point]:
        yield from self.space.starts()
        best = self._best(4)
        rows, scores = self._lessons()
        width = len(rows[0]) if rows else 0
        taught = self._experience.of_others(self._task, width)
        if len(rows) >= self.FIRST or (rows and len(taught[0]) >= self.MANY):
            score = self._model(rows, scores, taught)
            favourites = self._annealed(score, best)
            explored = iter(list(self._drawn(count)))
            for number, point in enumerate(favourites):
                yield point
                if number % round(1 / self.EXPLORED) == 0 and (other := next(explored, None)) is not None:
                    yield other
        for point in best:
            if (near := self.space.neighbour(point, self.random)) is not None:
                yield near
        yield from self._drawn(count)

    def teach(self) -> None:
        rows, scores = self._lessons()
        self._experience.keep(self._task, rows, scores, self.space.for_one_task)

    def _lessons(self) -> Lessons:
        """What was measured of this task: features, and scores that are higher for cheaper schedules."""
        finite = [self.costs[text] for text in self.points if self.costs[text] < inf]
        least, most = min(finite, default=1.0), 4 * max(finite, default=1.0)
        rows = [self._features(point) for point in self.points.values()]
        return rows, [log(least / min(self.costs[text], most)) for text in self.points]

    def _model(
        self, rows: Sequence[Sequence[float]], scores: Sequence[float], taught: Lessons
    ) -> Callable[[Sequence[Point]], list[float]]:
        """Train on everything that was measured, of other tasks too."""
        lightgbm = _library("lightgbm")
        grades = self._learning.grades
        objective = {"objective": "lambdarank", "label_gain": list(range(grades))} if grades else {}
        shape = {"objective": "regression", "min_data_in_leaf": 3, "num_leaves": 15, "learning_rate": 0.1, **objective}
        quiet = {"min_data_in_bin": 1, "verbose": -1, "num_threads": self._learning.threads, "seed": 0}
        weights = np.array([1.0] * len(rows) + [self.WEIGHT] * len(taught[0]))
        labels = [graded(each, grades) if grades else each for each in (scores, taught[1])]
        groups = [len(each) for each in (rows, taught[0]) if each] if grades else None
        lessons = lightgbm.Dataset(
            np.array([*rows, *taught[0]]), np.concatenate(labels), weight=weights, group=groups, params=quiet
        )
        model = lightgbm.train(shape | quiet, lessons, self.TREES)
        return lambda points: [
            float(score) for score in model.predict(np.array([self._features(each) for each in points]))
        ]

    def _features(self, point: Point) -> list[float]:
        if point not in self._known:
            knobs = list(map(float, point.places))
            self._known[point] = knobs if self._learning.knobs_alone else self.space.features(point)
        return self._known[point]

    def _annealed(self, score: Callable[[Sequence[Point]], list[float]], best: Sequence[Point]) -> list[Point]:
        """Walk from random and from good points towards higher scores, and return what was seen, the best first."""
        chains = [*best, *(point for point in self._drawn(self.CHAINS))][: self.CHAINS]
        if not chains:
            return []
        scores = score(chains)
        seen = dict(zip(chains, scores, strict=True))
        for step in range(self.STEPS):
            temperature = 1.0 - step / self.STEPS
            moved = [self.space.neighbour(point, self.random) or point for point in chains]
            for number, (point, found) in enumerate(zip(moved, score(moved), strict=True)):
                seen[point] = found
                better = found >= scores[number]
                if better or self.random.random() < exp((found - scores[number]) / max(temperature, 1e-3)):
                    chains[number], scores[number] = point, found
        return sorted(seen, key=lambda point: -seen[point])


def graded(scores: Sequence[float], grades: int) -> list[int]:
    """Return grades of scores by their order, from 0 for the lowest to `grades - 1`: of 3 scores and 2 grades 0, 0, 1
    in some order."""
    order = np.argsort(np.argsort(np.array(scores))) if scores else np.zeros(0, np.int64)
    return [int(place) * grades // len(scores) for place in order]


class OptunaTuner(Tuner):
    """Asks Optuna's tree-structured Parzen estimator, one parameter for each knob."""

    def __init__(self, space: SearchSpace, seed: int = 0) -> None:
        super().__init__(space, seed)
        optuna = _library("optuna")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._study: Any = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        self._pruned: Any = optuna.trial.TrialState.FAIL
        self._trials: dict[str, Any] = {}

    def _next(self, count: int) -> Iterator[Point]:
        yield from self.space.starts()
        for _ in range(20 * count):
            trial = self._study.ask()
            places = [trial.suggest_int(str(number), 0, size - 1) for number, size in enumerate(self.space.sizes)]
            point = Point(tuple(places))
            text = self.space.text(point)
            if text is None or text in self._trials:
                known = self.costs.get(text, inf) if text is not None else inf
                if known < inf:
                    self._study.tell(trial, known)
                else:
                    self._study.tell(trial, state=self._pruned)
                continue
            self._trials[text] = trial
            yield point
        yield from self._drawn(count)

    def learn(self, points: Sequence[Point], costs: Sequence[float | None]) -> None:
        super().learn(points, costs)
        for point, cost in zip(points, costs, strict=True):
            trial = self._trials.pop(self.space.text(point) or "", None)
            if trial is not None and cost is not None:
                self._study.tell(trial, cost)
            elif trial is not None:
                self._study.tell(trial, state=self._pruned)


_TUNERS: Mapping[str, type[Tuner]] = {
    "grid": GridTuner,
    "random": RandomTuner,
    "ga": GeneticTuner,
    "climb": ClimbingTuner,
    "tpe": OptunaTuner,
}


def make_tuner(
    name: TunerName, space: SearchSpace, seed: int = 0, experience: Experience | None = None, task: str = ""
) -> Tuner:
    """Return the search called `name`; `auto` takes every point of a small space, and the learned model else.

    The model learns from `experience`, what searches of other tasks than `task` have measured.
    """
    if name == "auto":
        small = space.listed is not None and len(space.listed) <= SMALL
        name = "grid" if small else "model" if is_installed("lightgbm") else "ga"
    if name == "model":
        return ModelTuner(space, seed, experience, task)
    return _TUNERS[name](space, seed)


def _library(name: str) -> Any:
    """Import a library of the extra `tune`."""
    return optional_module(name, "tune", "--tuner", "--tuner ga")
