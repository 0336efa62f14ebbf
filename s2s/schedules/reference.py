"""The reference schedule: one loop a dimension, nothing tiled. Slow, and easy to read."""

from s2s.dialects import tensor


def reference(op: tensor.ComputeOp) -> tensor.ScheduleAttr:
    """Every dimension in the order of the domain."""
    rank = len(op.sizes)
    return tensor.ScheduleAttr.of([1] * rank, list(range(rank)))
