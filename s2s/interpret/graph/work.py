"""How much work it is to evaluate operations in numpy, and a limit to it.

Whoever evaluates what a model asks for (constant folding, the golden vector) sets a limit first: a few bytes of a model
can ask for hours and terabytes. Work is counted in products of a matrix multiplication, the cheapest thing numpy does:

    conv 3x3, 64 -> 64 channels, 56 x 56 results    64 * 56 * 56 * 64 * 9 = 115,605,504
    exp of 200,704 elements                         ELEMENT * 200,704     =  12,845,056
    any operation                                   at least OPERATION
"""

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import Operation

from s2s.dialects import tensor
from s2s.dialects.graph.interfaces import OperatorInterface, WindowInterface
from s2s.dialects.graph.traits import FusionKind, fusion_kind
from s2s.errors import EndsEarly
from s2s.interpret.graph.evaluate import evaluate
from s2s.support.mutable import mutable
from s2s.types.dtypes import Array, as_tensor_type

MAX_FOLDED_ELEMENTS = 2**24
"""Larger constants are computed by the network, not at compile time."""
MAX_FOLDED_PRODUCTS = 2**26
"""Upper bound of the multiplications of one convolution, pooling or matrix product at compile time."""
MAX_FOLDED_WORK = 2**39
"""Upper bound of the work of all constants that are folded while a model is read."""
MAX_GOLDEN_WORK = 2**38
"""Upper bound of the work of a golden vector: some seconds."""
MAX_GOLDEN_ELEMENTS = 2**25
"""Upper bound of the elements of any tensor in a network with a golden vector."""
ELEMENT = 64
"""Work per element of an operation that does not multiply."""
OPERATION = 2**22
"""Overhead of one operation in Python."""


class TooMuchWorkError(EndsEarly):
    """Raised where an evaluation would exceed its work limit."""


def products(op: Operation) -> int:
    """Return the elementary steps of computing `op`, at least one for each element of its result."""
    result = as_tensor_type(op.results[0].type).element_count()
    return max(result, op.work) if isinstance(op, OperatorInterface) else result


def padded_elements(op: Operation) -> int:
    """Return the elements of the padded image that an operation is evaluated on; 0 for operations without a window."""
    return op.padded_elements if isinstance(op, WindowInterface) else 0


def is_foldable(op: Operation) -> bool:
    """Return whether `op` can be evaluated in little time and memory, whatever sizes its operands claim."""
    limit = MAX_FOLDED_PRODUCTS if fusion_kind(op) == FusionKind.OUT_FUSABLE else MAX_FOLDED_ELEMENTS
    return products(op) <= limit and padded_elements(op) <= MAX_FOLDED_PRODUCTS


def work(op: Operation) -> int:
    """Estimate the time numpy takes for `op`, in products."""
    if isinstance(op, tensor.ComputeOp):
        return OPERATION + ELEMENT * prod(op.sizes)
    if fusion_kind(op) == FusionKind.OUT_FUSABLE:
        return OPERATION + products(op)
    return OPERATION + ELEMENT * max(
        as_tensor_type(value.type).element_count() for value in (*op.results, *op.operands)
    )


@mutable
class Meter:
    """Adds up work and refuses operations that would exceed `limit`."""

    limit: int
    used: int = 0

    def take(self, op: Operation) -> bool:
        """Count `op` if it fits the limit, and return whether it did."""
        amount = work(op)
        if self.used + amount > self.limit:
            return False
        self.used += amount
        return True


def metered(
    meter: Meter, most_elements: int, evaluate: Callable[[Operation, Sequence[Array]], list[Array]] = evaluate
) -> Callable[[Operation, Sequence[Array]], list[Array]]:
    """Wrap `evaluate` so that it raises `TooMuchWorkError` at the limit of `meter` and for larger results."""

    def evaluator(op: Operation, operands: Sequence[Array]) -> list[Array]:
        elements = max(padded_elements(op), *(as_tensor_type(result.type).element_count() for result in op.results))
        if elements > most_elements or not meter.take(op):
            raise TooMuchWorkError
        return evaluate(op, operands)

    return evaluator
