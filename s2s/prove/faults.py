"""What ends the proof of a kernel: a fault of the C, or a limit of the prover."""


class Fault(Exception):
    """The C is wrong for some input: a bad index, an overflow, a value that is not the reference's."""


class Unprovable(Exception):
    """The prover cannot decide: a float, a construct that it does not know, a domain that is too large."""
