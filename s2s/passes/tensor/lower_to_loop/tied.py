"""Decide whether a result may overwrite the argument that it is tied to."""

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.arguments import IN_PLACE
from s2s.dialects import graph
from s2s.types.symbols import function_named


def written_directly(network: FuncOp, argument: SSAValue, root: SSAValue) -> bool:
    """Return whether the operation that computes `root` may write to the buffer of `argument`, as its last reader."""
    maker = root.owner
    assert isinstance(maker, Operation)
    order = {op: number for number, op in enumerate(network.body.block.ops)}
    readers = _readers(argument)
    if any(order[op] > order[maker] for op, _ in readers):
        return False
    here = [number for op, number in readers if op is maker]
    return not here or _may_overwrite(maker, root, here)


def _readers(value: SSAValue) -> list[tuple[Operation, int]]:
    """Return the operations that read the bytes of `value`, with their operand numbers: directly, by a reshape, or as
    a window that has moved."""
    found: list[tuple[Operation, int]] = []
    for use in value.uses:
        if isinstance(use.operation, graph.ReshapeOp | graph.AdvanceOp):
            found += _readers(use.operation.y)
        else:
            found.append((use.operation, use.index))
    return found


def _may_overwrite(maker: Operation, root: SSAValue, operands: list[int]) -> bool:
    """Return whether `maker`, which reads the argument as `operands`, may compute `root` in place."""
    match maker:
        case graph.CallOp():
            kernel = function_named(maker, maker.callee.string_value())
            listed = None if kernel is None else kernel.attributes.get(IN_PLACE)
            allowed = listed.get_values() if isinstance(listed, DenseArrayBase) else ()
            return len(operands) == 1 and operands[0] + 1 in allowed
        case graph.ScanOp() | graph.WhileOp():
            number = maker.results.index(root)
            carried = maker.carried.value.data if isinstance(maker, graph.ScanOp) else len(maker.results)
            return number < carried and operands == [number]
        case _:
            return False
