"""The reference schedule: one loop a dimension, nothing tiled. Slow, and easy to read."""

from s2s.dialects import tensor


def reference() -> tensor.ScheduleAttr:
    """One point at a time, in the order of the domain."""
    return tensor.ScheduleAttr.of()
