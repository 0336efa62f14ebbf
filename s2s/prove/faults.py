"""What ends the proof of a kernel: a fault of the C, or a limit of the prover."""

from s2s.errors import EndsEarly


class Fault(EndsEarly):
    """The C is wrong for some input: a bad index, an overflow, a value that is not the reference's."""


class Unprovable(EndsEarly):
    """The prover cannot decide: a float, a construct that it does not know, a domain that is too large."""
