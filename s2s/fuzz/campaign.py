"""Run many models: in batches that share one library for each variant, every batch in a child process.

A batch that fails as a whole is run again in halves, down to the model that is at fault, so that the models that are
right do not hide the one that is not. Each failure is reduced before it is reported.
"""

import gc
import multiprocessing
import re
from collections import Counter
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

import numpy as np

from s2s.artifact import compile_artifact
from s2s.errors import EndsEarly, InputError, UnsupportedError
from s2s.fuzz.check import Failure, Kind
from s2s.fuzz.failures import failures_of
from s2s.fuzz.formats import format_of
from s2s.fuzz.model import MAX_NODES, Drawn
from s2s.fuzz.streams.draw import draw_stream
from s2s.fuzz.streams.operators import OPERATORS as STREAM_OPERATORS
from s2s.fuzz.variants import STREAM_TARGETS, Variant, draw_variants
from s2s.support.child import run_in_child
from s2s.support.frozen import frozen

BATCH = 8
"""Models that share a library, an opset, and the way they are compiled."""
SECONDS = 120.0
"""The time of the processor that a batch may take in one process."""
SECONDS_ALONE = 60.0
_PREFIX = re.compile(r"\bm[0-9]+_")
"""What names of a model in a batch begin with."""
MIXED = "mixed"
"""The format of plans that draw all kinds of models."""
KINDS = ("onnx", "te", "onnx", "tflite", "torch", "onnx streams", "te", "tflite", "onnx sizes")
"""The kinds of models that a mixed plan draws in turn, a batch of each."""
PATIENCE = 20
"""How many times longer it may take where other work runs beside it."""


@frozen
class Plan:
    """What to run: everything follows from it."""

    models: int = 100
    seed: int = 0
    targets: tuple[str, ...] = ()
    """The targets of the variants; none for the format's own."""
    variants: int = 2
    """The variants in which each model is compiled."""
    first: int = 0
    """The number of the first model, from where a run goes on that was stopped."""
    jobs: int = 1
    """The processes that work side by side."""
    nodes: int = MAX_NODES
    """The most nodes of a model."""
    thorough: int = 1
    """One batch of this many is built by compilers that optimise, the others by the quickest compiler."""
    sizes: bool = False
    """Whether a dimension of each model has a size that varies."""
    streams: bool = False
    """Whether the models are networks over sliding windows, which run on new frames."""
    format: str = "onnx"
    """The format of the models; `MIXED` for a kind in turn for each batch."""

    @property
    def chosen_targets(self) -> tuple[str, ...]:
        """The targets of the variants."""
        return self.targets or (STREAM_TARGETS if self.streams else format_of(self.format).targets)

    @property
    def table(self) -> list[str]:
        """The names of the entries that models are drawn of."""
        if self.format == MIXED:
            return sorted({name for plan in kinds_of(self) for name in plan.table})
        return sorted(STREAM_OPERATORS) if self.streams else format_of(self.format).operators

    @property
    def kind(self) -> str:
        """What models are drawn: a format, with sizes that vary or windows that slide."""
        return " ".join([self.format, *(["sizes"] if self.sizes else []), *(["streams"] if self.streams else [])])

    @property
    def is_apart(self) -> bool:
        """Whether each model is a batch of its own."""
        return self.sizes or self.streams


@frozen
class FailingModel:
    """A model that is not compiled right."""

    drawn: Drawn
    failure: Failure


@dataclass
class Tally:
    """The counts of a run."""

    models: int = 0
    nodes: int = 0
    operators: Counter[str] = field(default_factory=Counter[str])
    kinds: Counter[str] = field(default_factory=Counter[str])
    """The number of models of each kind of plan, and of each trait of variants (`Variant.traits`)."""
    refused: Counter[str] = field(default_factory=Counter[str])
    """Models that the compiler refuses, at least in one variant, by reason."""
    compared: int = 0
    """Elements of outputs."""
    undetermined: int = 0
    """Elements that hang on a rounding and are not compared."""
    failures: list[FailingModel] = field(default_factory=list[FailingModel])

    def add(self, other: "Tally") -> None:
        """Add the counts of another run."""
        self.models += other.models
        self.nodes += other.nodes
        self.operators.update(other.operators)
        self.kinds.update(other.kinds)
        self.refused.update(other.refused)
        self.compared += other.compared
        self.undetermined += other.undetermined
        self.failures += other.failures


