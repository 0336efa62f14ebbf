"""The order of operations."""

from s2s.tvm.te.expressions import TensorOp


def reached(op: TensorOp) -> list[TensorOp]:
    """The operations that `op` reads, and itself last; producers first, each once."""
    found: list[TensorOp] = []
    for each in op.input_tensors:
        found += [before for before in reached(each.op) if before not in found]
    return [*found, op]
