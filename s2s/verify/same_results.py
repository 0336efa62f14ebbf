"""Compare what a network with sizes that vary computes at given sizes with the network read at these sizes.

Near its least sizes a network may consist of other operations: an axis of one element is broadcast, an input shorter
than a least length is padded. Whether the loops of the greatest sizes give the same there is found by running both:

    n = 8 of x[1, 8..40], padded to 12 elements        one gives 8 elements, the other 12
"""

from collections.abc import Sequence

from s2s.data.samples import sample
from s2s.interpret.graph import run_graph
from s2s.interpret.graph.work import MAX_GOLDEN_ELEMENTS
from s2s.interpret.tensor import run_tensor
from s2s.stages.read import Read
from s2s.stages.state import State
from s2s.types.dtypes import Array, tensor_type
from s2s.types.sizes import derived_of, sizes_of, with_derived
from s2s.verify.compare import compare, default_tolerance
from s2s.verify.sizes import Sizes, instantiated

MAX_ELEMENTS = MAX_GOLDEN_ELEMENTS >> 4
"""The most elements of inputs of networks that are run here."""


def difference_at(varying: State, plain: State, sizes: Sizes) -> str | None:
    """Return how results of `varying`, computations with sizes that vary, differ at `sizes` from the results of
    `plain`, the operators read at these; None if they do not.

    Inputs are random: floats are normally distributed. A network of too many elements is taken to differ.
    """
    ports = plain.facts[Read].inputs
    if sum(port.count for port in ports) > MAX_ELEMENTS:
        return "has too many inputs to be compared"
    given = [
        sample(port.name, tensor_type(port.element, port.shape), full_range=port.quantisation is not None)
        for port in ports
    ]
    expected = run_graph(plain.module, given, plain.weights)
    module = varying.module
    every = with_derived({name: sizes[name] for name in sizes_of(module.attributes)}, derived_of(module.attributes))
    results = run_tensor(instantiated(module, every), given, varying.weights, fast=True)
    return _difference(results, expected)


def _difference(results: Sequence[Array], expected: Sequence[Array]) -> str | None:
    """Return how arrays differ, in shape or by more than the tolerance of their type."""
    for ours, theirs in zip(results, expected, strict=True):
        if ours.shape != theirs.shape:
            return f"gives {list(ours.shape)} elements, not {list(theirs.shape)}"
        comparison = compare(ours, theirs, default_tolerance(theirs.dtype))
        if not comparison.passed:
            return f"gives other numbers ({comparison.describe()})"
    return None