def run(plan: Plan) -> Generator[Tally]:
    """The counts of each batch in turn."""
    for option in ("sizes", "streams"):
        if getattr(plan, option) and plan.format != "onnx":
            reason = "is drawn among others" if plan.format == MIXED else "is for ONNX models"
            raise InputError(f"--{option}: {reason}; leave it out with --format {plan.format}")
    if plan.sizes and plan.streams:
        raise InputError("--sizes: windows have constant sizes; leave it out with --streams")
    end = plan.first + plan.models
    starts = [plan.first, *range(plan.first - plan.first % BATCH + BATCH, end, BATCH)]
    starts = list(range(plan.first, end)) if plan.is_apart else starts
    batches = [
        range(start, start + 1) if plan.is_apart else range(start, min(start - start % BATCH + BATCH, end))
        for start in starts
    ]
    for name in dict.fromkeys(kind.format for kind in kinds_of(plan)):
        _warm(name)
    gc.collect()
    gc.freeze()
    pool = ProcessPoolExecutor(plan.jobs, multiprocessing.get_context("fork"))
    try:
        yield from pool.map(partial(run_batch, plan), batches)
    finally:
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()


def _warm(name: str) -> None:
    """Load the compiler and the other engines, which the processes of batches then find loaded."""
    model, inputs = format_of(name).smallest()
    model.evaluate(inputs)
    model.evaluate(inputs, other_engine=True)
    compile_artifact(model.source, Variant(chosen=format_of(name).options).options()).tree()


def kinds_of(plan: Plan) -> tuple[Plan, ...]:
    """The plans that the batches of a run follow in turn: one for each of `KINDS` if it is mixed, else itself."""
    if plan.format != MIXED:
        return (plan,)
    return tuple(
        replace(plan, format=kind.split()[0], sizes="sizes" in kind, streams="streams" in kind) for kind in KINDS
    )


def variants_of(plan: Plan, start: int) -> tuple[Variant, ...]:
    """The variants of the batch that begins with model `start`."""
    random, thorough = Random(f"{plan.seed}/variants/{start}"), plan.thorough
    given = {**format_of(plan.format).options, **({"executor": "aot"} if plan.sizes else {})}
    drawn = draw_variants(
        random, plan.chosen_targets, plan.variants, thorough=random.randrange(thorough) == 0, given=given
    )
    if not plan.is_apart:
        return drawn
    return tuple(replace(each, sizes=plan.sizes, streams=plan.streams, rewritten=False, joined=False) for each in drawn)


def draw(plan: Plan, number: int) -> Drawn:
    """One model; models of a batch have one opset."""
    if plan.streams:
        return draw_stream(f"{plan.seed}/{number}", f"m{number}_", plan.nodes)
    batch = f"{plan.seed}/opset/{number // BATCH}"
    return format_of(plan.format).draw(f"{plan.seed}/{number}", f"m{number}_", batch, plan.nodes)


