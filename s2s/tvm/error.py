"""Errors under TVM's names: each is one of ours, and one that callers of TVM catch."""

from s2s.errors import InputError, S2SError, WrongValueError

TVMError = S2SError
"""The base of all errors that a user can meet."""


class MissingAttributeError(InputError, AttributeError):
    """A module has no function of a name."""


class RepeatedNameError(InputError, AssertionError):
    """Two modules of an archive have one name."""


class UnsupportedInModelLibraryFormatError(InputError):
    """An archive cannot hold what it was given."""


class MissingInputError(InputError, RuntimeError):
    """A network has no input, or no output, of a name or number."""


class RPCError(InputError, RuntimeError):
    """A remote session has ended, or what runs there has failed."""


class ScheduleError(InputError, RuntimeError):
    """A schedule says what cannot be."""


__all__ = [
    "MissingAttributeError",
    "MissingInputError",
    "RPCError",
    "RepeatedNameError",
    "ScheduleError",
    "TVMError",
    "WrongValueError",
]
