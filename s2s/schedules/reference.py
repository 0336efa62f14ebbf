"""The reference schedule: one loop per dimension, nothing tiled. Slow, and easy to read."""

from s2s.dialects import tensor


def reference() -> tensor.ScheduleAttr:
    """Return the schedule that computes one point at a time, in the order of the domain."""
    return tensor.ScheduleAttr.of()