def run_batch(plan: Plan, numbers: Sequence[int]) -> Tally:
    """The counts of some models, which are run together where that works."""
    kinds = kinds_of(plan)
    if len(kinds) > 1:
        return run_batch(kinds[numbers[0] // BATCH % len(kinds)], numbers)
    if plan.is_apart and len(numbers) > 1:
        total = Tally()
        for number in numbers:
            total.add(run_batch(plan, [number]))
        return total
    variants = variants_of(plan, numbers[0] if plan.is_apart else numbers[0] - numbers[0] % BATCH)
    seconds = SECONDS if len(numbers) > 1 else SECONDS_ALONE
    ended = run_in_child(partial(_together, plan, numbers, variants), PATIENCE * seconds, cpu_seconds=seconds)
    if ended.result is not None:
        return ended.result
    if len(numbers) > 1:
        total, middle = Tally(), len(numbers) // 2
        for half in (numbers[:middle], numbers[middle:]):
            total.add(run_batch(plan, half))
        return total
    drawn = run_in_child(partial(draw, plan, numbers[0]), PATIENCE * SECONDS_ALONE, cpu_seconds=SECONDS_ALONE).result
    if drawn is None:
        return Tally(refused=Counter(["an engine that computes the expected outputs crashes"]))
    kind: Kind = "hang" if ended.hung else "crash"
    for variant in variants:
        again = run_in_child(
            partial(failures_of, drawn.model, drawn.inputs, drawn.expected, variant),
            PATIENCE * SECONDS_ALONE,
            cpu_seconds=SECONDS_ALONE,
        )
        if again.result is None:
            return _counted(plan, [drawn], variants, [FailingModel(drawn, Failure(kind, again.crash, variant))])
    return _counted(plan, [drawn], variants, [FailingModel(drawn, Failure(kind, ended.crash, variants[0]))])


class _Apart(EndsEarly):
    """The models of a batch have to be run in smaller batches."""


def _together(plan: Plan, numbers: Sequence[int], variants: Sequence[Variant]) -> Tally:
    gc.disable()  # the process ends with the batch
    drawn = [draw(plan, number) for number in numbers]
    tally, accepted = Tally(), list[Drawn]()
    for each in drawn:
        reason = _refusal(each)
        if reason is None:
            accepted.append(each)
        else:
            tally.models += 1
            tally.refused[reason] += 1
    if not accepted:
        return tally
    failing: list[FailingModel] = []
    for variant in variants:
        taken, found = accepted, _failures(plan, accepted, variant)
        while len(taken) > 1 and (refused := _refused_one(found, taken)) is not None:
            tally.refused[_reason(found[0].detail)] += 1
            taken = [model for model in taken if model is not refused]
            found = _failures(plan, taken, variant)
        if found and found[0].kind == "refused" and (len(taken) == 1 or found[0].detail.startswith("--")):
            tally.refused[_reason(found[0].detail)] += len(taken)  # an option is refused for all
            continue
        if len(taken) > 1 and any(each.kind != "wrong" or not each.output for each in found):
            raise _Apart
        for each in found:
            owner = next((one for one in taken if each.output in one.expected), taken[0])
            failing.append(FailingModel(owner, each))
    tally.add(_counted(plan, accepted, variants, failing))
    return tally


def _failures(plan: Plan, drawn: Sequence[Drawn], variant: Variant) -> list[Failure]:
    """The failures of models that are compiled as one."""
    model = format_of(plan.format).merged([one.model for one in drawn])
    inputs = {name: value for one in drawn for name, value in one.inputs.items()}
    expected = {name: value for one in drawn for name, value in one.expected.items()}
    return failures_of(model, inputs, expected, variant)


def _refused_one(failures: Sequence[Failure], drawn: Sequence[Drawn]) -> Drawn | None:
    """The one model of a batch whose node a refusal names, as in `nonzero (m7_n2): …`; None where it names no one."""
    if not failures or failures[0].kind != "refused":
        return None
    prefixes = set(_PREFIX.findall(failures[0].detail))
    named = [one for one in drawn if prefixes == {_PREFIX.findall(one.model.outputs[0])[0]}]
    return named[0] if len(named) == 1 else None


def _refusal(drawn: Drawn) -> str | None:
    """Why the frontend refuses a model; other errors come up again where the model is compiled."""
    try:
        drawn.model.check_import()
    except UnsupportedError as error:
        return _reason(str(error))
    except Exception:
        return None
    return None


def _reason(text: str) -> str:
    """The first refusal without the name of the node."""
    first = text.splitlines()[0].partition(";")[0]
    return first[first.find("(") :] if "(" in first else first


def _counted(plan: Plan, drawn: Sequence[Drawn], variants: Sequence[Variant], failing: Sequence[FailingModel]) -> Tally:
    spreads = [spread for each in drawn for spread in each.expected.values()]
    operators = Counter[str]()
    for each in drawn:
        operators.update(each.operators)
    first: dict[str, FailingModel] = {}
    for each in failing:
        first.setdefault(each.drawn.seed, each)
    return Tally(
        models=len(drawn),
        nodes=sum(len(each.model.operators) for each in drawn),
        operators=operators,
        kinds=Counter({name: len(drawn) for variant in variants for name in (plan.kind, *variant.traits)}),
        compared=sum(spread.clean.size for spread in spreads),
        undetermined=sum(int(np.isinf(spread.bounds()).sum()) for spread in spreads),
        failures=list(first.values()),
    )
