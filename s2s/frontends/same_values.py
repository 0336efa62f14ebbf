"""Find out whether two values are computed alike, so that they are equal in every run.

%a = graph.less %x, %limit          NonZero (x < limit), as exporters write it for x[x < limit]
%b = graph.less %x, %limit          and again for y[x < limit]: the same elements are true, as many in either
"""

from collections.abc import Sequence

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free

from s2s.types.dtypes import as_tensor_type
from s2s.types.size import Ledger, alike

MAX_PAIRS = 64
"""The most pairs of values that are compared; values that take more are held to be different."""


def are_same(one: SSAValue, other: SSAValue, ledger: Ledger) -> bool:
    """Return whether two tensors are results of equal operations on equal operands; `ledger` has the sizes that these
    operations state."""
    pending, compared = [(one, other)], set[tuple[SSAValue, SSAValue]]()
    while pending:
        pair = pending.pop()
        if pair[0] is pair[1] or pair in compared:
            continue
        compared.add(pair)
        a, b = pair
        if len(compared) > MAX_PAIRS or not isinstance(a, OpResult) or not isinstance(b, OpResult):
            return False
        if a.index != b.index or not _compute_alike(a.op, b.op, ledger):
            return False
        pending += zip(a.op.operands, b.op.operands, strict=True)
    return True


def _compute_alike(a: Operation, b: Operation, ledger: Ledger) -> bool:
    """Whether two operations give equal results of equal operands."""
    return (
        type(a) is type(b)
        and is_side_effect_free(a)
        and not a.regions
        and len(a.operands) == len(b.operands)
        and a.properties == b.properties
        and _state_alike(ledger.stated.get(a, {}), ledger.stated.get(b, {}))
        and all(map(_are_alike, a.results, b.results))
    )


def _state_alike(one: dict[str, Sequence[int] | int], other: dict[str, Sequence[int] | int]) -> bool:
    return one.keys() == other.keys() and all(alike(_listed(one[name]), _listed(other[name])) for name in one)


def _listed(numbers: Sequence[int] | int) -> Sequence[int]:
    return numbers if isinstance(numbers, Sequence) else [numbers]


def _are_alike(a: SSAValue, b: SSAValue) -> bool:
    """Whether two tensors have one type at all sizes."""
    one, other = as_tensor_type(a.type), as_tensor_type(b.type)
    return one.element_type == other.element_type and alike(one.get_shape(), other.get_shape())
