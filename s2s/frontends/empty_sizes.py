"""Prove that decisions which are wrong where a size is 0 give nothing there.

x[n, 4] with n = 0..5, reshaped to [4 * n]
windows of 2: there is one if 2 <= 4 * n. That fails for n = 0, where the result [2 * n] has no elements.
the greatest 3: they are there if 3 <= 4 * n. That fails for n = 0, where the result [3] would have elements.
"""

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.functions import main_of
from s2s.dialects.graph.traits import provenance
from s2s.types.size import Guard, Ledger, Size


def first_of_something(module: ModuleOp, ledger: Ledger) -> Guard | None:
    """Return the first guard that fails where a size is 0, although its node gives elements there; None without one."""
    return next((guard for guard in ledger.guards_at_nothing if not _gives_nothing(module, ledger, guard)), None)


def _gives_nothing(module: ModuleOp, ledger: Ledger, guard: Guard) -> bool:
    """Return whether all results of the guard's node are empty at all sizes at which the guard fails."""
    results = list(_results_of(module, guard.place))
    return bool(results) and all(
        _is_empty(ledger, value, there)
        for sizes in ledger.failing(guard)
        for there in [_with_nothing_found(module, ledger, sizes)]
        for value in results
    )


def _results_of(module: ModuleOp, place: str) -> Iterator[SSAValue]:
    """Yield the results of a node, the values that operations of other nodes take. What the node runs inside gives
    nothing by itself."""
    for op in main_of(module).walk():
        if place in provenance(op):
            yield from (result for result in op.results if any(_leaves(use.operation, place) for use in result.uses))


def _leaves(user: Operation, place: str) -> bool:
    """Return whether an operation is of another node, and in no region of an operation of this one."""
    around: Operation | None = user
    while around is not None:
        if place in provenance(around):
            return False
        around = around.parent_op()
    return True


def _with_nothing_found(module: ModuleOp, ledger: Ledger, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return `sizes` where a size that an operation finds in nothing is 0, as the distinct elements of an empty
    tensor."""
    assumed, computed = dict(sizes), set(ledger.found)
    for op in module.walk():
        taken = {name for operand in op.operands for name in _names(ledger, operand)}
        finds = {name for result in op.results for name in _names(ledger, result)} & computed - taken
        if finds and any(_is_empty(ledger, operand, assumed) for operand in op.operands):
            assumed |= dict.fromkeys(finds, 0)
    return assumed


def _is_empty(ledger: Ledger, value: SSAValue, sizes: Mapping[str, int]) -> bool:
    values = [sizes[name] for name in ledger.names]
    shape = ledger.shapes.get(value, ())
    return any(isinstance(size, Size) and size.expr.eval(values, []) == 0 for size in shape)


def _names(ledger: Ledger, value: SSAValue) -> Iterator[str]:
    """Yield the names of the sizes that a shape has."""
    for size in ledger.shapes.get(value, ()):
        if isinstance(size, Size):
            yield from (ledger.names[dim] for dim in size.expr.used_dims())
