"""Shrink a failing model: keep one output, and cut operators off by making their results inputs.

    y = f(g(h(x)))  fails  ->  y = f(v), v = the numbers that g(h(x)) has  fails  ->  f alone is at fault

A smaller model is kept if it fails in the same way in the same variant. Every attempt runs in a child process.
"""

from collections.abc import Mapping
from functools import partial

from s2s.errors import InputError
from s2s.fuzz.check import Failure, Kind
from s2s.fuzz.failures import failures_of
from s2s.fuzz.model import FuzzModel
from s2s.fuzz.variants import Variant
from s2s.support.child import run_in_child
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

SECONDS = 60.0


@frozen
class Failing:
    """A model with its inputs that fails in a variant."""

    model: FuzzModel
    inputs: Mapping[str, Array]
    failure: Failure


def reduce_model(failing: Failing) -> Failing:
    """The smallest model found that fails as `failing` does."""
    values = failing.model.evaluate(failing.inputs)
    best = _one_output(failing)
    shrinking = True
    while shrinking:
        shrinking, place = False, 0
        while place < len(best.model.operators) - 1:
            model = best.model.without(place, values)
            inputs = {name: values[name].clean for name in model.inputs}
            smaller = fails(model, inputs, best.failure.variant, best.failure.kind)
            if smaller is None:
                place += 1
            else:
                best, shrinking, place = smaller, True, 0
    return best


def fails(model: FuzzModel, inputs: Mapping[str, Array], variant: Variant, kind: Kind) -> Failing | None:
    """The model with its failure, if it is of a kind."""
    ended = run_in_child(partial(_failures, model, inputs, variant), SECONDS)
    if ended.result is None:
        found: Kind = "hang" if ended.hung else "crash"
        failures = [Failure(found, ended.crash, variant)]
    else:
        failures = ended.result
    return next((Failing(model, inputs, each) for each in failures if each.kind == kind), None)


def is_disputed(failing: Failing) -> bool:
    """Return whether the result equals the other engine's: then it is one of the engines that is wrong."""
    if failing.failure.kind != "wrong":
        return False

    def agrees() -> bool:
        try:
            expected = failing.model.evaluate(failing.inputs, other_engine=True)
        except InputError:
            return False
        return not failures_of(failing.model, failing.inputs, expected, failing.failure.variant)

    return run_in_child(agrees, SECONDS).result is True


def _failures(model: FuzzModel, inputs: Mapping[str, Array], variant: Variant) -> list[Failure]:
    return failures_of(model, inputs, model.evaluate(inputs), variant)


def _one_output(failing: Failing) -> Failing:
    for name in sorted(failing.model.outputs, key=lambda each: each != failing.failure.output):
        model = failing.model.pruned([name])
        inputs = {each: failing.inputs[each] for each in model.inputs}
        found = fails(model, inputs, failing.failure.variant, failing.failure.kind)
        if found is not None:
            return found
    return failing
