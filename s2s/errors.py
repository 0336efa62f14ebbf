"""The errors a user can meet.

Every message names the place, the fact and the way out, in that order:
`conv1 (Conv): auto_pad SAME_LOWER with dilation 2 is not supported; give explicit pads`.
"""


class S2SError(Exception):
    """Base of all errors that are reported as one line, without a traceback."""

    exit_code = 1


class InputError(S2SError):
    """The model, an option or a file is wrong."""

    exit_code = 2


class WrongValueError(InputError, ValueError):
    """An argument of a function has a wrong value, for which callers in Python catch `ValueError`."""


class ScheduleError(InputError):
    """A schedule asks for something that its computation does not permit. The verifier finds most such schedules; this
    error reports what only the lowering sees, such as the layout of a packed constant."""


class UnsupportedError(S2SError, NotImplementedError):
    """The input is right, and s2s cannot do it yet. Carries every reason found, one a line."""

    exit_code = 3


class UnknownValueError(UnsupportedError):
    """The model needs a value that is not known yet, such as the shape that an input gives to a Reshape; it may compile
    with a constant in its place."""


class ToolchainError(S2SError):
    """A program that s2s calls (a C compiler, make) is missing or failed; its output is part of the message."""

    exit_code = 4


class EndsEarly(Exception):
    """Ends a computation inside of s2s before its end. Whoever starts the computation catches it; no user meets one."""


class CompilerBug(Exception):
    """An invariant of the compiler broke: shown with a traceback, since we have to repair it."""
